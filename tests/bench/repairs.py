#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What findings promise, and what doing what they say saves: repairs.py ETRECORD_TB [--rounds N] [--only TEXT] [--keep FOLDER].

Each repair is a model before and after. Both are exported, and run in turns; the promise is that of the first record's summary, and what was saved is the
difference of the typical times. Needs executorch and torchao. Prints the table of docs/reading-a-summary.md.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import torch
from torch import nn
from torch.nn import functional

import in_turns

WIDTH = 256


# ---- What is repaired ----


class Scaled(nn.Module):
    """Linear layers whose weights are scaled in each run."""

    def __init__(self, layers=4, width=WIDTH):
        super().__init__()
        self.weights = nn.ParameterList(torch.randn(width, width) / width for _ in range(layers))
        self.scales = nn.ParameterList(torch.rand(width, 1) + 0.5 for _ in range(layers))

    def forward(self, x):
        for weight, scale in zip(self.weights, self.scales):
            x = functional.relu(functional.linear(x, weight * scale))
        return x


def fold(program):
    from executorch.exir.passes.constant_prop_pass import constant_prop_pass

    return constant_prop_pass(program)


def fold_decomposed(program):
    return fold(program.run_decompositions())


class Rotary(nn.Module):
    """Attention that computes the angles of its positions, and its mask, in each run."""

    def __init__(self, width=128, heads=4, length=64, layers=2):
        super().__init__()
        self.heads, self.length, self.half = heads, length, width // heads // 2
        self.layers = nn.ModuleList(nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(4)) for _ in range(layers))

    def tables(self):
        angles = torch.outer(torch.arange(self.length).float(), 10000 ** -(torch.arange(self.half).float() / self.half))
        return angles.cos(), angles.sin(), torch.full((self.length, self.length), -1e9).triu(1)

    def forward(self, x):
        for query, key, value, out in self.layers:
            cosine, sine, mask = self.tables()
            q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (query, key, value))
            q, k = rotate(q, cosine, sine), rotate(k, cosine, sine)
            weights = torch.softmax(q @ k.transpose(-2, -1) / (2 * self.half) ** 0.5 + mask, dim=-1)
            x = x + out((weights @ v).transpose(1, 2).flatten(-2))
        return x


def rotate(x, cosine, sine):
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cosine - right * sine, left * sine + right * cosine], dim=-1)


class Split(nn.Module):
    """A depthwise convolution as four of every second weight, for which XNNPACK has fast kernels."""

    def __init__(self, conv):
        super().__init__()
        self.parts = nn.ModuleList()
        for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
            weight = conv.weight.data[:, :, row::2, column::2].clone()
            padding = conv.padding[0] - row, conv.padding[1] - column
            part = nn.Conv2d(len(weight), len(weight), weight.shape[2:], padding=padding, dilation=2, groups=len(weight), bias=not self.parts)
            part.weight.data = weight
            if part.bias is not None:
                part.bias.data = conv.bias.data
            self.parts.append(part)

    def forward(self, x):
        a, b, c, d = self.parts
        return a(x) + b(x) + c(x) + d(x)


def wide(is_split):
    """Returns blocks as in ConvNeXt: a depthwise convolution of 7 x 7, and one of 1 x 1."""
    layers = []
    for _ in range(3):
        depthwise = nn.Conv2d(80, 80, 7, padding=3, groups=80)
        layers += [Split(depthwise) if is_split else depthwise, nn.Conv2d(80, 80, 1), nn.ReLU()]
    return nn.Sequential(*layers)


