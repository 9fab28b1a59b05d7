/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_filter.h - which methods, graphs, nodes and events an output shows. Layer 4.
 *
 * A filter may be NULL: everything is shown.
 */
#ifndef ETR_NODE_FILTER_H
#define ETR_NODE_FILTER_H

#include "output/plain_text.h"

/** True if the graph may have nodes to show. */
bool etr_filter_takes_graph(const etr_node_filter *filter, const etr_graph *graph);

/** True if the node with this index is to be shown. */
bool etr_filter_takes_node(const etr_node_filter *filter, const etr_graph *graph, size_t node);

/** True if the filter asks for a part of a method's nodes. */
bool etr_filter_is_active(const etr_node_filter *filter);

/** True if the method is to be shown. */
bool etr_filter_takes_method(const etr_node_filter *filter, const etr_method *method);

/** True if the block has runs that count and belongs to a method to be shown; loads belong to none. */
bool etr_filter_takes_block(const etr_node_filter *filter, const etr_profile *profile, const etr_block *block);

/** True if an event of a method is to be shown: by its node, or by its backend if it has none. */
bool etr_filter_takes_event(const etr_node_filter *filter, const etr_profile *profile, const etr_method *method,
                            const etr_event *event);

/** What the filter asks for: "module features.1, operators aten.conv*, backend cpu"; "" for everything. NULL when out
 * of memory. */
char *etr_filter_text(etr_arena *arena, const etr_node_filter *filter);

/** Writes what the filter asks for: "only module features.1\n"; nothing if that is everything. */
void etr_put_filter(etr_writer *writer, etr_arena *arena, const etr_node_filter *filter);

/** True if text matches: '*' stands for any text, '?' for one character. */
bool etr_glob(const char *pattern, const char *text);

#endif
