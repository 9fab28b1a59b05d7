# SPDX-License-Identifier: BSD-3-Clause
"""TensorBoard's own Python loaders read every event file to its end: framing, both checksums, every message."""

import os
import struct

import pytest

from conftest import RECORDS, fixture_name, missing

try:
    from tensorboard.backend.event_processing import event_accumulator, event_file_loader
    from tensorboard.compat.proto import event_pb2
except ImportError:
    event_accumulator = event_file_loader = None


@pytest.fixture(autouse=True)
def tensorboard_package():
    if event_file_loader is None:
        missing("the Python package tensorboard")


def event_file(run):
    names = os.listdir(run.folder)
    assert len(names) == 1 and "tfevents" in names[0], f"{run.folder} holds {names}"
    return os.path.join(run.folder, names[0])


def record_count(path):
    """Records by their lengths alone; the last must end where the file does."""
    with open(path, "rb") as file:
        data = file.read()
    count = at = 0
    while at < len(data):
        at += 16 + struct.unpack_from("<Q", data, at)[0]
        count += 1
    assert at == len(data), "the last record is cut"
    return count


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_loader_reads_every_record(logdir, record):
    for run in logdir.runs[record]:
        path = event_file(run)
        records = list(event_file_loader.RawEventFileLoader(path).Load())  # stops without an error at a wrong checksum
        assert len(records) == record_count(path), f"{run.name}: reading stopped early"
        assert event_pb2.Event.FromString(records[0]).file_version == "brain.Event:2"


@pytest.mark.parametrize("record", RECORDS, ids=fixture_name)
def test_accumulator_has_graph_times_and_curves(command, logdir, record):
    runs_of = {method["method"]: method["runs"] for method in command.json("info", record, "ms")["methods"]}
    for run in logdir.runs[record]:
        accumulator = event_accumulator.EventAccumulator(run.folder, size_guidance={event_accumulator.TENSORS: 0}).Reload()
        assert len(accumulator.Graph().node) == len(run.graph["nodes"]), run.name
        tags = accumulator.Tags()
        assert len(tags["run_metadata"]) == (6 if run.is_timed() else 0), run.name
        for tag in tags["run_metadata"]:
            timed = sum(len(device.node_stats) for device in accumulator.RunMetadata(tag).step_stats.dev_stats)
            assert timed == sum(node["avg"] is not None for node in run.graph["nodes"]), f"{run.name} {tag}"
        for tag in tags["scalars"]:
            if tag.startswith("1_inference_ms/measured"):
                method = tag.partition("measured/")[2] or next(name for name, runs in runs_of.items() if runs)
                assert len(accumulator.Scalars(tag)) == runs_of[method], f"{run.name} {tag}"
