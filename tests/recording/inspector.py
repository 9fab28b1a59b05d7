# SPDX-License-Identifier: BSD-3-Clause
"""etrecord_tb.inspector beside ExecuTorch's own: every attribute of every event of fixtures, tables, and the scripts that the wheel installs, which are read where they are installed.
run.py starts it with the Python that has ExecuTorch."""

import ast
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
import textwrap
import warnings

import numpy
from executorch.devtools import Inspector as Theirs

from etrecord_tb import inspector as ours

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
NAMES = ["add_mul", "add_mul_debug", "mv2_xnnpack", "b_neutron", "quantized_xnnpack", "bundled_update", "control_flow", "extra_modules", "dynamic_xnnpack"]
INSTALLED = pathlib.Path(list(importlib.import_module("executorch").__path__)[0])
FLOWS = pathlib.Path(__file__).resolve().parent / "flows"
MV2, DEBUG, COREML = (FIXTURES / name for name in ("mv2_xnnpack", "add_mul_debug", "b_coreml"))
# A class that its users drive.
CADENCE = """
logging.basicConfig(level=logging.INFO, stream=__import__("sys").stdout, format="%(message)s")
dump = CadenceETDump(__import__("sys").argv[1])
dump.print_summary(bundled_prog_size=1000)
dump.print_event_block()
dump.dump_intermediate_tensors()
print([list(value.shape) for value in dump.get_outputs()])
for name in sorted(os.listdir(dump.tensor_dump_dir)):
    print(name, open(os.path.join(dump.tensor_dump_dir, name)).read())
"""


def whole(text):
    return text


def cadence(text):
    return text + CADENCE


def qualcomm(text):
    """The function of a script for devices that reads their ETDumps: the rest of the script needs Qualcomm's SDK."""
    function = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == "post_process_etdump")
    imports = re.findall(r"^from executorch.devtools import .*$", text, re.M)
    body = textwrap.dedent(ast.get_source_segment(text, function, padded=True))
    return "\n".join(["import csv, json, os, sys, types", *imports, "args = types.SimpleNamespace(output_folder=sys.argv[1])", body, "post_process_etdump()",
                      "os.rename(os.path.join(sys.argv[1], 'performance.json'), 'output')", ""])


