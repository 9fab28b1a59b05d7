# SPDX-License-Identifier: BSD-3-Clause
"""`python -m etrecord_tb` and the script etrecord-tb: the command that the package carries."""

import os
import pathlib
import sys


def main() -> None:
    command = pathlib.Path(__file__).parent / "bin" / "etrecord-tb"
    try:
        os.execv(command, ["etrecord-tb", *sys.argv[1:]])
    except OSError as reason:
        sys.exit(f"etrecord-tb: {command}: {reason.strerror}: the package was not installed with its command")


if __name__ == "__main__":
    main()
