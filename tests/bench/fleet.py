# SPDX-License-Identifier: BSD-3-Clause
"""Dumps to Parquet: fleet.py COMMAND [DUMPS [RECORD]], 10,000 of mv2_xnnpack by default.

Three ways: Python reads the record again for each dump (a tenth of the dumps), examples/fleet, and the command with --each. Prints seconds, processor seconds of all
processes, milliseconds of these for each dump, and the peak of memory of the largest process, for a tenth of the dumps and for all: the two peaks of a way say whether its
memory grows. Needs the Python package etrecord_tb and pyarrow.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLEET = ROOT / "examples" / "fleet" / "fleet.py"
# Runs a program and prints its processor seconds and its peak in KiB, both with its children.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
READ_EACH = """
import sys
import etrecord_tb, pyarrow, pyarrow.parquet
record, dump, count, out = sys.argv[1:]
writer = None
for _ in range(int(count)):
    with etrecord_tb.Profile(record, etdump=dump) as profile:
        table = pyarrow.table(profile.nodes_table(graph="edge"))
    writer = writer or pyarrow.parquet.ParquetWriter(out, table.schema, compression="zstd")
    writer.write_table(table)
writer.close()
"""


def measure(name, count, *command):
    start = time.monotonic()
    environment = {**os.environ, "ETRECORD_TB_PYTHON": sys.executable}
    done = subprocess.run([sys.executable, "-c", MEASURE, *map(str, command)], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    processor, peak = map(float, done.stdout.split())
    print(f"{name:12} {count:8} {time.monotonic() - start:8.1f} {processor:8.1f} {1000 * processor / count:8.2f} {peak / 1024:8.0f}", flush=True)


def main():
    command = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sys.exit(__doc__)
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    record = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else ROOT / "tests" / "fixtures" / "mv2_xnnpack"
    print(f"{os.cpu_count()} processors, dumps of {record.name}\n\nway             dumps  seconds      CPU  ms/dump  peak MB")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for count in (most // 10, most):
            dumps = [(str(record / "etdump.etdp"), f"d{i % 20}", f"b{i % 3}") for i in range(count)]
            (folder / "dumps.tsv").write_text("".join("\t".join(row) + "\n" for row in [("etdump", "device", "build"), *dumps]))
            line = {"record": str(record), "pte": str(record / "model.pte")}
            (folder / "manifest.jsonl").write_text("".join(json.dumps({**line, "etdump": dump, "device": device, "build": build}) + "\n" for dump, device, build in dumps))
            if count < most:
                measure("read each", count, sys.executable, "-c", READ_EACH, record, record / "etdump.etdp", count, folder / "each.parquet")
            measure("fleet.py", count, sys.executable, FLEET, "collect", folder / "manifest.jsonl", folder / "fleet.parquet")
            measure("etrecord-tb", count, command, "nodes", record, "--each-from", folder / "dumps.tsv", "-o", folder / "command.parquet")


if __name__ == "__main__":
    main()
