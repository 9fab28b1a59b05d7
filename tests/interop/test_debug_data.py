# SPDX-License-Identifier: BSD-3-Clause
"""What the runs logged: `events --format json` against ExecuTorch's Inspector (truth.json), and against the bytes that the ETDump points to (flatc, numpy)."""

import gzip
import json
import math
import os
import subprocess

import numpy
import pytest

from conftest import FIXTURES

WITH_BUFFER = sorted(path.parent.name for path in FIXTURES.glob("*/debug_buffer.bin"))
TRUTHS = ("truth_gap.json", "truth.json", "truth.json.gz")
WITH_TRUTH = [fixture for fixture in WITH_BUFFER if any((FIXTURES / fixture / name).exists() for name in TRUTHS)]


def events(fixture):
    done = subprocess.run([os.environ["ETRECORD_TB"], "events", FIXTURES / fixture, "--format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)["blocks"]


def truth(fixture):
    path = next(path for path in (FIXTURES / fixture / name for name in TRUTHS) if path.exists())
    text = gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()
    return json.loads(text)["inspector_debug_buffer"]["blocks"]


def of_first_run(values):
    return [value for value in values if value["run"] == values[0]["run"]]


@pytest.mark.parametrize("fixture", WITH_TRUTH)
def test_as_the_inspector_reads_it(fixture):
    """The Inspector keeps the values of one run; the truth the first eight of each event."""
    compared = 0
    for ours, theirs in zip(events(fixture), truth(fixture), strict=True):
        for event, expected in zip(ours["events"], theirs["events"], strict=True):
            values = of_first_run(event["values"])[:8]
            assert len(values) == len(expected.get("debug_data", []))
            for value, data in zip(values, expected.get("debug_data", [])):
                assert (value["shape"], value["dtype"]) == (data["shape"], data["dtype"])
                assert value["mean"] * value["elements"] == pytest.approx(data["sum"], rel=1e-12, abs=1e-12)
                assert value["min"] <= min(data["first"]) and value["max"] >= max(data["first"])
                compared += 1
    assert compared


@pytest.mark.parametrize("fixture", WITH_BUFFER)
def test_as_the_bytes_are(fixture, flatc):
    """Each tensor in the order in which it was logged."""
    buffer = (FIXTURES / fixture / "debug_buffer.bin").read_bytes()
    logged = []
    for index, run in enumerate(flatc(FIXTURES / fixture / "etdump.etdp")):
        for event in run.get("events", []):
            entry = event.get("debug_event", {}).get("debug_entry", {})
            logged += [(index, tensor) for tensor in [entry[key] for key in ("tensor",) if key in entry] + entry.get("tensor_list", {}).get("tensors", [])]
    read = [value for block in events(fixture) for event in block["events"] for value in event["values"] if event["event_name"] != "OPERATOR_CALL"]
    read += [value for block in events(fixture) for value in block["run_outputs"]]
    key = lambda value: (value["run"], value["shape"], value["min"], value["max"], value["mean"])
    expected = []
    for run, tensor in logged:
        assert tensor["scalar_type"] == 6
        numbers = numpy.frombuffer(buffer, "<f4", math.prod(tensor["sizes"]), tensor.get("offset", 0)).astype(float)
        expected.append({"run": run, "shape": tensor["sizes"], "min": numbers.min(), "max": numbers.max(), "mean": math.fsum(numbers) / numbers.size})
    assert len(read) == len(expected)
    for ours, theirs in zip(sorted(read, key=key), sorted(expected, key=key)):
        assert (ours["run"], ours["shape"], ours["min"], ours["max"]) == (theirs["run"], theirs["shape"], theirs["min"], theirs["max"])
        assert ours["mean"] == pytest.approx(theirs["mean"], rel=1e-14, abs=1e-300)
