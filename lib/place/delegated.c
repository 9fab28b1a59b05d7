/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegated.c - handle by handle.
 */
#include "place/delegated.h"

#include "backends/backends.h"
#include "backends/operator.h"
#include "method/graph_values.h"

/* Why a node stays in the program, the strongest reason first. */
typedef enum reason {
  MUST_STAY, /* no tensor */
  NOT_TAKEN, /* by the partitioner */
  SYMBOLIC_VIEW,
  VIEW,
  NO_REASON,
  REASONS,
} reason;

/* The nodes of one handle that may be delegated, by operator. */
typedef struct selection {
  etr_partitioner *p;
  const etr_backend *backend;
  const etr_handle_node *nodes;
  size_t count;
  uint32_t available; /* entries of a handle list that those marked as delegated are */
} selection;

/* How often handles are listed by delegates. */
static bool count_entries(etr_partitioner *p, etr_map *entries) {
  etr_map_init(entries, p->scratch);
  for (size_t i = 0; i < p->delegate_count; i++) {
    const etr_map_instruction *map = p->delegates[i]->map;
    for (size_t k = 0; k < map->handle_count; k++) {
      etr_map_slot *slot = etr_map_at(entries, (etr_slice){(const char *)&map->handles[k], sizeof *map->handles});
      if (!slot) return false;
      slot->value = slot->value == ETR_NONE ? 1 : slot->value + 1;
    }
  }
  return true;
}

/* A node has an entry, and one for each getitem. */
static uint32_t entries_of(const etr_partitioner *p, uint32_t node) {
  uint32_t first = p->fx->vertex_of[node], end = first + 1;
  while (end < p->fx->vertex_count && p->fx->vertices[end].node == node && etr_fx_is_getitem(p->fx, end)) end++;
  return end - first;
}

static uint32_t mark(etr_partitioner *p, uint32_t node, bool is_delegated) {
  uint32_t count = entries_of(p, node);
  for (uint32_t i = 0; i < count; i++) p->delegated[p->fx->vertex_of[node] + i] = is_delegated;
  return count;
}

static reason reason_to_stay(const selection *s, const etr_node *node) {
  if (!etr_has_tensor(node)) return MUST_STAY;
  if (s->backend && s->backend->takes && !s->backend->takes(s->p->fx->graph, node)) return NOT_TAKEN;
  if (!etr_is_view(node)) return NO_REASON;
  for (int32_t i = 0; i < node->outputs[0].rank; i++)
    if (node->outputs[0].dims[i].size == ETR_DIM_SYMBOLIC)
      return etr_slice_starts(etr_operator_of_target(node->target), ETR_SLICE("view")) ? SYMBOLIC_VIEW : VIEW;
  return VIEW;
}

static const etr_node *node_at(const selection *s, size_t i) { return &s->p->fx->graph->nodes[s->nodes[i].node]; }

static bool is_marked(const selection *s, size_t i) {
  uint32_t vertex = s->p->fx->vertex_of[s->nodes[i].node];
  return vertex != ETR_NONE && s->p->delegated[vertex];
}

/* ---- Whole operators ---- */

enum { MOST_OPERATORS = 8 }; /* with one reason at one handle: all their subsets are tried */

/* The operators with a reason to stay, and the entries of each. */
typedef struct operators {
  const char *targets[MOST_OPERATORS];
  uint32_t entries[MOST_OPERATORS];
  size_t count;
  bool is_whole; /* there are no more */
} operators;

static size_t place_of(operators *o, const char *target) {
  size_t i = 0;
  while (i < o->count && strcmp(o->targets[i], target) != 0) i++;
  if (i == o->count && i < MOST_OPERATORS) o->targets[o->count++] = target;
  o->is_whole &= i < MOST_OPERATORS;
  return i;
}

static operators list_operators(const selection *s, reason why) {
  operators o = {.is_whole = true};
  for (size_t i = 0; i < s->count; i++) {
    if (!is_marked(s, i) || reason_to_stay(s, node_at(s, i)) != why) continue;
    size_t place = place_of(&o, node_at(s, i)->target);
    if (place < MOST_OPERATORS) o.entries[place] += entries_of(s->p, s->nodes[i].node);
  }
  return o;
}

/* The first operators whose entries are as many as have to stay; 0: there are none. */
static unsigned subset_of(const operators *o, uint32_t wanted) {
  for (unsigned subset = 1; o->is_whole && subset < 1u << o->count; subset++) {
    uint32_t sum = 0;
    for (size_t i = 0; i < o->count; i++) sum += subset >> i & 1 ? o->entries[i] : 0;
    if (sum == wanted) return subset;
  }
  return 0;
}

/* Lets nodes with this reason stay, until as many are left as the delegates list: whole operators, or the last. */
static void let_stay(selection *s, reason why, uint32_t wanted) {
  operators o = list_operators(s, why);
  unsigned subset = subset_of(&o, s->available - wanted);
  for (size_t i = s->count; i-- > 0 && s->available > wanted;) {
    if (!is_marked(s, i) || reason_to_stay(s, node_at(s, i)) != why) continue;
    if (subset == 0 || subset >> place_of(&o, node_at(s, i)->target) & 1)
      s->available -= mark(s->p, s->nodes[i].node, false);
  }
}

static bool select_nodes(etr_partitioner *p, size_t first, size_t count, uint32_t wanted) {
  selection s = {.p = p, .nodes = &p->placement->method->by_handle[first], .count = count};
  s.backend = p->delegate_count ? etr_backend_of(p->delegates[0]->backend) : NULL;
  for (size_t i = 0; i < count; i++)
    if (!p->kernel_of[s.nodes[i].node] && p->fx->vertex_of[s.nodes[i].node] != ETR_NONE)
      s.available += mark(p, s.nodes[i].node, true);
  for (reason why = MUST_STAY; why < REASONS && s.available > wanted; why++) let_stay(&s, why, wanted);
  return s.available == wanted;
}

bool etr_find_delegated(etr_partitioner *p) {
  const etr_method_inputs *method = p->placement->method;
  etr_map entries;
  if (!count_entries(p, &entries)) return false;
  for (size_t first = 0, end; first < method->by_handle_count; first = end) {
    uint32_t handle = method->by_handle[first].handle;
    for (end = first; end < method->by_handle_count && method->by_handle[end].handle == handle;) end++;
    uint32_t wanted = etr_map_get(&entries, (etr_slice){(const char *)&handle, sizeof handle});
    if (wanted != ETR_NONE && !select_nodes(p, first, end - first, wanted)) return false;
  }
  return true;
}
