# SPDX-License-Identifier: BSD-3-Clause
"""Every key of `export --to model-explorer` is the id of a node that the viewer shows: model_explorer_ids.json has those of the pinned adapters."""

import json
import os
import pathlib
import subprocess

import pytest

FIXTURES = pathlib.Path(os.environ.get("FIXTURES", pathlib.Path(__file__).parent.parent / "fixtures")).resolve()
IDS = json.loads((pathlib.Path(__file__).parent / "model_explorer_ids.json").read_text())["records"]
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
