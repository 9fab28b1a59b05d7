# SPDX-License-Identifier: BSD-3-Clause
"""Changes in references (safetensors): their JSON header, its length, the bytes behind it."""

import struct

import json_trees


def mutate(dice, data, count):
    size = struct.unpack_from('<Q', data)[0] if len(data) >= 8 else 0
    header, rest = data[8:8 + size], data[8 + size:]
    if dice.often(0.8):
        header = json_trees.mutate(dice, header, count)
    if dice.often(0.2) and rest:
        at = dice.below(len(rest))
        rest = dice.pick((rest[:at], rest[at:] + rest[:at], b'\0\0\xc0\x7f' * (len(rest) // 4), rest + b'\0'))
    length = len(header) if dice.often(0.95) else dice.pick((0, len(header) - 1, len(header) + 1, 100_000_000, 1 << 40, (1 << 64) - 1))
    return struct.pack('<Q', max(length, 0)) + header + rest
