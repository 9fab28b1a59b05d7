# SPDX-License-Identifier: BSD-3-Clause
"""Computes with torch what the values of a record should be; `etrecord-tb reference` runs it.

The result is a safetensors file; lib/accuracy/reference_file.h has its keys. This module finds out what is to be computed, without
torch, so that mistakes are said at once; _reference_run.py computes it.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
import time
import warnings
from typing import Any, Mapping

from .profile import Profile
from .recording import ignored_path


class Failure(Exception):
    """Says in one line what is wrong and what to do."""


def shortened(text: str, most: int) -> str:
    """The first sentences of a text that has more than so many characters, or else its first words."""
    start = text[:most]
    if start == text:
        return text
    end = text.rfind(". ", 0, most + 1)
    return text[: end + 1] if end > 0 else (start.rpartition(" ")[0] or start) + " ..."


class Progress:
    """Says on standard error what is done. Steps replace each other on one line, and only in a terminal."""

    def __init__(self) -> None:
        self.shows = sys.stderr.isatty()
        self.last = 0.0

    def say(self, text: str) -> None:
        self._print(text, "\n")

    def step(self, text: str) -> None:
        if self.shows and time.monotonic() - self.last > 0.1:
            self.last = time.monotonic()
            self._print(text[: shutil.get_terminal_size().columns - 14], "")

    def _print(self, text: str, end: str) -> None:
        print(("\r\x1b[K" if self.shows else "") + "etrecord-tb: " + text, end=end, file=sys.stderr, flush=True)


class Method:
    """A method of the record: what its runs logged, and later what was computed of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.runs: set[int] = set()
        self.nodes: set[str] = set()  # Edge nodes with logged values; empty: all nodes are written
        self.samples: list[list[Any]] = []
        self.ran: dict[str, Any] = {}  # the graphs that ran, by name
        self.state = self.random = ""


class Job:
    """What is to be computed: the record, its methods, and with --local the record of the device."""

    def __init__(
        self, record: list[str], output: str, *, inputs: str | None, everything: bool, local: bool, device: list[str], files: dict[str, Any], methods: Mapping[Any, str],
        kept: str = "",
    ) -> None:
        self.kept = kept  # identifies the content of both records, for `accuracy`, which made the file
        self.output, self.inputs, self.everything, self.local = output, inputs, everything, local
        if not os.path.isdir(os.path.dirname(output) or "."):
            raise Failure(f"{output}: there is no such folder")
        if inputs is not None and not os.path.isfile(inputs):
            raise Failure(f"{inputs}: there is no such file")
        self._of, self._device = record, device
        self._files = files if device else {**files, "methods": methods}  # runs are those of the device
        self._device_files = {"methods": methods}
        answer = self._ask(record, self._files, None, None)
        if answer["record"] is None:
            raise Failure("there is no ETRecord: the graphs are in it")
        self.record: str = answer["record"]
        self.hash: str = answer["record_hash"]
        self.methods: dict[str, Method] = {}
        for value in answer["values"]:
            method = self.methods.setdefault(value["method"], Method(value["method"]))
            method.runs.add(value["run"])
            method.nodes.add(str(value["node"]).split(" #")[0])
        self.main_method = next(iter(self.methods), "forward")
        logged = self._ask(device, self._device_files, None, None) if device else answer
        self.device_buffer: str = logged["debug_buffer"] or ""
        self.device_hash: str = f"{logged['record_hash']} {logged['recording_hash']}"
        if local and not (logged["values"] and self.device_buffer):
            why = logged["text"] if not logged["values"] else "The debug buffer is missing, in which the values are: --debug-buffer FILE names it (docs/recording.md)."
            raise Failure(f"{device[0] if device else self.record}: --local: {why}")
        if device:  # whichever runs it has, all nodes may be needed
            self.methods = {name: Method(name) for name in self.methods}

    def add_methods(self, names: list[str]) -> None:
        """Adds the methods of the record that logged nothing."""
        for name in names:
            self.methods.setdefault(name, Method(name))
        if self.main_method not in names:
            self.main_method = names[0]

    def ask_device(self, reference: str) -> dict[str, Any]:
        """Compares the values that the device logged with a reference of the record."""
        if not self._device:
            return self._ask(self._of, self._files, reference, None)
        return self._ask(self._device, self._device_files, reference, self.record)

    def _check_output(self, profile: Profile) -> None:
        """Refuses to replace a file of the record."""
        info = profile.info()
        files = [info["etrecord"], info["pte"], info["debug_buffer"], self.inputs, *info["etdumps"], *info["external_weights"]]
        if os.path.exists(self.output) and any(file and os.path.exists(file) and os.path.samefile(file, self.output) for file in files):
            raise Failure(f"{self.output}: this is an input, which the output would replace: name another file with -o")

    def _ask(self, record: list[str], files: dict[str, Any], reference: str | None, of: str | None) -> dict[str, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Profile(*record, **files) as profile:
                self._check_output(profile)
                if of is None:
                    return profile.accuracy_document(reference)
                with Profile(of) as other:
                    return profile.accuracy_document(reference, other)


def write_reference(
    record: list[str], output: str, *, inputs: str | None = None, everything: bool = False, local: bool = False, device: list[str] | None = None,
    methods: Mapping[Any, str] | None = None, kept: str = "", **files: Any,
) -> None:
    """Writes the reference of a record. device: the files of the record whose logged values `local` goes on with, if it is another one. methods: of the runs that logged
    them, as in Profile. Raises Failure."""
    job = Job(record, output, inputs=inputs, everything=everything, local=local or bool(device), device=device or [], files=files, methods=methods or {}, kept=kept)
    progress = Progress()
    progress.step("starting torch")
    from ._reference_run import write

    write(job, progress)


def _methods(choices: list[str]) -> dict[Any, str]:
    """The methods of runs from "3=decode" or "3-5=decode", which the command has checked."""
    methods: dict[Any, str] = {}
    for choice in choices:
        runs, _, name = choice.partition("=")
        first, _, last = runs.partition("-")
        methods[range(int(first), int(last or first) + 1)] = name
    return methods


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="etrecord-tb reference")
    parser.add_argument("record", nargs="*")
    parser.add_argument("--output", required=True)
    for name in ("etdump", "for", "map"):
        parser.add_argument("--" + name, action="append", default=[])
    for name in ("inputs", "etrecord", "pte", "debug-buffer", "kept"):
        parser.add_argument("--" + name)
    for name in ("all", "local"):
        parser.add_argument("--" + name, action="store_true")
    wanted = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")  # of torch, about its own code
    files = {name: getattr(wanted, name) for name in ("etrecord", "etdump", "pte", "debug_buffer") if getattr(wanted, name)}
    try:
        write_reference(wanted.record, wanted.output, inputs=wanted.inputs, everything=wanted.all, local=wanted.local, device=getattr(wanted, "for"), methods=_methods(wanted.map), kept=wanted.kept or "", **files)
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        print(f'etrecord-tb: `reference` needs torch and executorch: pip install torch executorch ({error}){ignored_path(error)}', file=sys.stderr)
        return 1
    except Exception as error:  # whatever torch raises about a record
        text = " ".join(str(error).split())
        print(f"etrecord-tb: {text if isinstance(error, (Failure, ValueError, OSError)) else f'{type(error).__name__}: {shortened(text, 600)}'}", file=sys.stderr)
        return 1
    return 0
