# SPDX-License-Identifier: BSD-3-Clause
"""Binds the few structs and functions of etrecord.h and etrecord_tb.h that the package uses, through ctypes.

All other data is read from the JSON that the library emits, because its keys are stable and the layout of the profile's structs is not.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import platform
import sys
from typing import Any, Iterator

SONAME = {"darwin": "libetrecord_tb.0.dylib", "win32": "etrecord_tb-0.dll"}.get(sys.platform, "libetrecord_tb.so.0")
NO_OFFSET = 2**64 - 1
BY_OP = 1  # ETR_RECORDS_BY_OP
STEP_OF_TIME = -1  # ETR_STEP_OF_TIME
UNITS = ("ms", "ns", "us", "s", "cycles", "auto")
STATISTICS = ("typical", "avg", "p50")  # etr_statistic
ANSWERS = ("events", "nodes", "summary", "source", "delegation", "memory")  # etr_answer_kind
SUMMARY_TABLES = ("op", "module", "pattern", "backend", "source", "kernel", "method", "part", "finding")  # etr_sum_by, from 1 on
DIFF_TABLES = ("node", "op", "module", "pattern", "backend", "source", "kernel", "value", "part", "method")  # etr_diff_by, from 1 on


class Error(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 512), ("file", ctypes.c_char * 512), ("entry", ctypes.c_char * 256), ("offset", ctypes.c_uint64)]


class Buffer(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Inputs(ctypes.Structure):
    _fields_ = [("etrecord", ctypes.c_char_p), ("etdumps", ctypes.POINTER(ctypes.c_char_p)), ("etdump_count", ctypes.c_size_t), ("pte", ctypes.c_char_p),
                ("debug_buffer", ctypes.c_char_p), ("folder", ctypes.c_char_p), ("passed_over", ctypes.POINTER(ctypes.c_char_p)), ("passed_over_count", ctypes.c_size_t),
                ("repeated", ctypes.POINTER(ctypes.c_char_p)), ("repeated_count", ctypes.c_size_t),
                ("weights", ctypes.POINTER(ctypes.c_char_p)), ("weight_count", ctypes.c_size_t),
                ("references", ctypes.POINTER(ctypes.c_char_p)), ("reference_count", ctypes.c_size_t), ("taps", ctypes.c_char_p), ("logs", ctypes.c_void_p),
                ("buffers", ctypes.POINTER(Buffer)), ("buffer_count", ctypes.c_size_t), ("held", ctypes.c_void_p)]


class MethodChoice(ctypes.Structure):
    _fields_ = [("run", ctypes.c_size_t), ("method", ctypes.c_char_p), ("last", ctypes.c_size_t)]


class Peaks(ctypes.Structure):
    _fields_ = [("flops", ctypes.c_double), ("integer_ops", ctypes.c_double), ("bandwidth", ctypes.c_double)]


class Options(ctypes.Structure):
    _fields_ = [("ticks_per_second", ctypes.c_double), ("choices", ctypes.POINTER(MethodChoice)), ("choice_count", ctypes.c_size_t),
                ("run_offset", ctypes.c_size_t), ("max_bytes", ctypes.c_uint64), ("max_nodes", ctypes.c_uint32), ("max_events", ctypes.c_uint32),
                ("max_delegates", ctypes.c_uint32), ("max_comparisons", ctypes.c_uint32), ("edge_only", ctypes.c_bool), ("without", ctypes.c_uint32),
                ("skip", ctypes.c_int), ("skip_count", ctypes.c_uint32), ("first_run", ctypes.c_size_t), ("last_run", ctypes.c_size_t),
                ("statistic", ctypes.c_int), ("peaks", Peaks), ("instructions", ctypes.c_char_p), ("source_root", ctypes.c_char_p)]


WRITE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
ON_FILE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)


class Sink(ctypes.Structure):
    _fields_ = [("write", WRITE), ("context", ctypes.c_void_p)]


class CompareOptions(ctypes.Structure):
    _fields_ = [("limit", ctypes.c_double), ("recording_noise", ctypes.c_double), ("is_in_turns", ctypes.c_bool)]


class RecordSetOptions(ctypes.Structure):
    _fields_ = [("compare", CompareOptions), ("by", ctypes.c_int), ("method", ctypes.c_char_p), ("reference", ctypes.c_char_p),
                ("keeps_comparisons", ctypes.c_bool)]


class AccuracyOptions(ctypes.Structure):
    _fields_ = [("reference", ctypes.c_char_p), ("reference_record", ctypes.c_void_p), ("on_aten", ctypes.c_bool), ("spreads", ctypes.c_size_t)]


class Document(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("size", ctypes.c_size_t), ("name", ctypes.c_char_p)]


class NodeFilter(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("method", "graph_module", "module", "op", "backend")]


class Tag(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class TableOptions(ctypes.Structure):
    _fields_ = [("format", ctypes.c_int), ("unit", ctypes.c_int), ("order", ctypes.c_int), ("top", ctypes.c_size_t), ("depth", ctypes.c_int),
                ("width", ctypes.c_size_t), ("color", ctypes.c_bool), ("ascii", ctypes.c_bool), ("columns", ctypes.c_char_p),
                ("tags", ctypes.POINTER(Tag)), ("tag_count", ctypes.c_size_t), ("by", ctypes.c_int), ("by_delegate", ctypes.c_bool),
                ("stack", ctypes.c_int), ("typed", ctypes.c_bool), ("findings", ctypes.c_size_t), ("all", ctypes.c_bool), ("explain", ctypes.c_size_t),
                ("record", ctypes.c_char_p), ("full_names", ctypes.c_bool), ("has_unit", ctypes.c_bool)]


class TraceOptions(ctypes.Structure):
    _fields_ = [("method", ctypes.c_char_p), ("gzip", ctypes.c_bool), ("format", ctypes.c_int)]


class DiffFilter(ctypes.Structure):
    _fields_ = [("method", ctypes.c_char_p), ("by", ctypes.c_int)]


class LogdirOptions(ctypes.Structure):
    _fields_ = [("logdir", ctypes.c_char_p), ("name", ctypes.c_char_p), ("wall_time", ctypes.c_double), ("host", ctypes.c_char_p), ("pid", ctypes.c_long),
                ("dot_depth", ctypes.c_int), ("hparams", ctypes.c_void_p), ("hparam_count", ctypes.c_size_t), ("on_file", ON_FILE), ("context", ctypes.c_void_p),
                ("max_bytes", ctypes.c_uint64), ("graphs", ctypes.c_char_p), ("has_step", ctypes.c_bool), ("step", ctypes.c_int64), ("before", ctypes.c_void_p),
                ("replaced", ctypes.c_void_p)]


def _unusable(reason: str, advice: str) -> ImportError:
    return ImportError(f"etrecord-tb: {reason}; {advice}")


def _open() -> ctypes.CDLL:
    """Loads the library inside the package, or else the one that the system finds by LD_LIBRARY_PATH, or by PATH on Windows."""
    inside = pathlib.Path(__file__).parent / "lib" / SONAME
    here = f"{platform.system()} on {platform.machine()}"
    try:
        return ctypes.CDLL(os.fspath(inside) if inside.exists() else SONAME)
    except OSError as error:
        reason = f"the library for {here} cannot be loaded ({error})"
    raise _unusable(reason, "install the package anew: pip install --force-reinstall --no-cache-dir with its wheel or its sources")


def _load() -> ctypes.CDLL:
    library = _open()
    text, size, pointer, error, sink = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(Error), ctypes.POINTER(Sink)
    signatures = {
        "etr_version": (text, []),
        "etr_page_file": (pointer, [text, ctypes.POINTER(size)]),
        "etr_inputs_find_all": (ctypes.c_int, [ctypes.POINTER(Inputs), ctypes.POINTER(text), size, ctypes.POINTER(Inputs), error]),
        "etr_inputs_clear": (None, [ctypes.POINTER(Inputs)]),
        "etr_profile_open": (ctypes.c_int, [ctypes.POINTER(pointer), ctypes.POINTER(Inputs), ctypes.POINTER(Options), error]),
        "etr_profile_close": (None, [pointer]),
        "etr_open_record": (ctypes.c_int, [ctypes.POINTER(pointer), ctypes.POINTER(Inputs), ctypes.POINTER(Options), error]),
        "etr_join_dumps": (ctypes.c_int, [ctypes.POINTER(pointer), pointer, ctypes.POINTER(Inputs), ctypes.POINTER(Options), error]),
        "etr_close_record": (None, [pointer]),
        "etr_write_logdir": (ctypes.c_int, [pointer, ctypes.POINTER(LogdirOptions), error]),
        "etr_compare": (ctypes.c_int, [ctypes.POINTER(pointer), pointer, pointer, ctypes.POINTER(CompareOptions), error]),
        "etr_compare_documents": (
            ctypes.c_int, [ctypes.POINTER(pointer), ctypes.POINTER(Document), ctypes.POINTER(Document), ctypes.POINTER(CompareOptions), error],
        ),
        "etr_comparison_close": (None, [pointer]),
        "etr_record_set_open": (ctypes.c_int, [ctypes.POINTER(pointer), ctypes.POINTER(RecordSetOptions), error]),
        "etr_record_set_add": (ctypes.c_int, [pointer, pointer, text, text, error]),
        "etr_record_set_add_document": (ctypes.c_int, [pointer, ctypes.POINTER(Document), error]),
        "etr_record_set_comparison": (pointer, [pointer, size]),
        "etr_record_set_add_problem": (ctypes.c_int, [pointer, text, text, text, error]),
        "etr_record_set_finish": (ctypes.c_int, [pointer, error]),
        "etr_record_set_close": (None, [pointer]),
        "etr_emit_compare_json": (ctypes.c_int, [pointer, ctypes.c_int, sink, error]),
        "etr_accuracy_open": (ctypes.c_int, [ctypes.POINTER(pointer), pointer, ctypes.POINTER(AccuracyOptions), error]),
        "etr_accuracy_close": (None, [pointer]),
        "etr_emit_accuracy_json": (ctypes.c_int, [pointer, sink, error]),
        "etr_emit_diff_json": (ctypes.c_int, [pointer, ctypes.POINTER(DiffFilter), ctypes.c_int, sink, error]),
        "etr_stream_table": (ctypes.c_int, [ctypes.c_int, pointer, ctypes.POINTER(NodeFilter), ctypes.POINTER(TableOptions), pointer, error]),
        "etr_stream_diff": (ctypes.c_int, [pointer, ctypes.POINTER(DiffFilter), ctypes.POINTER(TableOptions), pointer, error]),
        "etr_count_nodes": (size, [pointer, ctypes.POINTER(NodeFilter)]),
        "etr_count_events": (size, [pointer, ctypes.POINTER(NodeFilter)]),
        "etr_emit_trace": (ctypes.c_int, [pointer, ctypes.POINTER(TraceOptions), sink, error]),
        "etr_emit_source_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
        "etr_emit_report_of": (ctypes.c_int, [pointer, pointer, size, ctypes.c_int, sink, error]),
        "etr_emit_report": (ctypes.c_int, [pointer, ctypes.c_int, sink, error]),
        "etr_emit_info_json": (ctypes.c_int, [pointer, ctypes.c_int, sink, error]),
        "etr_emit_sizes_json": (ctypes.c_int, [pointer, ctypes.c_int, sink, error]),
        "etr_emit_nodes_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
        "etr_emit_events_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
        "etr_emit_summary_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
        "etr_emit_memory_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
        "etr_emit_delegation_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name, None)
        if function is None:
            raise _unusable(f"{library._name} has no {name}()", "it is of another version; install both anew: pip install --force-reinstall with its wheel or its sources")
        function.restype, function.argtypes = result, arguments
    return library


library = _load()


class EtrecordError(ValueError):
    """An error of the library: its `message`, and the `file`, the `entry` and the byte `offset` that it is about (None if unknown)."""

    def __init__(self, message: str, file: str | None = None, entry: str | None = None, offset: int | None = None):
        location = ": ".join(part for part in (file, f"{entry or ''}{'' if offset is None else f'@{offset}'}") if part)
        super().__init__(f"{location}: {message}" if location else message)
        self.message, self.file, self.entry, self.offset = message, file, entry, offset


class EtrecordWarning(UserWarning):
    """Warns that something in the inputs is missing, unusual or assumed, or that the library is newer than this package."""


def check(status: int, error: Error) -> None:
    """Raises the error that a call stored in `error`, if its status is not 0."""
    if status:
        text = {field: getattr(error, field).decode("utf-8", "replace") or None for field in ("message", "file", "entry")}
        raise EtrecordError(text["message"] or "out of memory", text["file"], text["entry"], None if error.offset == NO_OFFSET else error.offset)


def collect(emit: Any, *arguments: Any) -> bytes:
    """Returns the bytes that a function etr_emit_... writes."""
    parts: list[bytes] = []

    def write(_context: Any, data: Any, size: int) -> bool:
        parts.append(ctypes.string_at(data, size))
        return True

    error = Error()
    check(emit(*arguments, ctypes.byref(Sink(WRITE(write), None)), ctypes.byref(error)), error)
    return b"".join(parts)


@contextlib.contextmanager
def _comparison(compare: Any, *sides: Any) -> Iterator[ctypes.c_void_p]:
    handle, error = ctypes.c_void_p(), Error()
    check(compare(ctypes.byref(handle), *sides, ctypes.byref(error)), error)
    try:
        yield handle
    finally:
        library.etr_comparison_close(handle)


def diff(base: Any, newer: Any, method: str | None, unit: int, limit: float, recording_noise: float) -> bytes:
    """Returns the comparison of two profiles by etr_compare(), as JSON. base, newer: the profiles' handles. The other arguments are those of Profile.diff()."""
    options = CompareOptions(limit=limit, recording_noise=recording_noise)
    with _comparison(library.etr_compare, base, newer, ctypes.byref(options)) as comparison:
        wanted = DiffFilter(method=None if method is None else method.encode())
        return collect(library.etr_emit_diff_json, comparison, ctypes.byref(wanted), unit)


