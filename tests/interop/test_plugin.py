# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard's routes while TensorBoard is loading: its Python loader lists a tag before what is in it, and then raises KeyError."""

import gzip
import json
import os
import pathlib
import sys
import threading
import types

import pytest

from conftest import missing

pytest.importorskip("tensorboard")
from werkzeug import test, wrappers  # noqa: E402


class Data:
    """A data provider of two runs, or of those that have the blobs {(run, tag): bytes}; `fails` is what a question about "loading" raises."""

    def __init__(self, fails, blobs=None):
        self.fails = fails
        self.blobs = blobs or {("loaded", "etrecord"): b"{}", ("loading", "etrecord"): b"{}"}
        self.runs = list(dict.fromkeys(run for run, _ in self.blobs))

    def list_runs(self, ctx=None, *, experiment_id):
        return [types.SimpleNamespace(run_name=name) for name in self.runs]

    def _ask(self, run_tag_filter, answer):
        wanted = run_tag_filter.runs if run_tag_filter and run_tag_filter.runs is not None else self.runs
        if "loading" in wanted and self.fails:
            raise self.fails
        tags = run_tag_filter.tags if run_tag_filter and run_tag_filter.tags is not None else ["etrecord", "etrecord_head"]
        return {run: {tag: answer(run, tag) for tag in tags if (run, tag) in self.blobs} for run in wanted}

    def list_blob_sequences(self, ctx=None, *, experiment_id, plugin_name, run_tag_filter=None):
        return self._ask(run_tag_filter, lambda run, tag: types.SimpleNamespace(max_wall_time=7.0))

    def read_blob_sequences(self, ctx=None, *, experiment_id, plugin_name, downsample=None, run_tag_filter=None):
        return self._ask(run_tag_filter, lambda run, tag: [types.SimpleNamespace(values=[types.SimpleNamespace(blob_key=(run, tag))])])

    def read_blob(self, ctx=None, *, blob_key):
        return self.blobs[blob_key]


@pytest.fixture(scope="module")
def dashboard():
    package = os.environ.get("PACKAGE") or missing("PACKAGE, the Python package,")
    sys.path.insert(0, package)
    from etrecord_tb import tensorboard_plugin

    yield tensorboard_plugin.ETRecordPlugin
    sys.path.remove(package)


def ask(dashboard, fails, route, blobs=None, **query):
    """The answer of a route: its status, and what it says."""
    app = dashboard(types.SimpleNamespace(data_provider=Data(fails, blobs))).get_plugin_apps()[route]
    answer = test.Client(app, wrappers.Response).get(route, query_string=query)
    return answer.status_code, answer.get_data(as_text=True)


@pytest.mark.parametrize("name, kind", [("page.js", "text/javascript"), ("page.css", "text/css")])
@pytest.mark.parametrize("accepted", ["", "gzip"])
def test_the_page_is_the_committed_one(dashboard, name, kind, accepted):
    """For a browser that unpacks it, and for one that does not."""
    app = dashboard(types.SimpleNamespace(data_provider=Data(None))).get_plugin_apps()[f"/{name}"]
    answer = test.Client(app, wrappers.Response).get(f"/{name}", headers={"Accept-Encoding": accepted})
    assert (answer.status_code, answer.mimetype, answer.headers.get("Content-Encoding", "")) == (200, kind, accepted)
    page = gzip.decompress(answer.data) if accepted else answer.data
    assert page == (pathlib.Path(__file__).parents[2] / "web" / name).read_bytes()


def test_no_other_file_is_served(dashboard):
    routes = dashboard(types.SimpleNamespace(data_provider=Data(None))).get_plugin_apps()
    assert sorted(routes) == ["/base", "/compare", "/fleet", "/page.css", "/page.js", "/profile", "/records", "/runs"]


def test_a_run_that_is_being_loaded_is_not_there_yet(dashboard):
    loading = KeyError("Key  was not found in Reservoir")
    status, said = ask(dashboard, loading, "/runs")
    assert (status, json.loads(said)) == (200, [{"run": "loaded", "written": 7.0}])
    assert ask(dashboard, loading, "/profile", run="loaded") == (200, "{}")
    assert ask(dashboard, loading, "/profile", run="loading")[0] == 404
    assert ask(dashboard, loading, "/compare", base="loaded", new="loading")[0] == 404
    assert ask(dashboard, loading, "/records", run=["loaded", "loading"], name=["a", "b"]) == (422, "none of these runs has a profile that can be read")
    assert [run["run"] for run in json.loads(ask(dashboard, None, "/runs")[1])] == ["loaded", "loading"]


def test_the_fleet_is_each_record_with_its_head(dashboard):
    """Without reading any whole document; a record without a head has none, and neither has one whose head is broken."""
    heads = {"a": b'{"methods": []}', "cut": b'{"methods": [', "loading": b"{}"}
    blobs = {(run, "etrecord_head"): head for run, head in heads.items()} | {(run, "etrecord"): None for run in ("a", "cut", "loading", "old")}
    status, said = ask(dashboard, KeyError("Key  was not found in Reservoir"), "/fleet", blobs)
    assert (status, json.loads(said)) == (200, [{"run": run, "written": 7.0, "head": {"methods": []} if run == "a" else None} for run in ("a", "cut", "old")])


