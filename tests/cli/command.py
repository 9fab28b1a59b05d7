# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command etrecord-tb for tests, under limits, and looks for what must never happen whatever the input.

The program is the first argument of the test, or the environment's ETRECORD_TB. A sanitizer's build is noticed: it gets more time, and no limit
on its address space, which sanitizers reserve by the terabyte.
"""

import atexit
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(os.path.dirname(HERE), 'fixtures')
MEGABYTE = 1 << 20
ASAN_OPTIONS = 'handle_sigill=1'  # undefined behavior; a preset of tests (CMakePresets.json) may say more
HANGS = 300  # seconds: a process that waits for ever uses none of its own time



def recorded_again(dump, number):
    """Another recording of the same program: an ETDump whose first event takes `number` ticks more."""
    data = bytearray(dump)

    def follow(at):
        return at + struct.unpack_from('<I', data, at)[0]

    def field(table, index):
        vtable = table - struct.unpack_from('<i', data, table)[0]
        return table + struct.unpack_from('<H', data, vtable + 4 + 2 * index)[0]

    run = follow(follow(field(follow(4), 1)) + 4)
    event = follow(follow(field(run, 3)) + 4)
    end = field(follow(field(event, 0)), 7)
    struct.pack_into('<Q', data, end, struct.unpack_from('<Q', data, end)[0] + number)
    return bytes(data)


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
            if not line.startswith(('etrecord-tb: ', '{clear}')):  # the latter begins progress, in a terminal
                found.append('stderr has the line ' + line[:200])
                break
        return found


def text_problems(data):
    try:
        text = data.decode('utf-8')
    except UnicodeDecodeError:
        return ['is not UTF-8']
    bad = sorted({c for c in set(text) if unicodedata.category(c) == 'Cc' and c not in '\n\t\r'})
    return ['has the control characters %r' % bad] if bad else []


class Launcher:
    """A small process that starts programs, see launcher.py."""

    def __init__(self):
        self.socket, other = socket.socketpair()
        self.process = subprocess.Popen([sys.executable, '-S', '-E', os.path.join(HERE, 'launcher.py'), str(other.fileno())], pass_fds=[other.fileno()])
        other.close()
        self.answers = self.socket.makefile('rb')
        atexit.register(self.close)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.process.wait()

    def run(self, request, files):
        socket.send_fds(self.socket, [b' '], [file.fileno() for file in files])
        self.socket.sendall(json.dumps(request).encode() + b'\n')
        return json.loads(self.answers.readline())


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        with open(self.path, 'rb') as file:
            self.sanitized = b'__asan_init' in file.read()
        self.finds_leaks = True  # which takes a fifth of a short run
        self.launcher = None

    def run(self, arguments, cwd, stdin=None, stdout=None, stderr=None, seconds=10, address_space=1024 * MEGABYTE, environment=None):
        """stdin: path of a file; stdout, stderr: an open file instead of a pipe; environment: what to add to it. seconds: of the processor's time, so that a
        busy machine makes no difference. Not for several threads at once."""
        seconds *= 6 if self.sanitized else 1
        limits = [(resource.RLIMIT_CPU, (seconds, seconds + 1))]
        if not self.sanitized:
            limits.append((resource.RLIMIT_AS, (address_space, address_space)))
        sanitizer = os.environ.get('ASAN_OPTIONS', ASAN_OPTIONS) + ('' if self.finds_leaks else ':detect_leaks=0')
        request = {
            'command': [self.path, *arguments],
            'cwd': os.path.abspath(cwd),
            'environment': {**os.environ, 'ASAN_OPTIONS': sanitizer, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '', **(environment or {})},
            'limits': limits,
            'hangs': HANGS,
        }
        self.launcher = self.launcher or Launcher()
        with open(stdin or os.devnull, 'rb') as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            answer = self.launcher.run(request, (source, stdout or out, stderr or err))
            out.seek(0)
            err.seek(0)
            timed_out = answer['expired'] or answer['status'] in (-signal.SIGXCPU, -signal.SIGKILL)
            return Outcome(answer['status'], out.read(), err.read(), answer['peak_bytes'], timed_out)


def program():
    """The program to test, or the end of the test that names none."""
    path = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith('-') else os.environ.get('ETRECORD_TB')
    if not path or not os.access(path, os.X_OK):
        sys.exit('usage: %s PATH/TO/etrecord-tb, or set ETRECORD_TB' % os.path.basename(sys.argv[0]))
    return Program(path)
