# SPDX-License-Identifier: BSD-3-Clause
"""Calls etrecord_tb.record() with each kind of model, and with what must fail; run.py starts it in a folder with the Python that has ExecuTorch."""

import json
import os
import pathlib
import subprocess
import sys
import warnings

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools.etrecord import parse_etrecord
from executorch.exir import to_edge, to_edge_transform_and_lower
from executorch.exir.dialects._ops import ops
from executorch.exir.pass_base import ExportPass
from torchao.quantization import IntxWeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerAxis

import etrecord_tb
from etrecord_tb.reference import write_reference

SHORT = {"recordings": 1, "runs": 3, "progress": False}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)

    def forward(self, x):
        return torch.sigmoid(self.layer(x))


class Other(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x) + 1


class Cached(torch.nn.Module):
    """Writes a cache by an operator whose kernel is in a library of its own."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)
        self.register_buffer("cache", torch.zeros(1, 8, 4, 64))

    def forward(self, x):
        torch.ops.llama.update_cache(self.layer(x).view(1, 1, 4, 64), self.cache, 2)
        return torch.sigmoid(self.cache)


class Mixed(torch.nn.Module):
    """Takes a number besides its tensors, and no tensor of floats alone."""

    def forward(self, x, times, index):
        return x[index] * times


class Branching(torch.nn.Module):
    def forward(self, x):
        return x.nonzero() if x.sum() > 0 else x


class Indexing(torch.nn.Module):
    """Computes with integers what it indexes with, as transformers do for masks, and with floats."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)

    def forward(self, x):
        return self.layer(x)[torch.arange(4) + 0] * 0.5


class WithoutTanh(ExportPass):
    def call_operator(self, op, args, kwargs, meta):
        return args[0] if op == ops.edge.aten.tanh.default else super().call_operator(op, args, kwargs, meta)


class Resizing(torch.nn.Module):
    """Has an operator for which the wheels have no kernel."""

    def forward(self, x):
        return torch.nn.functional.interpolate(x, size=(5, 5), mode="bicubic", antialias=True)


# A model that returns types of its own, which only the process that records it registers.
TYPED = """
import collections, dataclasses, torch
from torch.utils import _pytree

@dataclasses.dataclass
class Answer:
    logits: torch.Tensor
    loss: torch.Tensor = None
    pair: tuple = None

Pair = collections.namedtuple("Pair", "first second")
torch.export.register_dataclass(Answer, serialized_type_name="typed_model.Answer")
_pytree._register_namedtuple(Pair, serialized_type_name="typed_model.Pair")

class Typed(torch.nn.Module):
    def forward(self, x):
        return Answer(torch.sigmoid(x), pair=Pair(x + 1, torch.tanh(x)))
"""


def check_unknown_types(environment, x):
    """The reference of a record with types that are not registered here is computed, and imports nothing for it."""
    pathlib.Path("typed_model.py").write_text(TYPED)
    script = "import torch, typed_model, etrecord_tb\netrecord_tb.record(typed_model.Typed(), (torch.ones(4, 64),), out='typed', recipe='portable', recordings=1, runs=3, debug_buffer=True, progress=False).close()"
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    write_reference(["typed"], "typed.safetensors")
    assert "typed_model" not in sys.modules
    with etrecord_tb.Profile("typed/values") as profile:
        outputs = [value for value in profile.accuracy("typed.safetensors").values if value.role == "output"]
        assert len(outputs) == 3 and all(not value.problem and (value.snr_db is None or value.snr_db > 100) for value in outputs), outputs
    sys.path.append(os.getcwd())
    import typed_model

    answer = parse_etrecord("typed/etrecord.bin").exported_program.module()(*x)
    assert type(answer) is typed_model.Answer and type(answer.pair) is typed_model.Pair, answer


def refused(kind, words, *arguments, **options):
    """Checks that record() raises an error whose message has the words, and returns it."""
    try:
        etrecord_tb.record(*arguments, **{**SHORT, **options})
    except kind as error:
        assert type(error) is kind and all(word in str(error) for word in words), (kind, words, error)
        return error
    raise AssertionError(f"{arguments} with {options} was not refused")


def failed(stage, words, *arguments, **options):
    error = refused(etrecord_tb.RecordError, words, *arguments, **options)
    assert error.stage == stage, (error.stage, stage, error)
    return error


def runs_of(name, *arguments, **options):
    """Records, and returns the number of runs by method."""
    with etrecord_tb.record(*arguments, out=name, **{**SHORT, **options}) as profile:
        assert not profile.info()["warnings"], profile.info()["warnings"]
        return {method.method: method.runs + method.skipped_runs for method in profile.summary()}


