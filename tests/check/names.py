#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""names.py ETRECORD_TB FIXTURES...: does a node that is certain have the operator that ran?

For every record, with the .pte and without: the kernel of an event (`native_call_softmax.out`) and the operator of its node (`aten._softmax.default`)
are compared without overload and underscores. Needs no truth, so that it holds for every record there is. Estimated nodes may differ."""

import os
import sys
import tempfile

import common


def operator(name):
    """`_softmax.out` and `index_put_` -> `softmax` and `index_put`."""
    return name.partition(".")[0].strip("_")


def kernel(event_name):
    return operator(event_name.removeprefix("native_call_").rpartition("::")[2])


def records(root):
    """Folders that have an ETRecord and an ETDump by their usual names."""
    return sorted(folder for folder, _, files in os.walk(root) if {"etrecord.bin", "etdump.etdp"} <= set(files))


def check(binary, folder, files, title):
    score = common.Score(title)
    with tempfile.TemporaryDirectory() as bare:
        for f in files:
            os.symlink(os.path.abspath(os.path.join(folder, f)), os.path.join(bare, f))
        events, _ = common.run(binary, "events", bare)
        nodes, _ = common.run(binary, "nodes", bare)
    if not events or not nodes:
        return score  # a record that is refused, on purpose
    targets = {(g["method"], "/".join(filter(None, (n.get("subgraph"), n["name"])))): n["target"] for g in nodes["graphs"] if g["module"] == "edge" for n in g["nodes"]}
    for block in events["blocks"]:
        for e in block["events"]:
            target = targets.get((block["method"], e["nodes"][0])) if e["nodes"] else None
            if target is None or e["match"] == "aligned" or not e["event_name"].startswith("native_call_"):
                continue
            score.equal(operator(target.partition(".")[2]), kernel(e["event_name"]), f"instruction {e['instruction_id']} on {e['nodes'][0]} ({e['match']})")
    return score


def main():
    if len(sys.argv) < 3:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} ETRECORD_TB FIXTURES...")
    compared = bad = 0
    for folder in [f for root in sys.argv[2:] for f in records(root)][:: common.EVERY]:
        for files in (["etrecord.bin", "etdump.etdp", "model.pte"], ["etrecord.bin", "etdump.etdp"]):
            if not os.path.exists(os.path.join(folder, files[-1])):
                continue
            score = check(os.path.abspath(sys.argv[1]), folder, files, f"{os.path.basename(folder)}, {'with' if len(files) > 2 else 'without'} the .pte")
            compared += score.total
            bad += score.bad
    print(f"{compared} events compared, {bad} on a node with another operator")
    sys.exit(1 if bad or not compared else 0)


if __name__ == "__main__":
    main()
