# SPDX-License-Identifier: BSD-3-Clause
"""What the dashboards beside the graph are served equals what the command says about the record, over HTTP in both of TensorBoard's loaders."""

import html
import json
import re

import pytest

from conftest import BUILDS, DEVICES, RECORDS, SEVERAL, fixture_name

PARTS = ("operators", "operators_unplaced", "inserted", "delegate_phases", "opaque_delegates", "call_overhead", "runtime", "unexplained")
METRICS = {"typical_ms": "typical ms", "p90_ms": "p90 ms", "load_ms": "load ms", "peak_mb": "peak MB", "delegated_percent": "delegated %", "uninterrupted_ms": "uninterrupted ms"}
KEPT = 1000  # points of a curve that TensorBoard keeps


def near(value):
    return pytest.approx(value, rel=1e-5, abs=1e-6)  # curves are of 32-bit floats


def methods_of(command, record):
    """Those that ran."""
    return [m for m in command.json("summary", record, "ms")["methods"] if m["runs"] > 0]


def home_run(logdir, record):
    """The run that tells of a record: its first."""
    return logdir.runs[record][0]


def homes(logdir, command, record):
    methods = methods_of(command, record)
    return [(home_run(logdir, record), method) for method in methods if any(run.graph["method"] == method["method"] and run.is_timed() for run in logdir.runs[record])]


def suffix(command, record, method):
    """What tags end in where a record has several methods."""
    return f"/{method['method']}" if len(command.json("summary", record, "ms")["methods"]) > 1 else ""


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
        whole = curves.group("1_inference_ms")["measured"]
        assert average(whole) == near(method["execute"]["avg"])
        parts = curves.group("2_parts_ms")
        least = max(0.001, 0.01 * max(whole))  # a part that is always shorter has no curve
        said = {part: sum(row["avg"] for row in method["parts"] if row["part"] == part) for part in PARTS}
        for part in PARTS:
            assert average(parts.get(part, [0])) == pytest.approx(said[part], rel=1e-5, abs=1e-6 if part in parts else least), part
        assert [sum(values) for values in zip(*parts.values())] == [pytest.approx(value, rel=1e-5, abs=len(PARTS) * least) for value in whole]
        op_types = curves.group("3_op_type_ms")
        assert len(op_types) <= 11
        if "operators" in parts:
            assert [sum(values) for values in zip(*op_types.values())] == [near(value) for value in parts["operators"]]
        said = {row["op"]: row["avg"] for row in method["by_op"]}
        for op, values in op_types.items():
            if op != "other":
                assert average(values) == near(said[op]), op
        timeline = curves.group("5_timeline_ms").get("typical", [])
        if 0 < len(timeline) < KEPT:
            runtime = sum(row["typical"] for row in method["parts"] if row["part"] == "runtime")
            assert sum(timeline) == near(method["execute"]["typical"] - runtime)


def test_descriptions_are_the_same_everywhere(tensorboard):
    """A tag has one description, which says unit, step and command; TensorBoard would otherwise show one for each run."""
    known = {}
    for plugin in ("scalars", "histograms"):
        for tags in tensorboard.json(f"plugin/{plugin}/tags").values():
            for tag, about in tags.items():
                assert known.setdefault(tag, about["description"]) == about["description"] != "", tag
                assert all(word in about["description"] for word in ("Unit", "Step", "Also")), tag


