# SPDX-License-Identifier: BSD-3-Clause
"""Inputs made from good fixtures: each case says how, and what the command has to do with it."""

import json
import os
import random
import struct
import sys
import zipfile

import command
import forge
import forge_pte

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'bench'))
import one_handle  # noqa: E402

EDGE = 'edge_dialect_exported_program/forward'
EARLY = 'et_dialect_graph_module/forward'
PICKLED = b'\x80\x02}q\x00.'
MEGABYTE = command.MEGABYTE
# What sanitizers see in many things they see in a twentieth, and many are there for what they cost, which sanitizers change.
fewer = 1


def many(count):
    """So many of a thing, or fewer where run.py says so."""
    return count // fewer


def fixture(name):
    return os.path.join(command.FIXTURES, name)


def read(name):
    with open(fixture(name), 'rb') as file:
        return file.read()


class Case:
    """files: {name: bytes}; the first is the record, unless it is a dump or a program, which then goes with `record`. look: what else to check; says: a text that is in
    what the command says."""

    commands = ('write', 'info', 'nodes')

    def __init__(self, name, verdict, files, record=None, look=None, memory=256 * MEGABYTE, says='', undamaged='dynamic_xnnpack/etrecord.bin'):
        self.name, self.verdict, self.files, self.record, self.look, self.memory, self.says = name, verdict, files, record, look, memory, says
        self.good = undamaged

    def make(self, folder):
        files = self.files() if callable(self.files) else self.files
        for name, data in files.items():
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(data)

    def first(self):
        return {'etdp': 'd.etdp', 'pte': 'p.pte'}.get(self.kind(), 'r.etrecord')

    def kind(self):
        return self.name.split('_')[0]

    def arguments(self, folder):
        path = os.path.join(folder, self.first())
        option = {'etdp': '--etdump', 'pte': '--pte'}.get(self.kind())
        return [fixture(self.record), option, path] if option else [path]

    def undamaged(self):
        return [fixture(self.good)]

    def culprit(self, folder):
        return os.path.join(folder, self.first())


# ---- Records ----


def changed(base, changes):
    """A fixture's record with entries replaced; None removes one."""
    entries = forge.entries_of(fixture(base + '/etrecord.bin'))
    entries.update(changes)
    return forge.record({name: data for name, data in entries.items() if data is not None})


def zip_case(name, verdict, data, **more):
    return Case('zip_' + name, verdict, (lambda: {'r.etrecord': data()}) if callable(data) else {'r.etrecord': data}, **more)


def document(name='exported_program'):
    return forge.entries_of(fixture('dynamic_xnnpack/etrecord.bin'))[name]


def own_program():
    return forge.entries_of(fixture('seed_2023/etrecord.bin'))['program_buffer']


def other_names(data, old, new):
    """The record with an entry's name replaced by one of any length."""
    return forge.record({name.replace(old, new): value for name, value in data.items()})


