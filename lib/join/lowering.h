/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lowering.h - derives the order in which a method's nodes run from its Edge graph alone. Layer 3.
 *
 * Lowering replaces one delegate after the other in the graph and sorts the rest again each time,
 * so nodes do not run in the order in which the record lists them. These steps are repeated here:
 *   - nodes are put into delegates as by GroupBasedPartitioner
 *     (exir/backend/canonical_partitioners/group_partitioner.py);
 *   - delegates are taken out in the order in which the partitioner finds them, the one that ends
 * last first (to_backend, exir/backend/backend_api.py);
 *   - each time legalize_graph (torch/fx/passes/tools_common.py) sorts the rest: first in, first
 * out, the users of a node in the order in which they became users. Other versions may differ, so
 * the order is used only if it is proven: the nodes of each delegate must have the handles that the
 * record lists for it, in that order, and kernels and calls must follow each other as the method's
 * instructions do.
 */
#ifndef ETR_LOWERING_H
#define ETR_LOWERING_H

#include "join/roles.h"

/** What is known of the order. */
typedef struct etr_lowering {
  bool is_proven; /* the order was proven; if false, no other member is set */
  const uint32_t *
      rank; /* per node: position in the order; nodes of a delegate have the position of its call */
  const int32_t *delegate_of; /* per node: instruction of the delegate that contains it; -1: none */
  const uint32_t *node_of; /* per instruction of the placement: node of the kernel; ETR_NONE: none,
                              or unknown */
  const bool *is_open; /* per instruction: it can also be another node, because some nodes have no
                          instruction */
} etr_lowering;

/**
 * Finds the order. A graph that was recorded after lowering has it: the modules of its delegates.
 * Taking out a delegate costs a
 * traversal of the graph, as in lowering itself. The work is limited by a budget, which grows with
 * the graph up to a maximum; beyond it nothing is proven, and a warning says so. The budget
 * suffices for 1,000 delegates of 3,000 nodes, or 600 of 10,000, which is more than real models
 * have. Returns false when out of memory.
 */
bool etr_lowering_find(etr_lowering *out, const etr_placement *placement, const etr_roles *roles,
                       etr_warnings *warnings, etr_arena *arena);

#endif
