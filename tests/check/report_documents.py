# SPDX-License-Identifier: BSD-3-Clause
"""The documents that a report holds: JSON, compressed by gzip, in base64."""

import base64
import gzip
import json
import re

ELEMENT = re.compile(r'<script type="application/octet-stream;base64" id="([\w.]+)">([\w+/=]*)</script>')
SECTIONS = ('timeline', 'graphs', 'memory', 'accuracy', 'per_run')


def texts_in(html):
    """Every document as text, by the id of its element. The page's script and style sheet, and the comment to copy, are elements of this kind, too."""
    return {name: gzip.decompress(base64.b64decode(text, validate=True)).decode() for name, text in ELEMENT.findall(html) if name not in ('page', 'style', 'comment')}


def documents_in(html):
    return {name: json.loads(text) for name, text in texts_in(html).items()}


def whole_document(html, name='profile'):
    """A record's document with the sections of its methods in their places, as an event file has it. A section has texts of its own."""
    found = documents_in(html)
    for index, method in enumerate(found[name]['methods']):
        for key in SECTIONS:
            section = found.get('%s.%d.%s' % (name, index, key))
            method[key] = section and section[key]
    return found[name]


def column(table, key, missing=None):
    """A column as a list: in a document it is a list, the value that all rows have, missing, or steps."""
    steps = table.get(key + '_step')
    if steps is not None:
        last, values = 0, []
        for step in steps if isinstance(steps, list) else [steps] * table['count']:
            last += step or 0
            values.append(missing if step is None else last)
        return values
    found = table.get(key, missing)
    return found if isinstance(found, list) else [found] * table['count']
