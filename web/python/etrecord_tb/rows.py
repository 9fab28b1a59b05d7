# SPDX-License-Identifier: BSD-3-Clause
"""Writes the rows that `etrecord-tb` prints as Parquet or Arrow IPC, with pyarrow: pip install ".[arrow]" in its sources.

The command starts main() for `--format parquet` and `--format arrow`. Standard input has a line with the type of each column, then rows as JSON Lines, and an empty
line after each answer. The input may end at any time: the file then has all answers that are complete. Memory does not grow with the number of rows.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import queue
import signal
import sys
import threading
from typing import Any, BinaryIO, Iterator

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")  # numpy's threads would keep rights that main() gives up

import pyarrow  # noqa: E402
import pyarrow.ipc  # noqa: E402
import pyarrow.json  # noqa: E402
import pyarrow.parquet  # noqa: E402

BYTES_AT_ONCE = 8 << 20  # of JSON
PARTS_AHEAD = 2  # of so many bytes, read before they are needed
ROWS_AT_ONCE = 1 << 16  # of a row group, or an Arrow batch


def _read_ahead(source: BinaryIO) -> Iterator[bytes]:
    """Reads what comes while earlier parts are written, on a thread of its own: the command would wait for this process as soon as the pipe is full."""
    parts: queue.Queue[bytes | OSError] = queue.Queue(PARTS_AHEAD)

    def read() -> None:
        try:
            while part := source.read(BYTES_AT_ONCE):
                parts.put(part)
            parts.put(b"")
        except OSError as problem:
            parts.put(problem)

    threading.Thread(target=read, daemon=True).start()  # whoever stops early ends the process
    while part := parts.get():
        if isinstance(part, OSError):
            raise part
        yield part


def _read_answers(source: BinaryIO, threads: bool) -> Iterator[bytes]:
    """Reads whole answers, many at a time. What follows the last empty line is left out."""
    rest = b""
    for part in _read_ahead(source) if threads else iter(lambda: source.read(BYTES_AT_ONCE), b""):
        text = rest + part
        end = text.rfind(b"\n\n") + 1
        rest = text[end:]
        if end:
            yield text[:end]
    if rest.strip():
        print("etrecord-tb: warning: the last answer was not complete: it is left out", file=sys.stderr)


def _read_tables(source: BinaryIO, schema: pyarrow.Schema, threads: bool) -> Iterator[pyarrow.Table]:
    """Reads tables of about ROWS_AT_ONCE rows."""
    parse, waiting, count = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"), [], 0
    for text in _read_answers(source, threads):
        if text.strip():
            waiting.append(pyarrow.json.read_json(io.BytesIO(text), pyarrow.json.ReadOptions(threads, block_size=len(text) + 1), parse))
            count += waiting[-1].num_rows
        if count >= ROWS_AT_ONCE:
            yield pyarrow.concat_tables(waiting)
            waiting, count = [], 0
    yield pyarrow.concat_tables([pyarrow.Table.from_batches([], schema), *waiting])  # schema.empty_table() would import pandas, which takes longer than all else


def _open_writer(format: str, out: BinaryIO, schema: pyarrow.Schema, is_stream: bool) -> Any:
    if format == "parquet":
        return pyarrow.parquet.ParquetWriter(out, schema, compression="zstd")
    return (pyarrow.ipc.new_stream if is_stream else pyarrow.ipc.new_file)(out, schema)


def _write(source: BinaryIO, format: str, out: BinaryIO, is_stream: bool, threads: bool = True) -> None:
    """Writes nothing if there is no answer."""
    head = source.readline()
    if not head.endswith(b"\n"):
        return
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in json.loads(head).items()])
    with _open_writer(format, out, schema, is_stream) as writer:
        for table in _read_tables(source, schema, threads):
            writer.write_table(table)


def _give_up_files() -> None:
    """Closes the file system to this process and those that it starts, on Linux since 5.13. What is open stays open.

    Everything that is needed is imported, and the rows may come from anyone. The command has given up other rights before it started this process.
    """
    if not sys.platform.startswith("linux"):
        return
    create_ruleset, restrict_self, ask_version, no_new_privileges = 444, 446, 1, 38  # the calls' numbers are those of all machines
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(create_ruleset, None, ctypes.c_size_t(0), ask_version)
    if version < 1:
        return
    first, later = (1 << 13) - 1, {13: 2, 14: 3, 15: 5}  # accesses to files: bits of the first version, and the version that has each further one
    files = first | sum(1 << bit for bit, since in later.items() if version >= since)
    forbidden = (ctypes.c_uint64 * 3)(files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)  # and TCP; abstract sockets, signals
    rules = libc.syscall(create_ruleset, forbidden, ctypes.c_size_t(ctypes.sizeof(forbidden)), 0)
    if rules >= 0:
        libc.prctl(no_new_privileges, 1, 0, 0, 0)
        libc.syscall(restrict_self, rules, 0)
        os.close(rules)


def main(arguments: list[str]) -> int:
    """Writes the rows of standard input to standard output. The arguments are "parquet" or "arrow"; "file", or "stream" if the output has no places; its name.

    Returns 1, with a message, if the rows cannot be written.
    """
    format, kind, name = arguments
    for signal_name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the command ends the input when it gets them
        if hasattr(signal, signal_name):
            signal.signal(getattr(signal, signal_name), signal.SIG_IGN)
    is_stream = kind == "stream"
    # One row, so that pyarrow imports what it needs while it can. It starts no threads yet, because those would keep their rights.
    _write(io.BytesIO(b'{"column": "int64"}\n{"column": 1}\n\n'), format, io.BytesIO(), is_stream, threads=False)
    _give_up_files()
    try:
        with open(sys.stdout.fileno(), "wb", closefd=False) as out:
            _write(sys.stdin.buffer, format, out, is_stream)
    except (OSError, pyarrow.ArrowException) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else problem
        print(f"etrecord-tb: {name}: {reason}", file=sys.stderr, flush=True)
        os._exit(1)  # a thread may still wait for rows, with a lock that the end of Python would wait for
    return 0
