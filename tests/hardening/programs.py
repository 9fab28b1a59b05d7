#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the programs that the command starts may run, read and write: programs.py COMMAND LIBRARY PACKAGE RUNNER.

The working directory is a record that a stranger sent: it holds modules and programs with the names of those that are looked for. PACKAGE is the folder of the
Python package; RUNNER leaves an ETDump.
"""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import venv

import cases

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / 'fixtures'
MODULES = ('logging', 'json', 'site', 'sitecustomize', 'usercustomize', 'importlib', 'pyarrow', 'torch', 'etrecord_tb')
PROGRAMS = ('dot', 'git', 'adb', 'python3', 'python', 'runner', 'sh')
CREATE_RULESET, ASK_VERSION = 444, 1


class Failure(Exception):
    pass


class Trial:
    """A record with hostile files, and an environment in which the package and what stands for pyarrow are installed."""

    def __init__(self, folder, command, library, package, runner):
        self.folder, self.command, self.runner = pathlib.Path(folder), command, runner
        self.record, self.marks = self.folder / 'record', self.folder / 'marks'
        self.marks.mkdir()
        shutil.copytree(FIXTURES / 'add_mul', self.record)
        for name in MODULES:
            mark = f"open({str(self.marks / name)!r}, 'w')\n"
            (self.record / f'{name}.py').write_text(mark, encoding='utf-8')
            (self.record / name).mkdir()
            (self.record / name / '__init__.py').write_text(mark, encoding='utf-8')
        for name in PROGRAMS:
            path = self.record / name
            path.write_text(f'#!/bin/sh\n: > {self.marks / name}\ncp {self.record}/etdump.etdp {self.record}/new.etdp\n', encoding='utf-8')
            path.chmod(0o755)
        self.environment = self.folder / 'environment'
        venv.create(self.environment, symlinks=True)
        self.packages = next(self.environment.glob('lib/python3*')) / 'site-packages'
        (self.packages / 'package.pth').write_text(f'{package}\n', encoding='utf-8')
        self.installed = self.environment / 'bin' / 'etrecord-tb'
        shutil.copy(command, self.installed)
        shutil.copy(library, self.environment / 'bin' / 'libetrecord_tb.so.0')

    def install_pyarrow(self, when_writing='pass'):
        """Installs a stand-in for pyarrow, which needs nothing else."""
        shutil.rmtree(self.packages / 'pyarrow', ignore_errors=True)
        (self.packages / 'pyarrow').mkdir()
        (self.packages / 'pyarrow' / '__init__.py').write_text(PYARROW, encoding='utf-8')
        (self.packages / 'pyarrow' / 'json.py').write_text(JSON, encoding='utf-8')
        for name in ('ipc', 'parquet'):
            (self.packages / 'pyarrow' / f'{name}.py').write_text(WRITERS + textwrap.indent(when_writing, ' ' * 4), encoding='utf-8')

    def run(self, *arguments, command=None, **environment):
        """From inside the record, with a PATH that has empty and relative elements, and a PYTHONPATH."""
        given = {**os.environ, 'PATH': ':'.join(('', '.', os.environ['PATH'], '')), 'PYTHONPATH': '.', 'ETRECORD_TB_PYTHON': str(self.environment / 'bin' / 'python3'), **environment}
        return subprocess.run([command or self.command, *arguments], cwd=self.record, env=given, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def expect(self, status, *arguments, **more):
        done = self.run(*arguments, **more)
        if done.returncode != status:
            raise Failure(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
        return done


PYARROW = '''
class Schema: pass
class Table:
    num_rows = 1
    def from_batches(batches, schema): return Table()
class ArrowException(Exception): pass
def schema(fields): return Schema()
def type_for_alias(kind): return kind
def concat_tables(tables): return tables[0]
from . import ipc, json, parquet
'''
JSON = '''
from pyarrow import Table
def ParseOptions(**options): return None
def ReadOptions(*options, **more): return None
def read_json(*arguments): return Table()
'''
WRITERS = '''
import io, os, socket, subprocess, sys
class Writer:
    def __init__(self, out): self.out = out
    def __enter__(self): return self
    def __exit__(self, *exception): pass
    def write_table(self, table):
        self.out.write(b'written')
        if not isinstance(self.out, io.BytesIO):  # which is only tried
            when_writing()
def ParquetWriter(out, schema, compression): return Writer(out)
def new_stream(out, schema): return Writer(out)
new_file = new_stream
def attempt(name, act):
    try:
        act()
    except (OSError, subprocess.SubprocessError) as error:
        if isinstance(error, ConnectionRefusedError):
            print('could', name, file=sys.stderr)
    else:
        print('could', name, file=sys.stderr)
def when_writing():
'''
# What code that hostile rows got into Python would try.
ATTEMPTS = '''attempt('read', lambda: open('etrecord.bin').close())
attempt('write', lambda: open('etrecord.bin', 'a').close())
attempt('make', lambda: open('../made', 'w').close())
attempt('remove', lambda: os.unlink('truth.json'))
attempt('rename', lambda: os.rename('truth.json', '../truth.json'))
attempt('list', lambda: os.listdir('/'))
attempt('connect', lambda: socket.create_connection(('127.0.0.1', 9)))
attempt('start', lambda: subprocess.run(['/bin/true'], check=True))
attempt('change', lambda: os.chmod('etrecord.bin', 0o600))
'''

# ---- Cases ----

# Each command that starts a program, with its exit status: Python without torch cannot make a reference, and bare names are not found.
STARTS = (
    (0, ('nodes', '.', '-o', '../x.parquet')),
    (0, ('nodes', '.', '--format', 'arrow')),
    (0, ('nodes', '.', '--each', '-o', '../x.arrow')),
    (1, ('reference', '.', '-o', '../x.safetensors')),
    (1, ('bench', '--record', '.', '--logdir', '../runs', '--', 'runner')),
    (1, ('bench', '--record', '.', '--logdir', '../runs', '--', 'adb', 'shell', './runner', '--etdump_path', '/tmp/x.etdp')),
    (0, ('bench', '--record', '.', '--logdir', '../runs', '--repeat', '1', '--warmup', '0', '--', 'RUNNER', '--dump', 'etdump.etdp', '--count', '../count', '--etdump_path', '../new.etdp')),
)


def no_code_from_the_folder(trial):
    trial.install_pyarrow()
    starts = STARTS + (((0, ('dot', '.', '-o', '../a.svg')),) if shutil.which('dot') else ())
    for status, arguments in starts:
        done = trial.run(*[trial.runner if word == 'RUNNER' else word for word in arguments])
        if marks := os.listdir(trial.marks):
            raise Failure(f"{' '.join(arguments)} ran {sorted(marks)} from the record")
        if done.returncode != status and 'adb' not in arguments:
            raise Failure(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")


def runs_what_was_typed(trial):
    trial.expect(0, 'bench', '--record', '.', '--logdir', '../runs', '--repeat', '1', '--warmup', '0', '--pull', 'new.etdp', '--', './runner')
    if os.listdir(trial.marks) != ['runner']:
        raise Failure(f'ran {os.listdir(trial.marks)}')


def the_writer_writes_one_file(trial):
    trial.install_pyarrow(ATTEMPTS)
    for arguments in (('nodes', '.', '-o', '../x.parquet'), ('nodes', '.', '-o', '../x.arrow'), ('nodes', '.', '--format', 'arrow')):
        done = trial.expect(0, *arguments)
        if done.stderr and landlock_version():
            raise Failure(f"{' '.join(arguments)}: {done.stderr}")
        written = done.stdout if arguments[-1] == 'arrow' else (trial.folder / arguments[-1][3:]).read_text(encoding='utf-8')
        if written != 'written':
            raise Failure('the rows are not in the file')


def finds_its_environment(trial):
    """Without activating it: with no other Python that has the package."""
    trial.install_pyarrow()
    trial.expect(0, 'nodes', '.', '-o', '../x.parquet', command=trial.installed, ETRECORD_TB_PYTHON='')
    shutil.rmtree(trial.packages / 'pyarrow')
    said = trial.expect(1, 'nodes', '.', '-o', '../y.parquet', command=trial.installed, ETRECORD_TB_PYTHON='').stderr
    for wanted in ('ETRECORD_TB_PYTHON', 'pip install ".[arrow]"', str(trial.environment / 'bin' / 'python3'), 'pyarrow'):
        if wanted not in said:
            raise Failure(f'{wanted} is not in: {said}')
    if (trial.folder / 'y.parquet').exists() or [name for name in os.listdir(trial.folder) if name.startswith('.')]:
        raise Failure(f'left {os.listdir(trial.folder)}')


CASES = (no_code_from_the_folder, runs_what_was_typed, the_writer_writes_one_file, finds_its_environment)


def landlock_version():
    libc = ctypes.CDLL(None, use_errno=True)
    return max(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION), 0)


def main():
    cases.run(CASES, lambda folder: Trial(os.path.realpath(folder), *map(os.path.abspath, sys.argv[1:5])), Failure)


if __name__ == '__main__':
    main()
