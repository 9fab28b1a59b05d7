/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_nodes.h - which nodes each delegate holds. Layer 3.
 */
#ifndef ETR_DELEGATE_NODES_H
#define ETR_DELEGATE_NODES_H

#include "place/lowering.h"
#include "place/placement.h"

/**
 * Fills delegate_nodes, node_delegate and is_ordered of a placement. Where the order of the lowering is proven, it says
 * which nodes each delegate holds. Else each entry of the delegates' handle lists gets a node: one of the delegate's
 * payload, or the next of that handle in the graph's order. taken: per node, whether a kernel or an operator of a
 * payload runs it; what delegates hold is added. False: out of memory.
 */
bool etr_find_delegate_nodes(etr_placement *placement, const etr_roles *roles, const etr_lowering *order, bool *taken,
                             etr_arena *arena, etr_arena *scratch);

#endif
