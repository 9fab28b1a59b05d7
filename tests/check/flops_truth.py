#!/usr/bin/env python3
"""Writes truth_flops.json beside a record: what torch's FlopCounterMode counts for each node of its programs.

flops_truth.py FOLDER...: needs torch and executorch. Each operator runs alone on the fake tensors that the record has of its inputs, so that
nothing is computed. Programs with symbolic sizes are left out: the counter would give expressions.
"""
import json
import os
import sys

import torch
from executorch.devtools import parse_etrecord
from executorch.exir.lowered_backend_module import LoweredBackendModule
from torch.fx.node import map_arg
from torch.utils.flop_counter import FlopCounterMode


def flops_of(node):
    """None: it cannot run alone."""
    args, kwargs = map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
    tensors = [n.meta["val"] for n in node.all_input_nodes if isinstance(n.meta.get("val"), torch.Tensor)]
    mode = tensors[0].fake_mode if tensors else torch._subclasses.FakeTensorMode()
    with mode, FlopCounterMode(display=False) as counter:
        node.target(*args, **kwargs)
    return counter.get_total_flops()


def is_symbolic(graph_module):
    sizes = (n.meta["val"].shape for n in graph_module.graph.nodes if isinstance(n.meta.get("val"), torch.Tensor))
    return any(not isinstance(size, int) for shape in sizes for size in shape)


def count(graph_module, path=""):
    """{node: FLOP} of those that have any, with bodies of cond and map, and lowered modules."""
    found = {}
    for node in graph_module.graph.nodes:
        nested = getattr(graph_module, str(node.target), None) if node.op == "get_attr" else None
        nested = nested.original_module.graph_module if isinstance(nested, LoweredBackendModule) else nested
        if isinstance(nested, torch.fx.GraphModule):
            found |= count(nested, f"{path}{node.target}/")
        if node.op != "call_function" or isinstance(node.target, torch._ops.HigherOrderOperator):
            continue
        if getattr(node.target, "namespace", "") == "export":  # takes a tensor out of a subclass of tensors, which fake tensors are not
            continue
        if flops := flops_of(node):
            found[path + node.name] = flops
    return found


def programs(record):
    if record.exported_program is not None:
        yield "aten/forward", record.exported_program
    edge = record.edge_dialect_program
    for method, program in (edge.items() if isinstance(edge, dict) else [("forward", edge)]):
        if program is not None:
            yield f"edge/{method}", program


def write(folder):
    truth = {}
    for name, program in programs(parse_etrecord(os.path.join(folder, "etrecord.bin"))):
        if not is_symbolic(program.graph_module):
            nodes = count(program.graph_module)
            truth[name] = {"total": sum(nodes.values()), "nodes": nodes}
    if truth:
        with open(os.path.join(folder, "truth_flops.json"), "w", encoding="utf-8") as out:
            json.dump(truth, out, indent=1, sort_keys=True)
            out.write("\n")
    print(folder, {name: t["total"] for name, t in truth.items()})


if __name__ == "__main__":
    for place in sys.argv[1:]:
        try:
            write(place)
        except Exception as problem:  # the next record may do
            print(place, "left out:", f"{type(problem).__name__}: {problem}"[:200])
