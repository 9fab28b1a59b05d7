#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records that are written: run.py COMMAND [CHECK...]. EVERY=4 takes every fourth record only (default: all).

Every fixture is stripped, packed and validated, and must tell the same as before. With ExecuTorch, parse_etrecord reads what was written: EXECUTORCH_PYTHON is
a Python that has it (default: this one); without it these checks are skipped, and said so.
"""

import functools
import io
import json
import os
import pathlib
import pickle
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

from names import Names

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
COMMAND = os.path.abspath(sys.argv[1])
ANSWERS = ("info", "nodes", "events", "summary", "source", "delegation")
SIBLINGS = ("_state_dict", "_constants", "_example_inputs")
EXECUTORCH = os.environ.get("EXECUTORCH_PYTHON", sys.executable)
LARGEST_FOR_EXECUTORCH = 3 << 20  # what takes it long to read


def is_record(path):
    return path.is_file() and zipfile.is_zipfile(path) and "ETRECORD_V0" in zipfile.ZipFile(path).namelist()


RECORDS = [path for path in sorted(FIXTURES.glob("*/*")) if path.parent.name != "hostile" and is_record(path)][:: int(os.environ.get("EVERY", "1"))]


def run(*arguments, status=0, folder=None):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, cwd=folder, timeout=300)
    assert done.returncode == status, f"{arguments} ended with {done.returncode}: {done.stderr}"
    return done


def entries(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def answers(folder, asked):
    """What the commands that are asked say about the record in folder/record."""
    told = {}
    for name in asked:
        done = run(name, "record", "--format", "json", folder=folder)
        told[name] = done.stdout, done.stderr
    return told


def answers_in_place(record, written, asked=ANSWERS):
    """What commands say about a file in the place of a record, with the same ETDumps and programs."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "record"
        folder.mkdir()
        (folder / record.name).symlink_to(written)
        for other in record.parent.iterdir():
            if other.is_file() and other.suffix in (".etdp", ".pte", ".bin") and not is_record(other):
                (folder / other.name).symlink_to(other)
        return answers(folder.parent, asked)


@functools.lru_cache(maxsize=1)  # several checks of one record ask, one after the other
def answers_before(record):
    """What commands say about a record."""
    return answers_in_place(record, record)


TEXTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')


def has_same_numbers(document, other):
    """True if two documents have the same numbers. Those that differ only in texts do, and are not read."""
    return TEXTS.sub("", document) == TEXTS.sub("", other) or numbers(document) == numbers(other)


def numbers(document):
    """All numbers of a document, in order of size; without those of patterns, which depend on modules' names."""
    found, left = [], [json.loads(document)]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            is_pattern = value.keys() == {"pattern", "count"}  # modules of a delegate
            value = [each for key, each in value.items() if not is_pattern and key not in ("by_pattern", "patterns", "groups")]
        for each in value:
            kind = type(each)
            if kind is dict or kind is list:
                left.append(each)
            elif kind is int or kind is float:
                found.append(each)
    return sorted(found)


# ---- strip ----


def strip_keeps_answers(record, scratch):
    small = scratch / "small.etrecord"
    run("strip", record, "-o", small)
    before, after = answers_before(record), answers_in_place(record, small)
    for name in ANSWERS:
        assert before[name] == after[name], f"{name} says something else"
    old, new = entries(record), entries(small)
    assert list(old) == list(new)
    changed = {name for name in old if old[name] != new[name] and not name.endswith(SIBLINGS)}
    assert all(b"original_state_dict" in old[name] and b"original_state_dict" in new[name] for name in changed), changed
    assert all(len(new[name]) < 1000 for name in new if name.endswith(SIBLINGS) and name != "program_buffer_constants")
    run("strip", record, "-o", scratch / "again.etrecord")
    assert small.read_bytes() == (scratch / "again.etrecord").read_bytes()


