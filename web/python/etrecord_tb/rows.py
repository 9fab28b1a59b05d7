# SPDX-License-Identifier: BSD-3-Clause
"""Writes the rows that `etrecord-tb` prints as Parquet or Arrow IPC, with pyarrow: pip install "etrecord-tb[arrow]".

The command starts main() for `--format parquet` and `--format arrow`. Standard input has a line with the type of each column, then rows as JSON Lines, and an empty
line after each answer. The input may end at any time: the file then has all answers that are complete. Memory does not grow with the number of rows.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import tempfile
from typing import Any, BinaryIO, Iterator

import pyarrow
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet

BYTES_AT_ONCE = 16 << 20  # of JSON
ROWS_AT_ONCE = 1 << 16  # of a row group, or an Arrow batch


def _read_answers(source: BinaryIO) -> Iterator[bytes]:
    """Reads whole answers, many at a time. What follows the last empty line is left out."""
    rest = b""
    while part := source.read(BYTES_AT_ONCE):
        text = rest + part
        end = text.rfind(b"\n\n") + 1
        rest = text[end:]
        if end:
            yield text[:end]
    if rest.strip():
        print("etrecord-tb: warning: the last answer was not complete: it is left out", file=sys.stderr)


def _read_tables(source: BinaryIO, schema: pyarrow.Schema) -> Iterator[pyarrow.Table]:
    """Reads tables of about ROWS_AT_ONCE rows."""
    parse, waiting, count = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"), [], 0
    for text in _read_answers(source):
        if text.strip():
            waiting.append(pyarrow.json.read_json(io.BytesIO(text), pyarrow.json.ReadOptions(block_size=len(text) + 1), parse))
            count += waiting[-1].num_rows
        if count >= ROWS_AT_ONCE:
            yield pyarrow.concat_tables(waiting)
            waiting, count = [], 0
    yield pyarrow.concat_tables([schema.empty_table(), *waiting])


def _open_writer(format: str, out: BinaryIO, schema: pyarrow.Schema, is_stream: bool) -> Any:
    if format == "parquet":
        return pyarrow.parquet.ParquetWriter(out, schema, compression="zstd")
    return (pyarrow.ipc.new_stream if is_stream else pyarrow.ipc.new_file)(out, schema)


def _write(source: BinaryIO, format: str, out: BinaryIO, is_stream: bool) -> bool:
    """Returns false, and writes nothing, if there is no answer."""
    head = source.readline()
    if not head.endswith(b"\n"):
        return False
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in json.loads(head).items()])
    with _open_writer(format, out, schema, is_stream) as writer:
        for table in _read_tables(source, schema):
            writer.write_table(table)
    return True


def _write_file(source: BinaryIO, format: str, path: str) -> None:
    """Writes a file next to `path`, and renames it when it is complete."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device
        with open(path, "wb") as out:
            _write(source, format, out, is_stream=True)
        return
    handle, unfinished = tempfile.mkstemp(prefix=".etrecord-tb-rows.", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as out:
            is_written = _write(source, format, out, is_stream=False)
        if is_written:
            os.chmod(unfinished, os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~_mask())
            os.replace(unfinished, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished)


def _mask() -> int:
    """Returns the permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def main(format: str, path: str) -> int:
    """Returns 1, with a message, if the rows cannot be written."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # the command ends the input when it gets them
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    try:
        if path == "-":
            _write(sys.stdin.buffer, format, sys.stdout.buffer, is_stream=True)
        else:
            _write_file(sys.stdin.buffer, format, path)
    except (OSError, pyarrow.ArrowException) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else problem
        print(f"etrecord-tb: {path}: {reason}", file=sys.stderr)
        return 1
    return 0
