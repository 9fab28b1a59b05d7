/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partition.c - delegated nodes, groups of them, and partitions of groups.
 */
#include "join/partition.h"

#include "backends/backends.h"
#include "backends/operator.h"

typedef struct group {
  uint32_t first, count; /* slice of `grouped` */
  size_t edges;          /* inputs and users of its vertices */
  uint32_t partition;    /* partition to which it was added; ETR_NONE: none yet */
  uint32_t owner;        /* delegate that alone lists one of its handles; ETR_NONE: none */
  bool has_weight;       /* it contains a weight with other users */
  bool is_cyclic; /* other users of its weight lead to it, so that no other group can be in its
                     partition */
} group;

/* State of a vertex while a partition is made. A vertex is harmless if it is in the partition, or
 * if no path from it leads to the partition. A vertex whose users are all harmless can be added
 * without a path that leaves the partition and comes back. */
typedef struct vertex_state {
  uint32_t number;         /* number of the partition that the other members describe, + 1 */
  uint32_t users_inside;   /* users that are in the partition */
  uint32_t harmless_users; /* users that are harmless, so far as these have counted themselves */
  bool is_harmless;
  bool is_counted; /* it has counted itself in harmless_users of its producers */
  bool is_waiting; /* it is on the stack for updating its producers */
} vertex_state;

/* State of one stage. */
typedef struct finder {
  etr_partitioner *partitioner;
  const etr_fx_graph *fx;
  bool *chosen;       /* per vertex: it is in a group of this stage */
  uint32_t *group_of; /* per vertex; ETR_NONE */
  uint32_t *grouped;  /* vertices by group */
  group *groups;      /* sorted by end, the last first */
  size_t group_count;
  uint32_t *inside, *behind; /* per vertex: number + 1 of the partition that it is in, or from which
                                a path leads to it */
  uint32_t *marks, *stack;
  uint32_t partition_count;
  uint32_t end;             /* position where the partition ends */
  uint32_t *later_users;    /* per vertex: number of users after `end` */
  etr_vec(uint32_t) unused; /* vertices whose users are all after `end` */
  vertex_state *states;     /* per vertex */
  size_t waiting;           /* number of vertices on the stack */
  uint32_t *candidate;      /* per group: number + 1 of the last partition into which it may fit */
  size_t last_candidate;
  uint32_t last_left; /* end of the next group after the one that is examined */
} finder;

static bool spend_steps(finder *f, size_t steps) {
  return etr_spend(f->partitioner->budget, steps);
}

/* ---- Which delegates list a handle ---- */

enum { MANY = INT32_MAX }; /* several */

/* Fills `owners`: for each handle the only delegate that lists it, or MANY. Returns false when
 * out of memory. */
static bool find_owners_of_handles(etr_partitioner *p) {
  etr_map_init(&p->owners, p->scratch);
  for (uint32_t i = 0; i < p->delegate_count; i++) {
    const etr_map_instruction *map = p->delegates[i]->map;
    for (size_t k = 0; k < map->handle_count; k++) {
      etr_map_slot *owner = etr_map_at(&p->owners, ETR_BYTES(map->handles[k]));
      if (!owner)
        return false;
      owner->value = owner->value == ETR_NONE || owner->value == i ? i : MANY;
    }
  }
  return true;
}

/* Returns the index of the only delegate that lists the handle of a vertex; ETR_NONE if none or
 * several do. */
static uint32_t owner_of(const etr_partitioner *p, uint32_t vertex) {
  uint32_t owner = etr_map_get(&p->owners, ETR_BYTES(etr_fx_node(p->fx, vertex)->debug_handle));
  return owner == MANY ? ETR_NONE : owner;
}

/* ---- Groups ---- */

/* Returns the root of a vertex, which identifies its group (union-find). Shortens the path to it.
 */
static uint32_t root_of(const etr_vertex_groups *g, uint32_t vertex) {
  while (g->leader[vertex] != vertex)
    vertex = g->leader[vertex] = g->leader[g->leader[vertex]];
  return vertex;
}

/* Returns true if the backend's partitioner always puts a vertex into the delegate of its producer.
 */
static bool stay_together(const etr_partitioner *p, const etr_backend *backend, uint32_t producer,
                          uint32_t user) {
  if (etr_fx_is_getitem(p->fx, user))
    return true;
  if (!backend || !backend->keeps_together)
    return false;
  return backend->keeps_together(p->fx->graph, etr_fx_node(p->fx, producer),
                                 etr_fx_node(p->fx, user), p->fx->user_counts[producer] == 1);
}