def strip_hides_names(record, scratch):
    """Nothing is left in any byte, and every figure is what it was."""
    old = entries(record)
    names = Names()
    for data in old.values():
        if data[:1] == b"{" and b'"graph_module"' in data:
            names.read(data)
    for turn, (option, kept) in enumerate((("--no-source", {"modules"}), ("--rename-modules", set()))):
        hidden = scratch / f"{option}.etrecord"
        run("strip", option, record, "-o", hidden)
        searched = Names()
        searched.source, searched.operators = names.source, names.operators
        searched.modules = set() if kept else names.modules
        left = list(searched.left_in(b"\n".join(entries(hidden).values()) + hidden.read_bytes()))
        assert not left, f"{option} leaves {left[:5]}"
        if "program_buffer" in old:  # which is left out, and times are joined through it
            continue
        asked = ANSWERS[turn::2]  # the second option hides what the first does, too
        before, after = answers_before(record), answers_in_place(record, hidden, asked)
        for name in asked:
            assert has_same_numbers(before[name][0], after[name][0]), f"{option}: {name} has other figures"


# ---- pack ----


def unpacked(record, folder):
    """The record's entries as files."""
    with zipfile.ZipFile(record) as archive:
        archive.extractall(folder)
    return folder


def part_name(entry):
    return "aten" if entry == "exported_program" else entry.replace("edge_dialect_exported_program/", "edge/")


def parts_of(folder):
    """NAME=FILE for everything but what lies beside a program."""
    for path in sorted(folder.rglob("*")):
        entry = str(path.relative_to(folder))
        if path.is_file() and entry != "ETRECORD_V0" and not entry.endswith(SIBLINGS):
            yield f"{part_name(entry)}={path}"


def is_whole(entries_):
    """By the rules of today's generate_etrecord, and without a module called edge, which is the Edge program as a part."""
    return not any(name.startswith("edge/") for name in entries_) and "debug_handle_map" in entries_ and any(name.startswith("edge_dialect_exported_program") for name in entries_)


def pack_gives_the_same(record, scratch):
    old = entries(record)
    folder = unpacked(record, scratch / "unpacked")
    run("pack", folder, "-o", scratch / "folder.etrecord")
    assert {**entries(scratch / "folder.etrecord"), **old} == entries(scratch / "folder.etrecord")
    if is_whole(old):
        run("pack", *parts_of(folder), "-o", scratch / "parts.etrecord")
        assert {**entries(scratch / "parts.etrecord"), **old} == entries(scratch / "parts.etrecord")


def pack_puts_a_program_in(record, scratch):
    """One file then tells what the record and its program tell."""
    program = record.parent / "model.pte"
    if not program.exists() or "program_buffer" in entries(record):
        return
    whole = scratch / "whole.etrecord"
    run("pack", record, "--pte", program, "-o", whole)
    assert entries(whole) == {**entries(record), "program_buffer_constants": program.read_bytes()}
    dump = ("--etdump", record.parent / "etdump.etdp") if (record.parent / "etdump.etdp").exists() else ()
    asked = ("nodes", "events", "summary", "delegation")
    beside = {path.name for path in record.parent.iterdir() if path.suffix in (".bin", ".etdp", ".pte")}
    if beside <= {record.name, program.name, "etdump.etdp"}:  # then the answers about the folder are those
        apart = {name: answers_before(record)[name][0] for name in asked}
    else:
        apart = {name: run(name, "--etrecord", record, "--pte", program, *dump, "--format", "json").stdout for name in asked}
    for name in asked:
        assert has_same_numbers(apart[name], run(name, "--etrecord", whole, *dump, "--format", "json").stdout), name
    run("strip", whole, "-o", scratch / "small.etrecord")
    assert entries(scratch / "small.etrecord")["program_buffer_constants"] == program.read_bytes()
    said = run("strip", whole, "--no-source", "-o", scratch / "small.etrecord").stderr
    assert "program_buffer_constants: left out" in said and "program_buffer_constants" not in entries(scratch / "small.etrecord")


