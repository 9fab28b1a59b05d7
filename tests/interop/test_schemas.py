"""What the command prints as JSON is what schema/ says, for every fixture with a record."""

import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = pathlib.Path(os.environ.get("FIXTURES", ROOT / "tests" / "fixtures"))
RECORDS = sorted(p.parent.name for p in FIXTURES.glob("*/etrecord.bin"))
COMMANDS = sorted(p.name.removesuffix(".schema.json") for p in (ROOT / "schema").glob("*.schema.json"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("record", RECORDS)
def test_output_follows_schema(command, record):
    schema = json.loads((ROOT / "schema" / f"{command}.schema.json").read_text())
    done = subprocess.run([os.environ["ETRECORD_TB"], command, FIXTURES / record, "--format", "json"], capture_output=True, check=True)
    jsonschema.validate(json.loads(done.stdout), schema)
