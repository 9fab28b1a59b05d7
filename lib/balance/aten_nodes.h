/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aten_nodes.h - from the nodes of an Edge graph to those of the ATen graph that they came from. Layer 3.
 */
#ifndef ETR_ATEN_NODES_H
#define ETR_ATEN_NODES_H

#include "base/arena.h"

/**
 * Fills aten_of, one entry for each Edge node: the ATen operator that its aten_node names, ETR_NONE where there is
 * none. Names are unique within a body alone: a node in the second body of a cond came from one in the second body of
 * the cond's own ATen node. What a delegate was lowered from is part of the graph that holds it. False: out of memory.
 */
bool etr_find_aten_nodes(uint32_t *aten_of, const etr_graph *edge, const etr_graph *aten, etr_arena *scratch);

#endif
