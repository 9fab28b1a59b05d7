# SPDX-License-Identifier: BSD-3-Clause
"""Changes in FlatBuffers, without their schemas: tables, vectors and strings are told by what they look like. Fields get extreme values or those of
others, references lead elsewhere, vectors grow and shrink, strings become others."""

import ast
import collections
import functools
import os
import re
import struct

import chance

IDENTIFIERS = re.compile(rb'ED00|ET12|XN0[01]|VK00|BP08|FT01')
MOST_FIELDS, MOST_TABLE, MOST_STRING, MOST_PLACES, MOST_BYTES = 60, 1024, 400, 20_000, 150_000
WORDS = ['', '0', '1', '2', '7', '-1', 'forward', 'second', 'Execute', 'Method::execute', 'Method::init', 'Program::load_method', 'OPERATOR_CALL']
WORDS += ['DELEGATE_CALL', 'native_call_add.out', 'native_call_', 'XnnpackBackend', 'aten::add', 'out', 'x' * 300, '\xff\x00\x1b'.encode('latin1')]

def dictionary(name):
    """The words that a fuzz target knows."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'fuzz', name)
    with open(path, encoding='utf-8') as file:
        return [ast.literal_eval('b' + line.strip()) for line in file if line.startswith('"')]


PIECES = dictionary('decoders.dict') + [b',', b':', b'_', b'\0', b'(', b'{"', b'\xff']

Reference = collections.namedtuple('Reference', 'at target kind')


def number(data, at, size=4):
    return int.from_bytes(data[at : at + size], 'little')


class Places:
    """Where what lies in a buffer."""

    def __init__(self, data):
        self.data = data
        self.scalars, self.references, self.slots, self.alike = [], [], [], {}
        self.children = {}  # of a table or vector: the references in it
        self.targets = {'table': [], 'vector': [], 'string': []}
        self.seen = set()
        for found in IDENTIFIERS.finditer(data):
            self.follow(found.start() - 4)

    def follow(self, root):
        waiting = [root]
        while waiting and len(self.seen) < MOST_PLACES:
            at = waiting.pop()
            kind, target = self.referred(at)
            if not kind:
                continue
            self.references.append(Reference(at, target, kind))
            if target in self.seen:
                continue
            self.seen.add(target)
            self.targets[kind].append(target)
            self.children[target] = list({'table': self.table, 'vector': self.vector, 'string': lambda at: ()}[kind](target))
            waiting.extend(self.children[target])

    def referred(self, at):
        """What the field may refer to; None if it looks like a number."""
        offset = number(self.data, at)
        target = at + offset
        if at < 0 or offset < 4 or target + 4 > len(self.data):
            return None, 0
        for kind, test in (('table', self.is_table), ('string', self.is_string), ('vector', self.is_vector)):
            if test(target):
                return kind, target
        return None, 0

    def vtable_of(self, at):
        return at - struct.unpack_from('<i', self.data, at)[0]

    def is_table(self, at):
        vtable = self.vtable_of(at)
        if not 0 <= vtable <= len(self.data) - 4 or vtable == at:
            return False
        size, table = number(self.data, vtable, 2), number(self.data, vtable + 2, 2)
        if size % 2 or not 4 <= size <= 4 + 2 * MOST_FIELDS or not 4 <= table <= MOST_TABLE or max(vtable + size, at + table) > len(self.data):
            return False
        return all(slot == 0 or 4 <= slot < table for slot in self.slots_of(vtable, size))

    def slots_of(self, vtable, size):
        return struct.unpack_from('<%dH' % (size // 2 - 2), self.data, vtable + 4)

    def is_string(self, at):
        size = number(self.data, at)
        end = at + 4 + size
        return 0 < size <= MOST_STRING and end < len(self.data) and self.data[end] == 0 and min(self.data[at + 4 : end]) >= 32

    def is_vector(self, at):
        return at + 4 + number(self.data, at) <= len(self.data)

    def table(self, at):
        vtable = self.vtable_of(at)
        size = number(self.data, vtable, 2)
        slots = self.slots_of(vtable, size)
        if vtable not in self.seen:
            self.seen.add(vtable)
            self.slots.extend((vtable + 4 + 2 * i, slots) for i in range(len(slots)))
        ends = sorted({slot for slot in slots if slot} | {number(self.data, vtable + 2, 2)})
        for slot in filter(None, slots):
            room = ends[ends.index(slot) + 1] - slot
            width = next(width for width in (8, 4, 2, 1) if width <= room)
            if width >= 4 and self.referred(at + slot)[0]:
                yield at + slot
            else:
                self.scalars.append((at + slot, width))
                self.alike.setdefault((vtable, slot), []).append((at + slot, width))

    def vector(self, at):
        count = number(self.data, at)
        elements = range(at + 4, min(at + 4 + 4 * count, len(self.data) - 3), 4)
        is_references = all(self.referred(each)[0] in ('table', 'string') for each in elements[:4])
        if is_references:
            yield from elements[:2000]
        else:
            self.scalars.extend((each, 4) for each in elements[:200])


@functools.lru_cache(maxsize=200)
def places_of(data):
    return Places(data)


def set_number(buffer, at, value, size=4):
    buffer[at : at + size] = (value & (256**size - 1)).to_bytes(size, 'little')


def another_number(dice, places, buffer):
    if places.scalars:
        at, size = dice.pick(places.scalars)
        other, other_size = dice.pick(places.scalars)
        value = number(buffer, at, size)
        chosen = (dice.pick(chance.NUMBERS), value + dice.pick((-1, 1)), number(buffer, other, other_size), dice.below(256), value * 2)
        set_number(buffer, at, dice.pick(chosen), size)


def the_same_number(dice, places, buffer):
    """In a field of several tables of a kind: tensors at one place, events at one time."""
    if places.alike:
        fields = dice.pick(list(places.alike.values()))
        first, count, value = dice.below(len(fields)), 1 + dice.below(len(fields)), dice.pick((dice.pick(chance.NUMBERS), number(buffer, *fields[0])))
        for at, size in fields[first : first + count]:
            set_number(buffer, at, value, size)


def another_byte(dice, places, buffer):
    """Anywhere, so also in payloads that are no FlatBuffers."""
    at = dice.below(len(buffer))
    buffer[at] = dice.pick((0, 1, 255, 127, 128, buffer[at] ^ 1, buffer[at] ^ 32, dice.below(256)))


def another_target(dice, places, buffer):
    """References lead forwards only."""
    at, _, kind = dice.pick(places.references)
    others = [each for each in places.targets[kind if dice.often(0.85) else dice.pick(list(places.targets))] if each > at]
    if others:
        set_number(buffer, at, dice.pick(others) - at)


def broken_target(dice, places, buffer):
    at = dice.pick(places.references).at
    set_number(buffer, at, dice.pick((0, 1, 2, 3, 4, number(buffer, at) + dice.pick((-4, -1, 1, 2, 4, 8)), 2**31, 2**32 - 1, len(buffer) - at)))


def another_length(dice, places, buffer):
    sized = places.targets['vector'] + places.targets['string']
    if sized:
        at = dice.pick(sized)
        count = number(buffer, at)
        set_number(buffer, at, dice.pick((0, 1, count - 1, count + 1, count * 2, dice.below(count + 1), 2**16, 2**31, 2**32 - 1)))


def another_slot(dice, places, buffer):
    if places.slots:
        at, slots = dice.pick(places.slots)
        set_number(buffer, at, dice.pick((0, 0, 0, dice.pick(slots), dice.pick(slots), 4, 2, 65535)), 2)


def append(buffer, content):
    buffer.extend(bytes(-len(buffer) % 8) + content)
    return len(buffer) - len(content)


def another_string(dice, places, buffer):
    strings = [reference for reference in places.references if reference.kind == 'string']
    if strings:
        word = dice.pick(WORDS)
        word = word if isinstance(word, bytes) else word.encode()
        at = dice.pick(strings).at
        set_number(buffer, at, append(buffer, struct.pack('<I', len(word)) + word + b'\0') - at)


def near(dice, text):
    """A text or metadata with a small change: what backends put into them has numbers and separators."""
    at = dice.below(len(text) + 1)
    numbers = list(re.finditer(rb'\d+', text))
    if numbers and dice.often(0.4):
        found = dice.pick(numbers)
        return text[: found.start()] + str(dice.pick(chance.NUMBERS)).encode() + text[found.end() :]
    return dice.pick((text[:at], text[at:], text[:at] + dice.pick(PIECES) + text[at:], text[:at] + text[at + 1 :], text + text, text[:at] + dice.pick(PIECES)))


def near_text(dice, places, buffer):
    """Instead of a string or of bytes."""
    sized = [each for each in places.references if each.kind != 'table' and not places.children.get(each.target)]
    if sized:
        reference = dice.pick(sized)
        start = reference.target + 4
        text = near(dice, bytes(places.data[start : start + min(number(places.data, reference.target), MOST_STRING)]))
        set_number(buffer, reference.at, append(buffer, struct.pack('<I', len(text)) + text + b'\0') - reference.at)


def append_copy(places, buffer, at):
    """A copy of what a reference leads to, with all that it refers to, behind all else."""
    kind, target = places.referred(at)
    if kind == 'string':
        return append(buffer, places.data[target : target + 5 + number(places.data, target)])
    if kind == 'table':
        vtable = places.vtable_of(target)
        start = append(buffer, places.data[target : target + number(places.data, vtable + 2, 2)])
        set_number(buffer, start, start - vtable)
    else:
        start = append(buffer, places.data[target : target + 4 + 8 * number(places.data, target)])
    for each in places.children.get(target, ()) if len(buffer) < MOST_BYTES else ():
        set_number(buffer, start + each - target, append_copy(places, buffer, each) - (start + each - target))
    return start


def another_vector(dice, places, buffer):
    """A copy of a vector of references, with some of them left out, twice, or in another order."""
    vectors = [each for each in places.references if each.kind == 'vector' and 0 < len(places.children.get(each.target, ())) <= 500]
    if not vectors:
        return
    reference = dice.pick(vectors)
    elements = list(places.children[reference.target])
    for _ in range(dice.few(5)):
        at, item = dice.below(len(elements) + 1), dice.pick(elements or places.children[reference.target])
        elements[at : at + dice.below(3)] = [item] * dice.below(4)
    start = append(buffer, struct.pack('<I', len(elements)) + bytes(4 * len(elements)))
    copies = {}
    for i, each in enumerate(elements):
        if each not in copies or dice.often(0.3):
            copies[each] = append_copy(places, buffer, each)
        set_number(buffer, start + 4 + 4 * i, copies[each] - start - 4 - 4 * i)
    set_number(buffer, reference.at, start - reference.at)


CHANGES = [
    (12, another_number),
    (2, the_same_number),
    (1, another_byte),
    (8, another_target),
    (1, broken_target),
    (1, another_length),
    (1, another_slot),
    (6, another_string),
    (4, near_text),
    (8, another_vector),
]


def tell_size(data, buffer):
    """Where a file says how large it is: an ETDump in front, a program in its extended header."""
    if number(data, 0) == len(data) - 4:
        set_number(buffer, 0, len(buffer) - 4)
    if data[8:12] == b'eh00':
        set_number(buffer, 16, len(buffer), 8)


def mutate(dice, data, count):
    places = places_of(data)
    buffer = bytearray(data)
    if not places.references:
        return data
    for _ in range(count):
        dice.weighted(CHANGES)(dice, places, buffer)
    if len(buffer) > len(data):
        tell_size(data, buffer)
    return bytes(buffer)
