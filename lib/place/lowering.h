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

#include "place/roles.h"

/** What is known of the order. */
typedef struct etr_lowering {
  bool is_proven;             /* false: nothing else is set */
  const uint32_t *rank;       /* per node: index in the order of all; those of a delegate are at its call's place */
  const int32_t *delegate_of; /* per node: instruction of the delegate that holds it, -1: none */
  const uint32_t *node_of;    /* per instruction of the placement: the node of a kernel; ETR_NONE */
  const bool *is_open;        /* per instruction: it can be another node, as some of them run as no instruction */
} etr_lowering;

/**
 * Finds the order. Taking out a delegate costs a walk through the graph, as lowering itself does. Beyond a budget,
 * which grows with the graph up to a limit, nothing is proven, and a warning says so: 1,000 delegates of 3,000 nodes,
 * or 600 of 10,000, more than real models have. False: out of memory.
 */
bool etr_lowering_find(etr_lowering *out, const etr_placement *placement, const etr_roles *roles,
                       etr_warnings *warnings, etr_arena *arena);

#endif
