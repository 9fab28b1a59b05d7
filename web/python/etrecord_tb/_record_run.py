# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program and leaves its ETDump: one recording, in a process of its own. `etrecord_tb.recording` starts it with a description in JSON."""

from __future__ import annotations

import contextlib
import json

from executorch.extension.pybindings import portable_lib

from . import _record_inputs

with contextlib.suppress(ImportError, OSError, RuntimeError):  # what is quantized and not delegated needs its kernels
    import executorch.kernels.quantized  # noqa: F401


def load_custom_kernels(program: str) -> None:
    """Loads the kernels of llama::update_cache and others, which the wheel has in a library of its own, if the program calls one."""
    with open(program, "rb") as file:
        is_called = b"llama::" in file.read()
    if is_called:
        with contextlib.suppress(ImportError, OSError, RuntimeError):
            from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401


def main(text: str) -> int:
    spec = json.loads(text)
    if spec["threads"]:
        portable_lib._unsafe_reset_threadpool(spec["threads"])
    inputs = _record_inputs.read(spec["inputs"])
    load_custom_kernels(spec["program"])
    module = portable_lib._load_for_executorch(spec["program"], enable_etdump=True, debug_buffer_size=spec.get("debug_buffer_size", 0))
    for method, values in inputs.items():
        for _ in range(spec["runs"]):
            module.run_method(method, tuple(values))
    if spec.get("debug_buffer"):
        module.write_etdump_result_to_file(spec["etdump"], spec["debug_buffer"])
    else:
        module.write_etdump_result_to_file(spec["etdump"])
    print(json.dumps({"threads": portable_lib._threadpool_get_thread_count()}))
    return 0
