# SPDX-License-Identifier: BSD-3-Clause
"""Inputs that are large in one dimension: each writes a folder's files of size n. DIMENSIONS names them all."""

import base64
import json
import os
import pickle
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'corpus'))
import forge  # noqa: E402
import forge_pte  # noqa: E402
from forge_pte import Model  # noqa: E402

EDGE = 'edge_dialect_exported_program/'
ATEN = 'executorch.exir.dialects.edge.ops.aten.%s.default'


def write(folder, etrecord=None, etdump=None, pte=None, **more):
    files = {'etrecord.bin': etrecord, 'etdump.etdp': etdump, 'model.pte': pte} | more
    for name, data in files.items():
        if data is not None:
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(data)


# ---- Graphs ----

SIZES = {'dtype': 7, 'sizes': [{'as_int': 8}]}


def tensor(name):
    return {'as_tensor': {'name': name}}


def node(name, operator, before, handle, **metadata):
    return {
        'name': name,
        'target': ATEN % operator,
        'inputs': [{'name': 'self', 'arg': tensor(before)}],
        'outputs': [tensor(name)],
        'metadata': {'debug_handle': str(handle)} | metadata,
    }


def program(nodes, values=()):
    names = ['x'] + [each['name'] for each in nodes] + list(values)
    graph = {'inputs': [tensor('x')], 'outputs': [], 'nodes': nodes, 'tensor_values': dict.fromkeys(names, SIZES)}
    signature = {'input_specs': [{'user_input': {'arg': tensor('x')}}], 'output_specs': []}
    return json.dumps({'graph_module': {'graph': graph, 'signature': signature}, 'schema_version': {'major': 8, 'minor': 1}}).encode()


def chain(n, metadata=lambda i: {}):
    """Nodes of which each reads the one before, with a handle of its own."""
    return [node('n%d' % i, 'sigmoid', 'n%d' % (i - 1) if i else 'x', i + 1, **metadata(i)) for i in range(n)]


def record(programs, handles, delegates=None, **entries):
    """programs: by method; handles, delegates: the maps."""
    named = {EDGE + name: data for name, data in programs.items()}
    maps = {'debug_handle_map': json.dumps(handles).encode(), 'delegate_map': json.dumps(delegates or {}).encode()}
    return forge.record({'ETRECORD_V0': b''} | named | maps | entries)


def one_node(**entries):
    return record({'forward': program(chain(1))}, {'forward': {'0': 1}}, **entries)


# ---- Dumps ----

KERNEL = 'native_call_sigmoid.out'


def execute(end):
    return ('Method::execute', -1, 0, 0, end)


def run_of(events):
    return ('Execute', events + [execute(10 * len(events) + 10)])


def kernels(n):
    return run_of([(KERNEL, 0, i, 10 * i, 10 * i + 9) for i in range(n)])


def logged_outputs(runs, outputs):
    """A dump whose runs each log so many numbers as outputs of the method."""
    one = struct.unpack('<i', struct.pack('<f', 1.0))[0]

    def event(i):
        return {2: {1: -1, 2: {0: 3, 4: {0: one + i % 7}, 7: {0: 1}}}}

    def timed(name, instruction):
        return {0: {0: name, 2: instruction}}

    made = [{0: 'Execute', 3: [timed(KERNEL, 0), timed('Method::execute', -1)] + [event(i) for i in range(outputs)]} for _ in range(runs)]
    data = forge_pte.flatbuffer(b'ED00', {0: 0, 1: made})
    return struct.pack('<I', len(data)) + data


def reference(sets):
    return forge.record({'archive/data.pkl': pickle.dumps({'forward': sets}, protocol=2), 'archive/version': b'3\n'})


# ---- Conditions ----


