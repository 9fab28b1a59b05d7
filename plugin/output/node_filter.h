/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_filter.h - decides which methods, graphs, nodes and events an output shows. Layer 4.
 *
 * A filter may be NULL, which shows everything.
 */
#ifndef ETR_NODE_FILTER_H
#define ETR_NODE_FILTER_H

#include "etrecord_tb.h"
#include "output/plain_text.h"

/** Returns true if the graph may have nodes to show: it is of the method and the module of the
 * record ("edge", "aten", ...) that the filter names. */
bool etr_filter_takes_graph(const etr_node_filter *filter, const etr_graph *graph);

/** Returns true if the node with this index is to be shown: it matches whatever the filter names of
 * module, operator and backend. The backend "cpu" means kernels that ran. */
bool etr_filter_takes_node(const etr_node_filter *filter, const etr_graph *graph, size_t node);

/** Returns true if the filter selects a part of a method's nodes. */
bool etr_filter_is_active(const etr_node_filter *filter);

/** Returns true if the method is to be shown: the one that the filter names or, if it names none,
 * any that computes something. */
bool etr_filter_takes_method(const etr_node_filter *filter, const etr_method *method);

/** Returns true if the block has runs that count and belongs to a method to be shown. Loads belong
 * to no method. */
bool etr_filter_takes_block(const etr_node_filter *filter, const etr_profile *profile,
                            const etr_block *block);

/** Returns true if an event of a method is to be shown. Its node decides, or its backend if it has
 * no node; for the operator, its own name does, too: "Transpose (ND, X32) #2". */
bool etr_filter_takes_event(const etr_node_filter *filter, const etr_profile *profile,
                            const etr_method *method, const etr_event *event);

/** Returns a description of the filter: "module features.1, operators aten.conv*, backend cpu"; ""
 * if it shows everything; NULL when out of memory. */
char *etr_filter_text(etr_arena *arena, const etr_node_filter *filter);

/** Writes a description of the filter: "only module features.1\n"; nothing if the filter shows
 * everything. */
void etr_put_filter(etr_writer *writer, etr_arena *arena, const etr_node_filter *filter);

/** Returns true if the text matches the pattern: '*' matches any text, '?' one character. */
bool etr_glob(const char *pattern, const char *text);

#endif
