/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_filter.h - which graphs and nodes a table shows. Layer 4.
 */
#ifndef ETR_NODE_FILTER_H
#define ETR_NODE_FILTER_H

#include "plain_text.h"

/** True if the graph may have nodes to show. filter may be NULL. */
bool etr_filter_takes_graph(const etr_node_filter *filter, const etr_graph *graph);

/** True if the node, by its index, is to be shown. */
bool etr_filter_takes_node(const etr_node_filter *filter, const etr_graph *graph, size_t node);

/** True if it is asked for less than all nodes of a method. filter may be NULL. */
bool etr_filter_is_active(const etr_node_filter *filter);

/** True if the method is to be shown. filter may be NULL. */
bool etr_filter_takes_method(const etr_node_filter *filter, const etr_method *method);

/** True if the block's runs are of a method that is to be shown; loads are no method's. */
bool etr_filter_takes_block(const etr_node_filter *filter, const etr_profile *profile, const etr_block *block);

/** True if an event of a method is to be shown: by its node, or where it has none by its backend. */
bool etr_filter_takes_event(const etr_node_filter *filter, const etr_profile *profile, const etr_method *method, const etr_event *event);

/** What is asked for: "module features.1, operators aten.conv*, backend cpu". "" if all. NULL when out of memory. */
char *etr_filter_text(etr_arena *arena, const etr_node_filter *filter);

/** Says in text that less than all is shown: "only module features.1\n". Nothing if all is. */
void etr_put_filter(etr_writer *writer, etr_arena *arena, const etr_node_filter *filter);

/** '*' stands for any text, '?' for one character. */
bool etr_glob(const char *pattern, const char *text);

#endif
