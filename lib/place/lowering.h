/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lowering.h - the order in which a method's nodes run, from its Edge graph alone. Layer 3.
 *
 * Lowering takes one delegate after the other out of the graph and sorts the rest anew each time, so that nodes do not
 * run in the order in which the record has them. The steps are few, and are repeated here:
 *   - nodes are put into delegates as GroupBasedPartitioner does
 * (exir/backend/canonical_partitioners/group_partitioner.py);
 *   - delegates leave in the order in which it finds them, the one that ends last first (to_backend,
 * exir/backend/backend_api.py);
 *   - each time legalize_graph (torch/fx/passes/tools_common.py) sorts what is left: first in, first out, a node's
 * users in the order in which they became users. Other versions may do otherwise. The order is only believed where it
 * proves itself: each delegate's nodes have to have the handles that the record lists for it, in that order, and
 * kernels and calls have to follow each other as the method's instructions do.
 */
#ifndef ETR_LOWERING_H
#define ETR_LOWERING_H

#include "place/placement.h"

/** What is known of the order. */
typedef struct etr_lowering {
  bool is_needless;           /* the handle lists alone tell: nothing else is set */
  bool is_proven;             /* false: nothing else is set */
  const uint32_t *rank;       /* per node: place in the order of all; those of a delegate stand at its call's place */
  const int32_t *delegate_of; /* per node: instruction of the delegate that holds it, -1: none */
} etr_lowering;

/**
 * Finds the order. kernel_of: per node, whether an instruction is known to run it as a kernel. Taking out delegates
 * costs their number times the graph's size, as lowering itself does. Beyond a budget, which grows with the graph up to
 * a limit, nothing is proven: 1,000 delegates of 3,000 nodes, or 600 of 10,000, more than real models have. False: out
 * of memory.
 */
bool etr_lowering_find(etr_lowering *out, const etr_placement *placement, const bool *kernel_of, etr_arena *arena);

#endif
