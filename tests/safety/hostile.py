# SPDX-License-Identifier: BSD-3-Clause
"""A record and its dump in which every name that such files can hold comes out of one list: the hostile one, or a harmless one of the same size.

What is where is the same for each list, so that an output's markup can be held against that of the harmless names. `turn` shifts the list against
the places of the names: after as many turns as there are names, each has stood in each place.
"""

import itertools
import json

import forge

HOSTILE = [
    # HTML, and what ends a script
    '<img src=x onerror=alert(1)>',
    '</script><script>alert(1)</script>',
    '</title></style></textarea><svg onload=alert(1)>',
    '<!--<script>',
    '-->',
    '<![CDATA[',
    ']]>',
    '&lt;b&gt;&amp;&#60;',
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)",
    'javascript:alert(1)',
    # formulas
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://x","y")',
    '+1',
    '+1+1',
    '-1',
    '-1+1',
    '@SUM(1)',
    '\t=1+1',
    '\r=1+1',
    # CSV, TSV and Markdown
    '"quoted"',
    'a,"b",c\r\n=1',
    "it's;so",
    '|a|b|',
    '\\|a\\|',
    '`x`',
    '```',
    '[x](javascript:alert(1))',
    '![x](http://x/y.png)',
    '<http://x>',
    '**bold** _it_ ~~no~~',
    '\n# heading',
    '\n\n---\n\n- x',
    '# x',
    '    code',
    # terminals
    '\x1b[2J\x1b]0;x\x07',
    '\u009b2J',
    '\u202egnp.exe',
    '\u2066x\u2069\u200f\u061c',
    '\u2028\u2029',
    '\x7f\b\b\b',
    'width\u3000\uff1d\U0001f600\u0301',
    # files
    '../../etc/x',
    '..',
    '.',
    'con',
    'a/b',
    '/etc/passwd',
    'C:\\x',
    '~',
    '-rf',
    # the rest
    'n' * 300,
    '\u00e9' * 300,
    'nul\0l',
    'not\udcff\udcfeutf8\udcc0\udcaf',
    '%s%n%99999d',
    '$(x)`x`${x}',
    '{{x}}{%x%}',
    'label="x"];evil[label="',
    '\\N\\G\\l\\',
    '<b>x</b>&x;',
    '__proto__',
    'constructor',
    'null',
    ' ',
    'a b',
]
HARMLESS = ['name' + chr(ord('a') + i // 26) + chr(ord('a') + i % 26) for i in range(len(HOSTILE))]

EDGE = 'executorch.exir.dialects.edge.ops.aten.'
RUNS = 6


def as_read(name):
    """As the command says it: what is not UTF-8, and NUL, is U+FFFD."""
    return name.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace').replace('\0', '\ufffd')


class Names:
    """Hands out the list's names, each kind of place from its own start on."""

    def __init__(self, values, turn):
        self.values, self.turn, self.next, self.used = values, turn, {}, set()

    def of(self, kind):
        at = self.next.setdefault(kind, itertools.count(self.turn + 7 * len(self.next)))
        return self.values[next(at) % len(self.values)]

    def unique(self, kind):
        """With a number behind it if it was handed out before."""
        name = self.of(kind)
        for number in itertools.count(1):
            if name not in self.used:
                self.used.add(name)
                return name
            name = name.rstrip('0123456789') + str(number)


def tensor(names, rank):
    size = {'as_expr': {'expr_str': names.of('size'), 'hint': {'as_int': 4}}}
    return {'dtype': 7, 'sizes': [size] + [{'as_int': 3}] * rank, 'device': {'type': 'cpu'}, 'layout': 7}


def metadata(names, handle):
    trace = 'File "%s", line %d, in %s\n    %s' % (names.of('file'), handle, names.of('function'), names.of('code'))
    stack = 'a,,%s;b,%s,%s' % (names.of('type'), names.of('module'), names.of('type'))
    return {'stack_trace': trace, 'nn_module_stack': stack, 'debug_handle': str(handle)}


class Program:
    """A document of a serialized program: inputs with weights, and a chain of operators."""

    def __init__(self, names, first_handle=1):
        self.names, self.handle = names, first_handle
        self.nodes, self.values, self.inputs, self.specs = [], {}, [], []

    def value(self):
        name = self.names.unique('value')
        self.values[name] = tensor(self.names, len(self.values) % 4)
        return name

    def add_input(self, kind):
        name = self.value()
        self.inputs.append({'as_tensor': {'name': name}})
        argument = {'arg': {'name': name}, kind + '_name': self.names.of('weight')} if kind else {'arg': {'as_tensor': {'name': name}}}
        self.specs.append({kind or 'user_input': argument})
        return name

    def add(self, target, uses, arguments=()):
        result = self.value()
        inputs = [{'name': 'self', 'arg': {'as_tensor': {'name': name}}} for name in uses]
        inputs += [{'name': self.names.of('argument'), 'arg': {member: value}} for member, value in self.arguments()]
        self.nodes.append(
            {
                'name': self.names.unique('node'),
                'target': target,
                'inputs': [*arguments, *inputs],
                'outputs': [{'as_tensor': {'name': result}}],
                'metadata': metadata(self.names, self.handle),
            }
        )
        self.handle += 1
        return result

    def arguments(self):
        """A text, and a list of texts; as_string would be a lowered module."""
        return [('as_operator', self.names.of('text')), ('as_strings', [self.names.of('text'), self.names.of('text')])]

    def chain(self, count):
        result = [self.add_input(kind) for kind in ('parameter', 'buffer', 'tensor_constant', '')][-1]
        for i in range(count):
            op = self.names.of('operator')
            result = self.add((EDGE + op + '.default', op, 'torch.ops.' + op)[i % 3], [result])
        return result

    def graph(self, result):
        return {'inputs': self.inputs, 'outputs': [{'as_tensor': {'name': result}}], 'nodes': self.nodes, 'tensor_values': self.values}

    def document(self, result):
        return {
            'graph_module': {'graph': self.graph(result), 'signature': {'input_specs': self.specs}},
            'schema_version': {'major': 8, 'minor': 1},
        }


def nested(names, kind):
    """An argument that holds a graph: the body of a cond, or a lowered module."""
    inner = Program(names, 1000)
    result = inner.chain(3)
    if kind == 'body':
        return {'name': names.of('argument'), 'arg': {'as_graph': {'name': names.of('body'), 'graph': inner.graph(result)}}}
    lowered = {'backend_id': names.of('backend'), 'original_module': inner.document(result)}
    return {'name': names.of('argument'), 'arg': {'as_string': json.dumps(lowered)}}


def encoded(document):
    return json.dumps(document, ensure_ascii=False).encode('utf-8', 'surrogateescape')


class Hostile:
    """files: {name: bytes} of a record and its dump; nodes: the names of the nodes of its timed graph, in order."""

    def __init__(self, values, turn):
        self.names = names = Names(values, turn)
        self.method = clean(next(name for name in iter(lambda: names.of('method'), None) if can_be_a_method(name)))
        program = Program(names)
        result = program.chain(len(values))
        result = program.add('torch.ops.higher_order.cond', [result], [nested(names, 'body'), nested(names, 'body')])
        delegates = [len(program.nodes), len(program.nodes) + 1]
        for _ in delegates:
            result = program.add('torch.ops.higher_order.executorch_call_delegate', [result], [nested(names, 'lowered')])
        self.nodes = [as_read(node['name']) for node in program.nodes]
        self.ids = {delegate: [names.unique('id') for _ in range(5)] for delegate in delegates}
        self.entries = {
            'ETRECORD_V0': b'',
            'edge_dialect_exported_program/' + self.method: encoded(program.document(result)),
            'debug_handle_map': encoded({self.method: {str(i): i + 1 for i in range(len(program.nodes))}}),
            'delegate_map': encoded({self.method: {str(d): self.delegate(d) for d in delegates}}),
        }
        self.add_modules(values)
        self.kernels = {delegate: names.of('kernel') for delegate in delegates}
        self.dump = forge.etdump([('load', [('Method::init', -1, -1, 0, 5)])] + [self.run(program, run) for run in range(RUNS)])

    def delegate(self, instruction):
        return {'name': self.names.of('backend'), 'delegate_map': {name: [instruction + 1] for name in self.ids[instruction]}}

    def add_modules(self, values):
        """A graph under every name: of an extra module, of a method, of an entry that nothing is known about."""
        for name in values:
            small = Program(self.names)
            document = encoded(small.document(small.chain(2)))
            for entry in (clean(name) + '/forward', 'm/' + clean(name)):
                self.entries.setdefault(entry, document)
            if '/' not in name:
                self.entries.setdefault(clean(name), b'?')

    def run(self, program, number):
        """Events of one run: each instruction takes ten ticks, and more from run to run."""
        events, at = [], 100
        for i, node in enumerate(program.nodes):
            end = at + 10 + i + number % 3
            operator = node['target'].removeprefix('torch.ops.').removeprefix(EDGE).removesuffix('.default')
            if i in self.ids:
                events += [(name, 0, i, at + 2 * k, at + 2 * k + 1, name) for k, name in enumerate(self.ids[i])]
                events.append((self.kernels[i], 0, i, at, at + 1, self.ids[i][0]))
                events.append(('DELEGATE_CALL', 0, i, at, end))
            else:
                events += [('native_call_%s.out' % operator, 0, i, at + 1, end - 1), ('OPERATOR_CALL', 0, i, at, end)]
            at = end
        return 'Execute', [('Method::execute', -1, -1, 100, at)] + events


def can_be_a_method(name):
    """Its entry's name ends at a slash; a zip's names with control characters, but without UTF-8, are taken for those of DOS."""
    return not set(name) & set('/\x7f' + ''.join(map(chr, range(32))))


def clean(name):
    """As the name of a zip's entry, which Python cannot write if it is not Unicode."""
    return name.replace('\0', '').encode('utf-8', 'surrogateescape').decode('utf-8', 'replace')


def make(values, turn, folder):
    """Writes the record and the dump into a folder; returns what is in them."""
    hostile = Hostile(values, turn)
    for name, data in (('etrecord.bin', forge.record(hostile.entries)), ('etdump.etdp', hostile.dump)):
        with open(folder + '/' + name, 'wb') as file:
            file.write(data)
    return hostile
