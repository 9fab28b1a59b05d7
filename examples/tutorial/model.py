# SPDX-License-Identifier: BSD-3-Clause
"""A small image classifier, with an activation of one's choice."""

import torch
from torch import nn


def mish(x):
    """Mish as PyTorch has it: x * tanh(log(1 + exp(x)))."""
    return nn.functional.mish(x)


def mish_rewritten(x):
    """The same function, since tanh(log(1 + e)) = n / (n + 2) with n = e * (e + 2). Above 20 that is 1 in float32, and exp must not overflow."""
    e = torch.exp(torch.clamp(x, max=20.0))
    n = e * (e + 2.0)
    return x * (n / (n + 2.0))


class Block(nn.Module):
    def __init__(self, inputs, outputs, activation):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.activation = activation

    def forward(self, x):
        return self.activation(self.norm(self.conv(x)))


class Classifier(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.blocks = nn.Sequential(Block(3, 8, activation), Block(8, 16, activation), Block(16, 24, activation))
        self.head = nn.Linear(24, 10)

    def forward(self, image):
        return self.head(self.blocks(image).mean((2, 3)))