@contextlib.contextmanager
def _record_set(options: RecordSetOptions) -> Iterator[ctypes.c_void_p]:
    handle, error = ctypes.c_void_p(), Error()
    check(library.etr_record_set_open(ctypes.byref(handle), ctypes.byref(options), ctypes.byref(error)), error)
    try:
        yield handle
    finally:
        library.etr_record_set_close(handle)


def _add_problem(handle: ctypes.c_void_p, name: str, path: str, problem: str) -> None:
    error = Error()
    check(library.etr_record_set_add_problem(handle, os.fsencode(name), os.fsencode(path), problem.encode(), ctypes.byref(error)), error)


def _side_by_side(handle: ctypes.c_void_p, unit: int) -> bytes:
    """Returns the records of a set, which is complete, as JSON."""
    error = Error()
    check(library.etr_record_set_finish(handle, ctypes.byref(error)), error)
    return collect(library.etr_emit_compare_json, handle, unit)


@contextlib.contextmanager
def record_set(by: int, method: str | None, reference: bytes | None, limit: float, recording_noise: float) -> Iterator[Any]:
    """Gives a function that adds a profile, or None with a problem, under a name and a path; and one that returns the records side by side as JSON."""
    options = RecordSetOptions(CompareOptions(limit=limit, recording_noise=recording_noise), by, None if method is None else method.encode(), reference)
    with _record_set(options) as handle:

        def add(profile: Any, name: str, path: str, problem: str = "") -> None:
            error = Error()
            if profile is None:
                _add_problem(handle, name, path, problem)
            else:
                check(library.etr_record_set_add(handle, profile, os.fsencode(name), os.fsencode(path), ctypes.byref(error)), error)

        yield add, lambda unit: _side_by_side(handle, unit)


