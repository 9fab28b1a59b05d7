# SPDX-License-Identifier: BSD-3-Clause
"""Every key of `export --to model-explorer` is the id of a node that the viewer shows: model_explorer_ids.json and model_explorer_pte_ids.json have those
of the pinned adapters.
"""

import json
import os
import pathlib
import subprocess

import jsonschema_rs
import pytest

FIXTURES = pathlib.Path(os.environ.get("FIXTURES", pathlib.Path(__file__).parent.parent / "fixtures")).resolve()
IDS = json.loads((pathlib.Path(__file__).parent / "model_explorer_ids.json").read_text())["records"]
PTE_IDS = {record: adapters["pte"] for record, adapters in json.loads((pathlib.Path(__file__).parent / "model_explorer_pte_ids.json").read_text())["records"].items()}
SCHEMA = jsonschema_rs.validator_for(json.loads((pathlib.Path(__file__).parents[2] / "schema/model_explorer.schema.json").read_text()))
PROGRAMS = [(record, graph) for record, graphs in PTE_IDS.items() for graph in graphs if "::" not in graph]
CASES = [(record, adapter, graph) for record, adapters in IDS.items() for adapter, graphs in adapters.items() for graph in graphs]


def run(*arguments):
    return subprocess.run([os.environ["ETRECORD_TB"], *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def entry_of(adapter, graph):
    """A record's module called aten is aten~2 beside the exported program, which the adapter for ETRecords does not show."""
    if adapter == "etrecord" and graph == "aten/forward":
        return "aten~2/forward"
    return graph if "/" in graph else f"edge/{graph}"


@pytest.mark.parametrize("record, adapter, graph", CASES)
@pytest.mark.parametrize("value", ["avg", "backend"])
def test_keys_are_ids(record, adapter, graph, value):
    done = run("export", FIXTURES / record, "--to", "model-explorer", "--adapter", adapter, "--entry", entry_of(adapter, graph), "--value", value)
    if done.returncode:
        assert "no node of" in done.stderr, done.stderr
        return
    keys = set(json.loads(done.stdout)["results"])
    assert keys and keys <= set(IDS[record][adapter][graph])


def test_times_are_there():
    """Each timed node at the top level of a graph has a key, so that the test above does not pass for want of keys."""
    nodes = json.loads(run("nodes", FIXTURES / "mv2_xnnpack", "--format", "json").stdout)["graphs"]
    timed = {node["name"] + "_" for graph in nodes if graph["module"] == "edge" for node in graph["nodes"] if node["avg"] is not None}
    assert timed == set(json.loads(run("export", FIXTURES / "mv2_xnnpack", "--to", "model-explorer").stdout)["results"])


def test_the_adapter_goes_with_the_graph():
    """Without --adapter: the exported program is no graph of the adapter for ETRecords, so its keys are those of its .pt2."""
    keys = set(json.loads(run("export", FIXTURES / "add_mul", "--to", "model-explorer", "--entry", "aten/forward").stdout)["results"])
    assert keys <= set(IDS["add_mul"]["pt2"]["aten/forward"])


@pytest.mark.parametrize("record, method", PROGRAMS)
@pytest.mark.parametrize("value", ["avg", "backend"])
def test_keys_of_a_program_are_ids(record, method, value):
    """Of a .pte alone, and of a .pte with an ETDump: instructions, and the operators of the delegates that the adapter opens."""
    files = [FIXTURES / record / name for name in ("model.pte", "etdump.etdp") if (FIXTURES / record / name).exists()]
    done = run("export", *files, "--to", "model-explorer", "--entry", f"program/{method}", "--value", value)
    if done.returncode:
        assert "no node of" in done.stderr or method == "get_dim", done.stderr  # get_dim computes nothing, so it has no graph
        return
    graphs = json.loads(done.stdout)
    SCHEMA.validate(graphs)
    assert graphs[method]["results"]
    for graph, data in graphs.items():
        assert set(data["results"]) <= set(PTE_IDS[record][graph]), graph


def test_times_of_a_program_are_there():
    """Each timed instruction and operator has a key; the time of a delegate's operators is part of the instruction that calls it."""
    folder = FIXTURES / "mv2_xnnpack"
    files = [folder / "model.pte", folder / "etdump.etdp"]
    nodes = next(graph for graph in json.loads(run("nodes", *files, "--format", "json").stdout)["graphs"] if graph["module"] == "program")["nodes"]
    graphs = json.loads(run("export", *files, "--to", "model-explorer").stdout)
    assert list(graphs) == ["forward", "model.pte::forward_0_0"]
    operators = [node for node in nodes if node["subgraph"] and node["kind"] == "op"]
    inside = {str(i): node["typical"] for i, node in enumerate(operators) if node["typical"] is not None}
    assert {key: found["value"] for key, found in graphs["model.pte::forward_0_0"]["results"].items()} == pytest.approx(inside)
    assert graphs["forward"]["results"]["forward_0_0"]["value"] == pytest.approx(sum(node["typical"] or 0 for node in nodes))


def test_an_adapter_shows_its_own_graphs():
    for entry, adapter in (("program/forward", "etrecord"), ("edge/forward", "pte")):
        done = run("export", FIXTURES / "add_mul", "--to", "model-explorer", "--entry", entry, "--adapter", adapter)
        assert done.returncode == 1 and f"this adapter does not show {entry}" in done.stderr
