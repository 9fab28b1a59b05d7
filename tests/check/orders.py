# SPDX-License-Identifier: BSD-3-Clause
"""Runs the instructions of a program (.pte) in another order, with what each computes as a symbol: the same results, and how many bytes are live?

Knows nothing of what the tool says must run before what. A call computes a symbol made of its number and the symbols that it reads; whatever order gives each call the same
symbols, and leaves the same in the outputs and in what is kept from run to run, is as good as the program's. Schema: executorch's program.fbs.
"""
import struct

TENSOR, LISTS = 5, (10, 11)
KERNEL, DELEGATE = 1, 2
ITEM_BYTES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 8, 5: 2, 6: 4, 7: 8, 8: 4, 9: 8, 10: 16, 11: 1, 12: 1, 13: 1, 15: 2}
KNOWN = ('aten::', 'dim_order_ops::', 'executorch_prim::', 'quantized_decomposed::')  # whose names say what they change


class Table:
    """A table of a FlatBuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def slot(self, field):
        vtable = self.at - struct.unpack_from('<i', self.data, self.at)[0]
        if 4 + 2 * field >= struct.unpack_from('<H', self.data, vtable)[0]:
            return 0
        offset = struct.unpack_from('<H', self.data, vtable + 4 + 2 * field)[0]
        return offset and self.at + offset

    def number(self, field, kind='I'):
        slot = self.slot(field)
        return struct.unpack_from('<' + kind, self.data, slot)[0] if slot else 0

    def target(self, field):
        slot = self.slot(field)
        return slot and slot + struct.unpack_from('<I', self.data, slot)[0]

    def table(self, field):
        at = self.target(field)
        return Table(self.data, at) if at else None

    def text(self, field):
        at = self.target(field)
        return self.data[at + 4:at + 4 + struct.unpack_from('<I', self.data, at)[0]].decode() if at else ''

    def numbers(self, field, kind='i'):
        at = self.target(field)
        return list(struct.unpack_from('<%d%s' % (struct.unpack_from('<I', self.data, at)[0], kind), self.data, at + 4)) if at else []

    def tables(self, field):
        at = self.target(field)
        count = struct.unpack_from('<I', self.data, at)[0] if at else 0
        return [Table(self.data, slot + struct.unpack_from('<I', self.data, slot)[0]) for slot in range(at + 4, at + 4 + 4 * count, 4)]


class Value:
    """A tensor, or a list of them; of anything else nothing is known."""

    def __init__(self, entry):
        kind, table = entry.number(0, 'B'), entry.table(1)
        self.items = table.numbers(0) if kind in LISTS else []
        self.is_tensor = kind == TENSOR
        self.place, self.bytes, self.has_data = None, 0, False
        if not self.is_tensor:
            return
        self.bytes = ITEM_BYTES[table.number(0, 'B')]
        for size in table.numbers(2):
            self.bytes *= size
        self.has_data = table.number(5) > 0 or (table.table(9) is not None and table.table(9).number(2, 'B') == 1)  # in a file beside it
        allocation = table.table(6)
        if allocation:
            self.place = (allocation.number(0), allocation.number(2) << 32 | allocation.number(1))


class Call:
    """What an instruction is given, with lists opened."""

    def __init__(self, plan, values, instruction):
        self.kind, table = instruction.number(0, 'B'), instruction.table(1)
        if self.kind not in (KERNEL, DELEGATE):
            raise ValueError('control flow')
        arguments = table.numbers(1)
        opened = [[item for item in ([index] + values[index].items) if item >= 0 and values[item].is_tensor] for index in arguments]
        self.arguments = [index for each in opened for index in each]
        self.op = plan.tables(6)[table.number(0, 'i')].text(0) if self.kind == KERNEL else ''
        self.results = opened[-1] if self.kind == KERNEL and opened else []
        self.delegate = table.number(0, 'i') if self.kind == DELEGATE else None


class Method:
    """A method without control flow. Every tensor has a root: the one whose memory it is in on purpose."""

    def __init__(self, plan):
        self.values = [Value(entry) for entry in plan.tables(2)]
        self.inputs, self.outputs = plan.numbers(3), plan.numbers(4)
        self.calls = [Call(plan, self.values, instruction) for instruction in plan.tables(5)[0].tables(2)]
        self.roots, self.writes, self.states = {}, [], set()
        last = {}  # place -> the root that was put there last
        for index in self.inputs:
            self.start(index, last)
        for index, value in enumerate(self.values):
            if value.is_tensor and value.has_data and value.place:
                self.states.add(index)
        for call in self.calls:
            self.look_at(call, last)
        for index in self.outputs:
            if self.values[index].is_tensor:
                self.read(index, last)

    def start(self, index, last):
        if self.values[index].is_tensor:
            self.roots[index] = index
            last[self.values[index].place] = index

    def read(self, index, last):
        """A tensor that nothing wrote is a view of what lies there, or keeps something from the run before."""
        if index in self.roots:
            return
        other = last.get(self.values[index].place) if self.values[index].place and index not in self.states else None
        if other is not None and self.values[index].bytes <= self.values[other].bytes:
            self.roots[index] = other
            return
        self.start(index, last)
        if self.values[index].place:
            self.states.add(index)

    def look_at(self, call, last):
        """A delegate's results are the last of its arguments that are new."""
        results = set(call.results)
        if call.kind == DELEGATE:
            new = list(call.arguments)
            while new and new[-1] not in self.roots and not self.values[new[-1]].has_data:
                results.add(new.pop())
        if call.op.endswith('_'):
            results = {call.arguments[0]} | results
        if call.op and not call.op.startswith(KNOWN):
            results |= set(call.arguments)
        for index in call.arguments:
            if index not in results or call.op.endswith('_'):
                self.read(index, last)
        for index in results:
            inside = [self.roots[i] for i in call.arguments if i in self.roots and i not in results and self.covers(self.roots[i], index)]
            if index not in self.roots and inside:
                self.roots[index] = inside[0]
            elif index not in self.roots:
                self.start(index, last)
            last[self.values[index].place] = self.roots[index]
        self.writes.append({self.roots[index] for index in results} if call.op != 'executorch_prim::et_view' else set())

    def covers(self, outer, inner):
        a, b = self.values[outer], self.values[inner]
        if not a.place or not b.place or a.place[0] != b.place[0]:
            return False
        return b.bytes > 0 and a.place[1] <= b.place[1] and b.place[1] + b.bytes <= a.place[1] + a.bytes

    def run(self, order):
        """What each call saw, by its number, and what is left at the end."""
        held = {index: ('start', index) for index in self.states | set(self.inputs)}
        seen = {}
        for number in order:
            call = self.calls[number]
            extra = [('delegate', call.delegate)] if call.kind == DELEGATE else []
            if 'rand' in call.op or 'dropout' in call.op or 'normal' in call.op:
                extra = ['chance']
            if call.op and not call.op.startswith(KNOWN):
                extra.append('unknown')
            fresh = {self.roots[index] for index in call.arguments if self.roots[index] not in held} & self.writes[number]
            reads = [self.roots[index] for index in call.arguments if self.roots[index] not in fresh]
            missing = [root for root in reads if root not in held and not (self.values[root].has_data and not self.values[root].place)]
            if missing:
                raise ValueError('instruction %d reads what is not there: %s' % (number, missing))
            seen[number] = hash((number, tuple(held.get(root) for root in reads + extra)))
            for root in list(self.writes[number]) + extra:
                held[root] = seen[number]
        return seen, {root: held.get(root) for root in {self.roots[index] for index in self.outputs if index in self.roots} | self.states}

    def live(self, order):
        """Bytes at each place of an order."""
        at, count = {}, len(order)
        for place, number in enumerate(order):
            for index in self.calls[number].arguments:
                at.setdefault(self.roots[index], []).append(place)
        for index in self.inputs + list(self.states):
            if index in self.roots:
                at.setdefault(self.roots[index], []).append(0)
        for index in self.outputs + list(self.states):
            if index in self.roots:
                at.setdefault(self.roots[index], []).append(count - 1)
        live = [0] * count
        for root, places in at.items():
            for place in range(min(places), max(places) + 1) if self.values[root].place else ():
                live[place] += self.values[root].bytes
        return live