class Vision(nn.Module):
    """A small network of convolutions."""

    def __init__(self, channels=16, layers=2, norm=False, depthwise=False, kernel=3):
        super().__init__()
        layer = []
        for index in range(layers):
            layer.append(nn.Conv2d(3 if index == 0 else channels, channels, kernel, padding=kernel // 2, bias=not norm))
            layer += [nn.BatchNorm2d(channels)] if norm else []
            layer += [nn.Conv2d(channels, channels, 3, padding=1, groups=channels)] if depthwise else []
            layer.append(nn.ReLU())
        self.layers = nn.Sequential(*layer)

    def forward(self, x):
        return self.layers(x)


class Cached(nn.Module):
    """One step of a decoder with a cache for keys and values."""

    def __init__(self, attention, width=128, heads=4, places=512, layers=2, groups=1, words=64):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(attention(width, heads, places, groups) for _ in range(layers))
        self.output = nn.Linear(width, words, bias=False)

    def forward(self, tokens, position):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = x + block(x, position)
        return self.output(x)


class Attention(nn.Module):
    def __init__(self, width, heads, places, groups):
        super().__init__()
        self.heads, self.places, self.groups, self.size = heads, places, groups, width // heads
        self.query, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(width, width // groups, bias=False) for _ in range(2))
        shape = self.cache_shape()
        self.register_buffer('keys', torch.zeros(shape))
        self.register_buffer('values', torch.zeros(shape))

    def cache_shape(self):
        return 1, self.heads // self.groups, self.places, self.size

    def project(self, x):
        return (f(x).unflatten(-1, (-1, self.size)).transpose(1, 2) for f in (self.query, self.key, self.value))

    def mask(self, position):
        return torch.where(torch.arange(self.places) <= position.reshape(-1, 1), 0.0, -1e9)

    def store(self, key, value, position):
        self.keys[:, :, position] = key
        self.values[:, :, position] = value
        return self.keys, self.values

    def read(self, key, value):
        return key, value

    def forward(self, x, position):
        query, key, value = self.project(x)
        key, value = self.read(*self.store(key, value, position))
        weights = torch.softmax(query @ key.transpose(-2, -1) / self.size**0.5 + self.mask(position), dim=-1)
        return self.out((weights @ value).transpose(1, 2).flatten(-2))


class Concatenated(Attention):
    """Writes its cache as a new tensor: what was before, the step, and what comes behind."""

    def store(self, key, value, position):
        for cache, new in ((self.keys, key), (self.values, value)):
            cache.copy_(torch.cat([cache[:, :, 1:], new], dim=2))
        return self.keys, self.values


class Repeated(Attention):
    """Repeats keys and values for each head of a group."""

    def read(self, key, value):
        return key.repeat_interleave(self.groups, 1), value.repeat_interleave(self.groups, 1)


class Grouped(Attention):
    """Takes the heads of a group as rows of one product."""

    def forward(self, x, position):
        query, key, value = self.project(x)
        key, value = self.store(key, value, position)
        rows = query.reshape(1, self.heads // self.groups, self.groups, self.size)
        weights = torch.softmax(rows @ key.transpose(-2, -1) / self.size**0.5 + self.mask(position), dim=-1)
        return self.out((weights @ value).reshape(1, 1, -1))


class Custom(Attention):
    """llama.custom_sdpa of ExecuTorch, whose cache has places before heads."""

    def cache_shape(self):
        return 1, self.places, self.heads // self.groups, self.size

    def forward(self, x, position):
        query, key, value = (f(x).unflatten(-1, (-1, self.size)) for f in (self.query, self.key, self.value))
        start = position[0].item()
        torch._check(start >= 0)
        torch._check(start + 1 < self.places)
        torch.ops.llama.update_cache(key, self.keys, start)
        torch.ops.llama.update_cache(value, self.values, start)
        return self.out(torch.ops.llama.custom_sdpa(query, self.keys, self.values, start, None, 0, True).flatten(-2))


class Heads(nn.Module):
    """Many small layers of one input."""

    def __init__(self, count=48, width=16):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(width, 4) for _ in range(count))

    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)


class OneHead(Heads):
    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)

    def __init__(self, count=48, width=16):
        super().__init__(count, width)
        self.weight = nn.Parameter(torch.cat([head.weight for head in self.heads]))
        self.bias = nn.Parameter(torch.cat([head.bias for head in self.heads]))
        del self.heads


class Expanded(nn.Module):
    """Layers between which an expand changes nothing, or is left out."""

    def __init__(self, expands, layers=8, width=64):
        super().__init__()
        self.expands = expands
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = functional.relu(layer(x))
            x = x.expand(x.shape) if self.expands else x
        return x


class Masked(nn.Module):
    """Hides values by a mask that is an input: by where, or by a product."""

    def __init__(self, by_product, layers=6, width=64):
        super().__init__()
        self.by_product = by_product
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x, mask):
        for layer in self.layers:
            x = layer(x)
            x = x * mask if self.by_product else torch.where(mask > 0, x, torch.zeros(()))
        return x


