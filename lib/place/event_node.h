/* SPDX-License-Identifier: BSD-3-Clause
 *
 * event_node.h - giving an event its node. Layer 3.
 */
#ifndef ETR_EVENT_NODE_H
#define ETR_EVENT_NODE_H

#include "base/arena.h"

/** A node, and how it was found. */
typedef struct etr_event_node {
  uint32_t node;
  etr_match match;
  double confidence;
} etr_event_node;

/** Makes an event's time that of a node of a graph, and its handles the node's; those of a delegate map stay. False:
 * out of memory. */
bool etr_event_set_node(etr_event *event, const etr_graph *graph, etr_event_node found, etr_arena *arena);

#endif
