/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_graph.h - program/METHOD: a method of the .pte as a graph of its instructions. Layer 3.
 */
#ifndef ETR_PTE_GRAPH_H
#define ETR_PTE_GRAPH_H

#include "join/join.h"

/** The graph, and where each instruction and each operator of a delegate stands in it. */
typedef struct etr_pte_graph {
  etr_graph graph;
  etr_map nodes;
  etr_vec(int32_t) instructions; /* of each node; -1: it is none's */
} etr_pte_graph;

/**
 * Builds the graph of a method as it runs: its inputs, its instructions in order, its output. A delegate call is a node
 * with a nested graph of its own operators, linked in the order in which they run: those that its events name, or,
 * where nothing was timed, those of its payload. Values say which instruction feeds which. Modules are those of the
 * Edge nodes that an instruction stands for, and edge_nodes names these. Call it when the rows of the method's blocks
 * have their nodes. Module, method, entry and times are the caller's. Its nodes are taken from
 * the join's budget. False: out of memory, or the budget is used up.
 */
bool etr_pte_graph_build(etr_pte_graph *out, const etr_method_join *join, uint32_t method, const etr_blocks *blocks,
                         etr_arena *arena, etr_arena *scratch);

/** Node of an instruction (delegate_id NULL), or of one operator of a delegate; ETR_NONE if there is none. */
uint32_t etr_pte_graph_node(const etr_pte_graph *graph, int32_t instruction_id, const char *delegate_id);

#endif