static bool chooses_quantization(const etr_node *node) {
  return etr_slice_starts(etr_operator_of_target(node->target), ETR_SLICE("choose_qparams"));
}

/* Puts a producer into the group of its user if the backend keeps both together. A weight with
 * several users joins only the first of them. */
static void unite_with_user(etr_partitioner *p, const etr_backend *backend, uint32_t producer,
                            uint32_t user) {
  bool is_shared_weight = etr_fx_is_constant(p->fx, producer) && p->fx->user_counts[producer] > 1 &&
                          !p->is_shared[producer];
  if (!p->delegated[producer] && !is_shared_weight)
    return;
  if (!stay_together(p, backend, producer, user))
    return;
  p->is_shared[producer] = is_shared_weight;
  p->kept.leader[root_of(&p->kept, producer)] = root_of(&p->kept, user);
}

/* Returns whether the vertex has a weight of its own, as a convolution or a linear layer has. */
static bool has_weight(const etr_partitioner *p, const etr_backend *backend, uint32_t vertex) {
  const etr_fx_vertex *v = &p->fx->vertices[vertex];
  for (uint32_t i = 0; i < v->input_count; i++) {
    uint32_t producer = p->fx->input_pool.data[v->first_input + i];
    if (etr_fx_is_constant(p->fx, producer) && stay_together(p, backend, producer, vertex))
      return true;
  }
  return false;
}

/* Puts producers into the groups of their users wherever the backend keeps both together. */
static void unite_kept_together(etr_partitioner *p, const etr_backend *backend) {
  for (uint32_t v = 0; v < p->fx->vertex_count; v++) {
    const etr_fx_vertex *vertex = &p->fx->vertices[v];
    for (uint32_t i = 0; p->delegated[v] && i < vertex->input_count; i++)
      unite_with_user(p, backend, p->fx->input_pool.data[vertex->first_input + i], v);
  }
}

/* The vertices whose handles only one delegate lists, and where they are in the graph's order. */
typedef struct owned {
  uint32_t vertex;     /* the first of them; ETR_NONE: there are none */
  uint32_t first, end; /* positions */
} owned;

/* Puts the vertices on paths between a delegate's own vertices (`o`) into its group, because no
 * path leaves a delegate and comes back. A forward pass marks what comes after them, a backward
 * pass what comes before. `after` and `before` are working memory, per vertex: number + 1 of the
 * delegate to which the vertex belongs or from which, or to which, a path leads. Returns false if
 * the budget is spent. */
static bool unite_between(etr_partitioner *p, uint32_t delegate, const owned *o, uint32_t *after,
                          uint32_t *before) {
  const etr_fx_graph *fx = p->fx;
  uint32_t root = root_of(&p->listed, o->vertex);
  for (uint32_t position = o->first; position < o->end; position++) {
    const etr_fx_vertex *v = &fx->vertices[fx->order[position]];
    bool is_after = root_of(&p->listed, fx->order[position]) == root;
    for (uint32_t i = 0; i < v->input_count; i++)
      is_after |= after[fx->input_pool.data[v->first_input + i]] == delegate + 1;
    after[fx->order[position]] = is_after ? delegate + 1 : 0;
    if (!etr_spend(p->budget, 1 + v->input_count))
      return false;
  }
  for (uint32_t position = o->end; position-- > o->first;) {
    uint32_t vertex = fx->order[position];
    const etr_fx_vertex *v = &fx->vertices[vertex];
    bool is_before = before[vertex] == delegate + 1;
    bool is_after = after[vertex] == delegate + 1;
    bool has_no_owner = p->listed.owner[root_of(&p->listed, vertex)] == ETR_NONE;
    if (p->delegated[vertex] && has_no_owner && is_before && is_after)
      p->listed.leader[root_of(&p->listed, vertex)] = root;
    is_before |= root_of(&p->listed, vertex) == root;
    for (uint32_t i = 0; is_before && i < v->input_count; i++)
      before[fx->input_pool.data[v->first_input + i]] = delegate + 1;
  }
  return true;
}

/* Makes the groups p->listed: as the backend's, but all vertices that only one delegate can have
 * are in one group. It alone lists their handles, or they are between such vertices. Returns false
 * if the budget is spent, or when out of memory. */
