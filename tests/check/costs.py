#!/usr/bin/env python3
"""Does `nodes` count the multiply-accumulates of every node as torch's FlopCounterMode counts FLOP, and do programs as they run add up to the same?

costs.py ETRECORD_TB FIXTURES...: program/METHOD beside its record, and the .pte alone, are held against the Edge program's total. Where the lowered
program does other work, DIFFERENT says how much more and why; where a delegate cannot be looked into, CLOSED has it, and the total must be unknown.
"""

import os

import common

UNFUSED = "XNNPACK runs a batch norm that follows no convolution as a depthwise convolution, which multiplies each number once"
DIFFERENT = {  # FLOP more than the Edge program has
    "bn_unfused": (2 * 1688, UNFUSED),
    "resnext_pre": (2 * 12288, UNFUSED),
}
CLOSED = {"b_coreml", "b_ethosu", "b_neutron", "b_qnn", "b_vgf", "coreml", "demo_delegate_int"}


def rows_of(graph):
    """{name with the path of its body: node} of the operators."""
    return {(f"{node['subgraph']}/" if node["subgraph"] else "") + node["name"]: node for node in graph["nodes"] if node["kind"] == "op"}


def carriers(nodes):
    """{carrier: names of the group}."""
    groups = {}
    for name, node in nodes.items():
        body = f"{node['subgraph']}/" if node["subgraph"] else ""
        groups.setdefault(body + node["carried_by"] if node["carried_by"] else name, []).append(name)
    return groups


def total_of(macs):
    """FLOP; None if any are unknown."""
    return None if None in macs else 2 * sum(macs)


def check_programs(score, graphs, truth, name, what):
    """Programs without branches that ran, which count what ran."""
    for graph in graphs:
        wanted = truth.get(f"edge/{graph['method']}")
        nodes = [node for node in graph["nodes"] if node["kind"] == "op"]
        ran = any(node["calls"] for node in nodes)
        if graph["module"] != "program" or wanted is None or (ran and any(node["target"].startswith("control.") for node in nodes)):
            continue
        total = None if name in CLOSED else wanted["total"] + DIFFERENT.get(name, (0, ""))[0]
        score.equal(total_of([node["macs"] for node in nodes]), total, f"{what}: program/{graph['method']}")


def check_program_alone(score, binary, folder, truth):
    path, name = os.path.join(folder, "model.pte"), os.path.basename(folder)
    if not os.path.exists(path):
        return
    nodes, complaint = common.run(binary, "nodes", path)
    info, complaint_too = common.run(binary, "info", path)
    if nodes is None or info is None:
        score.total += 1
        score.off(complaint or complaint_too)
        return
    check_programs(score, nodes["graphs"], truth, name, "alone")
    sums = {graph["method"]: total_of([node["macs"] for node in graph["nodes"] if node["kind"] == "op"]) for graph in nodes["graphs"]}
    for row in info["costs"]:
        if row["level"] == 0:
            score.equal(None if row["macs"] is None else 2 * row["macs"], sums[row["method"]], f"info of {row['method']}")


FIGURES = ("macs", "bytes", "gflops", "gbs", "intensity", "arithmetic")


def check_diff(score, binary, folder, graphs):
    """Each side of a comparison has the costs of its nodes, and sums of operators what `summary` has."""
    found, complaint = common.run(binary, "diff", folder, folder, "--skip-runs", "0")
    summary, _ = common.run(binary, "summary", folder, "--skip-runs", "0")
    if found is None or summary is None:
        score.total += 1
        score.off(complaint or "no summary")
        return
    of_method = {graph["method"]: graph["nodes"] for graph in graphs if graph["module"] == "edge"}
    of_op = {method["method"]: {row["op"]: row for row in method["by_op"]} for method in summary["methods"]}
    for method in found["methods"]:
        nodes, ops = of_method.get(method["method"]), of_op.get(method["method"])
        if nodes is None or ops is None or method["by_events"]:
            continue
        for row, wanted, key in [(r, nodes[r[f"{side}_node"]], (r["op"], side)) for r in method["nodes"] for side in ("base", "new") if r[f"{side}_node"] is not None] + [
            (r, ops.get(r["op"]), (r["op"], side)) for r in method["by_op"] for side in ("base", "new")
        ]:
            for figure in FIGURES if wanted else ():
                score.equal(row[f"{key[1]}_{figure}"], wanted[figure], f"diff of {key}: {figure}")


def check(binary, folder, truth):
    score = common.Score(os.path.basename(folder))
    got, complaint = common.run(binary, "nodes", folder, "--skip-runs", "0")
    if got is None:
        return score.fail(complaint)
    check_programs(score, got["graphs"], truth, os.path.basename(folder), "beside the record")
    check_program_alone(score, binary, folder, truth)
    check_diff(score, binary, folder, got["graphs"])
    for graph in got["graphs"]:
        wanted = truth.get(f"{graph['module']}/{graph['method']}")
        if wanted is None:
            continue
        nodes = rows_of(graph)
        for carrier, names in carriers(nodes).items():
            if all(node["unknown_costs"] in (0, None) for node in (nodes[n] for n in names)):
                calls = 1 if nodes[carrier]["subgraph"] is None else nodes[carrier]["calls"] or 1
                flops = sum(wanted["nodes"].get(name, 0) for name in names)
                rounded = 0 if calls == 1 else 1  # what runs in some inferences only
                score.close(2 * nodes[carrier]["macs"], flops * calls, f"{graph['module']}/{graph['method']} {carrier}", rounded)
        if not any(node["unknown_costs"] or node["subgraph"] for node in nodes.values()):
            score.equal(2 * sum(node["macs"] or 0 for node in nodes.values()), wanted["total"], f"{graph['module']}/{graph['method']} in all")
    return score.done()


if __name__ == "__main__":
    common.main(check, "truth_flops.json")
