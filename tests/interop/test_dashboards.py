# SPDX-License-Identifier: BSD-3-Clause
"""What the dashboards beside the graph are served equals what the command says about the record, over HTTP in both of TensorBoard's loaders."""

import html
import json
import re

import pytest

from conftest import DEVICES, RECORDS, SEVERAL, fixture_name

PARTS = ("nodes", "delegate_only", "framework", "unexplained")
KEPT = 1000  # points of a curve that TensorBoard keeps


def near(value):
    return pytest.approx(value, rel=1e-5, abs=1e-6)  # curves are of 32-bit floats


def methods_of(command, record):
    """Those that ran."""
    return [m for m in command.json("summary", record, "us")["methods"] if m["runs"] > 0]


def home_run(logdir, record):
    """The run that tells of a record: its first."""
    return logdir.runs[record][0]


def homes(logdir, command, record):
    methods = methods_of(command, record)
    return [(home_run(logdir, record), method) for method in methods if any(run.graph["method"] == method["method"] and run.is_timed() for run in logdir.runs[record])]


def suffix(command, record, method):
    """What tags end in where a record has several methods."""
    return f"/{method['method']}" if len(command.json("summary", record, "us")["methods"]) > 1 else ""


class Curves:
    """Those of a method."""

    def __init__(self, server, run, suffix=""):
        tags = [tag for tag in server.json("plugin/scalars/tags")[run] if tag.endswith(suffix)]
        self.suffix = suffix
        self.values = {tag: [value for _, _, value in server.json("plugin/scalars/scalars", run=run, tag=tag)] for tag in tags}

    def group(self, group):
        return {tag.partition("/")[2].removesuffix(self.suffix): values for tag, values in self.values.items() if tag.startswith(f"{group}/")}


def average(values):
    return sum(values) / len(values)


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_curves(tensorboard, command, logdir, record):
    for run, method in homes(logdir, command, record):
        curves = Curves(tensorboard, run.name, suffix(command, record, method))
        assert len(curves.values) <= 35
        for name in ("avg", "max", "min", "p50", "p90"):
            assert curves.group("benchmark_ms")[name] == [near(method["execute"][name] / 1e3)]
        parts = curves.group("parts_us")
        for part in PARTS:
            assert average(parts.get(part, [0])) == near(method[part]), part
        latency = Curves(tensorboard, run.name).group("latency_ms")[method["method"]]
        assert [sum(values) for values in zip(*parts.values())] == [near(1e3 * value) for value in latency]
        op_types = curves.group("op_type_us")
        assert [sum(values) for values in zip(*op_types.values())] == [near(value) for value in parts.get("nodes", [])]
        said = {row["op"]: row["avg"] for row in method["by_op"]}
        for op, values in op_types.items():
            if op != "other":
                assert average(values) == near(said[op]), op
        total = sum(curves.group("timeline_us").get("avg", []))
        if len(curves.group("timeline_us").get("avg", [])) < KEPT:
            assert total == near(method["execute"]["avg"] - method["framework"])


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_records_are_told_once(tensorboard, logdir, record):
    """One run tells of a record; the others have a graph and its times."""
    for plugin in ("scalars", "histograms", "text"):
        tags = tensorboard.json(f"plugin/{plugin}/tags")
        assert not [run.name for run in logdir.runs[record][1:] if tags.get(run.name)], plugin
    rows = sessions(tensorboard)
    assert not [run.name for run in logdir.runs[record][1:] if run.name in rows]


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_histograms(tensorboard, command, logdir, record):
    tags = tensorboard.json("plugin/histograms/tags")
    for run, method in homes(logdir, command, record):
        of_method = [tag for tag in tags.get(run.name, {}) if tag.endswith((f"iteration_us/{method['method']}", suffix(command, record, method)))]
        assert bool(of_method) == (method["runs"] >= 5)
        for tag in of_method:
            ((_, _, buckets),) = tensorboard.json("plugin/histograms/histograms", run=run.name, tag=tag)
            assert sum(count for _, _, count in buckets) == method["runs"], tag
            assert len(buckets) in (1, 30)
            if tag == f"iteration_us/{method['method']}":
                assert buckets[0][0] == pytest.approx(method["execute"]["min"])
                assert buckets[-1][1] == pytest.approx(method["execute"]["max"])


