#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`strip` and `pack` do not pass damaged bytes on as intact ones: copies.py COMMAND."""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

RECORD = pathlib.Path(__file__).resolve().parents[1] / 'fixtures' / 'add_mul' / 'etrecord.bin'
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def write_damaged(path, entry, method):
    """An entry whose CRC is wrong, in both places that have it."""
    with zipfile.ZipFile(RECORD) as source, zipfile.ZipFile(path, 'w', method) as out:
        for name in source.namelist():
            out.writestr(name, source.read(name))
    with zipfile.ZipFile(path) as written:
        crc = written.getinfo(entry).CRC
    data = path.read_bytes()
    path.write_bytes(data.replace(crc.to_bytes(4, 'little'), (crc ^ 1).to_bytes(4, 'little')))


def entries_to_copy(command, folder):
    """Those that the command copies as they are stored: they have the same bytes in what it writes."""
    out = folder / 'whole.etrecord'
    subprocess.run([sys.argv[1], command, RECORD, '-o', out], capture_output=True, check=True)
    with zipfile.ZipFile(RECORD) as old, zipfile.ZipFile(out) as new:
        sizes = {info.filename: info.file_size for info in old.infolist()}
        return [name for name in new.namelist() if sizes.get(name) and old.read(name) == new.read(name)]


def main():
    failed = count = 0
    for command in ('strip', 'pack'):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            entries = entries_to_copy(command, folder)
            assert 'delegate_map' in entries
            for entry in entries:
                for method in METHODS:
                    damaged, out = folder / 'r.etrecord', folder / 'out.etrecord'
                    write_damaged(damaged, entry, method)
                    done = subprocess.run([sys.argv[1], command, damaged, '-o', out], capture_output=True, text=True, check=False)
                    count += 1
                    if done.returncode != 1 or 'CRC' not in done.stderr or out.exists():
                        failed += 1
                        print(f'OFF {command}: {entry}: exit {done.returncode}: {done.stderr}')
                        out.unlink(missing_ok=True)
    print(f'{count - failed} passed, {failed} failed')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
