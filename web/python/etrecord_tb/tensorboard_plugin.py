# SPDX-License-Identifier: BSD-3-Clause
"""TensorBoard's plugin "ExecuTorch": serves the page, which the library holds, and the document that etrecord-tb wrote into each record's first event file."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
from collections.abc import Iterable
from typing import Any

from tensorboard import plugin_util
from tensorboard.backend import http_util
from tensorboard.data import provider
from tensorboard.plugins import base_plugin
from werkzeug import wrappers

from . import _library

PLUGIN = TAG = "etrecord"
HEAD = "etrecord_head"  # the tag of the few figures of a record for the list of all records
LAST_SECOND = 253402300799  # of the year 9999: what a browser still shows as a date
READERS = 16  # TensorBoard's data server answers each read after some 40 ms, however many wait
MOST_RECORDS = 100  # side by side: more than a reader compares
LARGEST = 1e300  # a number that a browser reads as finite
PAGE = {"page.js": "text/javascript", "page.css": "text/css"}  # its files, with their types


class ETRecordPlugin(base_plugin.TBPlugin):
    plugin_name = PLUGIN

    def __init__(self, context: Any) -> None:
        self._data = context.data_provider

    def get_plugin_apps(self) -> dict[str, Any]:
        # Each file has its own route, so that no part of a request ever becomes a path.
        files = {f"/{name}": self._file(name) for name in PAGE}
        return {**files, "/runs": self._runs, "/fleet": self._fleet, "/profile": self._profile, "/base": self._base, "/compare": self._compare,
                "/records": self._records}

    def is_active(self) -> bool:
        return False  # TensorBoard activates the tab of a plugin whose name is in the data

    def frontend_metadata(self) -> Any:
        return base_plugin.FrontendMetadata(es_module_path="/page.js", tab_name="ExecuTorch")

    def _file(self, name: str) -> Any:
        @wrappers.Request.application
        def serve(request: Any) -> Any:
            return http_util.Respond(request, _library.page_file(name), PAGE[name], content_encoding="gzip")

        return serve

    def _listed(self, request: Any, runs: list[str] | None = None) -> dict[str, Any]:
        """Returns the tags in these runs, or in all runs."""
        listed: dict[str, Any] = self._data.list_blob_sequences(
            plugin_util.context(request.environ), experiment_id=plugin_util.experiment_id(request.environ), plugin_name=PLUGIN,
            run_tag_filter=provider.RunTagFilter(runs=runs),
        )
        return listed

    def _listed_so_far(self, request: Any) -> dict[str, Any]:
        """Returns the tags in all runs except those that TensorBoard is loading: its Python loader lists a tag before its data and raises KeyError in between."""
        try:
            return self._listed(request)
        except KeyError:
            runs = self._data.list_runs(plugin_util.context(request.environ), experiment_id=plugin_util.experiment_id(request.environ))
        found: dict[str, Any] = {}
        for run in runs:
            with contextlib.suppress(KeyError):
                found.update(self._listed(request, [run.run_name]))
        return found

    def _written(self, request: Any) -> dict[str, float]:
        """Returns the runs that have a document, with the time at which each was written, in seconds since 1970; 0 if a file says what is no date."""
        times = {run: tags[TAG].max_wall_time for run, tags in self._listed_so_far(request).items() if TAG in tags}
        return {run: time if 0 <= time <= LAST_SECOND else 0.0 for run, time in times.items()}

    @wrappers.Request.application
    def _runs(self, request: Any) -> Any:
        runs = [{"run": run, "written": written} for run, written in sorted(self._written(request).items())]
        return http_util.Respond(request, runs, "application/json")

    def _keys(self, request: Any, runs: list[str], tag: str) -> dict[str, str]:
        """Returns the keys of the data that etrecord-tb wrote into these runs under the tag, by run, without those that TensorBoard is still loading."""
        try:
            found = self._data.read_blob_sequences(
                plugin_util.context(request.environ),
                experiment_id=plugin_util.experiment_id(request.environ),
                plugin_name=PLUGIN,
                downsample=1,
                run_tag_filter=provider.RunTagFilter(runs=runs, tags=[tag]),
            )
        except KeyError:  # as in _listed_so_far()
            return {run: key for one in runs for run, key in self._keys(request, [one], tag).items()} if len(runs) > 1 else {}
        series = {run: tags.get(tag, []) for run, tags in found.items()}
        return {run: data[-1].values[0].blob_key for run, data in series.items() if data and data[-1].values}

    def _read(self, request: Any, key: str | None) -> bytes | None:
        if key is None:
            return None
        try:
            data = self._data.read_blob(plugin_util.context(request.environ), blob_key=key)
        except Exception:  # whatever TensorBoard raises for a tensor that another program wrote
            return None
        return data if isinstance(data, bytes) else None

    def _document(self, request: Any, run: str) -> bytes | None:
        """Returns the document of a run; None if there is none, or if TensorBoard is still loading it."""
        return self._read(request, self._keys(request, [run], TAG).get(run))

    def _heads(self, request: Any, runs: Iterable[str]) -> dict[str, Any]:
        """Returns the heads of runs, sorted by run; a head is None if it is broken or missing."""
        names = sorted(runs)
        keys = self._keys(request, names, HEAD) if names else {}
        with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
            return dict(zip(names, pool.map(lambda run: _head(self._read(request, keys.get(run))), names)))

    @wrappers.Request.application
    def _fleet(self, request: Any) -> Any:
        """Answers with all records and their heads; a head is null if it is broken or missing."""
        written = self._written(request)
        heads = self._heads(request, written)
        _name_models([method for head in heads.values() if head for method in head["methods"]])
        rows = [{"run": run, "written": written[run], "head": head} for run, head in heads.items()]
        return http_util.Respond(request, json.dumps(rows), "application/json")

    @wrappers.Request.application
    def _profile(self, request: Any) -> Any:
        document = self._document(request, request.args.get("run", ""))
        if document is None:
            return http_util.Respond(request, "there is no profile in this run", "text/plain", code=404)
        return http_util.Respond(request, document, "application/json")

    def _by_time(self, request: Any) -> list[str]:
        """Returns the runs that have a document, the oldest first: by when they were recorded, and where that is equal or unknown, by when they were written. Of one bench the base comes first."""
        written = self._written(request)
        recorded = {run: _recorded(head) or written[run] for run, head in self._heads(request, written).items()}
        return sorted(written, key=lambda run: (recorded[run], not run.endswith("/base"), written[run], run))

    @wrappers.Request.application
    def _base(self, request: Any) -> Any:
        """Answers base?new=RUN with the run to compare RUN with by default: the newest record of the same model that was recorded before it, or null."""
        new_run = request.args.get("new", "")
        newer = self._document(request, new_run)

        def fits(run: str) -> bool:
            base = self._document(request, run)
            return newer is not None and base is not None and _are_alike(base, newer) and not _are_of_one_record(run, base, new_run, newer)

        order = [] if newer is None else self._by_time(request)
        older = order[: order.index(new_run)] if new_run in order else []
        found = next(filter(fits, reversed(older)), None)
        return http_util.Respond(request, {"run": found}, "application/json")

    @wrappers.Request.application
    def _compare(self, request: Any) -> Any:
        """Answers compare?base=RUN&new=RUN with the library's comparison of the two runs."""
        base_run, new_run = request.args.get("base", ""), request.args.get("new", "")
        base, newer = self._document(request, base_run), self._document(request, new_run)
        if base is None or newer is None:
            return http_util.Respond(request, f"there is no profile in the run {base_run if base is None else new_run!r}", "text/plain", code=404)
        try:
            return http_util.Respond(request, _library.diff_documents(base, newer, base_run, new_run), "application/json")
        except _library.EtrecordError as error:
            return http_util.Respond(request, str(error), "text/plain", code=422)

    @wrappers.Request.application
    def _records(self, request: Any) -> Any:
        """Answers records?run=BASE&name=A&run=RUN&name=B&... with all of these runs side by side, and the comparison of the second with the first."""
        runs, names = (request.args.getlist(key)[:MOST_RECORDS] for key in ("run", "name"))
        keys = self._keys(request, list(dict.fromkeys(runs)), TAG)
        with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
            documents = list(pool.map(lambda run: self._read(request, keys.get(run)), runs))
        try:
            records, comparison = _library.compare_documents(list(zip(names, documents)))
        except _library.EtrecordError as error:
            return http_util.Respond(request, str(error), "text/plain", code=422)
        return http_util.Respond(request, b'{"records": %b, "comparison": %b}' % (records, comparison or b"null"), "application/json")


