/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partition.c - delegated nodes, groups of them, and partitions of groups.
 */
#include "partition.h"

#include "backend.h"
#include "operator.h"
#include "views.h"

#include <stdlib.h>

typedef struct group {
  uint32_t first, count; /* in `grouped` */
  uint32_t partition;    /* that took it in; ETR_NONE */
} group;

typedef struct finder {
  etr_partition *p;
  const etr_fx_graph *fx;
  bool *delegated;    /* per vertex */
  uint32_t *leader;   /* per vertex: a vertex of its group; itself at the root */
  uint32_t *group_of; /* per vertex; ETR_NONE */
  uint32_t *grouped;  /* vertices by group */
  group *groups;      /* the one that ends last first */
  size_t group_count;
  uint32_t *inside, *before, *behind, *stack; /* per vertex: number + 1 of the partition that it is in, leads to, or hangs on */
  uint32_t partition_count;
} finder;

static bool spend(finder *f, uint64_t steps) {
  if (*f->p->budget < steps) return false;
  *f->p->budget -= steps;
  return true;
}

/* ---- Which nodes are delegated ---- */

/* How often handles are listed by delegates. */
static bool count_entries(finder *f, etr_map *entries) {
  etr_map_init(entries, f->p->scratch);
  for (size_t i = 0; i < f->p->delegate_count; i++) {
    const etr_map_instruction *map = f->p->delegates[i]->map;
    for (size_t k = 0; k < map->handle_count; k++) {
      etr_map_slot *slot = etr_map_at(entries, (etr_slice){(const char *)&map->handles[k], sizeof *map->handles});
      if (!slot) return false;
      slot->value = slot->value == ETR_NONE ? 1 : slot->value + 1;
    }
  }
  return true;
}

static uint32_t entries_of_node(const finder *f, uint32_t node) {
  uint32_t vertex = f->fx->vertex_of[node];
  bool has_getitems = vertex + 1 < f->fx->vertex_count && f->fx->vertices[vertex + 1].node == node && etr_fx_is_getitem(f->fx, vertex + 1);
  return 1 + (has_getitems ? (uint32_t)f->fx->graph->nodes[node].output_count : 0);
}

static void delegate_node(finder *f, uint32_t node) {
  uint32_t vertex = f->fx->vertex_of[node], count = entries_of_node(f, node);
  for (uint32_t i = 0; i < count; i++) f->delegated[vertex + i] = true;
}

/* Of a handle's nodes those that run as no kernel: as many as the delegates list, views left to the program where there are more. */
static bool delegate_handle(finder *f, size_t first, size_t end, uint32_t wanted) {
  const etr_handle_node *nodes = f->p->join->by_handle;
  uint32_t available = 0, views = 0;
  for (size_t i = first; i < end; i++) {
    uint32_t node = nodes[i].node, entries = entries_of_node(f, node);
    if (f->p->kernel_of[node] || f->fx->vertex_of[node] == ETR_NONE) continue;
    available += entries;
    if (etr_is_view(&f->fx->graph->nodes[node]) || !etr_has_tensor(&f->fx->graph->nodes[node])) views += entries;
  }
  bool without_views = available - views == wanted;
  if (available != wanted && !without_views) return false;
  for (size_t i = first; i < end; i++) {
    const etr_node *node = &f->fx->graph->nodes[nodes[i].node];
    bool is_left = f->p->kernel_of[nodes[i].node] || f->fx->vertex_of[nodes[i].node] == ETR_NONE;
    bool is_view = available != wanted && (etr_is_view(node) || !etr_has_tensor(node));
    if (!is_left && !is_view) delegate_node(f, nodes[i].node);
  }
  return true;
}

static bool find_delegated(finder *f) {
  const etr_method_join *join = f->p->join;
  etr_map entries;
  if (!count_entries(f, &entries)) return false;
  for (size_t first = 0, end; first < join->by_handle_count; first = end) {
    uint32_t handle = join->by_handle[first].handle;
    for (end = first; end < join->by_handle_count && join->by_handle[end].handle == handle;) end++;
    uint32_t wanted = etr_map_get(&entries, (etr_slice){(const char *)&handle, sizeof handle});
    if (wanted != ETR_NONE && !delegate_handle(f, first, end, wanted)) return false;
  }
  return true;
}

/* ---- Groups ---- */

static uint32_t root_of(finder *f, uint32_t vertex) {
  while (f->leader[vertex] != vertex) vertex = f->leader[vertex] = f->leader[f->leader[vertex]];
  return vertex;
}

