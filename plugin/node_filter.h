/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_filter.h - which graphs and nodes a table shows. Layer 4.
 */
#ifndef ETR_NODE_FILTER_H
#define ETR_NODE_FILTER_H

#include "etrecord_tb.h"

/** True if the graph may have nodes to show. filter may be NULL. */
bool etr_filter_takes_graph(const etr_node_filter *filter, const etr_graph *graph);

/** True if the node, by its index, is to be shown. */
bool etr_filter_takes_node(const etr_node_filter *filter, const etr_graph *graph, size_t node);

/** '*' stands for any text, '?' for one character. */
bool etr_glob(const char *pattern, const char *text);

#endif
