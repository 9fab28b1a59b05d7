# SPDX-License-Identifier: BSD-3-Clause
"""What the command prints as JSON is what schema/ says: for every fixture, for each of its files alone, and for nothing that has no schema."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import jsonschema
import jsonschema_rs
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "corpus"), str(ROOT / "tests" / "check")]
import forge  # noqa: E402
import forge_pte  # noqa: E402
from conftest import EVERY  # noqa: E402
from report_documents import whole_document  # noqa: E402

FIXTURES = pathlib.Path(os.environ.get("FIXTURES", ROOT / "tests" / "fixtures"))
SCHEMAS = {path.name.removesuffix(".schema.json"): path for path in (ROOT / "schema").glob("*.schema.json")}
VALIDATORS = {name: jsonschema_rs.validator_for(json.loads(path.read_text())) for name, path in SCHEMAS.items()}  # 200 times as fast as jsonschema

# The schema, and the command line that prints what it describes; RECORD is each input in turn. A new output is a new line here.
OUTPUTS = {
    "accuracy": "accuracy RECORD --format json",
    "compare": "compare RECORD RECORD --by kernel --format json",
    "delegation": "delegation RECORD --format json",
    "diff": "diff RECORD RECORD --format json",
    "events": "events RECORD --format json",
    "head": "write RECORD --graphs edge --hparam device=a --hparam device=b --logdir LOGDIR --name x",
    "info": "info RECORD --format json",
    "memory": "memory RECORD --format json",
    "model_explorer": "export RECORD --to model-explorer",
    "nodes": "nodes RECORD --format json",
    "profile": "write RECORD --graphs edge --logdir LOGDIR --name x",
    "profile in a report": "report RECORD",
    "program_diff": "diff RECORD RECORD --sizes --format json",
    "sizes": "info RECORD --sizes --format json",
    "source": "source RECORD --format json",
    "summary": "summary RECORD --format json",
    "trace": "trace RECORD",
    "validate": "validate RECORD --format json",
}
ELSEWHERE = {"accuracy_variants"}  # validated below
OF_PROGRAMS = {"program_diff", "sizes"}  # end with 1 without a program
OF_TIMES = {"trace", "model_explorer"}  # end with 1 where nothing was timed
UNTOLD = {"twin_methods", "b_vgf"}  # records whose runs could be of either method, or ran nothing on nodes
OF_TIMED_NODES = {"model_explorer"}  # have nothing to say of any file alone

WHOLE = sorted(path.parent for path in FIXTURES.rglob("etrecord.bin"))
FEWER = 2 * EVERY  # one output after the other has the next of the files: each kind of file is there with each of them
ALONE = [path for name in ("etrecord.bin", "etdump.etdp", "model.pte") for path in sorted(FIXTURES.rglob(name))]


def run(*arguments):
    return subprocess.run([os.environ["ETRECORD_TB"], *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def document_in(output):
    """The JSON that was printed; of a report, what it holds."""
    return whole_document(output) if output.startswith("<!doctype html>") else json.loads(output)


def written_in(logdir, schema):
    """What event files hold, as text among their bytes."""
    for path in logdir.rglob("events.out.tfevents.*"):
        text = path.read_bytes().decode("latin-1")
        found = [match.start() for match in re.finditer(r'\{"schema":"etrecord-tb/%s/1","' % schema, text)]
        yield from (json.JSONDecoder().raw_decode(text, at)[0] for at in found)


NOTHING_COMPARED = 4  # the exit status of `accuracy`, which then writes a document, too
COMPARED = {"bundled_update", "old_1_2_0_two_methods"}  # records that hold what to compare with
CHANGED = {"changed_edge", "changed_edge_xnnpack"}  # `validate` says with 1 what is wrong with them


def documents(name, record):
    """The exit status, and what was written."""
    with tempfile.TemporaryDirectory() as logdir:
        done = run(*({"RECORD": record, "LOGDIR": logdir}.get(word, word) for word in OUTPUTS[name].split()))
        if done.returncode not in (0, NOTHING_COMPARED):
            return done.returncode, []
        return done.returncode, [document_in(done.stdout)] if done.stdout[:1] in "{<" else list(written_in(pathlib.Path(logdir), name.split()[0]))


def check(name, record):
    """Validates; gives the exit status."""
    status, found = documents(name, record)
    assert len(found) == (status in (0, NOTHING_COMPARED)) and (status != NOTHING_COMPARED or name == "accuracy")
    for document in found:
        of_programs = name == "diff" and document["schema"] == "etrecord-tb/program_diff/1"  # of two .pte files alone
        VALIDATORS["program_diff" if of_programs else name.split()[0]].validate(document)
    return status


# One output after the other has the next of the records, where not all are asked for: each record is there, and each output.
OF_RECORDS = [(name, record) for at, name in enumerate(OUTPUTS) for record in WHOLE[at % EVERY :: EVERY]]


@pytest.mark.parametrize("name,record", OF_RECORDS, ids=lambda value: value if isinstance(value, str) else str(value.relative_to(FIXTURES)))
def test_of_a_record_and_its_dump(name, record):
    is_timed = any(record.glob("*.etdp*"))  # or packed by gzip
    has_times = is_timed and not (name in OF_TIMED_NODES and record.name in UNTOLD)
    lacks_program = name in OF_PROGRAMS and json.loads(run("info", record, "--format", "json").stdout)["pte"] is None
    is_wrong = name == "validate" and record.name in CHANGED
    wanted = NOTHING_COMPARED if name == "accuracy" and record.name not in COMPARED else 1 if lacks_program or is_wrong or (name in OF_TIMES and not has_times) else 0
    assert check(name, record) == wanted


@pytest.mark.parametrize("name", OUTPUTS)
def test_of_a_file_alone(name):
    """Where a command can say nothing of a file alone it ends with 1; it must have something to say of some."""
    statuses = {check(name, file) for file in ALONE[list(OUTPUTS).index(name) % FEWER :: FEWER]}
    if name == "accuracy":
        assert statuses == {NOTHING_COMPARED}
    else:
        assert (0 in statuses or name in OF_TIMED_NODES) and statuses <= {0, 1}


HOSTILE = sorted(path for path in (FIXTURES / "hostile").iterdir() if path.suffix != ".json")


@pytest.mark.parametrize("name", OUTPUTS)
def test_of_what_is_damaged_or_hostile(name):
    """It is refused, or what is said of it is as the schema says."""
    assert {check(name, record) for record in HOSTILE[list(OUTPUTS).index(name) % EVERY :: EVERY]} <= {NOTHING_COMPARED if name == "accuracy" else 0, 1}


def size_prefixed(data):
    return len(data).to_bytes(4, "little") + data


# Dumps that no runtime writes, by what is odd about them.
ODD = {
    "bytes_of_2^63": lambda: size_prefixed(forge_pte.flatbuffer(b"ED00", {0: 0, 1: [{0: "Execute", 3: [{1: {0: 0, 1: 5, 2: -(2**31)}}]}]})),  # field 2: the upper half
    "load_without_a_time": lambda: forge.etdump([("Default", [("Program::load_method", -1, 0, 0, 2**60)])]),
    "no_event": lambda: forge.etdump([("Execute", [])]),
    "no_run": lambda: forge.etdump([]),
    "run_without_a_time": lambda: forge.etdump([("Execute", [("native_call_add.out", 0, 2, 9, 5), ("Method::execute", -1, 0, 9, 5)])]),
    "all_at_once": lambda: forge.etdump([("Execute", [("native_call_add.out", 0, 2, 5, 5), ("Method::execute", -1, 0, 5, 5)])] * 3),
    "as_long_as_can_be": lambda: forge.etdump([("Execute", [("native_call_add.out", 0, 2, 0, 2**53 - 1), ("Method::execute", -1, 0, 0, 1)])]),
}


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("odd", ODD)
def test_of_an_odd_dump(name, odd, tmp_path):
    shutil.copy(FIXTURES / "add_mul" / "etrecord.bin", tmp_path)
    (tmp_path / "etdump.etdp").write_bytes(ODD[odd]())
    assert check(name, tmp_path) in (NOTHING_COMPARED if name == "accuracy" else 0, 1)
    if odd == "bytes_of_2^63" and name == "memory":
        (document,) = documents(name, tmp_path)[1]
        assert [row["bytes"] for row in document["allocations"]] == [2**63 + 5]


@pytest.mark.parametrize("record", ["mv2_xnnpack", "multi_method", "p_gru", "vulkan"])
def test_a_head_says_what_the_summary_says(record):
    ((head,),) = (documents("head", FIXTURES / record)[1:])
    summary = json.loads(run("summary", FIXTURES / record, "--format", "json", "--unit", "ns").stdout)["methods"]
    assert head["hparams"] == {"device": "b"}
    assert [(method["method"], method["runs"], method["execute"]) for method in head["methods"] if method["runs"]] == [
        (method["method"], method["runs"], method["execute"]) for method in summary if method["runs"]]


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_one_and_is_known(name):
    schema = json.loads(SCHEMAS[name].read_text())
    jsonschema.validators.validator_for(schema).check_schema(schema)
    assert name in OUTPUTS or name in ELSEWHERE, "no command line prints it"
    assert schema["$id"] == f"https://example.org/etrecord-tb/schema/{SCHEMAS[name].name}"
    assert SCHEMAS[name].name in (ROOT / "schema" / "README.md").read_text()


def test_every_json_has_a_schema():
    """A command offers json with --format only if a line of OUTPUTS validates it."""
    commands = re.findall(r"^  (\w+) ", run("--help").stdout.split("commands:\n")[1].split("\n\n")[0], re.M)
    offering = {name for name in commands if re.search(r"[|:]\s*(\w+\|)*json\b", run("help", name).stdout)}
    assert offering and offering <= {line.split()[0] for line in OUTPUTS.values()}


@pytest.mark.parametrize("base", ["mv2_portable", "llama_portable", "add_mul/etdump.etdp", "vulkan"])
@pytest.mark.parametrize("new", ["mv2_xnnpack", "old_1_0_1_add_mul", "multi_method", "coreml"])
def test_diff_adds_up(base, new):
    document = json.loads(run("diff", FIXTURES / base, FIXTURES / new, "--format", "json").stdout)
    VALIDATORS["diff"].validate(document)
    for method in document["methods"]:
        of_rows = {"operators", "operators_unplaced", "inserted"} if method["by_events"] else {"operators"}
        for change in ("change_typical", "change_avg"):
            whole = sum(part[change] for part in method["parts"] if part["part"] in of_rows)
            for rows in ("nodes", "by_op", "by_module", "by_backend"):
                if rows != "by_module" or not method["by_events"]:
                    assert sum(row[change] or 0 for row in method[rows]) == pytest.approx(whole, abs=1e-9), (method["method"], rows)
            assert sum(part[change] for part in method["parts"]) == pytest.approx(method["execute"][change] or 0, abs=1e-9)  # null: a side has no runs


def test_accuracy_with_a_reference():
    examples, references = ROOT / "examples" / "accuracy", ROOT / "tests" / "check" / "accuracy"
    for name, arguments in (("accuracy", (references / "convnet", "--reference", references / "convnet.safetensors")),
                            ("accuracy", (examples / "int8", "--reference", references / "int8.safetensors")),
                            ("accuracy_variants", (examples / "f32", examples / "int8", "--reference", examples / "f32.safetensors"))):
        VALIDATORS[name].validate(json.loads(run("accuracy", *arguments, "--format", "json").stdout))