def bundled_is_taken(scratch):
    """What tested.bpte was tested with, compared as ExecuTorch saves it: float, int and bool, two methods, two tests."""
    record = FIXTURES / "add_mul" / "etrecord.bin"
    run("pack", record, "--bundled", pathlib.Path(__file__).parent / "tested.bpte", "-o", scratch / "tested.etrecord")
    new = entries(scratch / "tested.etrecord")
    assert set(new) - set(entries(record)) == {"reference_outputs", "representative_inputs"}
    (scratch / "outputs").write_bytes(new["reference_outputs"])
    assert [name for name in entries(scratch / "outputs") if "/data/" in name] == [f"archive/data/{i}" for i in range(7)]
    assert entries(scratch / "outputs")["archive/data/0"] == b"".join(map(float32, (0, 2 + 1, 4 + 2, 6, 8 + 1, 10 + 2)))
    assert not [flaw for flaw in flaws(scratch / "tested.etrecord") if flaw["entry"] == "reference_outputs"]


OLD = ("old_0_6_add_mul", "old_1_0_1_two_methods", "old_1_2_0_two_methods", "seed_2023")  # ExecuTorch used pickle up to 1.2


class Tests(pickle.Unpickler):
    """Reference outputs that pickle wrote: of each tensor its sizes and bytes."""

    def find_class(self, module, name):
        return {
            "torch._utils._rebuild_tensor_v2": lambda storage, offset, sizes, *_: (sizes, storage),
            "torch.storage._load_from_bytes": self.load_storage,
            "collections.OrderedDict": dict,
        }[f"{module}.{name}"]

    def load_storage(self, data):
        """As torch/serialization.py, _legacy_load, reads it."""
        stream, found = io.BytesIO(data), []

        class Storage(pickle.Unpickler):
            def find_class(self, module, name):
                return f"{module}.{name}"

            def persistent_load(self, saved):
                return saved

        for _ in range(5):
            found.append(Storage(stream).load())
        magic, version, system, (kind, _, key, place, count, view), keys = found
        assert (magic, version, system["little_endian"], kind, place, view, keys) == (0x1950A86A20F9469CFC6C, 1001, True, "storage", "cpu", None, [key])
        assert struct.unpack("<q", stream.read(8)) == (count,)
        return stream.read()


def bundled_is_taken_by_old_records(scratch):
    """As the library of the record reads it: the same tensors in a pickle, and no inputs for 0.6, which takes them for a program."""
    run("pack", FIXTURES / "add_mul" / "etrecord.bin", "--bundled", pathlib.Path(__file__).parent / "tested.bpte", "-o", scratch / "new.etrecord")
    (scratch / "outputs").write_bytes(entries(scratch / "new.etrecord")["reference_outputs"])
    storages = [data for name, data in entries(scratch / "outputs").items() if "/data/" in name]
    for name in OLD:
        bare = {entry: data for entry, data in entries(FIXTURES / name / "etrecord.bin").items() if entry not in ("reference_outputs", "representative_inputs")}
        with zipfile.ZipFile(scratch / f"{name}.bare", "w") as archive:
            for entry, data in bare.items():
                archive.writestr(entry, data)
        run("pack", scratch / f"{name}.bare", "--bundled", pathlib.Path(__file__).parent / "tested.bpte", "-o", scratch / name)
        new = entries(scratch / name)
        tests = Tests(io.BytesIO(new["reference_outputs"])).load()
        assert [output for method in tests.values() for test in method for _, output in test] == storages, name
        assert [sizes for sizes, _ in tests["forward"][0]] == [(2, 3), (2,), (3,)], name
        assert ("representative_inputs" in new) == ("instruction_id_to_num_outs_map" in bare), name
        if "representative_inputs" in new:
            assert [sizes for sizes, _ in Tests(io.BytesIO(new["representative_inputs"])).load()] == [(2, 3), (3,), (2,)], name
        assert not [flaw for flaw in flaws(scratch / name) if flaw["entry"] == "reference_outputs"], name
        parts = unpacked(scratch / f"{name}.bare", scratch / f"{name}.parts")
        run("pack", parts, "--bundled", pathlib.Path(__file__).parent / "tested.bpte", "-o", scratch / f"{name}.again")
        assert entries(scratch / f"{name}.again") == new, name


def float32(number):
    return struct.pack("<f", number)


# ---- validate ----


def flaws(*inputs, status=0):
    return json.loads(run("validate", *inputs, "--format", "json", status=status).stdout)["flaws"]


