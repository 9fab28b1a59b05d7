# SPDX-License-Identifier: BSD-3-Clause
"""What TensorBoard's server answers about the run folders equals what the command says about the record."""

import collections
import struct

import pytest

from conftest import RECORDS, Run, fixture_name

STATISTICS = {"profile/typical": "typical", "profile/avg": "avg", "profile/p50": "p50", "profile/p90": "p90", "profile/max": "max"}


def shown_micros(micros):
    """Whole microseconds, at least one: TensorBoard drops a time of 0."""
    return max(1.0, micros)


def expected_times(graph, statistic):
    """Times in microseconds of each node's name; names may repeat in nested graphs."""
    times = collections.defaultdict(list)
    for node in graph["nodes"]:
        if node[statistic] is not None:
            times[node["name"]].append(shown_micros(node[statistic]))
    return {name: sorted(list_) for name, list_ in times.items()}


def served_times(server, run, tag, fx_node):
    """fx_node: the name that a node has in its graph, by its name in TensorBoard."""
    times = collections.defaultdict(list)
    for device in server.run_metadata(run.name, tag)["step_stats"][0]["dev_stats"]:
        for stats in device.get("node_stats", []):
            times[fx_node[stats["node_name"][0]]].append(int(stats["all_end_rel_micros"][0]))
    return {name: sorted(list_) for name, list_ in times.items()}


def expected_edges(graph):
    """Uses of one node by another; a nested graph's names hide those around it."""
    producers = {(node["subgraph"], value["name"]): node["name"] for node in graph["nodes"] for value in node["outputs"]}
    edges = collections.Counter()
    for node in graph["nodes"]:
        for value in node["inputs"] + node.get("other_inputs", []):
            around = node["subgraph"]
            while around and (around, value) not in producers:
                around = around.rpartition("/")[0] or None
            edges[producers[around, value], node["name"]] += 1
    return edges


def test_every_run_is_there(tensorboard, logdir):
    assert set(tensorboard.json("plugin/graphs/info")) == logdir.names()


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_graph_has_every_node(tensorboard, logdir, record):
    for run in logdir.runs[record]:
        graph = tensorboard.graph(run.name)
        assert collections.Counter(node.fx_node for node in graph) == collections.Counter(node["name"] for node in run.graph["nodes"]), run.name
        assert len({node.name for node in graph}) == len(graph), f"{run.name}: a name stands twice"


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_graph_has_every_edge(tensorboard, logdir, record):
    for run in logdir.runs[record]:
        graph = tensorboard.graph(run.name)
        fx_node = {node.name: node.fx_node for node in graph}
        served = collections.Counter((fx_node[text.split(":")[0]], node.fx_node) for node in graph for text in node.inputs if not text.startswith("^"))
        assert served == expected_edges(run.graph), run.name


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_timed_runs_have_profile_tags(tensorboard, logdir, record):
    info = tensorboard.json("plugin/graphs/info")
    for run in logdir.runs[record]:
        tags = {tag for tag, what in info[run.name]["tags"].items() if what["profile"]}
        assert tags == ({*STATISTICS, "profile/timeline"} if run.is_timed() else set()), run.name


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_times_on_nodes(tensorboard, logdir, record):
    for run in filter(Run.is_timed, logdir.runs[record]):
        fx_node = {node.name: node.fx_node for node in tensorboard.graph(run.name)}
        for tag, statistic in STATISTICS.items():
            served, expected = served_times(tensorboard, run, tag, fx_node), expected_times(run.graph, statistic)
            assert served.keys() == expected.keys(), f"{run.name} {tag}"
            for name, times in expected.items():
                assert served[name] == pytest.approx(times, abs=1.501), f"{run.name} {tag} {name}"  # tensorboard_rules.py checks boxes


def as_float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_latency_has_a_step_for_each_run(tensorboard, command, logdir, record):
    info = command.json("info", record, "ms")
    tags = tensorboard.json("plugin/scalars/tags")
    for run in filter(Run.is_timed, logdir.runs[record]):
        method = run.graph["method"]
        inferences = [r for r in info["runs"] if r["method"] == method and r["execute"] > 0]
        assert sum(not r["skipped"] for r in inferences) == next(m["runs"] for m in info["methods"] if m["method"] == method)
        several = len(command.json("summary", record, "ms")["methods"]) > 1  # that compute anything
        suffix = f"/{method}" if several else ""
        for name, is_skipped in (("measured", False), ("warmup", True)):
            wanted = {step: as_float32(r["execute"]) for step, r in enumerate(inferences) if r["skipped"] == is_skipped}
            tag = f"1_inference_ms/{name}{suffix}"
            assert (tag in tags[logdir.runs[record][0].name]) == bool(wanted), tag
            if wanted:
                curve = tensorboard.json("plugin/scalars/scalars", run=logdir.runs[record][0].name, tag=tag)
                assert {step: value for _, step, value in curve} == pytest.approx(wanted, rel=1e-6)
