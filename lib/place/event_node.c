/* SPDX-License-Identifier: BSD-3-Clause
 *
 * event_node.c - giving an event its node.
 */
#include "place/event_node.h"

bool etr_event_set_node(etr_event *event, const etr_graph *graph, etr_event_node found, etr_arena *arena) {
  uint32_t *pair = etr_arena_alloc_array(arena, 2, sizeof *pair);
  if (!pair) return false;
  pair[0] = found.node;
  pair[1] = graph->nodes[found.node].debug_handle;
  event->nodes = pair;
  event->node_count = 1;
  event->match = found.match;
  event->confidence = found.confidence;
  if (found.match == ETR_MATCH_DELEGATE_MAP) return true;
  event->handles = &pair[1];
  event->handle_count = 1;
  return true;
}