def test_one_layout_for_all_records(tensorboard):
    """The layouts of all runs are merged: each chart is there once."""
    layout = tensorboard.json("plugin/custom_scalars/layout")
    charts = [chart["title"] for category in layout["category"] for chart in category["chart"]]
    assert [category["title"] for category in layout["category"]] == ["Inference", "Where the time goes", "Memory", "Timeline", "Builds"]
    assert len(charts) == len(set(charts)) == 9
    run = "mv2_xnnpack/1_edge/forward"
    for category in layout["category"][:2]:
        for chart in category["chart"]:
            for tag in chart["multiline"]["tag"]:
                assert tensorboard.json("plugin/custom_scalars/scalars", run=run, tag=tag)["tag_to_events"], tag


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
        tag = f"9_inference_spread_ms/measured{suffix(command, record, method)}"
        assert (tag in tags.get(run.name, {})) == (method["runs"] >= 20)
        if method["runs"] < 20:
            continue
        blocks = tensorboard.json("plugin/histograms/histograms", run=run.name, tag=tag)
        assert len(blocks) == min(20, method["runs"] // 10)
        counts = [sum(count for _, _, count in buckets) for _, _, buckets in blocks]
        assert sum(counts) == method["runs"] and min(counts) >= 10
        for _, _, buckets in blocks:
            assert buckets[0][2] and buckets[-1][2], "empty ends are taken for data"
        assert min(buckets[0][0] for _, _, buckets in blocks) == pytest.approx(method["execute"]["min"])
        assert max(buckets[-1][1] for _, _, buckets in blocks) == pytest.approx(method["execute"]["max"])


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
        methods = [method for _, method in told]
        main = next(method for method in methods if method["method"] == facts["method"]) if "method" in facts else methods[0]
        assert metrics["~metrics/typical_ms"] == near(main["execute"]["typical"]) and metrics["~metrics/p90_ms"] == near(main["execute"]["p90"])
        assert metrics["~metrics/uninterrupted_ms"] == near(main["answer"]["usual"])
        load = max((entry["avg"], entry["typical"]) for entry in command.json("summary", record, "ms")["load"])[1] if command.json("summary", record, "ms")["load"] else None
        assert metrics.get("~metrics/load_ms") == (None if load is None else near(load))
        assert facts["backend"] and facts["inputs"], fixture_name(record)
    assert rows["quantized_xnnpack/1_edge/forward"]["hparams"]["quantization"] == "int8"
    assert rows["mv2_xnnpack/1_edge/forward"]["hparams"] == {"backend": "XNNPACK", "quantization": "none", "inputs": "f32[1,3,96,96]"}


def test_hparams_have_titles(tensorboard):
    """Columns and metrics that are listed, in this order, and nothing else: without that, every curve would be a metric."""
    experiment = tensorboard.json("plugin/hparams/experiment", request=json.dumps({"hparamsLimit": 0}))
    assert {info["name"]["tag"]: info["displayName"] for info in experiment["metricInfos"]} == {f"~metrics/{tag}": title for tag, title in METRICS.items()}
    assert [info["displayName"] for info in experiment["metricInfos"]] == list(METRICS.values())
    assert {"backend", "inputs", "quantization"} <= {info["name"] for info in experiment["hparamInfos"]}


def cells(page):
    """Texts of the table cells of a page, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)] for row in rows]


def page_of(server, run, tag):
    (event,) = server.json("plugin/text/text", run=run, tag=tag)
    return event["text"]


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_text(tensorboard, command, logdir, record):
    """One short page: the record and its time, what to change, rows without empty ones, then how to color the graph."""
    tags = tensorboard.json("plugin/text/tags")
    told = homes(logdir, command, record)
    if not told:
        return
    run = told[0][0]
    assert list(tags[run.name]) == ["1_summary"]
    page = page_of(tensorboard, run.name, "1_summary")
    assert fixture_name(record).replace("/", "_") in re.search(r"<h2>(.*?)</h2>", page)[1]
    assert page.index("<table>") < page.index('href="#graphs"') and "profile/typical" in page
    rows = cells(page)
    assert len(rows) <= 16
    for row in rows[1:]:
        assert not re.fullmatch(r"0(\.0*)?", row[1]), row
    longest = max((method for _, method in told), key=lambda method: method["execute"]["avg"] * method["runs"])
    titles, texts = [finding["title"] for finding in longest["findings"]], html.unescape(re.sub(r"<[^>]*>", "", page))
    again = [finding["title"] for finding in longest["findings"] if finding["effort_text"] == "record again"]
    shown = titles[:3]
    if longest["answer"]["measure_again"] and not set(again) & set(shown):
        shown[2:] = [title for title in again if title in texts][:1] or again  # has a place among the three
    assert all(title in texts for title in shown), shown


def test_several_dumps_are_runs_of_their_own(tensorboard, command):
    (method,) = methods_of(command, SEVERAL)
    rows = sessions(tensorboard)
    for device in DEVICES:
        run = f"several/{device}"
        measured = Curves(tensorboard, run).group("1_inference_ms")["measured"]
        assert len(measured) == method["runs"]
        assert average(measured) == near(method["execute"]["avg"])
        assert (rows[run]["hparams"]["etdump"], rows[run]["hparams"]["threads"]) == (device, 4)
    graphs = [tensorboard.get("plugin/graphs/graph", run=f"several/{device}", conceptual="false") for device in DEVICES]
    assert graphs[0] == graphs[1] and len(graphs[0]) > 10000


def test_builds_are_points_of_curves(tensorboard, command):
    """All builds have a point, in whatever order they were written; those of a build add up to its time."""
    (method,) = methods_of(command, SEVERAL)
    tags = tensorboard.json("plugin/scalars/tags")["builds"]
    values = {}
    for tag in (tag for tag in tags if tag.startswith("0_builds_")):
        points = tensorboard.json("plugin/scalars/scalars", run="builds", tag=tag)
        assert [step for _, step, _ in points] == sorted(BUILDS), tag
        (values[tag],) = {value for _, _, value in points}
    assert values["0_builds_ms/typical"] == near(method["execute"]["typical"])
    assert sum(value for tag, value in values.items() if tag.startswith("0_builds_parts_ms/")) == near(method["execute"]["typical"])
    assert values["0_builds_bytes/pte"] == (SEVERAL / "model.pte").stat().st_size
    assert not any(tag.startswith(("1_", "2_", "3_", "5_")) for tag in tags), "a build has no curves over inferences"


def test_graphs_of_a_run(tensorboard, command):
    """The other graphs of a record are values of its run, each with its own nodes and the times of what runs in it."""
    for run in (f"several/{DEVICES[0]}", "builds"):
        shown = tensorboard.json("plugin/graphs/info")[run]
        assert shown["run_graph"] and {tag for tag, has in shown["tags"].items() if has["op_graph"]} == {"program/forward", "aten/forward"}
        for graph in command.json("nodes", SEVERAL, "ms")["graphs"][1:]:
            tag = f"{graph['module']}/{graph['method']}"
            text = tensorboard.get("plugin/graphs/graph", run=run, tag=tag, conceptual="false")
            assert sum(f"{node['name']}" in text for node in graph["nodes"] if node["kind"] == "op") == sum(node["kind"] == "op" for node in graph["nodes"])
