# SPDX-License-Identifier: BSD-3-Clause
"""What programs do that make reports of many ETDumps: rows of a TSV in memory, sums over the raw times, event names in JSON, no debug buffer and no warning of that."""

import collections
import csv
import io
import json
import os
import sys

from executorch.devtools.inspector import Inspector

inspector = Inspector(str(sys.argv[1]), debug_buffer_path=os.devnull)
text = io.StringIO()
inspector.save_data_to_tsv(text)
text.seek(0)
rows = list(csv.DictReader(text, delimiter="\t"))
print(len(rows), sorted(rows[0]))
times = collections.defaultdict(float)
for row in rows:
    times[row["op_types"] or row["event_name"]] += float(row.get("avg (ms)") or 0)
for name, time in sorted(times.items(), key=lambda item: (-item[1], item[0])):
    print(name, time)

frame = inspector.to_dataframe()
frame = frame[frame["event_block_name"] == "Execute"].copy()
frame["time"] = frame["raw"].apply(lambda raw: sum(float(each) for each in raw or []))
frame["calls"] = frame["raw"].apply(lambda raw: len(raw or []))
frame["delegated"] = frame.apply(lambda row: row["calls"] if bool(row.get("is_delegated_op", False)) else 0, axis=1)
sums = frame.groupby("event_name", as_index=False).agg(time=("time", "sum"), calls=("calls", "sum"), delegated=("delegated", "sum"))
print(frame["event_name"].astype(str).str.fullmatch(r"Method:{1,2}execute").sum())
for row in sums.sort_values(["time", "event_name"], ascending=False).itertuples(index=False):
    kernel = json.loads(row.event_name).get("kernel_name") if row.event_name.startswith("{") else ""
    print(row.event_name, kernel, f"{row.time:.6f}", row.calls, row.delegated)

for block in inspector.event_blocks:
    for event in block.events:
        times = getattr(event, "perf_data", None)
        if times is not None and getattr(times, "p50", None) == times.p50:
            print(event.name, float(times.p50), float(times.max), len(times.raw), bool(getattr(event, "is_delegated_op", False)), getattr(event, "delegate_backend_name", None))
