# SPDX-License-Identifier: BSD-3-Clause
"""An open profile: an ETRecord and its ETDumps, with run times joined to nodes."""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import numbers
import os
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Union

from . import _library
from ._library import (
    Buffer, Error, EtrecordError, EtrecordWarning, Inputs, LogdirOptions, MethodChoice, NodeFilter, Options, TableOptions, Tag, TraceOptions, check, collect, library,
)
from ._shown import Document, Rows
from .arrow import Table

if TYPE_CHECKING:  # answers import it: making its dataclasses takes longer than all else of the package's start
    from . import model

_SKIP_AUTO, _SKIP_FIRST, _SKIP_RANGE = 0, 2, 3  # etr_skip
_MOST_SKIPPED, _MOST_RUNS = 2**32 - 1, 2**63 - 1  # what the members of Options hold

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def _path(path: Path | None) -> bytes | None:
    """Returns the bytes of a path. Raises ValueError for one with a NUL, where C would cut it."""
    return None if path is None else _text(os.fsencode(path), path)


def _text(text: bytes, shown: Any) -> bytes:
    if b"\0" in text:
        raise ValueError(f"there must be no NUL in {shown!r}")
    return text


def _number(name: str, value: Any, most: int) -> int:
    """Returns a whole number from 0 to `most`: C would take another one for what is outside."""
    number = int(value) if isinstance(value, numbers.Integral) and not isinstance(value, bool) else -1
    if not 0 <= number <= most:
        raise ValueError(f"{name} must be a whole number from 0 to {most}, not {value!r}")
    return number


def _rate(name: str, value: Any) -> float:
    """Returns a finite number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value) or value < 0:
        raise ValueError(f"{name} must be a number that is not negative, not {value!r}")
    return float(value)


class _Memory:
    """Inputs that are given as bytes: names stand for them among paths, and C reads them where they are."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}

    def path(self, given: Any, name: str) -> Any:
        """Returns the path of an input: itself, if it is one, or else the name of its bytes."""
        if not isinstance(given, (bytes, bytearray, memoryview)):
            return given
        unique = next(each for each in (name, *(f"{name} {number}" for number in range(2, len(self.content) + 3))) if each not in self.content)
        self.content[unique] = bytes(given)  # a copy only of what could change
        return unique

    def paths(self, given: Any, name: str) -> list[Any]:
        """Does so for one input or several, or none."""
        if given is None:
            return []
        if isinstance(given, (str, bytes, bytearray, memoryview, os.PathLike)):
            return [self.path(given, name)]
        return [self.path(each, name) for each in given]

    def found(self, record: Iterable[Any]) -> list[Path]:
        """Returns the paths of a record's files. C finds out what those are that are given as bytes."""
        return [path for path in record if path is not None and self.path(path, "bytes") is path]

    def inputs(self, etrecord: Any, etdump: Any, pte: Any, debug_buffer: Any) -> Inputs:
        dumps = self.paths(etdump, "etdump")
        named = _path(self.path(etrecord, "etrecord")), _path(self.path(pte, "pte")), _path(self.path(debug_buffer, "debug_buffer.bin"))
        array = (ctypes.c_char_p * len(dumps))(*map(_path, dumps))
        buffers = (Buffer * len(self.content))(*[Buffer(name.encode(), data, len(data)) for name, data in self.content.items()])
        return Inputs(
            etrecord=named[0], etdumps=array if dumps else None, etdump_count=len(dumps), pte=named[1], debug_buffer=named[2], buffers=buffers if self.content else None,
            buffer_count=len(buffers),
        )

    def at(self, path: str | None) -> str | bytes | None:
        """Returns the bytes that C calls by this path, or else the path."""
        return self.content.get(path.partition("/")[2], path) if path is not None and path.startswith("memory:") else path


def _choice(runs: int | range, method: str) -> MethodChoice:
    """Makes the choice of a method for `runs`, which is a run or a range of consecutive runs."""
    if not isinstance(runs, range):
        first = last = _number("a run", runs, _MOST_RUNS)
    elif len(runs) == 0 or runs.step != 1 or runs.start < 0 or runs.stop > _MOST_RUNS:
        raise ValueError(f"runs must be one run or a range of consecutive runs from 0 on, not {runs!r}")
    else:
        first, last = runs.start, runs.stop - 1
    return MethodChoice(first, _text(method.encode(), method), last)


