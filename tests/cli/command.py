# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command etrecord-tb for tests, under limits, and looks for what must never happen whatever the input.

The program is the first argument of the test, or the environment's ETRECORD_TB. A sanitizer's build is noticed: it gets more time, and no limit
on its address space, which sanitizers reserve by the terabyte.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import unicodedata

FIXTURES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'fixtures')
MEGABYTE = 1 << 20
HANGS = 300  # seconds: a process that waits for ever uses none of its own time


class Outcome:
    """What a run gave: status (negative: killed by that signal), stdout, stderr, peak_bytes, timed_out."""

    def __init__(self, status, stdout, stderr, peak_bytes, timed_out):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.peak_bytes, self.timed_out = peak_bytes, timed_out

    def problems(self, memory=None):
        """What is wrong with any run, as a list of texts: signals, sanitizer reports, control characters, stray output."""
        found = []
        if self.timed_out:
            found.append('ran out of its time')
        if self.status < 0:
            found.append('killed by ' + signal.Signals(-self.status).name)
        if memory and self.peak_bytes > memory:
            found.append('took %d MB' % (self.peak_bytes // MEGABYTE))
        for name, data in (('stdout', self.stdout), ('stderr', self.stderr)):
            found += [name + ' ' + what for what in text_problems(data)]
        for line in self.stderr.decode('utf-8', 'replace').splitlines():
            if not line.startswith('etrecord-tb: '):
                found.append('stderr has the line ' + line[:200])
                break
        return found


def text_problems(data):
    try:
        text = data.decode('utf-8')
    except UnicodeDecodeError:
        return ['is not UTF-8']
    bad = sorted({c for c in text if unicodedata.category(c) == 'Cc' and c not in '\n\t\r'})
    return ['has the control characters %r' % bad] if bad else []


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        with open(self.path, 'rb') as file:
            self.sanitized = b'__asan_init' in file.read()

    def run(self, arguments, cwd, stdin=None, stdout=None, seconds=10, address_space=1024 * MEGABYTE, environment=None):
        """stdin: path of a file; stdout: an open file instead of a pipe; environment: what to add to it. seconds: of the processor's time, so that a
        busy machine makes no difference."""
        limits = {resource.RLIMIT_CPU: seconds * (6 if self.sanitized else 1)}
        if not self.sanitized:
            limits[resource.RLIMIT_AS] = address_space
        environment = {**os.environ, 'ASAN_OPTIONS': 'detect_leaks=1', 'LC_ALL': 'C.UTF-8', 'COLUMNS': '', **(environment or {})}
        with open(stdin or os.devnull, 'rb') as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                [self.path, *arguments],
                cwd=cwd,
                stdin=source,
                stdout=stdout or out,
                stderr=err,
                env=environment,
                preexec_fn=lambda: set_limits(limits),
            )
            expired = threading.Event()
            timer = threading.Timer(HANGS, lambda: (expired.set(), process.kill()))
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            timed_out = expired.is_set() or process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
            return Outcome(process.returncode, out.read(), err.read(), usage.ru_maxrss * 1024, timed_out)


def set_limits(limits):
    for limit, most in limits.items():
        resource.setrlimit(limit, (most, most + 1 if limit == resource.RLIMIT_CPU else most))


def program():
    """The program to test, or the end of the test that names none."""
    path = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith('-') else os.environ.get('ETRECORD_TB')
    if not path or not os.access(path, os.X_OK):
        sys.exit('usage: %s PATH/TO/etrecord-tb, or set ETRECORD_TB' % os.path.basename(sys.argv[0]))
    return Program(path)
