#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the tests notice a broken line? run.py [--count 60] [--seed 1] [--jobs N] [--least PERCENT] [FILE...]

Changes one line at a time (operators.py says how) in what reads inputs, joins, compares and shows, and runs unit tests, command-line cases and the quick checks until
one fails. A change that does not compile, compiles to the same object code, or is the same to survivors.txt, does not count; another one takes its
place. What survives is printed unless survivors.txt has it with a reason. Fewer dead than PERCENT (90) of all, or a reason for what is gone, is a
failure.

No source is written to: the compiler reads the changed text from a pipe, and the library that results lies in a folder of its own, where all tests look
first. The choice depends on seed, file names and lines alone, so that a change elsewhere does not alter it.
"""

import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

import operators

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.path.join(ROOT, 'build', 'mutation')
SURVIVORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'survivors.txt')
FOLDERS = ('lib/inputs', 'lib/runs', 'lib/join', 'lib/memory', 'lib/accuracy', 'lib/profile', 'lib/compare', 'plugin/views', 'plugin/output', 'plugin/tables')
TESTS = r'^(unit\..*|golden|columns|trace|cli|fault\.memory)$'
ARCHIVE = 'libetrecord_tb_static.a'  # what tests are linked with that replace a function of the system's
LIBRARY = 'plugin/libetrecord_tb.so.0'
SAME = 'The same:'  # begins the reason of what no test could ever tell
MEMORY = 4 << 30
CPU_SECONDS = 30  # of one process; fault.memory takes 9 of them. What takes longer is in an endless loop, however busy the machine
HANGS = 300


def relative(path):
    return os.path.relpath(path, ROOT)


# ---- What is built ----


class Compiler:
    """Compiles and links as the build does, but from a text."""

    def __init__(self):
        with open(os.path.join(BUILD, 'compile_commands.json'), encoding='utf-8') as file:
            self.commands = {entry['file']: entry for entry in json.load(file)}
        self.originals, self.links = {}, {}

    def link_command(self, target):
        """As ninja would run it, without what it makes: (before, after)."""
        if target not in self.links:
            lines = subprocess.run(['ninja', '-C', BUILD, '-t', 'commands', target], capture_output=True, text=True, check=True).stdout.splitlines()
            self.links[target] = next(line for line in reversed(lines) if ' -o %s ' % target in line).split(' -o %s ' % target)
        return self.links[target]

    def compile(self, source, text):
        """The object's bytes, None if the compiler refuses."""
        entry = self.commands[source]
        command = shlex.split(entry['command'])
        command = command[next(i for i, word in enumerate(command) if not word.endswith('ccache')) :]
        at = command.index('-o')
        command[at : at + 2] = ['-o', '/dev/stdout']
        command[command.index('-c') :] = ['-iquote', os.path.dirname(source), '-x', 'c', '-S', '-']
        text = '# 1 "%s"\n%s' % (source, text)
        done = subprocess.run(command, cwd=entry['directory'], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return done.stdout if done.returncode == 0 else None

    def original(self, source):
        if source not in self.originals:
            with open(source, encoding='utf-8') as file:
                self.originals[source] = self.compile(source, file.read())
        return self.originals[source]

    def link(self, mutation, folder):
        """changed.o and the library with it, in folder."""
        entry = self.commands[mutation.source]
        command = shlex.split(entry['command'])
        own = os.path.relpath(os.path.join(entry['directory'], command[command.index('-o') + 1]), BUILD)
        subprocess.run(['as', '-o', os.path.join(folder, 'changed.o'), '-'], input=mutation.assembly, check=True)
        self.link_changed(os.path.relpath(os.path.realpath(os.path.join(BUILD, LIBRARY)), BUILD), ' %s ' % own, ' %s ', folder, os.path.basename(LIBRARY))

    def link_program(self, program, folder):
        """The program in folder: what stands in front of an archive is not taken out of it."""
        name = os.path.basename(program)
        archive = re.search(r' \S*%s' % re.escape(ARCHIVE), self.link_command(os.path.relpath(program, BUILD))[1]).group()
        self.link_changed(os.path.relpath(program, BUILD), archive, ' %s' + archive, folder, name)
        return os.path.join(folder, name)

    def link_changed(self, target, old, new, folder, name):
        before, after = self.link_command(target)
        assert old in after, old
        line = '%s -o %s %s' % (before, os.path.join(folder, name), after.replace(old, new % os.path.join(folder, 'changed.o'), 1))
        subprocess.run(line, cwd=BUILD, shell=True, check=True, stdout=subprocess.DEVNULL)


def build():
    """Configures, builds what the tests run, and gives the tests."""
    subprocess.run(['cmake', '--preset', 'mutation'], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['ninja', '-C', BUILD, 'mutation'], check=True, stdout=subprocess.DEVNULL)
    found = subprocess.run(['ctest', '--test-dir', BUILD, '--show-only=json-v1'], capture_output=True, text=True, check=True)
    return [Test(test) for test in json.loads(found.stdout)['tests'] if re.match(TESTS, test['name'])]


# ---- Tests ----


class Test:
    def __init__(self, description):
        self.name, self.command, self.seconds = description['name'], description['command'], 0
        source = os.path.join(ROOT, 'tests', 'unit', self.name.partition('.')[2] + '.c')
        self.text, self.is_linked = '', self.name.startswith('fault.')
        if self.name.startswith('unit.'):
            self.command = self.command + ['--fail-fast', '--jobs=1']
            with open(source, encoding='utf-8') as file:
                self.text = file.read()
        elif self.name == 'cli':
            self.command = self.command + ['--fail-fast']

    def passes(self, folder, compiler=None):
        """With the library in that folder; compiler: links what is not linked with it."""
        command = self.command
        if compiler and self.is_linked:
            command = [compiler.link_program(command[0], folder)] + command[1:]
        environment = {**os.environ, 'LD_LIBRARY_PATH': folder, 'TMPDIR': folder}

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, resource.RLIM_INFINITY))

        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True, preexec_fn=limit)
        try:
            return process.wait(timeout=HANGS) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def distance(self, source, names):
        """What to run first for a source: its own test, those that call it, the quick ones that see all, the rest."""
        stem = os.path.splitext(os.path.basename(source))[0]
        own = self.name == 'unit.test_' + stem
        header = '/%s.h"' % stem in self.text
        called = sum(name in self.text for name in names)
        return (self.is_linked, not own, not header, not called and self.name.startswith('unit.'), self.seconds)