static bool unite_vertices_of_owners(etr_partitioner *p) {
  size_t count = p->fx->vertex_capacity;
  owned *list = etr_arena_alloc_array(p->scratch, p->delegate_count, sizeof *list);
  uint32_t *after = etr_arena_alloc_array(p->scratch, count, sizeof *after);
  uint32_t *before = etr_arena_alloc_array(p->scratch, count, sizeof *before);
  if (etr_arena_failed(p->scratch))
    return false;
  for (size_t i = 0; i < p->delegate_count; i++)
    list[i] = (owned){.vertex = ETR_NONE, .first = ETR_NONE};
  for (uint32_t v = 0; v < p->fx->vertex_count; v++) {
    p->listed.leader[v] = p->kept.leader[v];
    uint32_t owner = p->delegated[v] ? owner_of(p, v) : ETR_NONE;
    if (owner == ETR_NONE)
      continue;
    owned *o = &list[owner];
    if (o->vertex == ETR_NONE)
      o->vertex = v;
    o->first = ETR_MIN(o->first, p->fx->positions[v]);
    o->end = ETR_MAX(o->end, p->fx->positions[v] + 1);
    p->kept.owner[root_of(&p->kept, v)] = owner;
    p->listed.owner[v] = owner; /* until all leaders are known */
  }
  for (uint32_t v = 0; v < p->fx->vertex_count; v++)
    if (p->listed.owner[v] != ETR_NONE)
      p->listed.leader[root_of(&p->listed, v)] = root_of(&p->listed,
                                                         list[p->listed.owner[v]].vertex);
  for (uint32_t i = 0; i < p->delegate_count; i++)
    if (list[i].vertex != ETR_NONE)
      p->listed.owner[root_of(&p->listed, list[i].vertex)] = i;
  for (uint32_t i = 0; i < p->delegate_count; i++)
    if (list[i].vertex != ETR_NONE && !unite_between(p, i, &list[i], after, before))
      return false;
  return true;
}

/* Records for the root of each group whether the group chooses quantization parameters at run time
 * (is_dynamic), and whether an operator in it has a weight of its own (is_layer). */
static void record_contents_of_groups(const etr_partitioner *p, const etr_backend *backend,
                                      etr_vertex_groups *g) {
  for (uint32_t v = 0; v < p->fx->vertex_count; v++) {
    if (!p->delegated[v])
      continue;
    g->is_dynamic[root_of(g, v)] |= chooses_quantization(etr_fx_node(p->fx, v));
    g->is_layer[root_of(g, v)] |= has_weight(p, backend, v);
  }
}

/* Makes a group of each vertex, of which no owner (the only delegate that can have it) is known
 * yet. Returns false when out of memory. */
static bool allocate_groups(const etr_partitioner *p, etr_vertex_groups *g) {
  size_t count = p->fx->vertex_capacity;
  g->leader = etr_arena_alloc_array(p->scratch, count, sizeof *g->leader);
  g->is_dynamic = etr_arena_alloc_array(p->scratch, count, sizeof *g->is_dynamic);
  g->is_layer = etr_arena_alloc_array(p->scratch, count, sizeof *g->is_layer);
  g->owner = etr_arena_alloc_array(p->scratch, count, sizeof *g->owner);
  for (uint32_t v = 0; g->leader && g->owner && v < count; v++) {
    g->leader[v] = v;
    g->owner[v] = ETR_NONE;
  }
  return g->leader && g->is_dynamic && g->is_layer && g->owner;
}

/* Makes two sets of groups: what the backend keeps together, and also what the handle lists say is
 * of one delegate. Also returns false if the budget is spent. */
bool etr_partitioner_init(etr_partitioner *p) {
  size_t count = p->fx->vertex_capacity;
  const etr_backend *backend = p->delegate_count ? etr_backend_of(p->delegates[0]->backend) : NULL;
  p->delegated = etr_arena_alloc_array(p->scratch, count, sizeof *p->delegated);
  p->is_shared = etr_arena_alloc_array(p->scratch, count, sizeof *p->is_shared);
  p->is_found = etr_arena_alloc_array(p->scratch, p->delegate_count, sizeof *p->is_found);
  if (!p->is_shared || !p->delegated || !p->is_found || !allocate_groups(p, &p->kept) ||
      !allocate_groups(p, &p->listed))
    return false;
  for (uint32_t v = 0; v < p->fx->vertex_count; v++)
    p->delegated[v] = p->roles->is_delegated[p->fx->vertices[v].node];
  if (!find_owners_of_handles(p))
    return false;
  unite_kept_together(p, backend);
  if (!unite_vertices_of_owners(p))
    return false;
  record_contents_of_groups(p, backend, &p->kept);
  record_contents_of_groups(p, backend, &p->listed);
  return true;
}