def main():
    warnings.simplefilter("error", etrecord_tb.EtrecordWarning)
    x = (torch.randn(4, 64),)
    exported = torch.export.export(Net().eval(), x)
    said = []
    assert runs_of("two_methods", {"a": Net(), "b": Other()}, {"a": x, "b": x}, debug_buffer=True, threads=1, progress=said.append) == {"a": 3, "b": 3}
    assert any("recording 1 of 1" in line for line in said) and any("values" in line for line in said), said
    with etrecord_tb.Profile("two_methods/values") as profile:
        assert {value.run for block in profile.events() for event in block.events for value in event.values}, "no values were logged"
    facts = json.loads(pathlib.Path("two_methods/record.json").read_text())
    assert facts["threads"] == 1 and facts["recipe"] == "xnnpack" and facts["methods"] == ["a", "b"] and facts["executorch"], facts

    # Methods of one structure: only record.json says which one ran.
    assert runs_of("alike", {"first": Net(), "second": Net()}, {"first": x, "second": x}, recipe="portable", progress=said.append) == {"first": 3, "second": 3}
    with etrecord_tb.Profile("alike") as profile:
        assert [method.method_rule for method in profile.summary()] == ["known by record.json"] * 2 and "--map" not in "".join(said), said
    assert runs_of("int8_default", Net(), x, recipe="xnnpack-int8", progress=said.append) == {"forward": 3}
    steps = ["calibrating on the example inputs", "quantizing: exporting", "torch.export", "lowering", "to_executorch", "saving"]
    assert [step for line in said for step in steps if step in line][-len(steps):] == steps, said
    assert json.loads(pathlib.Path("int8_default/record.json").read_text())["calibration"] == "example inputs"
    # Integers stay integers, and the number in float is quantized.
    assert runs_of("int8_index", Indexing(), x, recipe="xnnpack-int8") == {"forward": 3}
    script = {name: pathlib.Path(name, "record.py").read_text() for name in ("int8_default", "int8_index")}
    assert "_keep_integers(recipe" in script["int8_index"] and "_keep_integers" not in script["int8_default"]
    pathlib.Path("index_again").mkdir()
    by_hand = script["int8_index"].replace("model, inputs = ..., ...", "from cases import Indexing\nmodel, inputs = Indexing(), (torch.randn(4, 64),)")
    path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), os.fspath(pathlib.Path(__file__).parent)])
    subprocess.run([sys.executable, "-c", by_hand], check=True, cwd="index_again", env=dict(os.environ, PYTHONPATH=path), stderr=subprocess.DEVNULL)
    with etrecord_tb.Profile("int8_index") as profile, etrecord_tb.Profile("index_again") as again:
        targets = [[node.target for node in each.graphs()[0].nodes] for each in (profile, again)]
        assert targets[0] == targets[1], targets
    # Large depthwise convolutions stay as they are, by record.py, too.
    depthwise = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 7, padding=3, groups=8), torch.nn.Conv2d(8, 8, 5, padding=2, groups=8), torch.nn.Conv2d(8, 16, 1))
    assert runs_of("int8_depthwise", depthwise, (torch.randn(1, 8, 12, 12),), recipe="xnnpack-int8", progress=said.append) == {"forward": 3}
    assert any("depthwise convolutions larger than 3 x 3 stay in float32, which is faster: 1" in line for line in said), said
    assert "_is_quantized" not in script["int8_default"]
    pathlib.Path("depthwise_again").mkdir()
    by_hand = pathlib.Path("int8_depthwise/record.py").read_text().replace(
        "model, inputs = ..., ...", "from torch.nn import Conv2d\nmodel = torch.nn.Sequential(Conv2d(8, 8, 7, padding=3, groups=8), Conv2d(8, 8, 5, padding=2, groups=8), Conv2d(8, 16, 1)).eval()\ninputs = (torch.randn(1, 8, 12, 12),)"
    )
    subprocess.run([sys.executable, "-c", by_hand], check=True, cwd="depthwise_again", stderr=subprocess.DEVNULL)
    for made in ("int8_depthwise", "depthwise_again"):
        with etrecord_tb.Profile(made) as profile:
            graph = next(each for each in profile.graphs() if each.module == "edge")
            targets = {node.name: node.target for node in graph.nodes}
            fed = [targets[node.inputs[0]] for node in graph.nodes if node.target == "aten.convolution.default"]
            assert ["dequantize" in target for target in fed] == [False, True, True], fed
    # Groups of 32 do not divide the last layer's inputs, so it stays as it is.
    assert runs_of("int4", torch.nn.Sequential(Net(), torch.nn.Linear(64, 40), torch.nn.Linear(40, 8)), x, recipe="xnnpack-8da4w") == {"forward": 3}
    shared = Net()
    assert runs_of("int4_shared", {"first": shared, "second": shared}, {"first": x, "second": x}, recipe="xnnpack-8da4w") == {"first": 3, "second": 3}
    assert runs_of("mixed", Mixed(), (torch.randn(4, 8), 2, torch.tensor([1, 2])), recipe="portable") == {"forward": 3}
    assert runs_of("own", Net(), x, recipe="portable", partitioner=XnnpackPartitioner()) == {"forward": 3}
    with etrecord_tb.Profile("own") as profile, etrecord_tb.Profile("mixed") as other:
        assert profile.delegation()[0].delegated_nodes > 0 == other.delegation()[0].delegated_nodes
    assert runs_of("passes", Other(), x, transform_passes=[WithoutTanh()]) == {"forward": 3}
    with etrecord_tb.Profile("passes") as profile:
        of_program = {node.target for graph in profile.graphs() if graph.module == "edge" for node in graph.nodes}
        assert of_program and "aten.tanh.default" not in of_program, of_program
    assert runs_of("exported", exported) == {"forward": 3}
    assert runs_of("edge", to_edge(exported), x) == {"forward": 3}
    image = torch.randn(1, 3, 8, 6).to(memory_format=torch.channels_last)
    assert runs_of("channels_last", torch.nn.Conv2d(3, 4, 3), (image,)) == {"forward": 3}
    stored = etrecord_tb.recording.read_inputs("channels_last/inputs.safetensors")["forward"][0]
    assert torch.equal(stored, image) and stored.stride() == image.stride(), stored.stride()
    assert runs_of("program", to_edge_transform_and_lower(exported, generate_etrecord=True).to_executorch(), x) == {"forward": 3}
    assert runs_of("files", "own/model.pte", x, etrecord="own/etrecord.bin") == {"forward": 3}
    assert runs_of("files", "own/model.pte", x, etrecord="own/etrecord.bin", force=True) == {"forward": 3}

    failed("save", ["files", "force"], Net(), x, out="files")
    lookup = torch.nn.Sequential(torch.nn.Embedding(100, 32))
    quantize_(lookup, IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=PerAxis(0)), lambda module, name: isinstance(module, torch.nn.Embedding))
    failed("program", ["do_quant_fusion_and_const_prop"], lookup, (torch.tensor([[1, 5]]),), out="unfused")

    def interrupt(line):
        if wanted in line:
            raise KeyboardInterrupt

    for wanted in ("lowering", "recording"):
        try:
            etrecord_tb.record(Net(), x, out="interrupted", progress=interrupt)
        except KeyboardInterrupt:
            assert not pathlib.Path("interrupted").exists(), "a part of a record is left"
        else:
            raise AssertionError(f"{wanted} was not interrupted")
    failed("save", ["generate_etrecord=True"], to_edge_transform_and_lower(exported).to_executorch(), x, out="without")
    assert failed("export", ["torch.export"], Branching(), x, out="branching").__cause__ is not None
    failed("export", ["torch.export"], Branching(), x, out="branching_int8", recipe="xnnpack-int8")
    failed("quantize", ["module"], exported, out="exported_int8", recipe="xnnpack-int8")
    failed("export", ["torch.export.export(module, inputs)"], exported.module(), x, out="exported_module")
    pathlib.Path("damaged.pte").write_bytes(b"no program")
    failed("run", ["exit status"], "damaged.pte", x, etrecord="own/etrecord.bin", out="damaged")
    failed("run", ["Missing operator", "kernel", "bench"], Resizing(), (torch.randn(1, 3, 8, 8),), out="resizing")
    refused(ValueError, ["recipe", "portable"], Net(), x, out="other", recipe="xnnpackk")
    refused(ValueError, ["tuple"], Net(), x[0], out="other")
    refused(ValueError, ["'b'"], {"a": Net(), "b": Net()}, {"a": x}, out="other")
    refused(ValueError, ["etrecord="], "own/model.pte", x, out="other")
    refused(ValueError, ["runs"], Net(), x, out="other", runs=0)
    refused(ValueError, ["runner"], Net(), x, out="other", on="adb")

    # What record.py does by hand is the same record.
    pathlib.Path("by_factory.py").write_text("import torch\nfrom executorch.extension.llm.custom_ops import custom_ops\n\nfrom cases import Cached\n\n\ndef make():\n    return Cached(), (torch.randn(4, 64),)\n")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([os.environ.get("PYTHONPATH", ""), os.fspath(pathlib.Path(__file__).parent), os.getcwd()]))
    subprocess.run([sys.executable, "-m", "etrecord_tb", "record", "by_factory:make", "-o", "of_factory", "--repeat", "1", "--inferences", "3", "--debug-buffer"], check=True, env=environment, stderr=subprocess.DEVNULL)
    pathlib.Path("again").mkdir()
    subprocess.run([sys.executable, os.path.abspath("of_factory/record.py")], check=True, cwd="again", env=environment, stderr=subprocess.DEVNULL)
    with etrecord_tb.Profile("of_factory") as made, etrecord_tb.Profile("again") as again:
        assert [node.target for node in made.graphs()[0].nodes] == [node.target for node in again.graphs()[0].nodes]
        assert not made.info()["warnings"] and not again.info()["warnings"]
        assert made.summary()[0].runs + made.summary()[0].skipped_runs == again.summary()[0].runs + again.summary()[0].skipped_runs == 3
    with etrecord_tb.Profile("of_factory/values") as made, etrecord_tb.Profile("again/values") as again:
        assert [(value.node, value.shape) for value in made.values()] == [(value.node, value.shape) for value in again.values()] != []

    check_unknown_types(environment, x)

    # Each method of a program runs by itself on a device; `adb` is run.py's.
    assert runs_of("on_device", {"a": Net(), "b": Other()}, {"a": x, "b": x}, on="adb", runner="executor_runner", recordings=2) == {"a": 6, "b": 6}
    print("all cases passed")


if __name__ == "__main__":
    main()
