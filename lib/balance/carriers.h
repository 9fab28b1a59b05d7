/* SPDX-License-Identifier: BSD-3-Clause
 *
 * carriers.h - which node carries the time of one that a delegate fused into it. Layer 3.
 */
#ifndef ETR_CARRIERS_H
#define ETR_CARRIERS_H

#include "base/arena.h"
#include "place/placement.h"

/* ---- Which node carries the time of one that a delegate fused into it ---- */

/**
 * Sets carried_by of each node that a delegate fused into another: the nearest timed node of the same delegate it takes
 * its first input from (batch norm, activation, quantize), or else the first that uses its result (dequantize). Only
 * where the fusion is shown: the delegate's payload has no operator for the node; or, without a payload, none of the
 * delegate's events is left that it could have run as. False: out of memory.
 */
bool etr_find_carriers(const etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_node_time *times,
                       etr_arena *scratch);

/* ---- From the nodes of an Edge graph to those of the ATen graph that they came from ---- */

/**
 * Fills aten_of, one entry for each Edge node: the ATen operator that its aten_node names, ETR_NONE where there is
 * none. Names are unique within a body alone: a node in the second body of a cond came from one in the second body of
 * the cond's own ATen node. What a delegate was lowered from is part of the graph that holds it. False: out of memory.
 */
bool etr_find_aten_nodes(uint32_t *aten_of, const etr_graph *edge, const etr_graph *aten, etr_arena *scratch);

#endif
