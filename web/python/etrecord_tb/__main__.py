# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command that was installed with the package, as `python -m etrecord_tb`."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import subprocess
import sys

NAME = "etrecord-tb"
FILE = f"{NAME}.exe" if sys.platform == "win32" else NAME


def find_command() -> pathlib.Path | None:
    """Returns the path of the command: one of the distribution's files, or, after `pip install --target`, in bin beside the package."""
    beside = pathlib.Path(__file__).parents[1] / "bin" / FILE
    try:
        files = importlib.metadata.files(NAME) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    paths = [pathlib.Path(os.fspath(file.locate())) for file in files if file.name == FILE]
    return next((path for path in [*paths, beside] if path.is_file()), None)


def _record() -> None:
    """Runs `record` in this Python, which has torch and ExecuTorch, instead of the one that the command would start."""
    if sys.path and sys.path[0] in ("", os.getcwd()):
        sys.path.append(sys.path.pop(0))  # the user's module is searched last
    from .recording import main as record

    sys.exit(record(sys.argv[2:]))


def main() -> None:
    if sys.argv[1:2] == ["record"] and not {"-h", "--help"} & set(sys.argv):
        _record()
    command = find_command()
    if command is None:
        sys.exit(f"{NAME}: the package was installed without its command; install it anew: pip install --force-reinstall with its wheel or its sources")
    try:
        if sys.platform == "win32":  # where execv() starts another process without waiting for it
            sys.exit(subprocess.call([command, *sys.argv[1:]]))
        os.execv(command, [NAME, *sys.argv[1:]])
    except OSError as reason:
        sys.exit(f"{NAME}: {command}: {reason.strerror}; install the package for this machine: pip install --force-reinstall --no-cache-dir with its wheel or its sources")


if __name__ == "__main__":
    main()