CHANGED = {"changed_edge", "changed_edge_xnnpack"}  # records whose Edge program to_executorch() changed


def validate_accepts(record, scratch):
    is_changed = record.parent.name in CHANGED and record.name == "etrecord.bin"
    found = flaws(*([record.parent] if record.name == "etrecord.bin" else [record]), status=int(is_changed))
    wrong = [flaw["what"] for flaw in found if flaw["kind"] != "missing"]
    assert len(wrong) == is_changed and all("to_executorch() changed" in what for what in wrong), found


def rewritten(record, path, **changed):
    """A copy with other entries; None takes one away."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**entries(record), **changed}.items():
            if data is not None:
                archive.writestr(name, data)
    return path


def validate_finds(scratch):
    """Each kind of flaw, made on purpose; what is said names it."""
    record = FIXTURES / "multi_method" / "etrecord.bin"
    old = entries(record)
    handles, delegates = json.loads(old["debug_handle_map"]), json.loads(old["delegate_map"])
    method = next(name for name in handles if handles[name])
    instruction = next(iter(handles[method]))
    unknown_handle = {**handles, method: {**handles[method], instruction: 99999}}
    unknown_instruction = {**handles, method: {**handles[method], "7777": 1}}
    other_method = {("renamed" if name == method else name): value for name, value in handles.items()}
    other_backend = {name: {at: {**call, "name": "NoSuchBackend"} for at, call in calls.items()} for name, calls in delegates.items()}
    cases = [
        ({"debug_handle_map": json.dumps(unknown_handle)}, "mismatch", "99999"),
        ({"debug_handle_map": json.dumps(unknown_instruction)}, "mismatch", "7777"),
        ({"debug_handle_map": json.dumps(other_method), "delegate_map": "{}"}, "mismatch", "renamed"),
        ({"delegate_map": json.dumps(other_backend)}, "mismatch", "no such call"),
        ({"delegate_map": "{}"}, "mismatch", "calls of delegates are missing"),
        ({"debug_handle_map": "{"}, "damage", "unexpected JSON"),
        ({"reference_outputs": b"PK"}, "damage", "zip"),
        ({"my_delegate_map/forward": b"{}"}, "mismatch", "ETRecord's own"),
        ({"notes.txt": b""}, "mismatch", "nothing is known"),
        ({f"edge_dialect_exported_program/{method}_constants": None}, "missing", "entry is missing"),
        ({"debug_handle_map": None}, "missing", "entry is missing"),
    ]
    for changed, kind, text in cases:
        path = rewritten(record, scratch / "changed.etrecord", **changed)
        if kind == "missing":
            found = flaws(path, record.parent / "model.pte")
        else:
            found = flaws(path, record.parent / "model.pte", status=1)
        assert any(flaw["kind"] == kind and text in flaw["what"] for flaw in found), f"{list(changed)}: {found}"
    damaged = bytearray(record.read_bytes())
    at = damaged.index(old[f"edge_dialect_exported_program/{method}_state_dict"]) + 100
    damaged[at] ^= 1
    (scratch / "crc.etrecord").write_bytes(damaged)
    found = flaws(scratch / "crc.etrecord", status=1)
    assert [(flaw["kind"], flaw["entry"]) for flaw in found][0] == ("damage", f"edge_dialect_exported_program/{method}_state_dict")
    other = flaws(record, FIXTURES / "vit_xnnpack" / "model.pte", status=1)
    assert any(flaw["kind"] == "mismatch" for flaw in other)


# ---- ExecuTorch ----

READER = """
import sys
from executorch.devtools.etrecord import parse_etrecord
for path in sys.argv[1:]:
    try:
        record = parse_etrecord(path)
        print("read", sorted(record.graph_map or {}), record._debug_handle_map, record._delegate_map, record.export_graph_id)
    except Exception as reason:
        print("refused", type(reason).__name__)