/* Returns true if a stage, one of several partitioners that run one after the other, takes the
 * group of a vertex. A vertex that is added later than the groups were made belongs to none.
 */
static bool stage_takes_vertex(const etr_partitioner *p, const etr_vertex_groups *g,
                               uint32_t vertex, etr_partition_groups groups) {
  if (vertex >= p->fx->vertex_capacity || (!p->delegated[vertex] && !p->is_shared[vertex]))
    return false;
  uint32_t root = root_of(g, vertex);
  bool is_layer = g->is_dynamic[root] || g->is_layer[root];
  switch (groups) {
  case ETR_GROUPS_DYNAMIC:
    return g->is_dynamic[root];
  case ETR_GROUPS_NOT_DYNAMIC:
    return !g->is_dynamic[root];
  case ETR_GROUPS_LAYERS:
    return is_layer;
  case ETR_GROUPS_NO_LAYERS:
    return !is_layer;
  case ETR_GROUPS_ALL:
    break;
  }
  return true;
}

/* ---- Partitions ---- */

static uint32_t input_vertex(const finder *f, uint32_t vertex, uint32_t i) {
  return f->fx->input_pool.data[f->fx->vertices[vertex].first_input + i];
}

static uint32_t user_vertex(const finder *f, uint32_t vertex, uint32_t i) {
  return f->fx->users.data[f->fx->user_starts[vertex] + i];
}

/* Returns the state of a vertex for the current partition; it starts anew with each partition. */
static vertex_state *state_of(finder *f, uint32_t vertex) {
  vertex_state *state = &f->states[vertex];
  if (state->number != f->partition_count)
    *state = (vertex_state){.number = f->partition_count};
  return state;
}

static bool is_in_partition(const finder *f, uint32_t vertex) {
  return f->inside[vertex] == f->partition_count;
}

/* Returns whether each user of the vertex is in the partition, or leads to it by no path: users
 * after the end of the partition cannot. */
static bool has_only_harmless_users(finder *f, uint32_t vertex) {
  uint32_t harmless = f->later_users[vertex] + state_of(f, vertex)->harmless_users;
  return harmless == f->fx->user_counts[vertex];
}

/* Returns whether a vertex outside the partition leads to it by no path. */
static bool leads_not_inside(finder *f, uint32_t vertex) {
  return !is_in_partition(f, vertex) && state_of(f, vertex)->users_inside == 0 &&
         has_only_harmless_users(f, vertex);
}

/* Updates whether a vertex is harmless (leads to the partition by no path) after one of its users
 * changed. If it changed, too, its producers wait for an update. Marks its group as a candidate for
 * the partition if the group's last vertex has only harmless users: no other vertex of the group
 * reads that one. */
static void update_vertex(finder *f, uint32_t vertex) {
  if (is_in_partition(f, vertex))
    return;
  vertex_state *state = state_of(f, vertex);
  state->is_harmless = leads_not_inside(f, vertex);
  if (state->is_harmless != state->is_counted && !state->is_waiting) {
    state->is_waiting = true;
    f->stack[f->waiting++] = vertex;
  }
  uint32_t index = f->group_of[vertex];
  if (index == ETR_NONE)
    return;
  const group *g = &f->groups[index];
  bool is_last = f->grouped[g->first + g->count - 1] == vertex;
  if (!is_last || !has_only_harmless_users(f, vertex))
    return;
  f->candidate[index] = f->partition_count;
  f->last_candidate = ETR_MAX(f->last_candidate, index);
}

/* Updates what a vertex's producers count of their users after the vertex changed: whether it is
 * harmless, and, if `is_new_inside`, that it is now in the partition. Returns false if the budget
 * is spent. */
static bool update_producers(finder *f, uint32_t vertex, bool is_new_inside) {
  vertex_state *state = state_of(f, vertex);
  uint32_t count = f->fx->vertices[vertex].input_count;
  uint32_t change = (uint32_t)state->is_harmless - (uint32_t)state->is_counted; /* may be -1 */
  state->is_counted = state->is_harmless;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t input = input_vertex(f, vertex, i);
    vertex_state *producer = state_of(f, input);
    producer->harmless_users += change;
    producer->users_inside += is_new_inside;
    update_vertex(f, input);
  }
  return spend_steps(f, 1 + count);
}

/* Updates the producers of all vertices that changed, which wait on the stack, and so on until
 * nothing changes. None of them is in the partition: its own vertices are counted when they are
 * added. Returns false if the budget is spent. */