def test_a_quantized_model_is_named_after_the_one_with_its_modules(dashboard):
    """Its class is not recorded, and its batch norms are gone. Of two models with such modules it could be either."""
    def models(parts={}, **recorded):
        method = {"method": "forward", "runs": 1, "skipped_runs": 0, "delegated_time_share": None, "execute": {"typical": 1, "min": 1, "max": 1}}
        blobs = {(run, "etrecord_head"): json.dumps({"methods": [{**method, "parts": parts.get(run, ["stem", "head"]), "model": model}]}).encode() for run, model in recorded.items()} | {(run, "etrecord"): None for run in recorded}
        return [row["head"]["methods"][0]["model"] for row in json.loads(ask(dashboard, None, "/fleet", blobs)[1])]

    assert models(float="m.Net", int8=None) == ["m.Net", "m.Net"]
    assert models(int8=None, other="m.Other", x="m.Net") == [None, "m.Other", "m.Net"]
    assert models(int8=None) == [None]
    norms = {"float": ["stem", "norm", "head"], "other": ["stem", "head", "tail"]}
    assert models(norms, float="m.Net", int8=None) == ["m.Net", "m.Net"]
    assert models(norms, float="m.Net", int8=None, other="m.Other") == ["m.Net", None, "m.Other"]
    assert models({**norms, "x": ["stem", "head"]}, float="m.Net", int8=None, x="m.Exact") == ["m.Net", "m.Exact", "m.Exact"]
    assert models({"float": ["head", "stem"]}, float="m.Net", int8=None) == ["m.Net", None]
    assert models({"float": ["a", "stem", "b", "head", "c"]}, float="m.Net", int8=None) == ["m.Net", None]


class Meeting(Data):
    """Answers a read only when as many wait as are made at once."""

    def __init__(self, blobs, meeting):
        super().__init__(None, blobs)
        self.meeting, self.asked = meeting, 0

    def read_blob_sequences(self, *arguments, **further):
        self.asked += 1
        return super().read_blob_sequences(*arguments, **further)

    def read_blob(self, ctx=None, *, blob_key):
        self.meeting.wait(timeout=60)
        return super().read_blob(ctx, blob_key=blob_key)


def test_the_fleet_is_read_sixteen_records_at_once(dashboard):
    """And asks once where they are: TensorBoard's data server takes its time for each answer."""
    blobs = {(f"run{index:02}", tag): b'{"methods": []}' for index in range(48) for tag in ("etrecord", "etrecord_head")}
    data = Meeting(blobs, threading.Barrier(16))
    app = dashboard(types.SimpleNamespace(data_provider=data)).get_plugin_apps()["/fleet"]
    rows = json.loads(test.Client(app, wrappers.Response).get("/fleet").get_data(as_text=True))
    assert rows == [{"run": f"run{index:02}", "written": 7.0, "head": {"methods": []}} for index in range(48)]
    assert data.asked == 1


@pytest.mark.parametrize("route, query", [("/runs", {}), ("/fleet", {}), ("/profile", {"run": "loading"}), ("/base", {"new": "loading"})])
def test_other_errors_are_not_hidden(dashboard, route, query):
    with pytest.raises(ValueError, match="broken"):
        ask(dashboard, ValueError("broken"), route, **query)


def test_the_base_is_the_newest_that_was_recorded_before(dashboard, monkeypatch):
    """As far as its head says when, else by when it was written. Of records of one second the one that was written later is the newer, and of one bench the base is the older."""
    from etrecord_tb import tensorboard_plugin

    monkeypatch.setattr(tensorboard_plugin, "_are_alike", lambda base, newer: base == newer)
    monkeypatch.setattr(tensorboard_plugin, "_are_of_one_record", lambda *_: False)
    recorded = {"c": 100, "b": 200, "a": 300, "other": 290, "unknown": None, "broken": "250", "nan": 0, "z": 300, "bench": 400, "bench/base": 400}
    written = {"c": 1000.5, "b": 1000.4, "a": 1000.3, "other": 1000.2, "unknown": 150.0, "broken": 250.0, "nan": 50.0, "z": 1000.0, "bench": 1001.0, "bench/base": 1001.1}
    monkeypatch.setattr(Data, "list_blob_sequences", lambda *_, **__: {run: {"etrecord": types.SimpleNamespace(max_wall_time=time)} for run, time in written.items()})
    blobs = {(run, "etrecord_head"): json.dumps({"methods": [], "recorded": time}).encode() for run, time in recorded.items()}
    blobs |= {(run, "etrecord"): b"other model" if run == "other" else b"model" for run in recorded}
    bases = {run: json.loads(ask(dashboard, None, "/base", blobs, new=run)[1])["run"] for run in [*recorded, "none"]}
    assert bases == {"nan": None, "c": "nan", "unknown": "c", "b": "unknown", "broken": "b", "z": "broken", "a": "z", "bench/base": "a", "bench": "bench/base", "other": None, "none": None}


@pytest.mark.parametrize(
    "base_run, new_run, base_times, new_times, is_one",
    [
        ("regnet/etdump-1", "regnet/etdump-3", [1, 2], [3], True),  # two ETDumps of one record
        ("regnet/etdump-1", "regnet_one", [1, 2], [1, 2, 3], True),  # the second has the first in it
        ("regnet/etdump-1", "other/etdump-1", [1, 2], [3], False),
        ("before", "after", [1, 2], [2, 3], False),  # files of the same names, a time that is equal by chance
    ],
)
def test_recordings_of_one_record_are_no_base(base_run, new_run, base_times, new_times, is_one):
    from etrecord_tb import tensorboard_plugin

    def document(run, times):
        return json.dumps({"inputs": ["r/etrecord.bin", f"r/{run.rpartition('/')[2]}.etdp"], "methods": [{"execute_per_run": times}]}).encode()

    assert tensorboard_plugin._are_of_one_record(base_run, document(base_run, base_times), new_run, document(new_run, new_times)) is is_one
