# SPDX-License-Identifier: BSD-3-Clause
"""Many ETDumps as one Parquet file, and questions to it.

    fleet.py collect MANIFEST OUT.parquet [--answer nodes|summary --by TABLE] [--threads N]
    fleet.py ask OUT.parquet QUESTION...

MANIFEST is JSON Lines, one line per ETDump: {"record": "models/mv2", "etdump": "dumps/17.etdp", "device": "pixel8", "build": "a1b2c3"}; "pte" may name the
program, "name" what the record is called (otherwise its folder says); everything else becomes a column, which is null for dumps that lack it. A dump that
cannot be used is a line in OUT.parquet.problems.jsonl, and the exit status is then 5. If collecting is stopped, OUT.parquet has the dumps so far.
Dumps of one record need none of this: `etrecord-tb nodes RECORD --each-from LIST -o OUT.parquet`.
QUESTION is one of the files in questions/, without ".sql"; thermal_drift needs `--answer summary --by finding`, the others the answer `nodes`. Needs the Python package etrecord_tb, and pyarrow and duckdb from PyPI: Parquet is theirs.
"""

import argparse
import functools
import itertools
import json
import multiprocessing.pool
import pathlib
import signal
import sys

import etrecord_tb
import pyarrow
import pyarrow.parquet

QUESTIONS = pathlib.Path(__file__).parent / "questions"
INPUTS = ("record", "pte")
TABLES_AT_ONCE = 256  # one row group of the Parquet file: memory does not grow with the number of dumps


@functools.lru_cache(maxsize=16)  # dumps of one model follow each other: its record is read once, and several threads join dumps to it
def opened(record, pte):
    return etrecord_tb.Record(record, pte=pte)


def tags_of(dump):
    """The columns of a line of the manifest, in front of those of the nodes."""
    return {"record" if key == "name" else key: str(value) for key, value in dump.items() if key not in INPUTS}


def rows(line, tag_names=(), answer="nodes", by=None):
    """An answer about an ETDump, which a line of the manifest names, as an Arrow table. Of `nodes`: the operators of the Edge graph."""
    dump = json.loads(line)
    tags = {**dict.fromkeys(tag_names), **tags_of(dump)}
    with opened(dump["record"], dump.get("pte")).join(dump["etdump"]) as profile:
        return pyarrow.table(profile.table(answer, by=by, graph="edge" if answer == "nodes" else None, tags=tags))


def rows_or_problem(line, tag_names=(), answer="nodes", by=None):
    """The rows of a dump, or why there are none."""
    try:
        return rows(line, tag_names, answer, by)
    except (etrecord_tb.EtrecordError, AttributeError, KeyError, TypeError, ValueError) as problem:
        return f"{type(problem).__name__}: {problem}"


def read_manifest(path):
    return [line for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def find_tag_names(lines):
    """The columns that any line has, in the order of their first appearance: all tables then have one schema. `name` replaces a column that is there anyway."""
    names = {}
    for line in lines:
        try:
            names.update(dict.fromkeys(tags_of(json.loads(line))))
        except (AttributeError, ValueError):
            pass  # this line is a problem of its own
    names.pop("record", None)
    return tuple(names)


def stop(*_signal):
    raise KeyboardInterrupt


def collect(manifest, out, threads, answer="nodes", by=None):
    """Writes all rows, and a line for each dump that was left out into OUT.problems.jsonl. Returns how many were left out."""
    lines, writer, lost = read_manifest(manifest), None, 0
    take = functools.partial(rows_or_problem, tag_names=find_tag_names(lines), answer=answer, by=by)
    signal.signal(signal.SIGTERM, stop)
    with open(f"{out}.problems.jsonl", "w", encoding="utf-8") as problems, multiprocessing.pool.ThreadPool(threads) as pool:
        try:
            answers = zip(lines, pool.imap(take, lines, chunksize=16))
            while group := list(itertools.islice(answers, TABLES_AT_ONCE)):
                for line, problem in ((line, answer) for line, answer in group if isinstance(answer, str)):
                    print(f"left out: {line.strip()}: {problem}", file=sys.stderr)
                    print(json.dumps({"line": line.strip(), "problem": problem}), file=problems)
                    lost += 1
                tables = [answer for _line, answer in group if not isinstance(answer, str)]
                if tables:
                    table = pyarrow.concat_tables(tables)
                    writer = writer or pyarrow.parquet.ParquetWriter(out, table.schema, compression="zstd")
                    writer.write_table(table)
        finally:
            if writer:
                writer.close()
    return lost


def question(name):
    return (QUESTIONS / f"{name}.sql").read_text(encoding="utf-8")


def ask(parquet, name):
    """DuckDB's answer."""
    import duckdb

    return duckdb.read_parquet(str(parquet)).query("fleet", question(name))


def main():
    names = sorted(path.stem for path in QUESTIONS.glob("*.sql"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("collect", help="write the operators of all dumps into a Parquet file")
    command.add_argument("manifest")
    command.add_argument("out")
    command.add_argument("--answer", default="nodes", choices=("nodes", "events", "summary", "source", "delegation", "memory"), help="the answer whose rows are collected (default: nodes)")
    command.add_argument("--by", help="the table of a summary: method, part, finding, op, module, ...")
    command.add_argument("--threads", type=int, default=None, help="default: one per processor")
    command = commands.add_parser("ask", help="answer questions from it")
    command.add_argument("parquet")
    command.add_argument("question", nargs="+", choices=names)
    options = parser.parse_args()
    if options.command == "collect":
        return 5 if collect(options.manifest, options.out, options.threads, options.answer, options.by) else 0
    for name in options.question:
        print(name)
        print(ask(options.parquet, name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
