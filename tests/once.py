# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command on the files that it did not find to be right before, in this clone or another one: once.py RULE... -- COMMAND... -- FILE...

A file was found to be right by its name and its contents, the words of the command, and the contents of each RULE: files that decide what is right, such as
settings, and what says which version of the command there is. Where ccache keeps what was compiled, below XDG_CACHE_HOME or ~/.cache, their sums are kept.
"""

import hashlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "etrecord-tb" / "right"
AT_ONCE = 50  # files for one process


def sum_of(*parts):
    """Parts of different lengths have different sums; a clone's own place is left out."""
    return hashlib.sha256(b"".join(hashlib.sha256(part.replace(bytes(ROOT), b"")).digest() for part in parts)).hexdigest()


def split(words):
    """Rules, command and files."""
    first = words.index("--")
    second = words.index("--", first + 1)
    return words[:first], words[first + 1 : second], words[second + 1 :]


def main():
    rules, command, files = split(sys.argv[1:])
    known = CACHE / sum_of(*map(os.fsencode, command), *(pathlib.Path(rule).read_bytes() for rule in rules))
    right = set(known.read_text().split()) if known.exists() else set()
    sums = {file: sum_of(os.fsencode(file), pathlib.Path(file).read_bytes()) for file in files}
    unknown = [file for file in files if sums[file] not in right]
    failed = 0
    for at in range(0, len(unknown), AT_ONCE):
        some = unknown[at : at + AT_ONCE]
        if subprocess.run([*command, *some], check=False).returncode != 0:
            failed = 1
            continue
        CACHE.mkdir(parents=True, exist_ok=True)
        with known.open("a") as lines:  # of before the look: what changes meanwhile is looked at again
            lines.write("".join(f"{sums[file]}\n" for file in some))
    return failed


if __name__ == "__main__":
    sys.exit(main())
