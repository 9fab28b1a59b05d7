# SPDX-License-Identifier: BSD-3-Clause
"""Logs of devices that print their ETDumps as base64, and changes in them."""

import base64
import functools
import re

SAID = ['', 'I 00:00:01.123456 executorch: ', '\x1b[32m[12:00:00] \x1b[0m', 'Writing etdump.bin size: 1234 [byte]\r', 'etdump:', 'x' * 300, '=', '\0', '"']
MOST_BYTES = 150_000


def as_command(data, name):
    """The lines of Arm's runner."""
    return ['#---', 'echo "%s" | base64 -d >%s' % (base64.b64encode(data).decode(), name), '#---']


def as_lines(dice, data):
    text, width, lead = base64.b64encode(data).decode(), dice.pick((64, 76, 79, 500)), dice.pick(SAID[:3])
    return [lead + text[at : at + width] for at in range(0, len(text), width)]


def made(dice, dumps, buffer):
    """A log with these dumps."""
    lines = [dice.pick(SAID) for _ in range(dice.below(3))]
    for dump in dumps:
        if buffer and dice.often(0.7):
            lines += as_command(buffer, 'debug_buffer.bin')
        lines += as_command(dump, 'etdump.bin') if dice.often(0.5) else as_lines(dice, dump)
        lines += [dice.pick(SAID)]
    return dice.pick(('\n', '\n', '\r\n')).join(lines + ['']).encode()


@functools.lru_cache(maxsize=100)
def lines_of(data):
    return re.split(rb'(?<=\n)', data)


def other_line(dice, line):
    at = dice.below(len(line) + 1)
    return dice.pick((line[:at], line[at:], line[:at] + b'\n' + line[at:], line[:at] + dice.pick(SAID).encode() + line[at:], line[:at] + b'=' + line[at + 1 :], line * 2))


def mutate(dice, data, count):
    lines = list(lines_of(data))
    for _ in range(count):
        at, other, what = dice.below(len(lines)), dice.below(len(lines)), dice.below(6)
        if what == 0 and len(lines) > 1:
            del lines[at]
        elif what == 1:
            lines[other:other] = [lines[at]]
        elif what == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif what == 3:
            lines[at:at] = [dice.pick(SAID).encode() + b'\n']
        elif what == 4 and dice.often(0.3):
            lines = lines[:at] + [lines[at][: dice.below(len(lines[at]) + 1)]]
        else:
            lines[at] = other_line(dice, lines[at])
    return b''.join(lines)[:MOST_BYTES]
