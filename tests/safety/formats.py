# SPDX-License-Identifier: BSD-3-Clause
"""Reads each output format with a real parser and says what names have done to it. A check takes what was written, and what was written of harmless
names; it raises Unsafe, or gives a list of cells where the format has some."""

import csv
import functools
import html.parser
import io
import json
import os
import re
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'check'))
from report_documents import texts_in  # noqa: E402

try:
    import markdown_it
except ImportError:
    markdown_it = None

WIDTH = 100


class Unsafe(Exception):
    pass


def require(holds, message, *values):
    if not holds:
        raise Unsafe(message % tuple(repr(value)[:300] for value in values))


# ---- Text ----

# What turns the direction of what follows, and what ends a line without being a newline.
STEERING = set('\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff')


@functools.cache
def steers(character):
    return unicodedata.category(character) == 'Cc' or character in STEERING or 0xE0000 <= ord(character) < 0xE0080


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in text)


def text(written, harmless):
    """No character that steers a terminal, no line that is longer than it."""
    for line in written.split('\n'):
        require(not any(map(steers, set(line))), 'a line with characters that steer a terminal: %s', line)
        require(columns(line) <= WIDTH, 'a line of more than 100 columns: %s', line)


def paths(written, harmless):
    """Paths may be as long as they are: somebody may want to copy them."""
    require(not any(steers(c) for c in set(written) if c != '\n'), 'characters that steer a terminal: %s', written)


def colored(written, harmless):
    """The same beside our own colors."""
    text(re.sub('\x1b\\[[0-9;]*m', '', written), harmless)


# ---- Tables for programs ----


def check_cells(rows):
    require(len({len(row) for row in rows}) == 1, 'rows of different lengths: %s', sorted({len(row) for row in rows}))
    for cell in (cell for row in rows for cell in row):
        formula = cell[:1] in tuple('=+-@\t\r\uff1d\uff0b\uff0d\uff20') and not re.fullmatch(r'-?[0-9.]+([eE][+-]?[0-9]+)?', cell)
        require(not formula, 'a cell that a spreadsheet runs: %s', cell)
        require(not any(map(steers, set(cell))), 'a cell with control characters: %s', cell)
    return rows


def tables(rows):
    """Tables of a page, each behind an empty row and a title."""
    found = [[]]
    for row in rows:
        if row in ([], ['']):
            found.append([])
        else:
            found[-1].append(row)
    return [table[len(found) > 1 :] for table in found if table]


def csv_table(written, harmless):
    return sum(map(check_cells, tables(list(csv.reader(io.StringIO(written, newline=''), strict=True)))), [])


def tsv_table(written, harmless):
    require('\r' not in written, 'a carriage return')
    return sum(map(check_cells, tables([line.split('\t') for line in written.rstrip('\n').split('\n')])), [])


# ---- Markdown ----

MARKDOWN_TOKENS = set(
    'paragraph_open paragraph_close inline table_open table_close thead_open thead_close tbody_open tbody_close tr_open tr_close th_open th_close '
    'td_open td_close'.split()
)
MARKDOWN_OWN = ('<details>', '</details>', '<summary>', '</summary>', '<sub>', '</sub>')


@functools.lru_cache(maxsize=1)  # many pages are held against one
def without_own_markup(harmless):
    """The kinds of tokens in what was written of harmless names, where each has to come from ourselves."""
    return MARKDOWN_TOKENS | {token.type for token in walk(markdown_it.MarkdownIt('gfm-like', {'linkify': False}).parse(harmless))}


def walk(tokens):
    for token in tokens:
        yield token
        yield from walk(token.children or [])


def markdown(written, harmless):
    """As CommonMark with tables reads it: no markup that is not there with harmless names, no HTML but our own."""
    require(not any(steers(c) for c in set(written) if c != '\n'), 'characters that steer a terminal')
    if not markdown_it:
        return None
    allowed, rows = without_own_markup(harmless) | {'text', 'text_special', 'softbreak'}, []
    for token in walk(markdown_it.MarkdownIt('gfm-like', {'linkify': False}).parse(written)):
        require(token.type in allowed, 'markup of the kind %s: %s', token.type, token.content)
        if token.type in ('html_inline', 'html_block'):
            require(re.sub('|'.join(MARKDOWN_OWN), '', token.content).count('<') == 0, 'HTML: %s', token.content)
        if token.type == 'tr_open':
            rows.append([])
        if token.type == 'inline' and rows and token.level >= 4:
            rows[-1].append(''.join(child.content for child in token.children))
    return rows


