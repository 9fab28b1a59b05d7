#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command-line cases of this folder: run.py PATH/TO/etrecord-tb [--fail-fast] [--some] [NAME...]. README.md tells what a case looks like.

With --some it is every fourth case."""

import fcntl
import fnmatch
import functools
import glob
import os
import pty
import re
import shlex
import shutil
import struct
import sys
import tempfile
import termios
import threading
import zipfile

import command

HERE = os.path.dirname(os.path.abspath(__file__))
BLOCKS = ('stdout', 'stderr', 'files')


class Case:
    """A case as it stands in its file: steps in order, and blocks of expected lines."""

    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.steps, self.blocks = [], {}
        block = None
        with open(path, encoding='utf-8') as file:
            for line in file.read().splitlines():
                if line.startswith('  ') and block is not None:
                    block.append(line[2:])
                elif line and not line.startswith('#'):
                    word, *rest = shlex.split(line)
                    block = self.blocks.setdefault(word, []) if word in BLOCKS else self.steps.append((word, rest))


class Failure(Exception):
    pass


class Skip(Exception):
    pass


class Runner:
    """Does the steps of one case in a folder of its own."""

    def __init__(self, program, case, folder):
        self.program, self.case, self.folder = program, case, folder
        self.stdin = self.stdout = self.outcome = self.previous = self.columns = None
        self.environment = {'NO_COLOR': '', 'TERM': 'xterm'}

    def path(self, name):
        return os.path.join(self.folder, name)

    def fill(self, word):
        return word.replace('{fixtures}', command.FIXTURES).replace('{folder}', self.folder)

    def do(self):
        for word, arguments in self.case.steps:
            step = getattr(self, 'do_' + word.replace('-', '_'), None)
            if not step:
                raise Failure('no such step: ' + word)
            step(*[self.fill(argument) for argument in arguments])
        for name in BLOCKS[:2]:
            self.compare(name, getattr(self.outcome, name).decode('utf-8', 'replace').splitlines(), self.case.blocks.get(name, []))
        if 'files' in self.case.blocks:
            self.compare_files(self.case.blocks['files'])

    # ---- Steps ----

    def do_mkdir(self, name):
        os.makedirs(self.path(name))

    def do_copy(self, source, name):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        shutil.copyfile(os.path.join(command.FIXTURES, source), self.path(name))

    def do_record(self, source, name, number='1'):
        with open(os.path.join(command.FIXTURES, source), 'rb') as dump, open(self.path(name), 'wb') as file:
            file.write(command.recorded_again(dump.read(), int(number)))

    def do_unzip(self, source, name):
        with zipfile.ZipFile(os.path.join(command.FIXTURES, source)) as archive:
            archive.extractall(self.path(name))

    def do_replace(self, name, old, new):
        with open(self.path(name), encoding='utf-8') as file:
            text = file.read()
        if old not in text:
            raise Failure('%s has no %s' % (name, old))
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text.replace(old, new))

    def do_file(self, name, *lines):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines))

    def do_chmod(self, name, mode):
        os.chmod(self.path(name), int(mode, 8))

    def do_mode(self, name, mode):
        found = os.stat(self.path(name)).st_mode & 0o7777
        if found != int(mode, 8):
            raise Failure('%s has mode %o' % (name, found))

    def do_link(self, target, name):
        os.symlink(target, self.path(name))

    def do_fifo(self, name):
        os.mkfifo(self.path(name))

    def do_stdin(self, name):
        self.stdin = os.path.join(self.folder, name)

    def do_output(self, where):
        """full: a full disk; closed: a pipe that nobody reads."""
        if where == 'full':
            self.stdout = open('/dev/full', 'wb')
        else:
            reader, writer = os.pipe()
            os.close(reader)
            self.stdout = os.fdopen(writer, 'wb')

    def do_needs(self, program):
        if not shutil.which(program):
            raise Skip(program + ' is not installed')

    def do_begins(self, name, text):
        with open(self.path(name), 'rb') as file:
            if not file.read(len(text.encode())) == text.encode():
                raise Failure('%s does not begin with %s' % (name, text))

    def do_env(self, name, value=''):
        self.environment[name] = value

    def do_terminal(self, columns, stream='stdout'):
        self.columns, self.stream = int(columns), stream

    def do_run(self, *arguments):
        self.previous = self.outcome
        run = functools.partial(self.program.run, arguments, self.folder, stdin=self.stdin, seconds=30, environment=self.environment)
        self.outcome = run_in_terminal(run, self.stream, self.columns) if self.columns else run(stdout=self.stdout)
        self.outcome.stdout = re.sub(rb'\x1b\[(\d+)m', rb'{\1}', self.outcome.stdout)
        for problem in self.outcome.problems():
            raise Failure(problem)

    def do_exit(self, status):
        if self.outcome.status != int(status):
            raise Failure('exit %d instead of %s: %s' % (self.outcome.status, status, self.outcome.stderr.decode('utf-8', 'replace')))

    def do_same(self):
        """The last run printed what the one before it printed."""
        if self.outcome.stdout != self.previous.stdout:
            raise Failure('this run prints something else than the one before')

    def do_width(self, columns):
        for line in self.outcome.stdout.decode('utf-8').splitlines():
            if len(line) > int(columns):
                raise Failure('%d columns: %s' % (len(line), line))

    # ---- Expectations ----

    def compare(self, name, lines, expected):
        pattern = ''.join('(?s:.*)' if line == '...' else line_pattern(self.fill(line)) + '\n' for line in expected)
        if not re.fullmatch(pattern, ''.join(line + '\n' for line in lines)):
            raise Failure('%s is\n%s\ninstead of\n%s' % (name, indent(lines), indent(expected)))

    def compare_files(self, expected):
        found = sorted(os.path.relpath(os.path.join(root, file), self.folder) for root, _, files in os.walk(self.folder) for file in files)
        missing = [pattern for pattern in expected if not fnmatch.filter(found, pattern)]
        if missing or len(found) != len(expected):
            raise Failure('files are\n%s\ninstead of\n%s' % (indent(found), indent(expected)))


def run_in_terminal(run, stream, columns):
    """A run whose standard output or error, named by `stream`, is a terminal so wide."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    parts = []

    def collect():
        try:
            while part := os.read(master, 4096):
                parts.append(part)
        except OSError:  # what reading a terminal gives that nobody writes to any more
            pass

    reader = threading.Thread(target=collect)
    reader.start()
    with os.fdopen(slave, 'wb') as terminal:
        outcome = run(**{stream: terminal})
    reader.join()
    os.close(master)
    setattr(outcome, stream, b''.join(parts).replace(b'\r\n', b'\n').replace(b'\r\x1b[K', b'{clear}'))
    return outcome


