#!/usr/bin/env python3
"""Does `nodes` count the multiply-accumulates of every node as torch's FlopCounterMode counts FLOP, and are the totals of `info` their sums?"""

import os

import common


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


def check(binary, folder, truth):
    score = common.Score(os.path.basename(folder))
    got, complaint = common.run(binary, "nodes", folder, "--skip-runs", "0")
    if got is None:
        score.total += 1
        score.off(complaint)
        return score.done()
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
