#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rows stay whole when several commands append to one file: rows.py PATH/TO/etrecord-tb.

A socket shows what each write to standard output contains: whole lines only. Then writers append to one file, all at the same time.
"""

import collections
import os
import socket
import subprocess
import sys
import tempfile
import threading

FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'fixtures')
MOST_BYTES, WRITERS, ROUNDS = 1 << 16, 4, 5
LINES = [
    ('nodes', 'mv2_portable', '--format', 'jsonl', '--tag', 'device=pixel8'),
    ('nodes', 'mv2_portable', '--format', 'csv'),
    ('events', 'mv2_portable', '--format', 'tsv'),
    ('events', 'add_mul', '--format', 'jsonl'),
]
LONG = ('nodes', 'add_mul', '--format', 'jsonl', '--tag', 'note=' + 'x' * (MOST_BYTES - 1000))  # a row is just short enough
TOO_LONG = ('nodes', 'add_mul', '--format', 'jsonl', '--tag', 'note=' + 'x' * MOST_BYTES)


def arguments(program, line):
    command, record, *options = line
    return [program, command, os.path.join(FIXTURES, record), *options]


def writes_of(program, line):
    """What each write to standard output contained."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    found = []

    def collect():
        while data := ours.recv(4 * MOST_BYTES):
            found.append(data)

    reader = threading.Thread(target=collect)
    reader.start()
    with theirs:
        subprocess.run(arguments(program, line), stdout=theirs, check=True)
    reader.join()
    ours.close()
    return found


def printed(program, line):
    return subprocess.run(arguments(program, line), capture_output=True, check=True).stdout


def check_writes(program):
    for line in (*LINES, LONG):
        writes, whole = writes_of(program, line), printed(program, line)
        assert b''.join(writes) == whole, f'{line[:4]}: other output'
        assert all(write.endswith(b'\n') and len(write) <= MOST_BYTES for write in writes), f'{line[:4]}: a write ends within a row'
        assert line is LONG or len(writes) <= len(whole) / 4096 + 1, f'{line[:4]}: {len(writes)} writes of {len(whole)} bytes'
    assert b''.join(writes_of(program, TOO_LONG)) == printed(program, TOO_LONG)


def check_appending(program):
    """Each writer's rows are in the file as often as it wrote them."""
    expected = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'fleet.jsonl')
        for line in (LINES[0], LONG):
            expected += collections.Counter({row: WRITERS * ROUNDS for row in printed(program, line).splitlines()})
            for _ in range(ROUNDS):
                with open(path, 'ab') as file:
                    writers = [subprocess.Popen(arguments(program, line), stdout=file) for _ in range(WRITERS)]
                assert not any([writer.wait() for writer in writers])
        with open(path, 'rb') as file:
            assert collections.Counter(file.read().splitlines()) == expected, 'a row is broken'


def main():
    program = os.path.abspath(sys.argv[1])
    check_writes(program)
    check_appending(program)
    print('2 passed, 0 failed')


if __name__ == '__main__':
    main()
