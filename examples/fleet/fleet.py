# SPDX-License-Identifier: BSD-3-Clause
"""Many ETDumps as one Parquet file, and questions to it.

    fleet.py collect MANIFEST OUT.parquet [--processes N]
    fleet.py ask OUT.parquet QUESTION...

MANIFEST is JSON Lines, one line per ETDump: {"record": "models/mv2", "etdump": "dumps/17.etdp", "device": "pixel8", "build": "a1b2c3"}; "pte" may name the
program, "name" what the record is called (otherwise its folder says); everything else becomes a column. QUESTION is one of the files in questions/, without ".sql". Needs the Python package etrecord_tb, and
pyarrow and duckdb from PyPI: Parquet is theirs.
"""

import argparse
import itertools
import json
import multiprocessing
import pathlib
import sys
import warnings

import etrecord_tb
import pyarrow
import pyarrow.parquet

QUESTIONS = pathlib.Path(__file__).parent / "questions"
INPUTS = ("record", "etdump", "pte")
TABLES_AT_ONCE = 256  # one row group of the Parquet file: memory does not grow with the number of dumps


def rows(line):
    """The timed operators of an ETDump, given by its line of the manifest, as an Arrow table."""
    dump = json.loads(line)
    tags = {"record" if key == "name" else key: str(value) for key, value in dump.items() if key not in INPUTS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", etrecord_tb.EtrecordWarning)
        with etrecord_tb.Profile(dump["record"], etdump=dump["etdump"], pte=dump.get("pte")) as profile:
            return pyarrow.table(profile.nodes_table(graph="edge", tags=tags))


def rows_or_problem(line):
    try:
        return rows(line)
    except (etrecord_tb.EtrecordError, KeyError, ValueError) as problem:
        return f"left out: {line.strip()}: {problem!r}"


def read_manifest(path):
    return [line for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def collect(manifest, out, processes):
    """Writes all rows; returns how many dumps were left out."""
    writer, lost = None, 0
    with multiprocessing.Pool(processes) as pool:
        answers = pool.imap(rows_or_problem, read_manifest(manifest), chunksize=16)
        while group := list(itertools.islice(answers, TABLES_AT_ONCE)):
            tables = [answer for answer in group if isinstance(answer, pyarrow.Table)]
            for problem in (answer for answer in group if isinstance(answer, str)):
                print(problem, file=sys.stderr)
                lost += 1
            if tables:
                table = pyarrow.concat_tables(tables, promote_options="default")
                writer = writer or pyarrow.parquet.ParquetWriter(out, table.schema, compression="zstd")
                writer.write_table(table)
    if writer:
        writer.close()
    return lost


def question(name):
    return (QUESTIONS / f"{name}.sql").read_text(encoding="utf-8")


def ask(parquet, name):
    """DuckDB's answer."""
    import duckdb

    return duckdb.read_parquet(str(parquet)).query("nodes", question(name))


def main():
    names = sorted(path.stem for path in QUESTIONS.glob("*.sql"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("collect", help="write the operators of all dumps into a Parquet file")
    command.add_argument("manifest")
    command.add_argument("out")
    command.add_argument("--processes", type=int, default=None, help="default: one per processor")
    command = commands.add_parser("ask", help="answer questions from it")
    command.add_argument("parquet")
    command.add_argument("question", nargs="+", choices=names)
    options = parser.parse_args()
    if options.command == "collect":
        return 1 if collect(options.manifest, options.out, options.processes) else 0
    for name in options.question:
        print(name)
        print(ask(options.parquet, name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