def accuracy(profile: Any, reference: bytes | None, reference_record: Any, on_aten: bool) -> bytes:
    """Returns the comparison of a profile's logged values with a reference, as JSON."""
    handle, error = ctypes.c_void_p(), Error()
    options = AccuracyOptions(reference=reference, reference_record=reference_record, on_aten=on_aten)
    check(library.etr_accuracy_open(ctypes.byref(handle), profile, ctypes.byref(options), ctypes.byref(error)), error)
    try:
        return collect(library.etr_emit_accuracy_json, handle)
    finally:
        library.etr_accuracy_close(handle)


def stream_diff(base: Any, newer: Any, by: int, method: str | None, table: TableOptions, limit: float, recording_noise: float, out: Any) -> None:
    """Fills an Arrow stream with a table of the changes between two profiles."""
    options, error = CompareOptions(limit=limit, recording_noise=recording_noise), Error()
    with _comparison(library.etr_compare, base, newer, ctypes.byref(options)) as comparison:
        wanted = DiffFilter(method=None if method is None else method.encode(), by=by)
        check(library.etr_stream_diff(comparison, ctypes.byref(wanted), ctypes.byref(table), out, ctypes.byref(error)), error)


def diff_documents(base: bytes, newer: bytes, base_name: str, new_name: str) -> bytes:
    """Returns the comparison of two documents of the dashboard, as JSON, in nanoseconds. Error messages use the two names."""
    sides = [Document(text=text, size=len(text), name=os.fsencode(name)) for text, name in ((base, base_name), (newer, new_name))]
    with _comparison(library.etr_compare_documents, *map(ctypes.byref, sides), None) as comparison:
        return collect(library.etr_emit_diff_json, comparison, None, UNITS.index("ns"))


