/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_nodes.c - dealing the nodes of a handle to the delegates that list it.
 */
#include "place/delegate_nodes.h"

typedef struct finder {
  etr_placement *placement;
  bool *taken;
  etr_arena *arena, *scratch;
  size_t *skip; /* of etr_method_next_free() */
} finder;

static bool keep_node(finder *f, int32_t instruction, uint32_t node) {
  etr_delegate_node *added = etr_vec_push(f->arena, &f->placement->delegate_nodes);
  if (!added) return false;
  *added = (etr_delegate_node){instruction, node};
  f->placement->node_delegate[node] = instruction;
  return true;
}

/* ---- By handle lists ---- */

/* An entry of a delegate's handle list; or a node of its payload's operators, by handle. */
typedef struct entry {
  uint32_t handle, place;
} entry;

typedef etr_vec(entry) entries;

static bool push(finder *f, entries *list, uint32_t handle, uint32_t place) {
  entry *added = etr_vec_push(f->scratch, list);
  if (added) *added = (entry){handle, place};
  return added != NULL;
}

static bool list_entries(finder *f, const etr_placed *delegate, entries *listed, entries *own) {
  const etr_node *nodes = f->placement->method->graph->nodes;
  for (uint32_t i = 0; i < delegate->map->handle_count; i++)
    if (!push(f, listed, delegate->map->handles[i], i)) return false;
  for (size_t i = 0; delegate->payload && i < delegate->payload->count; i++) {
    uint32_t node = delegate->operator_nodes[i];
    bool is_first = node != ETR_NONE && delegate->payload->operators[i].completes == ETR_NONE;
    if (is_first && !push(f, own, nodes[node].debug_handle, node)) return false;
  }
  etr_sort(listed->data, listed->count, sizeof *listed->data, etr_by_two_numbers);
  etr_sort(own->data, own->count, sizeof *own->data, etr_by_two_numbers);
  return true;
}

/* Of each handle the nodes of the payload's operators, then the next that are left in the graph's order; ETR_NONE where
 * none is. */
static bool deal(finder *f, const etr_placed *delegate, uint32_t *nodes) {
  entries listed = {0}, own = {0};
  if (!list_entries(f, delegate, &listed, &own)) return false;
  for (size_t i = 0, at = 0; i < listed.count; i++) {
    uint32_t handle = listed.data[i].handle, *node = &nodes[listed.data[i].place];
    while (at < own.count && own.data[at].handle < handle) at++;
    if (at < own.count && own.data[at].handle == handle)
      *node = own.data[at++].place;
    else
      *node = etr_method_next_free(f->placement->method, f->taken, f->skip, handle);
    if (*node != ETR_NONE) f->taken[*node] = true;
    if (listed.count > 1 && etr_method_shares_handle(f->placement->method, handle)) f->placement->is_ordered = false;
  }
  return true;
}

static bool deal_all(finder *f) {
  f->skip = etr_arena_alloc_array(f->scratch, f->placement->method->by_handle_count, sizeof *f->skip);
  for (size_t i = 0; f->skip && i < f->placement->instructions.count; i++) {
    const etr_placed *delegate = &f->placement->instructions.data[i];
    if (!delegate->is_delegate || !delegate->map || delegate->map->handle_count == 0) continue;
    uint32_t *nodes = etr_arena_alloc_array(f->scratch, delegate->map->handle_count, sizeof *nodes);
    if (!nodes || !deal(f, delegate, nodes)) return false;
    for (size_t k = 0; k < delegate->map->handle_count; k++)
      if (nodes[k] != ETR_NONE && !keep_node(f, delegate->id, nodes[k])) return false;
  }
  return f->skip != NULL;
}

/* ---- In the order of the lowering ---- */

typedef struct ranked_node {
  int32_t instruction;
  uint32_t rank, node;
} ranked_node;

static int by_rank(const void *a, const void *b) {
  const ranked_node *x = a, *y = b;
  if (x->instruction != y->instruction) return x->instruction < y->instruction ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool take_order(finder *f, const etr_lowering *order) {
  size_t node_count = f->placement->method->graph->node_count, count = 0;
  ranked_node *list = etr_arena_alloc_array(f->scratch, node_count, sizeof *list);
  if (!list) return false;
  for (uint32_t i = 0; i < node_count; i++)
    if (order->delegate_of[i] >= 0) list[count++] = (ranked_node){order->delegate_of[i], order->rank[i], i};
  etr_sort(list, count, sizeof *list, by_rank);
  for (size_t i = 0; i < count; i++)
    if (!keep_node(f, list[i].instruction, list[i].node)) return false;
  return true;
}

bool etr_find_delegate_nodes(etr_placement *placement, const etr_roles *roles, const etr_lowering *order, bool *taken,
                             etr_arena *arena, etr_arena *scratch) {
  finder f = {.placement = placement, .taken = taken, .arena = arena, .scratch = scratch};
  placement->is_ordered = true;
  if (order->is_proven) return take_order(&f, order);
  for (size_t i = 0; roles->is_consistent && i < placement->method->graph->node_count; i++)
    taken[i] |= !roles->is_delegated[i];
  return deal_all(&f);
}
