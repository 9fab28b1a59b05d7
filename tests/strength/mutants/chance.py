# SPDX-License-Identifier: BSD-3-Clause
"""Chance that is the same anywhere: of Python's generators only random() is promised never to change."""

import random


class Chance:
    def __init__(self, seed):
        self.next = random.Random(seed).random

    def below(self, limit):
        return int(self.next() * limit)

    def pick(self, items):
        return items[int(self.next() * len(items))]

    def often(self, share):
        return self.next() < share

    def few(self, most):
        """1 half of the time, 2 a quarter of the time, ..."""
        count = 1
        while count < most and self.next() < 0.5:
            count += 1
        return count

    def weighted(self, pairs):
        """pairs: (weight, item)."""
        at = self.next() * sum(weight for weight, _ in pairs)
        for weight, item in pairs:
            at -= weight
            if at < 0:
                return item
        return pairs[-1][1]


NUMBERS = [0, 1, 2, 3, 5, 7, 8, -1, -2, 127, 128, 255, 256, 65535, 65536, 2**24, 2**31 - 1, 2**31, -(2**31), 2**32 - 2, 2**32 - 1, 2**32]
NUMBERS += [2**53, 2**62, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, 10**30]
