#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A number's mutant is the same whatever was made before it: made in order, and backwards."""

import sys

import mutants

COUNT = 150


def made(numbers):
    sources = mutants.material()
    return {number: mutants.make(sources, '1', number) for number in numbers}


def main():
    forwards, backwards = made(range(COUNT)), made(reversed(range(COUNT)))
    different = [number for number in range(COUNT) if forwards[number] != backwards[number]]
    if different:
        print('FAILED: made after others, these differ: %s' % different)
    print('%d passed, %d failed' % (COUNT - len(different), len(different)))
    return len(different) > 0 or len({str(files) for files in forwards.values()}) < COUNT * 0.9


if __name__ == '__main__':
    sys.exit(main())