static bool stay_together(const finder *f, const etr_backend *backend, uint32_t producer, uint32_t user) {
  if (etr_fx_is_getitem(f->fx, user)) return true;
  if (!backend || !backend->keeps_together) return false;
  return backend->keeps_together(f->fx->graph, etr_fx_node(f->fx, producer), etr_fx_node(f->fx, user), f->fx->user_counts[producer] == 1);
}

static void unite(finder *f) {
  const etr_backend *backend = f->p->delegate_count ? etr_backend_of(f->p->delegates[0]->backend) : NULL;
  for (uint32_t v = 0; v < f->fx->vertex_count; v++) f->leader[v] = v;
  for (uint32_t v = 0; v < f->fx->vertex_count; v++) {
    const etr_fx_vertex *vertex = &f->fx->vertices[v];
    for (uint32_t i = 0; f->delegated[v] && i < vertex->input_count; i++) {
      uint32_t producer = f->fx->input_pool.data[vertex->first_input + i];
      if (f->delegated[producer] && stay_together(f, backend, producer, v)) f->leader[root_of(f, producer)] = root_of(f, v);
    }
  }
}

/* Numbers the groups from the last vertex on, and lists their vertices. */
static void list_groups(finder *f) {
  uint32_t at = 0;
  for (uint32_t v = (uint32_t)f->fx->vertex_count; v-- > 0;) {
    if (!f->delegated[v]) continue;
    uint32_t *number = &f->group_of[root_of(f, v)];
    if (*number == ETR_NONE) f->groups[*number = (uint32_t)f->group_count++].partition = ETR_NONE;
    f->groups[*number].count++;
  }
  for (size_t i = 0; i < f->group_count; i++) {
    f->groups[i].first = at;
    at += f->groups[i].count;
    f->groups[i].count = 0;
  }
  for (uint32_t v = 0; v < f->fx->vertex_count; v++) {
    if (!f->delegated[v]) continue;
    group *g = &f->groups[f->group_of[v] = f->group_of[root_of(f, v)]];
    f->grouped[g->first + g->count++] = v;
  }
}

/* ---- Partitions ---- */

static uint32_t input_of(const finder *f, uint32_t vertex, uint32_t i) { return f->fx->input_pool.data[f->fx->vertices[vertex].first_input + i]; }

static uint32_t user_of(const finder *f, uint32_t vertex, uint32_t i) { return f->fx->users[f->fx->user_starts[vertex] + i]; }

/* Marks what leads to a vertex of the partition, or hangs on it. */
static bool spread(finder *f, uint32_t start, uint32_t *marks, bool backwards, uint32_t number) {
  size_t depth = 0;
  f->stack[depth++] = start;
  while (depth) {
    uint32_t vertex = f->stack[--depth], count = backwards ? f->fx->vertices[vertex].input_count : f->fx->user_counts[vertex];
    if (!spend(f, 1 + count)) return false;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t other = backwards ? input_of(f, vertex, i) : user_of(f, vertex, i);
      if (marks[other] == number || f->inside[other] == number) continue;
      marks[other] = number;
      f->stack[depth++] = other;
    }
  }
  return true;
}

static bool take_in(finder *f, group *g, uint32_t number) {
  g->partition = number - 1;
  for (uint32_t i = 0; i < g->count; i++) f->inside[f->grouped[g->first + i]] = number;
  for (uint32_t i = 0; i < g->count; i++) {
    uint32_t vertex = f->grouped[g->first + i];
    if (!spread(f, vertex, f->before, true, number) || !spread(f, vertex, f->behind, false, number)) return false;
  }
  return true;
}

/* Whether no value would leave the partition with the group in it and come back. */
static bool fits(finder *f, const group *g, uint32_t number) {
  uint32_t mine = (uint32_t)(g - f->groups);
  for (uint32_t k = 0; k < g->count; k++) {
    uint32_t vertex = f->grouped[g->first + k];
    for (uint32_t i = 0; i < f->fx->user_counts[vertex]; i++) {
      uint32_t user = user_of(f, vertex, i);
      if (f->group_of[user] != mine && f->inside[user] != number && f->before[user] == number) return false;
    }
    for (uint32_t i = 0; i < f->fx->vertices[vertex].input_count; i++) {
      uint32_t producer = input_of(f, vertex, i);
      if (f->group_of[producer] != mine && f->inside[producer] != number && f->behind[producer] == number) return false;
    }
  }
  return true;
}

