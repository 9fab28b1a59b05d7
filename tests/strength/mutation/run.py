#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the tests notice a broken line? run.py [--count 20] [--seed 1] [--jobs N] [--least PERCENT] [FOLDER or FILE...]

Changes one line at a time (operators.py says how), COUNT lines in each folder of lib and plugin, no two of them closer than ten lines, and runs the
unit tests that call the source, command-line cases and the checks of its folder until one fails. A change that does not compile, compiles to the same object code, or is "The same" in survivors.txt,
does not count; another one takes its place. What survives is printed unless survivors.txt has it with a reason. The table at the end has a row for each folder.
It is a failure if fewer than PERCENT (90) are noticed in some folder, without those that survive for a reason, or if survivors.txt has a line that is gone.

No source is written to: the compiler reads the changed text from a pipe, and the library or the command that results is written to a folder of its own, where
all tests look first. The choice depends on seed, file names and lines alone, so that a change elsewhere does not alter it.
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
SOURCES = re.compile(r'(lib|plugin)/\w+/\w+\.c')  # lib/windows is not built on other systems
COMMAND_SOURCES = re.compile(r'plugin/(command|bench)/')
DISTANCE = 10  # lines between two changes of a file
EVERYWHERE = ('golden', 'golden.answers', 'cli', 'fault.memory')  # and the unit tests that call what the source declares
CHECKS = {  # a folder's own: unit tests that call nothing of a source, and checks of other folders, only cost time
    'lib/accuracy': ('accuracy',), 'lib/backends': ('names', 'findings', 'unit.test_own_graph'), 'lib/base': ('columns.generated', 'numbers'), 'lib/compare': ('counterparts', 'unit.test_pairing'),
    'lib/formats': ('cli.files',), 'lib/inputs': ('names',), 'lib/join': ('names', 'costs'), 'lib/memory': ('memory', 'sizes'), 'lib/profile': ('accuracy',),
    'lib/records': ('cli.files', 'records'), 'lib/runs': ('typical',), 'plugin/bench': ('cli.files',), 'plugin/command': ('cli.files', 'manual'),
    'plugin/output': ('columns', 'fault.signals', 'report'), 'plugin/report': ('report',), 'plugin/tables': ('columns', 'columns.generated', 'rows', 'sorting'),
    'plugin/tensorboard': ('fault.signals',), 'plugin/trace': ('trace',), 'plugin/views': ('findings', 'columns', 'unit.test_findings')}
MEMORY_RUNS_OUT = re.compile(r'return (false|NULL)|fail|MEMORY|!\w+ \|\|')  # the lines that fault.memory is for
ARCHIVE = 'libetrecord_tb_static.a'  # what tests are linked with that replace a function of the system's
LIBRARY = 'plugin/libetrecord_tb.so.0'
COMMAND = 'plugin/etrecord-tb'
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
            before, after = next(line for line in reversed(lines) if ' -o %s ' % target in line).split(' -o %s ' % target)
            self.links[target] = before + ' ', ' ' + after  # each object has a space on both sides
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

    def object_of(self, source):
        """The object file of a source, as link commands name it."""
        entry = self.commands[source]
        command = shlex.split(entry['command'])
        return os.path.relpath(os.path.join(entry['directory'], command[command.index('-o') + 1]), BUILD)

    def link(self, mutation, folder):
        """changed.o and the library or the command with it, in folder. What is linked with the command's objects for a unit test is linked anew, too."""
        own = ' %s ' % self.object_of(mutation.source)
        subprocess.run(['as', '-o', os.path.join(folder, 'changed.o'), '-'], input=mutation.assembly, check=True)
        if not mutation.is_of_command():
            self.link_changed(os.path.relpath(os.path.realpath(os.path.join(BUILD, LIBRARY)), BUILD), own, ' %s ', folder, os.path.basename(LIBRARY))
            return
        os.symlink(os.path.realpath(os.path.join(BUILD, LIBRARY)), os.path.join(folder, os.path.basename(LIBRARY)))
        for target in [COMMAND] + self.unit_programs_of_command():
            if any(own in part for part in self.link_command(target)):
                self.link_changed(target, own, ' %s ', folder, os.path.basename(target))

    def unit_programs_of_command(self):
        return ['tests/' + name for name in sorted(os.listdir(os.path.join(BUILD, 'tests')))
                if name.startswith('test_') and 'etr_command.dir' in ''.join(self.link_command('tests/' + name))]

    def link_program(self, program, folder):
        """The program in folder: what stands in front of an archive is not taken out of it."""
        name = os.path.basename(program)
        archive = re.search(r' \S*%s' % re.escape(ARCHIVE), self.link_command(os.path.relpath(program, BUILD))[1]).group()
        self.link_changed(os.path.relpath(program, BUILD), archive, ' %s' + archive, folder, name)
        return os.path.join(folder, name)

    def link_changed(self, target, old, new, folder, name):
        parts = self.link_command(target)
        assert any(old in part for part in parts), old
        before, after = (part.replace(old, new % os.path.join(folder, 'changed.o'), 1) for part in parts)
        line = '%s -o %s %s' % (before, os.path.join(folder, name), after)
        subprocess.run(line, cwd=BUILD, shell=True, check=True, stdout=subprocess.DEVNULL)


