#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every good fixture through the commands: good.py PATH/TO/etrecord-tb [--some]. What a sanitizer's build reports, leaks too, fails it.

With --some each fixture has every fifth command, the next one the next fifth of them."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'cli'))
import command  # noqa: E402

PARTS = 5  # no factor of the numbers of formats and options, so that each part has them all
COMMANDS = ('info', 'nodes', 'events', 'summary', 'delegation')
# One record after the other has the next of them with each command (and the next options of some): what reads a record sees them all, and what writes a format sees many records.
FORMATS = ('text', 'json', 'csv', 'json', 'text', 'markdown', 'csv', 'tsv')
ONE_TABLE = ('csv', 'tsv')  # these formats hold one table: an answer that has several is asked for one
SEVERAL_TABLES = ('summary',)
OTHER_CLOCK = b'their times cannot be compared'  # cycles of one side with the nanoseconds of the other: `diff` says so, as of wrong usage


def fixtures():
    for folder, _, files in sorted(os.walk(command.FIXTURES)):
        if 'hostile' not in folder and any(name.endswith(('etrecord.bin', '.etdp')) for name in files):
            yield folder, 'etrecord.bin' in files


def calls(folder, has_record, out, number):
    """Calls of the command for one record, the number-th."""
    if has_record:
        whole, alone = ['write', folder], [os.path.join(folder, 'etrecord.bin'), '--depth', '3']
        yield [*(whole, alone)[number % 2], '--logdir', out]
        yield ['dot', folder, *(([], ['--depth', '9'], ['--fold'])[number // PARTS % 3])]
    yield [('summary', 'source')[number % 2], folder, '--by', 'pattern']
    for at, name in enumerate(COMMANDS):
        forced = ['--force'] if name == 'nodes' else []  # an ETDump alone has none
        yield [name, folder, *forced, *in_format(FORMATS[(number + at) % len(FORMATS)], name in SEVERAL_TABLES)]
    form = FORMATS[number % len(FORMATS)]
    yield ['diff', os.path.join(command.FIXTURES, 'mv2_portable'), folder, '--top', '0', *in_format(form, True)]
    program = os.path.join(folder, 'model.pte')
    if os.path.exists(program):
        alone, compared = ['info', program, '--sizes'], ['diff', os.path.join(command.FIXTURES, 'mv2_portable', 'model.pte'), program]
        yield [*(alone, compared)[number // 2 % 2], *in_format(form, False)]


def in_format(form, has_several_tables):
    """The options for an answer in this format."""
    one_table = ['--by', 'op'] if has_several_tables and form in ONE_TABLE else []
    return ['--format', form, *one_table]


def main():
    program = command.program()
    parts = PARTS if '--some' in sys.argv else 1
    passed, failed = 0, 0
    for number, (folder, has_record) in enumerate(fixtures()):
        with tempfile.TemporaryDirectory() as out:
            for arguments in list(calls(folder, has_record, out, number))[number % parts :: parts]:
                outcome = program.run(arguments, out)
                problems = outcome.problems()
                is_refused = outcome.status == 2 and OTHER_CLOCK in outcome.stderr
                if (outcome.status != 0 and not is_refused) or problems:
                    failed += 1
                    print('FAILED', *arguments, outcome.status, problems, outcome.stderr[:2000])
                else:
                    passed += 1
    print(f'{passed} passed, {failed} failed')
    sys.exit(failed > 0)


if __name__ == '__main__':
    main()
