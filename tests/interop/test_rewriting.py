# SPDX-License-Identifier: BSD-3-Clause
"""A TensorBoard that is running shows what `write` replaced, without a restart, and nothing of what was there before: with its data server, with its
own loader, and with that over several files of a run."""

import importlib.util
import json
import struct
import time

import pytest

from conftest import EVERY, FIXTURES, missing
from tensorboard_server import POLL_SECONDS, TensorBoard

PATIENCE = 120
LOADERS = {"data_server": ["--load_fast", "auto"], "python_loader": ["--load_fast", "false"], "several_files": ["--load_fast", "false", "--reload_multifile", "true"]}

RUN = "n"
RECORD, OTHER = FIXTURES / "add_mul", FIXTURES / "quantized_xnnpack"


def wait_until(server, answer, expected):
    """Asks until the answer is what is expected."""
    deadline = time.monotonic() + PATIENCE
    got = None
    while time.monotonic() < deadline:
        try:
            got = answer()
        except OSError as refused:  # a run that is being loaded is not there yet
            got = refused
        if got == expected:
            return
        assert server.process.poll() is None, "TensorBoard ended"
        time.sleep(POLL_SECONDS)
    assert got == expected


class Rewritten:
    """A run folder that is written again and again."""

    def __init__(self, command, logdir):
        self.command, self.logdir = command, logdir

    def write(self, record, ticks):
        """Gives what there is to be seen then: the time of each inference, and the graph's nodes."""
        options = ("--ticks-per-second", ticks)
        self.command.run("write", record, "--logdir", self.logdir, "--name", "n", *options)
        info = json.loads(self.command.run("info", record, "--format", "json", "--unit", "ms", *options))
        graph = json.loads(self.command.run("nodes", record, "--format", "json"))["graphs"][0]
        times = [as_float32(run["execute"]) for run in info["runs"] if run["method"] == graph["method"] and run["execute"] > 0 and not run["skipped"]]
        return pytest.approx(times, rel=1e-6), sorted(node["name"] for node in graph["nodes"])


def as_float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def seen(server):
    points = server.json("plugin/scalars/scalars", run=RUN, tag="1_inference_ms/measured")
    return [value for _, _, value in points], sorted(node.fx_node for node in server.graph(RUN))


# The last is the one before with another option: for each change it is left out.
@pytest.mark.parametrize("loader", list(LOADERS)[: 2 if EVERY > 1 else 3])
def test_rewriting(command, tmp_path, loader):
    if importlib.util.find_spec("tensorboard") is None:
        missing("the Python package tensorboard")
    run = Rewritten(command, tmp_path / "runs")
    expected = run.write(RECORD, 1e9)
    with TensorBoard(run.logdir, *LOADERS[loader]) as server:
        wait_until(server, lambda: seen(server), expected)
        wait_until(server, lambda: seen(server), run.write(RECORD, 5e8))
        for ticks in (3e8, 4e8, 6e8):  # faster than it looks
            expected = run.write(RECORD, ticks)
        wait_until(server, lambda: seen(server), expected)
        wait_until(server, lambda: seen(server), run.write(OTHER, 1e9))
        assert RUN in server.json("plugin/graphs/info")
