# SPDX-License-Identifier: BSD-3-Clause
"""Makes the program and the ETRecord of a model with torch and ExecuTorch, and the lines of Python that do the same by hand."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import importlib.metadata
import inspect
import os
import pathlib
import platform
import shutil
from typing import Any, Callable

import torch
from executorch.devtools import generate_etrecord
from executorch.exir import EdgeProgramManager, ExecutorchProgramManager
from executorch.export import ExportRecipe, ExportSession, LoweringRecipe, QuantizationRecipe, StageType
from torch.export import ExportedProgram

from . import _record_inputs
from .recording import RecordError

with contextlib.suppress(ImportError, OSError, RuntimeError):  # registers the operators that the program calls where what is quantized is not delegated
    import executorch.kernels.quantized  # noqa: F401

# ExecuTorch's stages, as record() names them.
_STAGES = {
    StageType.SOURCE_TRANSFORM: "quantize", StageType.QUANTIZE: "quantize", StageType.TORCH_EXPORT: "export", StageType.TO_EDGE_TRANSFORM_AND_LOWER: "lower",
    StageType.TO_EXECUTORCH: "program",
}
_STEPS = {
    StageType.SOURCE_TRANSFORM: "quantizing the layers", StageType.QUANTIZE: "quantizing: exporting and calibrating", StageType.TORCH_EXPORT: "torch.export",
    StageType.TO_EDGE_TRANSFORM_AND_LOWER: "lowering to backends", StageType.TO_EXECUTORCH: "to_executorch: planning memory",
}
_ADVICE = {
    "export": "torch.export could not trace the model: try torch.export.export(model, inputs) alone, which says more, and whether the inputs fit",
    "quantize": "try recipe='xnnpack', and then a quantizer of your own with quantizer=",
    "lower": "try recipe='portable', to see whether the backend is at fault",
    "program": "try recipe='portable', or an ExportRecipe with another executorch_backend_config",
    "save": "see whether the disk is full",
    "unfused": "give an ExportRecipe whose executorch_backend_config is ExecutorchBackendConfig(do_quant_fusion_and_const_prop=True): docs/findings.md, embedding",
}
_TYPES = {"xnnpack": "FP32", "xnnpack-int8": "PT2E_INT8_STATIC_PER_CHANNEL", "xnnpack-8da4w": "TORCHAO_INT8_DYNAMIC_ACT_INT4_WEIGHT_PER_TENSOR"}


@dataclasses.dataclass
class Made:
    """What was exported, and how."""

    methods: list[str]
    recipe: str
    calibration: str | None  # what a static quantizer saw
    steps: list[str]  # the lines of Python that make etrecord.bin and model.pte by hand
    imports: list[str]
    by_method: bool  # the model is a dict by method
    kept: list[str] = dataclasses.field(default_factory=list)  # what _keep_integers() kept
    left: set[str] = dataclasses.field(default_factory=set)  # what _leave_large_filters() left

    @property
    def versions(self) -> dict[str, str | None]:
        versions: dict[str, str | None] = {"python": platform.python_version()}
        for name in ("executorch", "torch", "torchao", "etrecord-tb"):
            try:
                versions[name.replace("-", "_")] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                versions[name.replace("-", "_")] = None
        return versions

    def by_hand(self, named: str | None, recordings: int, runs: int, threads: int | None, buffer_size: int = 0, device: list[list[str]] | None = None) -> str:
        """Returns a script that does without etrecord_tb what was done.

        named: the MODULE:FACTORY that gave the model, if one did. buffer_size: of the debug buffer, in bytes; 0: no values were logged.
        device: the commands that ran the program on a device; None: it ran here.
        """
        module, _, factory = (named or "").rpartition(":")
        name = pathlib.Path(module).stem if module.endswith(".py") else module
        model = f"from {name} import {factory}\nmodel, inputs = {factory}()[:2]" if named else "model, inputs = ..., ...  # yours: what record() was called with"
        methods = "" if self.by_method else '\nmodel, inputs = {"forward": model}, {"forward": inputs}'
        imports = {"import executorch.kernels.quantized", "import subprocess", "import torch"} | set(self.imports) | (set() if device else {"import sys"}) | ({"import shutil"} if buffer_size else set())
        ran = _runs_on_device(device) if device else _runs_here(self.methods, recordings, runs, threads, buffer_size)
        return f'''# What etrecord_tb.record() did, by hand. Run it in an empty folder, with PYTHONPATH naming the folder of the model's module.
{chr(10).join(sorted(imports, key=lambda line: (line.startswith("from"), line)))}

{model}{methods}

{chr(10).join(self.steps)}
{ran}'''


def _runs_on_device(commands: list[list[str]]) -> str:
    """Returns the lines of record.py that ran the program on a device."""
    lines = "\n".join(f"    {command!r}," for command in commands)
    return f"""
