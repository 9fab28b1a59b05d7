# SPDX-License-Identifier: BSD-3-Clause
"""Recordings of a program with two static methods of one structure, prefill and decode, of which only costs and times differ. Part of simulate.py.

The program is a decoder of four layers without delegates, written here. Some kernels work on the tokens, some on the whole cache, whose size is the same in both methods. A kernel takes a fixed time and
one for its bytes or multiplications.
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "corpus"))
import forge
import forge_pte

WIDTH, CONTEXT, LAYERS = 64, 128, 4
FIXED, PER_BYTE, PER_PRODUCT = 300.0, 0.25, 0.05  # ns
# Kernels of a layer: the operator, and its arguments by name.
LAYER = (
    ("aten::native_layer_norm", ("x", "y")),
    ("aten::mm", ("y", "weight", "query")),
    ("aten::mm", ("y", "weight", "key")),
    ("aten::mul", ("query", "key", "y")),
    ("aten::copy", ("cache", "cache", "copied")),
    ("aten::neg", ("copied", "other")),
    ("aten::mm", ("query", "weight", "y")),
    ("aten::add", ("x", "y", "z")),
    ("aten::gelu", ("z", "y")),
    ("aten::clone", ("copied", "other")),
    ("aten::mm", ("y", "weight", "x")),
)


def sizes_of(name, tokens):
    if name in ("cache", "copied", "other"):
        return [CONTEXT, WIDTH]
    return [WIDTH, WIDTH] if name == "weight" else [tokens, WIDTH]


def method(name, tokens):
    names = sorted({argument for _, arguments in LAYER for argument in arguments})
    operators = sorted({operator for operator, _ in LAYER})
    return {
        0: name,
        2: [forge_pte.tensor(sizes_of(argument, tokens), storage=1) for argument in names],
        3: forge_pte.Numbers([]),
        4: forge_pte.Numbers([names.index("x")]),
        5: [{2: [forge_pte.kernel(operators.index(operator), [names.index(argument) for argument in arguments]) for operator, arguments in LAYER * LAYERS]}],
        6: [{0: operator, 1: "out"} for operator in operators],
        8: forge_pte.LongNumbers([0, 1 << 20]),
    }


def program(tokens):
    return forge_pte.flatbuffer(b"ET12", {1: [method("prefill", tokens), method("decode", 1)], 3: []})


def usual(tokens):
    """ns of each kernel of a run."""
    found = []
    for operator, arguments in LAYER * LAYERS:
        elements = [np.prod(sizes_of(argument, tokens)) for argument in set(arguments)]
        products = tokens * WIDTH * WIDTH if operator == "aten::mm" else 0
        found.append(FIXED + PER_BYTE * 4 * sum(elements) + PER_PRODUCT * products)
    return np.array(found)


def dump(order, times):
    """An ETDump. order: the method of each run, or None for a load; times: of each inference, ns of its kernels."""
    runs, now, which = [], 1e9, 0
    for kind in order:
        if kind is None:
            runs.append(("Default", [("Program::load_method", -1, -1, int(now), int(now + 2e6))]))
            now += 3e6
            continue
        start, events = now, []
        for number, ((operator, _), time) in enumerate(zip(LAYER * LAYERS, times[which])):
            events.append(("native_call_%s.out" % operator.removeprefix("aten::"), 0, number, int(now), int(now + time)))
            now += time + 100
        runs.append(("Execute", [*events, ("Method::execute", -1, -1, int(start), int(now))]))
        now += 5000
        which += 1
    return forge.etdump(runs)


# ---- Noise: factors, runs x kernels ----


def calm(rng, runs, kernels):
    return np.exp(rng.normal(0, 0.04, (runs, kernels)))


def slow_clock(rng, runs, kernels):
    """A third of the runs at a third of the clock."""
    return calm(rng, runs, kernels) * np.where(rng.random((runs, 1)) < 0.3, rng.uniform(1.5, 4, (runs, 1)), 1)


def contention(rng, runs, kernels):
    """A neighbor that saturates memory in a third of the runs: each kernel has its own factor, the same in all of them."""
    factors = np.where(rng.random(kernels) < 0.5, rng.uniform(2, 8, kernels), rng.uniform(1, 1.5, kernels))
    return calm(rng, runs, kernels) * np.where(rng.random((runs, 1)) < 0.3, factors, 1)


def of_large(rng, runs, kernels):
    """The same, of the kernels that move most in a decode step: those on the cache."""
    factors = np.where(usual(1) > 5000, rng.uniform(2, 8), 1)
    return calm(rng, runs, kernels) * np.where(rng.random((runs, 1)) < 0.3, factors, 1)


def bursts(rng, runs, kernels):
    """Half of the runs are disturbed for a part of their time."""
    factors = calm(rng, runs, kernels)
    for run in np.nonzero(rng.random(runs) < 0.5)[0]:
        first = rng.integers(kernels)
        factors[run, first : first + rng.integers(3, kernels // 2)] *= rng.uniform(2, 10)
    return factors


NOISES = {"calm": calm, "slow clock": slow_clock, "contention": contention, "contention of large kernels": of_large, "bursts": bursts}

# ---- Orders of runs: None is a load ----

PREFILL, DECODE = "prefill", "decode"
ORDERS = {
    "prefill first": [None, PREFILL, None, *[DECODE] * 15, PREFILL, *[DECODE] * 15],
    "decode first": [None, DECODE, None, PREFILL, PREFILL, *[DECODE] * 27],
    "half and half": [None, None, *[PREFILL, DECODE] * 15],
    "decode alone": [None, *[DECODE] * 30],
    "prefill alone": [None, *[PREFILL] * 30],
}


def draw(rng, tokens, noise, order):
    """The bytes of a recording."""
    kinds = [kind for kind in order if kind]
    times = np.array([usual(tokens if kind == PREFILL else 1) for kind in kinds]) * NOISES[noise](rng, len(kinds), len(LAYER) * LAYERS)
    behind = [i for i, kind in enumerate(order) if kind and order[i - 1] is None]
    for i in behind:  # caches are cold
        times[sum(kind is not None for kind in order[:i])] *= rng.uniform(1.5, 3)
    return dump(order, times)


def judge(blocks, order):
    """Of all inferences, the shares on a wrong method and on none."""
    found = {run: block["method"] for block in blocks for run in block["runs"]}
    inferences = [(found.get(run), kind) for run, kind in enumerate(order) if kind]
    wrong = sum(method is not None and method != kind for method, kind in inferences)
    return wrong / len(inferences), sum(method is None for method, _ in inferences) / len(inferences)