class Logits(nn.Module):
    """A decoder of one layer with a wide output."""

    def __init__(self, is_last, words=4096, width=128):
        super().__init__()
        self.is_last = is_last
        self.embedding = nn.Embedding(words, width)
        self.layer = nn.Linear(width, width)
        self.output = nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = functional.relu(self.layer(self.embedding(tokens)))
        return self.output(x[:, -1:] if self.is_last else x)


class Means(nn.Module):
    """Layers with a norm by the mean of squares, which XNNPACK leaves out over the last dimension alone."""

    def __init__(self, by_product, layers=6, width=128):
        super().__init__()
        self.by_product = by_product
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.register_buffer('ones', torch.full((1, width), 1 / width))

    def forward(self, x):
        for layer in self.layers:
            square = x * x
            mean = functional.linear(square, self.ones) if self.by_product else square.mean(-1, keepdim=True)
            x = layer(x * torch.rsqrt(mean + 1e-5))
        return x


def linears(layers=6, width=512):
    return nn.Sequential(*(nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(layers)))


def folded(model):
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    layers = list(model.eval().layers)
    model.layers = nn.Sequential(
        *(fuse_conv_bn_eval(layer, layers[index + 1]) if isinstance(layer, nn.Conv2d) else layer for index, layer in enumerate(layers) if not isinstance(layer, nn.BatchNorm2d))
    )
    return model


def channels_last(*inputs):
    return tuple(x.to(memory_format=torch.channels_last) for x in inputs)


