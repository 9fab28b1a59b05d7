# SPDX-License-Identifier: BSD-3-Clause
"""Fleets with their real clients: Parquet and Arrow files of `--each`, the questions of docs/fleets.md in DuckDB, polars and pandas, and examples/fleet on Spark.

FLEET_DUMPS is how many dumps Spark gets (default: 200); spark.sh installs it and asks for 2,000.
"""

import ast
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import venv

import pytest

from conftest import EVERY, FIXTURES, missing

pyarrow = pytest.importorskip("pyarrow")
import pyarrow.ipc  # noqa: E402, F811
import pyarrow.parquet  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "python"), str(ROOT / "examples" / "fleet")]
import made_dumps  # noqa: E402

ANSWERS = (("nodes",), ("events",), ("summary", "--by", "finding"), ("summary", "--by", "method"), ("source",), ("delegation",), ("memory",))
DUMP = FIXTURES / "mv2_xnnpack" / "etdump.etdp"
SECONDS = 120


@pytest.fixture(scope="module")
def package():
    return os.environ.get("PACKAGE") or missing("PACKAGE, the Python package,")


@pytest.fixture(scope="module")
def environment(package, tmp_path_factory):
    """That of a command whose Python has the package: the command ignores PYTHONPATH."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    paths = [package, *[path for path in sys.path if path.endswith("site-packages")]]
    next(folder.glob("lib/python3*/site-packages")).joinpath("package.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")
    return {**os.environ, "ETRECORD_TB_PYTHON": str(folder / "bin" / "python3")}


@pytest.fixture(scope="module")
def run(command, environment):
    def run_command(*arguments, status=0):
        done = subprocess.run([command.path, *map(str, arguments)], capture_output=True, env=environment, timeout=SECONDS)
        assert done.returncode == status, done.stderr.decode()
        return done

    return run_command


@pytest.fixture(scope="module")
def flatc():
    return shutil.which("flatc") or missing("flatc (Debian's flatbuffers-compiler)")


# ---- Files ----


@pytest.fixture(scope="module")
def rows(package):
    sys.path.insert(0, package)
    from etrecord_tb import rows

    yield rows
    sys.path.remove(package)


class Parts:
    """A source of three parts, and an end or an error."""

    def __init__(self, last):
        self.parts, self.all_read = [b"1", b"2", b"3"], threading.Event()
        self.last = last

    def read(self, _size):
        if self.parts:
            return self.parts.pop(0)
        self.all_read.set()
        if self.last:
            raise self.last
        return b""


def test_rows_are_read_while_earlier_ones_are_written(rows):
    source = Parts(None)
    parts = rows._read_ahead(source)
    assert next(parts) == b"1"
    assert source.all_read.wait(SECONDS), "the next parts are read although nobody asked for them"
    assert list(parts) == [b"2", b"3"]


def test_rows_that_cannot_be_read_are_an_error_after_those_before(rows):
    parts = rows._read_ahead(Parts(OSError("broken")))
    assert [next(parts), next(parts), next(parts)] == [b"1", b"2", b"3"]
    with pytest.raises(OSError, match="broken"):
        next(parts)


def as_written(line, schema):
    """A row of JSON Lines as the typed columns have it."""
    return {name: float(value) if pyarrow.types.is_floating(schema.field(name).type) and value is not None else value for name, value in line.items()}


# One answer alone is asked for in Arrow, too.
@pytest.mark.parametrize("answer", ANSWERS[::EVERY])
def test_files_have_the_rows_of_json_lines(answer, run, tmp_path):
    arguments = [*answer, FIXTURES / "mv2_xnnpack", "--each", FIXTURES / "mv2_xnnpack", DUMP, "--tag", "remark=quote \" and é"]
    lines = [json.loads(line) for line in run(*arguments, "--format", "jsonl").stdout.splitlines()]
    run(*arguments, "-o", tmp_path / "rows.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "rows.parquet")
    assert rows.to_pylist() == [as_written(line, rows.schema) for line in lines]
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]
    if answer == ANSWERS[0]:
        run(*arguments, "-o", tmp_path / "rows.arrow")
        assert pyarrow.ipc.open_file(tmp_path / "rows.arrow").read_all().equals(rows)
        assert pyarrow.ipc.open_stream(run(*arguments, "--format", "arrow").stdout).read_all().equals(rows)


def test_differences(run, tmp_path):
    arguments = ["diff", FIXTURES / "turns_base", FIXTURES / "turns_new", "--by", "node"]
    run(*arguments, "-o", tmp_path / "rows.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "rows.parquet")
    assert rows.to_pylist() == [as_written(json.loads(line), rows.schema) for line in run(*arguments, "--format", "jsonl").stdout.splitlines()]


def test_a_file_is_replaced_only_by_answers(run, tmp_path):
    out = tmp_path / "out.parquet"
    out.write_text("before")
    out.chmod(0o640)
    assert b"another model" in run("nodes", FIXTURES / "mv2_xnnpack", "--each", FIXTURES / "add_mul" / "etdump.etdp", "-o", out, status=1).stderr
    assert out.read_text() == "before"
    run("nodes", FIXTURES / "mv2_xnnpack", "--each", FIXTURES / "add_mul" / "etdump.etdp", DUMP, "-o", out, status=5)
    assert pyarrow.parquet.read_table(out).num_rows > 0 and out.stat().st_mode & 0o777 == 0o640
    assert b"No space left" in run("nodes", FIXTURES / "mv2_xnnpack", "--format", "parquet", "-o", "/dev/full", status=1).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_answers_are_kept_when_the_command_is_stopped(number, command, environment, tmp_path):
    """It waits for the next line of its list, after two answers."""
    out, problems = tmp_path / "out.parquet", tmp_path / "problems.jsonl"
    arguments = [command.path, "nodes", FIXTURES / "mv2_xnnpack", "--each-from", "-", "-o", out, "--problems", problems]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    process.stdin.write(f"{DUMP}\n{DUMP}\nmissing.etdp\n".encode())
    process.stdin.flush()
    wait_until(lambda: problems.exists() and problems.read_text().endswith("}\n"))
    process.send_signal(number)
    assert process.wait(timeout=SECONDS) == -number
    process.stdin.close()
    wait_until(out.exists)  # after SIGKILL, the writer is still at work
    assert pyarrow.parquet.read_table(out).num_rows == 2 * 66


def wait_until(is_so):
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


# ---- Questions ----


@pytest.fixture(scope="module")
def tables(run, flatc, tmp_path_factory):
    """A folder with nodes/ and findings/ of three devices with two builds of one model. A device is slow, a build loses its delegate, and the dump of another model drifts."""
    folder = tmp_path_factory.mktemp("questions")
    fixtures = made_dumps.MODELS["mobilenet"]
    answers = {"nodes": ["nodes"], "findings": ["summary", "--by", "finding"]}
    for answer in answers:
        (folder / answer).mkdir()
    for build, factor in made_dumps.BUILDS.items():
        recording = made_dumps.Recording(flatc, FIXTURES / fixtures[build] / "etdump.etdp", folder / "json" / build)
        rows = ["etdump\tdevice\tbuild"]
        for device, slower in {"pixel8": 1, "s24": 1, "x1": 2}.items():
            for turn in range(3):
                dump = folder / build / device / f"{turn}.etdp"
                dump.parent.mkdir(parents=True, exist_ok=True)
                recording.write(dump, factor * slower, turn)
                rows.append(f"{dump}\t{device}\t{build}")
        (folder / f"{build}.tsv").write_text("\n".join(rows))
        for answer, command in answers.items():
            run(*command, FIXTURES / fixtures[build], "--tag", "record=mobilenet", "--each-from", folder / f"{build}.tsv", "-o", folder / answer / f"{build}.parquet")
    run("summary", "--by", "finding", FIXTURES / "drift" / "etdump.etdp", "--each", "--tag", "device=s24", "--tag", "build=a1", "-o", folder / "findings" / "drift.parquet")
    return folder


def questions():
    """The sections of the page that ask something: {title: [(language, code)]}, and the code that reads the tables."""
    page = (ROOT / "docs" / "fleets.md").read_text(encoding="utf-8")
    page = page[page.index("## Questions to a fleet"):]
    head, *sections = re.split(r"^### ", page[: page.index("\n## ", 5)], flags=re.M)
    fences = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
    return {section.splitlines()[0]: fences.findall(section) for section in sections}, fences.findall(head)[0][1]


def value_of(code, names):
    """The value of the last line."""
    body = ast.parse(code).body
    exec(compile(ast.Module(body[:-1], []), "docs/fleets.md", "exec"), names)
    return eval(compile(ast.Expression(body[-1].value), "docs/fleets.md", "eval"), names)


def as_numbers(frame):
    """{texts of a row: its last number}, in the order of the rows."""
    frame = frame.reset_index() if hasattr(frame, "reset_index") else frame.to_pandas()
    frame.columns = frame.columns.map(str)
    numbers = frame.select_dtypes("float").iloc[:, -1]
    texts = frame.drop(columns="index", errors="ignore").select_dtypes(exclude="number")
    return {tuple(row): number for row, number in zip(texts.itertuples(index=False, name=None), numbers) if number == number}


@pytest.fixture(scope="module")
def answers(tables):
    """What DuckDB, polars and pandas answer: {question: [{row: number} of each]}."""
    duckdb, names = pytest.importorskip("duckdb"), {}
    if not importlib.util.find_spec("polars"):
        missing("polars")
    before = os.getcwd()
    os.chdir(tables)
    try:
        asked, reading = questions()
        exec(compile(reading, "docs/fleets.md", "exec"), names)
        return {title: [as_numbers(duckdb.sql(code).df() if language == "sql" else value_of(code, names)) for language, code in clients] for title, clients in asked.items()}
    finally:
        os.chdir(before)


def test_clients_agree(answers):
    assert len(answers) == 5
    for title, (wanted, *others) in answers.items():
        assert wanted and len(others) == 2, title
        for answer in others:
            assert answer == pytest.approx(wanted, rel=1e-9), title
            assert next(iter(answer.values())) == pytest.approx(next(iter(wanted.values()))), title


def test_what_they_answer(answers):
    slow, regressions, delegated, devices, drift = (clients[0] for clients in answers.values())
    assert slow["x1", "aten.convolution.default"] == pytest.approx(2 * slow["pixel8", "aten.convolution.default"], rel=0.1)
    assert next(iter(slow))[0] == "x1" and min(regressions.values()) > 1
    assert {build for (_, _, build), share in delegated.items() if share == 0} == {"b2"} and all(share > 0.5 for (*_, build), share in delegated.items() if build == "a1")
    assert all(ratio == pytest.approx(2 if device == "x1" else 1, rel=0.6) for (_, _, device), ratio in devices.items()) and next(iter(devices))[2] == "x1"
    assert [(row[0], row[1].split("/")[-2]) for row in drift] == [("s24", "drift")]


# ---- examples/fleet ----


@pytest.fixture(scope="module")
def fleet(package):
    sys.path.append(package)
    return pytest.importorskip("fleet")


def test_spark_has_the_rows_and_answers_of_fleet_py(fleet, flatc, package, tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    lacking = [what for what, there in (("pyspark", importlib.util.find_spec("pyspark")), ("java", shutil.which("java"))) if not there]
    if lacking:
        pytest.skip(f"no {' and no '.join(lacking)} here: tests/interop/spark.sh installs them")
    import spark

    manifest = made_dumps.make_fleet(flatc, FIXTURES, tmp_path, int(os.environ.get("FLEET_DUMPS", "200")) // 20)
    cut = tmp_path / "cut.etdp"
    cut.write_bytes(DUMP.read_bytes()[:20000])
    with open(manifest, "a", encoding="utf-8") as lines:
        print(json.dumps({"record": str(FIXTURES / "mv2_xnnpack"), "etdump": str(cut)}), "no JSON", sep="\n", file=lines)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, *sys.path]))
    session = spark.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    try:
        for answer, by, names in (("nodes", None, ("slowest_operators", "regressions", "lost_delegation", "outlier_devices")), ("summary", "finding", ("thermal_drift",))):
            parquet = tmp_path / f"{answer}.parquet"
            assert fleet.collect(manifest, parquet, 2, answer, by) == 2
            spark.open_fleet(session, manifest, answer, by)
            assert rows_of(session.sql("select * from fleet").toArrow()) == rows_of(pyarrow.parquet.read_table(parquet))
            assert session.sql("select * from problems").count() == 2
            for name in names:
                rows = [row.asDict() for row in session.sql(fleet.question(name)).collect()]
                wanted = fleet.ask(parquet, name).df().to_dict("records")
                assert [row.keys() for row in rows] == [row.keys() for row in wanted], name
                for row, expected in zip(rows, wanted):
                    assert all(row[key] == (value if isinstance(value, str) else pytest.approx(value, rel=1e-9)) for key, value in expected.items()), name
    finally:
        session.stop()


def rows_of(table):
    """All rows, sorted by all columns."""
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)
