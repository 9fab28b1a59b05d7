# SPDX-License-Identifier: BSD-3-Clause
"""What the tests share: the command, the fixtures, a logdir written from all of them, and real TensorBoards serving it.

Environment: ETRECORD_TB is the command, FIXTURES the folder of tests/fixtures (default: the one beside this folder). EVERY=12 takes every twelfth
record only (default: all). With CI=true something that is missing is a failure, otherwise its tests are skipped.
"""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import typing

import pytest

from tensorboard_server import TensorBoard

FIXTURES = pathlib.Path(os.environ.get("FIXTURES", pathlib.Path(__file__).parent.parent / "fixtures")).resolve()
EVERY = int(os.environ.get("EVERY", "1"))
NAMED = ("mv2_xnnpack", "quantized_xnnpack")  # tests ask for something of these
RECORDS = [record for at, record in enumerate(sorted(p.parent for p in FIXTURES.rglob("etrecord.bin"))) if at % EVERY == 0 or record.name in NAMED]
SCHEMA = pathlib.Path(__file__).parent / "etdump.fbs"
DUMPS = sorted(FIXTURES.rglob("etdump.etdp"))

# A record whose ETDump is written as that of two devices.
SEVERAL = FIXTURES / "mv2_xnnpack"
DEVICES = ("pixel8", "s24")
BUILDS = (5, 2, 1)  # steps, in the order in which they are written


class Run(typing.NamedTuple):
    """A run folder: its name for TensorBoard, where it lies, and the graph of `nodes` that was written into it."""

    name: str
    folder: str
    graph: dict

    def is_timed(self):
        return any(node["avg"] is not None for node in self.graph["nodes"])


def missing(what):
    """Skips the test, or fails it where everything has to be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing", pytrace=False)
    pytest.skip(f"{what} is missing")


def fixture_name(path):
    """`add_mul`, `from_executorch/record_2023`, ..."""
    return str((path.parent if path.is_file() else path).relative_to(FIXTURES))


class Command:
    """etrecord-tb; what it said is remembered."""

    def __init__(self, path):
        self.path = path
        self.said = {}

    def run(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, timeout=60)
        assert done.returncode == 0, f"{arguments}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode()

    def json(self, name, record, unit):
        key = (name, record, unit)
        if key not in self.said:
            self.said[key] = json.loads(self.run(name, record, "--format", "json", "--unit", unit))
        return self.said[key]


@pytest.fixture(scope="session")
def command():
    path = os.environ.get("ETRECORD_TB")
    if not path or not os.access(path, os.X_OK):
        missing("ETRECORD_TB, the command to be tested,")
    return Command(os.path.abspath(path))


class Logdir:
    """One logdir: a run for each graph of each record, runs of whole records, and three builds as one run."""

    def __init__(self, command, path):
        self.path = path
        self.runs = {}
        for record in RECORDS:
            self.runs[record] = self.write(command, record)
        self.several = [f"several/{device}" for device in DEVICES]
        command.run("write", SEVERAL, *self.dumps(), "--logdir", path, "--name", "several", "--hparam", "threads=4")
        for step in BUILDS:
            command.run("write", SEVERAL, "--logdir", path, "--name", "builds", "--step", step)

    def dumps(self):
        for device in DEVICES:
            folder = self.path.parent / "dumps" / device
            folder.mkdir(parents=True)
            shutil.copy(SEVERAL / "etdump.etdp", folder)
            yield from ("--etdump", folder / "etdump.etdp")

    def write(self, command, record):
        """The run folders of a record, in the order in which `nodes` has their graphs."""
        said = command.run("write", record, "--logdir", self.path, "--name", fixture_name(record).replace("/", "_"), "--graphs", "all")
        written = [line[line.index(str(self.path)):] for line in said.splitlines() if line.startswith("events ")]
        # TensorBoard's page reads no escapes: where a name has quotes, its graph has backticks.
        graphs = json.loads(json.dumps(command.json("nodes", record, "us")["graphs"]).replace('\\"', "`"))
        assert len(written) == len(graphs) > 0
        return [Run(os.path.relpath(os.path.dirname(file), self.path), os.path.dirname(file), graph) for file, graph in zip(written, graphs)]

    def names(self):
        return {run.name for run in self.all_runs()} | set(self.several) | {"builds"}

    def all_runs(self):
        return [run for runs in self.runs.values() for run in runs]


@pytest.fixture(scope="session")
def logdir(command, tmp_path_factory):
    return Logdir(command, tmp_path_factory.mktemp("logdir"))


@pytest.fixture(scope="session", params=["auto", "false"], ids=["data_server", "python_loader"])
def tensorboard(request, logdir):
    """A TensorBoard over the whole logdir, once with its data server and once with its own loader. It loads once, as nothing changes."""
    if importlib.util.find_spec("tensorboard") is None:
        missing("the Python package tensorboard")
    with TensorBoard(logdir.path, "--load_fast", request.param, "--reload_interval", "0") as server:
        server.wait_for(logdir.names())
        yield server


@pytest.fixture(scope="session")
def flatc(tmp_path_factory):
    """Reads a dump with flatc: the list of its runs."""
    path = shutil.which("flatc")
    if not path:
        missing("flatc (Debian's flatbuffers-compiler)")
    folder = tmp_path_factory.mktemp("flatc")
    read = {}

    def runs(dump):
        if dump not in read:
            subprocess.run([path, "--json", "--strict-json", "--raw-binary", "--size-prefixed", "-o", folder, SCHEMA, "--", dump], check=True, timeout=60)
            read[dump] = json.loads((folder / f"{dump.stem}.json").read_text(encoding="utf-8"))["run_data"]
        return read[dump]

    return runs
