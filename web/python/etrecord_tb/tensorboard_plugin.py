# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard "ExecuTorch" of TensorBoard: hands out the files of web/ and the document that etrecord-tb put into each record's first event file."""

from __future__ import annotations

import contextlib
import json
import pathlib
from typing import Any

from tensorboard import plugin_util
from tensorboard.backend import http_util
from tensorboard.data import provider
from tensorboard.plugins import base_plugin
from werkzeug import wrappers

from . import _library

PLUGIN = TAG = "etrecord"
HEAD = "etrecord_head"  # the tag of the few figures of a record that stand in a list of all
WEB = pathlib.Path(__file__).parent / "web"
TYPES = {".js": "text/javascript", ".css": "text/css"}


class ETRecordPlugin(base_plugin.TBPlugin):
    plugin_name = PLUGIN

    def __init__(self, context: Any) -> None:
        self._data = context.data_provider

    def get_plugin_apps(self) -> dict[str, Any]:
        # Each file has a route of its own: no part of a request ever becomes a path.
        files = {f"/{path.name}": self._file(path) for path in sorted(WEB.iterdir()) if path.suffix in TYPES}
        return {**files, "/runs": self._runs, "/fleet": self._fleet, "/profile": self._profile, "/base": self._base, "/compare": self._compare}

    def is_active(self) -> bool:
        return False  # TensorBoard activates the tab of a plugin whose name stands in the data

    def frontend_metadata(self) -> Any:
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name="ExecuTorch")

    def _file(self, path: pathlib.Path) -> Any:
        @wrappers.Request.application
        def serve(request: Any) -> Any:
            return http_util.Respond(request, path.read_bytes(), TYPES[path.suffix])

        return serve

    def _listed(self, request: Any, runs: list[str] | None = None) -> dict[str, Any]:
        """What there is in runs, or in all."""
        listed: dict[str, Any] = self._data.list_blob_sequences(
            plugin_util.context(request.environ), experiment_id=plugin_util.experiment_id(request.environ), plugin_name=PLUGIN,
            run_tag_filter=provider.RunTagFilter(runs=runs),
        )
        return listed

    def _listed_so_far(self, request: Any) -> dict[str, Any]:
        """The same without the runs that TensorBoard is just loading: its Python loader lists a tag before what is in it, and has no answer in between."""
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
        """The runs that have a document, and when each was written, in seconds."""
        return {run: tags[TAG].max_wall_time for run, tags in self._listed_so_far(request).items() if TAG in tags}

    @wrappers.Request.application
    def _runs(self, request: Any) -> Any:
        runs = [{"run": run, "written": written} for run, written in sorted(self._written(request).items())]
        return http_util.Respond(request, runs, "application/json")

    def _document(self, request: Any, run: str, tag: str = TAG) -> bytes | None:
        """What etrecord-tb put into the run under the tag; None if it put nothing there, or TensorBoard is just loading it."""
        ctx = plugin_util.context(request.environ)
        try:
            found = self._data.read_blob_sequences(
                ctx,
                experiment_id=plugin_util.experiment_id(request.environ),
                plugin_name=PLUGIN,
                downsample=1,
                run_tag_filter=provider.RunTagFilter(runs=[run], tags=[tag]),
            )
        except KeyError:  # as in _listed_so_far()
            return None
        series = found.get(run, {}).get(tag, [])
        return self._data.read_blob(ctx, blob_key=series[-1].values[0].blob_key) if series and series[-1].values else None

    @wrappers.Request.application
    def _fleet(self, request: Any) -> Any:
        """All records with the head of each; null if an earlier version wrote the record."""
        rows = [{"run": run, "written": written, "head": _parsed(self._document(request, run, HEAD))} for run, written in sorted(self._written(request).items())]
        return http_util.Respond(request, rows, "application/json")

    @wrappers.Request.application
    def _profile(self, request: Any) -> Any:
        document = self._document(request, request.args.get("run", ""))
        if document is None:
            return http_util.Respond(request, "there is no profile in this run", "text/plain", code=404)
        return http_util.Respond(request, document, "application/json")

    @wrappers.Request.application
    def _base(self, request: Any) -> Any:
        """The run to compare another with, unless a user says otherwise: base?new=RUN. The newest of the same model; null if there is none."""
        new_run = request.args.get("new", "")
        newer = self._document(request, new_run)
        written = self._written(request)
        others = sorted(written.keys() - {new_run}, key=lambda run: (-written[run], run))
        found = None if newer is None else next((run for run in others if _are_alike(self._document(request, run), newer)), None)
        return http_util.Respond(request, {"run": found}, "application/json")

    @wrappers.Request.application
    def _compare(self, request: Any) -> Any:
        """What the library says of two runs: compare?base=RUN&new=RUN."""
        base_run, new_run = request.args.get("base", ""), request.args.get("new", "")
        base, newer = self._document(request, base_run), self._document(request, new_run)
        if base is None or newer is None:
            return http_util.Respond(request, f"there is no profile in the run {base_run if base is None else new_run!r}", "text/plain", code=404)
        try:
            return http_util.Respond(request, _library.diff_documents(base, newer, base_run, new_run), "application/json")
        except _library.EtrecordError as error:
            return http_util.Respond(request, str(error), "text/plain", code=422)


def _parsed(head: bytes | None) -> Any:
    """None, too, of what is no JSON: one broken file does not hide all other records."""
    try:
        return json.loads(head or b"null")
    except ValueError:
        return None


def _are_alike(base: bytes | None, newer: bytes) -> bool:
    """Whether the library can compare two documents, and takes a method that was timed in both for the same."""
    try:
        said = json.loads(_library.diff_documents(base or b"", newer, "base", "new"))
    except _library.EtrecordError:
        return False
    return any(pair["execute"]["base_runs"] and pair["execute"]["new_runs"] and not pair["may_differ"] for pair in said["methods"])
