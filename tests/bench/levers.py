#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how many times as fast kernels are: levers.py ETRECORD_TB [--rounds N] [--write].

Other types of weights against float32 in XNNPACK, for the same layer, and XNNPACK against the kernels on the CPU. Programs of one layer run in turns, on the kernels
of the installed ExecuTorch; a ratio is that of the typical times of the layer's kernels. --write keeps them in ratios.json, in place of those of the same
processor, and writes from it plugin/views/kernel_ratio.c, which findings go by, and docs/ratios.md. --from-file only does the latter. Needs executorch, torchao.
"""

import argparse
import json
import os
import subprocess
import tempfile
import textwrap
import time

import torch
from torch import nn

import in_turns

RATIOS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'ratios.json')
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST_MARK, LAST_MARK = '/* clang-format off */\n', '/* clang-format on */\n'  # of the table in C
TYPES = ('int8', '8da4w', 'fp16')
LEAST_ROUNDS = 5  # to keep: in fewer, other programs decide
MOST_APART = 3  # a ratio so many times the median of its kind was met by other load
COLUMNS = 120  # of a document


def linear(inputs, outputs, rows):
    return nn.Linear(inputs, outputs), (torch.randn(rows, inputs),)


def convolution(inputs, outputs, size, kernel, groups=1):
    return nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, groups=groups), (torch.randn(1, inputs, size, size).to(memory_format=torch.channels_last),)


# Kinds of layers whose ratios are alike, and layers of each. None takes less than some ten steps of XNNPACK's clock in any type.
LAYERS = {
    'linear, one row': [lambda i=i, o=o: linear(i, o, 1) for i, o in ((1024, 1024), (512, 2048), (768, 3072), (3072, 768), (2048, 2048))],
    'linear': [lambda i=i, o=o, r=r: linear(i, o, r) for i, o, r in ((256, 256, 64), (512, 512, 64), (256, 512, 128), (768, 768, 64), (384, 1536, 197), (1024, 1024, 32), (152, 152, 196), (368, 368, 49), (192, 576, 64))],
    'convolution': [
        lambda a=a: convolution(*a)
        for a in ((16, 32, 56, 3), (32, 64, 56, 3), (64, 64, 28, 3), (128, 128, 14, 3), (40, 40, 28, 3), (152, 152, 14, 3))
    ],
    'convolution of 1 x 1, or of 3 channels': [
        lambda a=a: convolution(*a)
        for a in (
            (32, 96, 56, 1), (96, 192, 28, 1), (256, 256, 14, 1), (152, 152, 14, 1), (368, 368, 7, 1), (24, 56, 56, 1), (16, 96, 56, 1), (152, 368, 14, 1), (40, 240, 28, 1),
            (3, 32, 112, 3), (3, 16, 160, 3),
        )
    ],
    'depthwise convolution': [lambda a=a: convolution(*a) for a in ((96, 96, 56, 3, 96), (192, 192, 28, 3, 192), (384, 384, 28, 3, 384), (96, 96, 56, 5, 96))],
}


class Of(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


WIDE, IMAGE = (1, 197, 768), (1, 32, 56, 56)
# Operators, named as in an Edge program without namespace and overload, and models of one each.
OPERATORS = {
    'convolution': [lambda: convolution(16, 16, 20, 3), lambda: convolution(32, 64, 20, 1), lambda: convolution(64, 64, 28, 3, 64)],
    'addmm': [lambda: linear(128, 128, 64), lambda: linear(256, 256, 16), lambda: linear(1024, 512, 1)],
    'mm': [lambda i=i, r=r: (nn.Linear(i, i, bias=False), (torch.randn(r, i),)) for i, r in ((256, 64), (512, 32), (512, 4))],
    'bmm': [lambda n=n: (Of(torch.bmm), (torch.randn(8, n, 64), torch.randn(8, 64, n))) for n in (64, 197)],
    'gelu': [lambda: (nn.GELU(), (torch.randn(WIDE),))],
    'softmax': [lambda: (nn.Softmax(-1), (torch.randn(8, 197, 197),))],
    'sigmoid': [lambda: (nn.Sigmoid(), (torch.randn(WIDE),))],
    'tanh': [lambda: (nn.Tanh(), (torch.randn(WIDE),))],
    'hardtanh': [lambda: (nn.Hardtanh(), (torch.randn(WIDE),))],
    'relu': [lambda: (nn.ReLU(), (torch.randn(WIDE),))],
    'mean': [lambda: (Of(lambda x: x.mean((2, 3), keepdim=True)), (torch.randn(IMAGE),))],
    'add': [lambda: (Of(torch.add), (torch.randn(WIDE), torch.randn(WIDE)))],
    'sub': [lambda: (Of(torch.sub), (torch.randn(WIDE), torch.randn(WIDE)))],
    'mul': [lambda: (Of(torch.mul), (torch.randn(WIDE), torch.randn(WIDE)))],
    'div': [lambda: (Of(torch.div), (torch.randn(WIDE), torch.rand(WIDE) + 1))],
    'rsqrt': [lambda: (Of(torch.rsqrt), (torch.rand(WIDE) + 1,))],
    'exp': [lambda: (Of(torch.exp), (torch.randn(WIDE),))],
    'permute_copy': [lambda: (Of(lambda x: x.permute(0, 2, 1)), (torch.randn(WIDE),))],
    'cat': [lambda: (Of(lambda a, b: torch.cat([a, b], 1)), (torch.randn(WIDE), torch.randn(WIDE)))],
    'max_pool2d_with_indices': [lambda: (nn.MaxPool2d(2), (torch.randn(IMAGE).to(memory_format=torch.channels_last),))],
}


def time_of(tool, folder, without=()):
    """Returns the typical time of a program's kernels, inserted ones included, but for those whose names start with one of `without`."""
    done = subprocess.run([tool, 'summary', folder, '--format', 'json'], capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)['methods'][0]['by_kernel']
    return sum(row['typical'] for row in rows if not row['kernel'].startswith(tuple(without)))


