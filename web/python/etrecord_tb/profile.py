# SPDX-License-Identifier: BSD-3-Clause
"""An open profile: an ETRecord, its ETDumps and what they were joined to."""

from __future__ import annotations

import ctypes
import json
import os
import time
import warnings

from . import _library, model
from ._library import Error, Inputs, LogdirOptions, MethodChoice, Options, check, collect, library


class EtrecordWarning(UserWarning):
    """Something in the inputs was lost, odd or assumed."""


def _path(path):
    return None if path is None else os.fsencode(path)


def _inputs(etrecord=None, etdump=None, pte=None, debug_buffer=None):
    paths = [] if etdump is None else [etdump] if isinstance(etdump, (str, bytes, os.PathLike)) else list(etdump)
    array = (ctypes.c_char_p * len(paths))(*map(_path, paths))
    return Inputs(_path(etrecord), array if paths else None, len(paths), _path(pte), _path(debug_buffer))


def _choice(runs, method):
    """runs: a run, or a range of them."""
    if not isinstance(runs, range):
        return MethodChoice(runs, method.encode(), runs)
    if len(runs) == 0 or runs.step != 1:
        raise ValueError(f"methods takes a run, or a range of runs behind each other, not {runs!r}")
    return MethodChoice(runs.start, method.encode(), runs.stop - 1)


def _options(ticks_per_second, methods):
    choices = (MethodChoice * len(methods))(*[_choice(runs, method) for runs, method in methods.items()])
    return Options(ticks_per_second, choices if methods else None, len(methods), 0, 0)


class Profile:
    """Opens a record and whatever goes with it, and joins run times to nodes.

    record: an ETRecord file, a directory holding one with its ETDumps and .pte, or an ETDump alone. The other paths are taken instead of what is
    found there; etdump may be several. ticks_per_second: the ETDump's clock, nanoseconds by default. methods: {run: method} or
    {range(first, last + 1): method} where the files cannot tell which method runs were of; of several for one run the last counts.

    Raises EtrecordError; gives an EtrecordWarning for what is lost or odd. Close it, or use it in `with`.
    """

    def __init__(self, record=None, *, etrecord=None, etdump=None, pte=None, debug_buffer=None, ticks_per_second=0.0, methods=None):
        self._handle = ctypes.c_void_p()
        error, found, chosen = Error(), Inputs(), _inputs(etrecord, etdump, pte, debug_buffer)
        if record is not None:
            check(library.etr_inputs_find(ctypes.byref(found), _path(record), ctypes.byref(chosen), ctypes.byref(error)), error)
        try:
            options = _options(ticks_per_second, methods or {})
            inputs = chosen if record is None else found
            check(library.etr_profile_open(ctypes.byref(self._handle), ctypes.byref(inputs), ctypes.byref(options), ctypes.byref(error)), error)
        finally:
            library.etr_inputs_clear(ctypes.byref(found))
        for warning in self.info()["warnings"]:
            warnings.warn(": ".join(filter(None, (warning["file"], warning["entry"], warning["message"]))), EtrecordWarning, stacklevel=2)

    def close(self):
        """Frees the profile; nothing can be asked of it any more. May be called twice."""
        library.etr_profile_close(self._handle)
        self._handle = ctypes.c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def _emit(self, name, *arguments, unit):
        if not self._handle:
            raise ValueError("the profile is closed")
        if unit not in _library.UNITS:
            raise ValueError(f"unit is one of {', '.join(_library.UNITS)}, not {unit!r}")
        return collect(getattr(library, f"etr_emit_{name}"), self._handle, *arguments, _library.UNITS.index(unit))

    def _json(self, name, *arguments, unit):
        return json.loads(self._emit(f"{name}_json", *arguments, unit=unit))

    def info(self, unit="ms") -> dict:
        """What is in the inputs, as `etrecord-tb info --format json` has it."""
        return self._json("info", unit=unit)

    def graphs(self, unit="ms") -> list[model.Graph]:
        """Every graph with the times joined to its nodes; the one with the most to say first."""
        return model.build(model.Graph, self._json("nodes", None, unit=unit)["graphs"])

    def events(self, method=None, unit="ms") -> list[model.EventBlock]:
        """The events as ExecuTorch's Inspector has them, joined to nodes; of all methods, or of one."""
        return model.build(model.EventBlock, self._json("events", _of_method(method), unit=unit)["blocks"])

    def summary(self, method=None, unit="ms") -> list[model.MethodSummary]:
        """Where each method's time goes."""
        return model.build(model.MethodSummary, self._json("summary", _of_method(method), unit=unit)["methods"])

    def delegation(self, method=None, unit="ms") -> list[model.MethodDelegation]:
        """What is delegated, per operator type, with times."""
        return model.build(model.MethodDelegation, self._json("delegation", _of_method(method), unit=unit)["methods"])

    def report(self, unit="ms") -> str:
        """The dashboard with all data as one HTML page that needs no network, as `etrecord-tb report` writes it."""
        return self._emit("report", unit=unit).decode()

    def write(self, logdir="runs", name=None, dot_depth=0) -> list[str]:
        """Writes the TensorBoard run folders and DOT files, as `etrecord-tb write` does. The paths of what was written."""
        if not self._handle:
            raise ValueError("the profile is closed")
        written = []
        on_file = _library.ON_FILE(lambda _context, path, _entry_point, _kind: written.append(os.fsdecode(path)))
        options = LogdirOptions(logdir=_path(logdir), name=_path(name), wall_time=time.time(), host=os.uname().nodename.encode(), pid=os.getpid(),
                                dot_depth=dot_depth, on_file=on_file)
        error = Error()
        check(library.etr_write_logdir(self._handle, ctypes.byref(options), ctypes.byref(error)), error)
        return written


def _of_method(method):
    """The filter that takes one method; None: all."""
    return None if method is None else _library.NodeFilter(method=method.encode())
