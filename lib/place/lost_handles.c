/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lost_handles.c - of what reads the same value, the node that the operator's own reader reads.
 */
#include "place/lost_handles.h"

struct etr_lost_handles {
  const etr_placement *placement;
  const etr_dealing *dealing;
  size_t budget; /* steps left: calls may share lists of handles, and handles their nodes */
  etr_arena *arena;
  const etr_placed *call; /* that is looked at */
  const etr_backend *backend;
  const etr_payload *payload;
  uint32_t *users, *next_user; /* per value of the graph, by source: the first node that reads it and loses its handle;
                                  per node: the next of the same value. NULL: not found yet */
  uint32_t call_number;        /* from 1 */
  uint32_t *held_by;           /* per node: number of the last call whose handles include its own */
  bool *contested;             /* per node: it had a twin, be that taken by now */
  uint32_t *readers;           /* per value of the payload: the first operator that reads it. NULL: not found yet */
};

enum { BUDGET = 1 << 22 };

etr_lost_handles *etr_lost_handles_new(const etr_placement *placement, const etr_dealing *dealing, etr_arena *arena) {
  etr_lost_handles *l = etr_arena_alloc(arena, sizeof *l);
  if (!l) return NULL;
  *l = (etr_lost_handles){.placement = placement, .dealing = dealing, .budget = BUDGET, .arena = arena};
  l->contested = etr_arena_alloc_array(arena, placement->method->graph->node_count, sizeof *l->contested);
  return l->contested ? l : NULL;
}

void etr_lost_handles_turn_to(etr_lost_handles *l, const etr_placed *call, const etr_backend *backend,
                              const etr_payload *payload) {
  if (l->backend != backend) l->users = NULL;
  l->call = call;
  l->backend = backend;
  l->payload = payload;
  l->readers = NULL;
  l->call_number++;
}

/* ---- What is found when it is first asked for ---- */

/* The first input that is no weight: a bias may stand before it. */
static uint32_t first_read(const etr_graph_values *values, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t value = etr_value_of_edge(values, &node->inputs[i]);
    if (!values->constant[value]) return value;
  }
  return ETR_NONE;
}

/* Nodes that lose their handle, by what they read: many others may read it, too. */
static bool find_users(etr_lost_handles *l) {
  const etr_graph *graph = l->placement->method->graph;
  const etr_graph_values *values = l->dealing->values;
  l->users = etr_arena_alloc_array(l->arena, values->count, sizeof *l->users);
  l->next_user = etr_arena_alloc_array(l->arena, graph->node_count, sizeof *l->next_user);
  if (!l->users || !l->next_user) return false;
  for (uint32_t i = 0; i < values->count; i++) l->users[i] = ETR_NONE;
  for (uint32_t i = (uint32_t)graph->node_count; i-- > 0;) {
    const etr_node *node = &graph->nodes[i];
    bool loses = node->kind == ETR_NODE_OP &&
                 l->backend->loses_handle(graph, l->placement->method->uses, node) != ETR_KEEPS_HANDLE;
    uint32_t read = loses ? first_read(values, node) : ETR_NONE;
    if (read == ETR_NONE) continue;
    uint32_t source = values->source[read];
    l->next_user[i] = l->users[source];
    l->users[source] = i;
  }
  return true;
}

static bool find_held(etr_lost_handles *l, const etr_map_instruction *map) {
  const etr_placement *placement = l->placement;
  if (!l->held_by)
    l->held_by = etr_arena_alloc_array(l->arena, placement->method->graph->node_count, sizeof *l->held_by);
  if (!l->held_by) return false;
  for (size_t i = 0; i < map->handle_count; i++)
    for (size_t at = etr_method_first_of_handle(placement->method, map->handles[i]);
         at < placement->method->by_handle_count && placement->method->by_handle[at].handle == map->handles[i] &&
         etr_spend(&l->budget, 1);
         at++)
      l->held_by[placement->method->by_handle[at].node] = l->call_number;
  return true;
}

static bool find_readers(etr_lost_handles *l) {
  l->readers = etr_arena_alloc_array(l->arena, l->payload->value_count, sizeof *l->readers);
  for (size_t i = 0; l->readers && i < l->payload->value_count; i++) l->readers[i] = ETR_NONE;
  for (uint32_t i = (uint32_t)l->payload->count; l->readers && i-- > 0;) {
    const etr_payload_operator *o = &l->payload->operators[i];
    for (uint8_t k = 0; k < o->input_count; k++)
      if (o->inputs[k] != ETR_NONE) l->readers[o->inputs[k]] = i;
  }
  return l->readers != NULL;
}

/* What is found when a call first asks for it. */
static bool prepare(etr_lost_handles *l) {
  if (l->readers) return true;
  return (l->users || find_users(l)) && find_held(l, l->call->map) && find_readers(l);
}

