#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often is the command wrong about noise, and what does it find? simulate.py PATH/TO/etrecord-tb [--pairs N] [--only WORD] [--markdown]

Writes ETDumps with known noise and known changes, runs `diff`, `diff --fail-above` and `summary` on them, and prints a rate for each cell, in percent of the pairs. A cell beyond its bound fails the
test. Seeded: the same command prints the same rates. Bounds leave room for chance: a true rate of 5 % exceeds 11 % of 100 pairs about once in 250 cells. README.md has the rates.
"""
import argparse
import gzip
import json
import multiprocessing
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

try:
    import numpy as np
except ImportError:
    print('skipped: numpy is not installed for this Python (tests/run.sh installs it)')
    sys.exit(1 if os.environ.get('CI') == 'true' else 77)

import equal_methods

TEMPLATES = pathlib.Path(__file__).parent / 'templates'
KERNELS = 25  # of the templates' program
USUAL = np.array([80e3 if i % 3 == 0 else 36e3 if i % 3 == 1 else 12e3 for i in range(24)] + [160e3])  # ns of each
SEED = 20261123

# ---- Dumps: templates whose times are markers, in the order in which the runtime took them ----

MARK = 0x5AA5C30000000000  # plus a marker's number
_places = {}


def template(runs):
    """The bytes of a dump with so many runs, and where its times are."""
    if runs not in _places:
        data = gzip.open(TEMPLATES / ('%d.etdp.gz' % runs)).read()
        places, high = [-1] * (4 + runs * (4 * KERNELS + 2)), struct.pack('<Q', MARK)[3:]
        at = data.find(high)
        while at >= 0:
            number = struct.unpack_from('<Q', data, at - 3)[0] - MARK
            if 0 <= number < len(places):
                places[number] = at - 3
            at = data.find(high, at + 1)
        assert min(places) >= 0, 'template %d lacks a marker' % runs
        _places[runs] = data, places
    return _places[runs]


def write_dump(path, times):
    """times: nanoseconds, runs x KERNELS. A load comes first; each kernel has its OPERATOR_CALL around it, each run its Method::execute."""
    data, places = template(len(times))
    data, now = bytearray(data), 1e9
    marks = [now + 1000, now + 450e3, now, now + 500e3]
    now += 510e3
    for run in times:
        start, now = now, now + 500
        for time in run:
            marks += [now + 300, now + 300 + time, now, now + 400 + time]
            now += 700 + time
        now += 500
        marks += [start, now]
        now += 5000
    for place, mark in zip(places, marks):
        struct.pack_into('<Q', data, place, round(mark))
    path.write_bytes(data)


# ---- Noise: factors, runs x KERNELS ----


def quiet(rng, runs, deviation=.02):
    return np.exp(rng.normal(0, deviation, (runs, KERNELS))) * np.exp(rng.normal(0, deviation / 2, (runs, 1)))


def whole_runs(rng, factors):
    return quiet(rng, len(factors)) * np.asarray(factors, float)[:, None]


def noisy(rng, runs, deviation=.1):
    return whole_runs(rng, np.exp(rng.normal(0, deviation, runs)))


def outliers(rng, runs):
    factors = quiet(rng, runs)
    for run in np.nonzero(rng.random(runs) < .1)[0]:
        factors[run, rng.integers(KERNELS)] *= rng.uniform(3, 20)
    return factors


def modes(ratio, share=.5):
    return lambda rng, runs: whole_runs(rng, np.where(rng.random(runs) < share, ratio, 1))


def stretches(ratio):
    """Two modes, of which each lasts ten runs or so."""
    return lambda rng, runs: whole_runs(rng, ratio ** (np.cumsum(np.r_[rng.integers(2), rng.random(runs - 1) < .1]) % 2))


def correlated(part, deviation=.03):
    def make(rng, runs):
        x = [rng.normal(0, deviation / np.sqrt(1 - part * part))]
        while len(x) < runs:
            x.append(part * x[-1] + rng.normal(0, deviation))
        return whole_runs(rng, np.exp(x))
    return make


def step(size):
    return lambda rng, runs: whole_runs(rng, np.where(np.arange(runs) >= runs * rng.uniform(.2, .8), 1 + size, 1))


def clock(values, change):
    """A clock of several speeds, which changes with this chance before a run."""
    def make(rng, runs):
        chosen, factors = rng.integers(len(values)), []
        for _ in range(runs):
            if rng.random() < change:
                chosen = rng.integers(len(values))
            factors.append(values[chosen])
        return whole_runs(rng, factors)
    return make


def drift(size):
    return lambda rng, runs: whole_runs(rng, 1 + size * np.arange(runs) / (runs - 1))


def some(rng, runs, share=.1):
    """Two runs or more."""
    while True:
        chosen = rng.random(runs) < share
        if chosen.sum() >= 2:
            return chosen


def slow_runs(low, high):
    def make(rng, runs):
        factors, slow = np.ones(runs), some(rng, runs)
        factors[slow] = rng.uniform(low, high, slow.sum())
        return whole_runs(rng, factors)
    return make


def slow_operators(rng, runs):
    """One operator at a time, as an interruption makes it."""
    factors = quiet(rng, runs)
    for run in np.nonzero(some(rng, runs))[0]:
        kernel = rng.integers(KERNELS)
        factors[run, kernel] += rng.uniform(2, 5) * USUAL.sum() / USUAL[kernel]
    return factors


def unequally_slow(rng, runs):
    factors = quiet(rng, runs)
    factors[some(rng, runs)] *= 4. ** rng.uniform(.6, 1.2, KERNELS)
    return factors


def contention(operators, share):
    """A neighbor saturates memory in some runs: so many operators take 3 to 6 times as long, the others up to a fifth longer."""
    def make(rng, runs):
        factors, bound = quiet(rng, runs), rng.permutation(KERNELS)[:operators]
        for run in np.nonzero(some(rng, runs, share))[0]:
            factors[run] *= rng.uniform(1, 1.2, KERNELS)
            factors[run, bound] *= rng.uniform(3, 6)
        return factors
    return make


def every_eighth(rng, runs):
    return whole_runs(rng, np.where(np.arange(runs) % 8 == 3, 3.5, 1))


def prompts_of(rng, lengths, runs):
    """Prompts of so many tokens, each with as many steps behind it, as far as there are runs: operators grow unlike each other with the number of tokens."""
    power = np.where(rng.random(KERNELS) < .2, rng.uniform(0, .3, KERNELS), np.where(rng.random(KERNELS) < .2, rng.uniform(1.5, 2, KERNELS), rng.uniform(.7, 1, KERNELS)))
    rows = []
    for tokens in lengths:
        rows += [tokens**power] + [np.ones(KERNELS)] * (runs // len(lengths) - 1)
    return quiet(rng, runs) * np.array(rows + [np.ones(KERNELS)] * (runs - len(rows)))


def prompts(rng, runs):
    return prompts_of(rng, rng.integers(8, 64, 4), runs)


def given_prompts(*lengths):
    return lambda rng, runs: prompts_of(rng, lengths, runs)


def warm_up(*factors):
    return lambda rng, runs: whole_runs(rng, [*factors, *np.ones(runs - len(factors))])


# ---- Recordings ----


def sides(make, recordings, runs, between=0., change=0., between_rows=0., changed_rows=0):
    """Base and newer side: `between` is how much recordings differ, as a standard deviation; `changed_rows` of the newer side's rows, or all of it, take 1 + change of the base's time."""
    def draw(rng):
        factor = np.ones(KERNELS)
        if changed_rows:
            factor[rng.choice(KERNELS, changed_rows, replace=False)] += change
        else:
            factor += change
        recording = lambda: make(rng, runs) * np.exp(rng.normal(0, between)) * np.exp(rng.normal(0, between_rows, (1, KERNELS)))
        return [[recording() for _ in range(recordings)], [recording() * factor for _ in range(recordings)]], factor > 1
    return draw


def with_an_odd_one(draw):
    """One recording of the newer side is 30 % slower than the others, as with another program beside it."""
    def make(rng):
        (base, new), changed = draw(rng)
        new[rng.integers(len(new))] *= 1.3
        return [base, new], changed
    return make


def of_other_lengths(make, base_runs, new_runs, change=0.):
    """One recording a side."""
    return lambda rng: ([[make(rng, base_runs)], [make(rng, new_runs) * (1 + change)]], np.full(KERNELS, change > 0))


# When files were written, in seconds: of recording i of count on a side.


def taken_in_turns(side, i, count):
    return 1.6e9 + 600 * (2 * i + side)


def one_side_after_the_other(side, i, count):
    return 1.6e9 + 600 * (count * side + i)


def copied(side, i, count):
    return 1.6e9 + 1e-4 * (count * side + i)


class Command:
    """The command, and a folder for what it reads."""

    def __init__(self, path):
        self.path, self.folder = path, pathlib.Path(tempfile.mkdtemp(prefix='noise-', dir='/dev/shm' if os.path.isdir('/dev/shm') else None))

    def ask(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments), '--format', 'json'], capture_output=True, text=True)
        if not done.stdout.startswith('{'):
            raise RuntimeError('%s: %d %s' % (arguments, done.returncode, done.stderr[:300]))
        return json.loads(done.stdout)['methods'][0], done.returncode

    def diff(self, recordings, *options, times=taken_in_turns):
        for number, (name, side) in enumerate(zip(('base', 'new'), recordings)):
            folder = self.folder / name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            (folder / 'etrecord.bin').symlink_to(TEMPLATES / 'etrecord.bin')
            for i, factors in enumerate(side):
                write_dump(folder / ('%d.etdp' % i), USUAL * factors)
                os.utime(folder / ('%d.etdp' % i), (times(number, i, len(side)),) * 2)
        return self.ask('diff', self.folder / 'base', self.folder / 'new', *options)

    def methods(self, tokens, recording):
        """The blocks of a recording of a program with two methods."""
        (self.folder / 'two.pte').write_bytes(equal_methods.program(tokens))
        (self.folder / 'two.etdp').write_bytes(recording)
        done = subprocess.run([self.path, 'events', self.folder / 'two.pte', self.folder / 'two.etdp', '--format', 'json'], capture_output=True, text=True)
        return json.loads(done.stdout)['blocks']

    def summary(self, factors, record=None):
        """record: in TEMPLATES; of a dump alone nothing is known of the inputs."""
        write_dump(self.folder / 'alone.etdp', USUAL * factors)
        return self.ask('summary', *([TEMPLATES / record] if record else []), self.folder / 'alone.etdp')[0]


# ---- What is counted: functions of the command and a random generator, from 0 to 1 ----


def says(draw, *verdicts, options=(), times=taken_in_turns):
    """Of Method::execute."""
    return lambda command, rng: command.diff(draw(rng)[0], *options, times=times)[0]['execute']['verdict'] in verdicts


def is_decided_as_promised(make):
    """Of the pairs of which it says that N recordings in all would decide, those that N decide. Others have no rate: nan."""
    kinds = [(.03, None), (.05, None), (.1, None), (0., '5%'), (.02, '5%'), (.08, '5%'), (.1, '5%')]  # change, limit
    def promise(command, rng):
        change, limit = kinds[rng.integers(len(kinds))]
        recordings = sides(make, 50, 10, (.01, .02, .03)[rng.integers(3)], change)(rng)[0]
        def ask(number):
            method, status = command.diff([side[:number] for side in recordings], *(['--fail-above', limit] if limit else []))
            is_decided = status in (0, 3) if limit else method['execute']['verdict'] in ('slower', 'faster')
            return is_decided, method['execute']['recordings_needed']
        is_decided, needed = ask(3)
        return np.nan if is_decided or not needed else ask(needed)[0]
    return promise


def rows_called_changed(draw):
    """Of the rows that did not change."""
    def share(command, rng):
        rows = command.diff(draw(rng)[0])[0]['nodes']
        return sum(row['verdict'] in ('slower', 'faster') for row in rows) / len(rows)
    return share


def rows_found(draw):
    """Of those that changed. Nodes are listed in the order of the kernels."""
    def share(command, rng):
        recordings, changed = draw(rng)
        rows = command.diff(recordings)[0]['nodes']
        return sum(row['verdict'] == 'slower' for row, is_changed in zip(rows, changed) if is_changed) / changed.sum()
    return share


def rows_false(draw):
    """Of those that did not, beside some that did."""
    def share(command, rng):
        recordings, changed = draw(rng)
        rows = command.diff(recordings)[0]['nodes']
        return sum(row['verdict'] in ('slower', 'faster') for row, is_changed in zip(rows, changed) if not is_changed) / (~changed).sum()
    return share


def exits(draw, status, limit='5%'):
    return lambda command, rng: command.diff(draw(rng)[0], '--fail-above', limit)[1] == status


def has_phases(make, runs=40, record=None):
    return lambda command, rng: len(command.summary(make(rng, runs), record).get('phases_of_runs') or []) > 1


def surely_a_first_run(make):
    """Is the first run, which is a prompt, surely called slow?"""
    def is_sure(command, rng):
        findings = command.summary(make(rng, 40), 'etrecord_dynamic.bin')['findings']
        return any(finding['kind'] == 'first_run' and finding['certainty'] == 'sure' for finding in findings)
    return is_sure


def leaves_out_any(make):
    return lambda command, rng: command.summary(make(rng, 40), 'etrecord_dynamic.bin')['skipped_runs'] > 0


def finds(make, runs, *kinds):
    return lambda command, rng: any(finding['kind'] in kinds for finding in command.summary(make(rng, runs))['findings'])


def leaves_out(make, wanted, runs):
    return lambda command, rng: command.summary(make(rng, runs))['skipped_runs'] == wanted


def on_wrong_method(tokens, noise, order):
    """Of all inferences of a program with two methods."""
    order = equal_methods.ORDERS[order]
    return lambda command, rng: equal_methods.judge(command.methods(tokens, equal_methods.draw(rng, tokens, noise, order)), order)[0]


def on_a_method(tokens, noise, order):
    order = equal_methods.ORDERS[order]
    return lambda command, rng: 1 - equal_methods.judge(command.methods(tokens, equal_methods.draw(rng, tokens, noise, order)), order)[1]


# ---- Cells ----

KINDS = {'quiet': quiet, 'noisy 10 %': noisy, 'outliers 10 %': outliers, 'two modes 1.15': modes(1.15), 'two modes 1.3': modes(1.3), 'stretches 1.15': stretches(1.15), 'correlated 0.8': correlated(.8),
         'drift 10 %': drift(.1), 'step 15 %': step(.15)}


def cells():
    """(question, cell, function, least %, most %). Without either: no rule can hold a bound, and it is told for information."""
    table = []

    def most(question, cell, count, bound=11):
        table.append((question, cell, count, None, bound))

    def least(question, cell, count, bound):
        table.append((question, cell, count, bound, None))

    def told(question, cell, count):
        table.append((question, cell, count, None, None))

    false, changed = 'unchanged, called slower or faster', ('slower', 'faster')
    for name, make in KINDS.items():
        most(false, '1 recording of 30 runs, %s' % name, says(sides(make, 1, 30), *changed))
    for name in ('quiet', 'two modes 1.15'):
        for between in (.01, .02, .03):
            most(false, '1 of 30, %s, recordings differ by %.0f %%' % (name, 100 * between), says(sides(KINDS[name], 1, 30, between), *changed))
    told(false, '1 of 5, stretches 1.15', says(sides(stretches(1.15), 1, 5), *changed))
    told(false, '1 of 10, stretches 1.15', says(sides(stretches(1.15), 1, 10), *changed))
    told(false, '1 of 30, quiet, recordings differ by 8 %', says(sides(quiet, 1, 30, .08), *changed))
    most(false, '2 of 10, two modes 1.15, recordings differ by 3 %', says(sides(modes(1.15), 2, 10, .03), *changed))
    for name in ('quiet', 'two modes 1.15', 'correlated 0.8', 'step 15 %'):
        for recordings in (3, 5):
            most(false, '%d of 10, %s, recordings differ by 3 %%' % (recordings, name), says(sides(KINDS[name], recordings, 10, .03), *changed))
    for name, make, between in (('correlated 0.95', correlated(.95, .02), 0), ('clock of three levels', clock([1, 1.12, 1.3], .05), 0), ('big and little cores', clock([1, 1, 1, 2.2], .03), 0),
                                ('quiet, recordings differ by 8 %', quiet, .08)):
        most('unchanged, called surely slower or faster', '1 of 30, %s' % name, says(sides(make, 1, 30, between), *changed), 6)
        most(false, '5 of 10, %s' % name, says(sides(make, 5, 10, between), *changed))
        most('--fail-above 5%: unchanged, exit 3', '1 of 30, %s' % name, exits(sides(make, 1, 30, between), 3), 6)
    most(false, '5 of 10, quiet, one recording 30 % slower', says(with_an_odd_one(sides(quiet, 5, 10, .01)), *changed))
    least('changed, called slower', '5 of 10, quiet, +10 %, one recording 30 % slower', says(with_an_odd_one(sides(quiet, 5, 10, .01, .1)), 'slower'), 90)
    least('changed, called slower', '10 of 10, quiet, +5 %, one recording 30 % slower', says(with_an_odd_one(sides(quiet, 10, 10, .01, .05)), 'slower'), 90)
    for runs in ((5, 5), (5, 30)):
        most('unchanged, called surely slower or faster', '%d and %d runs, clock of three levels' % runs, says(of_other_lengths(clock([1, 1.12, 1.3], .05), *runs), *changed), 3)
        least('20 times as long, called slower', '%d and %d runs, quiet' % runs, says(of_other_lengths(quiet, *runs, 19), 'slower'), 97)
        least('20 times as long, --fail-above 5%: exit 3', '%d and %d runs, quiet' % runs, exits(of_other_lengths(quiet, *runs, 19), 3), 97)
    changed_by_a_tenth = sides(quiet, 5, 10, .01, .1)
    most('changed, called surely slower', '5 of 10, +10 %, one side recorded after the other', says(changed_by_a_tenth, 'slower', times=one_side_after_the_other), 3)
    least('changed, called likely slower', '5 of 10, +10 %, one side recorded after the other', says(changed_by_a_tenth, 'likely_slower', times=one_side_after_the_other), 97)
    least('changed, called slower', '5 of 10, +10 %, files copied', says(changed_by_a_tenth, 'slower', times=copied), 97)
    least('20 times as long, called slower', '1 of 30, one side recorded after the other', says(sides(quiet, 1, 30, .01, 19), 'slower', times=one_side_after_the_other), 97)
    least('decided by as many recordings as it said', '3 of 10 and more, +3 to +10 % and around a limit of 5 %, recordings differ by 1 to 3 %', is_decided_as_promised(quiet), 80)
    rows = 'rows, unchanged, called slower or faster'
    most(rows, '1 of 30, two modes 1.15', rows_called_changed(sides(modes(1.15), 1, 30)))
    most(rows, '1 of 30, quiet, recordings and rows differ by 2 %', rows_called_changed(sides(quiet, 1, 30, .02, 0, .02)))
    most(rows, '5 of 10, quiet, recordings and rows differ by 2 %', rows_called_changed(sides(quiet, 5, 10, .02, 0, .02)))
    most(rows, '5 of 10, a tenth +20 %, recordings differ by 1 %', rows_false(sides(quiet, 5, 10, .01, .2, 0, 3)))

    found = 'changed, called slower'
    most('changed, called surely slower', '1 of 30, quiet, +20 %, recordings differ by 1 %', says(sides(quiet, 1, 30, .01, .2), 'slower'), 0)
    least('changed, called likely slower', '1 of 30, quiet, +15 %, recordings differ by 1 %', says(sides(quiet, 1, 30, .01, .15), 'likely_slower'), 85)
    least('changed, called likely slower', '1 of 30, quiet, +20 %, recordings differ by 1 %', says(sides(quiet, 1, 30, .01, .2), 'likely_slower'), 90)
    least(found, '3 of 10, quiet, +10 %, recordings differ by 1 %', says(sides(quiet, 3, 10, .01, .1), 'slower'), 85)
    least(found, '5 of 10, quiet, +10 %, recordings differ by 1 %', says(sides(quiet, 5, 10, .01, .1), 'slower'), 95)
    least(found, '5 of 10, quiet, +5 %, recordings differ by 1 %', says(sides(quiet, 5, 10, .01, .05), 'slower'), 85)
    least(found, '5 of 10, outliers 10 %, +5 %, recordings differ by 1 %', says(sides(outliers, 5, 10, .01, .05), 'slower'), 80)
    least(found, '5 of 10, noisy 10 %, +20 %, recordings differ by 1 %', says(sides(noisy, 5, 10, .01, .2), 'slower'), 90)
    least('changed, called faster', '3 of 10, quiet, -10 %, recordings differ by 1 %', says(sides(quiet, 3, 10, .01, -.1), 'faster'), 85)
    least('changed, called likely faster', '1 of 30, quiet, -20 %, recordings differ by 1 %', says(sides(quiet, 1, 30, .01, -.2), 'likely_faster'), 90)
    for runs in (5, 30):
        least('20 times as long, called slower', '1 of %d, quiet' % runs, says(sides(quiet, 1, runs, 0, 19), 'slower'), 97)
    least('unchanged, called equal within 5 %', '5 of 10, quiet, recordings differ by 1 %', says(sides(quiet, 5, 10, .01), 'equal', options=('--fail-above', '5%')), 80)
    least('rows, changed, called slower', '5 of 10, a tenth +20 %, recordings differ by 1 %', rows_found(sides(quiet, 5, 10, .01, .2, 0, 3)), 60)
    least('rows, changed, called slower', '3 of 10, a tenth +20 %, recordings differ by 1 %', rows_found(sides(quiet, 3, 10, .01, .2, 0, 3)), 60)

    fails = '--fail-above 5%: unchanged, exit 3'
    for name in ('quiet', 'two modes 1.15', 'two modes 1.3'):
        most(fails, '1 of 30, %s' % name, exits(sides(KINDS[name], 1, 30), 3), 5)
    most(fails, '1 of 30, quiet, recordings differ by 3 %', exits(sides(quiet, 1, 30, .03), 3), 5)
    most(fails, '5 of 10, quiet, recordings differ by 3 %', exits(sides(quiet, 5, 10, .03), 3), 5)
    passes = '--fail-above 5%: +8 %, exit 0'
    most(passes, '1 of 30, noisy 30 %', exits(sides(lambda rng, runs: noisy(rng, runs, .3), 1, 30, 0, .08), 0))
    most(passes, '1 of 5, quiet, recordings differ by 3 %', exits(sides(quiet, 1, 5, .03, .08), 0))
    most(passes, '1 of 30, two modes 1.3', exits(sides(modes(1.3), 1, 30, 0, .08), 0))
    most(passes, '5 of 10, quiet, recordings differ by 3 %', exits(sides(quiet, 5, 10, .03, .08), 0))
    least('--fail-above 5%: unchanged, exit 0', '5 of 10, quiet, recordings differ by 1 %', exits(sides(quiet, 5, 10, .01), 0), 85)
    least('--fail-above 5%: +10 %, exit 3', '5 of 10, quiet, recordings differ by 1 %', exits(sides(quiet, 5, 10, .01, .1), 3), 85)
    least('--fail-above 5%: +5 %, exit 4', '3 of 10, quiet, recordings differ by 1 %', exits(sides(quiet, 3, 10, .01, .05), 4), 85)

    one_kind = 'one kind of run, called phases'
    most(one_kind, '40 runs, slow ones x4', has_phases(slow_runs(4, 4)), 5)
    most(one_kind, '40 runs, slow ones x3 to 6', has_phases(slow_runs(3, 6)), 5)
    most(one_kind, '40 runs, one operator at a time slow', has_phases(slow_operators), 5)
    most(one_kind, '40 runs, operators unequally slow', has_phases(unequally_slow))
    most(one_kind, '40 runs, stretches 3.2', has_phases(stretches(3.2)), 5)
    least('prompts and steps, called phases', '4 prompts of 8 to 64 tokens, 9 steps each', has_phases(prompts), 90)
    for operators in (5, 10):
        for share in (.1, .25):
            most(one_kind, '40 runs of static inputs, contention of %d of 25 operators in %.0f %%' % (operators, 100 * share), has_phases(contention(operators, share), record='etrecord.bin'), 3)
    most(one_kind, '40 runs of static inputs, times of prompts', has_phases(prompts, record='etrecord.bin'), 3)
    least('prompts and steps, called phases', '4 prompts of 8 to 64 tokens, 9 steps each, dynamic inputs', has_phases(prompts, record='etrecord_dynamic.bin'), 90)
    most('a prompt, surely called a slow first run', '40 runs, a prompt of 48 tokens first', surely_a_first_run(given_prompts(48)), 3)
    most('a prompt, left out as warm-up', '40 runs, prompts of 16, 32 and 64 tokens', leaves_out_any(given_prompts(16, 32, 64)), 10)
    least('slow runs, called so, or two modes', '40 runs, slow ones x3 to 6', finds(slow_runs(3, 6), 40, 'slow_runs', 'modes'), 90)
    least('slow runs, called so, or two modes', '40 runs, slow ones x4', finds(slow_runs(4, 4), 40, 'slow_runs', 'modes'), 90)
    least('one operator at a time, called so', '40 runs', finds(slow_operators, 40, 'slow_operator'), 90)
    least('every 8th run, called so', '40 runs, x3.5', finds(every_eighth, 40, 'periodic'), 90)
    most('a step, called drift', '30 runs, step 12 %', finds(step(.12), 30, 'drift'))
    most('a step, called drift', '30 runs, step 25 %', finds(step(.25), 30, 'drift'))
    most('no drift, called drift', '30 runs, correlated 0.5', finds(correlated(.5), 30, 'drift'))
    least('a drift, called so', '30 runs, drift 10 %', finds(drift(.1), 30, 'drift'), 90)
    least('a step, called so', '30 runs, step 12 %', finds(step(.12), 30, 'step'), 90)
    least('two modes, called so', '40 runs, two modes 1.3', finds(modes(1.3), 40, 'modes'), 90)
    most('no modes, called so', '40 runs, noisy 10 %', finds(noisy, 40, 'modes'))
    least('no warm-up, none left out', '30 runs, two modes 1.7, 40 % slow', leaves_out(modes(1.7, .4), 0, 30), 92)
    least('no warm-up, none left out', '30 runs, two modes 1.7, 25 % slow', leaves_out(modes(1.7, .25), 0, 30), 87)
    least('warm-up, left out', '10 runs, the first x2', leaves_out(warm_up(2), 1, 10), 95)
    least('warm-up, left out', '10 runs, the first x3 and x2', leaves_out(warm_up(3, 2), 2, 10), 95)

    for tokens, noises in ((8, equal_methods.NOISES), (128, ('contention', 'contention of large kernels'))):
        for order in equal_methods.ORDERS:
            for noise in noises:
                most('two methods, runs on the wrong one', 'prefill computes %d times as much, %s, %s' % (tokens, order, noise), on_wrong_method(tokens, noise, order), 3)
    for order in ('prefill first', 'half and half'):
        least('two methods, runs on a method', 'prefill computes 128 times as much, %s, calm' % order, on_a_method(128, 'calm', order), 90)
    return table


def measure(job):
    """The rate of a cell, in percent."""
    index, path, pairs = job
    question, cell, count = cells()[index][:3]
    if question.startswith('two methods'):
        pairs = (pairs + 2) // 3  # each has thirty runs that are counted
    rng, command = np.random.default_rng([SEED, zlib.crc32(('%s/%s' % (question, cell)).encode())]), Command(path)
    try:
        counts = [count(command, rng) for _ in range(pairs)]
        return index, 100 * float(np.nanmean(counts)) if not np.all(np.isnan(counts)) else 0.
    finally:
        shutil.rmtree(command.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('command')
    parser.add_argument('--pairs', type=int, default=100)
    parser.add_argument('--only', default='', help='cells that have this in their names')
    parser.add_argument('--markdown', action='store_true', help="README.md's table")
    options = parser.parse_args()
    table = cells()
    chosen = [i for i, cell in enumerate(table) if options.only in cell[0] or options.only in cell[1]]
    with multiprocessing.Pool(os.cpu_count()) as pool:
        rates = dict(pool.imap_unordered(measure, [(i, os.path.abspath(options.command), options.pairs) for i in chosen]))
    failed = 0
    for i in chosen:
        question, cell, _, least, most = table[i]
        is_off = (most is not None and rates[i] > most) or (least is not None and rates[i] < least)
        failed += is_off
        bound = 'at most %g %%' % most if most is not None else 'at least %g %%' % least if least is not None else 'none holds'
        print(('| %s | %s | %.1f %% | %s |%s' if options.markdown else '%-40s %-62s %5.1f %%  %s%s') % (question, cell, rates[i], bound, '  OFF' if is_off else ''))
    print('%d passed, %d failed' % (len(chosen) - failed, failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
