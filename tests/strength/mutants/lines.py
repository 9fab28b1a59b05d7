#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of the file of devices that users keep, through the command: lines.py PATH/TO/etrecord-tb [--count N] [--seed S]

--devices reads peaks. The command answers, or says in one line what is wrong with the file.
"""

import argparse
import os
import shutil
import sys
import tempfile

import chance
import json_trees
import logs
import mutants

sys.path.insert(0, os.path.join(mutants.TESTS, 'cli'))
import command  # noqa: E402

RECORD = os.path.join(mutants.FIXTURES, 'add_mul')
DEVICES = b"""# peaks
{"device": "pixel8", "peak_flops": 1.2e11, "peak_int_ops": 4.8e11, "peak_bandwidth": 5e10}

{"device": "n", "peak_flops": 1e9}
"""


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def changed(dice, data):
    """Lines with other values, or other lines."""
    if dice.often(0.5):
        return logs.mutate(dice, data, dice.few(4))
    lines = data.splitlines()
    for _ in range(dice.few(4)):
        at = dice.below(len(lines))
        lines[at] = json_trees.mutate(dice, lines[at], dice.few(3))
    return b'\n'.join(lines + [b''])


def require(outcome, allowed):
    problems = outcome.problems()
    if problems or outcome.status not in allowed:
        raise RuntimeError('; '.join(problems) or 'exit %d: %s' % (outcome.status, outcome.stderr.decode()))


def try_devices(program, dice, folder):
    write(os.path.join(folder, 'devices'), changed(dice, DEVICES))
    require(program.run(('nodes', RECORD, '--devices', 'devices', '--device', 'pixel8'), folder), (0, 1))


def main():
    program = command.program()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--seed', default='1')
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as base:
        for number in range(arguments.count):
            folder, dice = os.path.join(base, 'now'), chance.Chance('%s/%d' % (arguments.seed, number))
            os.mkdir(folder)
            try:
                try_devices(program, dice, folder)
            except (RuntimeError, ValueError, KeyError) as fault:
                failed += 1
                print('FOUND %d: %s' % (number, fault), flush=True)
            shutil.rmtree(folder)
    print('%d passed, %d failed' % (arguments.count - failed, failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
