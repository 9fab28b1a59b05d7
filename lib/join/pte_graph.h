/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_graph.h - builds the graph program/METHOD from the instructions of a .pte and the operators
 * in its delegates. Layer 3.
 */
#ifndef ETR_PTE_GRAPH_H
#define ETR_PTE_GRAPH_H

#include "join/program_graph.h"

/**
 * Builds the graph of a method as it runs: its inputs, its instructions in order, its output. A
 * delegate call is a node with a nested graph of the operators in its payload. Edges follow the
 * values that instructions read and write. With an Edge graph, the module of an instruction is that
 * of the Edge nodes that it runs, and edge_nodes lists their names. Call it after the rows of the
 * method's blocks have their nodes, because operators that rows name replace a payload that cannot
 * be read. Without an Edge graph, each delegate with operators is a separate module. The caller
 * fills module, method, entry and times. The nodes count against the budget of the profile. Returns
 * false when out of memory, or if the budget is spent.
 */
bool etr_pte_graph_build(etr_pte_graph *out, const etr_placement *placement, uint32_t method,
                         const etr_blocks *blocks, etr_arena *arena, etr_arena *scratch);

/**
 * For a method with a program and without an Edge graph, builds the program's graph as a
 * replacement and sets placement->program_graph, in the arena. Call it before rows get their nodes.
 * Returns false when out of memory, or if the budget is spent.
 */
bool etr_pte_graph_stand_in(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                            etr_arena *arena);

/** Sets macs of a method with a program and without an Edge graph, by the shapes in its program:
 * it is the upper bound where shapes are dynamic. It stays unknown if the program is too large for
 * what is left of the budget. Returns false when out of memory. */
bool etr_pte_count_macs(etr_method_inputs *method);

#endif
