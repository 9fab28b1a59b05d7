#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names that mean something to a terminal, a spreadsheet, a browser or a file system, through every command and format:
run.py PATH/TO/etrecord-tb [TURNS].

Each output of a hostile record is read by a parser of its format and held against that of the same record with harmless names. Another turn puts each
name in another place; `all` makes as many turns as there are names. What a parser that is not installed would see is said to be skipped.
"""

import functools
import json
import os
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, 'cli'), os.path.join(TESTS, 'corpus'), os.path.join(TESTS, 'check')]
import command  # noqa: E402
import forge  # noqa: E402
import formats  # noqa: E402
import hostile  # noqa: E402

try:
    import tensorboard_rules
except ImportError:
    tensorboard_rules = None
try:
    import jsonschema_rs
except ImportError:
    jsonschema_rs = None

SCHEMA = os.path.join(os.path.dirname(TESTS), 'schema', '%s.schema.json')
SECONDS = 20

TABLES = {'text': formats.text, 'json': formats.json_document, 'csv': formats.csv_table, 'tsv': formats.tsv_table, 'markdown': formats.markdown,
          'jsonl': formats.json_lines}
READING = ['info RECORD', 'nodes RECORD', 'nodes RECORD --values', 'events RECORD', 'summary RECORD', 'source RECORD', 'delegation RECORD', 'diff RECORD OTHER',
           'summary RECORD --by finding', 'summary RECORD --by module', 'summary RECORD --by source', 'summary RECORD --by method', 'diff RECORD OTHER --by node', 'diff RECORD OTHER --by module']
SEVERAL = ('summary RECORD', 'diff RECORD OTHER')  # these are several tables, and no CSV

# The command line, the check of what it prints, and the schema of that. RECORD and DUMP are the hostile record and dump, OTHER is the record of the
# turn before, MODULE and METHOD are names in it.
OUTPUTS = [
    (line + ' --top 0' * (not line.startswith('info')) + ' --format ' + name, check, line.split()[0] if name == 'json' else None)
    for line in READING
    for name, check in TABLES.items()
    if name == 'json' or '--values' not in line
    if not (line in SEVERAL and name in ('csv', 'tsv', 'jsonl'))
] + [
    ('events DUMP', formats.text, None),
    ('summary DUMP', formats.text, None),
    ('nodes RECORD --color always', formats.colored, None),
    ('summary RECORD --color always', formats.colored, None),
    ('diff RECORD OTHER --color always', formats.colored, None),
    ('nodes RECORD --method=METHOD', formats.text, None),
    ('dot RECORD', formats.dot, None),
    ('dot RECORD --depth 9', formats.dot, None),
    ('dot RECORD --top 5', formats.dot, None),
    ('dot RECORD --fold', formats.dot, None),
    ('dot RECORD --focus=MODULE', formats.dot, None),
    ('dot RECORD --format svg', formats.svg, None),
    ('trace RECORD', formats.json_document, 'trace'),
    ('export RECORD --to model-explorer', formats.json_document, 'model_explorer'),
    ('export RECORD --to model-explorer --value backend', formats.json_document, 'model_explorer'),
    ('report RECORD', formats.report, None),
    ('write RECORD --logdir out', formats.paths, None),
    ('info PROGRAM', formats.text, None),
    ('nodes PROGRAM --graph program --force', formats.text, None),
    ('nodes PROGRAM --graph program --force --format json', formats.json_document, 'nodes'),
    ('dot PROGRAM --entry=ENTRY --force', formats.dot, None),
]

# What is said of names on the command line.
COMPLAINTS = ['nodes RECORD --method NAME', 'nodes RECORD --module NAME', 'dot RECORD --focus NAME', 'dot RECORD --entry NAME', 'info NAME', 'NAME']


class Record:
    """A folder with a record, its dump and a program whose strings are hostile, too."""

    def __init__(self, values, turn, folder):
        self.folder, self.module = folder, ''
        os.makedirs(os.path.join(folder, 'program'))
        self.names = hostile.make(values, turn, folder)
        self.patch_program(values[turn:] + values[:turn])

    def patch_program(self, values):
        """A real program with other words in it, where they fit; the first one fits nothing that is longer than it."""
        with open(os.path.join(command.FIXTURES, 'add_mul', 'model.pte'), 'rb') as file:
            data = file.read()
        old = [word for word in ('forward', 'aten::add', 'aten::mul', 'aten::addmm', 'aten::sigmoid', 'aten::relu', 'aten::cat') if word.encode() in data]
        short = [value for value in values if 0 < len(value.encode('utf-8', 'surrogateescape')) <= 7 and '\0' not in value]
        self.entry = 'program/' + hostile.as_read(short[0])
        for name, content in (('model.pte', forge.with_strings(data, dict(zip(old, short)))), ('etdump.etdp', self.names.dump)):
            with open(os.path.join(self.folder, 'program', name), 'wb') as file:
                file.write(content)

    def argument(self, word, other):
        words = {
            'RECORD': self.folder,
            'DUMP': os.path.join(self.folder, 'etdump.etdp'),
            'PROGRAM': os.path.join(self.folder, 'program'),
            'OTHER': other.folder,
            '--method=METHOD': '--method=' + self.names.method,
            '--focus=MODULE': '--focus=' + self.module,
            '--entry=ENTRY': '--entry=' + self.entry,
        }
        return words.get(word, word)


class Test:
    def __init__(self, program, folder):
        self.program, self.folder, self.passed, self.failed = program, folder, 0, 0

    def run(self, arguments, expected=(0,)):
        outcome = self.program.run(arguments, self.folder, seconds=SECONDS, environment={'COLUMNS': '100'})
        formats.require(outcome.status in expected, 'exit %s: %s', outcome.status, outcome.stderr.decode())
        formats.require(not outcome.timed_out, 'ran out of its time')
        said = outcome.stderr.decode('utf-8')
        formats.require(not any(map(formats.steers, said.replace('\n', ''))), 'a message that steers a terminal: %s', said)
        formats.require(all(line.startswith('etrecord-tb: ') for line in said.splitlines()), 'a message of its own: %s', said)
        return outcome.stdout.decode('utf-8')

    def check(self, what, function, *arguments):
        try:
            result = function(*arguments)
        except (formats.Unsafe, UnicodeDecodeError, ValueError, SyntaxError) as unsafe:
            self.failed += 1
            print('FAILED %s: %s' % (what, unsafe), flush=True)
            return None
        self.passed += 1
        return result

    def find_module(self, record):
        graph = json.loads(self.run(['nodes', record.folder, '--format', 'json']))['graphs'][0]
        record.module = max((node['module'] for node in graph['nodes'] if node['avg']), key=len)

    def output(self, line, check, schema, record, plain, other, plain_other):
        written = self.run([record.argument(word, other) for word in line.split()])
        result = check(written, self.run([plain.argument(word, plain_other) for word in line.split()]))
        if schema and jsonschema_rs:
            with open(SCHEMA % schema, encoding='utf-8') as file:
                try:
                    jsonschema_rs.validate(json.load(file), result)
                except jsonschema_rs.ValidationError as error:
                    raise formats.Unsafe('not what the schema says: ' + error.message[:200])
        return result

    def complaint(self, line, name):
        self.run([name if word == 'NAME' else word for word in line], (0, 1, 2))


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def different_texts(csv, markdown):
    """Cells of columns that both have; numbers are as exact as each format wants them."""
    columns = [(csv[0].index(title), markdown[0].index(title)) for title in csv[0] if title in markdown[0]]
    for a, b in zip(csv, markdown):
        for i, k in columns:
            if i < len(a) and k < len(b) and not is_number(a[i]) and b[k].strip() not in (a[i].strip(), a[i][1:].strip()):
                yield a[i], b[k]


def same_cells(tables):
    """What CSV has stands in TSV, and in Markdown, too: nothing was lost, split or added."""
    for line in READING:
        csv, tsv, markdown = (tables.get('%s%s --format %s' % (line, ' --top 0' * (not line.startswith('info')), name)) for name in ('csv', 'tsv', 'markdown'))
        if csv and tsv:
            formats.require(csv == tsv, '%s: CSV and TSV differ', line)
        if csv and markdown and len(csv) == len(markdown) and line != 'info RECORD':  # for programs that is another table
            different = next(different_texts(csv, markdown), None)
            formats.require(not different, '%s: CSV and Markdown differ: %s', line, different)


def names_arrive(record, documents):
    """The test tests nothing if the names do not get to the outputs."""
    formats.require(documents.get('nodes'), 'no nodes at all')
    nodes = {node['name'] for graph in documents['nodes']['graphs'] for node in graph['nodes']}
    formats.require(set(record.names.nodes) <= nodes, 'names that are missing: %s', set(record.names.nodes) - nodes)
    times = [node['avg'] for graph in documents['nodes']['graphs'][:1] for node in graph['nodes'] if node['name'] in record.names.nodes]
    formats.require(sum(time is not None for time in times) > len(times) * 0.9, 'nodes without times')


def written_files(test, record):
    """What `write` left: paths, DOT files, event files as TensorBoard reads them, and their pages as it shows them."""
    found = formats.files(test.folder, 'out')
    for path in (path for path in found if path.endswith('.dot')):
        with open(os.path.join(test.folder, path), encoding='utf-8') as file:
            formats.dot_text(file.read())
    for path in (path for path in found if tensorboard_rules and 'tfevents' in path):
        faults = tensorboard_rules.check(os.path.join(test.folder, path))[3]
        formats.require(not faults, '%s: %s', path, faults[:3])
        for body in tensorboard_rules.records(os.path.join(test.folder, path)):
            check_pages(tensorboard_rules.event_pb2.Event.FromString(body))


OWN_PAGE = '## a: **1 ms** per inference\n\nb\n\n### c\n\n1. **d**: e\n\n**f** [g](#graphs) `h` *i*\n\n| a | b |\n|---|---:|\n| x | 1 |\n\nx\n'
OWN_LINKS = {'#graphs', '?smoothing=0#timeseries', '?tagFilter=op_type&smoothing=0#timeseries', '#custom_scalars&_smoothingWeight=0', '#hparams', '#etrecord'}


@functools.cache
def shown_tags(page):
    """The tags of a page as TensorBoard shows it; runs of one record share pages."""
    from tensorboard import plugin_util

    return formats.tags(plugin_util.markdown_to_safe_html(page)).found


def check_pages(event):
    known = {tag if isinstance(tag, str) else tag[0] for tag in shown_tags(OWN_PAGE)}
    for value in (value for value in event.summary.value if value.metadata.plugin_data.plugin_name == 'text'):
        for page in value.tensor.string_val:
            formats.markdown(page.decode('utf-8'), OWN_PAGE)
            shown = shown_tags(page)
            strange = [tag for tag in shown if (tag if isinstance(tag, str) else tag[0]) not in known]
            formats.require(not strange, 'the page %s has %s', value.tag, strange[:3])
            links = {target for tag in shown if not isinstance(tag, str) for name, target in tag[1] or () if name == 'href'}
            formats.require(links <= OWN_LINKS, 'the page %s links to %s', value.tag, links - OWN_LINKS)


def folder_name(values, turn):
    name = hostile.as_read(values[turn % len(values)]).replace('/', '\u2215')[:30]
    return name if name not in ('.', '..') else name + 'x'


def test_turn(test, base, turn):
    def make(values, turn, label):
        return Record(values, turn, os.path.join(base, label, folder_name(values, turn)))

    record, other = make(hostile.HOSTILE, turn, 'hostile'), make(hostile.HOSTILE, turn + 1, 'other')
    plain, plain_other = make(hostile.HARMLESS, turn, 'plain'), make(hostile.HARMLESS, turn + 1, 'plain_other')
    results = {}
    for each in (record, plain):
        test.find_module(each)
    for line, check, schema in OUTPUTS:
        name = 'turn %d: %s' % (turn, line)
        results[line] = test.check(name, test.output, line, check, schema, record, plain, other, plain_other)
    documents = {line.split()[0]: document for line, document in results.items() if line.endswith('--top 0 --format json') and '--values' not in line}
    test.check('turn %d: names arrive' % turn, names_arrive, record, documents)
    test.check('turn %d: cells' % turn, same_cells, results)
    test.check('turn %d: files' % turn, written_files, test, record)
    for line in COMPLAINTS:
        words = [record.argument(word, other) for word in line.split()]
        test.check('turn %d: %s' % (turn, line), test.complaint, words, hostile.as_read(hostile.HOSTILE[turn]))


def main():
    program = command.program()
    turns = len(hostile.HOSTILE) if sys.argv[1:] == ['all'] else int(sys.argv[1]) if len(sys.argv) > 1 else 1
    passed = failed = 0
    for name, module in (('markdown-it-py', formats.markdown_it), ('tensorboard', tensorboard_rules), ('jsonschema-rs', jsonschema_rs)):
        if not module:
            failed += os.environ.get('CI') == 'true'
            print('skipped: what %s would see: it is not installed' % name)
    for turn in range(0, len(hostile.HOSTILE), max(1, len(hostile.HOSTILE) // turns)):
        with tempfile.TemporaryDirectory() as base:
            work = os.path.join(base, 'work')
            os.mkdir(work)
            test = Test(program, work)
            test_turn(test, base, turn)
            passed, failed = passed + test.passed, failed + test.failed
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
