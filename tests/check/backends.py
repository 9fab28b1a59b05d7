#!/usr/bin/env python3
"""Are the events of QNN, Vulkan, CoreML, Ethos-U, VGF and Neutron understood: operators on their nodes, counters in no sum, wrappers not beside their parts, phases named, metadata kept?"""

import base64
import os
import subprocess

import common

TRUTH = "truth_backend.json"


def complaints(binary, folder):
    return subprocess.run([binary, "summary", folder, "--format", "json"], capture_output=True, timeout=60).stderr.decode(errors="replace")


def same_text(got, want):
    """Metadata as UTF-8 text, or `base64:` and the bytes."""
    if want is None:
        return got in (None, "")
    return got == want or (isinstance(got, str) and got.startswith("base64:") and base64.b64decode(got[7:]) == want.encode())


def found_events(events, method):
    """(instruction, id or name) -> the events of all blocks that ran the method, as their runs may be in several blocks."""
    found = {}
    for b in events["blocks"]:
        if b["event_block_name"] == "Execute" and b["method"] in (method, None):
            for e in b["events"]:
                ident = e["delegate_debug_identifier"]
                found.setdefault((e["instruction_id"], e["event_name"] if ident is None else ident), []).append(e)
    return found


def check_event(score, truth, want, got):
    what = f"#{want['instruction']} {str(want['id'])[:60]}"
    if not score.equal(bool(got), True, what + " is listed"):
        return
    raw = [v for e in got for v in e["raw"]]
    metadata = [m for e in got for m in (e.get("delegate_debug_metadata") or [None] * len(e["raw"]))]
    first = got[0]
    score.equal(first.get("unit"), want["unit"], what + " unit")
    score.equal(first.get("role"), want["kind"], what + " role")
    if want["phase"] and want["kind"] == "phase":
        score.equal(first.get("phase"), want["phase"], what + " phase")
    score.equal(len(raw), len(want["raw"]), what + " samples")
    if len(raw) == len(want["raw"]) and raw:
        score.equal(all(abs(a - b) <= max(1e-6 * abs(b), 1e-3) for a, b in zip(sorted(raw), sorted(want["raw"]))), True, f"{what} values {sorted(raw)[:3]} as {sorted(want['raw'])[:3]} {want['unit']}")
    score.equal(first["delegate_backend_name"], truth["backend"], what + " backend")
    nodes, allowed = set(first["nodes"]), set(want["nodes_any_of"])
    if allowed:
        score.equal(bool(nodes) and nodes <= allowed, True, f"{what} nodes {sorted(nodes)} of {sorted(allowed)}")
        handles = set(first["debug_handles"])
        score.equal(bool(handles) and handles <= set(want["debug_handles"]), True, f"{what} handles {sorted(handles)} of {want['debug_handles']}")
    else:
        score.equal(nodes, set(), what + " is on no node")
    if want["metadata"]:
        score.equal(len(metadata) == len(want["metadata"]) and all(any(same_text(m, w) for m in metadata) for w in want["metadata"]), True, what + " metadata")


def merged(groups):
    """Groups of nodes that share a time: those with a node in common become one."""
    out = []
    for g in groups:
        names, ns = set(g["nodes"]), g["ns"]
        for o in [o for o in out if o[0] & names]:
            names, ns = names | o[0], ns + o[1]
            out.remove(o)
        out.append((names, ns))
    return out


def check_nodes(score, truth, nodes):
    edge = [g for g in nodes["graphs"] if g["module"] == "edge" and g["method"] == truth["method"]]
    if not score.equal(len(edge), 1, "one Edge graph"):
        return
    avg = {n["name"]: n["avg"] or 0 for n in edge[0]["nodes"]}
    left = dict(avg)
    for names, ns in merged(truth["nodes"]):
        score.close(sum(left.pop(n, 0) for n in names), ns, f"time of {sorted(names)}", 1)
    for name, cycles in truth["cycles_only"].items():  # no time was logged: none is shown, or the delegate's time in the cycles' proportion
        ns = left.pop(name, 0)
        score.equal(ns == 0 or abs(ns - cycles["estimated_ns"]) <= 0.02 * cycles["estimated_ns"] + 1, True, f"{name} has {ns} ns of cycles, 0 or an estimate of {cycles['estimated_ns']:.0f}")
    for name, ns in left.items():
        if ns:
            score.equal(ns, 0, f"time of {name}, which has none")
    score.equal(True, True, "no other node has time")


def check_balance(score, truth, summary, stderr):
    m = next((m for m in summary["methods"] if m["method"] == truth["method"]), None)
    if not score.equal(m is not None, True, "the method's summary"):
        return
    want = truth["balance"]
    estimate = sum(c["estimated_ns"] for c in truth["cycles_only"].values())
    split = bool(estimate) and abs(m["nodes"] - want["nodes"] - estimate) < 0.02 * estimate
    if split:
        score.equal(m["estimated"] >= 0.98 * estimate, True, f"estimated {m['estimated']}, with {estimate:.0f} from cycles")
    score.close(m["execute"]["avg"], want["execute"], "Method::execute", 1)
    score.close(m["nodes"], want["nodes"] + (estimate if split else 0), "on nodes", 0.02 * estimate + 1 if split else 1)
    score.close(m["delegate_only"], want["delegate_only"] - (estimate if split else 0), "delegates' own", 0.02 * estimate + 1 if split else 1)
    score.close(m["framework"], want["framework"], "framework", 1)
    score.close(m["unexplained"], want["unexplained"], "unexplained", 1)
    score.close(sum(m[k] for k in ("nodes", "delegate_only", "framework", "unexplained")), m["execute"]["avg"], "parts add up to Method::execute", 1)
    got = {}
    for p in m.get("phases") or []:
        got[p["phase"]] = got.get(p["phase"], 0) + p["avg"]
    for phase, ns in want["phases"].items():
        score.close(got.get(phase), ns - (estimate if split and phase == "compute" else 0), f"delegates' {phase}", 0.02 * estimate + 1 if split else 1)
    score.equal([line for line in stderr.splitlines() if "more than the call" in line], [], "no warning of over-count")


def check(binary, folder, truth):
    if not any(f.endswith((".etdp", ".etdump")) for f in os.listdir(folder)):
        return None
    score = common.Score("/".join(folder.rstrip("/").split("/")[-2:]))
    events, complaint = common.run(binary, "events", folder, "--unit", "ns")
    nodes, complaint2 = common.run(binary, "nodes", folder, "--unit", "ns")
    summary, complaint3 = common.run(binary, "summary", folder, "--unit", "ns")
    if events is None or nodes is None or summary is None:
        score.total += 1
        score.off(complaint or complaint2 or complaint3)
        return score.done()
    found = found_events(events, truth["method"])
    for want in truth["events"]:
        check_event(score, truth, want, found.get((want["instruction"], want["id"]), []))
    load = [e for b in events["blocks"] if b["event_block_name"] == "Default" for e in b["events"]]
    for name in truth["init_events"]:
        mine = [e for e in load if name in (e["event_name"], e["delegate_debug_identifier"])]
        score.equal(bool(mine) and all(not e["nodes"] and not e["debug_handles"] and e["instruction_id"] is None for e in mine), True, f"{name} is load time of no instruction")
    check_nodes(score, truth, nodes)
    check_balance(score, truth, summary, complaints(binary, folder))
    return score.done()


if __name__ == "__main__":
    common.main(check, TRUTH)