# ---- Markup ----


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.data, self.script = [], [], None

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, attributes))

    def handle_endtag(self, tag):
        self.found.append('/' + tag)

    def handle_comment(self, data):
        self.found.append('<!--')

    def handle_data(self, data):
        self.data.append(data)


def tags(written):
    parser = Tags()
    parser.feed(written)
    parser.close()
    return parser


def report(written, harmless):
    """The same tags with the same attributes, and the documents the only thing that differs."""
    got, want = tags(written), tags(harmless)
    require(got.found == want.found, 'other tags: %s', [tag for tag in got.found if tag not in want.found])
    require('<!--' not in re.sub(r'(?s)<script.*?</script>', '', written), 'a comment')
    documents = texts_in(written)
    require('profile' in documents, 'no document')
    for document in documents.values():
        require('<' not in document, 'a < in the document: %s', document[document.find('<') :][:80])
        json_document(document, None)


def local(name):
    return name.rsplit('}', 1)[-1]


def svg(written, harmless):
    """Only elements and attributes that harmless names have, nothing that runs or refers to something."""
    root, plain = xml.etree.ElementTree.fromstring(written), xml.etree.ElementTree.fromstring(harmless)
    known = {(element.tag, attribute) for element in plain.iter() for attribute in (None, *element.attrib)}
    for element in root.iter():
        for attribute, value in [(None, ''), *element.attrib.items()]:
            require((element.tag, attribute) in known, 'an element %s with the attribute %s', element.tag, attribute)
            require(not (attribute and local(attribute) == 'href'), 'a link to %s', value)
        require(local(element.tag) not in ('script', 'foreignObject', 'image', 'use'), 'an element %s', element.tag)


def dot_text(written):
    steering = [c for c in set(written) if steers(c) and c not in '\n\t']
    require(not steering, 'the characters %s, which steer a terminal', steering)


def dot(written, harmless):
    """As Graphviz reads it: our own ids with the attributes that harmless names have, and as many nodes as are written."""
    dot_text(written)
    got, want = graph_of(written), graph_of(harmless)
    attributes = {key for thing in want for key in thing}
    for thing in got:
        require(set(thing) <= attributes, 'attributes %s', set(thing) - attributes)
        require(re.fullmatch(r'[\w:]+', thing.get('name', 'edge')), 'a node called %s', thing.get('name'))
    statements = len(re.findall(r'(?m)^\s*n\d+\s+\[', written))
    require(len([thing for thing in got if re.fullmatch(r'n\d+', thing.get('name', ''))]) == statements, 'not the %s nodes that are written', statements)


def graph_of(written):
    done = subprocess.run(['dot', '-Gstart=1', '-Tdot_json'], input=written.encode(), capture_output=True)
    require(done.returncode == 0 and not done.stderr, 'Graphviz says %s', done.stderr.decode())
    document = json.loads(done.stdout)
    return [*document.get('objects', []), *document.get('edges', [])]


# ---- JSON ----


def json_document(written, harmless):
    """Readable, the same again without what was not UTF-8, and nothing raw that a terminal or a script would mind."""
    require(not any(steers(c) for c in set(written) if c != '\n'), 'characters that steer a terminal')
    require('<' not in written, 'a <, which a script in HTML would mind')
    return json.loads(written, parse_constant=lambda name: require(False, 'the constant %s', name))


def json_lines(written, harmless):
    """Each line a document, or no line; rows with one name may have been added up."""
    require(not written or written.endswith('\n'), 'no line end behind the last line')
    for line in written.split('\n')[:-1]:
        json_document(line, None)


# ---- Files ----


def files(folder, logdir):
    """All below the output folder, under names that every file system takes."""
    found = [os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names]
    require(found, 'no files')
    for path in found:
        parts = path.split(os.sep)
        require(parts[0] == logdir, 'written outside of its folder: %s', path)
        for part in parts[1:]:
            require(part not in ('.', '..', '') and len(part.encode()) <= 255, 'a part of a path called %s', part)
            require(not re.search(r'[\x00-\x1f\x7f-\x9f\\:*?"<>|]|[ .]$', part), 'a part of a path called %s', part)
            require(not any(map(steers, part)), 'a part of a path called %s', part)
    return found
