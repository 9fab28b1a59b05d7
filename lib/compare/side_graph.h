/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_graph.h - what a comparison needs of a method's graph, beyond times. Layer 3.
 */
#ifndef ETR_SIDE_GRAPH_H
#define ETR_SIDE_GRAPH_H

#include "base/arena.h"
#include "etrecord_compare.h"

/** Fills producers and weights of items, which are the graph's operators in its order. False: out of memory. */
bool etr_side_flow(etr_side_item *items, size_t count, const etr_graph *graph, etr_arena *arena, etr_arena *scratch);

/** Fills inputs, dtypes and weights of a method. False: out of memory. */
bool etr_side_facts(etr_side_method *out, const etr_graph *graph, etr_arena *arena, etr_arena *scratch);

#endif
