# SPDX-License-Identifier: BSD-3-Clause
"""etrecord_tb.inspector beside ExecuTorch's own: every attribute of every event of fixtures, tables, and the scripts that the wheel installs, which are read where they are installed.
run.py starts it with the Python that has ExecuTorch."""

import importlib
import io
import json
import logging
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy
from executorch.devtools import Inspector as Theirs

from etrecord_tb import inspector as ours

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
NAMES = ["add_mul", "add_mul_debug", "mv2_xnnpack", "b_neutron", "quantized_xnnpack", "bundled_update", "control_flow", "extra_modules", "dynamic_xnnpack"]
INSTALLED = pathlib.Path(list(importlib.import_module("executorch").__path__)[0])
# The scripts with their arguments; each is run in an empty folder, and with `output` leaves a file of that name.
SCRIPTS = [
    ("devtools/scripts/generate_profiling_csv.py", ["--etdump_path", "{dump}", "--output", "output"]),
    ("backends/arm/scripts/etdump_to_chrome_trace.py", ["--etdump_path", "{dump}", "--etrecord_path", "{record}", "--output", "output"]),
    ("devtools/inspector/inspector_cli.py", ["--etdump_path", "{dump}", "--etrecord_path", "{record}", "--tsv_path", "output"]),
    ("examples/nxp/analyzing_with_inspector.py", []),
]


def same(a, b):
    if a is None or b is None or isinstance(a, str):
        return a == b
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if hasattr(a, "detach"):
        return list(a.shape) == list(b.shape) and numpy.allclose(a.detach().numpy(), b, equal_nan=True)
    if isinstance(a, (int, float, numpy.floating)) and isinstance(b, (int, float, numpy.floating)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def files_of(name):
    folder = FIXTURES / name
    buffer = folder / "debug_buffer.bin"
    return {"etdump_path": str(folder / "etdump.etdp"), "etrecord": str(folder / "etrecord.bin"), "debug_buffer_path": str(buffer) if buffer.exists() else None}


def compare(name):
    theirs, mine = Theirs(**files_of(name)), ours.Inspector(**files_of(name))
    assert [(block.name, len(block.events)) for block in theirs.event_blocks] == [(block.name, len(block.events)) for block in mine.event_blocks], name
    for wanted, block in zip(theirs.event_blocks, mine.event_blocks):
        for key in ("bundled_input_index", "run_output", "reference_output"):
            assert same(getattr(wanted, key), getattr(block, key)), (name, key)
        for a, b in zip(wanted.events, block.events):
            for key in ("name", "op_types", "delegate_debug_identifier", "debug_handles", "num_outputs", "stack_traces", "module_hierarchy", "is_delegated_op", "delegate_backend_name",
                        "raw_delegate_debug_metadatas", "debug_data", "start_time"):
                assert same(getattr(a, key), getattr(b, key)), (name, a.name, key, getattr(a, key), getattr(b, key))
            for key in ("raw", "p10", "p50", "p90", "avg", "min", "max"):
                assert same(getattr(a.perf_data, key, None), getattr(b.perf_data, key, None)), (name, a.name, key)
    one, other = theirs.to_dataframe(), mine.to_dataframe()
    assert list(one.columns) == list(other.columns) and list(one.dtypes) == list(other.dtypes), name
    texts = [io.StringIO(), io.StringIO()]
    theirs.print_data_tabular(texts[0])
    mine.print_data_tabular(texts[1])
    assert numbers_apart(texts[0].getvalue()) == numbers_apart(texts[1].getvalue()), name


def numbers_apart(text):
    """The text with its numbers rounded, and lines of tables without their widths: what is compared parsed."""
    return re.sub(r"[-+]?\d+\.\d+(e[-+]?\d+)?", lambda match: f"{float(match[0]):.7g}", re.sub(r"[═─ ]+", " ", text))


def run_script(text, arguments, folder):
    """Runs a script's text as a program. Returns what it printed, and the file that it left."""
    path = pathlib.Path(folder) / "script.py"
    path.write_text(text)
    done = subprocess.run([sys.executable, "-W", "ignore", path, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    output = pathlib.Path(folder) / "output"
    return done.stdout, output.read_text() if output.exists() else ""


def changed(text):
    return re.sub(r"\bexecutorch\.devtools(\.inspector(\._inspector_utils)?)?\b(?= import)", "etrecord_tb.inspector", text)


def compare_script(name, arguments):
    path = INSTALLED / name
    if not path.exists():
        print(f"skipped: the wheel has no {name}")
        return
    said = []
    for change in (str, changed):
        with tempfile.TemporaryDirectory() as folder:
            for part, file in (("etrecord", "etrecord.bin"), ("etdump", "etdump.etdp")):
                os.makedirs(os.path.join(folder, part))
                shutil.copy(FIXTURES / "b_neutron" / file, os.path.join(folder, part, {"etdump.etdp": "trace.etdump"}.get(file, file)))
            given = [word.format(dump=FIXTURES / "mv2_xnnpack" / "etdump.etdp", record=FIXTURES / "mv2_xnnpack" / "etrecord.bin") for word in arguments]
            said.append(run_script(change(path.read_text()), given, folder))
    assert changed(path.read_text()) != path.read_text(), name
    if said[0][1].startswith("{"):
        assert same(json.loads(said[0][1]), json.loads(said[1][1])), name
    else:
        assert numbers_apart(said[0][1]) == numbers_apart(said[1][1]), name
    assert numbers_apart(said[0][0]) == numbers_apart(said[1][0]) and said[0][0], (name, said[0][0][:500], said[1][0][:500])



def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    for name in NAMES:
        compare(name)
    for name, arguments in SCRIPTS:
        compare_script(name, arguments)
    print("the Inspectors agree")


if __name__ == "__main__":
    main()