def build():
    """Configures, builds what the tests run, and gives the tests."""
    subprocess.run(['cmake', '--preset', 'mutation'], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['ninja', '-C', BUILD, 'mutation'], check=True, stdout=subprocess.DEVNULL)
    wanted = set(EVERYWHERE).union(*CHECKS.values())
    found = subprocess.run(['ctest', '--test-dir', BUILD, '--show-only=json-v1'], capture_output=True, text=True, check=True)
    return [Test(test) for test in json.loads(found.stdout)['tests'] if test['name'].startswith('unit.') or test['name'] in wanted]


# ---- Tests ----


class Test:
    def __init__(self, description):
        self.name, self.command, self.seconds = description['name'], description['command'], 0
        source = os.path.join(ROOT, 'tests', 'unit', self.name.partition('.')[2] + '.c')
        self.text, self.is_linked = '', self.name == 'fault.memory'
        if self.name.startswith('unit.'):
            self.command = self.command + ['--fail-fast', '--jobs=1']
            with open(source, encoding='utf-8') as file:
                self.text = file.read()
        elif self.name in ('cli', 'golden.answers'):
            self.command = self.command + ['--fail-fast']

    def passes(self, folder, compiler=None):
        """With the library, or the programs, in that folder; compiler: links what is not linked with the library."""
        command = [here if os.path.exists(here := os.path.join(folder, os.path.basename(word))) and word.startswith(BUILD) else word for word in self.command]
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

    def is_for(self, mutation, names):
        """It could notice the change. names: functions that the source declares for others."""
        if self.name.startswith('unit.'):
            stem = os.path.splitext(os.path.basename(mutation.source))[0]
            is_own = (stem + '_').startswith(self.name.removeprefix('unit.test_') + '_')  # test_xnnpack is for xnnpack_expect.c, too
            return is_own or self.is_check_of(mutation) or '/%s.h"' % stem in self.text or any(name in self.text for name in names)
        if self.is_linked:
            return not mutation.is_of_command() and MEMORY_RUNS_OUT.search(mutation.change.old)
        return self.name in EVERYWHERE or self.is_check_of(mutation)

    def is_check_of(self, mutation):
        return self.name in CHECKS.get(os.path.dirname(relative(mutation.source)), ())

    def distance(self, source):
        """What to run first for a source: its own test, other unit tests, then what takes least."""
        own = self.name == 'unit.test_' + os.path.splitext(os.path.basename(source))[0]
        return (self.is_linked, not own, not self.name.startswith('unit.'), self.seconds)


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

    def is_of_command(self):
        return COMMAND_SOURCES.match(relative(self.source)) is not None

    def is_near(self, others):
        """Another change of the same file is closer than DISTANCE lines."""
        return any(self.source == other.source and abs(self.change.line - other.change.line) < DISTANCE for other in others)

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
    """Those that compile to something else, in order, none near another."""
    jobs, count = options.jobs, options.count
    chosen = []
    eligible = lambda mutation: not known.get(mutation.entry(), '').startswith(SAME) and not mutation.is_near(chosen)  # noqa: E731
    queue = filter(eligible, candidates(sources, options.seed))

    def compiled(mutation):
        mutation.assembly = compiler.compile(mutation.source, mutation.text())
        return mutation.assembly is not None and mutation.assembly != compiler.original(mutation.source)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while len(chosen) < count and (batch := list(itertools.islice(queue, 4 * jobs))):
            for mutation, counts in zip(batch, pool.map(compiled, batch)):
                if counts and not mutation.is_near(chosen) and len(chosen) < count:
                    chosen.append(mutation)
    return chosen


