#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exports the classifier, runs it, and leaves what etrecord-tb reads: export_model.py FOLDER ACTIVATION"""

import pathlib
import sys

import torch
from executorch.backends.xnnpack.recipes import XNNPackRecipeType
from executorch.export import ExportRecipe, export
from executorch.runtime import Runtime

import model

folder = pathlib.Path(sys.argv[1])
folder.mkdir(exist_ok=True)

torch.manual_seed(0)
classifier = model.Classifier(getattr(model, sys.argv[2])).eval()
image = (torch.randint(0, 256, (1, 3, 96, 96)) / 255.0,)

# The ETRecord remembers the graph: modules, source lines, debug handles.
session = export(classifier, [image], ExportRecipe.get_recipe(XNNPackRecipeType.FP32), generate_etrecord=True)
session.get_etrecord().save(str(folder / "etrecord.bin"))
session.save_to_pte(str(folder / "model.pte"))

# The ETDump remembers what ran, and how long it took.
program = Runtime.get().load_program(folder / "model.pte", enable_etdump=True)
forward = program.load_method("forward")
for _ in range(20):
    (scores,) = forward.execute(image)
program.write_etdump_result_to_file(str(folder / "etdump.etdp"), str(folder / "unused"))

torch.testing.assert_close(scores, classifier(*image), rtol=1e-4, atol=1e-5)
