# SPDX-License-Identifier: BSD-3-Clause
"""libetrecord_tb.so through ctypes: the few structs and functions of etrecord.h and etrecord_tb.h that the package calls.

All else comes through the JSON that the library emits: its keys are a promise, the layout of the profile's structs is not.
"""

import ctypes
import os
import pathlib

SONAME = "libetrecord_tb.so.0"
NO_OFFSET = 2**64 - 1
UNITS = ("ms", "ns", "us", "s", "cycles")


class Error(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 512), ("file", ctypes.c_char * 512), ("entry", ctypes.c_char * 256), ("offset", ctypes.c_uint64)]


class Inputs(ctypes.Structure):
    _fields_ = [("etrecord", ctypes.c_char_p), ("etdumps", ctypes.POINTER(ctypes.c_char_p)), ("etdump_count", ctypes.c_size_t), ("pte", ctypes.c_char_p),
                ("debug_buffer", ctypes.c_char_p)]


class MethodChoice(ctypes.Structure):
    _fields_ = [("run", ctypes.c_size_t), ("method", ctypes.c_char_p), ("last", ctypes.c_size_t)]


class Options(ctypes.Structure):
    _fields_ = [("ticks_per_second", ctypes.c_double), ("choices", ctypes.POINTER(MethodChoice)), ("choice_count", ctypes.c_size_t),
                ("max_entry_bytes", ctypes.c_uint64), ("max_nodes", ctypes.c_uint32), ("edge_only", ctypes.c_bool)]


WRITE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
ON_FILE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)


class Sink(ctypes.Structure):
    _fields_ = [("write", WRITE), ("context", ctypes.c_void_p)]


class NodeFilter(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("method", "graph_module", "module", "op", "backend")]


class LogdirOptions(ctypes.Structure):
    _fields_ = [("logdir", ctypes.c_char_p), ("name", ctypes.c_char_p), ("wall_time", ctypes.c_double), ("host", ctypes.c_char_p), ("pid", ctypes.c_long),
                ("dot_depth", ctypes.c_int), ("hparams", ctypes.c_void_p), ("hparam_count", ctypes.c_size_t), ("on_file", ON_FILE), ("context", ctypes.c_void_p)]


def _load():
    inside = pathlib.Path(__file__).parent / "lib" / SONAME
    # Without one inside the package, that of the system or of LD_LIBRARY_PATH.
    library = ctypes.CDLL(os.fspath(inside) if inside.exists() else SONAME)
    text, pointer, error, sink = ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(Error), ctypes.POINTER(Sink)
    signatures = {
        "etr_version": (text, []),
        "etr_inputs_find": (ctypes.c_int, [ctypes.POINTER(Inputs), text, ctypes.POINTER(Inputs), error]),
        "etr_inputs_clear": (None, [ctypes.POINTER(Inputs)]),
        "etr_profile_open": (ctypes.c_int, [ctypes.POINTER(pointer), ctypes.POINTER(Inputs), ctypes.POINTER(Options), error]),
        "etr_profile_close": (None, [pointer]),
        "etr_write_logdir": (ctypes.c_int, [pointer, ctypes.POINTER(LogdirOptions), error]),
        "etr_emit_report": (ctypes.c_int, [pointer, ctypes.c_int, sink, error]),
        "etr_emit_info_json": (ctypes.c_int, [pointer, ctypes.c_int, sink, error]),
        "etr_emit_nodes_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
        "etr_emit_events_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
        "etr_emit_summary_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
        "etr_emit_delegation_json": (ctypes.c_int, [pointer, ctypes.POINTER(NodeFilter), ctypes.c_int, sink, error]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _load()


class EtrecordError(ValueError):
    """What the library says: `message`, and where: `file`, `entry`, `offset` (None where it has none)."""

    def __init__(self, message, file=None, entry=None, offset=None):
        place = ": ".join(part for part in (file, f"{entry or ''}{'' if offset is None else f'@{offset}'}") if part)
        super().__init__(f"{place}: {message}" if place else message)
        self.message, self.file, self.entry, self.offset = message, file, entry, offset


def check(status, error):
    """Raises what a call left in `error`, unless it succeeded."""
    if status:
        text = {field: getattr(error, field).decode("utf-8", "replace") or None for field in ("message", "file", "entry")}
        raise EtrecordError(text["message"] or "out of memory", text["file"], text["entry"], None if error.offset == NO_OFFSET else error.offset)


def collect(emit, *arguments):
    """The bytes that an etr_emit_... writes."""
    parts = []

    def write(_context, data, size):
        parts.append(ctypes.string_at(data, size))
        return True

    error = Error()
    check(emit(*arguments, ctypes.byref(Sink(WRITE(write), None)), ctypes.byref(error)), error)
    return b"".join(parts)