# The scripts of the wheel: what of them is run, and the arguments. Each is run in an empty folder, and with `output` leaves a file of that name.
SCRIPTS = [
    ("devtools/scripts/generate_profiling_csv.py", whole, ["--etdump_path", MV2 / "etdump.etdp", "--output", "output"]),
    ("backends/arm/scripts/etdump_to_chrome_trace.py", whole, ["--etdump_path", MV2 / "etdump.etdp", "--etrecord_path", MV2 / "etrecord.bin", "--output", "output"]),
    ("devtools/inspector/inspector_cli.py", whole, ["--etdump_path", MV2 / "etdump.etdp", "--etrecord_path", MV2 / "etrecord.bin", "--tsv_path", "output"]),
    ("examples/nxp/analyzing_with_inspector.py", whole, []),
    ("examples/apple/coreml/scripts/inspector_cli.py", whole, ["--etdump_path", COREML / "etdump.etdp", "--etrecord_path", COREML / "etrecord.bin"]),
    ("examples/qualcomm/util_scripts/cli.py", qualcomm, ["etdump_only"]),
    ("backends/cadence/runtime/etdump.py", cadence, ["cadence"]),
]
# Scripts of our own, in the same manner.
OWN = [
    ("tutorial.py", [FIXTURES / "add_mul" / "etdump.etdp", FIXTURES / "add_mul" / "etrecord.bin"]),
    ("latency.py", [MV2 / "etdump.etdp", MV2 / "etrecord.bin"]),
    ("pandas_profile.py", [MV2 / "etdump.etdp", MV2 / "etrecord.bin"]),
    ("pandas_profile.py", [FIXTURES / "b_neutron" / "etdump.etdp", FIXTURES / "b_neutron" / "etrecord.bin"]),
    *(("reports.py", [FIXTURES / name / "etdump.etdp"]) for name in ("mv2_xnnpack", "b_vulkan", "b_vgf", "b_qnn", "b_ethosu")),
    ("tensors.py", [DEBUG / "etdump.etdp", DEBUG / "etrecord.bin", DEBUG / "debug_buffer.bin"]),
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


def plain(text):
    """A printed tensor as its numbers, however torch and numpy lay it out."""
    text = re.sub(r"tensor\(|array\(|(?<=[\d.\]])\)|, dtype=\S+|[,\[\]]", " ", text)
    return numbers_apart(re.sub(r"\s+", " ", re.sub(r"(?<=\d)\.(?=\s|$)", ".0", text)))


def rounded(word):
    try:
        return float(word)
    except ValueError:
        return word


def lay_out(folder):
    """Puts records where scripts look for them."""
    for target, source, name in (("etrecord/etrecord.bin", "b_neutron", "etrecord.bin"), ("etdump/trace.etdump", "b_neutron", "etdump.etdp"),
                                 ("etdump_only/etdump.etdp", "mv2_xnnpack", "etdump.etdp"), ("cadence/etdump.etdp", "add_mul_debug", "etdump.etdp"),
                                 ("cadence/etrecord.bin", "add_mul_debug", "etrecord.bin"), ("cadence/debug_output.bin", "add_mul_debug", "debug_buffer.bin")):
        os.makedirs(os.path.dirname(os.path.join(folder, target)), exist_ok=True)
        shutil.copy(FIXTURES / source / name, os.path.join(folder, target))


def run_script(text, arguments, folder, beside):
    """Runs a script's text as a program, which finds the modules in the folder `beside`. Returns what it printed, and the file that it left."""
    path = pathlib.Path(folder) / "script.py"
    path.write_text(text)
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([os.environ.get("PYTHONPATH", ""), os.fspath(beside)]))
    done = subprocess.run([sys.executable, "-W", "ignore", path, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    output = pathlib.Path(folder) / "output"
    return done.stdout, output.read_text() if output.exists() else ""


def changed(text):
    return re.sub(r"\bexecutorch\.devtools(\.inspector(\._inspector_utils)?)?\b(?= import)", "etrecord_tb.inspector", text)


def compare_script(path, part, arguments):
    if not path.exists():
        print(f"skipped: the wheel has no {path}")
        return
    said, text = [], part(path.read_text())
    assert changed(text) != text, path
    for change in (str, changed):
        with tempfile.TemporaryDirectory() as folder:
            lay_out(folder)
            try:
                said.append(run_script(change(text), arguments, folder, path.parent))
            except AssertionError as error:
                if not said and re.search(r"ModuleNotFoundError|ImportError|cannot open shared object", str(error)):
                    print(f"skipped: {path.name} does not run here with the Inspector either: {str(error).strip().splitlines()[-1]}")
                    return
                raise
    parse = plain if "tensor(" in said[0][0] else numbers_apart
    if said[0][1].startswith(("{", "[")):
        assert same(json.loads(said[0][1]), json.loads(said[1][1])) or numbers_apart(said[0][1]) == numbers_apart(said[1][1]), path
    else:
        assert parse(said[0][1]) == parse(said[1][1]), path
    one, other = parse(said[0][0]), parse(said[1][0])
    if parse is plain:  # torch prints four decimals, numpy eight digits
        one, other = ([rounded(word) for word in text.split()] for text in (one, other))
        assert len(one) == len(other) and all(a == b or (isinstance(a, float) and isinstance(b, float) and abs(a - b) < 1e-4) for a, b in zip(one, other)), path
        other = one
    at = next((index for index, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    assert one == other, (path, one[max(0, at - 200) : at + 200], other[max(0, at - 200) : at + 200])
    assert one or said[0][1], path
    print(f"the same: {path.name} {' '.join(pathlib.Path(word).parent.name for word in arguments[:1] if isinstance(word, pathlib.Path))}")


def compare_with_theirs(files):
    """Each gap that ExecuTorch computes is that of a row here, of the same runtime operator. Lists of tensors, which it leaves out, are rows here, too."""
    for distance in ("MSE", "L1", "SNR"):
        theirs = Theirs(**files).calculate_numeric_gap(distance, reference_graph="edge_dialect_exported_program").to_dict("records")
        rows = ours.Inspector(**files).calculate_numeric_gap(distance).to_dict("records")
        for wanted in theirs:
            same_gap = [row for row in rows if row["runtime_ops"] == wanted["runtime_ops"] and set(row["aot_ops"]) <= set(wanted["aot_ops"])
                        and numpy.isclose(row["gap"][0], wanted["gap"][0], rtol=1e-5, atol=0, equal_nan=True)]
            assert same_gap, (distance, wanted["aot_ops"], wanted["gap"], [(row["aot_ops"], row["gap"]) for row in rows])
            rows.remove(same_gap[0])
        assert theirs and all("split" in row["runtime_ops"][0] for row in rows), (distance, [row["aot_ops"] for row in rows])


def compare_gaps():
    """calculate_numeric_gap() where ExecuTorch's does not fail: the operators that both have, and their gaps."""
    from executorch.devtools.inspector.numerical_comparator import NumericalComparatorBase

    class Largest(NumericalComparatorBase):
        def element_compare(self, a, b):
            return float((a.double() - b.double()).abs().max())

    class Ours:
        def element_compare(self, a, b):
            return float(abs(a.astype(float) - b.astype(float)).max())

    compare_with_theirs(files_of("debug_xnnpack"))
    recorded = pathlib.Path("of_factory/values")  # by cases.py, which runs before
    if recorded.exists():
        compare_with_theirs({"etdump_path": str(recorded / "etdump.etdp"), "etrecord": str(recorded / "etrecord.bin"), "debug_buffer_path": str(recorded / "debug_buffer.bin")})
    files = files_of("debug_portable")
    mine = ours.Inspector(**files)
    assert list(mine.calculate_numeric_gap(Ours()).gap) == list(mine.calculate_numeric_gap(Largest()).gap)
    for distance in ("MSE", "l1", "SNR"):
        frame = mine.calculate_numeric_gap(distance)
        rows = [row for row in frame.to_dict("records") if row["aot_intermediate_output"] is not None and row["runtime_intermediate_output"] is not None]
        assert len(rows) >= 10, len(rows)
        for row in rows:
            a, b = row["aot_intermediate_output"].astype(float), row["runtime_intermediate_output"].astype(float)
            wanted = {"MSE": lambda: ((a - b) ** 2).mean(), "l1": lambda: abs(a - b).sum(), "SNR": lambda: 10 * numpy.log10((a**2).mean() / ((a - b) ** 2).mean())}[distance]()
            assert numpy.isclose(row["gap"][0], wanted, rtol=1e-6, equal_nan=True), (distance, row["aot_ops"], row["gap"], wanted)


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    for name in NAMES:
        compare(name)
    for name, part, arguments in SCRIPTS:
        compare_script(INSTALLED / name, part, arguments)
    for name, arguments in OWN:
        compare_script(FLOWS / name, whole, arguments)
    compare_gaps()
    print("the Inspectors agree")


if __name__ == "__main__":
    main()
