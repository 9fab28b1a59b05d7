/* SPDX-License-Identifier: BSD-3-Clause
 *
 * carriers.c - fused nodes.
 */
#include "balance/carriers.h"

#include "backends/backends.h"

typedef struct finder {
  const etr_placement *placement;
  etr_node_time *times;
  uint64_t *left_over; /* per instruction: classes of its events that have no node, a bit each */
  bool *has_operator;  /* per node: its delegate's payload has an operator for it */
} finder;

/* ---- What shows a fusion ---- */

static uint64_t bit_of(uint16_t class_) { return class_ && class_ < ETR_MOST_CLASSES ? (uint64_t)1 << class_ : 0; }

static void note_events(const finder *f, const etr_block *block) {
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *e = &block->events[i];
    if (!e->delegate_id || e->node_count) continue;
    const etr_placed *instruction = etr_placed_instruction(f->placement, e->instruction_id);
    const etr_backend *backend = instruction ? etr_backend_of(instruction->backend) : NULL;
    if (backend)
      f->left_over[instruction - f->placement->instructions.data] |= bit_of(backend->class_of_event(e->delegate_id));
  }
}

static void note_operators(const finder *f) {
  for (size_t i = 0; i < f->placement->instructions.count; i++) {
    const etr_placed *instruction = &f->placement->instructions.data[i];
    for (size_t k = 0; instruction->payload && k < instruction->payload->count; k++)
      if (instruction->operator_nodes[k] != ETR_NONE) f->has_operator[instruction->operator_nodes[k]] = true;
  }
}

static bool is_fused(const finder *f, uint32_t node) {
  const etr_placed *instruction = etr_placed_instruction(f->placement, f->placement->node_delegate[node]);
  const etr_backend *backend = instruction ? etr_backend_of(instruction->backend) : NULL;
  if (!instruction || f->has_operator[node]) return false;
  if (instruction->payload || !backend) return true;
  uint16_t class_ = backend->class_of_node(f->placement->method->graph, &f->placement->method->graph->nodes[node]);
  return !(f->left_over[instruction - f->placement->instructions.data] & bit_of(class_));
}

/* ---- What carries ---- */

static bool waits(const finder *f, uint32_t node) {
  return f->placement->node_delegate[node] >= 0 && f->times[node].runs == 0 && f->times[node].carried_by == ETR_NONE;
}

/* What carries `other`: itself if it was timed; ETR_NONE if it is in another delegate, or nothing is known. */
static uint32_t carrier_through(const finder *f, uint32_t node, uint32_t other) {
  if (f->placement->node_delegate[other] != f->placement->node_delegate[node]) return ETR_NONE;
  return f->times[other].runs ? other : f->times[other].carried_by;
}

static void find_carrier(const finder *f, uint32_t node, uint32_t other) {
  if (waits(f, node) && is_fused(f, node)) f->times[node].carried_by = carrier_through(f, node, other);
}

/* Producers stand before their users, so one pass forward follows every chain; one backward does the same for users. */
static void find_all(const finder *f, uint32_t *first_user) {
  const etr_graph *graph = f->placement->method->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    first_user[i] = ETR_NONE;
    for (size_t k = 0; k < node->input_count; k++) {
      uint32_t producer = node->inputs[k].node;
      if (producer < i && first_user[producer] == ETR_NONE) first_user[producer] = i;
    }
    if (node->input_count) find_carrier(f, i, node->inputs[0].node);
  }
  for (uint32_t i = (uint32_t)graph->node_count; i-- > 0;)
    if (first_user[i] != ETR_NONE) find_carrier(f, i, first_user[i]);
}

bool etr_find_carriers(const etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_node_time *times,
                       etr_arena *scratch) {
  finder f = {.placement = placement, .times = times};
  uint32_t *first_user = etr_arena_alloc_array(scratch, placement->method->graph->node_count, sizeof *first_user);
  f.left_over = etr_arena_alloc_array(scratch, placement->instructions.count, sizeof *f.left_over);
  f.has_operator = etr_arena_alloc_array(scratch, placement->method->graph->node_count, sizeof *f.has_operator);
  if (!first_user || !f.left_over || !f.has_operator) return false;
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++) note_events(&f, &blocks->blocks[mine[i]]);
  note_operators(&f);
  find_all(&f, first_user);
  return true;
}
