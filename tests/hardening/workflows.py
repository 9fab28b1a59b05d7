#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Workflow files pin actions by commit, ask for rights job by job, and leave no token in a checkout."""

import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / '.github' / 'workflows'


def faults(text):
    for action in re.findall(r'uses: *(.*)', text):
        if not action.startswith('./') and not re.fullmatch(r'[\w./-]+@[0-9a-f]{40} # v[\d.]+', action):
            yield f'{action}: is not pinned by commit, with its version behind it'
    if not re.search(r'^permissions: \{\}', text, re.MULTILINE):
        yield 'jobs have rights that they do not ask for: begin with "permissions: {}"'
    for name, job in re.findall(r'^  ([\w-]+):\n((?:    .*\n|\n)+)', text[text.index('\njobs:'):], re.MULTILINE):
        rights = re.search(r'permissions: *(?:\{(.*)\}|\n      (.*))', job)
        wanted = set()
        if 'actions/checkout@' in job:
            wanted.add('contents: read')
        if 'gh release' in job:
            wanted.add('contents: write')
        asked = {right.strip() for right in (rights[1] or rights[2]).split(',')} if rights else set()
        if asked != wanted:
            yield f'{name}: asks for {sorted(asked)} and uses {sorted(wanted)}'
        if job.count('actions/checkout@') != job.count('persist-credentials: false'):
            yield f'{name}: leaves a token in its checkout'


def main():
    found = [f'OFF {path.name}: {fault}' for path in sorted(FOLDER.glob('*.y*ml')) for fault in faults(path.read_text(encoding='utf-8'))]
    print(*found, f'{len(found)} failed', sep='\n')
    sys.exit(bool(found))


if __name__ == '__main__':
    main()
