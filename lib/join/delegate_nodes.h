/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_nodes.h - which nodes each delegate holds. Layer 3.
 */
#ifndef ETR_DELEGATE_NODES_H
#define ETR_DELEGATE_NODES_H

#include "join.h"

/**
 * Fills a join's delegate_nodes and node_delegate: a node for each entry of the delegates' handle lists. A handle that only one delegate lists gives
 * it its nodes in the graph's order. Of one that several list (an LSTM is one ATen operator, its steps many nodes with one handle), a delegate gets
 * for each operator that it runs, as its payload or else its events tell, the next node of that kind and size.
 * taken: per node whether a kernel runs it; what delegates hold is added. False: out of memory.
 */
bool etr_find_delegate_nodes(etr_method_join *join, uint32_t method, const etr_blocks *blocks, bool *taken, etr_arena *arena, etr_arena *scratch);

#endif
