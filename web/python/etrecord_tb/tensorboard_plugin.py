# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard "ExecuTorch" of TensorBoard: hands out the files of web/ and the document that etrecord-tb put into each record's first event file."""

import pathlib

from tensorboard import plugin_util
from tensorboard.backend import http_util
from tensorboard.data import provider
from tensorboard.plugins import base_plugin
from werkzeug import wrappers

PLUGIN = TAG = "etrecord"
WEB = pathlib.Path(__file__).parent / "web"
TYPES = {".js": "text/javascript", ".css": "text/css"}


class ETRecordPlugin(base_plugin.TBPlugin):
    plugin_name = PLUGIN

    def __init__(self, context):
        self._data = context.data_provider

    def get_plugin_apps(self):
        # Each file has a route of its own: no part of a request ever becomes a path.
        files = {f"/{path.name}": self._file(path) for path in sorted(WEB.iterdir()) if path.suffix in TYPES}
        return {**files, "/runs": self._runs, "/profile": self._profile}

    def is_active(self):
        return False  # TensorBoard activates the tab of a plugin whose name stands in the data

    def frontend_metadata(self):
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name="ExecuTorch")

    def _file(self, path):
        @wrappers.Request.application
        def serve(request):
            return http_util.Respond(request, path.read_bytes(), TYPES[path.suffix])

        return serve

    @wrappers.Request.application
    def _runs(self, request):
        runs = self._data.list_blob_sequences(
            plugin_util.context(request.environ), experiment_id=plugin_util.experiment_id(request.environ), plugin_name=PLUGIN
        )
        return http_util.Respond(request, sorted(run for run, tags in runs.items() if TAG in tags), "application/json")

    @wrappers.Request.application
    def _profile(self, request):
        run, ctx = request.args.get("run", ""), plugin_util.context(request.environ)
        found = self._data.read_blob_sequences(
            ctx,
            experiment_id=plugin_util.experiment_id(request.environ),
            plugin_name=PLUGIN,
            downsample=1,
            run_tag_filter=provider.RunTagFilter(runs=[run], tags=[TAG]),
        )
        series = found.get(run, {}).get(TAG, [])
        if not series or not series[-1].values:
            return http_util.Respond(request, "there is no profile in this run", "text/plain", code=404)
        document = self._data.read_blob(ctx, blob_key=series[-1].values[0].blob_key)
        return http_util.Respond(request, document, "application/json")
