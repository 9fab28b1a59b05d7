/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attribute.h - the balance: where the time of a method went. Layer 3.
 *
 * Every tick of Method::execute goes to a node, a delegate, the framework, or is said to be unexplained. The sums hold
 * to the tick, over all runs.
 */
#ifndef ETR_ATTRIBUTE_H
#define ETR_ATTRIBUTE_H

#include "place/placement.h"

/** The graphs that get times; any may be NULL. */
typedef struct etr_method_graphs {
  etr_graph *edge, *aten;
  etr_graph *program; /* made here from the join's .pte method, unless the join has made it */
} etr_method_graphs;

/**
 * Fills the events of the method's blocks (event_nodes.h), the method's totals and portions, and the times of its
 * graphs (node_times.h). `out` has its name and blocks already; the placements have their nodes (place.h). What is
 * filled lives in the arena; what is odd becomes a warning. False: out of memory, or the join's budget is used up.
 */
bool etr_attribute(etr_method *out, const etr_method_graphs *graphs, const etr_placement *placement, uint32_t method,
                   const etr_blocks *blocks, etr_warnings *warnings);

#endif
