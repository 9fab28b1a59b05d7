# SPDX-License-Identifier: BSD-3-Clause
"""Makes programs (.pte) with XNNPACK payloads, and the records and dumps that go with them: models that no exporter would lower.

Schemas: executorch's program.fbs, and runtime_schema.fbs of its XNNPACK backend.
"""

import collections
import json
import struct

import forge

# ---- FlatBuffers ----


class Numbers(list):
    """A vector of int32."""


class LongNumbers(list):
    """A vector of int64."""


def place(fb, item, vtables):
    """Writes one item; gives where it lies and the slots that its references take."""
    if isinstance(item, (str, bytes)):
        return (fb.string(item), ()) if isinstance(item, str) else (place_bytes(fb, item), ())
    if isinstance(item, Numbers):
        fb.align(4)
        fb.bytes += struct.pack('<I%di' % len(item), len(item), *item)
        return len(fb.bytes) - 4 - 4 * len(item), ()
    if isinstance(item, LongNumbers):
        fb.align(8)
        fb.bytes += bytes(4) + struct.pack('<I%dq' % len(item), len(item), *item)
        return len(fb.bytes) - 4 - 8 * len(item), ()
    if isinstance(item, list):
        at = fb.vector(len(item))
        return at, [(at + 4 + 4 * i, each) for i, each in enumerate(item)]
    fields = tuple(item)
    if fields not in vtables:
        places = [0] * (max(fields, default=-1) + 1)
        for i, field in enumerate(fields):
            places[field] = 4 + 4 * i
        vtables[fields] = fb.vtable(4 + 4 * len(fields), places)
    values = [value if isinstance(value, int) else 0 for value in item.values()]
    at = fb.table(vtables[fields], 'I' * len(values), *(value & 0xFFFFFFFF for value in values))
    return at, [(at + 4 + 4 * i, value) for i, value in enumerate(item.values()) if not isinstance(value, int)]


def place_bytes(fb, data):
    fb.align(16)
    fb.bytes += bytes(12) + struct.pack('<I', len(data)) + data
    return len(fb.bytes) - 4 - len(data)


def flatbuffer(identifier, root):
    """Tables are {field: number, text, bytes, Numbers, table or list of tables}; one that is named twice is written once. Numbers take four bytes."""
    fb = forge.Flatbuffer(identifier)
    vtables, placed, waiting = {}, {}, collections.deque([(0, root)])
    while waiting:
        slot, item = waiting.popleft()
        if id(item) not in placed:
            placed[id(item)], slots = place(fb, item, vtables)
            waiting.extend(slots)
        fb.point(slot, placed[id(item)])
    return bytes(fb.bytes)


# ---- Programs ----

FLOAT = 6
KERNEL, DELEGATE, MOVE, JUMP_FALSE = 1, 2, 3, 4


def tensor(sizes, storage=0, dtype=FLOAT):
    """A planned tensor; without a storage it is an input or an output that the caller provides."""
    fields = {0: dtype, 2: Numbers(sizes), 8: 0}
    if storage:
        fields[6] = {0: 1, 1: storage}
    return {0: 5, 1: fields}


def tensor_list(items):
    return {0: 10, 1: {0: Numbers(items)}}


def kernel(operator, arguments):
    return {0: KERNEL, 1: {0: operator, 1: Numbers(arguments)}}


def call(delegate, arguments):
    return {0: DELEGATE, 1: {0: delegate, 1: Numbers(arguments)}}


def move(source, target):
    return {0: MOVE, 1: {0: source, 1: target}}


def jump(condition, target):
    """To the instruction `target`, if the value is false."""
    return {0: JUMP_FALSE, 1: {0: condition, 1: target}}


