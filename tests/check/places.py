#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is the time of each kernel and of each operator inside a delegate on its very node (not only on one with its handle), with the .pte and without?

`truth_places.json` has the node of each, from the lowered program as ExecuTorch's own objects had it, in the order in which it runs. By time (average of
each event): right, missing (on no node), wrong (on another). With the .pte nothing may be wrong and 99 % must be right; without it at most 1 % may be wrong,
said as estimated or not, and 95 % must be right. In both cases at most 0.05 % may be wrong without being marked as an estimate. Kernels whose truth has a `path`
must be on the node with that whole path: `submodule_0/aten_mm_default` is another node than `submodule_1/aten_mm_default`, which has the same name."""

import collections
import os
import tempfile

import common

TRUTH = "truth_places.json"


def measure(got, places):
    kernels = {(k["method"], k["instruction"]): k for k in places["kernels"]}
    operators = {(k["method"], k["instruction"], k["event"]): k["node"] for k in places["operators"]}
    times, worst = collections.Counter(), []
    for block in got["blocks"]:
        for event in block["events"]:
            place = block["method"], event["instruction_id"]
            if event["is_delegated_op"]:
                want = operators.get((*place, event["delegate_debug_identifier"]))
                is_path = False
            else:
                kernel = kernels.get(place, {}) if event["event_name"].startswith("native_call_") else {}
                want = kernel.get("path", kernel.get("node"))
                is_path = "path" in kernel
            if want is None:
                continue
            time = event["avg"] or 0
            nodes = [n if is_path else n.rpartition("/")[2] for n in event["nodes"] or []]
            kind = "right" if nodes[:1] == [want] else "wrong" if nodes else "missing"
            times[kind] += time
            times["all"] += time
            if kind == "wrong" and event["match"] != "aligned":
                times["certain"] += time
            if kind != "right":
                worst.append((time, f"{event['delegate_debug_identifier'] or event['event_name']} of instruction {event['instruction_id']}: on {nodes[:1]} ({event['match']}), belongs on {want}"))
    return times, [text for _, text in sorted(worst, key=lambda w: -w[0])[:3]]


def check(binary, folder, places):
    if not (places["kernels"] or places["operators"]):
        return None
    score = common.Score(os.path.basename(folder.rstrip("/")))
    for with_pte in (True, False):
        if with_pte and not os.path.exists(os.path.join(folder, "model.pte")):
            continue
        with tempfile.TemporaryDirectory() as bare:
            for f in ("etrecord.bin", "etdump.etdp", *(["model.pte"] if with_pte else [])):
                os.symlink(os.path.abspath(os.path.join(folder, f)), os.path.join(bare, f))
            got, complaint = common.run(binary, "events", bare, "--unit", "ms")
        said = "with the .pte" if with_pte else "without the .pte"
        if got is None:
            score.total += 1
            score.off(complaint)
            continue
        times, worst = measure(got, places)
        whole = times["all"] or 1e-9
        right, missing, wrong, certain = (100 * times[kind] / whole for kind in ("right", "missing", "wrong", "certain"))
        good = right >= (99 if with_pte else 95) and wrong <= (0.05 if with_pte else 1) and certain <= 0.05
        score.equal(good, True, f"{said}: {right:.1f} % of the time right, {missing:.1f} missing, {wrong:.1f} wrong, {certain:.1f} wrong and no estimate; {'; '.join(worst)}")
    return score.done()


if __name__ == "__main__":
    common.main(check, TRUTH)