def cond(name, before, first, second, handle):
    """A cond that reads the node before, with the nodes of its two bodies."""

    def body(label, nodes):
        names = [before] + [each['name'] for each in nodes]
        graph = {'inputs': [tensor(before)], 'outputs': [tensor(names[-1])], 'nodes': nodes, 'tensor_values': dict.fromkeys(names, SIZES)}
        return {'name': label, 'arg': {'as_graph': {'name': label, 'graph': graph}}}

    made = node(name, 'sigmoid', before, handle)
    made['target'] = 'torch.ops.higher_order.cond'
    made['inputs'] += [body('true_graph', first), body('false_graph', second), {'name': 'operands', 'arg': {'as_tensors': [{'name': before}]}}]
    return made


def bodies_of(made):
    """The nodes of a cond's two bodies; empty for other nodes."""
    return [each['arg']['as_graph']['graph']['nodes'] for each in made['inputs'] if 'as_graph' in each['arg']]


class Emitter:
    """Numbers instructions as ExecuTorch's emitter does, and lists the rows of a run that takes the second body of each cond: the numbers of first
    bodies, and of the jumps behind them, have no row."""

    def __init__(self):
        self.count, self.events = 0, []

    def emit(self, name, ran):
        if ran:
            self.events.append((name, 0, self.count, 10 * len(self.events), 10 * len(self.events) + 9))
        self.count += 1

    def emit_nodes(self, nodes, ran=True):
        for each in nodes:
            bodies = bodies_of(each)
            if not bodies:
                self.emit('native_call_%s.out' % each['target'].split('.')[-2], ran)
                continue
            self.emit('JF_CALL', ran)
            self.emit_nodes(bodies[0], False)
            self.emit('MOVE_CALL', False)
            self.emit('JF_CALL', False)
            self.emit_nodes(bodies[1], ran)
            self.emit('MOVE_CALL', ran)


def write_conds(folder, nodes):
    """Writes a record of these nodes behind a kernel, which alone the handle map names, and the dump of one run."""
    nodes = [node('n', 'sigmoid', 'x', 1)] + nodes
    emitter = Emitter()
    emitter.emit_nodes(nodes)
    write(folder, record({'forward': program(nodes)}, {'forward': {'0': 1}}), forge.etdump([run_of(emitter.events)]))


# ---- Loops ----

ROUNDS = 3


def scan(name, before, steps, body, handle):
    """A scan that carries the node before, slices `steps`, and has these nodes in its body."""
    last = body[-1]['name']
    values = dict.fromkeys(['carried', 'slice'] + [each['name'] for each in body], SIZES)
    graph = {'inputs': [tensor('carried'), tensor('slice')], 'outputs': [tensor(last), tensor(last)], 'nodes': body, 'tensor_values': values}
    made = node(name, 'sigmoid', before, handle)
    made['target'] = 'torch.ops.higher_order.scan'
    made['inputs'] = [{'name': '', 'arg': {'as_graph': {'name': 'body', 'graph': graph}}}]
    made['inputs'] += [{'name': '', 'arg': {'as_tensors': [{'name': each}]}} for each in (before, steps)]
    made['outputs'] = [{'as_tensors': [{'name': name}, {'name': name + '_all'}]}]
    return made


def write_scans(folder, bodies):
    """Writes a record of scans behind each other, with these nodes in their bodies, and the dump of one run of ROUNDS rounds each."""
    names = ['x'] + ['s%d' % i for i in range(len(bodies))]
    made = [scan(names[i + 1], names[i], 'steps', body, i + 1) for i, body in enumerate(bodies)]
    events, count = [], 0
    for body in bodies:
        operators = ['native_call_%s.out' % each['target'].split('.')[-2] for each in body]
        start = ['OPERATOR_CALL', 'native_call_copy_']
        each_round = ['native_call_select_copy.int_out', *operators, 'native_call_copy_', *['OPERATOR_CALL'] * 3, 'JF_CALL']
        placed = [(name, count + i) for i, name in enumerate(start)]
        placed += ROUNDS * [(name, count + len(start) + i) for i, name in enumerate(each_round)]
        count += len(start) + len(each_round) + 1
        placed.append(('OPERATOR_CALL', count - 1))
        events += placed
    rows = [(name, 0, at, 10 * i, 10 * i + 9) for i, (name, at) in enumerate(events)]
    graph = json.loads(program(made))
    values = graph['graph_module']['graph']
    values['inputs'].append(tensor('steps'))
    graph['graph_module']['signature']['input_specs'].append({'user_input': {'arg': tensor('steps')}})
    values['tensor_values']['steps'] = {'dtype': 7, 'sizes': [{'as_int': ROUNDS}, {'as_int': 8}]}
    write(folder, record({'forward': json.dumps(graph).encode()}, {'forward': {}}), forge.etdump([run_of(rows)]))