# Each recording is a process of its own on the device. The runner fills the inputs.
for command in [
{lines}
]:
    subprocess.run(command, check=True)
"""


def _runs_here(methods: list[str], recordings: int, runs: int, threads: int | None, buffer_size: int) -> str:
    """Returns the lines of record.py that ran the program here."""
    reset = f"portable_lib._unsafe_reset_threadpool({threads})\n" if threads else ""
    values = f'''
# The values of one run are a record of their own, since logging takes time.
shutil.copytree(".", "values", ignore=shutil.ignore_patterns("values", "*.etdp"))
subprocess.run([sys.executable, "-c", RUN, "1", "{buffer_size}", "values/etdump.etdp", "values/debug_buffer.bin"], check=True)
''' if buffer_size else ""
    return f'''torch.save({{method: torch.utils._pytree.tree_leaves(inputs[method]) for method in {methods!r}}}, "inputs.pt")

# Each recording is a process of its own: a second one in this process would start warm, and its dump would lack the load.
RUN = """
import sys
import torch
from executorch.extension.pybindings import portable_lib
import executorch.kernels.quantized
if b"llama::" in open("model.pte", "rb").read():  # has the kernels of llama::update_cache and others
    from executorch.extension.llm.custom_ops import custom_ops
{reset}runs, buffer_size, *files = sys.argv[1:]
module = portable_lib._load_for_executorch("model.pte", enable_etdump=True, debug_buffer_size=int(buffer_size))
for method, values in torch.load("inputs.pt").items():
    for _ in range(int(runs)):
        module.run_method(method, tuple(values))
module.write_etdump_result_to_file(*files)
"""
for number in range(1, {recordings + 1}):
    subprocess.run([sys.executable, "-c", RUN, "{runs}", "0", f"etdump-{{number}}.etdp"], check=True)
{values}'''


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _has_groups(module: torch.nn.Module, name: str) -> bool:
    return isinstance(module, torch.nn.Linear) and module.in_features % 32 == 0


def _is_quantized(node: Any) -> bool:
    """Returns false for a depthwise convolution whose filter is larger than 3 x 3: with conversions around it, XNNPACK is slower in int8 than in float32."""
    if node.target != torch.ops.aten.conv2d.default or len(node.args) < 7:
        return True
    filters, groups = node.args[1].meta["val"].shape, node.args[6]
    return bool(groups == 1 or filters[1] > 1 or filters[2] * filters[3] <= 9)


def _leave_large_filters(quantizer: Any) -> set[str]:
    """Has XNNPACKQuantizer leave what _is_quantized() names. Returns the set of the nodes' names, once it has quantized."""
    left: set[str] = set()

    def is_quantized(node: Any) -> bool:
        if _is_quantized(node):
            return True
        left.add(node.name)
        return False

    quantizer.set_filter_function(is_quantized)
    return left


def _keep_integers(quantizer: Any) -> list[str]:
    """Has XNNPACKQuantizer leave what computes integers as it is; of its numbers it would make floats. Returns the list of what it left."""
    transform = quantizer.transform_for_annotation
    kept: list[str] = []

    def transform_floats(model: Any) -> Any:
        values = {node: node.meta.get("val") for node in model.graph.nodes}
        before = {node: node.args for node, value in values.items() if isinstance(value, torch.Tensor) and not value.is_floating_point()}
        model = transform(model)
        changed = [node for node, args in before.items() if node.args != args]
        for node in changed:
            node.args = before[node]
        if changed:
            model.graph.eliminate_dead_code()
            model.recompile()
            kept.extend(node.name for node in changed)
        return model

    quantizer.transform_for_annotation = transform_floats
    return kept


