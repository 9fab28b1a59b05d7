#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""calibration.py ETRECORD_TB FIXTURES...: are events on the right node as often as the command says that they are?

Without the .pte. The truth of an event is its node in `truth_places.json`, or else the one that the program's payload gives an operator inside a delegate, or none
if the lowering inserted the operator. Prints a table: what an event's node was found by, its confidence, how many events, and the share of them that is right, by
number and by time. A group of at least MANY events must be right as often as its confidence says, by time if it has MANY_BY_TIME; 1 stands for EXACT. In no record may more than WRONG of the
time that is certain (any match but `aligned`) be on a wrong node."""

import collections
import os
import sys
import tempfile

import common

MANY = 20  # of fewer, one error is more than 5 %, the least doubt that the command has of an estimate
MANY_BY_TIME = 100  # of fewer, a single long event decides the share of the time
WRONG = 0.0005
EXACT = 0.9995  # what is said without doubt may be wrong once in 2000 times


def events(binary, folder, with_pte):
    """((method, instruction, operator), event) of the events that are a node's: kernels and operators inside delegates."""
    files = ["etrecord.bin", "etdump.etdp", *(["model.pte"] if with_pte else [])]
    if not all(os.path.exists(os.path.join(folder, f)) for f in files):
        return []
    with tempfile.TemporaryDirectory() as bare:
        for f in files:
            os.symlink(os.path.abspath(os.path.join(folder, f)), os.path.join(bare, f))
        got, _ = common.run(binary, "events", bare, "--unit", "ns")
    return [
        ((block["method"], e["instruction_id"], e["delegate_debug_identifier"] if e["is_delegated_op"] else None), e)
        for block in (got or {"blocks": []})["blocks"]
        for e in block["events"]
        if e["is_delegated_op"] or e["event_name"].startswith("native_call_")
    ]


def wanted(binary, folder):
    """Operators and kernels -> their node. Nodes in bodies of a cond or a map are called by their path where the truth has it."""
    nodes = {
        key: e["nodes"][0] if e["nodes"] else None
        for key, e in events(binary, folder, True)
        if key[2] and (e["match"] in ("payload", "delegate_map") or (not e["nodes"] and e["match"] == "delegate" and e["delegate_backend_name"] == "XnnpackBackend"))
    }
    places = common.truth(folder, "truth_places.json") or {"kernels": [], "operators": []}
    nodes.update({(o["method"], o["instruction"], o["event"]): o.get("path") or o["node"] for o in places["operators"]})
    nodes.update({(k["method"], k["instruction"], None): k.get("path") or k["node"] for k in places["kernels"]})
    return nodes


def is_same(got, want):
    return got == want or (want is not None and "/" not in want and got.rpartition("/")[2] == want)


def main():
    if len(sys.argv) < 3:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} ETRECORD_TB FIXTURES...")
    binary, groups, good = os.path.abspath(sys.argv[1]), collections.defaultdict(collections.Counter), True
    folders = sorted({folder for root in sys.argv[2:] for folder, _, files in os.walk(root) if "model.pte" in files or "truth_places.json" in files})
    for folder in folders:
        nodes, certain = wanted(binary, folder), collections.Counter()
        for key, e in events(binary, folder, False) if nodes else []:
            if key not in nodes or not e["nodes"]:
                continue
            is_right, group = is_same(e["nodes"][0], nodes[key]), groups[(e["match"], e["confidence"])]
            group.update(events=1, time=e["avg"] or 0, right=is_right, right_time=is_right * (e["avg"] or 0))
            if e["match"] != "aligned":
                certain.update(time=e["avg"] or 0, wrong=(not is_right) * (e["avg"] or 0))
        if certain["wrong"] > WRONG * certain["time"]:
            good = False
            print(f"{os.path.basename(folder)}: {certain['wrong'] / certain['time']:.2%} of the time that is certain is on a wrong node")
    print(f"{'match':14}{'confidence':>10}{'events':>8}{'right':>10}{'of time':>10}")
    for (match, confidence), group in sorted(groups.items()):
        by_number, by_time = group["right"] / group["events"], group["right_time"] / (group["time"] or 1)
        least = min(by_number, by_time) if group["events"] >= MANY_BY_TIME else by_number
        is_below = group["events"] >= MANY and least < min(confidence, EXACT)
        good &= not is_below
        print(f"{match:14}{confidence:10}{group['events']:8}{by_number:10.2%}{by_time:10.2%}{'  BELOW' if is_below else ''}")
    sys.exit(0 if good and groups else 1)


if __name__ == "__main__":
    main()