def _skip(skip_runs: int | str, runs: int | range | None) -> dict[str, int]:
    """Returns the members of Options that select the runs that count."""
    if runs is not None:
        chosen = _choice(runs, "")
        return {"skip": _SKIP_RANGE, "first_run": chosen.run, "last_run": chosen.last}
    if skip_runs == "auto":
        return {"skip": _SKIP_AUTO}
    if isinstance(skip_runs, str):
        raise ValueError(f"skip_runs must be 'auto' or a number of runs, not {skip_runs!r}")
    return {"skip": _SKIP_FIRST, "skip_count": _number("skip_runs", skip_runs, _MOST_SKIPPED)}


def _options(ticks_per_second: float, methods: Mapping[Any, str], **others: Any) -> Options:
    choices = (MethodChoice * len(methods))(*[_choice(runs, method) for runs, method in methods.items()])
    return Options(_rate("ticks_per_second", ticks_per_second), choices if methods else None, len(methods), **others)


def _joining_options(
    ticks_per_second: float, methods: Mapping[Any, str] | None, skip_runs: int | str, runs: int | range | None, stat: str, peaks: Mapping[str, float] | None,
    source_root: Path | None = None,
) -> Options:
    known = [field[0] for field in _library.Peaks._fields_]
    for name in peaks or {}:
        _index(tuple(known), "a peak", name)
    statistic, rates = _index(_library.STATISTICS, "stat", stat), _library.Peaks(**{name: _rate(f"the peak {name}", rate) for name, rate in (peaks or {}).items()})
    return _options(ticks_per_second, methods or {}, **_skip(skip_runs, runs), statistic=statistic, peaks=rates, source_root=_path(source_root))


class _Handle:
    """Cannot be copied or pickled, because two objects would free what it has open in C."""

    def __reduce_ex__(self, _protocol: Any) -> Any:  # of copy, too
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: open it again")


@contextlib.contextmanager
def _on_disk(given: Path | None) -> Iterator[Path | None]:
    """Gives the path of a file: for bytes, of a temporary file that has them."""
    if not isinstance(given, (bytes, bytearray, memoryview)):
        yield given
        return
    import tempfile  # which takes as long as the package

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reference.safetensors")
        with open(path, "wb") as file:
            file.write(given)
        yield path


@contextlib.contextmanager
def _found(record: Iterable[Path], chosen: Inputs) -> Iterator[Inputs]:
    """Finds the files of a record at its paths, if there are any; `chosen` replaces them."""
    found, error, paths = Inputs(), Error(), [_path(path) for path in record]
    if paths:
        array = (ctypes.c_char_p * len(paths))(*paths)
        check(library.etr_inputs_find_all(ctypes.byref(found), array, len(paths), ctypes.byref(chosen), ctypes.byref(error)), error)
    try:
        yield found if paths else chosen
    finally:
        library.etr_inputs_clear(ctypes.byref(found))