def bomb(head, piece, tail, claim=None, gigabytes=1):
    """A record whose exported_program is small on disk and huge in memory."""
    packed, size, crc = forge.deflated_bomb(head, piece, gigabytes * (1 << 30) // len(piece), tail, claim)
    good = forge.entries_of(fixture('dynamic_xnnpack/etrecord.bin'))
    del good['exported_program']
    return forge.zip_of_raw(forge.raw_entries(good) + [('exported_program', 8, packed, size, crc)])


def many_bombs(count=40, size=8 << 20):
    """Entries none of which is large."""
    packed, size, crc = forge.deflated_bomb(b'{', b' ', size, b'}')
    good = forge.entries_of(fixture('dynamic_xnnpack/etrecord.bin'))
    return forge.zip_of_raw(forge.raw_entries(good) + [('m%d/forward' % i, 8, packed, size, crc) for i in range(count)])


# Refused before they are read, so that the program takes little memory.
BOMB = {'memory': 64 * MEGABYTE, 'says': 'it would expand from'}
AMPLIFIED = {'memory': 64 * MEGABYTE, 'says': 'would expand beyond all limits'}

NAMES = [
    '../../x',
    '..',
    '.',
    '',
    'a/b/c',
    'x' * 300,
    'é' * 300,
    'CON',
    ' ',
    '-rf',
    '~',
    'a\\b',
    '\x1b]0;evil\x07',
    'a\nb',
    '\x7f',
    '\u202egnp',
    '\u009b31m',
    '%2e%2e%2f',
    'edge',
    'aten',
    'program',
    '1_edge',
    'dot',
    'events.out.tfevents.1',
    '/etc/passwd',
    '//',
    '...',
    'nul\0l',
]


def many_names():
    return changed(
        'dynamic_xnnpack', {name + '/forward': document() for name in NAMES} | {'m/' + name.replace('/', '_'): document() for name in NAMES}
    )


def look_inside(nodes, work, everything):
    """Everything that was written lies in the output folder, each component of a size that file systems take."""
    outside = [path for path in everything if not path.startswith(('work' + os.sep + 'runs' + os.sep, 'inputs' + os.sep))]
    if outside:
        return 'written outside the output folder: %s' % outside
    long = [path for path in work if max(len(part.encode()) for part in path.split(os.sep)) > 255]
    return 'too long: %s' % long if long else None


def look_for_no_times(nodes, work, everything):
    timed = [node['name'] for graph in json.loads(nodes.stdout)['graphs'] for node in graph['nodes'] if node['avg']]
    return 'times on nodes that the dump knows nothing of: %s' % timed[:5] if timed else None


def look_for_no_aten(nodes, work, everything):
    return 'a graph whose CRC is wrong was kept' if any(graph['module'] == 'aten' for graph in json.loads(nodes.stdout)['graphs']) else None


def deep(depth):
    return b'{"graph_module":' + b'[' * depth + b']' * depth + b'}'


def deep_value(depth):
    """A good program with something deep where nobody looks."""
    return document().replace(b'{', b'{"nobody": ' + b'[' * depth + b']' * depth + b', ', 1)


def tiny_program(nodes=b'[]'):
    return (
        b'{"graph_module":{"graph":{"inputs":[],"outputs":[],"nodes":'
        + nodes
        + b',"tensor_values":{}}},"schema_version":{"major":8,"minor":1}}'
    )


def program(nodes, inputs=()):
    """A program of op nodes: (name, names of inputs, metadata)."""
    listed = [
        {
            'name': name,
            'target': 'torch.ops.aten.add.Tensor',
            'inputs': [{'name': 'x', 'arg': {'as_tensor': {'name': used}}} for used in uses],
            'outputs': [{'as_tensor': {'name': name}}],
            'metadata': metadata,
        }
        for name, uses, metadata in nodes
    ]
    graph = {
        'inputs': [{'as_tensor': {'name': name}} for name in inputs],
        'outputs': [{'as_tensor': {'name': nodes[-1][0]}}],
        'nodes': listed,
        'tensor_values': {},
    }
    return json.dumps(
        {'graph_module': {'graph': graph, 'signature': {'input_specs': []}}, 'schema_version': {'major': 8, 'minor': 1}}
    ).encode()


def nodes_with_arguments(inputs):
    """A program with a node for each of the texts: its inputs as JSON."""
    nodes = [b'{"name": "n", "target": "t", "inputs": [%s], "outputs": []}' % text for text in inputs]
    return tiny_program(b'[%s]' % b', '.join(nodes))


def with_arguments(inputs):
    return nodes_with_arguments([inputs])


def argument(name, member, value):
    return ('{"name": "%s", "arg": {"%s": %s}}' % (name, member, value)).encode()


def shaped(make):
    """A record whose exported_program is one of a malicious shape."""
    return lambda: changed('dynamic_xnnpack', {'exported_program': make()})


def bodies(depth):
    """Nested bodies of cond, each inside the one before."""
    graph = '{"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}}'
    for _ in range(depth):
        argument = '{"name": "true_fn", "arg": {"as_graph": {"name": "g", "graph": %s}}}' % graph
        graph = (
            '{"inputs": [], "outputs": [], "tensor_values": {}, "nodes": [{"target": "torch.ops.higher_order.cond", "inputs": [%s]}]}'
            % argument
        )
    return ('{"graph_module": {"graph": %s}}' % graph).encode()


def lowered(depth):
    """Lowered modules inside lowered modules: JSON in strings in strings."""
    text = '{"backend_id":"X"}'
    for _ in range(depth):
        node = {
            'target': 'torch.ops.higher_order.executorch_call_delegate',
            'inputs': [{'name': 'l', 'arg': {'as_string': text}}],
            'outputs': [],
            'metadata': {},
        }
        graph = {'graph_module': {'graph': {'inputs': [], 'outputs': [], 'nodes': [node], 'tensor_values': {}}}}
        text = json.dumps({'backend_id': 'X', 'original_module': graph})
    return json.dumps(graph).encode()


def many_methods(count):
    return json.dumps({'m%d' % i: {'1': 1} for i in range(count)}).encode()


def truncations(data):
    sizes = sorted(
        {0, 1, 3, 4, 21, 22, 30, 45, len(data) - 1, len(data) - 21, len(data) - 22, len(data) - 23}
        | {len(data) * k // 13 for k in range(1, 13)}
    )
    return [(size, data[:size]) for size in sizes]


def zip_cases():
    good = read('dynamic_xnnpack/etrecord.bin')
    entries = forge.entries_of(fixture('dynamic_xnnpack/etrecord.bin'))
    cases = [zip_case('cut_to_%d' % size, 'refuse', data) for size, data in truncations(good)]
    cases += [
        zip_case('is_text', 'refuse', b'this is no record\n' * 100),
        zip_case('without_identifier', 'refuse', changed('dynamic_xnnpack', {'ETRECORD_V0': None})),
        zip_case('empty', 'refuse', forge.record({})),
        zip_case('identifier_only', 'refuse', forge.record({'ETRECORD_V0': b''})),
        zip_case('absurd_size', 'degraded', forge.with_sizes(good, EDGE, stored=0xFFFFFFF0, size=0xFFFFFFF0)),
        zip_case('size_one_more', 'degraded or refuse', forge.with_sizes(good, EDGE, size=len(entries[EDGE]) + 1)),
        zip_case('size_zero', 'degraded or refuse', forge.with_sizes(good, EDGE, stored=0, size=0)),
        zip_case(
            'weights_of_absurd_size',
            'read or degraded',
            forge.with_sizes(good, 'exported_program_state_dict', stored=0xFFFFFFF0, size=0xFFFFFFF0),
        ),
        zip_case(
            'wrong_crc_of_good_json', 'degraded', good.replace(document(), document().replace(b'line 1', b'line 2')), look=look_for_no_aten
        ),
        zip_case('duplicate_entries', 'read', lambda: forge.record([(EDGE, b'{}')] + list(entries.items()))),
        zip_case('bzip2', 'survive', lambda: forge.record(entries, zipfile.ZIP_BZIP2)),
        zip_case('unknown_entries', 'read', changed('dynamic_xnnpack', {'later_version': b'?', 'evil\x1b[31m': b''})),
        # libzip takes a name that says it is UTF-8 and has control characters for damage.
        zip_case('unknown_entry_with_c1', 'read or refuse', changed('dynamic_xnnpack', {'\x1b\x9b31m': b''})),
        zip_case('hostile_names', 'accept', many_names, look=look_inside),
        zip_case('long_method_name', 'accept', lambda: other_names(entries, '/forward', '/' + 'm' * 3000), look=look_inside),
        zip_case(
            'control_characters_in_nodes',
            'accept',
            lambda: changed('dynamic_xnnpack', {EDGE: document(EDGE).replace(b'"aten_', b'"\\u001b]0;x\\u0007\\u009b')}),
        ),
        zip_case('not_utf8', 'accept', lambda: changed('dynamic_xnnpack', {EDGE: document(EDGE).replace(b'"aten_', b'"\xff\xfe\xc0\xaf')})),
        zip_case('json_deep_1000', 'degraded', lambda: changed('dynamic_xnnpack', {'exported_program': deep(1000)})),
        zip_case('json_deep_1000_unread', 'degraded or read', lambda: changed('dynamic_xnnpack', {'exported_program': deep_value(1000)})),
        zip_case('pickled_graph', 'degraded', lambda: changed('seed_2023', {'aten/forward': PICKLED}), says='pickled'),
        zip_case('pickled_graphs', 'degraded', lambda: changed('seed_2023', {'aten/forward': PICKLED, EARLY: PICKLED}), says='pickled'),
        zip_case('pickled_graphs_alone', 'refuse', lambda: forge.record({'ETRECORD_V0': b'', 'aten/forward': PICKLED}), says='pickled'),
        zip_case('program_cut', 'degraded', lambda: changed('seed_2023', {'program_buffer': own_program()[:500]}), says='program_buffer'),
        zip_case('program_alone', 'accept', lambda: forge.record({'ETRECORD_V0': b'', 'program_buffer': own_program()})),
        zip_case('program_alone_cut', 'refuse', lambda: forge.record({'ETRECORD_V0': b'', 'program_buffer': own_program()[:500]})),
        zip_case('flat_map_of_two', 'degraded', lambda: changed('multi_method', {'debug_handle_map': b'{"0": 1}'}), says='does not say of which method'),
        zip_case('json_deep_map', 'degraded', lambda: changed('dynamic_xnnpack', {'debug_handle_map': deep(1000)})),
        zip_case(
            'json_both_cut',
            'refuse',
            lambda: changed('dynamic_xnnpack', {EDGE: document(EDGE)[:9000], 'exported_program': document()[:9000]}),
        ),
        zip_case(
            'json_other_types',
            'degraded',
            lambda: changed(
                'dynamic_xnnpack', {'exported_program': b'{"graph_module":{"graph":{"nodes":[1,"x",null,[[]],{"name":3,"inputs":{}}]}}}'}
            ),
        ),
        zip_case('json_empty_graph', 'accept', lambda: changed('dynamic_xnnpack', {'exported_program': tiny_program()})),
        zip_case(
            'json_empty_nodes',
            'accept',
            lambda: changed('dynamic_xnnpack', {'exported_program': tiny_program(b'[' + b'{},' * 2000 + b'{}]')}),
        ),
        zip_case(
            'map_of_another_model',
            'accept',
            lambda: changed('dynamic_xnnpack', {'debug_handle_map': forge.entries_of(fixture('add_mul/etrecord.bin'))['debug_handle_map']}),
        ),
        zip_case(
            'map_of_numbers',
            'degraded',
            lambda: changed('dynamic_xnnpack', {'debug_handle_map': b'{"forward": {"1": -5, "99999999999": 3}}'}),
        ),
        zip_case('map_is_a_list', 'degraded', lambda: changed('dynamic_xnnpack', {'debug_handle_map': b'[]', 'delegate_map': b'7'})),
        zip_case(
            'map_of_many_methods',
            'survive',
            lambda: changed(
                'dynamic_xnnpack', {'debug_handle_map': many_methods(many(50000)), 'delegate_map': many_methods(many(50000)).replace(b'1}', b'{}}')}
            ),
        ),
        zip_case(
            'many_entry_points', 'accept', lambda: changed('dynamic_xnnpack', {'m%d/forward' % i: tiny_program() for i in range(400)})
        ),
        zip_case('many_entries', 'accept', lambda: changed('dynamic_xnnpack', {'unknown_%d' % i: b'' for i in range(many(60000))})),
        zip_case(
            'module_path_of_50000_levels', 'accept', shaped(lambda: program([('n', [], {'nn_module_stack': 'k,' + 'a.' * 50000 + 'a,T'})]))
        ),
        zip_case(
            'module_stack_of_20000_levels',
            'accept',
            shaped(
                lambda: program([('n', [], {'nn_module_stack': ';'.join('k,%s,T' % ('a.' * (i % 50) + str(i)) for i in range(20000))})])
            ),
        ),
        zip_case(
            'module_stack_that_deepens',
            'accept',
            shaped(
                lambda: program([('n%d' % k, [], {'nn_module_stack': ';'.join('k,m%d,T' % i for i in range(k))}) for k in range(1, 400)])
            ),
        ),
        zip_case(
            '20000_modules_in_one',
            'accept',
            shaped(lambda: program([('n%d' % k, [], {'nn_module_stack': 'k,a,T;k,a.m%d,T' % k}) for k in range(many(20000))])),
        ),
        zip_case('100000_inputs_of_one_node', 'accept', shaped(lambda: program([('a', [], {}), ('b', ['a'] * many(100000), {})]))),
        zip_case(
            '50000_users_of_one_node', 'accept', shaped(lambda: program([('a', [], {})] + [('n%d' % i, ['a'], {}) for i in range(many(50000))]))
        ),
        zip_case(
            '50000_nodes_in_a_row',
            'accept',
            shaped(lambda: program([('n0', [], {})] + [('n%d' % i, ['n%d' % (i - 1)], {}) for i in range(1, many(50000))])),
        ),
        zip_case('50000_graph_inputs', 'accept', shaped(lambda: program([('n', [], {})], ['i%d' % i for i in range(many(50000))]))),
        zip_case(
            '100000_arguments_of_one_node',
            'accept',
            shaped(lambda: with_arguments(b', '.join(argument('a%d' % i, 'as_int', i) for i in range(many(100000))))),
        ),
        zip_case(
            'argument_of_a_million_numbers',
            'accept',
            shaped(lambda: with_arguments(argument('a', 'as_ints', [1] * 1000000))),
        ),
        zip_case(
            'arguments_of_300000_different_lists',
            'accept',
            shaped(lambda: with_arguments(b', '.join(argument('a', 'as_ints', [i, i, i]) for i in range(many(300000))))),
        ),
        zip_case(
            '50000_nodes_with_arguments_of_their_own',
            'accept',
            shaped(lambda: nodes_with_arguments([argument('a%d' % i, 'as_ints', [i] * 9) for i in range(many(50000))])),
        ),
        zip_case(
            'argument_nested_400_deep',
            'accept',
            shaped(lambda: with_arguments(argument('a', 'as_ints', '[' * 400 + ']' * 400))),
        ),
        zip_case(
            'argument_nested_600_deep',
            'degraded',
            shaped(lambda: with_arguments(argument('a', 'as_ints', '[' * 600 + ']' * 600))),
        ),
        zip_case(
            'argument_of_20000_symbols',
            'accept',
            shaped(lambda: with_arguments(argument('a', 'as_sym_ints', json.dumps([{'as_name': 's'}] * 20000)))),
        ),
        zip_case('cycle_of_nodes', 'survive', shaped(lambda: program([('a', ['b', 'a'], {}), ('b', ['a'], {})]))),
        zip_case('nodes_of_one_name', 'survive', shaped(lambda: program([('same', ['same'], {})] * many(20000)))),
        zip_case(
            'name_of_a_megabyte',
            'degraded',
            shaped(lambda: program([('n' * (1 << 20), [], {'nn_module_stack': 'k,' + 'm' * (1 << 20) + ',' + 'T' * (1 << 20)})])),
        ),
        zip_case(
            'stack_trace_of_a_megabyte',
            'accept',
            shaped(lambda: program([('n%d' % i, [], {'stack_trace': 'File "-packages/torch' * 50000}) for i in range(20)])),
        ),
        zip_case('bodies_nested_20_deep', 'accept', shaped(lambda: bodies(20))),
        zip_case('bodies_nested_500_deep', 'degraded', shaped(lambda: bodies(500))),
        zip_case('lowered_nested_10_deep', 'accept', shaped(lambda: lowered(10))),
        zip_case('bomb_in_a_string', 'degraded', lambda: bomb(b'{"graph_module":"', b'a', b'"}'), **BOMB),
        zip_case(
            'bomb_in_a_name',
            'degraded',
            lambda: bomb(b'{"graph_module":{"graph":{"nodes":[{"name":"', b'a', b'"}]}}}'),
            **BOMB,
        ),
        zip_case('bomb_of_blanks', 'degraded', lambda: bomb(b'{', b' ', b'}'), **BOMB),
        zip_case('bomb_unclaimed', 'survive', lambda: bomb(b'{"graph_module":"', b'a', b'"}', claim=1000), memory=64 * MEGABYTE),
        zip_case('bomb_of_many_entries', 'degraded', many_bombs, memory=64 * MEGABYTE, says='with it the zip would expand from'),
        zip_case('bomb_of_nodes', 'degraded', lambda: bomb(b'{"graph_module":{"graph":{"nodes":[', b'{},', b'{}]}}}'), **BOMB),
    ]
    return cases


# ---- Dumps ----


def dump_case(name, verdict, data, record='dynamic_xnnpack/etrecord.bin', **more):
    return Case('etdp_' + name, verdict, (lambda: {'d.etdp': data()}) if callable(data) else {'d.etdp': data}, record=record, **more)


def long_loop(count):
    return forge.etdump([('Execute', [('native_call_add.out', 0, 1, 10 * i, 10 * i + 5) for i in range(count)])])


def mutations(data, count, seed):
    """Copies with one to four words or bytes changed, the same every time."""
    chance = random.Random(seed)
    for _ in range(count):
        copy = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(copy) - 4)
            if chance.random() < 0.5:
                copy[at] = chance.randrange(256)
            else:
                struct.pack_into(
                    '<I',
                    copy,
                    at & ~3,
                    chance.choice([0, 1, 4, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, len(copy), chance.randrange(len(copy))]),
                )
        yield bytes(copy)


def dump_cases():
    good = read('dynamic_xnnpack/etdump.etdp')
    cases = [dump_case('cut_to_%d' % size, 'survive', data) for size, data in truncations(good)]
    cases += [
        dump_case('of_another_model', 'degraded', read('add_mul/etdump.etdp'), look=look_for_no_times),
        dump_case('of_another_delegate', 'degraded', read('quantized_xnnpack/etdump.etdp'), look=look_for_no_times),
        dump_case('amplified', 'refuse', lambda: forge.amplified_etdump(20000, 20000), **AMPLIFIED),
        dump_case('amplified_runs', 'survive', lambda: forge.amplified_etdump(200000, 1)),
        dump_case('overlapping', 'survive', forge.overlapping_etdump()),
        dump_case('no_runs', 'survive', forge.etdump([])),
        dump_case('empty_run', 'survive', forge.etdump([('Execute', [])])),
        dump_case('one_event_100000_times', 'survive', lambda: long_loop(many(100000))),
        dump_case(
            'one_instruction_of_200000_names',
            'survive',
            lambda: forge.etdump([('Execute', [('e%d' % i, 0, 1, 1, 2) for i in range(many(200000))])]),
        ),
        dump_case(
            '20000_runs_all_different', 'survive', lambda: forge.etdump([('Execute', [('e%d' % i, 0, i, 1, 2)]) for i in range(many(20000))])
        ),
        dump_case(
            'instruction_ids_at_the_edge',
            'survive',
            forge.etdump([('Execute', [('native_call_add.out', 0, i, 1, 2) for i in (2**31 - 1, -(2**31), -2, 0)])]),
        ),
        dump_case(
            'times_at_the_edge',
            'survive',
            forge.etdump(
                [
                    (
                        'Execute',
                        [
                            ('Method::execute', -1, 0, 0, 2**64 - 1),
                            ('native_call_add.out', 0, 1, 0, 2**64 - 1),
                            ('native_call_add.out', 0, 2, 2**64 - 1, 0),
                        ],
                    )
                ]
                * 3
            ),
        ),
        dump_case(
            'many_signatures',
            'survive',
            lambda: forge.etdump(
                [('Execute', [('e%d' % i, 0, i, 1, 2) for i in range(50)] + [('x%d' % k, 0, 99, 1, 2)]) for k in range(many(2000))]
            ),
        ),
        dump_case('control_characters', 'survive', forge.etdump([('Exec\x1b[31m', [('native\x1b]0;x\x07\u009b', 0, 1, 1, 2)])])),
        dump_case('is_a_record', 'refuse', read('add_mul/etrecord.bin')),
        dump_case('is_a_program', 'refuse', read('add_mul/model.pte')),
    ]
    cases += [dump_case('mutation_%d' % i, 'survive', data) for i, data in enumerate(mutations(good, 60, 1))]
    return cases


# ---- Programs ----


def program_case(name, verdict, data, record='add_mul/etrecord.bin'):
    return Case('pte_' + name, verdict, {'p.pte': data}, record=record, undamaged=record)


def program_cases():
    good = read('quantized_xnnpack/model.pte')
    cases = [program_case('cut_to_%d' % size, 'survive', data) for size, data in truncations(good)]
    cases += [program_case('of_another_model', 'survive', good), program_case('is_a_dump', 'survive', read('add_mul/etdump.etdp'))]
    cases += [program_case('mutation_%d' % i, 'survive', data, record='quantized_xnnpack') for i, data in enumerate(mutations(good, 60, 2))]
    return cases


# ---- Models: record, dump and program together ----


class ModelCase(Case):
    """files: writes etrecord.bin, etdump.etdp and mostly model.pte into a folder. What is wrong is wrong with the program."""

    def make(self, folder):
        self.files(folder)

    def arguments(self, folder):
        return [folder]

    def culprit(self, folder):
        return os.path.join(folder, 'model.pte')


def contradicting(record, program):
    """A model's record and dump with another's program."""
    return lambda folder: one_handle.write(folder, record, pte=program.pte())


def broken_payload(change):
    """Delegates and kernels of one handle; a payload's nodes and values are changed before it is written."""

    def make(folder):
        model = forge_pte.Model(one_handle.chain(9), [0, [1, 2, 3], 4, [5, 6, 7], 8])
        nodes = [forge_pte.xnode('sigmoid', [i], i + 1, 1) for i in range(3)]
        values = [forge_pte.xvalue(i, [8], {0: 0, 3: 1}.get(i), i == 3) for i in range(4)]
        change(nodes, values)
        data = forge_pte.payload(nodes, values)
        tensors = [forge_pte.tensor([8], 64 * i) for i in range(6)]
        steps = [forge_pte.kernel(0, [0, 1]), forge_pte.call(0, [1, 2]), forge_pte.kernel(0, [2, 3]), forge_pte.call(0, [3, 4])]
        steps.append(forge_pte.kernel(0, [4, 5]))
        one_handle.write(folder, model, pte=forge_pte.program(tensors, [0], steps, ['aten::sigmoid'], [data]))

    return make


def reads_itself(nodes, values):
    for node in nodes:
        node[1][0] = node[1][1]


def of_foreign_arguments(nodes, values):
    for i, value in enumerate(values):
        value[1].update({4: 2**31 - 1 - i, 5: 3})


def backwards(nodes, values):
    nodes.reverse()


def of_foreign_handles(nodes, values):
    for i, node in enumerate(nodes):
        node[2] = 77 + i


def with_program(program, delegates=1):
    """A model's record, a dump in which nothing but the whole was timed, and a program that is made of less than it says."""
    model = forge_pte.Model(one_handle.chain(delegates), [[i] for i in range(delegates)])
    etdump = forge.etdump([('Execute', [('Method::execute', -1, 0, 0, 1000)])])
    return lambda folder: one_handle.write(folder, model, pte=program(), etdump=etdump)


def shared_payload(delegates=80, operators=5000):
    """Delegates with the same bytes, in which every operator is the same table."""
    node, values = forge_pte.xnode('sigmoid', [0], 1, 1), [forge_pte.xvalue(i, [8], i, i == 1) for i in range(2)]
    data = forge_pte.payload([node] * operators, values) + bytes(8 * operators)  # what may be read of tables is held against the size
    calls = [forge_pte.call(i, [0, 1]) for i in range(delegates)]
    return forge_pte.program([forge_pte.tensor([8], 64 * i) for i in range(2)], [0], calls, [], [data] * delegates)


def operator_without_result(folder):
    """A delegate reads on from an operator whose node has no output. Before it stand values of weights alone, as many as make what lies behind the list of values
    a large number."""
    model = forge_pte.Model(one_handle.chain(4), [[0, 1, 2, 3]])
    edge = model.edge()
    graph, weights = edge['graph_module']['graph'], ['w%d' % i for i in range(4)]
    graph['nodes'][-1].update({'target': 'executorch.exir.dialects.edge.ops.aten.exp.default', 'outputs': []})
    graph['inputs'] = [{'as_tensor': {'name': name}} for name in weights] + graph['inputs']
    edge['graph_module']['signature']['input_specs'] += [{'parameter': {'arg': {'name': name}, 'parameter_name': name}} for name in weights]
    model.edge = lambda: edge
    values = [forge_pte.xvalue(i, [8], {0: 0, 2: 1}.get(i), i == 2) for i in range(3)]
    data = forge_pte.payload([forge_pte.xnode('exp', [0], 1, 1), forge_pte.xnode('sigmoid', [1], 2, 65535)], values)
    tensors = [forge_pte.tensor([8], 64 * i) for i in range(2)]
    one_handle.write(folder, model, pte=forge_pte.program(tensors, [0], [forge_pte.call(0, [0, 1])], [], [data]))


def payload_of(size):
    return forge_pte.payload([], []).ljust(size, b'\0')


def overlapping_payloads(count=200, size=1 << 20):
    head = payload_of(64)
    return forge_pte.program_with_segments([(64 * i, size) for i in range(count)], head * count + bytes(size))


def long_operator(length=300000, calls=1000):
    return forge_pte.program([forge_pte.tensor([8])], [0], [forge_pte.kernel(0, [0, 0])] * calls, ['aten::' + 'o' * length], [])


# What a small file can make of itself.
SMALL = {'memory': 128 * MEGABYTE}


def model_cases():
    row, model = one_handle.chain(6), forge_pte.Model
    other = [(operator, inputs, [9]) for operator, inputs, _ in row]
    backwards_row = model(row, range(6))
    backwards_row.aliases = dict.fromkeys(range(6), 0)
    cases = [
        ModelCase(
            'model_of_other_shapes',
            'degraded',
            contradicting(model(row, range(6)), model(other, range(6))),
            says='forward: 6 kernels read or write values that no node with their handle and operator does',
        ),
        ModelCase('model_of_one_storage', 'accept', contradicting(model(row, range(6)), backwards_row)),
        ModelCase('model_in_another_order', 'accept', contradicting(model(row, range(6)), model(row, range(5, -1, -1)))),
    ]
    changes = (reads_itself, of_foreign_arguments, backwards, of_foreign_handles)
    cases += [ModelCase('model_payload_' + change.__name__, 'accept', broken_payload(change)) for change in changes]
    cases.append(ModelCase('model_operator_without_result', 'accept', operator_without_result))
    cases += [
        ModelCase('model_payload_of_many_delegates', 'degraded', with_program(shared_payload, 80), says='are not shown again', **SMALL),
        ModelCase(
            'model_segment_of_many_delegates',
            'accept',
            with_program(lambda: forge_pte.program_with_segments([(0, 1 << 20)] * 500, payload_of(1 << 20))),
            **SMALL,
        ),
        ModelCase('model_payloads_that_overlap', 'refuse', with_program(overlapping_payloads), says="the delegates' payloads overlap", **SMALL),
        ModelCase('model_operator_of_a_long_name', 'degraded', with_program(long_operator), says='longer than 64 KiB was cut', **SMALL),
    ]
    slow = (
        'delegates of one node',
        'delegates in a row, no .pte',
        'concatenations of one list',
        'one payload, many calls',
        'a delegate map',
        'runs, all different',
        'results in one list',
        'tensors of many dimensions',
    )
    return cases + [
        ModelCase('model_' + name, 'accept', lambda folder, name=name: one_handle.CASES[name](folder, many(1000))) for name in slow
    ]


def cases():
    return zip_cases() + dump_cases() + program_cases() + model_cases()