def program(values, inputs, instructions, operators, payloads, name='forward', outputs=(), buffers=(), devices=()):
    """A .pte of one method. operators: names of kernels; payloads: of XNNPACK's delegates; buffers: sizes of planned ones, from number 0 on; devices:
    (buffer, type, index) of each."""
    plan = {
        0: name,
        2: values,
        3: Numbers(inputs),
        4: Numbers(outputs),
        5: [{2: instructions}],
        6: [{0: operator, 1: 'out'} for operator in operators],
        7: [{0: 'XnnpackBackend', 1: {0: 0, 1: i}} for i in range(len(payloads))],
        8: LongNumbers(buffers),
    }
    if devices:
        plan[9] = [{0: buffer, 1: kind, 2: index} for buffer, kind, index in devices]
    return flatbuffer(b'ET12', {1: [plan], 3: [{0: data} for data in payloads]})


def program_with_segments(places, data):
    """A .pte whose delegates have their payloads in segments: delegate i has places[i], an offset in data and a size."""
    plan = {0: 'forward', 2: [], 7: [{0: 'XnnpackBackend', 1: {0: 1, 1: i}} for i in range(len(places))]}
    # Fields 2 and 3 are the upper halves of what stands before them.
    raw = flatbuffer(b'ET12', {1: [plan], 4: [{0: offset, 2: 0, 1: size, 3: 0} for offset, size in places]})
    header = b'eh00' + struct.pack('<IQQ', 24, len(raw) + 24, len(raw) + 24)
    return struct.pack('<I', struct.unpack_from('<I', raw)[0] + len(header)) + raw[4:8] + header + raw[8:] + data


# ---- XNNPACK's payloads ----

XNN = {'add': (1, 2), 'sigmoid': (4, 1), 'exp': (44, 1), 'cat': (32, 2)}  # type in XNodeUnion, inputs


def xvalue(index, sizes, external=None, is_output=False):
    fields = {0: 1, 2: Numbers(sizes), 6: index}
    if external is not None:
        fields.update({4: external, 5: 2 if is_output else 1})
    return {0: 1, 1: fields}


def xnode(operator, inputs, output, handle):
    kind, count = XNN[operator]
    first = 1 if operator == 'cat' else 0
    fields = {first + i: inputs[i] for i in range(count)}
    fields[5 if operator == 'cat' else first + count] = output
    return {0: kind, 1: fields, 2: handle}


def payload(xnodes, xvalues):
    return flatbuffer(b'XN01', {1: xnodes, 2: xvalues})


# ---- Records and dumps of a model ----

EVENTS = {'sigmoid': 'Sigmoid (NC, F32)', 'add': 'Add (ND, F32)', 'exp': 'Exp (NC, F32)', 'cat': 'Concatenate (ND, F32)'}


