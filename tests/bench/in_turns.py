# SPDX-License-Identifier: BSD-3-Clause
"""Exports models with ExecuTorch and measures their programs in turns, so that other load of the machine meets all of them alike."""

import importlib.metadata
import math
import os
import platform
import time

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.extension.pybindings import portable_lib

LEAST_RUNS, MOST_RUNS = 5, 40  # of a program in a round: enough to be warm again, and not to keep the others waiting


def quantized(model, inputs, scheme):
    """Returns the model in int8 with static scales, calibrated on its inputs, or in int8 or 8da4w with scales of each run."""
    if scheme in ('8da4w', 'int8 dynamic'):
        from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
        from torchao.quantization.granularity import PerAxis, PerGroup

        kind, granularity = (torch.int4, PerGroup(32)) if scheme == '8da4w' else (torch.int8, PerAxis(0))
        quantize_(model, Int8DynamicActivationIntxWeightConfig(weight_dtype=kind, weight_granularity=granularity))
        return model
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)
    prepared(*inputs)
    return convert_pt2e(prepared)


def export(folder, model, inputs, *, scheme=None, delegate=True, change=None):
    """Writes a record without times to the folder: etrecord.bin and model.pte. change: what to do to the exported program before it is lowered."""
    os.makedirs(folder, exist_ok=True)
    model = model.eval().requires_grad_(False)
    if scheme == 'fp16':
        model, inputs = model.half(), tuple(x.half() if x.is_floating_point() else x for x in inputs)
    elif scheme:
        model = quantized(model, inputs, scheme)
    program = torch.export.export(model, inputs)
    program = change(program) if change else program
    partitioner = [XnnpackPartitioner()] if delegate else None
    lowered = to_edge_transform_and_lower(
        program, partitioner=partitioner, generate_etrecord=True, compile_config=EdgeCompileConfig(_check_ir_validity=False)
    ).to_executorch()
    lowered.get_etrecord().save(os.path.join(folder, 'etrecord.bin'))
    with open(os.path.join(folder, 'model.pte'), 'wb') as file:
        lowered.write_to_file(file)
    return tuple(x.clone() for x in inputs)


def measure(programs, rounds, threads=1, seconds=0.05):
    """Runs programs in turns, {folder: inputs}, for about so many seconds a round each, and leaves the ETDumps of the round that took least: other load only adds time."""
    portable_lib._unsafe_reset_threadpool(threads)
    least, runs = math.inf, {}
    for _ in range(rounds):
        took, loaded = 0, {folder: load_program(folder) for folder in programs}
        for folder, inputs in programs.items():
            if folder not in runs:
                runs[folder] = runs_in(loaded[folder], inputs, seconds)
            took += run_often(loaded[folder], inputs, runs[folder])
        if took < least:
            least = took
            for folder, module in loaded.items():
                module.write_etdump_result_to_file(os.path.join(folder, 'etdump.etdp'))


def load_program(folder):
    return portable_lib._load_for_executorch(os.path.join(folder, 'model.pte'), enable_etdump=True)


def run_often(module, inputs, runs):
    """Runs a program, and returns how many seconds it took."""
    before = time.perf_counter()
    for _ in range(runs):
        module.run_method('forward', inputs)
    return time.perf_counter() - before


def runs_in(module, inputs, seconds):
    """Warms a program up, and returns how often it runs in a time."""
    best = min(run_often(module, inputs, 1) for _ in range(LEAST_RUNS))
    return int(min(max(seconds / best, LEAST_RUNS), MOST_RUNS))


def processor():
    """Returns the processor's name, and those of its instructions that matter for float16 and int8."""
    flags, name = [], platform.processor() or platform.machine()
    if os.path.exists('/proc/cpuinfo'):
        lines = [line.partition(':') for line in open('/proc/cpuinfo', encoding='utf-8')]
        name = next((value.strip() for key, _, value in lines if key.strip() == 'model name'), name)
        found = next((value.split() for key, _, value in lines if key.strip() in ('flags', 'Features')), [])
        flags = [flag for flag in found if flag in ('avx2', 'avx512f', 'avx512_vnni', 'avx512_fp16', 'amx_int8', 'avx_vnni', 'asimdhp', 'asimddp', 'i8mm')]
    return f'{name}, {platform.machine()}' + (f' ({", ".join(flags)})' if flags else '')


def version():
    return importlib.metadata.version('executorch')


def load():
    """Returns what else the machine did in the last minute, in cores."""
    return os.getloadavg()[0]
