#!/usr/bin/env python3
"""Does `nodes` say of every operator what its program's document says: the arguments that are no tensors, in order?"""

import json
import math
import os
import zipfile

import common

OTHERS = {"as_tensor", "as_tensors", "as_optional_tensor", "as_optional_tensors", "as_nested_tensors", "as_custom_obj",
          "as_none", "as_graph"}
SCALAR_TYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
WORDS = {
    "as_scalar_type": {**dict(enumerate(SCALAR_TYPES, 1)), 12: "bool", 13: "bfloat16"},
    "as_memory_format": {1: "contiguous_format", 2: "channels_last", 3: "channels_last_3d", 4: "preserve_format"},
    "as_layout": {7: "strided"},
}


def symbol(value, expressions):
    """The expression of {as_name}, or the number of {as_int}."""
    return expressions[value["as_name"]] if value.get("as_name") else next(v for v in value.values() if v is not None)


def expected(member, value, expressions):
    if member in WORDS:
        return WORDS[member][value]
    if member == "as_device":
        return value["type"] if value.get("index") is None else f"{value['type']}:{value['index']}"
    if member.startswith("as_sym_"):
        return [symbol(v, expressions) for v in value] if isinstance(value, list) else symbol(value, expressions)
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    return value


def arguments_of(node, expressions):
    """{name: value} of one node of a document."""
    found = {}
    for given in node["inputs"]:
        member, value = next(((m, v) for m, v in given["arg"].items() if v is not None), ("as_none", True))
        lowered = member == "as_string" and node["target"].endswith("executorch_call_delegate")
        if given.get("name") and member not in OTHERS and not lowered:
            found.setdefault(given["name"], expected(member, value, expressions))
    return found


def expressions_of(graph):
    kinds = ("sym_int_values", "sym_float_values", "sym_bool_values")
    values = {name: value for kind in kinds for name, value in graph.get(kind, {}).items()}
    return {name: (value.get("as_expr") or {}).get("expr_str", value.get("as_int")) for name, value in values.items()}


def documents(folder):
    """{entry: graph} of the programs in the record."""
    with zipfile.ZipFile(os.path.join(folder, "etrecord.bin")) as record:
        for name in record.namelist():
            data = record.read(name)
            if data[:1] == b"{" and b'"graph_module"' in data:
                yield name, json.loads(data)["graph_module"]["graph"]


def short(arguments):
    """Those that are not cut, as pairs: the order counts."""
    return [(name, value) for name, value in arguments.items() if len(json.dumps(value)) <= 200]


def operators(graph):
    """Of the graph itself, not of those in it."""
    return [node for node in graph["nodes"] if node["kind"] == "op" and not node["subgraph"]]


def check(binary, folder, truth):
    score = common.Score(os.path.basename(folder))
    got, complaint = common.run(binary, "nodes", folder, "--unit", "ms")
    if got is None:
        return score.fail(complaint)
    ours = {graph["entry"]: operators(graph) for graph in got["graphs"]}
    for entry, graph in documents(folder):
        score.equal(len(ours.get(entry, [])), len(graph["nodes"]), f"{entry} nodes")
        for node, said in zip(graph["nodes"], ours.get(entry, [])):
            wanted = arguments_of(node, expressions_of(graph))
            score.equal(short(said["arguments"]), short(wanted), f"{entry} {said['name']}")
    return score.done()


if __name__ == "__main__":
    common.main(check)
