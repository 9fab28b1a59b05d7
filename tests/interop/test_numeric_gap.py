# SPDX-License-Identifier: BSD-3-Clause
"""The numeric gap of two recordings, computed again with numpy: one is the fixture, the other has a debug buffer with noise in it."""

import json
import math
import os
import shutil
import subprocess

import numpy
import pytest

from conftest import FIXTURES

FIXTURE = FIXTURES / "add_mul_debug"


def tensors(flatc, buffer):
    """(run, instruction, place) -> numbers. Instruction -1: what the run returned."""
    found = {}
    for index, run in enumerate(flatc(FIXTURE / "etdump.etdp")):
        places = {}
        for event in run.get("events", []):
            debug = event.get("debug_event", {})
            entry = debug.get("debug_entry", {})
            instruction = -1 if "output" in entry else debug.get("instruction_id", -1)
            for tensor in [entry[key] for key in ("tensor",) if key in entry] + entry.get("tensor_list", {}).get("tensors", []):
                place = places[instruction] = places.get(instruction, -1) + 1
                numbers = numpy.frombuffer(buffer, "<f4", math.prod(tensor["sizes"]), tensor["offset"])
                found[index, instruction, place] = numbers.astype(float)
    return found


def test_against_numpy(flatc, tmp_path):
    shutil.copytree(FIXTURE, tmp_path / "new")
    data = bytearray((FIXTURE / "debug_buffer.bin").read_bytes())
    numbers = numpy.frombuffer(data, "<f4")
    noise = numpy.random.default_rng(0).normal(0, 1e-3, numbers.size).astype("<f4")
    (tmp_path / "new" / "debug_buffer.bin").write_bytes((numbers + noise).astype("<f4").tobytes())
    done = subprocess.run([os.environ["ETRECORD_TB"], "diff", FIXTURE, tmp_path / "new", "--format", "json"], capture_output=True, check=True)
    gaps = json.loads(done.stdout)["methods"][0]["numeric_gap"]
    base, newer = (tensors(flatc, (folder / "debug_buffer.bin").read_bytes()) for folder in (FIXTURE, tmp_path / "new"))
    runs = sorted({run for run, _, _ in base})
    snr = lambda a, b: 10 * math.log10((a**2).mean() / ((a - b) ** 2).mean()) if (a**2).any() else -math.inf
    assert len(gaps) == len(base) // len(runs)
    for gap in gaps:
        key = (-1 if gap["instruction_id"] is None else gap["instruction_id"], gap["index"])
        pairs = {run: (base[run, *key], newer[run, *key]) for run in runs}
        worst = min(pairs, key=lambda run: snr(*pairs[run]))
        a, b = pairs[worst]
        assert gap["problem"] is None and gap["run_pairs"] == len(runs) and gap["new_run"] == gap["base_run"] == worst
        figures = [((a - b) ** 2).mean(), abs(a - b).sum(), abs(a - b).max(), snr(a, b)]
        assert [gap[name] for name in ("mse", "l1", "max_abs_error", "snr_db")] == [None if math.isinf(figure) else pytest.approx(figure, rel=1e-9) for figure in figures]