def _recipe_of(recipe: Any, partitioner: Any, quantizer: Any, transform_passes: Any, made: Made) -> Any:
    """Returns ExecuTorch's recipe, and adds the lines that make it to `made`."""
    made.imports += ["from executorch.export import ExportRecipe, ExportSession, LoweringRecipe, QuantizationRecipe"]
    if isinstance(recipe, ExportRecipe):
        chosen = copy.copy(recipe)
        made.recipe, made.steps = chosen.name or "ExportRecipe", ["recipe = ...  # the ExportRecipe that record() was given"]
    elif recipe == "portable":
        chosen = ExportRecipe(name="portable", lowering_recipe=LoweringRecipe())
        made.recipe, made.steps = "portable", ['recipe = ExportRecipe(name="portable", lowering_recipe=LoweringRecipe())']
    else:
        from executorch.backends.xnnpack.recipes import XNNPackRecipeType

        options = {"group_size": 32} if recipe == "xnnpack-8da4w" else {}
        chosen = ExportRecipe.get_recipe(XNNPackRecipeType[_TYPES[recipe]], **options)
        made.recipe = recipe
        made.imports += ["from executorch.backends.xnnpack.recipes import XNNPackRecipeType"]
        made.steps = [f"recipe = ExportRecipe.get_recipe(XNNPackRecipeType.{_TYPES[recipe]}{', group_size=32' if options else ''})"]
        if recipe == "xnnpack-int8":
            made.kept = _keep_integers(chosen.quantization_recipe.quantizers[0])
            made.left = _leave_large_filters(chosen.quantization_recipe.quantizers[0])
        if options:  # of other layers, ExecuTorch would fail
            chosen.quantization_recipe.ao_quantization_configs[0].filter_fn = _has_groups
            made.steps.append("recipe.quantization_recipe.ao_quantization_configs[0].filter_fn = lambda module, name: isinstance(module, torch.nn.Linear) and module.in_features % 32 == 0")
    if partitioner is not None:
        lowering = copy.copy(chosen.lowering_recipe) or LoweringRecipe()
        lowering.partitioners = _list(partitioner)
        chosen.lowering_recipe = lowering
        made.recipe += " with a partitioner of the caller"
        made.steps.append(f"recipe.lowering_recipe.partitioners = [...]  # yours: {', '.join(type(each).__name__ for each in lowering.partitioners)}")
    if transform_passes is not None:
        passes = _list(transform_passes)
        lowering = copy.copy(chosen.lowering_recipe) or LoweringRecipe()
        lowering.edge_transform_passes = [*(lowering.edge_transform_passes or []), lambda method, program: passes]
        chosen.lowering_recipe = lowering
        made.recipe += " with passes of the caller"
        made.steps.append(f"recipe.lowering_recipe.edge_transform_passes = [lambda method, program: [...]]  # yours: {', '.join(type(each).__name__ for each in passes)}")
    if quantizer is not None:
        chosen.quantization_recipe = QuantizationRecipe(quantizers=_list(quantizer))
        made.recipe += " with a quantizer of the caller"
        made.steps.append(f"recipe.quantization_recipe = QuantizationRecipe(quantizers=[...])  # yours: {', '.join(type(each).__name__ for each in _list(quantizer))}")
    return chosen


def _by_method(value: Any, methods: list[str]) -> dict[str, Any]:
    """Returns a dict by method of what may be given for the only one."""
    if isinstance(value, dict) and set(value) <= set(methods):
        return value
    return {methods[0]: value}


def _check_inputs(inputs: dict[str, Any], methods: list[str]) -> None:
    for method in methods:
        if not isinstance(inputs.get(method), tuple):
            wanted = "example_inputs must be the tuple of the model's inputs" if len(methods) == 1 else f"example_inputs must have a tuple of inputs for the method {method!r}"
            raise ValueError(f"{wanted}, not {type(inputs.get(method)).__name__}")


def _failed(stage: str, error: BaseException) -> RecordError:
    text = " ".join(str(error).split())[:600]
    is_unfused = "Missing out variants" in text and "quantize" in text
    return RecordError(stage, f"{type(error).__name__}: {text}; {_ADVICE['unfused' if is_unfused else stage]}")