"""


def executorch_reads(pairs):
    """Each record and what was made of it: ExecuTorch reads both alike."""
    paths = [str(path) for pair in pairs for path in pair]
    done = subprocess.run([EXECUTORCH, "-c", READER, *paths], capture_output=True, text=True, timeout=900)
    said = [line for line in done.stdout.splitlines() if line.startswith(("read", "refused"))]
    assert len(said) == len(paths), done.stderr[-2000:]
    assert any(line.startswith("read") for line in said)
    for (record, written), before, after in zip(pairs, said[::2], said[1::2]):
        assert before == after or before.startswith("refused"), f"{record}, {written}: {before[:200]} became {after[:200]}"


TESTS_READER = """
import sys
from importlib.metadata import version
from executorch.devtools.etrecord import parse_etrecord
for path in sys.argv[1:]:
    record = parse_etrecord(path)
    outputs = [[each.flatten().tolist() for each in test] for sets in record._reference_outputs.values() for test in sets]
    print("read", version("executorch"), outputs, [tuple(each.shape) for each in record._representative_inputs])
"""


def executorch_reads_tests(scratch):
    """What was taken from a BundledProgram is read by the library of the record's version: of records up to 1.2 by these, of later ones by those."""
    said = []
    for name in ("add_mul", "old_1_0_1_add_mul"):
        path = scratch / f"{name}.tested"
        run("pack", FIXTURES / name / "etrecord.bin", "--bundled", pathlib.Path(__file__).parent / "tested.bpte", "-o", path)
        done = subprocess.run([EXECUTORCH, "-c", TESTS_READER, path], capture_output=True, text=True, timeout=900)
        said.append([line for line in done.stdout.splitlines() if line.startswith("read")])
    assert sum(len(lines) for lines in said) == 1, f"one of two is for this version: {said}"
    line = max(said)[0]
    assert (tuple(map(int, line.split()[1].split(".")[:2])) < (1, 3)) == bool(said[1]), line
    assert "[[[0.0, 3.0, 6.0, 6.0, 9.0, 12.0], " in line and line.endswith("[(2, 3), (3,), (2,)]"), line


def has_executorch():
    return subprocess.run([EXECUTORCH, "-c", "import executorch.devtools.etrecord"], capture_output=True).returncode == 0


def check_executorch(scratch):
    pairs = []
    for record in RECORDS:
        if record.stat().st_size > LARGEST_FOR_EXECUTORCH:
            continue
        for option in (("strip",), ("strip", "--rename-modules"), ("pack",)):
            pairs.append((record, scratch / f"{len(pairs)}.etrecord"))
            given = [record] if option[0] == "strip" else [unpacked(record, scratch / f"{len(pairs)}.parts")]
            if option[0] == "pack" and is_whole(entries(record)):
                given = list(parts_of(given[0]))
            run(*option, *given, "-o", pairs[-1][1])
        if (record.parent / "model.pte").exists():
            pairs.append((record, scratch / f"{len(pairs)}.etrecord"))
            run("pack", record, "--pte", record.parent / "model.pte", "-o", pairs[-1][1])
    executorch_reads(pairs)
    executorch_reads_tests(scratch)


OF_RECORDS = [strip_keeps_answers, strip_hides_names, pack_gives_the_same, pack_puts_a_program_in, validate_accepts]
ALONE = [bundled_is_taken, bundled_is_taken_by_old_records, validate_finds]


def failures():
    """What went wrong, record by record."""
    for record in [*RECORDS, None]:
        for check in OF_RECORDS if record else ALONE:
            if sys.argv[2:] and check.__name__ not in sys.argv[2:]:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                try:
                    check(*([record] if record else []), pathlib.Path(scratch))
                except AssertionError as reason:
                    yield f"{check.__name__} {record.relative_to(FIXTURES) if record else ''}: {str(reason)[:500]}"
    if not sys.argv[2:] or "executorch" in sys.argv[2:]:
        yield from executorch_failures()


def executorch_failures():
    if not has_executorch():
        print("skipped: ExecuTorch is missing (EXECUTORCH_PYTHON), so that it does not read what was written")
        return
    with tempfile.TemporaryDirectory() as scratch:
        try:
            check_executorch(pathlib.Path(scratch))
        except AssertionError as reason:
            yield f"executorch: {str(reason)[:500]}"


def main():
    failed = list(failures())
    for failure in failed:
        print("OFF", failure)
    print(f"{len(RECORDS)} records, {len(failed)} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
