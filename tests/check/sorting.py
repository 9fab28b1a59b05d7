#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sorting never changes which rows there are: sorting.py PATH/TO/etrecord-tb [FIXTURES]

For every command that sorts, every value of --by and --values, and every key of --sort: the same rows of CSV and the same lines of text, in whatever order. Commands, keys and values are those of --help, so
that what is added is tried as well. EVERY=3 sorts one record for each of --by, one after the other (default: all).
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'examples' / 'accuracy'
RECORDS = ('mv2_xnnpack', 'multi_method', 'vit_xnnpack')
OF_TWO = (('mv2_portable', 'mv2_xnnpack'), ('inserted_before', 'inserted_xnnpack'))
EVERY = int(os.environ.get('EVERY', '1'))
FORMATS = (('--format', 'csv'), ('--top', '0', '--width', '0'))
MORE = re.compile(r'^ *\d+ more.*$', re.M)


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    return done.stdout if done.returncode == 0 else None


def words(help_text, option):
    """The values that an option takes, by the help of a command."""
    found = re.search(r'^ .*--%s [A-Z]+\s((?:.|\n)*?)(?=\n +(?:-\w, +)?--|\n\n|\Z)' % option, help_text, re.M)
    return found[1].split()[-1].split('|') if found else []


def inputs_of(command, fixtures):
    if command == 'diff':
        return [[fixtures / base, fixtures / newer] for base, newer in OF_TWO]
    if command == 'accuracy':
        return [[EXAMPLES / 'int8', '--reference', EXAMPLES / 'f32.safetensors', '--reference-record', EXAMPLES / 'f32']]
    return [[fixtures / record] for record in RECORDS]


def rows(text):
    return sorted(MORE.sub('', text).splitlines())


def faults(program, command, fixtures, tried):
    page = run(program, 'help', command)
    keys = words(page, 'sort')
    views = [[]] + [['--by', by] for by in words(page, 'by')] + ([['--values']] if '--values' in page else [])
    inputs = inputs_of(command, fixtures)
    asked = [(given, view) for at, view in enumerate(views) for given in inputs[at % EVERY :: EVERY] or inputs[:1]]
    for (given, view), how in itertools.product(asked if keys else [], FORMATS):
        usual = run(program, command, *given, *view, *how)
        if usual is None:  # several tables are no CSV
            continue
        for key in keys:
            text = run(program, command, *given, *view, *how, '--sort', key)
            tried.add((command, *view, key))
            if text is None or rows(text) != rows(usual):
                yield '%s %s: other rows with --sort %s' % (command, ' '.join(map(str, [*given, *view, *how])), key)


def main():
    program = sys.argv[1]
    fixtures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[1] / 'fixtures'
    commands = re.findall(r'^  (\w+) ', run(program, '--help').partition('\ncommands:\n')[2].partition('\n\n')[0], re.M)
    tried = set()
    found = [fault for command in commands for fault in faults(program, command, fixtures, tried)]
    for fault in found:
        print(fault)
    if len({command for command, *_ in tried}) < 6:
        found.append('few')
        print('only these were tried: %s' % sorted(tried))
    print('%d passed, %d failed' % (len(tried), len(found)))
    sys.exit(bool(found))


if __name__ == '__main__':
    main()