def methods_of(data):
    """The methods of a program by name; None for those with control flow."""
    found = {}
    for plan in Table(data, struct.unpack_from('<I', data)[0]).tables(1):
        try:
            found[plan.text(0)] = Method(plan)
        except ValueError:
            found[plan.text(0)] = None
    return found


def moved(count, moves):
    """The program's order with the moves of a finding made, one after the other."""
    out = {number for move in moves for number in range(move['first'], move['last'] + 1)}
    order = [number for number in range(count) if number not in out]
    for move in moves:
        at = 0 if move['after'] is None else order.index(move['after']) + 1
        order[at:at] = range(move['first'], move['last'] + 1)
    return order


def faults_of_order(method, plan, finding):
    """What is wrong with an order that the tool proposes for a method."""
    order, own = finding['order'], list(range(plan['instructions']['count']))
    if method is None:
        yield 'an order of a method with control flow'
        return
    if sorted(order) != own:
        yield 'an order that is none'
        return
    if method.live(own) != plan['instructions']['live_bytes']:
        yield 'the order is not checked: other live bytes'
        return
    if moved(len(own), finding['moves']) != order:
        yield 'the moves do not make the order'
    try:
        if method.run(order) != method.run(own):
            yield 'the order gives other results'
    except ValueError as why:
        yield 'the order: %s' % why
    if max(method.live(order)) != finding['peak_bytes']:
        yield 'the order has a peak of %d' % max(method.live(order))