static bool update_waiting_vertices(finder *f) {
  while (f->waiting) {
    uint32_t vertex = f->stack[--f->waiting];
    state_of(f, vertex)->is_waiting = false;
    if (!update_producers(f, vertex, false))
      return false;
  }
  return true;
}

/* Adds a vertex to the list of those that nothing before the end of the partition uses, from which
 * updates start. One without inputs is left out, because it has no producers to update. Returns
 * false when out of memory. */
static bool add_unused(finder *f, uint32_t vertex) {
  if (f->fx->vertices[vertex].input_count == 0)
    return true;
  uint32_t *unused = etr_vec_push(f->partitioner->scratch, &f->unused);
  if (unused)
    *unused = vertex;
  return unused != NULL;
}

/* Begins a partition that ends at the position `end`, before the end of the last partition. Counts
 * the users after it, because they cannot lead to it; vertices that have no others become unused.
 * Returns false when out of memory. */
static bool begin_partition(finder *f, uint32_t end) {
  size_t kept = 0;
  f->partition_count++;
  f->last_candidate = 0;
  for (; f->end > end; f->end--) {
    uint32_t vertex = f->fx->order[f->end];
    for (uint32_t i = 0; i < f->fx->vertices[vertex].input_count; i++) {
      uint32_t producer = input_vertex(f, vertex, i);
      f->later_users[producer]++;
      bool is_unused = f->later_users[producer] == f->fx->user_counts[producer];
      if (is_unused && !add_unused(f, producer))
        return false;
    }
  }
  for (size_t i = 0; i < f->unused.count; i++)
    if (f->fx->positions[f->unused.data[i]] < end)
      f->unused.data[kept++] = f->unused.data[i];
  f->unused.count = kept;
  return true;
}

/* Marks the vertices to which paths lead from a vertex of the partition, only up to the end of the
 * next remaining group: no later vertex matters to the groups that are left. The search uses the
 * stack above the vertices that wait there for updates. Returns false if the budget is spent. */
static bool mark_as_following_partition(finder *f, uint32_t start) {
  size_t depth = f->waiting;
  f->stack[depth++] = start;
  while (depth > f->waiting) {
    uint32_t vertex = f->stack[--depth];
    if (!spend_steps(f, 1 + f->fx->user_counts[vertex]))
      return false;
    for (uint32_t i = 0; i < f->fx->user_counts[vertex]; i++) {
      uint32_t other = user_vertex(f, vertex, i);
      if (f->behind[other] == f->partition_count || is_in_partition(f, other))
        continue;
      if (f->fx->positions[other] > f->last_left)
        continue;
      f->behind[other] = f->partition_count;
      f->stack[depth++] = other;
    }
  }
  return true;
}

/* Adds a group to the partition that is being made. Updates which vertices come after the
 * partition, and which lead to it: the producers of the group have users inside now. Returns false
 * if the budget is spent. */
static bool add_group_to_partition(finder *f, group *g) {
  g->partition = f->partition_count - 1;
  const uint32_t *vertices = &f->grouped[g->first];
  for (uint32_t i = 0; i < g->count; i++) {
    f->inside[vertices[i]] = f->partition_count;
    state_of(f, vertices[i])->is_harmless = true;
  }
  for (uint32_t i = 0; i < g->count; i++) {
    if (!mark_as_following_partition(f, vertices[i]))
      return false;
    if (!update_producers(f, vertices[i], true))
      return false;
  }
  return update_waiting_vertices(f);
}

/* Returns whether no value would leave the partition and come back if the group were added: no user
 * of the group leads to the partition from outside, and no producer of the group outside follows
 * the partition. */
static bool group_fits(finder *f, const group *g) {
  uint32_t group_index = (uint32_t)(g - f->groups);
  for (uint32_t k = 0; k < g->count; k++) {
    uint32_t vertex = f->grouped[g->first + k];
    for (uint32_t i = 0; i < f->fx->user_counts[vertex]; i++) {
      uint32_t user = user_vertex(f, vertex, i);
      bool is_out = f->group_of[user] != group_index && !is_in_partition(f, user);
      bool is_before_end = f->fx->positions[user] < f->end;
      if (is_out && is_before_end && !leads_not_inside(f, user))
        return false;
    }
    for (uint32_t i = 0; i < f->fx->vertices[vertex].input_count; i++) {
      uint32_t producer = input_vertex(f, vertex, i);
      bool is_out = f->group_of[producer] != group_index && !is_in_partition(f, producer);
      if (is_out && f->behind[producer] == f->partition_count)
        return false;
    }
  }
  return true;
}