def measure(tests, jobs):
    """How long each takes as things are; the names of those that fail."""
    folder = fresh('unchanged')

    def run(test):
        start = time.monotonic()
        passed = test.passes(folder)
        test.seconds = time.monotonic() - start
        return passed

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [test.name for test, passed in zip(tests, pool.map(run, tests)) if not passed]


def fresh(name):
    folder = os.path.join(BUILD, 'runs', name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


# ---- Changes ----


class Mutation:
    def __init__(self, source, change, key):
        self.source, self.change, self.key = source, change, key
        self.assembly = self.killer = None

    def text(self):
        with open(self.source, encoding='utf-8') as file:
            lines = file.read().splitlines()
        lines[self.change.line - 1] = self.change.new
        return '\n'.join(lines) + '\n'

    def entry(self):
        return relative(self.source), self.change.old.strip(), self.change.new.strip()

    def shown(self):
        return '%s:%d: %s\n  - %s\n  + %s' % (relative(self.source), self.change.line, self.change.kind, *self.entry()[1:])


def candidates(sources, seed):
    """All changes, each kind shuffled, kinds in turn."""
    by_kind = {}
    for source in sources:
        with open(source, encoding='utf-8') as file:
            found = list(operators.changes(file.read()))
        seen = {}
        for change in found:
            same = (os.path.basename(source), change.old.strip(), change.new.strip())
            seen[same] = seen.get(same, 0) + 1
            key = hashlib.sha256(repr((seed, same, seen[same])).encode()).hexdigest()
            by_kind.setdefault(change.kind, []).append(Mutation(source, change, key))
    queues = [sorted(by_kind[kind], key=lambda mutation: mutation.key) for kind in sorted(by_kind)]
    yield from filter(None, itertools.chain.from_iterable(itertools.zip_longest(*queues)))


def choose(compiler, sources, known, options):
    """Those that compile to something else, in order, one of a line."""
    jobs, count = options.jobs, options.count
    different = lambda mutation: not known.get(mutation.entry(), '').startswith(SAME)  # noqa: E731
    queue, chosen, taken = filter(different, candidates(sources, options.seed)), [], set()

    def compiled(mutation):
        mutation.assembly = compiler.compile(mutation.source, mutation.text())
        return mutation.assembly is not None and mutation.assembly != compiler.original(mutation.source)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while len(chosen) < count and (batch := list(itertools.islice(queue, 4 * jobs))):
            for mutation, counts in zip(batch, pool.map(compiled, batch)):
                line = (mutation.source, mutation.change.line)
                if counts and line not in taken and len(chosen) < count:
                    taken.add(line)
                    chosen.append(mutation)
    return chosen


def kill(mutation, compiler, tests):
    """Sets killer, the first test that fails; None if none does."""
    folder = fresh(mutation.key[:16])
    with open(mutation.source, encoding='utf-8') as file:
        names = set(re.findall(r'\betr_\w+(?=\()', '\n'.join(line for line in file if re.match(r'[A-Za-z]', line))))
    try:
        compiler.link(mutation, folder)
        ordered = sorted(tests, key=lambda test: test.distance(mutation.source, names))
        mutation.killer = next((test.name for test in ordered if not test.passes(folder, compiler)), None)
    finally:
        shutil.rmtree(folder)
    return mutation


# ---- Survivors ----


def read_survivors():
    """(file, old, new) -> reason. An entry is four lines, between empty ones; # begins a comment."""
    with open(SURVIVORS, encoding='utf-8') as file:
        text = re.sub(r'(?m)^#.*\n', '', file.read())
    entries = [block.splitlines() for block in re.split(r'\n\s*\n', text.strip()) if block.strip()]
    return {(path, old.strip()[2:], new.strip()[2:]): ' '.join(reason).strip() for path, old, new, *reason in entries}


def stale(known):
    for (path, old, new), reason in known.items():
        full = os.path.join(ROOT, path)
        lines = []
        if os.path.exists(full):
            with open(full, encoding='utf-8') as file:
                lines = [line.strip() for line in file]
        if old not in lines or not reason:
            yield 'survivors.txt: %s: %s' % (path, 'no reason' if old in lines else 'no line "%s" any more' % old)


# ---- All of it ----


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--least', type=float, default=90)
    parser.add_argument('--verbose', action='store_true', help='print the dead, too, with the test that failed')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not before what runs has ended
    tests = build()
    broken = measure(tests, options.jobs)
    if broken:
        sys.exit('with nothing changed these fail: ' + ' '.join(broken))
    known = read_survivors()
    faults = list(stale(known))
    compiler = Compiler()
    files = [os.path.abspath(file) for file in options.files]
    sources = files or sorted(file for file in compiler.commands if os.path.dirname(relative(file)) in FOLDERS)
    chosen = choose(compiler, sources, known, options)
    dead = reasons = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mutation in pool.map(lambda mutation: kill(mutation, compiler, tests), chosen):
            dead += mutation.killer is not None
            if mutation.killer:
                if options.verbose:
                    print('%s\n  died of %s' % (mutation.shown(), mutation.killer), flush=True)
            elif mutation.entry() in known:
                reasons += 1
            else:
                print('SURVIVED %s' % mutation.shown(), flush=True)
    for fault in faults:
        print('FAILED ' + fault)
    survived = len(chosen) - dead - reasons
    print('seed %d: %d of %d died, %d survived for a reason' % (options.seed, dead, len(chosen), reasons))
    print('%d passed, %d failed' % (dead + reasons, survived + len(faults)))
    return 1 if faults or 100 * dead < options.least * len(chosen) else 0


if __name__ == '__main__':
    sys.exit(main())
