# SPDX-License-Identifier: BSD-3-Clause
"""Metrics of latency: percentiles of an inference and of its load, the share of operators, throughput, the spread of runs."""

import statistics
import sys

from executorch.devtools import Inspector
from executorch.devtools.inspector import TimeScale

inspector = Inspector(etdump_path=sys.argv[1], etrecord=sys.argv[2], source_time_scale=TimeScale.NS, target_time_scale=TimeScale.US)
for block in inspector.event_blocks:
    print(block.name, block.source_time_scale.value, block.target_time_scale.name, block.bundled_input_index, len(block.events))
    for event in block.events:
        times = event.perf_data
        if event.name in ("Method::execute", "Method::init", "Program::load_method"):
            print(event.name, len(times.raw), times.p10, times.p50, times.p90, times.avg, times.min, times.max)
            print("per second", 1e6 / times.avg, "spread", statistics.pstdev(times.raw), "started", event.start_time[0])
    calls = [event for event in block.events if event.name == "DELEGATE_CALL"]
    kernels = [event for event in block.events if event.name.startswith("native_call_")]
    print("delegates", len(calls), sum(event.perf_data.avg for event in calls), "kernels", len(kernels), sum(event.perf_data.avg for event in kernels))
    print("first run", [event.perf_data.raw[0] for event in kernels][:5])