def measured(tool, programs, rounds, without):
    """Exports programs, {name: (make, how)}, runs them in turns, and returns their times. Leaves out what this version does not export."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = {}
        for name, (make, how) in programs.items():
            folder = os.path.join(scratch, name)
            torch.manual_seed(0)
            try:
                folders[folder] = in_turns.export(folder, *make(), **how)
            except Exception as error:  # such as 8da4w of a convolution
                print(f'    {name}: {" ".join(str(error).split())[:100]}', flush=True)
        in_turns.measure(folders, rounds)
        return {name: time_of(tool, os.path.join(scratch, name), without.get(name, ())) for name in programs if os.path.join(scratch, name) in folders}


def significant(value):
    return float(f'{value:.2g}')


def spread(ratios):
    """Returns the least, the median and the largest of some ratios, without those that other load spoiled."""
    ratios = sorted(ratios)
    middle = (ratios[(len(ratios) - 1) // 2] + ratios[len(ratios) // 2]) / 2
    kept = [ratio for ratio in ratios if middle / MOST_APART <= ratio <= middle * MOST_APART]
    if len(kept) < len(ratios):
        print(f'    left out, far from the median of {middle:.2g}: ' + ', '.join(f'{ratio:.2g}' for ratio in ratios if ratio not in kept), flush=True)
    return tuple(map(significant, (kept[0], middle, kept[-1]))) if kept else tuple([significant(middle)] * 3)


def measure_types(tool, rounds):
    found = {}
    for kind, layers in LAYERS.items():
        ratios = {}
        for make in layers:
            programs = {'float32': (make, {}), 'int8': (make, {'scheme': 'int8'}), 'fp16': (make, {'scheme': 'fp16'})}
            if kind.startswith('linear'):
                programs['8da4w'] = make, {'scheme': '8da4w'}
            # In a network that is quantized as a whole, a static layer's input and output are int8.
            times = measured(tool, programs, rounds, {'int8': ('Convert',)})
            for name in times:
                if name != 'float32':
                    ratios.setdefault(name, []).append(times['float32'] / times[name])
            print(f'{kind}: ' + ', '.join(f'{name} {time * 1000:.1f} us' for name, time in times.items()), flush=True)
        found[kind] = {name: spread(values) for name, values in ratios.items()}
    return found


def measure_operators(tool, rounds):
    found = {}
    for op, models in OPERATORS.items():
        ratios = []
        for make in models:
            times = measured(tool, {'cpu': (make, {'delegate': False}), 'xnnpack': (make, {})}, rounds, {})
            ratios.append(times['cpu'] / times['xnnpack'])
            print(f'{op}: {times["cpu"] * 1000:.1f} us, XNNPACK {times["xnnpack"] * 1000:.1f} us', flush=True)
        found[op] = tuple(map(significant, (min(ratios), max(ratios))))  # layers of different kinds: far apart
    return found


def range_of(processors, table, *keys):
    """Returns the least and the largest ratio that was measured on some processors, or None. table: "types" or "operators"; keys: the layer and the type, or the operator."""
    ends = []
    for processor in processors:
        found = processor[table]
        for key in keys:
            found = found.get(key, {})
        ends += [found[0], found[-1]] if found else []
    return (min(ends), max(ends)) if ends else None


def range_text(low, high):
    return f'{low:g}' if low == high else f'{low:g} – {high:g}'


def paragraph(text):
    return textwrap.wrap(text, COLUMNS, break_long_words=False, break_on_hyphens=False) + ['']


def cell(ratios):
    """Returns a cell of a table of types: a range, and the median in brackets, if it is known."""
    if not ratios:
        return ''
    return range_text(ratios[0], ratios[-1]) + (f' ({ratios[1]:g})' if ratios[1] is not None else '')


def names_of(processors, table):
    """Returns the layers or operators that were measured, in the order of this file."""
    return [name for name in (LAYERS if table == 'types' else OPERATORS) if any(name in processor[table] for processor in processors)]


def document(processors):
    letters = [chr(ord('A') + i) for i in range(len(processors))]
    lines = ['# Ratios between kernels', '']
    lines += paragraph('Findings that rest on ratios (*quantize*, *delegate*, *not_delegated*, *fallback*, *constants*) take them from these tables, least and largest of the processors. '
                       '`tests/bench/levers.py --write` measures them and writes this page: the same layer in each type, in turns, on the kernels of the installed ExecuTorch. '
                       'A ratio is a range over layers of several sizes, with the median behind it.')
    for letter, each in zip(letters, processors):
        threads = 'one thread' if each['threads'] == 1 else f'{each["threads"]} threads'
        lines.append(f'- {letter}: {each["processor"]}, ExecuTorch {each["executorch"]}, {threads}' + (f', {each["date"]}.' if each['date'] else '; measured earlier.'))
    lines += [''] + paragraph('On x86-64 with AVX-512 VNNI, as of A and B, they are *likely*. x86-64 without AVX-512 has types of its own, from C, which are *likely* '
                              'for linear layers with one row and convolutions of more channels than 3 and more than 1 × 1. Other layers may get slower or faster in int8 there, as their '
                              'channels are (152 gain, 96 lose): their savings begin at 0 and are *possible*. On x86-64 with AVX-512 and without VNNI, savings of int8 begin at 0 '
                              'and are *possible*. On another processor, or if it is not known, they are a *rule of thumb*, from A and B.')
    lines += ['## Types of weights', ''] + paragraph('How many times as fast as float32 in XNNPACK; below 1 it is slower. `fp16` gains only where the processor multiplies float16, as B does. '
                                                     'Of A and B, the convolutions have some of 1 × 1 among them.')
    lines += ['| layer | ' + ' | '.join(f'{name}, {letter}' for name in TYPES for letter in letters) + ' |', '|---|' + '---|' * len(letters) * len(TYPES)]
    for kind in names_of(processors, 'types'):
        lines.append(f'| {kind.replace(" x ", " × ")} | ' + ' | '.join(cell(each['types'].get(kind, {}).get(name)) for name in TYPES for each in processors) + ' |')
    lines += ['', '## XNNPACK instead of kernels on the CPU', '', 'The kernels are those of the Python package: the optimized ones where it has them, else the portable ones.', '']
    lines += ['| operator | times as fast, ' + ' | '.join(letters) + ' |', '|---|' + '---:|' * len(letters)]
    for op in names_of(processors, 'operators'):
        lines.append(f'| `{op}` | ' + ' | '.join(range_text(*each['operators'][op]) if op in each['operators'] else '' for each in processors) + ' |')
    return '\n'.join(lines) + '\n'


def names_text(processors):
    return ' and '.join(dict.fromkeys(processor['processor'].partition(',')[0] for processor in processors))


def type_rows(processors):
    kinds = {
        'linear, one row': 'ETR_RATIO_LINEAR_ROW', 'linear': 'ETR_RATIO_LINEAR', 'convolution': 'ETR_RATIO_CONVOLUTION', 'convolution of 1 x 1, or of 3 channels': 'ETR_RATIO_FLAT',
        'depthwise convolution': 'ETR_RATIO_DEPTHWISE',
    }
    found = ((kinds[kind], name, range_of(processors, 'types', kind, name)) for kind in names_of(processors, 'types') for name in TYPES)
    return ['    {{{}, "{}", {:g}, {:g}}},'.format(kind, name, *ends) for kind, name, ends in found if ends]


def table(processors):
    """Returns the lines of C between the two marks."""
    vnni = [each for each in processors if 'avx512_vnni' in each['processor']]
    avx2 = [each for each in processors if 'avx2' in each['processor'] and 'avx512' not in each['processor'] and 'avx_vnni' not in each['processor']]
    versions = sorted({each['executorch'] for each in processors})
    lines = ['/* Where they were measured. */', f'#define MEASURED_ON "{names_text(vnni)}, x86-64 with AVX-512 VNNI"', f'#define MEASURED_ON_AVX2 "{names_text(avx2)}, x86-64 with AVX2"']
    lines += [f'#define MEASURED_WITH "ExecuTorch {" and ".join(versions)}"', '']
    lines += ['/* How many times as fast as float32 layers are in other types, in XNNPACK, with VNNI. */', 'static const etr_type_ratio type_ratios[] = {', *type_rows(vnni), '};', '']
    lines += ['/* The same on x86-64 without AVX-512. */', 'static const etr_type_ratio type_ratios_avx2[] = {', *type_rows(avx2), '};', '']
    lines += ['/* How many times as fast XNNPACK is as the kernels on the CPU. */', 'static const delegate_ratio delegate_ratios[] = {']
    lines += ['    {{"{}", {{{:g}, {:g}}}}},'.format(op, *range_of(processors, 'operators', op)) for op in names_of(processors, 'operators')]
    return '\n'.join(lines + ['};', ''])


def as_json(processors):
    """Returns the text of ratios.json: a line for each layer and each operator."""
    def text(value):
        if not isinstance(value, dict):
            return json.dumps(value)
        return '{\n' + ',\n'.join(f'      {json.dumps(name)}: {json.dumps(each)}' for name, each in value.items()) + '\n    }'

    return '[\n' + ',\n'.join('  {\n' + ',\n'.join(f'    {json.dumps(key)}: {text(value)}' for key, value in each.items()) + '\n  }' for each in processors) + '\n]\n'


def write(processors):
    code = os.path.join(ROOT, 'plugin', 'views', 'kernel_ratio.c')
    with open(code, encoding='utf-8') as file:
        before, mark, rest = file.read().partition(FIRST_MARK)
    _, last, after = rest.partition(LAST_MARK)
    texts = {RATIOS: as_json(processors), os.path.join(ROOT, 'docs', 'ratios.md'): document(processors), code: before + mark + table(processors) + last + after}
    for path, text in texts.items():
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


def with_measured(processors, tool, rounds):
    """Measures on this processor, and returns the list with that in place of what it has of the same processor, or at its end."""
    measured = {
        'processor': in_turns.processor(), 'executorch': in_turns.version(), 'threads': 1, 'date': time.strftime('%Y-%m-%d'),
        'types': measure_types(tool, rounds), 'operators': measure_operators(tool, rounds),
    }
    places = [i for i, each in enumerate(processors) if each['processor'] == measured['processor']]
    return [*processors[:places[0]], measured, *processors[places[0] + 1:]] if places else [*processors, measured]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tool', nargs='?')
    parser.add_argument('--rounds', type=int, default=11)
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--from-file', action='store_true')
    given = parser.parse_args()
    with open(RATIOS, encoding='utf-8') as file:
        processors = json.load(file)
    if given.from_file:
        write(processors)
        return
    if not given.tool:
        parser.error('name the command that reads records')
    if given.write and given.rounds < LEAST_ROUNDS:
        parser.error(f'--write takes {LEAST_ROUNDS} rounds or more')
    processors = with_measured(processors, given.tool, given.rounds)
    print('\n' + document(processors))
    if given.write:
        write(processors)


if __name__ == '__main__':
    main()
