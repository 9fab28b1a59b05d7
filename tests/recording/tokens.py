# SPDX-License-Identifier: BSD-3-Clause
"""Does decode see what prefill wrote? Compares what the program of docs/language-models.md computes with the model; run.py starts it where the page's blocks ran."""

import torch
from decoder import make
from executorch.extension.pybindings.portable_lib import _load_program

torch.set_grad_enabled(False)
program = _load_program("shared/model.pte")
prefill, decode = program.load_method("prefill"), program.load_method("decode")
models, inputs = make()
model = models["decode"].eval()
found, wanted = prefill(inputs["prefill"])[0], model(*inputs["prefill"])
for position in range(64, 96):
    assert torch.allclose(found, wanted, atol=1e-4), position
    token = (wanted.argmax(-1), torch.tensor([position]))
    found, wanted = decode(token)[0], model(*token)
