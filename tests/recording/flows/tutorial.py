# SPDX-License-Identifier: BSD-3-Clause
"""As tutorials begin with the Inspector: a table, the slowest operator with where it comes from, a module's total."""

import sys

from executorch.devtools import Inspector

inspector = Inspector(etdump_path=sys.argv[1], etrecord=sys.argv[2])
inspector.print_data_tabular()
for event_block in inspector.event_blocks:
    if event_block.name != "Execute":
        continue
    slowest = max((event for event in event_block.events if event.op_types), key=lambda event: event.perf_data.p50)
    print(slowest.name, slowest.op_types, slowest.debug_handles, slowest.delegate_backend_name, slowest.perf_data.p50)
    for node, trace in slowest.stack_traces.items():
        print(node, trace)
    for node, modules in slowest.module_hierarchy.items():
        print(node, modules)
    print([(event.name, event.perf_data.avg) for event in event_block.events if "aten.add.Tensor" in event.op_types])
print(inspector.find_total_for_module("L__self___no_such_module"))