def compare_documents(documents: list[tuple[str, bytes | None]]) -> tuple[bytes, bytes | None]:
    """Returns documents of the dashboard side by side by operator, as JSON, in nanoseconds, and the comparison of the second with the first, with the same verdicts; None if there is none.

    documents: the name of each record with its document, which is None if there is none. EtrecordError is raised if none can be read."""
    error, read = Error(), 0
    with _record_set(RecordSetOptions(by=BY_OP, keeps_comparisons=True)) as handle:
        for name, text in documents:
            document = Document(text=text, size=len(text or b""), name=os.fsencode(name))
            if text is None:
                _add_problem(handle, name, name, "there is no profile in this run")
            elif library.etr_record_set_add_document(handle, ctypes.byref(document), ctypes.byref(error)):
                _add_problem(handle, name, name, error.message.decode("utf-8", "replace"))
            else:
                read += 1
        if not read:
            raise EtrecordError("none of these runs has a profile that can be read")
        records = _side_by_side(handle, UNITS.index("ns"))
        comparison = library.etr_record_set_comparison(handle, 1)
        return records, collect(library.etr_emit_diff_json, comparison, None, UNITS.index("ns")) if comparison else None


def page_file(name: str) -> bytes:
    """Returns a file of the page, "page.js" or "page.css", compressed by gzip."""
    size = ctypes.c_size_t()
    data = library.etr_page_file(name.encode(), ctypes.byref(size))
    return ctypes.string_at(data, size.value)
