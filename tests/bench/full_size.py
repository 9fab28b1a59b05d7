#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exports a model of real size with random weights, runs it, and leaves what etrecord-tb reads: full_size.py FOLDER MODEL.

mobilenet_v2, vit_b_16   torchvision's, for 224 x 224 pixels, delegated to XNNPACK
llama                    a Llama of 32 layers, width 256, 8 heads and 1024 words, on portable kernels

Needs executorch, torch and torchvision. ViT takes a minute or three, 2.3 GB of memory and 1 GB on disk.
"""

import os
import sys

import torch
from torch import nn

LAYERS, WIDTH, HEADS, WORDS, LENGTH = 32, 256, 8, 1024, 8


class Norm(nn.Module):
    """Root mean square normalization, spelled out as Llama's own code does."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x, turn, mask):
        query, key, value = (linear(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for linear in (self.wq, self.wk, self.wv))
        query, key = rotate(query, *turn), rotate(key, *turn)
        weights = torch.softmax(query @ key.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5 + mask, dim=-1)
        return self.wo((weights @ value).transpose(1, 2).flatten(-2))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w3 = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.w2 = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, x):
        return self.w2(nn.functional.silu(self.w1(x)) * self.w3(x))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.attention = Norm(), Attention()
        self.ffn_norm, self.feed_forward = Norm(), FeedForward()

    def forward(self, x, turn, mask):
        x = x + self.attention(self.attention_norm(x), turn, mask)
        return x + self.feed_forward(self.ffn_norm(x))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_embeddings = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.output = Norm(), nn.Linear(WIDTH, WORDS, bias=False)
        angles = torch.outer(torch.arange(LENGTH), 10000 ** -torch.linspace(0, 1, WIDTH // HEADS // 2 + 1)[:-1])
        self.register_buffer('cosine', angles.cos())
        self.register_buffer('sine', angles.sin())
        self.register_buffer('mask', torch.full((LENGTH, LENGTH), -1e9).triu(1))

    def forward(self, words):
        x = self.tok_embeddings(words)
        for layer in self.layers:
            x = layer(x, (self.cosine, self.sine), self.mask)
        return self.output(self.norm(x))


def rotate(x, cosine, sine):
    """Turns each pair of halves by its position's angle."""
    left, right = x.chunk(2, dim=-1)
    return torch.cat([left * cosine - right * sine, left * sine + right * cosine], dim=-1)


def xnnpack():
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner

    return [XnnpackPartitioner()]


def torchvision_model(name):
    import torchvision

    return torchvision.models.get_model(name, weights=None)


def make_model(name):
    """A model, its inputs, how often to run it, and what to delegate it to."""
    if name == 'llama':
        return Llama(), (torch.randint(WORDS, (1, LENGTH)),), 5, None
    return torchvision_model(name), (torch.randn(1, 3, 224, 224),), 10 if name == 'mobilenet_v2' else 3, xnnpack()


def main():
    from executorch.exir import to_edge_transform_and_lower
    from executorch.runtime import Runtime

    folder, name = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    record, pte, dump = (os.path.join(folder, file) for file in ('etrecord.bin', 'model.pte', 'etdump.etdp'))
    torch.manual_seed(0)
    model, inputs, runs, partitioner = make_model(name)
    lowered = to_edge_transform_and_lower(torch.export.export(model.eval(), inputs), partitioner=partitioner, generate_etrecord=True)
    program = lowered.to_executorch()
    program.get_etrecord().save(record)
    with open(pte, 'wb') as file:
        program.write_to_file(file)

    loaded = Runtime.get().load_program(pte, enable_etdump=True)
    forward = loaded.load_method('forward')
    for _ in range(runs):
        forward.execute(inputs)
    loaded.write_etdump_result_to_file(dump, os.devnull)  # the second: values of tensors, of which there are none


if __name__ == '__main__':
    main()
