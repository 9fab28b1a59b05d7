/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segments.c - walks from each compared node back to the next ones.
 */
#include "accuracy/steps.h"

/* Edges that are followed for one graph, and nodes in all its segments. Operators that were not
 * compared and that many values depend on are in the segment of each of them; real graphs need a
 * few visits per node. */
enum { MOST_STEPS = 1 << 24, MOST_NODES = 1 << 22 };

/* A walk over a graph, from a compared value to the nearest compared values that it depends on. */
typedef struct segment_walk {
  const etr_graph *graph;
  const uint8_t *is_compared;
  uint32_t *seen_for; /* per node: 1 + the last value whose walk visited it */
  uint32_t *stack;
  etr_arena *arena;
  size_t steps_left, nodes_left;
  etr_vec(uint32_t) nodes, sources;
} segment_walk;

/* Adds a node that the value depends on: to the sources if it was compared, else to the segment and
 * to the stack (of *depth nodes) of nodes whose inputs are still to be visited. `value` is the node
 * that computes the value; seen_for has value + 1 of the last value that visited a node, as 0 is
 * none. A node that was visited for it before, and one that is no operator, is left out. When out
 * of memory, the arena has failed. */
static void add_node_to_segment(segment_walk *w, uint32_t node, uint32_t value, size_t *depth) {
  if (w->seen_for[node] == value + 1 || w->graph->nodes[node].kind != ETR_NODE_OP)
    return;
  w->seen_for[node] = value + 1;
  if (node != value && w->is_compared[node]) {
    uint32_t *source = etr_vec_push(w->arena, &w->sources);
    if (source)
      *source = node;
    return;
  }
  uint32_t *added = etr_vec_push(w->arena, &w->nodes);
  if (!added)
    return;
  *added = node;
  w->stack[(*depth)++] = node;
}

/* Finds the segment of a value: the operators between it and the nearest compared values that it
 * depends on, which are the sources. The operators are sorted by their number, the order of
 * execution. Returns false, without a segment, if all segments together took too many steps or
 * nodes. When out of memory, the arena has failed. */
static bool find_segment(segment_walk *w, etr_value_segment *out, uint32_t value) {
  size_t depth = 0;
  w->nodes.data = w->sources.data = NULL; /* the lists of the value before are kept */
  w->nodes.count = w->nodes.capacity = w->sources.count = w->sources.capacity = 0;
  add_node_to_segment(w, value, value, &depth);
  while (depth > 0) {
    const etr_node *node = &w->graph->nodes[w->stack[--depth]];
    if (!etr_spend(&w->steps_left, node->input_count + 1))
      return false;
    for (size_t i = 0; i < node->input_count; i++)
      add_node_to_segment(w, node->inputs[i].node, value, &depth);
  }
  if (!etr_spend(&w->nodes_left, w->nodes.count))
    return false;
  etr_sort(w->nodes.data, w->nodes.count, sizeof(uint32_t), etr_by_number);
  *out = (etr_value_segment){w->nodes.data, w->nodes.count, w->sources.data, w->sources.count};
  return true;
}

/* Nodes are numbered in the order of execution, by which segments are sorted. */
bool etr_segments_find(etr_value_segment **out, const etr_graph *graph, const uint8_t *is_compared,
                       etr_arena *arena) {
  etr_arena scratch = {0};
  segment_walk w = {
      .graph = graph,
      .is_compared = is_compared,
      .seen_for = etr_arena_alloc_array(&scratch, graph->node_count, sizeof(uint32_t)),
      .stack = etr_arena_alloc_array(&scratch, graph->node_count, sizeof(uint32_t)),
      .arena = arena,
      .steps_left = MOST_STEPS,
      .nodes_left = MOST_NODES};
  bool is_complete = true;
  *out = etr_arena_alloc_array(arena, graph->node_count, sizeof **out);
  if (!w.seen_for || !w.stack)
    etr_arena_fail(arena);
  for (uint32_t i = 0; i < graph->node_count && is_complete && !etr_arena_failed(arena); i++)
    if (is_compared[i])
      is_complete = find_segment(&w, &(*out)[i], i);
  etr_arena_clear(&scratch);
  return is_complete;
}
