# SPDX-License-Identifier: BSD-3-Clause
"""What the runs returned against the record's reference outputs, computed again with numpy from the same files."""

import json
import math
import os
import pickle
import subprocess
import zipfile

import numpy
import pytest

import torch_archive
from conftest import FIXTURES

RECORD = FIXTURES / "bundled_update" / "etrecord.bin"
ENTRY = "reference_outputs"


def summary(record, debug_buffer=True):
    dump = FIXTURES / "bundled_update" / "etdump.etdp"
    buffer = ["--debug-buffer", FIXTURES / "bundled_update" / "debug_buffer.bin"] if debug_buffer else []
    done = subprocess.run([os.environ["ETRECORD_TB"], "summary", "--etrecord", record, "--etdump", dump, *buffer, "--format", "json"], capture_output=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["methods"][0]["output_gaps"], done.stderr.decode()


def run_outputs(flatc, folder=FIXTURES / "bundled_update"):
    """Of each run that returned something: its tensors."""
    buffer = (folder / "debug_buffer.bin").read_bytes()
    runs = {}
    for index, run in enumerate(flatc(folder / "etdump.etdp")):
        for event in run.get("events", []):
            entry = event.get("debug_event", {}).get("debug_entry", {})
            if entry.get("output", {}).get("bool_val"):
                sizes, offset = entry["tensor"]["sizes"], entry["tensor"]["offset"]
                runs.setdefault(index, []).append(numpy.frombuffer(buffer, "<f4", math.prod(sizes), offset).reshape(sizes))
    return runs


def gap(reference, actual):
    """MSE, L1, largest error and SNR, as devtools/inspector/numerical_comparator has them."""
    a, b = numpy.asarray(reference, float), numpy.asarray(actual, float)
    mse = ((a - b) ** 2).mean()
    return mse, abs(a - b).sum(), abs(a - b).max(), 10 * math.log10((a**2).mean() / mse) if mse else None


def with_entry(tmp_path, data):
    """The record with another reference_outputs."""
    path = tmp_path / "etrecord.bin"
    with zipfile.ZipFile(RECORD) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, data if name == ENTRY else old.read(name))
    return path


def check(ours, references, actuals):
    assert [ours[key] for key in ("mse", "l1", "max_abs_error")] == pytest.approx(gap(references, actuals)[:3], rel=1e-12, abs=1e-300)
    snr = gap(references, actuals)[3]
    assert ours["snr_db"] == (None if snr is None else pytest.approx(snr, rel=1e-12))
    assert ours["problem"] is None and ours["elements"] == numpy.size(references) and ours["left_out"] == 0


def test_a_real_record(flatc):
    sets = torch_archive.load(zipfile.ZipFile(RECORD).read(ENTRY))["forward"]
    gaps, _ = summary(RECORD)
    runs = run_outputs(flatc)
    assert [(each["run"], each["output"]) for each in gaps] == [(run, output) for run in runs for output in range(len(sets[0]))]
    for each in gaps:
        check(each, sets[0][each["output"]], runs[each["run"]][each["output"]])


def test_a_record_of_1_2(flatc):
    """Pickle wrote its reference outputs. Each run of a method returned one tensor; the first two runs are of `forward`."""
    folder = FIXTURES / "old_1_2_0_two_methods"
    files = ["--etrecord", folder / "etrecord.bin", "--etdump", folder / "etdump.etdp", "--debug-buffer", folder / "debug_buffer.bin", "--pte", folder / "model.pte"]
    done = subprocess.run([os.environ["ETRECORD_TB"], "summary", *files, "--format", "json"], capture_output=True)
    assert done.returncode == 0 and not done.stderr
    gaps = {method["method"]: method["output_gaps"] for method in json.loads(done.stdout)["methods"]}
    references = torch_archive.load(zipfile.ZipFile(folder / "etrecord.bin").read(ENTRY))
    runs = run_outputs(flatc, folder)
    assert [each["run"] for name in ("forward", "decode") for each in gaps[name]] == list(runs)
    for name, sets in references.items():
        for each in gaps[name]:
            check(each, sets[0][0], runs[each["run"]][0])


def test_as_many_sets_as_runs(flatc, tmp_path):
    """In order; of other types, and in another memory order."""
    runs = run_outputs(flatc)
    sets = [[(outputs[0] + i).astype("<f8").copy(order="F"), outputs[1].astype("<f2")] for i, outputs in enumerate(runs.values())]
    gaps, said = summary(with_entry(tmp_path, torch_archive.save({"forward": sets})))
    assert [each["set"] for each in gaps] == [0, 0, 1, 1, 2, 2] and not said
    for each in gaps:
        check(each, sets[each["set"]][each["output"]], runs[each["run"]][each["output"]])


def test_scalars_lists_and_fewer_outputs(flatc, tmp_path):
    outputs = next(iter(run_outputs(flatc).values()))
    gaps, _ = summary(with_entry(tmp_path, torch_archive.save({"forward": [[[outputs[0]], 3.5, outputs[1], outputs[1]]]})))
    assert [each["problem"] for each in gaps[:3]] == [None, "one is a tensor, the other is not", "the run logged fewer outputs than the reference has"]
    gaps, _ = summary(with_entry(tmp_path, torch_archive.save({"forward": [[outputs[0][:1], outputs[1]]]})))
    assert [each["problem"] for each in gaps[:2]] == ["the shapes differ", None]


@pytest.mark.parametrize(
    "data, said",
    [
        (torch_archive.save({"forward": [[], []]}), "2 sets of reference outputs, but 3 runs"),
        (torch_archive.save([1, 2]), "not a map from methods to sets of outputs"),
        (torch_archive.save({"forward": [[{1, 2}]]}), "its pickle cannot be read: it imports __builtin__.set"),
        (pickle.dumps({"forward": [[{1, 2}]]}, 2), "its pickle cannot be read: it imports __builtin__.set"),
        (pickle.dumps({"forward": [[1, 2]]})[:-3], "its pickle cannot be read: it ends in the middle"),
        (b"", "it is empty"),
        (b"no zip at all", "not a zip file"),
        (torch_archive.save({"forward": [[numpy.zeros(9, "<f4")]]})[:-30], "cut short"),
    ],
)
def test_what_is_not_compared(tmp_path, data, said):
    gaps, warnings = summary(with_entry(tmp_path, data))
    assert not gaps and said in warnings and ENTRY in warnings


def test_without_a_debug_buffer(tmp_path):
    gaps, _ = summary(RECORD, debug_buffer=False)
    assert {each["problem"] for each in gaps} == {"there is no debug buffer"}
