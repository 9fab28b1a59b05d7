# SPDX-License-Identifier: BSD-3-Clause
"""A program of a user, as type checkers see it: test_package.py has mypy --strict and pyright check it. It is not run."""

from __future__ import annotations

import pathlib

import etrecord_tb
from etrecord_tb.inspector import Event, EventBlock, Inspector, TimeScale, get_delegation_info, parse_etrecord


def slowest(folder: pathlib.Path) -> str:
    with etrecord_tb.Profile(folder, stat="p50") as profile:
        node = max(profile.graphs(module="features")[0].nodes, key=lambda each: each.avg or 0.0)
        method = profile.summary()[0]
        savings = [finding.saves.high for finding in method.findings if finding.saves is not None and finding.saves.high is not None]
        by_op = {row.op: row.typical or 0.0 for row in method.by_op}
        frame = node.frames[0] if node.frames else None
        where = "" if frame is None else f"{frame.file}:{frame.line}"
        arrays = [value.array() for value in profile.values(run=0)]
        return f"{node.name} {where} {sum(savings)} {max(by_op, key=lambda op: by_op[op])} {len(arrays)} {method.execute.typical} {len(profile.nodes_table())}"


def slower(base: bytes, newer: bytes) -> list[str | None]:
    with etrecord_tb.Profile(base) as first, etrecord_tb.Profile(newer) as second:
        change = first.diff(second, limit=0.05).methods[0]
        reasons = [node.reason for node in change.nodes if node.verdict == "slower"]
        return [*reasons, *(row.op for row in change.by_op if (row.change_typical or 0.0) > 0)]


def recorded(model: object, inputs: tuple[object, ...]) -> etrecord_tb.Profile:
    try:
        return etrecord_tb.record(model, inputs, out="net", recipe="xnnpack", recordings=1, progress=print)
    except etrecord_tb.RecordError as error:
        raise SystemExit(f"{error.stage}: {error}") from error


def total(path: str) -> float:
    inspector = Inspector(etdump_path=path, etrecord=parse_etrecord("etrecord.bin"), target_time_scale=TimeScale.US)
    blocks: list[EventBlock] = inspector.event_blocks
    events: list[Event] = [event for block in blocks for event in block.events]
    print(get_delegation_info("etrecord.bin").get_summary(), inspector.find_total_for_module("features.1"))
    return sum(event.perf_data.avg for event in events if event.perf_data is not None)
