# SPDX-License-Identifier: BSD-3-Clause
"""Arrow tables of profiles, and examples/fleet: up to 200 dumps as Parquet, asked by DuckDB, against what `summary` says of each."""

import collections
import concurrent.futures
import gc
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import etrecord_tb
from etrecord_tb import _library
from made_dumps import DEVICES, make_fleet

pyarrow = pytest.importorskip("pyarrow")

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
COMMAND = pathlib.Path(sys.executable).with_name("etrecord-tb")
sys.path.append(str(ROOT / "examples" / "fleet"))
import fleet  # noqa: E402

DUMPS_OF_EACH = max(2, 10 // int(os.environ.get("EVERY", "1")))  # of each model, device and build


def said(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, check=True, text=True).stdout


@pytest.mark.parametrize("record", ["mv2_xnnpack", "multi_method", "cpp_rich", "extra_modules"])
@pytest.mark.parametrize("name, by", [*((name, None) for name in _library.ANSWERS if name != "summary"), *(("summary", by) for by in _library.SUMMARY_TABLES)])
@pytest.mark.filterwarnings("ignore::etrecord_tb.EtrecordWarning")
def test_tables_are_json_lines(record, name, by):
    tags = {"device": "pixel8", "remark": "quote \" and é"}
    lines = [json.loads(line) for line in said(name, FIXTURES / record, "--format", "jsonl", *(["--skip-runs", "auto"] if name == "events" else []), *(["--by", by] if by else []),
                                               *itertools.chain(*(("--tag", f"{tag}={value}") for tag, value in tags.items()))).splitlines()]
    with etrecord_tb.Profile(FIXTURES / record) as profile:
        table = profile.table(name, by=by, tags=tags)
        rows = pyarrow.table(table)
        assert pyarrow.table(table).equals(rows)  # a new stream each time
    rows.validate(full=True)
    assert rows.to_pylist() == [{column: float(value) if pyarrow.types.is_floating(rows.schema.field(column).type) and isinstance(value, int) else value
                                 for column, value in line.items()} for line in lines]


@pytest.mark.parametrize("by", _library.DIFF_TABLES)
def test_differences_are_json_lines(by):
    base, newer = FIXTURES / "turns_base", FIXTURES / "turns_new"
    lines = [json.loads(line) for line in said("diff", base, newer, "--by", by, "--format", "jsonl").splitlines()]
    with etrecord_tb.Profile(base) as one, etrecord_tb.Profile(newer) as other:
        rows = pyarrow.table(one.diff_table(other, by)).to_pylist()
    assert rows == lines


def test_a_summary_has_several_tables():
    with etrecord_tb.Profile(FIXTURES / "add_mul") as profile:
        for name, by, problem in (("summary", None, "choose one with by"), ("nodes", "op", "nodes is one table"), ("summary", "ops", "by must be one of op, module")):
            with pytest.raises(ValueError, match=problem):
                profile.table(name, by=by)


def test_one_record_for_many_dumps():
    record = etrecord_tb.Record(FIXTURES / "mv2_xnnpack")
    dump = FIXTURES / "mv2_xnnpack" / "etdump.etdp"
    with etrecord_tb.Profile(FIXTURES / "mv2_xnnpack") as profile:
        wanted = profile.summary(), profile.graphs()

    def answers(_turn):
        with record.join(dump) as joined:
            return joined.summary(), joined.graphs()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(answer == wanted for answer in pool.map(answers, range(8)))
    with pytest.raises(etrecord_tb.EtrecordError, match="cut short|damaged|not an"):
        record.join(FIXTURES / "mv2_xnnpack" / "etrecord.bin")
    joined = record.join(dump)
    with pytest.raises(ValueError, match="1 profiles of this record are open"):
        record.close()
    joined.close()
    record.close()
    with pytest.raises(ValueError, match="closed"):
        record.join(dump)


def test_streams_and_what_is_left_of_them():
    with etrecord_tb.Profile(FIXTURES / "mv2_xnnpack") as profile:
        table = profile.nodes_table()
        unread = table.__arrow_c_stream__()
        kept = pyarrow.table(table).column("name").slice(3, 2)
        batches = list(pyarrow.RecordBatchReader.from_stream(table))
    del unread
    gc.collect()
    assert len(batches) == 1 and kept.to_pylist() == batches[0].column("name").slice(3, 2).to_pylist()
    with pytest.raises(ValueError, match="closed"):
        table.__arrow_c_stream__()


def test_tags_that_cannot_be():
    with etrecord_tb.Profile(FIXTURES / "add_mul") as profile:
        with pytest.raises(etrecord_tb.EtrecordError, match="tag avg: there is already a column"):
            pyarrow.table(profile.nodes_table(tags={"avg": "1"}))
        assert set(pyarrow.table(profile.nodes_table(tags={"record": "mine"})).column("record").to_pylist()) == {"mine"}


@pytest.fixture(scope="session")
def manifest(tmp_path_factory):
    """Dumps of 5 models, 2 devices and 2 builds."""
    flatc = shutil.which("flatc") or pytest.skip("flatc (Debian's flatbuffers-compiler) is missing")
    return make_fleet(flatc, FIXTURES, tmp_path_factory.mktemp("fleet"), DUMPS_OF_EACH)


@pytest.fixture(scope="session")
def parquet(manifest):
    path = manifest.parent / "fleet.parquet"
    assert fleet.collect(manifest, path, 2) == 0
    return path


@pytest.fixture(scope="session")
def duckdb():
    return pytest.importorskip("duckdb")


def test_every_dump_has_what_summary_says(manifest, parquet, duckdb):
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    assert len(lines) == 20 * DUMPS_OF_EACH
    found = collections.defaultdict(dict)
    rows = duckdb.read_parquet(str(parquet))
    for run, method, operator, time in rows.aggregate("run, split_part(graph, '/', 2) AS method, target, sum(avg) AS ms").fetchall():
        found[run][method, operator] = time
    for line in lines:
        options = ["--etdump", line["etdump"], *(["--pte", line["pte"]] if "pte" in line else [])]
        summary = json.loads(said("summary", line["record"], *options, "--format", "json"))
        wanted = {(method["method"], each["op"]): each["avg"] for method in summary["methods"] for each in method["by_op"] if method["nodes"]}
        got = {key: time for key, time in found[pathlib.Path(line["etdump"]).stem].items() if key[0] in {method for method, _ in wanted}}
        assert got == pytest.approx(wanted, rel=1e-9), line


def test_answers(parquet, duckdb):
    regressions = fleet.ask(parquet, "regressions").df()
    same_program = regressions[regressions["record"] != "mobilenet"]
    assert len(same_program) > 0 and same_program["change"].between(0.2, 0.4).mean() > 0.9  # the build is 1.3 times as slow
    lost = fleet.ask(parquet, "lost_delegation").df()
    assert sorted(zip(lost["record"], lost["device"])) == [("mobilenet", device) for device in sorted(DEVICES)]
    slowest = fleet.ask(parquet, "slowest_operators").df()
    first = slowest[slowest["place"] == 1].set_index("device")
    assert first.loc["s24", "ms"] == pytest.approx(2 * first.loc["pixel8", "ms"], rel=0.1)


def test_a_dump_that_is_cut_off_is_left_out(manifest, tmp_path, capsys):
    lines = [json.loads(line) for line in manifest.read_text().splitlines()[:2]]
    cut = tmp_path / "cut.etdp"
    cut.write_bytes(pathlib.Path(lines[0]["etdump"]).read_bytes()[:1000])
    few = tmp_path / "few.jsonl"
    few.write_text("".join(json.dumps(line) + "\n" for line in [{**lines[0], "etdump": str(cut)}, lines[1]]))
    assert fleet.collect(few, tmp_path / "few.parquet", 1) == 1
    told = capsys.readouterr().err
    assert told.startswith("left out: ") and "cut.etdp" in told and told.count("\n") == 1
    problems = [json.loads(line) for line in (tmp_path / "few.parquet.problems.jsonl").read_text().splitlines()]
    assert len(problems) == 1 and "cut.etdp" in problems[0]["line"] and "cut short" in problems[0]["problem"]
    assert set(pyarrow.parquet.read_table(tmp_path / "few.parquet").column("run").to_pylist()) == {pathlib.Path(lines[1]["etdump"]).stem}


@pytest.fixture(scope="session")
def tagged_late(tmp_path_factory):
    """300 dumps of a small model, of which only the last has a device."""
    path = tmp_path_factory.mktemp("late") / "manifest.jsonl"
    line = {"record": str(FIXTURES / "add_mul"), "etdump": str(FIXTURES / "add_mul" / "etdump.etdp"), "build": "a1"}
    path.write_text("".join(json.dumps(each) + "\n" for each in [line] * 299 + [{**line, "device": "pixel8"}]))
    return path


def test_a_tag_that_appears_late_is_null_before(tagged_late, tmp_path):
    assert fleet.collect(tagged_late, tmp_path / "late.parquet", 1) == 0
    devices = collections.Counter(pyarrow.parquet.read_table(tmp_path / "late.parquet").column("device").to_pylist())
    assert devices[None] == 299 * devices["pixel8"] > 0


def test_what_was_collected_is_kept_when_it_is_stopped(tagged_late, tmp_path, monkeypatch):
    write_table, writes = pyarrow.parquet.ParquetWriter.write_table, []

    def stop_at_the_second(writer, table):
        if writes:
            raise KeyboardInterrupt
        writes.append(table.num_rows)
        write_table(writer, table)

    monkeypatch.setattr(pyarrow.parquet.ParquetWriter, "write_table", stop_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        fleet.collect(tagged_late, tmp_path / "stopped.parquet", 1)
    assert pyarrow.parquet.read_table(tmp_path / "stopped.parquet").num_rows == writes[0] > 0