/* ---- The operator's own reader ---- */

enum { MOST_STEPS = 4, MOST_USERS = 64 };

/* The handle of what reads the operator's result, past what the lowering inserted; 0: not known. */
static uint32_t handle_of_reader(const etr_lost_handles *l, const etr_payload_operator *o) {
  for (int i = 0; i < MOST_STEPS && o->output != ETR_NONE; i++) {
    uint32_t reader = l->readers[o->output];
    if (reader == ETR_NONE) return 0;
    o = &l->payload->operators[reader];
    if (o->handle || !(l->backend->traits(o->class_) & ETR_CLASS_INSERTED)) return o->handle;
  }
  return 0;
}

/* Whether a node with the handle reads the node's result. */
static bool is_read_by(etr_lost_handles *l, uint32_t node, uint32_t handle) {
  const etr_placement *placement = l->placement;
  const etr_graph_values *values = l->dealing->values;
  size_t at = etr_method_first_of_handle(placement->method, handle);
  if (handle == 0 || placement->method->graph->nodes[node].output_count == 0) return false;
  for (; at < placement->method->by_handle_count && placement->method->by_handle[at].handle == handle; at++) {
    const etr_node *reader = &placement->method->graph->nodes[placement->method->by_handle[at].node];
    for (size_t i = 0; i < reader->input_count && etr_spend(&l->budget, 1); i++)
      if (values->source[etr_value_of_edge(values, &reader->inputs[i])] == values->source[values->first[node]])
        return true;
  }
  return false;
}

/* ---- The choice ---- */

/* Products are of two dimensions; the linear layer that they become keeps those in front of the last. */
static bool agrees_with(const etr_payload_value *result, const etr_node *node) {
  uint64_t mark = node->output_count ? etr_value_shape_mark(&node->outputs[0]) : 0;
  return !result || !mark || !result->shape || mark == result->shape || mark == result->rows_shape;
}

enum { IS_READ = 1, LOSS = 2 };

/* What speaks for a node, by weight; 0: it is not the operator's. */
static unsigned claim_of(etr_lost_handles *l, uint32_t node, const etr_payload_operator *o, uint32_t reader_handle) {
  const etr_graph *graph = l->placement->method->graph;
  const etr_node *n = &graph->nodes[node];
  const etr_payload_value *result = o->whole == ETR_NONE ? NULL : &l->payload->values[o->whole];
  if (l->dealing->taken[node] || l->held_by[node] != l->call_number) return 0;
  if (l->backend->class_of_node(graph, n) != o->class_ || !agrees_with(result, n)) return 0;
  etr_handle_loss loss = l->backend->loses_handle(graph, l->placement->method->uses, n);
  return LOSS * (unsigned)loss + (is_read_by(l, node, reader_handle) ? IS_READ : 0);
}

/* The first that is left of what reads the value. */
static uint32_t first_user(etr_lost_handles *l, uint32_t read) {
  uint32_t *first = &l->users[l->dealing->values->source[read]];
  while (*first != ETR_NONE && l->dealing->taken[*first]) *first = l->next_user[*first];
  return *first;
}

/* The nodes with the best claim, of those that read the value. */
static size_t list_best(etr_lost_handles *l, const etr_payload_operator *o, uint32_t read, uint32_t best[MOST_USERS],
                        unsigned *claim) {
  size_t count = 0;
  uint32_t handle = handle_of_reader(l, o), node = first_user(l, read);
  *claim = 1;
  for (int i = 0; i < MOST_USERS && node != ETR_NONE; i++, node = l->next_user[node]) {
    unsigned other = claim_of(l, node, o, handle);
    if (other > *claim) count = 0;
    if (other >= *claim) best[count++] = node;
    *claim = ETR_MAX(*claim, other);
  }
  return count;
}

uint32_t etr_lost_handles_choose(etr_lost_handles *l, uint32_t index, uint32_t read, bool *twins) {
  const etr_payload_operator *o = &l->payload->operators[index];
  uint32_t best[MOST_USERS], found = ETR_NONE;
  unsigned claim;
  *twins = false;
  if (!(l->backend->traits(o->class_) & ETR_CLASS_COMPUTES) || !prepare(l)) return ETR_NONE;
  size_t count = list_best(l, o, read, best, &claim);
  for (size_t i = 0; i < count; i++) {
    if (found == ETR_NONE || etr_dealing_rank(l->dealing, best[i]) < etr_dealing_rank(l->dealing, found))
      found = best[i];
    l->contested[best[i]] |= count > 1;
  }
  *twins = count > 1 || (found != ETR_NONE && l->contested[found] && !(claim & IS_READ));
  if (*twins) etr_dealing_doubt(l->dealing, found);
  return found;
}
