# SPDX-License-Identifier: BSD-3-Clause
"""Starts programs for command.py: launcher.py FILE_DESCRIPTOR, of a socket on which requests come and answers go.

The peak memory that the system states for a process includes what it had before it became another program, and a test with its inputs has more than
some limits allow. This process stays small.

A request is the file descriptors of standard input, output and error, and a line of JSON: command, cwd, environment, limits and hangs. The answer is a
line of JSON: status, peak_bytes and expired, which says that the program was killed after `hangs` seconds.
"""

import json
import os
import resource
import signal
import socket
import sys


def become(request, descriptors):
    """Replaces this process by the program. Does not return."""
    try:
        for standard, descriptor in enumerate(descriptors):
            os.dup2(descriptor, standard)
        os.closerange(len(descriptors), max(descriptors) + 1)
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these
            signal.signal(ignored, signal.SIG_DFL)
        os.chdir(request['cwd'])
        for limit, most in request['limits']:
            resource.setrlimit(limit, most)
        os.execve(request['command'][0], request['command'], request['environment'])
    finally:
        os._exit(127)


def run(request, descriptors):
    expired = []
    child = os.fork()
    if child == 0:
        become(request, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)

    def kill(*_):
        expired.append(True)
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.alarm(request['hangs'])
    _, status, usage = os.wait4(child, 0)
    signal.alarm(0)
    return {'status': os.waitstatus_to_exitcode(status), 'peak_bytes': usage.ru_maxrss * 1024, 'expired': bool(expired)}


def main():
    requests = socket.socket(fileno=int(sys.argv[1]))
    while True:
        text, descriptors, _, _ = socket.recv_fds(requests, 1 << 16, 3)
        while text and not text.endswith(b'\n'):
            text += requests.recv(1 << 16)
        if not text:
            return
        requests.sendall(json.dumps(run(json.loads(text), descriptors)).encode() + b'\n')


if __name__ == '__main__':
    main()