def _export(model: dict[str, Any], inputs: dict[str, Any], recipe: Any, calibration: Any, dynamic_shapes: Any, made: Made, say: Callable[[str], None]) -> Any:
    """Runs ExecuTorch's pipeline and returns its ExecutorchProgramManager."""
    samples = {method: [inputs[method]] for method in made.methods}
    quantization = recipe.quantization_recipe
    is_static = bool(quantization and quantization.quantizers)
    if is_static and calibration is not None:
        given = _by_method(calibration, made.methods)
        samples = {method: [inputs[method], *given.get(method, [])] for method in made.methods}
        made.calibration = f"{max(map(len, given.values()))} samples"
    elif is_static:
        made.calibration = "example inputs"
        say("calibrating on the example inputs alone: give calibration=[...] for an accuracy that counts")
    is_exported = all(isinstance(each, ExportedProgram) for each in model.values())
    if is_exported and quantization:
        raise RecordError("quantize", "an ExportedProgram is not quantized: give the module, or quantize it first and use recipe='xnnpack'")
    if not is_exported:
        try:
            model = {method: each.eval() if isinstance(each, torch.nn.Module) else each for method, each in model.items()}
        except NotImplementedError as error:  # what convert_pt2e() made
            raise RecordError("export", "a module that was exported before has no eval(): give torch.export.export(module, inputs) and recipe='xnnpack'") from error
        made.steps.append("model = {method: each.eval() for method, each in model.items()}")
    if quantization and quantization.ao_quantization_configs and len(model) > 1:
        # ExecuTorch quantizes the layers of each method in place, also those that another method shares.
        model = {method: copy.deepcopy(each) for method, each in model.items()}
        made.imports.append("import copy")
        made.steps.append("model = {method: copy.deepcopy(each) for method, each in model.items()}")
    shapes = _by_method(dynamic_shapes, made.methods) if dynamic_shapes is not None else None
    made.steps.append("session = ExportSession(model, {method: [inputs[method]] for method in inputs}, recipe, generate_etrecord=True" + (", dynamic_shapes=...)" if shapes else ")"))
    made.steps += ["session.export()", "program = session.get_executorch_program_manager()"]
    say(f"exporting {', '.join(made.methods)} with the recipe {made.recipe}")
    session = ExportSession(model, samples, recipe, dynamic_shapes=shapes, generate_etrecord=True)
    _say_steps(session, recipe, say)
    try:
        session.export()
    except Exception as error:
        stages, done = session._pipeline_stages, session.get_stage_artifacts()
        failed = next((stage for stage in stages if stage not in done), stages[-1])
        stage = _STAGES.get(failed, "lower")
        if stage == "quantize" and failed == StageType.QUANTIZE and _cannot_export(model, inputs, shapes):
            stage = "export"  # which a static quantizer does first
        raise _failed(stage, error) from error
    if made.kept:
        made.imports.append("from typing import Any")
        made.steps[1:1] = ["", "", inspect.getsource(_keep_integers), "", "_keep_integers(recipe.quantization_recipe.quantizers[0])"]
    if made.left:
        made.imports.append("from typing import Any")
        made.steps[1:1] = ["", "", inspect.getsource(_is_quantized), "", "recipe.quantization_recipe.quantizers[0].set_filter_function(_is_quantized)"]
        say(f"depthwise convolutions larger than 3 x 3 stay in float32, which is faster: {len(made.left)}")
    return session.get_executorch_program_manager()


def _say_steps(session: Any, recipe: Any, say: Callable[[str], None]) -> None:
    """Has each stage of the session that does something said before it runs."""
    quantization = recipe.quantization_recipe
    does_nothing = {
        StageType.SOURCE_TRANSFORM: not (quantization and quantization.ao_quantization_configs), StageType.QUANTIZE: not (quantization and quantization.quantizers),
    }
    for kind, stage in session.get_all_registered_stages().items():
        if kind in _STEPS and not does_nothing.get(kind):

            def run(artifact: Any, run: Any = stage.run, step: str = _STEPS[kind]) -> None:
                say(step)
                run(artifact)

            stage.run = run


def _cannot_export(model: dict[str, Any], inputs: dict[str, Any], shapes: Any) -> bool:
    """Finds out whether it is the export that fails in the stage that also quantizes."""
    try:
        for method, each in model.items():
            torch.export.export(each, inputs[method], dynamic_shapes=(shapes or {}).get(method))
    except Exception:
        return True
    return False


def _program_of_edge(edge: Any, path: pathlib.Path, made: Made, say: Callable[[str], None]) -> Any:
    """Finishes an Edge program. Without its ETRecord, a copy is kept: to_executorch() changes the program itself."""
    made.imports.append("import copy")
    made.imports.append("from executorch.devtools import generate_etrecord")
    made.steps = ["edge = ...  # the EdgeProgramManager that record() was given"]
    say("making the program of an Edge program")
    try:
        if getattr(edge, "_etrecord", None) is not None:
            made.steps += ["program = edge.to_executorch()"]
            return edge.to_executorch()
        kept = copy.deepcopy(edge)
        program = edge.to_executorch()
    except Exception as error:
        raise _failed("program", error) from error
    made.steps += ["kept = copy.deepcopy(edge)  # to_executorch() changes the program itself", "program = edge.to_executorch()", 'generate_etrecord("etrecord.bin", kept, program)']
    generate_etrecord(os.fspath(path), kept, program)
    return program


