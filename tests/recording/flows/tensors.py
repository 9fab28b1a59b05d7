# SPDX-License-Identifier: BSD-3-Clause
"""Logged tensors: shape, mean and largest element of each operator's results, and the outputs of the run."""

import sys

from executorch.devtools import Inspector

inspector = Inspector(etdump_path=sys.argv[1], etrecord=sys.argv[2], debug_buffer_path=sys.argv[3])


def say(name, value):
    if isinstance(value, (list, tuple)):
        for each in value:
            say(name, each)
    elif hasattr(value, "shape"):
        print(name, list(value.shape), str(value.dtype).split(".")[-1], f"{float((value * 1.0).mean()):.4f}", float(value.max()), int((value != 0).sum()))
    else:
        print(name, value)


for block in inspector.event_blocks:
    for event in block.events:
        if event.name != "OPERATOR_CALL":
            say(f"{event.name} {event.debug_handles} {event.num_outputs}", event.debug_data)
    say("output", block.run_output)
    say("reference", block.reference_output or [])
