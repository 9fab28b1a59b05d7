# SPDX-License-Identifier: BSD-3-Clause
"""What can be broken in a line of C: changes(text) finds them all, each within one line.

It reads tokens, not C: whether a change means anything is for the compiler to say.
"""

import collections
import re

Change = collections.namedtuple('Change', 'line kind old new')  # line: from 1; old and new: the whole line

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?[uUlLfF]*'
                   r'|->|\+\+|--|<<=?|>>=?|[-+*/%&|^!=<>]=|&&|\|\||\S')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.DOTALL)
RELATIONS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
ARITHMETIC = {'+': '-', '-': '+', '*': '/', '/': '*', '%': '/', '+=': '-=', '-=': '+=', '*=': '/=', '++': '--', '--': '++', '<<': '>>', '>>': '<<'}
LOGIC = {'&&': '||', '||': '&&', '&': '|', '|': '&', 'true': 'false', 'false': 'true'}
NO_CALLS = {'if', 'while', 'for', 'switch', 'return', 'sizeof', 'defined', '_Static_assert', 'static_assert'}
LIMIT = re.compile(r'\b(MOST|MAX|LARGEST|DEEPEST|BUDGET)(_\w+)? = |_(ROOM|BUDGET|BYTES|STEPS) = ')  # one more or less of it is no fault
EITHER_WAY = re.compile(r'(strn?cmp|memcmp)$')  # compared with 0
DECLARES = re.compile(r'(static|const|extern|typedef|struct|enum|union)\b')


class Token:
    def __init__(self, match):
        self.text, self.start, self.end = match.group(), match.start(), match.end()

    def is_name(self):
        return self.text[0].isalpha() or self.text[0] == '_'

    def is_value(self):
        """It can stand before a binary operator."""
        return self.is_name() and self.text not in NO_CALLS or self.text[0].isdigit() or self.text in ')]'


def replaced(line, start, end, new):
    return line[:start] + new + line[end:]


def closing(tokens, index):
    """The token that closes the bracket at index, None if the line ends before."""
    depth = 0
    for i in range(index, len(tokens)):
        depth += (tokens[i].text in '([{') - (tokens[i].text in ')]}')
        if depth == 0:
            return i
    return None


def operators(line, tokens):
    for before, token in zip([None] + tokens, tokens):
        binary = before is not None and before.is_value()
        if token.text in RELATIONS:
            yield 'relation', replaced(line, token.start, token.end, RELATIONS[token.text])
        elif token.text in ARITHMETIC and (binary or len(token.text) == 2) and not (token.text in ('++', '--') and line.lstrip().startswith('for ')):
            yield 'arithmetic', replaced(line, token.start, token.end, ARITHMETIC[token.text])
        elif token.text in LOGIC and (binary or token.is_name()):
            yield 'logic', replaced(line, token.start, token.end, LOGIC[token.text])
        elif token.text == '!':
            yield 'negation', replaced(line, token.start, token.end, '')


def constants(line, tokens):
    if LIMIT.search(line):
        return
    for before, token, after in zip([None] + tokens, tokens, tokens[1:] + [None]):
        if not token.text[0].isdigit() or before and after and before.text == '{' and after.text == '}':  # {0} is everything
            continue
        number, suffix = re.fullmatch(r'(0[xX][0-9a-fA-F]+|[0-9.]+(?:[eE][-+]?\d+)?)(\w*)', token.text).groups()
        if re.search(r'^[^x]*[.e]', number):
            value = float(number) + 1
        else:
            value = int(number, 8 if re.fullmatch('0[0-7]+', number) else 0) + 1
        yield 'constant', replaced(line, token.start, token.end, repr(value) + suffix)


def conditions(line, tokens):
    for i, token in enumerate(tokens[:-1]):
        end = closing(tokens, i + 1) if token.text in ('if', 'while') and tokens[i + 1].text == '(' else None
        if end:
            inside = line[tokens[i + 1].end : tokens[end].start]
            yield 'condition', replaced(line, tokens[i + 1].end, tokens[end].start, '!(%s)' % inside)


def arguments(line, tokens):
    for i, token in enumerate(tokens[:-1]):
        if not token.is_name() or token.text in NO_CALLS or tokens[i + 1].text != '(' or not closing(tokens, i + 1):
            continue
        end, depth, starts = closing(tokens, i + 1), 0, [tokens[i + 1].end]
        for inner in tokens[i + 2 : end]:
            depth += (inner.text in '([{') - (inner.text in ')]}')
            if inner.text == ',' and depth == 0:
                starts.append(inner.end)
        ends = [start - 1 for start in starts[1:]] + [tokens[end].start]
        parts = [line[a:b].strip() for a, b in zip(starts, ends)]
        for first in range(len(parts) - 1):
            one, other = parts[first : first + 2]
            compared = EITHER_WAY.match(token.text) and first == 0 and re.match(r' [!=]= 0\b', line[tokens[end].end :])
            if one != other and not compared and 'sizeof' not in one + other:  # a product's factors
                yield 'arguments', replaced(line, starts[first], ends[first + 1], (' ' if first else '') + other + ', ' + one)


def statement(line, tokens, before):
    """A line that is one statement by itself, so that nothing else goes with it."""
    if before in ('', ';', '{', '}', ')', 'else') and line[:1] == ' ' and tokens[-1].text == ';' and not DECLARES.match(line.strip()):
        if sum((token.text in '([{') - (token.text in ')]}') for token in tokens) == 0 and tokens[0].text not in ('}', 'else', 'do', 'for'):
            yield 'dropped', line[: len(line) - len(line.lstrip())] + '{}'


def fields(line, tokens, known):
    """known: base -> fields that the file takes of it."""
    for base, token, after in zip(tokens, tokens[1:], tokens[2:]):
        if token.text in ('.', '->') and base.is_value() and after.is_name():
            for name in known.get(base.text, ()):
                if name != after.text:
                    yield 'field', replaced(line, after.start, after.end, name)


def changes(text):
    """All changes to a source, in its order."""
    blank = lambda match: re.sub(r'[^\n]', ' ', match.group())  # noqa: E731
    code = COMMENT.sub(blank, text).splitlines()
    by_line = [[Token(match) for match in TOKEN.finditer(line)] for line in code]
    known = collections.defaultdict(list)
    for tokens in by_line:
        for base, token, after in zip(tokens, tokens[1:], tokens[2:]):
            if token.text in ('.', '->') and base.is_value() and after.is_name() and after.text not in known[base.text]:
                known[base.text].append(after.text)
    before = ''
    for number, (line, old, tokens) in enumerate(zip(code, text.splitlines(), by_line), 1):
        if not tokens or line.lstrip().startswith('#'):
            continue
        for kind, new in (*operators(old, tokens), *constants(old, tokens), *conditions(old, tokens), *arguments(old, tokens),
                          *statement(old, tokens, before), *fields(old, tokens, known)):
            yield Change(number, kind, old, new)
        before = tokens[-1].text