def _save(program: Any, folder: pathlib.Path, etrecord: Any, inputs: dict[str, Any], made: Made) -> None:
    """Writes etrecord.bin and model.pte, unless they are there."""
    path = folder / "etrecord.bin"
    if etrecord is not None:
        shutil.copy(os.fsdecode(etrecord), path)
    elif not path.exists():
        if getattr(program, "_etrecord", None) is None:
            raise RecordError("save", "the program was made without an ETRecord: make it with generate_etrecord=True, or name its ETRecord with etrecord=")
        kept = program.get_etrecord()
        if "forward" in inputs and kept._representative_inputs is None:
            kept.update_representative_inputs(torch.utils._pytree.tree_leaves(inputs["forward"]))
            made.steps.append('if "forward" in inputs:  # for `etrecord-tb reference`, which computes what the values should be')
            made.steps.append('    program.get_etrecord().update_representative_inputs(torch.utils._pytree.tree_leaves(inputs["forward"]))')
        kept.save(os.fspath(path))
        made.steps.append('program.get_etrecord().save("etrecord.bin")')
    with open(folder / "model.pte", "wb") as file:
        program.write_to_file(file)
    made.steps += ['with open("model.pte", "wb") as file:', "    program.write_to_file(file)"]


def make(
    model: Any, example_inputs: Any, folder: pathlib.Path, *, recipe: Any, partitioner: Any, quantizer: Any, transform_passes: Any, calibration: Any, dynamic_shapes: Any,
    etrecord: Any, say: Callable[[str], None],
) -> Made:
    """Writes etrecord.bin, model.pte and inputs.safetensors into the folder. Raises RecordError and ValueError."""
    made = Made(["forward"], "none", None, [], [], isinstance(model, dict))
    program: Any = None
    is_path = isinstance(model, (str, bytes, os.PathLike))
    if isinstance(model, dict):
        made.methods = list(model)
        kinds = {isinstance(each, ExportedProgram) for each in model.values()}
        if not model or len(kinds) != 1 or not all(isinstance(each, (torch.nn.Module, ExportedProgram)) for each in model.values()):
            raise ValueError("a dict of methods must have modules, or exported programs, and no mixture of them")
    elif isinstance(model, EdgeProgramManager):
        made.methods = sorted(model.methods)
    elif isinstance(model, ExecutorchProgramManager):
        made.methods = sorted(model.methods)
    elif is_path:
        if etrecord is None:
            raise ValueError("a .pte needs etrecord=, the ETRecord that was made with it")
        made.methods = list(_by_method(example_inputs, list(example_inputs))) if isinstance(example_inputs, dict) else ["forward"]
    elif not isinstance(model, (torch.nn.Module, ExportedProgram)):
        raise ValueError(f"model must be a module, an exported program, a program manager, the path of a .pte, or a dict of methods, not {type(model).__name__}")
    own = model if isinstance(model, dict) else {"forward": model}
    inputs = _by_method(example_inputs, made.methods) if example_inputs is not None else {
        method: each.example_inputs[0] for method, each in own.items() if isinstance(each, ExportedProgram) and each.example_inputs}
    _check_inputs(inputs, made.methods)
    try:
        flat = {method: torch.utils._pytree.tree_leaves(inputs[method]) for method in made.methods}
        _record_inputs.write(folder / "inputs.safetensors", flat)
    except TypeError as error:
        raise ValueError(str(error)) from error
    if is_path:
        shutil.copy(os.fsdecode(model), folder / "model.pte")
        shutil.copy(os.fsdecode(etrecord), folder / "etrecord.bin")
        made.steps = ["# etrecord.bin and model.pte are copies of the files that record() was given"]
        return made
    if isinstance(model, EdgeProgramManager):
        program = _program_of_edge(model, folder / "etrecord.bin", made, say)
    elif isinstance(model, ExecutorchProgramManager):
        program, made.steps = model, ["program = ...  # the ExecutorchProgramManager that record() was given"]
    else:
        program = _export(own, inputs, _recipe_of(recipe, partitioner, quantizer, transform_passes, made), calibration, dynamic_shapes, made, say)
    say("saving the ETRecord and the program")
    try:
        _save(program, folder, etrecord, inputs, made)
    except RecordError:
        raise
    except Exception as error:
        raise _failed("save", error) from error
    return made