class Pairs(nn.Module):
    """Convolutions of one pixel, written as permutes and linear layers or as what they are."""

    def __init__(self, is_convolution, layers=4, channels=32):
        super().__init__()
        self.is_convolution = is_convolution
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        kind = (lambda: nn.Conv2d(channels, channels, 1)) if is_convolution else (lambda: nn.Linear(channels, channels))
        self.layers = nn.ModuleList(kind() for _ in range(layers))
        self.depthwise = nn.ModuleList(nn.Conv2d(channels, channels, 3, padding=1, groups=channels) for _ in range(layers))

    def forward(self, x):
        x = self.first(x)
        for layer, depthwise in zip(self.layers, self.depthwise):
            x = depthwise(x)
            x = layer(x) if self.is_convolution else layer(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
            x = functional.relu(x)
        return x


# ---- Models of libraries, with random weights ----


class First(nn.Module):
    """A model of transformers that returns its first result alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x, return_dict=False)[0]


def bert(attention='sdpa'):
    from transformers import BertConfig, BertModel

    sizes = {'hidden_size': 256, 'num_hidden_layers': 4, 'num_attention_heads': 4, 'intermediate_size': 1024, 'vocab_size': 1000}
    return First(with_attention(BertModel(BertConfig(**sizes)), attention))


def clip(attention='sdpa'):
    from transformers import CLIPTextConfig, CLIPTextModel

    sizes = {'hidden_size': 128, 'intermediate_size': 512, 'num_hidden_layers': 3, 'num_attention_heads': 4, 'vocab_size': 1000}
    return First(with_attention(CLIPTextModel(CLIPTextConfig(**sizes)), attention))


def with_attention(model, attention):
    model.set_attn_implementation(attention)
    return model


def timm_model(name, *, is_fused=True, **arguments):
    import timm

    timm.layers.set_fused_attn(is_fused)
    return timm.create_model(name, pretrained=False, **arguments)


def reparameterized(model):
    from timm.utils.model import reparameterize_model

    return reparameterize_model(model.eval())


def torchvision_model(name):
    import torchvision

    return getattr(torchvision.models, name)(weights=None)


def drop_expands(program):
    """The pass of docs/findings.md#copies."""
    program = program.run_decompositions()
    for node in list(program.graph.nodes):
        is_expand = node.target == torch.ops.aten.expand.default
        if is_expand and node.meta['val'].shape == node.args[0].meta['val'].shape:
            node.replace_all_uses_with(node.args[0])
            program.graph.erase_node(node)
    program.graph_module.recompile()
    return program


WORDS, SMALL_IMAGE = (torch.randint(0, 999, (1, 64)),), (torch.randn(1, 3, 96, 96),)


def step(attention, **sizes):
    return Cached(attention, **sizes), (torch.tensor([[3]]), torch.tensor([5]))


CHANNELS = (torch.randn(1, 80, 24, 24).to(memory_format=torch.channels_last),)
IMAGE, ROWS = (torch.randn(1, 3, 64, 64),), (torch.randn(64, WIDTH),)
POSITIONS = (torch.randn(1, 64, 128),)

# What is repaired; the kinds of findings that promise it; before and after: model and inputs, and how they are exported.
REPAIRS = [
    ('weights scaled in each run, XNNPACK: `constant_prop_pass`', ('constants',), lambda: (Scaled(), ROWS), {}, lambda: (Scaled(), ROWS), {'change': fold}),
    ('the same, CPU kernels: the pass after `run_decompositions()`', ('constants',), lambda: (Scaled(), ROWS), {'delegate': False},
     lambda: (Scaled(), ROWS), {'delegate': False, 'change': fold_decomposed}),
    ('rotary tables and mask of constants, XNNPACK', ('constants',), lambda: (Rotary(), POSITIONS), {}, lambda: (Rotary(), POSITIONS), {'change': fold}),
    ('convolutions: channels-last input', ('layout',), lambda: (Vision(8, 2), (torch.randn(1, 3, 128, 128),)), {},
     lambda: (Vision(8, 2), channels_last(torch.randn(1, 3, 128, 128))), {}),
    ('permute, linear, permute: a convolution of 1 × 1', ('layout',), lambda: (Pairs(False), (torch.randn(1, 32, 32, 32),)), {}, lambda: (Pairs(True), (torch.randn(1, 32, 32, 32),)), {}),
    ('attention over 512 places: `custom_sdpa`', ('attention',), lambda: step(Attention), {}, lambda: step(Custom), {}),
    ('48 equal linear layers of one input: one', ('merge',), lambda: (Heads(), (torch.randn(1, 16),)), {}, lambda: (OneHead(), (torch.randn(1, 16),)), {}),
    ('expand to the same shape, between layers: none', ('copies', 'fallback'), lambda: (Expanded(True), (torch.randn(16, 64),)), {}, lambda: (Expanded(False), (torch.randn(16, 64),)), {}),
    ('cache written by `cat`: index_put', ('cache_copies',), lambda: step(Concatenated), {}, lambda: step(Attention), {}),
    ('keys and values repeated for 4 heads each', ('repeated_heads',), lambda: step(Repeated, heads=8, width=256, groups=4), {}, lambda: step(Grouped, heads=8, width=256, groups=4), {}),
    ('`where` with a mask: a product', ('fallback',), lambda: (Masked(False), (torch.randn(64, 64), torch.ones(64, 64))), {},
     lambda: (Masked(True), (torch.randn(64, 64), torch.ones(64, 64))), {}),
    ('mean over the last dimension: a linear layer', ('fallback',), lambda: (Means(False), (torch.randn(1, 32, 128),)), {}, lambda: (Means(True), (torch.randn(1, 32, 128),)), {}),
    ('logits of the last token only', ('output_layer',), lambda: (Logits(False), (torch.randint(64, (1, 32)),)), {}, lambda: (Logits(True), (torch.randint(64, (1, 32)),)), {}),
    ('linear layers in int8', ('quantize',), lambda: (linears(), (torch.randn(64, 512),)), {}, lambda: (linears(), (torch.randn(64, 512),)), {'scheme': 'int8'}),
    ('linear layers with one row in 8da4w', ('quantize',), lambda: (linears(), (torch.randn(1, 512),)), {}, lambda: (linears(), (torch.randn(1, 512),)), {'scheme': '8da4w'}),
    ('convolutions in int8', ('quantize',), lambda: (Vision(64, 4), IMAGE), {}, lambda: (Vision(64, 4), IMAGE), {'scheme': 'int8'}),
    ('convolutions as CPU kernels: XNNPACK', ('not_delegated',), lambda: (Vision(8, 2, depthwise=True), IMAGE), {'delegate': False}, lambda: (Vision(8, 2, depthwise=True), IMAGE), {}),
    ('linear layers as CPU kernels: XNNPACK', ('not_delegated',), lambda: (linears(3, WIDTH), ROWS), {'delegate': False}, lambda: (linears(3, WIDTH), ROWS), {}),
    ('batch norms, CPU kernels: folded', ('batch_norm',), lambda: (Vision(8, 4, norm=True, kernel=1), IMAGE), {'delegate': False}, lambda: (folded(Vision(8, 4, norm=True, kernel=1)), IMAGE), {'delegate': False}),
    ('depthwise convolutions of 7 × 7: four of every second weight', ('split_depthwise',), lambda: (wide(False), CHANNELS), {}, lambda: (wide(True), CHANNELS), {}),
    ('BERT of transformers: `attn_implementation="eager"`', ('softmax_check',), lambda: (bert(), WORDS), {}, lambda: (bert('eager'), WORDS), {}),
    ("CLIP's text encoder: the same", ('softmax_check',), lambda: (clip(), WORDS), {}, lambda: (clip('eager'), WORDS), {}),
    ("CLIP's text encoder, eager: no expands of `matmul`, by a pass", ('copies',), lambda: (clip('eager'), WORDS), {}, lambda: (clip('eager'), WORDS), {'change': drop_expands}),
    ('ViT of timm: `set_fused_attn(False)`', ('softmax_check',), lambda: (timm_model('vit_tiny_patch16_224', img_size=96), SMALL_IMAGE), {},
     lambda: (timm_model('vit_tiny_patch16_224', img_size=96, is_fused=False), SMALL_IMAGE), {}),
    ('ViT of timm in int8', ('quantize',), lambda: (timm_model('vit_tiny_patch16_224', img_size=96), SMALL_IMAGE), {},
     lambda: (timm_model('vit_tiny_patch16_224', img_size=96), SMALL_IMAGE), {'scheme': 'int8 dynamic'}),
    ('MobileOne of timm: `reparameterize_model`', ('branches',), lambda: (timm_model('mobileone_s1'), (torch.randn(1, 3, 224, 224),)), {},
     lambda: (reparameterized(timm_model('mobileone_s1')), (torch.randn(1, 3, 224, 224),)), {}),
    ('LeViT of timm: `constant_prop_pass`', ('constants',), lambda: (timm_model('levit_128s'), (torch.randn(1, 3, 224, 224),)), {},
     lambda: (timm_model('levit_128s'), (torch.randn(1, 3, 224, 224),)), {'change': fold}),
    ('ResNet-18 of torchvision in int8', ('quantize',), lambda: (torchvision_model('resnet18'), SMALL_IMAGE), {}, lambda: (torchvision_model('resnet18'), SMALL_IMAGE), {'scheme': 'int8'}),
    ('SqueezeNet of torchvision, CPU kernels: XNNPACK', ('not_delegated',), lambda: (torchvision_model('squeezenet1_1'), SMALL_IMAGE), {'delegate': False},
     lambda: (torchvision_model('squeezenet1_1'), SMALL_IMAGE), {}),
]


# ---- What was promised, and what was saved ----


def summary_of(tool, folder):
    done = subprocess.run([tool, 'summary', folder, '--format', 'json', '--findings', '0'], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)['methods'][0]


def line_of(tool, folder, name, kinds, after):
    before, now = summary_of(tool, folder), summary_of(tool, after)
    found = [finding for finding in before['findings'] if finding['kind'] in kinds]
    whole, saved = before['execute']['typical'], before['execute']['typical'] - now['execute']['typical']
    saves = found[0]['saves'] if found else {'low': None, 'high': None}
    low, high = saves['low'], saves['high']
    is_kept = low is not None and high <= 3 * low * (1 + 1e-9) and low / 1.5 <= saved <= high * 1.5
    is_counted = abs(saved) >= 0.1 * whole
    others = [f'{f["kind"]} {f["saves"]["low"]} {f["saves"]["high"]}' for f in before['findings'] if not f['saves']['once']]
    return name, found[0]['kind'] if found else None, whole, low, high, saved, is_kept, is_counted, others


def digits(value):
    if value is None:
        return '–'
    return f'{value:.{max(0, 2 - math.floor(math.log10(abs(value) or 1)) - (0 if abs(value) >= 1 else 1))}f}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tool')
    parser.add_argument('--rounds', type=int, default=11)
    parser.add_argument('--only', default='')
    parser.add_argument('--keep')
    given = parser.parse_args()
    try:
        import executorch.extension.llm.custom_ops.custom_ops  # noqa: F401 registers llama.custom_sdpa and llama.update_cache
    except ImportError:
        print('without custom operators', file=sys.stderr)
    kept = counted = 0
    print(f'ExecuTorch {in_turns.version()}, {in_turns.processor()}, one thread; the machine was busy with {in_turns.load():.1f} other programs.\n')
    print('| repair | finding | before, ms | promised | saved | kept |\n|---|---|---:|---:|---:|---|')
    with tempfile.TemporaryDirectory() as scratch:
        for name, kinds, before, how_before, after, how_after in REPAIRS:
            if given.only not in name:
                continue
            root = os.path.join(given.keep or scratch, ''.join(c if c.isalnum() else '_' for c in name))
            folders = {}
            try:
                for side, make, how in (('before', before, how_before), ('after', after, how_after)):
                    folder = os.path.join(root, side)
                    torch.manual_seed(0)
                    model, inputs = make()
                    folders[folder] = in_turns.export(folder, model, inputs, **how)
            except Exception as error:  # a model that this version of ExecuTorch does not export
                print(f'{name}: {" ".join(str(error).split())[:200]}', file=sys.stderr)
                continue
            in_turns.measure(folders, given.rounds)
            first, second = folders
            name, kind, whole, low, high, saved, is_kept, is_counted, others = line_of(given.tool, first, name, kinds, second)
            kept, counted = kept + (is_kept and is_counted), counted + is_counted
            promised = f'up to {digits(high)}' if low is None and high else f'{digits(low)} – {digits(high)}' if high and high > low * 1.05 else digits(high)
            print(f'| {name} | `{kind}` | {digits(whole)} | {promised} | {digits(saved)} | {"yes" if is_kept else "no"}{"" if is_counted else " (below a tenth)"} |', flush=True)
            if given.keep:
                print('    ', others, file=sys.stderr, flush=True)
    print(f'\n{kept} of {counted} are kept: saved is between low / 1.5 and high × 1.5, and high at most 3 × low.')


if __name__ == '__main__':
    main()
