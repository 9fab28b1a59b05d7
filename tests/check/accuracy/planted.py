#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often does `accuracy` find an error that was planted? planted.py PROGRAM [MODEL...] [--out FOLDER]

It needs torch, executorch, timm, transformers and the package etrecord_tb (PYTHONPATH=web/python, LD_LIBRARY_PATH=build/dev/plugin), takes half an hour, and no test
runs it. The table in docs/accuracy.md is what it prints.

Each case exports a model twice, once right and once with one error, runs the wrong program, and asks for the three most suspicious values. A hit is a candidate
whose segment contains the planted operator: an operator of the layer whose weights are wrong, or the quantize node whose scale is wrong. Models have random weights
that are made like trained ones: channels of different gain, batch norms with the statistics of the data, a few channels that are much larger than the others.

int8 models: PT2E, 8-bit weights by channel, static 8-bit activations, XNNPACK. The reference is the float model, as for a user whose quantized model is bad.
8da4w models: 4-bit weights in groups of 32, dynamic 8-bit activations, two methods of one ETDump, XNNPACK. The reference is the float model, too.
"overflow" is an infinity in a float result. It stands for halves above 65504 that return to float, which cannot be planted: ExecuTorch 1.5 damages the ETDump of a
program in which a kernel or a delegate returns halves.
float models: the reference is the record's own program; only the program that runs has the error, as if the backend were wrong.
"""

import argparse
import contextlib
import copy
import io
import json
import logging
import math
import pathlib
import shutil
import subprocess
import time
import warnings

logging.disable(logging.WARNING)
warnings.filterwarnings("ignore")

import torch
from torch import nn
from torch.nn import functional

from executorch.extension.pybindings.portable_lib import _load_for_executorch
import executorch.kernels.quantized  # noqa: F401, registers kernels of quantize and dequantize

from etrecord_tb.reference import write_reference


# ---- Models ----


def settle(model, inputs, seed=7):
    """Makes random weights more like trained ones."""
    chance = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, (nn.Linear, nn.Conv2d)):
                gain = torch.exp(0.4 * torch.randn(part.weight.shape[0], generator=chance))
                part.weight.mul_(gain.reshape(-1, *[1] * (part.weight.dim() - 1)))
                if part.bias is not None:
                    part.bias.copy_(0.1 * torch.randn(part.bias.shape, generator=chance))
            elif isinstance(part, nn.LayerNorm) and part.elementwise_affine:
                part.weight.copy_(torch.exp(0.3 * torch.randn(part.weight.shape, generator=chance)))
                part.weight[torch.randint(part.weight.numel(), (2,), generator=chance)] *= 4
            elif isinstance(part, nn.BatchNorm2d):
                part.momentum = None  # the average of all batches
                part.reset_running_stats()
                part.weight.copy_(torch.exp(0.3 * torch.randn(part.weight.shape, generator=chance)))
                part.bias.copy_(0.3 * torch.randn(part.bias.shape, generator=chance))
        if any(isinstance(part, nn.BatchNorm2d) for part in model.modules()):
            model.train()
            for sample in inputs:
                model(torch.cat([sample[0]] * 2) + 0.1 * torch.randn(2, *sample[0].shape[1:], generator=chance))
    return model.eval().requires_grad_(False)


def images(count, size):
    return [(functional.interpolate(torch.randn(1, 3, size // 8, size // 8), size=(size, size), mode="bilinear") * (1 + 0.2 * i),) for i in range(count)]


def from_timm(name, size, **changes):
    import timm

    torch.manual_seed(1)
    model = timm.create_model(name, pretrained=False, num_classes=20, **changes)
    inputs = images(10, size)
    return settle(model, inputs), inputs, {"portable": True}


def bert():
    import transformers

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = transformers.BertModel(transformers.BertConfig(
                vocab_size=200, hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=96, max_position_embeddings=64,
                attn_implementation="eager"), add_pooling_layer=False)

        def forward(self, ids):
            return self.bert(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state

    torch.manual_seed(2)
    inputs = [(torch.randint(0, 200, (1, length)),) for length in (12, 9, 20, 16)]
    return settle(Encoder(), inputs), inputs, {"dynamic_shapes": {"ids": {1: torch.export.Dim("length", min=2, max=40)}}}


class CachedAttention(nn.Module):
    def __init__(self, width, heads, room):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.register_buffer("keys", torch.zeros(1, room, width), persistent=False)
        self.register_buffer("values", torch.zeros(1, room, width), persistent=False)

    def forward(self, x, position):
        self.keys[:, position] = self.k(x)
        self.values[:, position] = self.v(x)
        split = lambda t: t.view(1, -1, self.heads, self.size).transpose(1, 2)
        scores = split(self.q(x)) @ split(self.keys).transpose(-2, -1) * self.size**-0.5
        scores = scores + torch.where(torch.arange(self.keys.shape[1]) <= position, 0.0, -20.0)
        return self.o((torch.softmax(scores, -1) @ split(self.values)).transpose(1, 2).reshape(1, 1, -1))


class CachedLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = CachedAttention(width, 4, 8)
        self.up, self.gate, self.down = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x, position):
        x = x + self.attention(self.before(x), position)
        y = self.after(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class CachedDecoder(nn.Module):
    def __init__(self, width=48, layers=3, words=120):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(CachedLayer(width) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, token, position):
        x = self.embedding(token)
        for layer in self.layers:
            x = layer(x, position)
        return self.head(self.norm(x))


def decoder():
    torch.manual_seed(3)
    inputs = [(torch.tensor([[word]]), torch.tensor([index])) for index, word in enumerate((17, 4, 91, 50))]
    return settle(CachedDecoder(), inputs), inputs, {}


class MaskedAttention(nn.Module):
    """Attends to earlier words. What is masked is minus infinity in the scores, as in most models."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        split = lambda t: t.view(*t.shape[:2], self.heads, -1).transpose(1, 2)
        mask = torch.full((x.shape[1], x.shape[1]), -math.inf).triu(1)
        scores = split(self.q(x)) @ split(self.k(x)).transpose(-2, -1) * (x.shape[2] // self.heads)**-0.5 + mask
        return self.o((torch.softmax(scores, -1) @ split(self.v(x))).transpose(1, 2).flatten(2))


class MaskedLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before, self.after, self.drop = nn.LayerNorm(width), nn.LayerNorm(width), nn.Dropout(0.1)
        self.attention, self.up, self.down = MaskedAttention(width, 4), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.drop(self.down(functional.silu(self.up(self.after(x)))))


class MaskedDecoder(nn.Module):
    """Reads integers: words, and positions that it computes."""

    def __init__(self, width=64, layers=3, words=120):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(words, width), nn.Embedding(16, width)
        self.layers = nn.ModuleList(MaskedLayer(width) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, words):
        x = self.embedding(words) + self.positions(torch.arange(words.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def masked():
    torch.manual_seed(4)
    inputs = [(torch.randint(0, 120, (1, 8)),) for _ in range(2)]
    return settle(MaskedDecoder(), inputs), inputs, {"portable": True}


def two_methods():
    torch.manual_seed(5)
    inputs = {"prefill": (torch.randint(0, 120, (1, 8)),), "decode": (torch.randint(0, 120, (1, 2)),)}
    return settle(MaskedDecoder(), inputs), inputs, {"methods": ["prefill", "decode"]}


# Each model: what makes it, how it is quantized, and its errors: a layer, or for scales a fraction of the model's quantize nodes.
MODELS = {
    "decoder with KV cache, 4 tokens in turn, int8, XNNPACK": (decoder, "int8", [
        ("weights 3 bit", "layers.1.attention.v"), ("channel", "layers.0.down"), ("scaled", "layers.2.gate"), ("scale 16", 0.5), ("clipped", 0.25)]),
    "timm ViT of 3 layers, int8, portable kernels": (lambda: from_timm("vit_tiny_patch16_224", 64, img_size=64, embed_dim=48, depth=3, num_heads=4), "int8", [
        ("weights 3 bit", "blocks.1.attn.qkv"), ("channel", "blocks.2.mlp.fc1"), ("scaled", "blocks.0.attn.proj"), ("scale 16", 0.35), ("clipped", 0.8)]),
    "timm resnet10t, int8, portable kernels": (lambda: from_timm("resnet10t", 64), "int8", [
        ("weights 3 bit", "layer2.0.conv1"), ("channel", "layer3.0.conv2"), ("scaled", "layer4.0.conv1"), ("scale 16", 0.4), ("clipped", 0.75)]),
    "timm mobilenetv3_small_050, int8, portable kernels": (lambda: from_timm("mobilenetv3_small_050", 64), "int8", [
        ("weights 3 bit", "blocks.1.0.conv_pw"), ("channel", "blocks.3.1.conv_dw"), ("scale 16", 0.7)]),
    "decoder with KV cache, 4 tokens in turn, float, XNNPACK": (decoder, None, [
        ("weights 3 bit", "layers.0.attention.k"), ("scaled", "layers.1.up"), ("channel", "layers.2.attention.o"), ("bias lost", "layers.1.attention.q")]),
    "transformers BERT of 3 layers, dynamic length, float, XNNPACK": (bert, None, [
        ("weights 3 bit", "bert.encoder.layer.0.attention.self.value"), ("scaled", "bert.encoder.layer.1.intermediate.dense"),
        ("channel", "bert.encoder.layer.2.output.dense")]),
    "decoder with masks of -infinity and integers, float, portable kernels": (masked, None, [
        ("weights 3 bit", "layers.1.attention.k"), ("1e38", "layers.1.up"), ("1e38", "layers.0.attention.v"), ("overflow", "layers.1.attention.o"),
        ("overflow", "layers.2.up"), ("dropout", "layers.1.drop")]),
    "prefill and decode, 8da4w, XNNPACK": (two_methods, "8da4w", [
        ("group", "layers.0.attention.v"), ("group", "layers.1.up"), ("group", "layers.2.attention.o"), ("group", "layers.2.down")]),
}


# ---- Errors ----


def spoil_layer(model, kind, name):
    layer = model.get_submodule(name)
    with torch.no_grad():
        if kind == "weights 3 bit":
            step = layer.weight.abs().max() / 3
            layer.weight.copy_(torch.round(layer.weight / step) * step)
        elif kind == "scaled":
            layer.weight.mul_(1.25)
        elif kind == "channel":
            layer.weight[layer.weight.flatten(1).norm(dim=1).argsort()[len(layer.weight) // 2]] *= 3
        elif kind == "bias lost":
            layer.bias.zero_()
        elif kind == "1e38":
            layer.weight[1, 2] = 1e38
        elif kind == "overflow":
            layer.bias[3] = math.inf
        elif kind == "dropout":
            layer.train()
        elif kind == "group":
            layer.weight.scale[:, 0] *= 6  # of the first 32 weights of each row


def spoil_scale(converted, kind, fraction):
    """Changes the scale of one activation: its quantize node and the dequantize nodes behind it. Returns the new scale."""
    quantizers = [node for node in converted.graph.nodes if "quantize_per_tensor" in str(node.target) and "dequantize" not in str(node.target)]
    chosen = quantizers[int(fraction * len(quantizers))]
    scale = chosen.args[1] * (16 if kind == "scale 16" else 1 / 8)
    for node in (chosen, *chosen.users):
        node.args = (node.args[0], scale, *node.args[2:])
    converted.recompile()
    return scale


# ---- A case ----


def quantize(model, inputs):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    prepared = prepare_pt2e(torch.export.export(model, inputs[0]).module(), XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True)))
    for sample in inputs:
        prepared(*sample)
    return convert_pt2e(prepared)


def quantize_weights(model):
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
    from torchao.quantization.granularity import PerGroup

    quantize_(model, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32)))
    return model


def lower(model, inputs, further):
    """further: arguments of torch.export, "portable" for kernels on the CPU instead of XNNPACK, and "methods", of which `inputs` then has one sample each."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    if "methods" in further:
        program = {name: torch.export.export(model, sample) for name, sample in inputs.items()}
    else:
        program = torch.export.export(model, inputs[0], **{name: value for name, value in further.items() if name != "portable"})
    partitioner = None if "portable" in further else [XnnpackPartitioner()]
    return to_edge_transform_and_lower(program, partitioner=partitioner, generate_etrecord=True).to_executorch()


def save_record(lowered, folder, inputs):
    folder.mkdir(parents=True, exist_ok=True)
    record = lowered.get_etrecord()
    if not isinstance(inputs, dict):
        record.update_representative_inputs([list(sample) for sample in inputs])
    record.save(str(folder / "etrecord.bin"))


def run(lowered, folder, inputs, room):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.pte").write_bytes(lowered.buffer)
    program = _load_for_executorch(str(folder / "model.pte"), enable_etdump=True, debug_buffer_size=room)
    for name, sample in inputs.items() if isinstance(inputs, dict) else (("forward", sample) for sample in inputs):
        program.run_method(name, sample)
    program.write_etdump_result_to_file(str(folder / "etdump.etdp"), str(folder / "debug_buffer.bin"))


def ask(*arguments):
    return json.loads(subprocess.run([*map(str, arguments), "--format", "json"], capture_output=True, text=True, check=True).stdout)


def planted_nodes(program, record, where):
    """Names of the Edge nodes in which the error is. where: a layer, or a scale."""
    nodes = [node for graph in ask(program, "nodes", record, "--graph", "edge")["graphs"] for node in graph["nodes"] if node["kind"] == "op"]
    if isinstance(where, str):
        return {node["name"] for node in nodes if (node["module"] or "").endswith(where) and "quantize" not in node["target"]}
    return {node["name"] for node in nodes if ".quantize_per_tensor" in node["target"] and math.isclose(float(node["arguments"]["scale"]), where, rel_tol=1e-6)}


def rank_of(answer, truth):
    """Which candidate names the planted node, from 1; 0 if none of the three does."""
    for rank, index in enumerate(answer["candidates"], 1):
        if truth & set(answer["values"][index]["segment"]):
            return rank
    return 0


def first_of(inputs, further):
    """The inputs of the runs: those of kernels log much."""
    if "methods" in further:
        return inputs
    return inputs[:2] if "portable" in further else inputs[:4]


def runs_of(inputs):
    """The methods of the runs in the ETDump. Each method was loaded before, which is a block of its own."""
    return {2 * index + 1: name for index, name in enumerate(inputs)} if isinstance(inputs, dict) else {}


def record_case(folder, model, inputs, further, quantization, kind, where):
    """Leaves a record, a run of the wrong program and both references in the folder. Returns where the error is."""
    spoilt, logged = copy.deepcopy(model), first_of(inputs, further)
    if quantization == "8da4w":
        spoilt = quantize_weights(spoilt)
    if isinstance(where, str):
        spoil_layer(spoilt, kind, where)
    if quantization == "int8":
        spoilt = quantize(spoilt, inputs)
    if not isinstance(where, str):
        where = spoil_scale(spoilt, kind, where)
    lowered = lower(spoilt, inputs, further)
    run(lowered, folder, logged, 1 << (27 if "portable" in further else 23))  # kernels log dequantized weights, too
    device, of = str(folder), str(folder.parent / "float")
    if quantization or kind == "dropout":
        save_record(lowered, folder, logged)
    else:
        shutil.copy(f"{of}/etrecord.bin", folder)
    for local in (False, True):
        with contextlib.redirect_stderr(io.StringIO()):
            write_reference(
                [of if quantization else device], f"{folder}/{LOCAL[local]}", local=local, device=[device] if quantization and local else None,
                methods=runs_of(inputs) if local else None)
    return where


LOCAL = ("drop.safetensors", "local.safetensors")


def judge(program, folder, quantization, where, methods):
    further = [*(("--reference-record", folder.parent / "float") if quantization else ()), *(word for run, name in methods.items() for word in ("--map", f"{run}={name}"))]
    answers = [ask(program, "accuracy", folder, "--reference", folder / name, *further) for name in LOCAL]
    truth = planted_nodes(program, folder / "etrecord.bin", where)
    values = [value for value in answers[0]["values"] if value["run"] == answers[0]["values"][0]["run"] and value["problem"] is None]
    return {
        "truth": sorted(truth), "output_snr_db": answers[0]["output_snr_db"], "drop": rank_of(answers[0], truth), "local": rank_of(answers[1], truth),
        "named": [[answer["values"][index]["node"] for index in answer["candidates"]] for answer in answers],
        "values": len(values), "segment": sum(len(value["segment"]) for value in values) / max(len(values), 1),
    }


# ---- Together ----


def print_table(results):
    print("\n| model | values | operators in a segment | errors | drop: first, among three | local: first, among three |\n|---|---|---|---|---|---|")
    sums = []
    for name in dict.fromkeys(result["model"] for result in results):
        rows = [result for result in results if result["model"] == name]
        sums.append([len(rows)] + [sum(test(row[score]) for row in rows) for score in ("drop", "local") for test in (lambda rank: rank == 1, lambda rank: rank > 0)])
        segment = sum(row["segment"] for row in rows) / len(rows)
        print(f"| {name} | {rows[0]['values']} | {segment:.1f} | {sums[-1][0]} | {sums[-1][1]}, {sums[-1][2]} | {sums[-1][3]}, {sums[-1][4]} |")
    total = [sum(column) for column in zip(*sums)]
    print(f"| all | | | {total[0]} | {total[1]}, {total[2]} | {total[3]}, {total[4]} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("models", nargs="*", default=[])
    parser.add_argument("--out", default="planted", type=pathlib.Path, help="folder for the records; it is kept")
    parser.add_argument("--again", action="store_true", help="only ask again about the records that are there")
    wanted = parser.parse_args()
    results = []
    for name, (make, quantization, errors) in MODELS.items():
        if wanted.models and not any(word in name for word in wanted.models):
            continue
        folder = wanted.out / name.replace(",", "").replace(" ", "_")
        model, inputs, further = make()
        if not wanted.again:
            save_record(lower(model, inputs, further), folder / "float", first_of(inputs, further))
        for number, (kind, where) in enumerate(errors):
            start, place = time.monotonic(), folder / str(number) / "where.json"
            if not wanted.again:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(json.dumps(record_case(place.parent, model, inputs, further, quantization, kind, where)))
            elif not place.exists():
                continue
            where = json.loads(place.read_text())
            results.append({"model": name, "planted": kind, "where": where, **judge(wanted.program, place.parent, quantization, where, runs_of(inputs))})
            print(json.dumps({**results[-1], "seconds": round(time.monotonic() - start)}), flush=True)
    print_table(results)


if __name__ == "__main__":
    main()
