#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The typical run of methods whose runs differ, by values computed by hand: typical.py PATH/TO/etrecord-tb

Dumps of dynamic_xnnpack with times in nanoseconds. A run is {event: time}; an event that it lacks, as a branch that was not taken, counts as 0.
"""

import json
import os
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, 'cli'), os.path.join(TESTS, 'corpus')]
import command  # noqa: E402
import forge  # noqa: E402

RECORD = os.path.join(command.FIXTURES, 'dynamic_xnnpack', 'etrecord.bin')
# Events of a run in the order in which they end: name, instruction, id inside the delegate.
EVENTS = {
    'size': ('native_call_sym_size.int', 0),
    'linear': ('', 2, 'Fully Connected (NC, F32) GEMM #1'),
    'transpose': ('', 2, 'Transpose (ND, X32) #1'),
    'delegate': ('DELEGATE_CALL', 2),
    'execute': ('Method::execute', -1),
}


def dump(runs, load=None):
    """An ETDump: one event after the other, but for those that contain others, which begin with their run or delegate. load: time of the load that comes first."""
    found, now = [], 10**6
    if load:
        found.append(('Loads', [('Program::load_method', -1, -1, 0, load), ('Method::init', -1, -1, 0, load // 2)]))
        now += load
    for run in runs:
        events, at = [], now
        for name, time in run.items():
            start = now if name == 'execute' else at - run['linear'] - run.get('transpose', 0) if name == 'delegate' else at
            end = start + time
            at = max(at, end)
            event, instruction, *rest = EVENTS[name]
            events.append((event, 0, instruction, start, end, *rest))
        found.append(('Execute', events))
        now = at + 10**6
    return forge.etdump(found)


def run(execute, size, linear, delegate, transpose=None):
    middle = {} if transpose is None else {'transpose': transpose}
    return {'size': size, 'linear': linear, **middle, 'delegate': delegate, 'execute': execute}


# Five runs: the shortest and the longest are left out, the typical run is the mean of the others.
# Name, one list of runs for each ETDump, typical time of Method::execute, of `size`, of `linear`, of what is inserted, of calling the delegate.
CASES = [
    ('one run', [[run(1000, 100, 300, 500, 50)]], 1000, 100, 300, 50, 150),
    ('two runs', [[run(1000, 100, 300, 500, 50), run(1200, 200, 320, 540, 50)]], 1100, 150, 310, 50, 160),
    ('a run that lacks an event counts as 0 for it', [[run(1000, 100, 300, 500, 90), run(900, 0, 0, 0, 0), run(1003, 103, 300, 500), run(1006, 106, 306, 506, 60),
                                                       run(1300, 400, 300, 500, 90)]], 1003, 103, 302, 50, 150),
    ('runs of two blocks are chosen together', [[run(1000, 100, 300, 500), run(1090, 190, 300, 500, 30), run(1030, 130, 300, 500), run(1060, 160, 300, 500, 30),
                                                 run(900, 10, 300, 500, 30)]], 1030, 130, 300, 10, 190),
    ('equal runs: the earlier is the shorter', [[run(1000, 1, 300, 500), run(1000, 2, 300, 500), run(1000, 6, 300, 500)]], 1000, 2, 300, 0, 200),
    ('two ETDumps with one and three runs count alike', [[run(1000, 100, 300, 500)], [run(2000, 300, 300, 500), run(2020, 320, 300, 500), run(9000, 900, 300, 500)]],
     1510, 210, 300, 0, 200),
]


def write_dumps(folder, dumps, loads=None):
    """Writes an ETDump for each list of runs, with its load; the options that name them."""
    options = []
    for number, runs in enumerate(dumps):
        path = os.path.join(folder, f'{number}.etdp')
        with open(path, 'wb') as file:
            file.write(dump(runs, loads and loads[number]))
        options += ['--etdump', path]
    return options


# Two recordings of 20 runs in two modes: 5 fast and 15 slow ones, and fast ones alone. The typical time is of neither mode.
MODES = [[run(ms * 10**6 + 7000 * (i % 5), 100000, ms * 500000, ms * 800000) for i, ms in enumerate(all_ms)] for all_ms in ([25] * 5 + [37] * 15, [25] * 20)]
TOLD = ['25.0 or 37.0 ms per inference (25 and 15 of 40 runs, typical 31.0 ms; measure again)', 'recordings: 37.0 and 25.0 ms']


def check_modes(program):
    """What is wrong with what is said of two modes, or None."""
    with tempfile.TemporaryDirectory() as folder:
        words = ['summary', RECORD, *write_dumps(folder, MODES), '--skip-runs', '0', '--unit', 'ms']
        text, document = (program.run([*words, *more], folder).stdout.decode() for more in ([], ['--format', 'json']))
    plain, answer = ' '.join(text.split()), json.loads(document)['methods'][0]['answer']
    missing = [said for said in TOLD if said not in plain]
    good = not missing and [round(ms, 1) for ms in answer['modes']] == [25, 37] and answer['text'].startswith('25.0 or 37.0 ms per inference. ')
    return None if good else f'{missing}, {answer}\n{text}'


# Loads of processes, in ns, and the typical one: the median, since the first process often reads the program from disk.
LOADS = [([90000], 90000), ([90000, 10000], 50000), ([90000, 10000, 12000], 12000), ([90000, 10000, 12000, 14000], 13000), ([10000, 12000, 90000, 96000, 99000], 90000)]


def check_loads(program):
    """What is wrong with the loads that all answers name, or None."""
    for loads, typical in LOADS:
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, 'record'))
            os.symlink(RECORD, os.path.join(folder, 'record', 'etrecord.bin'))
            write_dumps(os.path.join(folder, 'record'), [[run(1000, 100, 300, 500)] * 3] * len(loads), loads)
            words = [['summary', 'record'], ['diff', 'record', 'record'], ['compare', 'record', 'record']]
            summary, diff, compare = (json.loads(program.run([*word, '--unit', 'ns', '--format', 'json'], folder).stdout) for word in words)
            text = program.run(['summary', 'record', '--unit', 'ns'], folder).stdout.decode()
        finding = next(found['evidence'] for found in summary['methods'][0]['findings'] if found['title'].startswith('Load the program once'))
        told = {event['event_name']: event['typical'] for event in summary['load']}
        compared = {event['event_name']: event['new_typical'] for event in diff['load']}
        wanted = {'Program::load_method': typical, 'Method::init': typical / 2}
        rows = [record['methods'][0]['load'] for record in compare['records']]
        said = f'{typical} ns'
        if (told, compared, rows) != (wanted, wanted, [typical] * 2) or f'loading takes {said}' not in ' '.join(text.split()) or f'load_method takes {said}' not in finding:
            return f'{loads}: {told}, {compared}, {rows}, not {wanted}; {finding}\n{text}'
    return None


def check(program, case):
    """What is wrong, or None."""
    name, dumps, *wanted = case
    with tempfile.TemporaryDirectory() as folder:
        options = write_dumps(folder, dumps)
        outcome = program.run(['summary', RECORD, *options, '--skip-runs', '0', '--unit', 'ns', '--format', 'json'], folder)
    if outcome.status:
        return outcome.stderr.decode()
    method = json.loads(outcome.stdout)['methods'][0]
    operators = {row['op']: row['typical'] for row in method['by_op']}
    parts = {}
    for part in method['parts']:
        parts[part['part']] = parts.get(part['part'], 0) + part['typical']
    told = [method['execute']['typical'], operators.get('aten.sym_size.int', 0), operators.get('aten.linear.default', 0), parts.get('inserted', 0), parts.get('call_overhead', 0)]
    if abs(sum(parts.values()) - told[0]) > 1e-6:
        return f'the parts add up to {sum(parts.values())}, not {told[0]}'
    return None if all(abs(got - want) < 1e-6 for got, want in zip(told, wanted, strict=True)) else f'{told} instead of {wanted}; {operators}'


def main():
    program, failed = command.program(), 0
    for name, wrong in [*((case[0], check(program, case)) for case in CASES), ('two modes', check_modes(program)), ('loads', check_loads(program))]:
        if wrong:
            failed += 1
            print(f'FAILED {name}: {wrong}')
    print(f'{len(CASES) + 2 - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
