#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Doubles as text are as short as Python's: shortest.py PRINT_NUMBERS. repr() has the fewest digits, and of those the nearest; a round trip shows neither."""

import random
import struct
import subprocess
import sys


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def chosen(chance):
    """The neighbors of each power of two, the subnormal ones, integers, decimal fractions, and any."""
    for exponent in range(2047):
        for fraction in (0, 1, 2, (1 << 52) - 1, (1 << 52) - 2, chance.getrandbits(52)):
            yield exponent << 52 | fraction
    for power in range(-330, 309):
        middle = bits_of(float(f"1e{power}"))
        yield from (max(middle + step, 0) for step in range(-2, 3))
    for _ in range(60000):
        yield chance.getrandbits(64)
        yield chance.getrandbits(chance.randrange(1, 53))
        yield bits_of(float(chance.getrandbits(chance.randrange(1, 65))))
        yield bits_of(chance.randrange(10 ** chance.randrange(1, 18)) / 10 ** chance.randrange(12))
    yield from map(bits_of, (0.0, -0.0, 1e15, 1e16, 1e22, 1e23, 9007199254740993.0, 0.0001, 0.00001, -1.5, 5.684341886080802e-14))


def main():
    numbers = [bits for bits in chosen(random.Random(2047)) if bits >> 52 & 2047 != 2047]
    done = subprocess.run([sys.argv[1]], input="".join(f"{bits:x}\n" for bits in numbers), capture_output=True, text=True, check=True)
    texts = done.stdout.split("\n")[:-1]
    assert len(texts) == len(numbers) > 200000
    for bits, text in zip(numbers, texts):
        wanted = repr(struct.unpack("<d", struct.pack("<Q", bits))[0])
        assert text == wanted.removesuffix(".0"), f"{bits:016x}: {text}, not {wanted}"
    print("passed")


if __name__ == "__main__":
    main()
