#!/usr/bin/env python3
"""Have the kernels of program/METHOD the arguments of the Edge nodes that they run: the same names, the same values?

program_arguments.py ETRECORD_TB FIXTURES...: a program has no names, so that those given to its arguments are held against the record's. Types are numbers
in a program, and what the runtime computes is left out; an argument that the Edge node does not have was given its default value. In XNNPACK's payloads
convolutions have arguments, always of two dimensions.
"""

import os

import common

NOT_OF_OUT_VARIANTS = {"pin_memory"}


def differ(value, wanted):
    """Words of types and layouts stand for numbers; null for what is computed."""
    if isinstance(wanted, str) or value is None:
        return False
    if isinstance(wanted, list) and isinstance(value, list):
        return len(value) != len(wanted) or any(differ(a, b) for a, b in zip(value, wanted))
    return value != wanted


def check_convolution(score, node, edge_nodes):
    """Is an argument of a convolution in a payload that of the one Edge convolution that it runs?"""
    convolutions = [other for other in edge_nodes if ".convolution." in other["target"]]
    if len(convolutions) != 1:
        return
    wanted = convolutions[0]["arguments"]
    for name, value in node["arguments"].items():
        score.total += 1
        if value != wanted[name] and (not isinstance(value, list) or value[:1] != wanted[name]):
            score.off(f"{node['name']}: {name} {value!r}, want {wanted[name]!r}")
    if not {"stride", "dilation", "groups"} <= node["arguments"].keys():
        score.off(f"{node['name']}: has {sorted(node['arguments'])}")


def check(binary, folder, truth):
    del truth
    score = common.Score(os.path.basename(folder))
    got, complaint = common.run(binary, "nodes", folder)
    if got is None:
        return score.fail(complaint)
    edge = {(graph["method"], node["name"], node["debug_handle"]): node for graph in got["graphs"] if graph["module"] == "edge" for node in graph["nodes"]}
    for graph in got["graphs"]:
        for node in graph["nodes"] if graph["module"] == "program" else ():
            if node["subgraph"] and "Conv" in node["target"]:
                check_convolution(score, node, [edge[key] for key in edge if key[0] == graph["method"] and key[1] in (node.get("edge_nodes") or ())])
            if node["subgraph"] or len(node.get("edge_nodes") or ()) != 1:
                continue
            other = edge.get((graph["method"], node["edge_nodes"][0], node["debug_handle"]))  # bodies may have nodes of one name
            if other is None or other["target"].split(".")[:2] != node["target"].split(".")[:2]:
                continue  # it runs as another operator
            for name in node["arguments"].keys() & other["arguments"].keys():
                score.total += 1
                if differ(node["arguments"][name], other["arguments"][name]):
                    score.off(f"{node['name']} {node['target']}: {name} {node['arguments'][name]!r}, want {other['arguments'][name]!r}")
            missing = {name for name, value in other["arguments"].items() if not isinstance(value, str)} - node["arguments"].keys() - NOT_OF_OUT_VARIANTS
            unnamed = [name for name in node["arguments"] if name.startswith("arg_")]
            if len(missing) > len(unnamed):  # others may be computed, or called otherwise
                score.off(f"{node['name']} {node['target']}: has {sorted(node['arguments'])}, want {sorted(missing)}")
    return score.done() if score.total else None


if __name__ == "__main__":
    common.main(check, "truth_flops.json")
