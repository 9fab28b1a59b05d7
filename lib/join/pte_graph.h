/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_graph.h - program/METHOD: a method of the .pte as a graph of its instructions. Layer 3.
 */
#ifndef ETR_PTE_GRAPH_H
#define ETR_PTE_GRAPH_H

#include "join/join.h"

/** Where the operators of a delegate's payload stand in the graph: side by side, in their order. */
typedef struct etr_own_nodes {
  int32_t instruction_id;
  uint32_t first, count;
} etr_own_nodes;

/** The graph, and where each instruction and each operator of a delegate stands in it. */
struct etr_pte_graph {
  etr_graph graph;
  etr_map nodes;
  etr_vec(etr_own_nodes) own;    /* by instruction */
  etr_vec(int32_t) instructions; /* of each node; -1: it is none's */
};

/**
 * Builds the graph of a method as it runs: its inputs, its instructions in order, its output. A delegate call is a node
 * with a nested graph of the operators in its payload (pte_delegate.h). Values say which instruction feeds which.
 * With an Edge graph, modules are those of the Edge nodes that an instruction stands for, and edge_nodes names these:
 * call it when the rows of the method's blocks have their nodes, so that the operators which they name take the place
 * of a payload that cannot be read. Without one, each delegate with operators is a module of its own. Module, method,
 * entry and times are the caller's. Its nodes are taken from the join's budget. False: out of memory, or the budget is
 * used up.
 */
bool etr_pte_graph_build(etr_pte_graph *out, const etr_method_join *join, uint32_t method, const etr_blocks *blocks,
                         etr_arena *arena, etr_arena *scratch);

/** Node of an instruction (delegate_id NULL), or of an operator that only its event names; ETR_NONE if there is none.
 */
uint32_t etr_pte_graph_node(const etr_pte_graph *graph, int32_t instruction_id, const char *delegate_id);

/** Node of an operator of a delegate's payload, by its place there; ETR_NONE if there is none. */
uint32_t etr_pte_graph_operator(const etr_pte_graph *graph, int32_t instruction_id, uint32_t operator_);

/** Whether the inside of the delegate that an instruction calls is shown: operators of its payload. */
bool etr_pte_graph_is_open(const etr_pte_graph *graph, int32_t instruction_id);

#endif
