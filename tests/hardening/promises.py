#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each sentence of what SECURITY.md promises has a test that fails when it is false: promises.txt has both, and this checks that it has all of them.

A test is FILE of tests/, or FILE: NAME, where the file has the name; in parentheses stands why a sentence needs none. "promises.py --list" prints the sentences.
"""

import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
SECTIONS = ('Guarantees', 'Defence in depth')


def sentences():
    """Those of paragraphs, items and rows; parts that a semicolon separates count each."""
    text = (TESTS.parent / 'SECURITY.md').read_text(encoding='utf-8')
    for section in SECTIONS:
        body = re.search(rf'^## {section}\n(.*?)(?=^## |\Z)', text, re.MULTILINE | re.DOTALL)[1]
        body = re.sub(r'^\|[-| ]+\|\n', '', body, flags=re.MULTILINE)
        for block in re.split(r'\n\n|\n(?=- |\| )', body):
            cells = ' cannot '.join(cell.strip() for cell in block.strip().strip('|').split(' | ')) if block.startswith('|') else block
            words = ' '.join(cells.removeprefix('- ').split())
            yield from (part.strip() for part in re.split(r'(?<=[.;:]) (?=[a-zA-Z`-])', words) if part.strip(' .:;'))


def promises():
    """Pairs of a sentence and its tests."""
    found = []
    for line in (TESTS / 'hardening' / 'promises.txt').read_text(encoding='utf-8').splitlines():
        if line.startswith('  '):
            found[-1][1].append(line.strip())
        elif line.strip() and not line.startswith('#'):
            found.append((line.strip(), []))
    return found


def faults():
    told, written = list(sentences()), promises()
    yield from (f'has no test: {sentence}' for sentence in told if sentence not in dict(written))
    yield from (f'is not in SECURITY.md: {sentence}' for sentence, _ in written if sentence not in told)
    for sentence, tests in written:
        if not tests:
            yield f'has no test: {sentence}'
        for test in tests:
            if test.startswith('('):
                continue
            name, _, case = test.partition(': ')
            path = TESTS / name
            if not path.exists():
                yield f'{name} does not exist'
            elif case and case not in path.read_text(encoding='utf-8'):
                yield f'{name} has no {case}'


def main():
    if '--list' in sys.argv:
        print(*sentences(), sep='\n')
        return
    found = list(faults())
    print(*(f'OFF {fault}' for fault in found), f'{len(promises())} sentences, {len(found)} faults', sep='\n')
    sys.exit(bool(found))


if __name__ == '__main__':
    main()
