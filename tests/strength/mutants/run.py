#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mutants through the library: run.py SURVIVE [--count N] [--first N] [--seed S] [--until-found] [--keep FOLDER]

SURVIVE (survive.c) opens each, follows the profile, writes and reads every output; a sanitizer, a limit or a balance that does not add up is a
finding. What is found is kept in FOLDER/NUMBER. The same seed makes the same mutants anywhere. With --until-found it is a failure to find nothing.
"""

import argparse
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time

import mutants

CHUNK = 25
BASE = os.path.join(mutants.FIXTURES, 'multi_method')  # each is compared with it
IN_MEMORY = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None


class Worker:
    """Makes mutants and hands them to a SURVIVE of its own: one is made while the one before is looked at."""

    def __init__(self, arguments):
        self.arguments, self.folder = arguments, tempfile.mkdtemp(prefix='mutants-', dir=IN_MEMORY)
        self.sources = mutants.material()
        self.process = subprocess.Popen([arguments.survive, BASE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, number):
        folder = os.path.join(self.folder, str(number))
        os.mkdir(folder)
        for name, data in mutants.make(self.sources, self.arguments.seed, number):
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(data)
        print(number, folder, file=self.process.stdin, flush=True)
        return folder

    def receive(self, number, folder):
        """opened, refused, or what was found."""
        said = self.process.stdout.readline().strip()
        if not said:
            raise RuntimeError('SURVIVE itself ended')
        if said not in ('opened', 'refused'):
            with open(folder + '.said', encoding='utf-8', errors='replace') as file:
                said += ': ' + reason(file.read())
            self.keep(number, folder)
        shutil.rmtree(folder)
        os.unlink(folder + '.said')
        return number, said

    def keep(self, number, folder):
        kept = os.path.join(self.arguments.keep, str(number))
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder, kept)
        shutil.copy(folder + '.said', os.path.join(kept, 'said.txt'))

    def look_at(self, numbers):
        results, before = [], None
        for number in numbers:
            sent = (number, self.send(number))
            if before:
                results.append(self.receive(*before))
            before = sent
        return results + [self.receive(*before)]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.folder)


def reason(said):
    """The line of a sanitizer's report that says what it is."""
    lines = said.splitlines()
    telling = [line for line in lines if line.startswith('SUMMARY: ') or line.startswith('does not hold: ')]
    return (telling or lines[-1:] or ['nothing was said'])[0]


def job(arguments, place, results, enough):
    """Every so many chunks of the numbers."""
    worker = Worker(arguments)
    end = arguments.first + arguments.count
    try:
        for start in range(arguments.first + CHUNK * place, end, CHUNK * arguments.jobs):
            if enough.is_set():
                break
            for result in worker.look_at(range(start, min(start + CHUNK, end))):
                results.put(result)
    finally:
        worker.close()
        results.put(None)


def run(arguments):
    """Numbers by what became of them: {'opened': [...], 'refused': [...], ...}"""
    context = multiprocessing.get_context('fork')
    results, enough, outcomes = context.Queue(), context.Event(), {'opened': [], 'refused': []}
    jobs = [context.Process(target=job, args=(arguments, place, results, enough)) for place in range(arguments.jobs)]
    for each in jobs:
        each.start()
    running = len(jobs)
    while running:
        result = results.get()
        if result is None:
            running -= 1
            continue
        number, outcome = result
        if outcome not in ('opened', 'refused'):
            print('FOUND %d: %s' % (number, outcome), flush=True)
            if arguments.until_found:
                enough.set()
        outcomes.setdefault(outcome, []).append(number)
    for each in jobs:
        each.join()
    return outcomes, all(each.exitcode == 0 for each in jobs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('survive')
    parser.add_argument('--count', type=int, default=1000)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--keep', default='build/mutants')
    parser.add_argument('--until-found', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    start = time.monotonic()
    outcomes, well = run(arguments)
    opened, refused = len(outcomes['opened']), len(outcomes['refused'])
    total = sum(map(len, outcomes.values()))
    found = total - opened - refused
    print('%d mutants, %d of them opened, in %d s' % (total, opened, time.monotonic() - start))
    if arguments.until_found:
        print('%d passed, %d failed' % (found > 0, found == 0))
        return not found
    print('%d passed, %d failed' % (opened + refused, found))
    return found > 0 or not well or total != arguments.count


if __name__ == '__main__':
    sys.exit(main())
