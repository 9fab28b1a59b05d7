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

RECORDED = [FIXTURES / "add_mul_debug", FIXTURES / "debug_xnnpack"]
INSPECTED = [path.parent for path in FIXTURES.glob("*/truth_gap.json")]


def command(*arguments):
    done = subprocess.run([os.environ["ETRECORD_TB"], *arguments, "--format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)


def tensors(flatc, fixture, buffer):
    """(run, instruction, place) -> numbers. Instruction -1: what the run returned."""
    found = {}
    for index, run in enumerate(flatc(fixture / "etdump.etdp")):
        places = {}
        for event in run.get("events", []):
            debug = event.get("debug_event", {})
            entry = debug.get("debug_entry", {})
            instruction = -1 if "output" in entry else debug.get("instruction_id", -1)
            for tensor in [entry[key] for key in ("tensor",) if key in entry] + entry.get("tensor_list", {}).get("tensors", []):
                place = places[instruction] = places.get(instruction, -1) + 1
                numbers = numpy.frombuffer(buffer, "<f4", math.prod(tensor["sizes"]), tensor.get("offset", 0))
                found[index, instruction, place] = numbers.astype(float)
    return found


@pytest.mark.parametrize("fixture", RECORDED, ids=lambda path: path.name)
def test_against_numpy(flatc, tmp_path, fixture):
    shutil.copytree(fixture, tmp_path / "new")
    data = bytearray((fixture / "debug_buffer.bin").read_bytes())
    numbers = numpy.frombuffer(data, "<f4")
    noise = numpy.random.default_rng(0).normal(0, 1e-3, numbers.size).astype("<f4")
    (tmp_path / "new" / "debug_buffer.bin").write_bytes((numbers + noise).astype("<f4").tobytes())
    gaps = command("diff", fixture, tmp_path / "new")["methods"][0]["numeric_gap"]
    base, newer = (tensors(flatc, fixture, (folder / "debug_buffer.bin").read_bytes()) for folder in (fixture, tmp_path / "new"))
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


def of_the_inspector(fixture):
    """Its rows, each with the node that it compares with the eager model, by that node's handle."""
    nodes = next(graph for graph in command("nodes", fixture)["graphs"] if graph["module"] == "edge")["nodes"]
    by_handle = {node["debug_handle"]: node for node in nodes if node["kind"] == "op" and node["debug_handle"]}
    return [(by_handle[row["handle"]], row) for row in json.loads((fixture / "truth_gap.json").read_text())["numeric_gap"]]


@pytest.mark.parametrize("fixture", INSPECTED, ids=lambda path: path.name)
def test_values_are_of_the_inspectors_nodes(fixture):
    """Every value that the Inspector compares is on its node, what delegates return among them."""
    blocks = command("events", fixture)["blocks"]
    logged = [value for block in blocks for event in block["events"] for value in event["values"] if event["event_name"] != "OPERATOR_CALL"]
    rows = of_the_inspector(fixture)
    assert any(len(row["handles"]) > 1 for _, row in rows) and any(row["runtime_ops"] == ["DELEGATE_CALL"] for _, row in rows)
    for node, row in rows:
        values = [value for value in logged if value["node"] == node["name"]]
        assert values and {value["role"] for value in values} == {"result"} and {value["output"] for value in values} == {0}
        for value in values:
            assert value["shape"] == row["runtime"][0]["shape"] == node["outputs"][0]["shape"]
            assert value["mean"] * value["elements"] == pytest.approx(row["runtime"][0]["sum"], rel=1e-12)


def test_gap_between_two_lowerings():
    """Against the same model without delegates: each of the Inspector's rows, as its node or, where the other lowering has no such node, as a result."""
    base, newer = FIXTURES / "debug_portable", FIXTURES / "debug_xnnpack"
    method = command("diff", base, newer)["methods"][0]
    by_node = {gap["new_node"]: gap for gap in method["numeric_gap"]}
    outputs = [value for block in command("events", newer)["blocks"] for value in block["run_outputs"]]
    returned = {value["node"] for value in outputs}
    missing = [node["name"] for node, _ in of_the_inspector(newer) if node["name"] not in by_node]
    assert not missing and returned  # a linear layer and the addmm that the other lowering makes of it are one node
    for node, row in of_the_inspector(newer):
        gap = by_node.get(node["name"])
        assert gap is None or (gap["problem"] is None and gap["output"] == 0 and (gap["snr_db"] is None or gap["snr_db"] > 100) and gap["mse"] < 1e-10)


def test_values_of_a_list():
    """A split returns a list: each tensor of it is one of the node's outputs, in order."""
    blocks = command("events", FIXTURES / "debug_xnnpack")["blocks"]
    split = next(event for block in blocks for event in block["events"] if event["event_name"].startswith("native_call_split"))
    assert [(value["output"], value["shape"][2]) for value in split["values"] if value["run"] == 1] == [(0, 3), (1, 1)]