def _head(data: bytes | None) -> Any:
    """Returns a head that JSON can have. A broken one gives None, so that one file does not hide all other records."""
    try:
        head = json.loads(data or b"null")
        json.dumps(head, allow_nan=False)
        return head if _can_be_shown(head) else None
    except (ValueError, RecursionError):  # broken JSON, NaN, or too many nested lists
        return None


def _name_models(methods: list[dict[str, Any]]) -> None:
    """Names the models whose class is not recorded, as of quantized ones, after those with the same modules, if these have one name; else after those that have a few more."""
    named = {(method["model"], tuple(method.get("parts") or ())) for method in methods if method["model"]}
    for method in methods:
        if method["model"]:
            continue
        parts = tuple(method.get("parts") or ())
        found = {model for model, others in named if others == parts} or {model for model, others in named if _may_be_left_of(parts, others)}
        if len(found) == 1:
            method["model"] = found.pop()


def _may_be_left_of(parts: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Returns whether parts are others but for a few, as quantizing folds batch norms into convolutions."""
    following = iter(others)
    return len(others) <= 2 * len(parts) and all(part in following for part in parts)


def _can_be_shown(head: Any) -> bool:
    """Returns whether what web/fleet.js reads of a head has the types of schema/head.schema.json."""
    try:
        methods, hparams = head["methods"], head.get("hparams", {})
        texts = [*hparams.values(), *(method[key] or "" for method in methods for key in ("method", "model")), *(part for method in methods for part in method.get("parts") or ())]
        counts = [method[key] for method in methods for key in ("runs", "skipped_runs")]
        times = [time for method in methods for time in (*(method["execute"][key] for key in ("typical", "min", "max")), method["delegated_time_share"]) if time is not None]
    except (TypeError, KeyError, AttributeError):
        return False
    numbers = [head.get("ticks_per_second", 1), *counts, *times]
    return all(isinstance(text, str) for text in texts) and all(type(number) in (int, float) and abs(number) <= LARGEST for number in numbers)


def _recorded(head: Any) -> float | None:
    """Returns when a record was recorded, in seconds since 1970; None if its head does not say so."""
    time = head and head.get("recorded")
    return float(time) if type(time) in (int, float) and 0 < time <= LAST_SECOND else None


def _are_alike(base: bytes, newer: bytes) -> bool:
    """Returns whether the library can compare two documents and finds a method that was timed in both and is of the same model, as far as paired times tell."""
    try:
        comparison = json.loads(_library.diff_documents(base, newer, "base", "new"))
    except _library.EtrecordError:
        return False
    return any(pair["execute"]["base_runs"] and pair["execute"]["new_runs"] and pair["timed_paired"] and not pair["may_differ"] for pair in comparison["methods"])


def _are_of_one_record(base_run: str, base: bytes, new_run: str, newer: bytes) -> bool:
    """Returns whether two documents are of one record: the times of one are among those of the other, or both runs are ETDumps that were written into one folder."""
    documents = [json.loads(base), json.loads(newer)]
    old, now = ({time for method in document["methods"] for time in method["execute_per_run"]} for document in documents)
    (folder, _, _), (new_folder, _, _) = names = [run.rpartition("/") for run in (base_run, new_run)]
    are_dumps = all(any(f"/{name}." in path for path in document["inputs"]) for (_, _, name), document in zip(names, documents))
    return old <= now or now <= old or (folder == new_folder != "" and are_dumps)