/* Sets g->is_cyclic if another user of a weight in the group leads to the group: marks all
 * vertices from which paths lead to the group, and looks for such users among them. `visit` is a
 * number for the marks that no other call has. Returns false if the budget is spent. */
static bool find_out_if_cyclic(finder *f, group *g, uint32_t visit) {
  size_t depth = 0;
  if (!g->has_weight)
    return true;
  for (uint32_t i = 0; i < g->count; i++)
    f->stack[depth++] = f->grouped[g->first + i];
  while (depth) {
    uint32_t vertex = f->stack[--depth];
    if (!spend_steps(f, 1 + f->fx->vertices[vertex].input_count))
      return false;
    for (uint32_t i = 0; i < f->fx->vertices[vertex].input_count; i++) {
      uint32_t other = input_vertex(f, vertex, i);
      bool is_in_group = f->group_of[other] == (uint32_t)(g - f->groups);
      if (is_in_group || f->marks[other] == visit)
        continue;
      f->marks[other] = visit;
      f->stack[depth++] = other;
    }
  }
  for (uint32_t i = 0; i < g->count; i++) {
    uint32_t vertex = f->grouped[g->first + i];
    for (uint32_t k = 0; f->partitioner->is_shared[vertex] && k < f->fx->user_counts[vertex]; k++)
      g->is_cyclic |= f->marks[user_vertex(f, vertex, k)] == visit;
  }
  return true;
}

/* Returns the position of the last vertex of a group. Groups are sorted by it, the last first. */
static uint32_t end_of_group(const finder *f, const group *g) {
  return f->fx->positions[f->grouped[g->first + g->count - 1]];
}

/* Returns whether groups with these owners (the delegates that alone list a handle of
 * each; ETR_NONE if unknown) are certainly of different delegates. */
static bool have_different_owners(uint32_t owner, uint32_t other) {
  return owner != ETR_NONE && other != ETR_NONE && owner != other;
}

/* Makes the partition that ends with the group `first`. It contains that group and, unless `alone`
 * is set, the earlier remaining groups (groups are sorted by their end, the last first) that fit
 * and are not known to be of another delegate. Returns false if there are more partitions than
 * delegates, if the budget is spent, or when out of memory. */
static bool make_partition(finder *f, size_t first, bool alone) {
  group *groups = f->groups;
  if (f->partition_count == f->partitioner->delegate_count)
    return false;
  f->last_left = first + 1 < f->group_count ? end_of_group(f, &groups[first + 1]) : 0;
  if (!begin_partition(f, end_of_group(f, &groups[first])) ||
      !add_group_to_partition(f, &groups[first]))
    return false;
  for (size_t i = 0; i < f->unused.count; i++)
    update_vertex(f, f->unused.data[i]);
  if (!spend_steps(f, f->unused.count) || !update_waiting_vertices(f))
    return false;
  if (alone || groups[first].is_cyclic)
    return true;
  uint32_t owner = groups[first].owner;
  for (size_t k = first + 1; k <= f->last_candidate; k++) {
    bool is_remaining = groups[k].partition == ETR_NONE && !groups[k].is_cyclic;
    if (!is_remaining || f->candidate[k] != f->partition_count)
      continue;
    if (have_different_owners(owner, groups[k].owner))
      continue;
    if (!spend_steps(f, groups[k].count + groups[k].edges))
      return false;
    if (!group_fits(f, &groups[k]))
      continue;
    if (!add_group_to_partition(f, &groups[k]))
      return false;
    owner = owner == ETR_NONE ? groups[k].owner : owner;
  }
  return true;
}

/* Makes partitions of all groups, from the end of the graph to its start; with `alone`, each group
 * is a partition of its own. Returns false if there are more than the record's delegates, if the
 * budget is spent, or when out of memory. */
static bool make_partitions(finder *f, bool alone) {
  for (size_t i = 0; i < f->group_count; i++)
    if (!find_out_if_cyclic(f, &f->groups[i], UINT32_MAX - (uint32_t)i))
      return false;
  for (size_t i = 0; i < f->fx->order_count; i++)
    if (f->fx->user_counts[f->fx->order[i]] == 0 && !add_unused(f, f->fx->order[i]))
      return false;
  f->end = (uint32_t)f->fx->order_count - 1;
  for (size_t i = 0; i < f->group_count; i++)
    if (f->groups[i].partition == ETR_NONE && !make_partition(f, i, alone))
      return false;
  return true;
}

/* ---- Which delegate a partition is ---- */

