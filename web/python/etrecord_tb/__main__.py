# SPDX-License-Identifier: BSD-3-Clause
"""`python -m etrecord_tb`: the command that was installed with the package."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import subprocess
import sys

NAME = "etrecord-tb"
FILE = f"{NAME}.exe" if sys.platform == "win32" else NAME


def _found() -> pathlib.Path | None:
    """Where pip put it: among the files of the distribution; after `pip install --target`, in bin beside the package."""
    beside = pathlib.Path(__file__).parents[1] / "bin" / FILE
    try:
        files = importlib.metadata.files(NAME) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    places = [pathlib.Path(os.fspath(file.locate())) for file in files if file.name == FILE]
    return next((place for place in [*places, beside] if place.is_file()), None)


def main() -> None:
    command = _found()
    if command is None:
        sys.exit(f"{NAME}: the package was installed without its command; install it anew: pip install --force-reinstall {NAME}")
    try:
        if sys.platform == "win32":  # where execv() starts another process and does not wait for it
            sys.exit(subprocess.call([command, *sys.argv[1:]]))
        os.execv(command, [NAME, *sys.argv[1:]])
    except OSError as reason:
        sys.exit(f"{NAME}: {command}: {reason.strerror}; install the package for this machine: pip install --force-reinstall --no-cache-dir {NAME}")


if __name__ == "__main__":
    main()
