/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_nodes.h - which nodes each delegate holds. Layer 3.
 */
#ifndef ETR_DELEGATE_NODES_H
#define ETR_DELEGATE_NODES_H

#include "place/lowering.h"
#include "place/placement.h"

/**
 * Fills a join's delegate_nodes, node_delegate and is_ordered: a node for each entry of the delegates' handle lists.
 * Where the order of the lowering is proven, it tells. Else a handle that only one delegate lists gives it its nodes in
 * the graph's order; of one that several list (an LSTM is one ATen operator, its steps many nodes with one handle), a
 * delegate gets the nodes of its payload's operators, or for each operator that its events tell the next node of that
 * kind. taken: per node, whether a kernel or an operator of a payload runs it; what delegates hold is added. False: out
 * of memory.
 */
bool etr_find_delegate_nodes(etr_placement *placement, const etr_roles *roles, const etr_lowering *order,
                             uint32_t method, const etr_blocks *blocks, bool *taken, etr_arena *arena,
                             etr_arena *scratch);

#endif