/* A list of handles, compared without their order. */
typedef struct handle_list {
  uint64_t sum; /* sum of the hashes of the handles */
  uint32_t count, index;
  uint32_t
      last; /* where it ends: position of the last vertex of a partition, or index of a delegate */
} handle_list;

/* Orders lists of handles by the sum of their hashes, by length, and by where they end in the
 * graph, so that equal lists are neighbors. */
static int by_list(const void *a, const void *b) {
  const handle_list *x = a, *y = b;
  if (x->sum != y->sum)
    return x->sum < y->sum ? -1 : 1;
  if (x->count != y->count)
    return x->count < y->count ? -1 : 1;
  return (x->last > y->last) - (x->last < y->last);
}

/* Adds the hash of a handle to the sum of a list, which is the same in whatever order handles are
 * added. */
static void add_handle(handle_list *list, uint32_t handle) {
  int64_t size = (int64_t)handle + 2; /* etr_shape_hash() ignores 1 */
  list->sum += etr_shape_hash(&size, 1);
  list->count++;
}

/* Sums the hashes of the handles that the record lists for each delegate, by which equal lists are
 * found. */
static void sum_handles_of_delegates(const etr_partitioner *p, handle_list *lists) {
  for (uint32_t i = 0; i < p->delegate_count; i++) {
    const etr_map_instruction *map = p->delegates[i]->map;
    lists[i] = (handle_list){.index = i, .last = i};
    for (size_t k = 0; k < map->handle_count; k++)
      add_handle(&lists[i], map->handles[k]);
  }
}

static bool same_handles(const handle_list *a, const handle_list *b) {
  return a->sum == b->sum && a->count == b->count;
}

/* Returns whether a partition can be a delegate: its handles are those of the list, and the
 * delegate was not found for another partition. */
static bool may_be_delegate(const etr_partitioner *p, const handle_list *partition,
                            const handle_list *delegate) {
  return !p->is_found[delegate->index] && same_handles(partition, delegate);
}

/* Finds the delegate of each partition by its handles, and adds the delegates to p->leaving in the
 * order in which they leave the graph: the one that ends last first or, with `alone`, the one that
 * ends first. Delegates with the same handles are distinguished by where they end: calls follow
 * each other as their last nodes do. Returns false if a partition has the handles of no delegate,
 * or when out of memory. */
static bool find_delegates_of_partitions(finder *f, bool alone) {
  etr_partitioner *p = f->partitioner;
  handle_list *partitions = etr_arena_alloc_array(p->scratch, f->partition_count,
                                                  sizeof *partitions);
  handle_list *delegates = etr_arena_alloc_array(p->scratch, p->delegate_count, sizeof *delegates);
  uint32_t *delegate_of = etr_arena_alloc_array(p->scratch, f->partition_count,
                                                sizeof *delegate_of);
  if (etr_arena_failed(p->scratch))
    return false;
  /* The handle lists of the partitions, in the order of the graph. */
  for (uint32_t i = 0; i < f->partition_count; i++)
    partitions[i] = (handle_list){.index = i};
  for (size_t i = 0; i < f->fx->order_count; i++) {
    uint32_t vertex = f->fx->order[i];
    if (!f->chosen[vertex] || f->partitioner->is_shared[vertex])
      continue;
    if (etr_fx_is_getitem(f->fx, vertex) && !f->partitioner->roles->lists_getitems)
      continue;
    handle_list *list = &partitions[f->groups[f->group_of[vertex]].partition];
    add_handle(list, etr_fx_node(f->fx, vertex)->debug_handle);
    list->last = (uint32_t)i;
  }
  sum_handles_of_delegates(p, delegates);
  etr_sort(partitions, f->partition_count, sizeof *partitions, by_list);
  etr_sort(delegates, p->delegate_count, sizeof *delegates, by_list);
  for (size_t i = 0, k = 0; i < f->partition_count; i++, k++) {
    while (k < p->delegate_count && !may_be_delegate(p, &partitions[i], &delegates[k]))
      k++;
    if (k == p->delegate_count)
      return false;
    delegate_of[partitions[i].index] = delegates[k].index;
  }
  for (uint32_t i = 0; i < f->partition_count; i++) {
    uint32_t partition = alone ? f->partition_count - 1 - i : i;
    uint32_t delegate = delegate_of[partition];
    p->leaving[p->leaving_count++] = delegate;
    p->is_found[delegate] = true;
  }
  for (size_t i = 0; i < f->fx->order_count; i++) {
    uint32_t vertex = f->fx->order[i];
    if (f->chosen[vertex] && !p->is_shared[vertex])
      p->member[vertex] = (int32_t)delegate_of[f->groups[f->group_of[vertex]].partition];
  }
  return true;
}

