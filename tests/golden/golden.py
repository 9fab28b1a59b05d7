#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares event files and DOT of some fixtures with the texts in this folder: golden.py PATH/TO/golden_text [--update].

Every byte counts: emitters have no clock, host name or hash order. --update rewrites the texts.
"""

import difflib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(os.path.dirname(HERE), 'fixtures')
RECORDS = {
    'add_mul': 'add_mul',
    'control_flow': 'control_flow',
    'extra_modules': 'extra_modules/etrecord.bin',  # and nothing timed
    'lowered_in_record': 'lowered_in_record',
    'multi_method': 'multi_method',
    'quantized_xnnpack': 'quantized_xnnpack',
}


def produced(program, record, kind):
    # From inside the fixtures' folder: paths that a text may hold are the same everywhere.
    return subprocess.run([program, record, kind], cwd=FIXTURES, stdout=subprocess.PIPE, check=True).stdout.decode('utf-8')


def difference(expected, got, name):
    lines = list(difflib.unified_diff(expected.splitlines(), got.splitlines(), 'expected ' + name, 'got', lineterm='', n=0))
    return '\n'.join(line[:200] for line in lines[:30])


def main():
    program = os.path.abspath(sys.argv[1])
    failed = 0
    for short, record in RECORDS.items():
        for kind in ('events', 'dot'):
            name = '%s.%s.txt' % (short, kind)
            path = os.path.join(HERE, name)
            got = produced(program, record, kind)
            if '--update' in sys.argv:
                with open(path, 'w', encoding='utf-8', newline='') as file:
                    file.write(got)
                continue
            with open(path, encoding='utf-8', newline='') as file:
                expected = file.read()
            if got != expected:
                failed += 1
                print('FAILED %s\n%s' % (name, difference(expected, got, name)))
    print('%d passed, %d failed' % (2 * len(RECORDS) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
