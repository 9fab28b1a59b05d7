/* SPDX-License-Identifier: BSD-3-Clause
 *
 * carriers.c - fused nodes.
 */
#include "carriers.h"

static bool waits(const etr_method_join *join, const etr_node_time *times, uint32_t node) {
  return join->node_delegate[node] >= 0 && times[node].runs == 0 && times[node].carried_by == ETR_NONE;
}

/* What carries `other`: itself if it was timed; ETR_NONE if it is in another delegate, or nothing is known. */
static uint32_t carrier_through(const etr_method_join *join, const etr_node_time *times, uint32_t node, uint32_t other) {
  if (join->node_delegate[other] != join->node_delegate[node]) return ETR_NONE;
  return times[other].runs ? other : times[other].carried_by;
}

bool etr_find_carriers(const etr_method_join *join, etr_node_time *times, etr_arena *scratch) {
  const etr_graph *graph = join->graph;
  uint32_t *first_user = etr_arena_alloc_array(scratch, graph->node_count, sizeof *first_user);
  if (!first_user) return false;
  /* Producers stand before their users, so one pass forward follows every chain; one backward does the same for users. */
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    first_user[i] = ETR_NONE;
    for (size_t k = 0; k < node->input_count; k++) {
      uint32_t producer = node->inputs[k].node;
      if (producer < i && first_user[producer] == ETR_NONE) first_user[producer] = i;
    }
    if (node->input_count && waits(join, times, i)) times[i].carried_by = carrier_through(join, times, i, node->inputs[0].node);
  }
  for (uint32_t i = (uint32_t)graph->node_count; i-- > 0;)
    if (first_user[i] != ETR_NONE && waits(join, times, i)) times[i].carried_by = carrier_through(join, times, i, first_user[i]);
  return true;
}