/* Numbers the groups that the stage takes, from the graph's last vertex on, and lists the vertices
 * of each in f->grouped, in the graph's order. A group's number is first stored for its root, then
 * for each of its vertices. */
static void list_groups(finder *f, const etr_vertex_groups *sets, etr_partition_groups taken) {
  const uint32_t *order = f->fx->order;
  uint32_t start = 0;
  for (size_t i = f->fx->order_count; i-- > 0;) {
    uint32_t vertex = order[i];
    if (!stage_takes_vertex(f->partitioner, sets, vertex, taken))
      continue;
    uint32_t *number = &f->group_of[root_of(sets, vertex)];
    if (*number == ETR_NONE) {
      *number = (uint32_t)f->group_count++;
      f->groups[*number].partition = ETR_NONE;
      f->groups[*number].owner = sets->owner[root_of(sets, vertex)];
    }
    group *g = &f->groups[*number];
    g->count++;
    g->edges += f->fx->vertices[vertex].input_count + f->fx->user_counts[vertex];
    g->has_weight |= f->partitioner->is_shared[vertex];
    f->chosen[vertex] = true;
  }
  for (size_t i = 0; i < f->group_count; i++) {
    f->groups[i].first = start;
    start += f->groups[i].count;
    f->groups[i].count = 0;
  }
  for (size_t i = 0; i < f->fx->order_count; i++) {
    uint32_t vertex = order[i];
    if (!f->chosen[vertex])
      continue;
    f->group_of[vertex] = f->group_of[root_of(sets, vertex)];
    group *g = &f->groups[f->group_of[vertex]];
    f->grouped[g->first + g->count++] = vertex;
  }
}

/* Groups the vertices of a stage, makes partitions of the groups, and finds the delegate of each.
 */
bool etr_partition_find(etr_partitioner *p, etr_partition_stage stage) {
  finder f = {.partitioner = p, .fx = p->fx};
  const etr_vertex_groups *sets = stage.order == ETR_ORDER_MERGED ? &p->kept : &p->listed;
  size_t count = p->fx->vertex_capacity;
  f.chosen = etr_arena_alloc_array(p->scratch, count, sizeof *f.chosen);
  f.group_of = etr_arena_alloc_array(p->scratch, count, sizeof *f.group_of);
  f.grouped = etr_arena_alloc_array(p->scratch, count, sizeof *f.grouped);
  f.groups = etr_arena_alloc_array(p->scratch, count, sizeof *f.groups);
  f.inside = etr_arena_alloc_array(p->scratch, count, sizeof *f.inside);
  f.marks = etr_arena_alloc_array(p->scratch, count, sizeof *f.marks);
  f.later_users = etr_arena_alloc_array(p->scratch, count, sizeof *f.later_users);
  f.states = etr_arena_alloc_array(p->scratch, count, sizeof *f.states);
  f.candidate = etr_arena_alloc_array(p->scratch, count, sizeof *f.candidate);
  f.behind = etr_arena_alloc_array(p->scratch, count, sizeof *f.behind);
  f.stack = etr_arena_alloc_array(p->scratch, count, sizeof *f.stack);
  if (etr_arena_failed(p->scratch))
    return false;
  for (size_t i = 0; i < count; i++)
    f.group_of[i] = ETR_NONE;
  list_groups(&f, sets, stage.groups);
  bool alone = stage.order == ETR_ORDER_SINGLE;
  return make_partitions(&f, alone) && find_delegates_of_partitions(&f, alone);
}

/* Delegates that list the same handles get the calls in their order. */
bool etr_partition_reassign(etr_partitioner *p, const uint32_t *call_at, uint32_t *delegate_of) {
  handle_list *calls = etr_arena_alloc_array(p->scratch, p->delegate_count, sizeof *calls);
  handle_list *delegates = etr_arena_alloc_array(p->scratch, p->delegate_count, sizeof *delegates);
  if (etr_arena_failed(p->scratch))
    return false;
  sum_handles_of_delegates(p, calls);
  sum_handles_of_delegates(p, delegates);
  for (size_t i = 0; i < p->delegate_count; i++)
    calls[i].last = call_at[i];
  etr_sort(calls, p->delegate_count, sizeof *calls, by_list);
  etr_sort(delegates, p->delegate_count, sizeof *delegates, by_list);
  for (size_t i = 0; i < p->delegate_count; i++)
    delegate_of[calls[i].index] = delegates[i].index;
  return true;
}
