#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every good fixture through every command: good.py PATH/TO/etrecord-tb. What a sanitizer's build reports, leaks too, fails it."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'cli'))
import command  # noqa: E402

COMMANDS = ('info', 'nodes', 'events', 'summary', 'delegation')
FORMATS = ('text', 'json', 'csv')
SELDOM = ('tsv', 'markdown')  # take the same paths as csv and text but for their last step: every fourth record has them
ONE_TABLE = ('csv', 'tsv')  # these formats hold one table: an answer that has several is asked for one
SEVERAL_TABLES = ('summary',)


def fixtures():
    for folder, _, files in sorted(os.walk(command.FIXTURES)):
        if 'hostile' not in folder and any(name.endswith(('etrecord.bin', '.etdp')) for name in files):
            yield folder, 'etrecord.bin' in files


def calls(folder, has_record, out, formats):
    if has_record:
        yield ['write', folder, '--logdir', out]
        yield [os.path.join(folder, 'etrecord.bin'), '--logdir', out, '--depth', '3']
        for options in ([], ['--depth', '9'], ['--fold']):
            yield ['dot', folder, *options]
    for name in ('summary', 'source'):
        yield [name, folder, '--by', 'pattern']
    for form in formats:
        one_table = ['--by', 'op'] if form in ONE_TABLE else []
        for name in COMMANDS:
            yield [name, folder, '--format', form, *(one_table if name in SEVERAL_TABLES else [])]
        yield ['diff', os.path.join(command.FIXTURES, 'mv2_portable'), folder, '--format', form, '--top', '0', *one_table]
    program = os.path.join(folder, 'model.pte')
    for form in formats if os.path.exists(program) else ():
        yield ['info', program, '--sizes', '--format', form]
        yield ['diff', os.path.join(command.FIXTURES, 'mv2_portable', 'model.pte'), program, '--format', form]


def main():
    program = command.program()
    passed, failed = 0, 0
    for number, (folder, has_record) in enumerate(fixtures()):
        formats = FORMATS if number % 4 else FORMATS + SELDOM
        with tempfile.TemporaryDirectory() as out:
            for arguments in calls(folder, has_record, out, formats):
                outcome = program.run(arguments, out)
                problems = outcome.problems()
                if outcome.status != 0 or problems:
                    failed += 1
                    print('FAILED', *arguments, outcome.status, problems, outcome.stderr[:2000])
                else:
                    passed += 1
    print(f'{passed} passed, {failed} failed')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