# ---- Dimensions ----


def nodes(folder, n):
    handles = {str(i): i + 1 for i in range(n)}
    write(folder, record({'forward': program(chain(n))}, {'forward': handles}), forge.etdump([kernels(n)]))


def nodes_of_a_handle(folder, n):
    model = Model([('sigmoid', [i - 1], [8]) for i in range(n)], range(n))
    write(folder, model.record(), model.etdump(), model.pte())


def nodes_of_a_handle_without_pte(folder, n):
    model = Model([('sigmoid', [-1], [8]) for i in range(n)], range(n))
    write(folder, model.record(), model.etdump())


def modules(folder, n):
    def metadata(i):
        return {'nn_module_stack': 'a,,Top;b,layers.%d,Layer;c,layers.%d.linear,Linear' % (i // 2, i // 2)}

    handles = {str(i): i + 1 for i in range(n)}
    write(folder, record({'forward': program(chain(n, metadata))}, {'forward': handles}), forge.etdump([kernels(n)]))


def depth(folder, n):
    """Modules in modules; as paths grow with depth the root of n are."""
    levels = int(n**0.5)

    def metadata(i):
        path = ['m%d' % k for k in range(levels)]
        return {'nn_module_stack': ';'.join('k,%s,T' % '.'.join(path[:k]) for k in range(levels))} if i == 0 else {}

    handles = {str(i): i + 1 for i in range(4)}
    write(folder, record({'forward': program(chain(4, metadata))}, {'forward': handles}), forge.etdump([kernels(4)]))


def source_lines(folder, n):
    def metadata(i):
        return {'stack_trace': 'File "/src/model%d.py", line %d, in forward\n    x = f(x)' % (i % 7, i + 1)}

    handles = {str(i): i + 1 for i in range(n)}
    write(folder, record({'forward': program(chain(n, metadata))}, {'forward': handles}), forge.etdump([kernels(n)]))


def source_files(folder, n):
    def metadata(i):
        return {'stack_trace': 'File "/src/model%d.py", line 1, in forward\n    x = f(x)' % i}

    handles = {str(i): i + 1 for i in range(n)}
    write(folder, record({'forward': program(chain(n, metadata))}, {'forward': handles}), forge.etdump([kernels(n)]))


def methods(folder, n):
    names = ['m%d' % i for i in range(n)]
    data = program(chain(1))
    write(folder, record({name: data for name in names}, {name: {'0': 1} for name in names}), forge.etdump([kernels(1)]))


def methods_and_runs(folder, n):
    """As many methods as runs, each of which is one's."""
    names = ['m%d' % i for i in range(n)]
    data = program(chain(1))
    runs = [run_of([(KERNEL, 0, i, 0, 9)]) for i in range(n)]
    write(folder, record({name: data for name in names}, {name: {str(i): 1} for i, name in enumerate(names)}), forge.etdump(runs))


def loads(folder, n):
    """Two methods that are alike, loaded and run in turn."""
    data = program(chain(2))
    handles = {'0': 1, '1': 2}
    load = ('Default', [('Program::load_method', -1, 0, 0, 5), ('Method::init', -1, 0, 0, 3)])
    write(folder, record({'a': data, 'b': data}, {'a': handles, 'b': handles}), forge.etdump([load, kernels(2)] * n))


def runs(folder, n):
    handles = {str(i): i + 1 for i in range(4)}
    write(folder, record({'forward': program(chain(4))}, {'forward': handles}), forge.etdump([kernels(4)] * n))


def loops(folder, n):
    handles = {str(i): i + 1 for i in range(4)}
    events, whole = kernels(4)[1][:4], execute(100 * n)
    write(folder, record({'forward': program(chain(4))}, {'forward': handles}), forge.etdump([('Execute', events * n + [whole])]))


def different_runs(folder, n):
    write(folder, one_node(), forge.etdump([run_of([(KERNEL, 0, i, 0, 9)]) for i in range(n)]))


def runs_without_record(folder, n):
    """Each is a method of its own, as nothing tells which."""
    write(folder, etdump=forge.etdump([run_of([(KERNEL, 0, i, 0, 9)]) for i in range(n)]))


def dumps(folder, n):
    data = forge.etdump([kernels(1)])
    write(folder, one_node(), **{'etdump_%d.etdp' % i: data for i in range(n)})


def rows_of_an_instruction(folder, n):
    """One instruction that called its kernel in as many chains."""
    calls = [('OPERATOR_CALL', i, 0, 10 * i, 10 * i + 9) for i in range(n)]
    names = [(KERNEL, i, 0, 10 * i, 10 * i + 8) for i in range(n)]
    write(folder, one_node(), forge.etdump([run_of(calls + names)]))


def names(folder, n):
    """Of kernels, in an ETDump alone: with a record it would be of another model."""
    write(folder, etdump=forge.etdump([run_of([('native_call_op%d.out' % i, 0, i, 10 * i, 10 * i + 9) for i in range(n)])]))


def delegates(folder, n):
    model = Model([('sigmoid' if i % 2 else 'exp', [i - 1], [8]) for i in range(2 * n)], [[2 * i, 2 * i + 1] for i in range(n)])
    write(folder, model.record(), model.etdump(), model.pte())


def delegates_without_pte(folder, n):
    """A kernel between each and the next."""
    model = Model([('exp' if i % 3 == 2 else 'sigmoid', [i - 1], [8]) for i in range(3 * n)], [s for i in range(n) for s in ([3 * i, 3 * i + 1], 3 * i + 2)])
    write(folder, model.record(), model.etdump())


def delegate_operators(folder, n):
    model = Model([('sigmoid', [i - 1], [8]) for i in range(n)], [list(range(n))])
    write(folder, model.record(), model.etdump(), model.pte())


def delegate_ids(folder, n):
    ids = {str(i): [1] for i in range(n)}
    events = [('B', 0, 0, 10 * i, 10 * i + 9, str(i)) for i in range(n)] + [('DELEGATE_CALL', 0, 0, 0, 10 * n)]
    maps = {'forward': {'0': {'name': 'B', 'delegate_map': ids}}}
    write(folder, record({'forward': program(chain(1))}, {'forward': {'0': [1]}}, maps), forge.etdump([run_of(events)]))


def backends(folder, n):
    """Each node runs in a delegate of its own, of a backend of its own."""
    maps = {str(i): {'name': 'Backend%d' % i, 'delegate_map': {'0': [i + 1]}} for i in range(n)}
    handles = {str(i): [i + 1] for i in range(n)}
    events = [e for i in range(n) for e in (('op', 0, i, 10 * i, 10 * i + 5, '0'), ('DELEGATE_CALL', 0, i, 10 * i, 10 * i + 9))]
    write(folder, record({'forward': program(chain(n))}, {'forward': handles}, {'forward': maps}), forge.etdump([run_of(events)]))


def dimensions_of_a_value(folder, n):
    """Sizes have eight bytes, so that there are half as many as numbers."""
    event = {2: {1: 0, 2: {0: 5, 1: {0: 6, 1: forge_pte.Numbers([77, 0] * n)}}}}
    data = forge_pte.flatbuffer(b'ED00', {0: 0, 1: [{0: 'Execute', 3: [event]}]})
    data = data.replace(struct.pack('<3I', 2 * n, 77, 0), struct.pack('<3I', n, 77, 0), 1)
    write(folder, one_node(), struct.pack('<I', len(data)) + data)


def outputs(folder, n):
    write(folder, one_node(reference_outputs=reference([[1.0] * n])), logged_outputs(1, n))


def runs_with_outputs(folder, n):
    write(folder, one_node(reference_outputs=reference([[1.0, [], 2.0]])), logged_outputs(n, 2))


def bodies(folder, n):
    """Branches of conditions, one in the graph behind the other."""
    made = []
    for i in range(n):
        branch = {'inputs': [tensor('x')], 'outputs': [tensor('b%d' % i)], 'nodes': [node('b%d' % i, 'sigmoid', 'x', n + i + 1)], 'tensor_values': {}}
        cond = node('c%d' % i, 'sigmoid', 'x', i + 1)
        cond['target'] = 'torch.ops.higher_order.cond'
        cond['inputs'].append({'name': '', 'arg': {'as_graph': {'name': 'g%d' % i, 'graph': branch}}})
        made.append(cond)
    events = run_of([(KERNEL, 0, 2 * i + 1, 20 * i, 20 * i + 9) for i in range(n)])
    write(folder, record({'forward': program(made)}, {'forward': {'0': 1}}), forge.etdump([events]))


def branches(folder, n):
    """Conds behind each other, each with two bodies, of which the second ran."""
    names = ['n'] + ['c%d' % i for i in range(n)]
    first = [node('a%d' % i, 'sigmoid', names[i], 2 + i) for i in range(n)]
    second = [node('b%d' % i, 'exp', names[i], 2 + n + i) for i in range(n)]
    write_conds(folder, [cond(names[i + 1], names[i], [first[i]], [second[i]], 2 + 2 * n + i) for i in range(n)])


NESTS, DEEPEST = 8, 24  # the reader refuses graphs that are nested more deeply


def nesting(folder, n):
    """Conds in the second bodies of conds: so many nests behind each other, an equal share of the conds deep; more nests once they cannot be deeper."""
    depth = min(DEEPEST, max(1, n // NESTS))
    outer = []
    for start in range(0, n, depth):
        made = []
        for i in range(min(n, start + depth) - 1, start - 1, -1):
            first, second = node('a%d' % i, 'sigmoid', 'n', 2 + i), node('b%d' % i, 'exp', 'n', 2 + n + i)
            made = [cond('c%d' % i, 'n', [first], [second] + made, 2 + 2 * n + i)]
        outer += made
    write_conds(folder, outer)


def one_body(folder, n):
    """One cond with a node in its first body, and many in its second, which ran."""
    second = [node('b%d' % i, 'exp', 'b%d' % (i - 1) if i else 'n', 4 + i) for i in range(n)]
    write_conds(folder, [cond('c', 'n', [node('a', 'sigmoid', 'n', 2)], second, 3)])


def scans(folder, n):
    """Scans behind each other, each with two nodes in its body."""
    write_scans(folder, [[node('a', 'sigmoid', 'carried', 2 * i + n), node('b', 'exp', 'slice', 2 * i + n + 1)] for i in range(n)])


def body_of_a_scan(folder, n):
    """One scan with many nodes in its body."""
    write_scans(folder, [[node('b%d' % i, 'exp', 'b%d' % (i - 1) if i else 'carried', 2 + i) for i in range(n)]])


def written_back(folder, n):
    """Kernels that give so many buffers their new value, behind all nodes."""
    graph = json.loads(program(chain(n), ['b%d' % i for i in range(n)]))
    names = [('b%d' % i, 'n%d' % i) for i in range(n)]
    signature = graph['graph_module']['signature']
    graph['graph_module']['graph']['inputs'] += [tensor(buffer) for buffer, _ in names]
    graph['graph_module']['graph']['outputs'] = [tensor(value) for _, value in names]
    signature['input_specs'] += [{'buffer': {'arg': {'name': buffer}, 'buffer_name': buffer, 'persistent': True}} for buffer, _ in names]
    signature['output_specs'] = [{'buffer_mutation': {'arg': {'name': value}, 'buffer_name': buffer}} for buffer, value in names]
    ran = ['native_call_sigmoid.out'] * n + ['native_call_copy_'] * n
    rows = [(name, 0, i, 10 * i, 10 * i + 9) for i, name in enumerate(ran)]
    handles = {str(i): i + 1 for i in range(n)}
    write(folder, record({'forward': json.dumps(graph).encode()}, {'forward': handles}), forge.etdump([run_of(rows)]))


def moves(folder, n):
    """A program that moves a value behind each kernel."""
    names = ['x'] + ['n%d' % i for i in range(n)]
    instructions = [each for i in range(n) for each in (forge_pte.kernel(0, [i, i + 1]), forge_pte.move(i + 1, i + 1 + n))]
    values = [forge_pte.tensor([8], 0 if i == 0 else 64 * i) for i in range(2 * n + 1)]
    events = [(('MOVE_CALL' if i % 2 else KERNEL), 0, i, 10 * i, 10 * i + 9) for i in range(2 * n)]
    handles = {str(2 * i): i + 1 for i in range(n)}
    write(
        folder,
        record({'forward': program([node(names[i + 1], 'sigmoid', names[i], i + 1) for i in range(n)])}, {'forward': handles}),
        forge.etdump([run_of(events)]),
        forge_pte.program(values, [0], instructions, ['aten::sigmoid'], []),
    )


def branches_past_limit(folder, n):
    """More branches than the program looks into: it warns, and their kernels get no node."""
    branches(folder, n)


def equal_lists(folder, n):
    """Delegates of a node each, all with the same handle, in a chain."""
    model = Model([('sigmoid', [i - 1], [8]) for i in range(n)], [[i] for i in range(n)])
    write(folder, model.record(), model.etdump())


def equal_lists_side_by_side(folder, n):
    """Delegates of a node each, all with the same handle, which read the same value."""
    model = Model([('sigmoid', [-1], [8]) for i in range(n)], [[i] for i in range(n)])
    write(folder, model.record(), model.etdump())


def equal_lists_between_kernels(folder, n):
    """A kernel with the same handle behind each delegate."""
    model = Model([('exp' if i % 2 else 'sigmoid', [i - 1], [8]) for i in range(2 * n)], [s for i in range(n) for s in ([2 * i], 2 * i + 1)])
    write(folder, model.record(), model.etdump())


def single_operators(folder, n):
    """Each operator is a delegate: two chains side by side."""
    model = Model([('exp' if i % 3 == 2 else 'sigmoid', [i - 2 if i > 1 else -1], [8]) for i in range(n)], [[i] for i in range(n)], handle=None)
    write(folder, model.record(), model.etdump())


def zip_entries(folder, n):
    write(folder, one_node(**{'extra_%d' % i: b'x' for i in range(n)}))


def values(folder, n):
    """Names that share what a hash without a secret would sort by."""
    drawn = random.Random(1)
    made = ['%016x' % drawn.getrandbits(64) for _ in range(n)]
    write(folder, record({'forward': program(chain(1), made)}, {'forward': {'0': 1}}))


# ---- Logs ----


def log_dumps(folder, n):
    """ETDumps in base64, one after the other in one log."""
    line = b'echo "%s" | base64 -d >etdump.bin\n' % base64.b64encode(forge.etdump([kernels(1)]))
    write(folder, one_node(), **{'serial.log': line * n})


# ---- Memory plans ----


def planned(offset, buffer=1):
    """A tensor of 32 bytes."""
    value = forge_pte.tensor([8], offset or 8)
    value[1][6] = {0: buffer, 1: offset}
    return value


def write_plan(folder, values, instructions, buffers, outputs=(), devices=()):
    operators = ['aten::sigmoid', 'aten::exp']
    write(folder, pte=forge_pte.program([forge_pte.tensor([8]), *values], [0], instructions, operators, [], outputs=outputs, buffers=buffers, devices=devices))


def planned_buffers(folder, n):
    """Each tensor in a buffer of its own."""
    write_plan(folder, [planned(0, i + 1) for i in range(n)], [forge_pte.kernel(0, [i, i + 1]) for i in range(n)], [0] + [32] * n)


def planned_devices(folder, n):
    """Each tensor in a buffer of its own, and each buffer on a device of its own."""
    devices = [(i + 1, 7, i) for i in range(n)]
    write_plan(folder, [planned(0, i + 1) for i in range(n)], [forge_pte.kernel(0, [i, i + 1]) for i in range(n)], [0] + [32] * n, devices=devices)


def live_at_once(folder, n):
    """All tensors are outputs, so that they are needed to the end, each at an offset of its own."""
    made = range(1, n + 1)
    write_plan(folder, [planned(32 * i) for i in range(n)], [forge_pte.kernel(0, [0, i]) for i in made], [0, 32 * n], outputs=made)


def at_one_offset(folder, n):
    """All tensors are needed to the end, and all at the same offset: a plan that contradicts itself."""
    made = range(1, n + 1)
    write_plan(folder, [planned(0) for i in range(n)], [forge_pte.kernel(0, [0, i]) for i in made], [0, 32], outputs=made)


def planned_loops(folder, n):
    """Tensors that are made before loops in loops, and are used in the innermost."""
    made, condition = range(1, n + 1), n + 1
    starts = [forge_pte.kernel(0, [0, i]) for i in made]
    uses = [forge_pte.kernel(1, [i, i]) for i in made]
    ends = [forge_pte.jump(condition, n - i) for i in made]
    write_plan(folder, [planned(32 * i) for i in range(n)] + [{0: 2, 1: {0: 1}}], starts + uses + ends, [0, 32 * n])


def conditions(folder, n):
    """A value that is read in both branches of one cond after the other, each of which gives its result to a move."""
    start, result, never = 1, 2, 3
    instructions = [forge_pte.kernel(0, [0, start])]
    for _ in range(n):
        first = len(instructions)
        instructions += [forge_pte.jump(0, first + 3), forge_pte.kernel(0, [start, result]), forge_pte.jump(never, first + 4), forge_pte.kernel(1, [start, result])]
        instructions.append(forge_pte.kernel(0, [result, result]))
    write_plan(folder, [planned(32), planned(64), {0: 3, 1: {}}], instructions, [0, 96], outputs=[result])


def steps(folder, n):
    """The steps of an unrolled loop."""
    made = [node('n%d' % i, ('sigmoid', 'exp', 'tanh', 'neg')[i % 4], 'n%d' % (i - 1) if i else 'x', i + 1) for i in range(4 * n)]
    write(folder, record({'forward': program(made)}, {'forward': {}}))


# ---- Run folders ----


def listed_files(folder, n):
    """A run folder whose list names files that are gone."""
    os.mkdir(os.path.join(folder, 'n'))
    paths = ['%d/forward/events.out.tfevents.1.h.%d.0' % (i // 4, i) for i in range(n)]
    with open(os.path.join(folder, 'n', '.etrecord-tb'), 'w', encoding='utf-8') as file:
        file.write('\n'.join(['etrecord-tb wrote these files. It replaces and removes no others here.', *paths, '']))
    nodes(folder, 1)


# name -> how large at first, and what is looked at; RECORD stands for the folder
SUMMARY, EVENTS, INFO = ('summary', 'RECORD'), ('events', 'RECORD'), ('info', 'RECORD')
EVENTS_JSON = ('events', 'RECORD', '--format', 'json')
SUMMARY_JSON = ('summary', 'RECORD', '--format', 'json')
WRITE = ('write', 'RECORD', '--logdir', 'OUT')
REPORT = ('report', 'RECORD', '-o', 'OUT')
TRACE = ('trace', 'RECORD', '-o', 'OUT')
NODES = ('nodes', 'RECORD')
MEMORY = ('memory', 'RECORD', '--format', 'json')
MEMORY_TABLES = ('memory', 'RECORD')
NODES_JSON = ('nodes', 'RECORD', '--format', 'json')
DOT_FOLD = ('dot', 'RECORD', '--fold')
WRITE_AGAIN = ('write', 'RECORD', '--logdir', 'RECORD', '--name', 'n')
SOURCE = ('source', 'RECORD')
DIFF = ('diff', 'RECORD', 'RECORD')
VALUES = ('events', 'RECORD', '--values', '--format', 'csv')

DELEGATION = ('delegation', 'RECORD')

DIMENSIONS = {
    nodes: (300, SUMMARY, WRITE, REPORT, DIFF),
    nodes_of_a_handle: (300, WRITE),
    nodes_of_a_handle_without_pte: (300, SUMMARY),
    modules: (300, SUMMARY, WRITE),
    depth: (16000, SUMMARY, WRITE),
    source_lines: (300, SOURCE),
    source_files: (300, SOURCE),
    methods: (100, SUMMARY_JSON, WRITE, REPORT),
    methods_and_runs: (100, INFO, REPORT, DIFF),
    loads: (300, SUMMARY, TRACE),
    runs: (300, EVENTS_JSON, WRITE, REPORT),
    loops: (300, EVENTS_JSON, WRITE, TRACE),
    different_runs: (300, SUMMARY, TRACE, DIFF),
    runs_without_record: (200, REPORT, EVENTS),
    dumps: (25, SUMMARY, DIFF),
    rows_of_an_instruction: (400, SUMMARY, DIFF),
    names: (300, EVENTS, WRITE),
    delegates: (200, WRITE),
    delegates_without_pte: (700, SUMMARY),
    delegate_operators: (400, WRITE),
    delegate_ids: (400, EVENTS_JSON),
    backends: (400, INFO, WRITE, REPORT),
    dimensions_of_a_value: (1600, VALUES),
    outputs: (400, SUMMARY_JSON, SUMMARY),
    runs_with_outputs: (200, SUMMARY_JSON, SUMMARY),
    bodies: (150, WRITE),
    branches: (150, EVENTS, SUMMARY),
    branches_past_limit: (1000, EVENTS),
    nesting: (48, EVENTS),
    one_body: (250, EVENTS, SUMMARY),
    scans: (60, EVENTS, SUMMARY),
    body_of_a_scan: (250, EVENTS, SUMMARY),
    written_back: (300, EVENTS, SUMMARY),
    moves: (400, EVENTS, SUMMARY),
    equal_lists: (400, EVENTS, DELEGATION),
    equal_lists_side_by_side: (400, EVENTS),
    equal_lists_between_kernels: (400, DELEGATION),
    single_operators: (400, EVENTS, DELEGATION),
    zip_entries: (1600, INFO),
    values: (800, INFO),
    log_dumps: (50, INFO, SUMMARY, WRITE),
    planned_buffers: (300, INFO, MEMORY, MEMORY_TABLES, REPORT, WRITE),
    planned_devices: (300, MEMORY),
    live_at_once: (300, MEMORY, WRITE),
    at_one_offset: (300, MEMORY),
    planned_loops: (300, MEMORY),
    conditions: (300, NODES_JSON),
    steps: (300, DOT_FOLD),
    listed_files: (4000, WRITE_AGAIN),
}

# Where eight times the size would pass a limit, so that the program does less: so many times the size for memory.
BULK = {branches: 1, nesting: 2, one_body: 4}
