# SPDX-License-Identifier: BSD-3-Clause
"""Hands tables to pyarrow, pandas, polars and DuckDB through Arrow's PyCapsule interface, without a copy and without needing any of these packages."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

_NAME, _SCHEMA_NAME = b"arrow_array_stream", b"arrow_schema"


class _Stream(ctypes.Structure):
    """struct ArrowArrayStream of etrecord_arrow.h."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")]


class _Schema(ctypes.Structure):
    """struct ArrowSchema of etrecord_arrow.h."""

    _fields_ = [("format", ctypes.c_void_p), ("name", ctypes.c_void_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


class _Array(ctypes.Structure):
    """struct ArrowArray of etrecord_arrow.h."""

    _fields_ = [*[(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")],
                *[(name, ctypes.c_void_p) for name in ("buffers", "children", "dictionary", "release", "private_data")]]


_FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)  # get_schema() and get_next()

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]

_alive: dict[int, Any] = {}  # streams and schemas by address; each is kept until its capsule is freed


def _free(held: Any) -> None:
    """Releases a struct of Arrow's, unless a consumer has taken it over."""
    if held.release:
        _FREE(held.release)(ctypes.addressof(held))


_release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(lambda capsule: _free(_alive.pop(_pointer_of(capsule, _NAME))))
_release_schema = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(lambda capsule: _free(_alive.pop(_pointer_of(capsule, _SCHEMA_NAME))))


def _read(function: Any, stream: _Stream, into: Any) -> Any:
    status = _READ(function)(ctypes.addressof(stream), ctypes.addressof(into))
    if status:
        raise OSError(status, "the rows cannot be read")
    return into


class Table:
    """Rows of a profile, for pyarrow.table(table), polars.DataFrame(table) and pandas.DataFrame.from_arrow(table). DuckDB finds it by the name of its
    variable. Each of them reads a new stream of all rows.

    fill: a function that fills the struct of an Arrow stream. Methods of a Profile give it.
    """

    def __init__(self, fill: Callable[[Any], None]) -> None:
        self._fill = fill
        self._length: int | None = None

    def __len__(self) -> int:
        """Returns the number of rows. The first time, it reads them."""
        if self._length is None:
            stream, count = self._stream(), 0
            try:
                while (rows := _read(stream.get_next, stream, _Array())).release:
                    count += rows.length
                    _free(rows)
            finally:
                _free(stream)
            self._length = count
        return self._length

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows; pyarrow.table(), polars.DataFrame() and pandas.DataFrame.from_arrow() take it>"

    def _stream(self) -> _Stream:
        stream = _Stream()
        self._fill(ctypes.byref(stream))
        return stream

    def __arrow_c_schema__(self) -> object:
        """Returns names and types of the columns as a capsule "arrow_schema"."""
        stream = self._stream()
        try:
            schema = _read(stream.get_schema, stream, _Schema())
        finally:
            _free(stream)
        _alive[ctypes.addressof(schema)] = schema
        return _new_capsule(ctypes.addressof(schema), _SCHEMA_NAME, ctypes.cast(_release_schema, ctypes.c_void_p))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns all rows as a capsule "arrow_array_stream". The requested schema is ignored."""
        stream = self._stream()
        _alive[ctypes.addressof(stream)] = stream
        return _new_capsule(ctypes.addressof(stream), _NAME, ctypes.cast(_release, ctypes.c_void_p))
