/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_graph.h - the graph program/METHOD, made from a .pte: its instructions, and the operators in its delegates.
 * Layer 3.
 */
#ifndef ETR_PTE_GRAPH_H
#define ETR_PTE_GRAPH_H

#include "program/program_graph.h"

/**
 * Builds the graph of a method as it runs: its inputs, its instructions in order, its output. A delegate call is a node
 * with a nested graph of the operators in its payload. Values say which instruction feeds which.
 * With an Edge graph, modules are those of the Edge nodes that an instruction stands for, and edge_nodes names these:
 * call it when the rows of the method's blocks have their nodes, so that the operators which they name take the place
 * of a payload that cannot be read. Without one, each delegate with operators is a module of its own. Module, method,
 * entry and times are the caller's. Its nodes are taken from the join's budget. False: out of memory, or the budget is
 * used up.
 */
bool etr_pte_graph_build(etr_pte_graph *out, const etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                         etr_arena *arena, etr_arena *scratch);

/**
 * Where a method has a program and no Edge graph, builds the program's graph to take its place:
 * placement->program_graph, in the arena. Call it before rows get their nodes. False: out of memory, or the budget is
 * used up.
 */
bool etr_pte_graph_stand_in(etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena);

#endif