class Record(_Handle):
    """Reads a record once, with its program and weights, and joins any number of ETDumps to it.

        record = etrecord_tb.Record("record_dir")
        for dump in dumps:
            with record.join(dump) as profile:
                print(profile.summary())

    record, etrecord, pte, source_root: as in Profile; ETDumps among the files are ignored. Several threads may call join() at once. Close it after its profiles, or leave
    that to Python. Raises EtrecordError.
    """

    def __init__(self, *record: Path | None, etrecord: Path | None = None, pte: Path | None = None, source_root: Path | None = None) -> None:
        self._handle, self._profiles, self._lock, error = ctypes.c_void_p(), 0, threading.Lock(), Error()
        options = Options(source_root=_path(source_root))
        self._memory = memory = _Memory()
        paths = memory.found(record)
        with _found(paths, memory.inputs(etrecord, None, pte, None)) as inputs:
            check(library.etr_open_record(ctypes.byref(self._handle), ctypes.byref(inputs), ctypes.byref(options), ctypes.byref(error)), error)

    def join(
        self, etdump: Path | Iterable[Path] | None, *, debug_buffer: Path | None = None, ticks_per_second: float = 0.0, methods: Mapping[Any, str] | None = None,
        skip_runs: int | str = "auto", runs: int | range | None = None, stat: str = "typical", peaks: Mapping[str, float] | None = None,
    ) -> Profile:
        """Joins ETDumps to the record, and returns the profile that Profile() would open. Its warnings are in info().

        etdump: one or several, as paths or bytes; None: none. debug_buffer, ticks_per_second, methods, skip_runs, runs, stat, peaks: as in Profile().

        Raises EtrecordError for files that cannot be read, and ValueError for other arguments, and if the record is closed.
        """
        profile, error = Profile.__new__(Profile), Error()
        profile._prepare()
        options, dumps = _joining_options(ticks_per_second, methods, skip_runs, runs, stat, peaks), profile._memory.inputs(None, etdump, None, debug_buffer)
        with self._lock:
            if not self._handle:
                raise ValueError("the record is closed")
            self._profiles += 1
        profile._record = self  # which it releases when it is closed, or thrown away
        check(library.etr_join_dumps(ctypes.byref(profile._handle), self._handle, ctypes.byref(dumps), ctypes.byref(options), ctypes.byref(error)), error)
        return profile

    def _release(self) -> None:
        with self._lock:
            self._profiles -= 1

    def close(self) -> None:
        """Frees the record. Raises a ValueError while a profile of it is open. May be called twice."""
        with self._lock:
            if self._profiles:
                raise ValueError(f"{self._profiles} profiles of this record are open: close them first")
            library.etr_close_record(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):  # a profile refers to its record, so that none is open
            self.close()


