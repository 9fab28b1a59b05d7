# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs and tells what they took; the inputs that more than one part of the benchmark has."""

import math
import os
import re
import shutil
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIXTURES = ('llama_portable', 'vit_xnnpack')
WRITE = ('write', '--logdir', 'out', '--name', 'bench')

# Starts a program from a process that is small itself: a child's peak memory counts that of the process it was forked from.
# What the kernel accounts for holds every thread, and every process that the program started and waited for.
LAUNCHER = """
import os, sys
child = os.fork()
if child == 0:
    nowhere = os.open('/dev/null', os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""

READ_WITH_PYTHON = """
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for name in sys.argv[2:]:
        json.loads(archive.read(name))
"""


class Skipped(Exception):
    """Why a part of the benchmark cannot run here."""


def measure(arguments, repeat, cwd):
    """Best CPU seconds and largest peak MB of so many runs."""
    seconds, peak = math.inf, 0
    for _ in range(repeat):
        done = subprocess.run([sys.executable, '-I', '-S', '-c', LAUNCHER, *arguments], cwd=cwd, capture_output=True, check=True)
        words = done.stdout.split()
        if int(words[2]) != 0:
            sys.exit('%s: exit status %s\n%s' % (' '.join(arguments), words[2].decode(), done.stderr.decode(errors='replace')))
        seconds, peak = min(seconds, float(words[0])), max(peak, int(words[1]) / 1024)
    return seconds, peak


def make(folder, *arguments):
    """Makes inputs in a process of its own, so that this one stays small."""
    out = subprocess.run(
        [sys.executable, os.path.join(HERE, 'make_inputs.py'), folder, *map(str, arguments)], stdout=subprocess.PIPE, check=True
    ).stdout
    return out.decode().split('\n')[:-1]


class Bench:
    """What the command line says, and a folder for inputs and what is written."""

    def __init__(self, arguments, folder):
        self.program, self.repeat, self.python = os.path.abspath(arguments.program), arguments.repeat, arguments.python
        self.folder, self.against = folder, arguments.against
        self.empty = self.run('--version')[0]

    def run(self, *arguments):
        return measure([self.program, *arguments], self.repeat, self.folder)

    def write(self, inputs):
        shutil.rmtree(os.path.join(self.folder, 'out'), ignore_errors=True)
        return self.run(*WRITE, inputs)

    def read_with_python(self, record, programs):
        return measure([sys.executable, '-c', READ_WITH_PYTHON, record, *programs], self.repeat, self.folder)

    def inputs(self, fixture):
        """Makes a fixture's inputs: their folder, and the programs' texts as files."""
        path = os.path.join(self.folder, 'record')
        names = make(path, 'fixture', fixture, 0)
        documents = []
        with zipfile.ZipFile(os.path.join(path, 'etrecord.bin')) as archive:
            for number, name in enumerate(names):
                documents.append(os.path.join(self.folder, 'program%d.json' % number))
                with open(documents[-1], 'wb') as file:
                    file.write(archive.read(name))
        return path, documents

    def count(self, *arguments, program=None):
        """Million instructions of one run, counted by callgrind; of another version where a program is given."""
        shutil.rmtree(os.path.join(self.folder, 'out'), ignore_errors=True)
        words = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', program or self.program, *arguments]
        told = subprocess.run(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True).stderr.decode()
        # Of all processes: some commands read in one and write in another.
        return sum(int(count.replace(',', '')) for count in re.findall(r'refs:\s*([\d,]+)', told)) / 1e6