def line_pattern(line):
    return '.*'.join(re.escape(part) for part in line.split('<*>'))


def indent(lines):
    return '\n'.join('  ' + line for line in lines)


def run_case(program, case):
    """What is wrong, or None."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(program, case, folder)
        try:
            runner.do()
        except Failure as failure:
            return str(failure)
        except Skip as why:
            print('skipped %s: %s' % (case.name, why))
        finally:
            if runner.stdout:
                try:
                    runner.stdout.close()
                except OSError:
                    pass
    return None


def main():
    program = command.program()
    fail_fast = '--fail-fast' in sys.argv
    wanted = [name for name in sys.argv[1:] if not name.startswith('--')]
    paths = sorted(glob.glob(os.path.join(HERE, '*.test')))
    cases = [Case(path) for path in paths[:: 4 if '--some' in sys.argv else 1]]
    cases = [case for case in cases if not wanted or case.name in wanted]
    failed = 0
    for case in cases:
        wrong = run_case(program, case)
        if wrong:
            failed += 1
            print('FAILED %s: %s' % (case.name, wrong))
            if fail_fast:
                return 1
    print('%d passed, %d failed' % (len(cases) - failed, failed))
    return 1 if failed or not cases else 0


if __name__ == '__main__':
    sys.exit(main())
