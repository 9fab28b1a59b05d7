/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attribute.h - the balance: where the time of a method went. Layer 3.
 */
#ifndef ETR_ATTRIBUTE_H
#define ETR_ATTRIBUTE_H

#include "blocks.h"
#include "join.h"

/** The graphs that get times; any may be NULL. */
typedef struct etr_method_graphs {
  etr_graph *edge, *aten;
  etr_graph *program; /* made here from the join's .pte method */
} etr_method_graphs;

/**
 * Fills match, handles, nodes and backend of every row of the method's blocks, the method's totals, and the times of
 * the nodes of its Edge graph, through aten_node of its ATen graph, and of the graph of its instructions, which it
 * makes. False: out of memory.
 */
bool etr_attribute(etr_method *out, const etr_method_graphs *graphs, const etr_method_join *join, uint32_t method,
                   const etr_blocks *blocks, etr_arena *arena, etr_warnings *warnings);

#endif