static bool merge(finder *f) {
  for (size_t i = 0; i < f->group_count; i++) {
    if (f->groups[i].partition != ETR_NONE) continue;
    uint32_t number = ++f->partition_count;
    if (number > f->p->delegate_count || !take_in(f, &f->groups[i], number)) return false; /* more than the record's delegates */
    for (size_t k = i + 1; k < f->group_count; k++) {
      group *g = &f->groups[k];
      if (!spend(f, 1)) return false;
      if (g->partition != ETR_NONE) continue;
      if (!spend(f, g->count)) return false;
      if (fits(f, g, number) && !take_in(f, g, number)) return false;
    }
  }
  return f->partition_count == f->p->delegate_count;
}

/* ---- Which delegate a partition is ---- */

/* A list of handles, whatever their order. */
typedef struct handle_list {
  uint64_t sum; /* of the handles' hashes */
  uint32_t count, index;
  uint32_t last; /* where it ends: the last vertex of a partition; the place of a delegate */
} handle_list;

static int by_list(const void *a, const void *b) {
  const handle_list *x = a, *y = b;
  if (x->sum != y->sum) return x->sum < y->sum ? -1 : 1;
  if (x->count != y->count) return x->count < y->count ? -1 : 1;
  return (x->last > y->last) - (x->last < y->last);
}

static void add_handle(handle_list *list, uint32_t handle) {
  int64_t size = (int64_t)handle + 2; /* 1 has no mark */
  list->sum += etr_shape_mark(&size, 1);
  list->count++;
}

static void list_partitions(finder *f, handle_list *lists) {
  for (uint32_t i = 0; i < f->partition_count; i++) lists[i] = (handle_list){.index = i};
  for (uint32_t v = 0; v < f->fx->vertex_count; v++) {
    if (!f->delegated[v]) continue;
    handle_list *list = &lists[f->groups[f->group_of[v]].partition];
    add_handle(list, etr_fx_node(f->fx, v)->debug_handle);
    list->last = v;
  }
}

/* Those that list the same handles are told apart by where they end: calls follow each other as their last nodes do. */
static bool name_partitions(finder *f) {
  size_t count = f->partition_count;
  handle_list *partitions = etr_arena_alloc_array(f->p->scratch, count, sizeof *partitions);
  handle_list *delegates = etr_arena_alloc_array(f->p->scratch, count, sizeof *delegates);
  if (!partitions || !delegates) return false;
  list_partitions(f, partitions);
  for (uint32_t i = 0; i < count; i++) {
    const etr_map_instruction *map = f->p->delegates[i]->map;
    delegates[i] = (handle_list){.index = i, .last = i};
    for (size_t k = 0; k < map->handle_count; k++) add_handle(&delegates[i], map->handles[k]);
  }
  qsort(partitions, count, sizeof *partitions, by_list);
  qsort(delegates, count, sizeof *delegates, by_list);
  for (size_t i = 0; i < count; i++) {
    if (partitions[i].sum != delegates[i].sum || partitions[i].count != delegates[i].count) return false;
    f->p->leaving[partitions[i].index] = delegates[i].index;
  }
  for (uint32_t v = 0; v < f->fx->vertex_count; v++)
    if (f->delegated[v]) f->p->member[v] = (int32_t)f->p->leaving[f->groups[f->group_of[v]].partition];
  return true;
}

bool etr_partition_find(etr_partition *p) {
  finder f = {.p = p, .fx = p->fx};
  size_t count = p->fx->vertex_count;
  f.delegated = etr_arena_alloc_array(p->scratch, count, sizeof *f.delegated);
  f.leader = etr_arena_alloc_array(p->scratch, count, sizeof *f.leader);
  f.group_of = etr_arena_alloc_array(p->scratch, count, sizeof *f.group_of);
  f.grouped = etr_arena_alloc_array(p->scratch, count, sizeof *f.grouped);
  f.groups = etr_arena_alloc_array(p->scratch, count, sizeof *f.groups);
  f.inside = etr_arena_alloc_array(p->scratch, count, sizeof *f.inside);
  f.before = etr_arena_alloc_array(p->scratch, count, sizeof *f.before);
  f.behind = etr_arena_alloc_array(p->scratch, count, sizeof *f.behind);
  f.stack = etr_arena_alloc_array(p->scratch, count, sizeof *f.stack);
  if (etr_arena_failed(p->scratch)) return false;
  for (size_t i = 0; i < count; i++) f.group_of[i] = ETR_NONE;
  if (!find_delegated(&f)) return false;
  unite(&f);
  list_groups(&f);
  return merge(&f) && name_partitions(&f);
}
