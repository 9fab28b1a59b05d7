#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`strip` and `pack` do not pass damaged bytes on as intact ones: copies.py COMMAND."""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

RECORD = pathlib.Path(__file__).resolve().parents[1] / 'fixtures' / 'add_mul' / 'etrecord.bin'
ENTRY = 'delegate_map'  # is copied as it is stored


def write_damaged(path):
    """A compressed entry whose CRC is wrong, in both places that have it."""
    with zipfile.ZipFile(RECORD) as source, zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as out:
        for name in source.namelist():
            out.writestr(name, source.read(name))
    with zipfile.ZipFile(path) as written:
        crc = written.getinfo(ENTRY).CRC
    data = path.read_bytes()
    path.write_bytes(data.replace(crc.to_bytes(4, 'little'), (crc ^ 1).to_bytes(4, 'little')))


def main():
    failed = 0
    for command in ('strip', 'pack'):
        with tempfile.TemporaryDirectory() as folder:
            damaged, out = pathlib.Path(folder) / 'r.etrecord', pathlib.Path(folder) / 'out.etrecord'
            write_damaged(damaged)
            done = subprocess.run([sys.argv[1], command, damaged, '-o', out], capture_output=True, text=True, check=False)
            if done.returncode != 1 or 'CRC' not in done.stderr or out.exists():
                failed += 1
                print(f'OFF {command}: exit {done.returncode}: {done.stderr}')
    print(f'{2 - failed} passed, {failed} failed')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