class Profile(_Handle):
    """Opens a record with its other files and joins run times to nodes.

    record: an ETRecord, a directory that contains one with its ETDumps and .pte, or an ETDump alone. Several files may be given, and are recognized by content:
    Profile("etrecord.bin", "etdump.etdp", "model.pte"). Bytes are the content of a file. The arguments etrecord, etdump, pte and debug_buffer replace files found in the directory; etdump may be a list.
    ticks_per_second: the ETDump's clock, nanoseconds by default. methods: {run: method} or {range(first, last + 1): method}, if the files do not say which
    method a run executed; the last entry for a run counts. skip_runs: the number of leading runs of each ETDump and load that are excluded from all times;
    "auto" excludes warm-up: leading runs above 1.5 times the median of the runs after them (at least three) and above 1.2 times what four fifths of these take.
    runs: the runs that count, as a range, instead of skip_runs. stat: ranks lists and is the base of shares, "typical", "avg" or "p50"; results contain all.
    peaks: what the device can do in a second, as "flops", "integer_ops" and "bandwidth" (bytes). of_peak refers to these, or else to the best rates of the record's large operators, if it has any.
    source_root: source lines are those of frames in this folder, where a stack trace has one, instead of all outside torch, torchao, ExecuTorch and transformers.

    Raises EtrecordError. Warns with EtrecordWarning if something in the inputs is missing or unusual. Close it, or use it in `with`.
    """

    def __init__(
        self, *record: Path | None, etrecord: Path | None = None, etdump: Path | Iterable[Path] | None = None, pte: Path | None = None,
        debug_buffer: Path | None = None, ticks_per_second: float = 0.0, methods: Mapping[Any, str] | None = None,
        skip_runs: int | str = "auto", runs: int | range | None = None, stat: str = "typical", peaks: Mapping[str, float] | None = None,
        source_root: Path | None = None,
    ) -> None:
        self._prepare()
        error = Error()
        options = _joining_options(ticks_per_second, methods, skip_runs, runs, stat, peaks, source_root)
        paths = self._memory.found(record)
        with _found(paths, self._memory.inputs(etrecord, etdump, pte, debug_buffer)) as inputs:
            check(library.etr_profile_open(ctypes.byref(self._handle), ctypes.byref(inputs), ctypes.byref(options), ctypes.byref(error)), error)
        for warning in self.info()["warnings"]:
            warnings.warn(": ".join(filter(None, (warning["file"], warning["entry"], warning["message"]))), EtrecordWarning, stacklevel=2)

    def _prepare(self) -> None:
        self._record: Record | None = None
        self._memory = _Memory()
        self._handle, self._readers, self._idle = ctypes.c_void_p(), 0, threading.Condition()

    def close(self) -> None:
        """Frees the profile, which cannot be used afterwards. Waits for other threads that are reading it. May be called twice."""
        with self._idle:
            handle, self._handle = self._handle, ctypes.c_void_p()
            record, self._record = self._record, None
            self._idle.wait_for(lambda: self._readers == 0)
        library.etr_profile_close(handle)
        if record is not None:
            record._release()

    def __repr__(self) -> str:
        if not self._handle:
            return "<Profile: closed>"
        info = self.info()
        methods = ", ".join(str(method["method"]) for method in info["methods"][:8])
        return f"<Profile of {info['etrecord'] or 'no ETRecord'}: {len(info['etdumps'])} ETDumps; methods {methods or 'none'}>"

    def _repr_html_(self) -> str:
        if not self._handle:
            return "<pre>&lt;Profile: closed&gt;</pre>"
        import html

        rows = self.summary()
        text = rows._repr_html_() if isinstance(rows, Rows) and rows else ""
        return f"<p>{html.escape(repr(self)[1:-1])}, times in ms</p>{text}"

    def __enter__(self) -> Profile:
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_idle"):
            self.close()

    @contextlib.contextmanager
    def _opened(self) -> Iterator[ctypes.c_void_p]:
        """Gives what C knows the profile by. It is not closed meanwhile."""
        with self._idle:
            if not self._handle:
                raise ValueError("the profile is closed")
            handle = self._handle
            self._readers += 1
        try:
            yield handle
        finally:
            with self._idle:
                self._readers -= 1
                self._idle.notify_all()

    def _json(self, name: str, *arguments: Any, unit: str) -> dict[str, Any]:
        with self._opened() as profile:
            said: dict[str, Any] = json.loads(collect(getattr(library, f"etr_emit_{name}_json"), profile, *arguments, _unit(unit)))
        return Document(said)

    def _check_method(self, method: str | None) -> None:
        known = [each["method"] for each in self.info()["methods"]]
        if method is not None and method not in known:
            raise ValueError(f"no method named {method!r}; the record has {', '.join(map(str, known)) or 'none'}")

    def _filtered(self, name: str, rows: str, unit: str, method: str | None, **filters: str | None) -> list[dict[str, Any]]:
        """The rows of an answer about what the filters take; they must take something."""
        self._check_method(method)
        wanted = {key: value for key, value in filters.items() if value is not None}
        count = _library.library.etr_count_events if rows == "blocks" else _library.library.etr_count_nodes
        with self._opened() as profile:
            is_empty = bool(wanted) and not count(profile, _filter(method=method, **wanted))
        if is_empty:
            raise ValueError(f"nothing matches {' and '.join(f'{key} {value!r}' for key, value in wanted.items())}")
        found: list[dict[str, Any]] = self._json(name, _filter(method=method, **wanted), unit=unit)[rows]
        return found

    def info(self, unit: str = "ms") -> dict[str, Any]:
        """Returns what the inputs contain, as `etrecord-tb info --format json` does. unit: of times."""
        return self._json("info", unit=unit)

    def sizes(self) -> dict[str, Any]:
        """Returns where the bytes of the program are, as `etrecord-tb info --sizes --format json` does. A record without a program raises."""
        return self._json("sizes", unit="ms")

    def graphs(
        self, unit: str = "ms", *, method: str | None = None, graph: str | None = None, module: str | None = None, op: str | None = None, backend: str | None = None,
    ) -> list[model.Graph]:
        """Returns every graph with the times joined to its nodes; the most informative graph comes first.

        unit: of times: "ns", "us", "ms", "s" or "cycles".
        Filters: method, graph ("edge", "aten", ...), module (with the modules inside it), op (a glob: "aten.conv*", or a short name: "convolution"), backend ("cpu": kernels).
        Filters that match nothing raise a ValueError, here and in the methods below.
        """
        from . import model

        return model.build_all(model.Graph, self._filtered("nodes", "graphs", unit, method, graph_module=graph, module=module, op=op, backend=backend))

    def events(self, method: str | None = None, unit: str = "ms", *, module: str | None = None, op: str | None = None, backend: str | None = None) -> list[model.EventBlock]:
        """Returns the events in blocks, as ExecuTorch's Inspector lists them, joined to nodes.

        Their times are of the runs that count in this profile: Profile(..., skip_runs=0) and etrecord_tb.events() take all runs, as the Inspector does.
        method: only this one. unit: of times: "ns", "us", "ms", "s" or "cycles". module, op, backend: filters, as in graphs(); what matches nothing raises ValueError.
        """
        from . import model

        blocks = model.build_all(model.EventBlock, self._filtered("events", "blocks", unit, method, module=module, op=op, backend=backend))
        logged = [value for block in blocks for values in (*(event.values for event in block.events), block.run_outputs) for value in values]
        buffer = self._memory.at(self.info()["debug_buffer"]) if logged else None
        for value in logged:
            vars(value)["_buffer"] = buffer
        return blocks

    def values(self, method: str | None = None, run: int | None = None) -> list[model.LoggedValue]:
        """Returns the values that the runs logged, each once, in the order of the events, with those that the methods returned behind the others of their block.

        method: only of this one. run: only those of this run, as info() numbers them. LoggedValue.array() reads one from the debug buffer.
        """
        found: dict[tuple[Any, ...], model.LoggedValue] = {}
        for block in self.events(method):
            for values in (*(event.values for event in block.events), block.run_outputs):
                for value in values:
                    if run is None or value.run == run:
                        found.setdefault((value.run, value.role, value.index, value.node, value.output, value.offset, value.kind, value.value), value)
        return Rows(found.values())

    def summary(self, method: str | None = None, unit: str = "ms", *, module: str | None = None, op: str | None = None, backend: str | None = None) -> list[model.MethodSummary]:
        """Returns where the time of each method goes.

        method: only this one. unit: of times: "ns", "us", "ms", "s" or "cycles". module, op, backend: filters, as in graphs(); what matches nothing raises ValueError.
        """
        from . import model

        return model.build_all(model.MethodSummary, self._filtered("summary", "methods", unit, method, module=module, op=op, backend=backend))

    def source(self, method: str | None = None, unit: str = "ms", *, module: str | None = None, op: str | None = None, backend: str | None = None) -> list[model.MethodSource]:
        """Returns the source lines of the model with their times.

        method: only this one. unit: of times: "ns", "us", "ms", "s" or "cycles". module, op, backend: filters, as in graphs(); what matches nothing raises ValueError.
        """
        from . import model

        return model.build_all(model.MethodSource, self._filtered("source", "methods", unit, method, module=module, op=op, backend=backend))

    def delegation(self, method: str | None = None, unit: str = "ms") -> list[model.MethodDelegation]:
        """Returns how many operators of each type are delegated, with times. method: only this one. unit: of times."""
        from . import model

        return model.build_all(model.MethodDelegation, self._filtered("delegation", "methods", unit, method))

    def memory(self, method: str | None = None) -> list[model.MethodMemory]:
        """Returns the planned memory of each method, the tensors live at its peak, weights, and findings. Sizes are in bytes. method: only this one."""
        from . import model

        return model.build_all(model.MethodMemory, self._filtered("memory", "methods", "ms", method))

    def diff(self, newer: Profile, method: str | None = None, unit: str = "ms", *, limit: float = 0, recording_noise: float = 0) -> model.Diff:
        """Returns what became slower or faster from this profile to `newer`, as `etrecord-tb diff` does.

        method: only this one; ValueError if neither has it. unit: of times: "ns", "us", "ms", "s" or "cycles".
        limit: changes within it are equal, 0.05 for 5 %; 0: no limit. recording_noise: the relative difference between recordings of one program on this
        device, which is assumed if a side has fewer than three; 0 stands for 0.03.
        """
        limit, recording_noise = _rate("limit", limit), _rate("recording_noise", recording_noise)
        with self._opened() as base, newer._opened() as other:
            said = json.loads(_library.diff(base, other, method, _unit(unit), limit, recording_noise))
        if method is not None and not said["methods"]:
            raise ValueError(f"neither record has a method named {method!r}")
        from . import model

        return model.build(model.Diff, {key: said[key] for key in ("limit", "recording_noise", "turns", "methods", "load")})

    def accuracy(self, reference: Path | None = None, reference_record: Profile | None = None, *, on_aten: bool = False) -> model.Accuracy:
        """Returns the values that the runs logged, compared with a reference, as `etrecord-tb accuracy` does.

        reference: a file that `etrecord-tb reference` wrote, or its bytes; without one, outputs are compared with the record's reference outputs.
        reference_record: the profile of the record from which the reference was made, if it is another one, such as the float model.
        on_aten: compares with the values of the exported program instead of the Edge program's.

        Warns with EtrecordWarning of what could not be compared. Raises EtrecordError for a reference that cannot be read, or that is of another record.
        """
        said = self.accuracy_document(reference, reference_record, on_aten=on_aten)
        for warning in said.pop("warnings"):
            warnings.warn(f"{warning['file']}: {warning['message']}" if warning["file"] else warning["message"], EtrecordWarning, stacklevel=2)
        from . import model

        return model.build(model.Accuracy, {key: value for key, value in said.items() if key != "schema"})

    def accuracy_document(self, reference: Path | None = None, reference_record: Profile | None = None, *, on_aten: bool = False) -> dict[str, Any]:
        """Returns what accuracy() does as the JSON document of `etrecord-tb accuracy`. reference, reference_record, on_aten: as there."""
        with self._opened() as profile, contextlib.nullcontext() if reference_record is None else reference_record._opened() as other, _on_disk(reference) as path:
            return Document(json.loads(_library.accuracy(profile, _path(path), other, on_aten)))

    def events_table(
        self, method: str | None = None, unit: str = "ms", *, tags: Mapping[str, str] | None = None, module: str | None = None, op: str | None = None,
        backend: str | None = None,
    ) -> Table:
        """Returns the events as a table for pyarrow, pandas, polars or DuckDB, with the rows and columns of `etrecord-tb events --format jsonl`.

        tags: further columns with the same value in all rows ({"device": "pixel8", "build": "a1b2c3"}), so that tables of many dumps can be combined.
        method, unit, module, op, backend: as in events().
        """
        return self.table("events", method, unit, tags=tags, module=module, op=op, backend=backend)

    def nodes_table(
        self, method: str | None = None, unit: str = "ms", *, tags: Mapping[str, str] | None = None, graph: str | None = None, module: str | None = None,
        op: str | None = None, backend: str | None = None,
    ) -> Table:
        """Returns the nodes as a table like events_table(), with the rows and columns of `etrecord-tb nodes --format jsonl`.

        tags: as in events_table(). method, unit, graph, module, op, backend: as in graphs().
        """
        return self.table("nodes", method, unit, tags=tags, graph=graph, module=module, op=op, backend=backend)

    def table(
        self, answer: str, method: str | None = None, unit: str = "ms", *, by: str | None = None, tags: Mapping[str, str | None] | None = None,
        graph: str | None = None, module: str | None = None, op: str | None = None, backend: str | None = None,
    ) -> Table:
        """Returns an answer ("events", "nodes", "summary", "source", "delegation" or "memory") as a table, with the rows and columns that the command of that
        name prints with `--format jsonl`.

        by: which table of a summary, which has several: "op", "module", "pattern", "backend", "source", "kernel", "method", "part" or "finding".
        tags: as in events_table(); a value of None is null. method, unit, graph, module, op, backend: as in graphs(); a table may be empty.

        Raises ValueError for a name that is none of these.
        """
        if (by is None) == (answer == "summary"):
            raise ValueError("a summary has several tables: choose one with by" if by is None else f"{answer} is one table, without by")
        if method is not None:
            self._check_method(method)
        pairs = (Tag * len(tags or {}))(*[Tag(_text(name.encode(), name), None if value is None else _text(str(value).encode(), value)) for name, value in (tags or {}).items()])
        table = 0 if by is None else 1 + _index(_library.SUMMARY_TABLES, "by", by)
        options = TableOptions(unit=_unit(unit), tags=pairs, tag_count=len(pairs), by=table)
        wanted, kind = _filter(method=method, graph_module=graph, module=module, op=op, backend=backend), _index(_library.ANSWERS, "answer", answer)

        def fill(out: Any) -> None:
            error = Error()
            with self._opened() as profile:
                check(library.etr_stream_table(kind, profile, ctypes.byref(wanted), ctypes.byref(options), out, ctypes.byref(error)), error)

        return Table(fill)

    def diff_table(
        self, newer: Profile, by: str, method: str | None = None, unit: str = "ms", *, limit: float = 0, recording_noise: float = 0,
    ) -> Table:
        """Returns a table of the changes from this profile to `newer`, with the rows and columns of `etrecord-tb diff --by BY --format jsonl`.

        by: "node", "op", "module", "pattern", "backend", "source", "kernel", "value", "part" or "method".
        method, unit, limit, recording_noise: as in diff().
        """
        options, table = TableOptions(unit=_unit(unit)), 1 + _index(_library.DIFF_TABLES, "by", by)
        limit, recording_noise = _rate("limit", limit), _rate("recording_noise", recording_noise)

        def fill(out: Any) -> None:
            with self._opened() as base, newer._opened() as other:
                _library.stream_diff(base, other, table, method, options, limit, recording_noise, out)

        return Table(fill)

    def trace(self, method: str | None = None) -> dict[str, Any]:
        """Returns the runs as Chrome trace events, for Perfetto or chrome://tracing, as `etrecord-tb trace` writes them. method: only its runs."""
        self._check_method(method)
        options = TraceOptions(method=None if method is None else _text(method.encode(), method))
        with self._opened() as profile:
            return Document(json.loads(collect(library.etr_emit_trace, profile, ctypes.byref(options))))

    def report(self, unit: str = "auto", *, base: Profile | None = None, others: Mapping[str, Profile] | None = None) -> str:
        """Returns the dashboard with its data as one HTML page that needs no network, as `etrecord-tb report` writes it.

        unit: of times; "auto" chooses one. base: a profile with which it is compared, whose changes the page shows, too. others: further profiles by what
        people call them, which are compared with the base, too, and put side by side. They need a base.
        """
        if others and base is None:
            raise ValueError("others are compared with a base: give one")
        with contextlib.ExitStack() as opened:
            profile = opened.enter_context(self._opened())
            if base is None:
                return collect(library.etr_emit_report, profile, _unit(unit)).decode()
            more = others or {}
            names = [_text(name.encode(), name) for name in ("base", "record", *more)]
            handles = [opened.enter_context(base._opened()), profile, *(opened.enter_context(each._opened()) for each in more.values())]
            count = len(handles)
            return collect(library.etr_emit_report_of, (ctypes.c_void_p * count)(*handles), (ctypes.c_char_p * count)(*names), count, _unit(unit)).decode()

    def write(
        self, logdir: Path = "runs", name: Path | None = None, dot_depth: int = 0, graphs: str | None = None, *, step: int | None = None, step_from: str | None = None,
        against: Profile | None = None,
    ) -> list[str]:
        """Writes the TensorBoard run folders and DOT files, as `etrecord-tb write` does. Returns the paths of the written files.

        logdir: the folder for TensorBoard. name: of the record in it; by default that of its directory. dot_depth: how many levels of modules a DOT file shows; 0: as many as stay readable.
        graphs: writes these graphs only, as in "edge" or "edge,aten".

        step: the profile is this build of a model, a number from 0 of at most 15 digits; all builds are one run, with curves over them, and each call adds the points of a build or replaces them.
        step_from: takes the step "git", the number of commits of the working directory's HEAD, or "time", the seconds since 1970 at which it was recorded: by record.json, or else when the newest ETDump was changed.
        against: the build before. Where this one surely got slower or faster the curve is marked.

        Raises ValueError for a step that is none, or that git does not say, and EtrecordError if a file cannot be written; then none is left half-written.
        """
        import platform

        if step is not None and step_from is not None:
            raise ValueError("step and step_from exclude each other")
        is_build = step is not None or step_from is not None
        if against is not None and not is_build:
            raise ValueError("against needs step or step_from: it marks a curve of builds")
        if is_build and graphs == "all":
            raise ValueError('graphs "all" has a run for each graph, and builds are one run')
        if step_from is not None:
            step = _commits() if _index(("git", "time"), "step_from", step_from) == 0 else None
        number = 0 if step is None else _number("step", step, 10**15 - 1)
        written: list[str] = []
        on_file = _library.ON_FILE(lambda _context, path, _entry_point, _kind: written.append(os.fsdecode(path)))
        options = LogdirOptions(logdir=_path(logdir), name=_path(name), wall_time=time.time(), host=platform.node().encode(), pid=os.getpid(),
                                dot_depth=_number("dot_depth", dot_depth, 2**31 - 1), on_file=on_file, graphs=_text(graphs.encode(), graphs) if graphs else None,
                                has_step=is_build, step=_library.STEP_OF_TIME if step_from == "time" else number)
        error = Error()
        with contextlib.ExitStack() as opened:
            profile = opened.enter_context(self._opened())
            options.before = opened.enter_context(against._opened()) if against else None
            check(library.etr_write_logdir(profile, ctypes.byref(options), ctypes.byref(error)), error)
        return written