def kill(mutation, compiler, tests):
    """Sets killer, the first test that fails; None if none does."""
    folder = fresh(mutation.key[:16])
    with open(mutation.source, encoding='utf-8') as file:
        names = set(re.findall(r'\betr_\w+(?=\()', '\n'.join(line for line in file if re.match(r'[A-Za-z]', line))))
    try:
        compiler.link(mutation, folder)
        ordered = sorted((test for test in tests if test.is_for(mutation, names)), key=lambda test: test.distance(mutation.source))
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


class Row:
    """What became of a folder's changes."""

    def __init__(self, folder):
        self.folder, self.tried, self.noticed, self.reasons = folder, 0, 0, 0

    def add(self, mutation, known, verbose):
        self.tried += 1
        if mutation.killer:
            self.noticed += 1
            if verbose:
                print('%s\n  noticed by %s' % (mutation.shown(), mutation.killer), flush=True)
        elif mutation.entry() in known:
            self.reasons += 1
        else:
            print('SURVIVED %s' % mutation.shown(), flush=True)

    def percent(self):
        """Of those that a test could notice: a reason says that it is for another check, such as a sanitizer's."""
        return 100 * self.noticed / max(self.tried - self.reasons, 1)

    def text(self):
        return '%-18s %6d %8d %5.0f %% %9d %11d' % (self.folder, self.tried, self.noticed, self.percent(), self.tried - self.noticed, self.reasons)


def folders_of(compiler, wanted):
    """Folder -> its sources; wanted: folders and files, none for all."""
    by_folder = {}
    for source in sorted(compiler.commands):
        path = relative(source)
        if SOURCES.fullmatch(path) and (not wanted or path in wanted or os.path.dirname(path) in wanted):
            by_folder.setdefault(os.path.dirname(path), []).append(source)
    return by_folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=20, help='changes in each folder')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--least', type=float, default=90)
    parser.add_argument('--verbose', action='store_true', help='print what was noticed, too, with the test that failed')
    parser.add_argument('paths', nargs='*')
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not before what runs has ended
    tests = build()
    broken = measure(tests, options.jobs)
    if broken:
        sys.exit('with nothing changed these fail: ' + ' '.join(broken))
    known = read_survivors()
    faults = list(stale(known))
    compiler = Compiler()
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for folder, sources in folders_of(compiler, {relative(os.path.abspath(path)) for path in options.paths}).items():
            rows.append(Row(folder))
            for mutation in pool.map(lambda mutation: kill(mutation, compiler, tests), choose(compiler, sources, known, options)):
                rows[-1].add(mutation, known, options.verbose)
            print(rows[-1].text(), flush=True)
    print('%-18s %6s %8s %7s %9s %11s' % ('folder', 'tried', 'noticed', '', 'survived', 'for a reason'))
    for row in rows:
        print(row.text())
    faults += ['%s: only %.0f %% were noticed' % (row.folder, row.percent()) for row in rows if row.percent() < options.least]
    for fault in faults:
        print('FAILED ' + fault)
    print('seed %d: %d of %d changes in %d folders noticed' % (options.seed, sum(row.noticed for row in rows), sum(row.tried for row in rows), len(rows)))
    print('%d passed, %d failed' % (len(rows), len(faults)))
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
