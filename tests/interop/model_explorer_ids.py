#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The ids that Model Explorer's adapters give to the nodes of some fixtures.

Needs 6 GB, so the tests read what it wrote: model_explorer_ids.py > model_explorer_ids.json, with
    pip install executorch==1.5.1 torchvision==0.29.2 executorch-extension-model-explorer==0.1.1 ai-edge-model-explorer==0.1.34
and model_explorer_ids.py --pte > model_explorer_pte_ids.json, without ExecuTorch, with
    pip install pte-adapter-model-explorer==0.2.0 ai-edge-model-explorer==0.1.34
"""

import contextlib
import importlib.metadata
import json
import pathlib
import sys
import tempfile

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
RECORDS = ("add_mul", "mv2_xnnpack", "multi_method", "control_flow", "extra_modules", "lowered_in_record")
PROGRAMS = (*RECORDS, "p_two_methods", "dynamic_xnnpack", "vulkan", "b_ethosu", "b_vgf", "b_qnn")
PTE_PACKAGES = ("pte-adapter-model-explorer", "ai-edge-model-explorer")
PACKAGES = ("executorch", "torch", "executorch-extension-model-explorer", "etrecord-adapter-model-explorer", "ai-edge-model-explorer")


def ids_of(collections):
    return {graph.id: sorted(node.id for node in graph.nodes) for collection in collections for graph in collection.graphs}


def etrecord_ids(path):
    from etrecord_adapter_model_explorer.main import ETRecordAdapter

    return ids_of(ETRecordAdapter().convert(str(path), {})["graphCollections"])


def pt2_ids(path):
    """Of the record's exported program, saved as a .pt2; torch.export cannot load Edge programs again."""
    import torch
    from executorch.devtools.etrecord import parse_etrecord
    from model_explorer.builtin_pytorch_exportedprogram_adapter import BuiltinPytorchExportedProgramAdapter

    program = parse_etrecord(str(path)).exported_program
    if program is None:
        return {}
    with tempfile.NamedTemporaryFile(suffix=".pt2") as file:
        torch.export.save(program, file.name)
        converted = BuiltinPytorchExportedProgramAdapter().convert(file.name, {"const_element_count_limit": 16})
    return {"aten/forward": sorted(node.id for graph in converted["graphs"] for node in graph.nodes)}


def pte_ids(path):
    from pte_adapter_model_explorer.main import PTEAdapter

    return ids_of(PTEAdapter().convert(str(path), {})["graphCollections"])


def main():
    with contextlib.redirect_stdout(sys.stderr):
        if sys.argv[1:] == ["--pte"]:
            records = {name: {"pte": pte_ids(FIXTURES / name / "model.pte")} for name in PROGRAMS if (FIXTURES / name / "model.pte").exists()}
        else:
            records = {name: {"etrecord": etrecord_ids(FIXTURES / name / "etrecord.bin"), "pt2": pt2_ids(FIXTURES / name / "etrecord.bin")} for name in RECORDS}
    versions = {package: importlib.metadata.version(package) for package in (PTE_PACKAGES if sys.argv[1:] == ["--pte"] else PACKAGES)}
    json.dump({"packages": versions, "records": records}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
