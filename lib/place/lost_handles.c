/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lost_handles.c - the nodes of a delegate that lose their handle, in order.
 */
#include "place/lost_handles.h"

/* A node that loses its handle. */
typedef struct held_node {
  uint32_t rank, node;
} held_node;

struct etr_lost_handles {
  const etr_placement *placement;
  const etr_lowering *order;
  const etr_dealing *dealing;
  etr_arena *arena;
  const etr_placed *call; /* that is looked at */
  const etr_backend *backend;
  const etr_payload *payload;
  etr_vec(held_node) held; /* of the call, by rank */
  bool is_listed;          /* held is filled */
  bool *contested;         /* per node: it had a twin, be that taken by now */
  size_t budget;           /* steps left: calls may share lists of handles, and handles their nodes */
  bool is_cut;
};

enum { BUDGET = 1 << 22 };

etr_lost_handles *etr_lost_handles_new(const etr_placement *placement, const etr_lowering *order,
                                       const etr_dealing *dealing, etr_arena *arena) {
  etr_lost_handles *l = etr_arena_alloc(arena, sizeof *l);
  if (!l) return NULL;
  *l = (etr_lost_handles){.placement = placement, .order = order, .dealing = dealing, .arena = arena, .budget = BUDGET};
  l->contested = etr_arena_alloc_array(arena, placement->method->graph->node_count, sizeof *l->contested);
  return l->contested ? l : NULL;
}

bool etr_lost_handles_are_cut(const etr_lost_handles *l) { return l->is_cut; }

void etr_lost_handles_turn_to(etr_lost_handles *l, const etr_placed *call, const etr_backend *backend,
                              const etr_payload *payload) {
  l->call = call;
  l->backend = backend;
  l->payload = payload;
  l->is_listed = false;
}

static bool spend(etr_lost_handles *l, size_t steps) {
  bool enough = etr_spend(&l->budget, steps);
  l->is_cut |= !enough;
  return enough;
}

/* ---- The nodes of a call ---- */

static etr_handle_loss loss_of(const etr_lost_handles *l, uint32_t node) {
  const etr_method_inputs *method = l->placement->method;
  return l->backend->loses_handle(method->graph, method->uses, &method->graph->nodes[node]);
}

/* Where order is proven it says which nodes the delegate holds. */
static void list_node(etr_lost_handles *l, uint32_t node) {
  bool is_elsewhere = l->order->is_proven && l->order->delegate_of[node] != l->call->id;
  if (is_elsewhere || loss_of(l, node) == ETR_KEEPS_HANDLE) return;
  held_node *added = etr_vec_push(l->arena, &l->held);
  if (added) *added = (held_node){etr_dealing_rank(l->dealing, node), node};
}

static void list_held(etr_lost_handles *l) {
  const etr_method_inputs *method = l->placement->method;
  const etr_map_instruction *map = l->call->map;
  l->held.count = 0;
  l->is_listed = true;
  for (size_t i = 0; i < map->handle_count; i++)
    for (size_t at = etr_method_first_of_handle(method, map->handles[i]);
         at < method->by_handle_count && method->by_handle[at].handle == map->handles[i] && spend(l, 1); at++)
      list_node(l, method->by_handle[at].node);
  etr_sort(l->held.data, l->held.count, sizeof *l->held.data, etr_by_two_numbers);
}

/* ---- The choice ---- */

/* Products are of two dimensions; the linear layer that they become keeps those in front of the last. */
static bool agrees_with(const etr_payload_value *result, const etr_node *node) {
  uint64_t mark = node->output_count ? etr_value_shape_mark(&node->outputs[0]) : 0;
  return !result || !mark || !result->shape || mark == result->shape || mark == result->rows_shape;
}

/* The first input that is no weight: a bias may stand before it. */
static uint32_t first_read(const etr_graph_values *values, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t value = etr_value_of_edge(values, &node->inputs[i]);
    if (!values->constant[value]) return value;
  }
  return ETR_NONE;
}

/* How surely a node is the operator's; ETR_KEEPS_HANDLE: it is not. */
static etr_handle_loss claim_of(const etr_lost_handles *l, uint32_t node, const etr_payload_operator *o,
                                uint32_t read) {
  const etr_graph_values *values = l->dealing->values;
  const etr_node *n = &values->graph->nodes[node];
  const etr_payload_value *result = o->whole == ETR_NONE ? NULL : &l->payload->values[o->whole];
  if (l->dealing->taken[node] || l->backend->class_of_node(values->graph, n) != o->class_ || !agrees_with(result, n))
    return ETR_KEEPS_HANDLE;
  uint32_t own = first_read(values, n);
  bool reads_it = read == ETR_NONE || (own != ETR_NONE && values->source[own] == values->source[read]);
  return reads_it ? loss_of(l, node) : ETR_KEEPS_HANDLE;
}

uint32_t etr_lost_handles_choose(etr_lost_handles *l, uint32_t index, uint32_t read, bool *twins) {
  const etr_payload_operator *o = &l->payload->operators[index];
  etr_handle_loss best = ETR_KEEPS_HANDLE;
  uint32_t found = ETR_NONE;
  *twins = false;
  if (!(l->backend->traits(o->class_) & ETR_CLASS_COMPUTES)) return ETR_NONE;
  if (!l->is_listed) list_held(l);
  if (!spend(l, l->held.count)) return ETR_NONE;
  for (size_t i = 0; i < l->held.count; i++) {
    etr_handle_loss claim = claim_of(l, l->held.data[i].node, o, read);
    uint32_t node = l->held.data[i].node;
    if (claim == ETR_KEEPS_HANDLE || claim < best) continue;
    if (claim == best) l->contested[node] = l->contested[found] = true;
    if (claim > best) found = node;
    best = claim;
  }
  *twins = found != ETR_NONE && l->contested[found];
  if (*twins) etr_dealing_doubt(l->dealing, found);
  return found;
}