def compare(
    records: Mapping[str, Path | Profile] | Iterable[Path | Profile], *, by: str | None = None, method: str | None = None, reference: Path | None = None,
    unit: str = "ms", limit: float = 0, recording_noise: float = 0,
) -> model.Compare:
    """Puts records side by side, as `etrecord-tb compare` does: paths, or profiles that stay open, with names in a mapping. The first is the base of the verdicts.

    by: also rows of "op", "module", "kernel" or "pattern". reference: a file that `etrecord-tb reference` made of the first record, for the SNR of outputs.
    method: only this one; None: all. unit: of times.
    limit, recording_noise: as in Profile.diff(). A record that cannot be read has a `problem`; EtrecordError is raised if none can.
    """
    from . import model

    kinds = ("op", "module", "kernel", "pattern")
    named = list(records.items()) if isinstance(records, Mapping) else [("", each) for each in records]
    if len(named) < 2:
        raise ValueError("compare needs two records or more")
    rates = _rate("limit", limit), _rate("recording_noise", recording_noise)
    number = 1 + _index(kinds, "by", by) if by else 0
    with contextlib.ExitStack() as opened, _library.record_set(number, method, _path(reference), *rates) as (add, document):
        first = failed = None
        for name, given in named:
            path = given.info()["etrecord"] or "" if isinstance(given, Profile) else "" if isinstance(given, bytes) else os.fspath(given)
            called = name or os.path.basename(os.path.normpath(path)) or "record"
            try:
                profile = given if isinstance(given, Profile) else Profile(given)
            except EtrecordError as error:
                add(None, called, path, error.message)
                failed = failed or error
                continue
            if first is None:
                first = profile if profile is given else opened.enter_context(profile)
                opened.enter_context(profile._opened())
            with profile._opened() as handle:
                add(handle, called, path)
            if profile is not given and profile is not first:
                profile.close()
        if first is None and failed is not None:
            raise failed
        said = json.loads(document(_unit(unit)))
    return model.build(model.Compare, {key: said[key] for key in ("records", "notes", "by", "rows") if key in said})


def _commits() -> int:
    """Returns the number of commits of the working directory's HEAD. A clone without history would give each build the same number."""
    import subprocess

    said = []
    for words in (("rev-parse", "--is-shallow-repository"), ("rev-list", "--count", "HEAD")):
        try:
            done = subprocess.run(["git", *words], capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            raise ValueError(f"step_from: git cannot be run ({error}): give step") from error
        if done.returncode:
            raise ValueError(f"step_from: git {words[0]}: {done.stderr.strip()[:200]}: run it in a clone of the model, or give step")
        said.append(done.stdout.strip())
    if said[0] == "true":
        raise ValueError("step_from: this clone is shallow, so that its commits cannot be counted: fetch all of them, or give step")
    return int(said[1])


def _index(words: tuple[str, ...], name: str, word: str) -> int:
    if word not in words:
        raise ValueError(f"{name} must be one of {', '.join(words)}, not {word!r}")
    return words.index(word)


def _unit(unit: str) -> int:
    return _index(_library.UNITS, "unit", unit)


def _filter(**wanted: str | None) -> NodeFilter:
    return NodeFilter(**{key: _text(value.encode(), value) for key, value in wanted.items() if value is not None})
