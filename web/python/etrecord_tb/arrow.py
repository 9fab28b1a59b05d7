# SPDX-License-Identifier: BSD-3-Clause
"""Hands tables to pyarrow, pandas, polars and DuckDB through Arrow's PyCapsule interface, without a copy and without needing any of these packages."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

_NAME = b"arrow_array_stream"


class _Stream(ctypes.Structure):
    """struct ArrowArrayStream of etrecord_arrow.h."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]

_alive: dict[int, _Stream] = {}  # streams by address; each is kept until its capsule is freed


def _release_stream(capsule: int) -> None:
    """Releases the stream of a capsule that is freed, unless a consumer has taken the stream over."""
    stream = _alive.pop(_pointer_of(capsule, _NAME))
    if stream.release:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(stream.release)(ctypes.addressof(stream))


_release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_release_stream)


class Table:
    """Rows of a profile, for pyarrow.table(table), polars.DataFrame(table) and pandas.DataFrame.from_arrow(table). DuckDB finds it by the name of its
    variable. Each of them reads a new stream of all rows."""

    def __init__(self, fill: Callable[[Any], None]) -> None:
        self._fill = fill

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns all rows as a capsule "arrow_array_stream". The requested schema is ignored."""
        stream = _Stream()
        self._fill(ctypes.byref(stream))
        _alive[ctypes.addressof(stream)] = stream
        return _new_capsule(ctypes.addressof(stream), _NAME, ctypes.cast(_release, ctypes.c_void_p))
