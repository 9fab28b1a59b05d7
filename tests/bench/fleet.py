# SPDX-License-Identifier: BSD-3-Clause
"""Dumps to Parquet: fleet.py [DUMPS [RECORD]], 10,000 of mv2_xnnpack by default.

Collects a tenth of the dumps and then all of them with examples/fleet, each in a process of its own, and prints seconds, dumps per second and the peak of memory
of the largest process. The ratio of the two peaks says whether memory grows with the number of dumps. Needs the Python package etrecord_tb and pyarrow.
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


def collect(folder, record, count):
    """Seconds, and MB of the largest process."""
    manifest = folder / "manifest.jsonl"
    line = {"record": str(record), "etdump": str(record / "etdump.etdp"), "pte": str(record / "model.pte")}
    manifest.write_text("".join(json.dumps({**line, "device": f"d{i % 20}", "build": f"b{i % 3}"}) + "\n" for i in range(count)))
    measure = f"import resource, runpy, sys; sys.argv = sys.argv[1:]\ntry: runpy.run_path(sys.argv[0], run_name='__main__')\nexcept SystemExit as end: assert not end.code\n" \
              "print(max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))"
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", measure, str(FLEET), "collect", str(manifest), str(folder / "out.parquet")], check=True, capture_output=True, text=True)
    return time.monotonic() - start, int(done.stdout) / 1024


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    record = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "tests" / "fixtures" / "mv2_xnnpack"
    print(f"{os.cpu_count()} processors, dumps of {record.name}\n\n   dumps  seconds  dumps/s  peak MB")
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (count // 10, count):
            seconds, peak = collect(pathlib.Path(folder), record, part)
            peaks.append(peak)
            print(f"{part:8} {seconds:8.1f} {part / seconds:8.0f} {peak:8.0f}")
    print(f"peak: {peaks[1] / peaks[0]:.2f} times that of a tenth")


if __name__ == "__main__":
    main()