def sessions(server):
    request = {"allowedStatuses": ["STATUS_SUCCESS"], "colParams": [], "startIndex": 0, "sliceSize": 1000}
    groups = server.json("plugin/hparams/session_groups", request=json.dumps(request))["sessionGroups"]
    return {group["name"]: group for group in groups}


def test_hparams(tensorboard, command, logdir):
    rows = sessions(tensorboard)
    for record in RECORDS:
        told = homes(logdir, command, record)
        if not told:
            continue
        row = rows[home_run(logdir, record).name]
        facts, metrics = row["hparams"], {m["name"]["tag"]: m["value"] for m in row["metricValues"]}
        assert {method["method"] for _, method in told} <= set(facts["method"].split(", "))
        for _, method in told:
            for statistic in ("avg", "p50", "p90"):
                assert metrics[f"benchmark_ms/{statistic}{suffix(command, record, method)}"] == near(method["execute"][statistic] / 1e3)
        counted = [m for m in command.json("delegation", record, "us")["methods"] if m["method"] in facts["method"].split(", ")]
        delegated, nodes = sum(m["delegated_nodes"] for m in counted), sum(m["delegated_nodes"] + m["non_delegated_nodes"] for m in counted)
        if nodes:
            assert facts["delegated_share"] == pytest.approx(delegated / nodes)
    assert rows["quantized_xnnpack/1_edge/forward"]["hparams"]["quantized"] is True
    assert rows["mv2_xnnpack/1_edge/forward"]["hparams"] == {"method": "forward", "backends": "XnnpackBackend", "delegated_share": 1, "dtype": "float32",
                                                             "quantized": False}


def test_hparams_show_the_benchmark_first(tensorboard):
    """The page shows the first five metrics by itself."""
    request = {"hparamsLimit": 0}
    experiment = tensorboard.json("plugin/hparams/experiment", request=json.dumps(request))
    metrics = [info["name"]["tag"] for info in experiment["metricInfos"]]
    assert metrics[0] == "benchmark_ms/avg" and all(tag.startswith("benchmark_ms/") for tag in metrics[:5])


def cells(page):
    """Texts of the table cells of a page, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)] for row in rows]


def page_of(server, run, tag):
    (event,) = server.json("plugin/text/text", run=run, tag=tag)
    return event["text"]


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_text(tensorboard, command, logdir, record):
    tags = tensorboard.json("plugin/text/tags")
    for run, method in homes(logdir, command, record):
        name = method["method"]
        assert {f"text/1_summary/{name}", f"text/3_operators/{name}"} <= set(tags[run.name])
        rows = cells(page_of(tensorboard, run.name, f"text/1_summary/{name}"))
        total = next(row for row in rows if row[0] == "Method::execute")
        assert float(total[1]) == pytest.approx(method["execute"]["avg"] / 1e3, rel=0.006, abs=5e-5)  # milliseconds, three digits
        for tag in tags[run.name]:
            assert len(cells(page_of(tensorboard, run.name, tag))) <= 101, tag
        operators = cells(page_of(tensorboard, run.name, f"text/3_operators/{name}"))
        said = {node["name"] for of_method in logdir.runs[record] if of_method.graph["method"] == name for node in of_method.graph["nodes"]}
        assert len(operators) <= 51
        assert {row[operators[0].index("node")] for row in operators[1:]} <= said  # no table where no operator was timed


def test_several_dumps_are_runs_of_their_own(tensorboard, command):
    (method,) = methods_of(command, SEVERAL)
    rows = sessions(tensorboard)
    for device in DEVICES:
        run = f"several/{device}/1_edge/forward"
        latency = Curves(tensorboard, run).group("latency_ms")["forward"]
        assert len(latency) == method["runs"]
        assert average(latency) == near(method["execute"]["avg"] / 1e3)
        assert (rows[run]["hparams"]["etdump"], rows[run]["hparams"]["threads"]) == (device, 4)
    graphs = [tensorboard.get("plugin/graphs/graph", run=f"several/{device}/1_edge/forward", conceptual="false") for device in DEVICES]
    assert graphs[0] == graphs[1] and len(graphs[0]) > 10000