class Model:
    """Nodes in order, and what runs them. A node is (operator, inputs, sizes): inputs are places of nodes, or -1 for the model's input. A step is the
    place of a node that runs as a kernel, or a list of places: a delegate. aliases: nodes whose result lies where another's does; shared_list: places
    of what every concatenation reads, whatever its node says. handle: that of all nodes, or None: each has its own."""

    def __init__(self, nodes, steps, sizes=(8,), handle=1, payload_handle=None, aliases=None, shared_list=None):
        self.aliases, self.shared_list = aliases or {}, shared_list
        self.nodes, self.steps, self.sizes, self.handle = nodes, steps, list(sizes), handle
        self.payload_handle = handle if payload_handle is None else payload_handle

    def handle_of(self, place):
        return place + 1 if self.handle is None else self.handle

    def edge(self):
        def tensor_argument(place):
            return {'as_tensor': {'name': 'x' if place < 0 else 'n%d' % place}}

        def arguments(operator, inputs):
            if operator == 'cat':
                return [{'name': 'tensors', 'arg': {'as_tensors': [tensor_argument(each)['as_tensor'] for each in inputs]}}]
            return [{'name': 'self', 'arg': tensor_argument(each)} for each in inputs]

        nodes = [
            {
                'name': 'n%d' % i,
                'target': 'executorch.exir.dialects.edge.ops.aten.%s.default' % operator,
                'inputs': arguments(operator, inputs),
                'outputs': [tensor_argument(i)],
                'metadata': {'debug_handle': str(self.handle_of(i))},
            }
            for i, (operator, inputs, _) in enumerate(self.nodes)
        ]
        values = {'n%d' % i: sizes for i, (_, _, sizes) in enumerate(self.nodes)} | {'x': self.sizes}
        graph = {
            'inputs': [tensor_argument(-1)],
            'outputs': [tensor_argument(len(self.nodes) - 1)],
            'nodes': nodes,
            'tensor_values': {name: {'dtype': 7, 'sizes': [{'as_int': size} for size in sizes]} for name, sizes in values.items()},
        }
        signature = {'input_specs': [{'user_input': {'arg': tensor_argument(-1)}}], 'output_specs': []}
        return {'graph_module': {'graph': graph, 'signature': signature}, 'schema_version': {'major': 8, 'minor': 1}}

    def record(self, ids=None):
        """ids: of the delegates, for each what its delegate map says."""
        delegates = {i: step for i, step in enumerate(self.steps) if isinstance(step, list)}
        handles = {str(i): [self.handle_of(place) for place in step] if i in delegates else self.handle_of(step) for i, step in enumerate(self.steps)}
        maps = {str(i): {'name': 'XnnpackBackend', 'delegate_map': ids or {}} for i in delegates}
        return forge.record(
            {
                'ETRECORD_V0': b'',
                'edge_dialect_exported_program/forward': json.dumps(self.edge()).encode(),
                'debug_handle_map': json.dumps({'forward': handles}).encode(),
                'delegate_map': json.dumps({'forward': maps}).encode(),
            }
        )

    def etdump(self, extra=()):
        """extra: names of operators whose events each delegate has besides its nodes'."""
        events = []
        for i, step in enumerate(self.steps):
            start = 1000 * i
            if not isinstance(step, list):
                events.append(('native_call_%s.out' % self.nodes[step][0], 0, i, start, start + 900))
                continue
            names = [self.nodes[place][0] for place in step] + list(extra)
            events += [(EVENTS[name], 0, i, start + 1, start + 2, '%s #%d' % (EVENTS[name], k)) for k, name in enumerate(names) if name in EVENTS]
            events.append(('DELEGATE_CALL', 0, i, start, start + 900))
        events.append(('Method::execute', -1, 0, 0, 1000 * len(self.steps) + 10 * len(self.nodes)))
        return forge.etdump([('Execute', events)])

    def payload_of(self, step):
        """The payload of a delegate and the places that it reads and writes: -1 is the model's input."""
        inside = set(step)
        reads = list(dict.fromkeys(each for place in step for each in self.nodes[place][1] if each not in inside))
        number = {place: i for i, place in enumerate(reads + step)}
        sizes_of = [self.sizes if place < 0 else self.nodes[place][2] for place in reads + step]
        values = [xvalue(i, sizes, i if i < len(reads) else None) for i, sizes in enumerate(sizes_of)]
        values[-1] = xvalue(len(values) - 1, sizes_of[-1], len(reads), True)
        nodes = [xnode(self.nodes[place][0], [number[each] for each in self.nodes[place][1]], number[place], self.payload_handle) for place in step]
        return payload(nodes, values), reads + [step[-1]]

    def pte(self):
        """Values are the model's input and the nodes' results, in order."""
        operators = sorted({operator for operator, _, _ in self.nodes})
        values = [tensor(self.sizes)] + [tensor(sizes, 64 * (self.aliases.get(i, i) + 1)) for i, (_, _, sizes) in enumerate(self.nodes)]
        instructions, payloads = [], []
        if self.shared_list:
            values.append(tensor_list([place + 1 for place in self.shared_list]))
        for step in self.steps:
            if isinstance(step, list):
                data, arguments = self.payload_of(step)
                instructions.append(call(len(payloads), [place + 1 for place in arguments]))
                payloads.append(data)
                continue
            operator, inputs, _ = self.nodes[step]
            arguments = [place + 1 for place in inputs]
            if operator == 'cat' and self.shared_list:
                arguments = [len(values) - 1]
            elif operator == 'cat':
                values.append(tensor_list(arguments))
                arguments = [len(values) - 1]
            instructions.append(kernel(operators.index(operator), arguments + [step + 1]))
        return program(values, [0], instructions, ['aten::' + operator for operator in operators], payloads)
