/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_times.h - the times of a graph's nodes, from the portions of its method. Layer 3.
 *
 * Each fills `times` and profile_method of a graph, and leaves the portions in the order of its nodes. False: out of
 * memory; or, of the program's graph, the join's budget is used up.
 */
#ifndef ETR_NODE_TIMES_H
#define ETR_NODE_TIMES_H

#include "balance/portions.h"

/** The Edge graph, whose nodes the portions are on: with each run's time, and with what carries fused nodes. */
bool etr_time_edge_graph(etr_time *time, etr_graph *graph);

/** The ATen graph, through aten_node; what has no ATen node has no place there. Puts the portions on its nodes: call it
 * once the Edge graph is timed. */
bool etr_time_aten_graph(etr_time *time, const etr_graph *edge, etr_graph *aten);

/** The program's graph that takes the place of an Edge graph, whose nodes the portions are on: with each run's time. */
bool etr_time_own_program(etr_time *time, etr_graph *out);

/** Makes the graph of the method's instructions and times it. Every portion is some instruction's, or some operator's
 * in a delegate: puts the portions on these nodes. */
bool etr_time_program_graph(etr_time *time, etr_graph *out);

#endif
