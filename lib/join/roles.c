/* SPDX-License-Identifier: BSD-3-Clause
 *
 * roles.c - counts kernels and delegated nodes handle by handle.
 */
#include "join/roles.h"

#include "backends/backends.h"
#include "backends/operator.h"
#include "inputs/graph_values.h"
#include "join/fx_graph.h"

/* Reasons for which a node stays in the program, the strongest first. */
typedef enum reason {
  MUST_STAY, /* its result is not a tensor */
  NOT_TAKEN, /* the partitioner does not take it */
  SYMBOLIC_VIEW,
  VIEW,
  NO_REASON,
  REASONS,
} reason;

typedef struct finder {
  etr_roles *out;
  const etr_placement *placement;
  const etr_backend *backend; /* backend of the first delegate: few methods have two backends */
  const uint32_t *entries;    /* per node: number of entries that a handle list has for it */
  uint8_t *reasons;           /* per node: 1 + its reason to stay; 0: not computed yet */
  bool *is_outside; /* per node: no delegate can contain it; NULL: convexity was not looked at
                          yet */
  etr_arena *arena;
} finder;

/* The nodes of one handle that may be delegated. */
typedef struct selection {
  finder *finder;
  const etr_handle_node *nodes;
  size_t count;
  uint32_t available; /* entries of handle lists for the nodes that are marked as delegated */
} selection;

/* Returns the backend of the method's first delegate, which stands for all: few methods have two.
 * NULL if it is unknown or there is no delegate. */
static const etr_backend *backend_of_first_delegate(const etr_placement *placement) {
  for (size_t i = 0; i < placement->instructions.count; i++)
    if (placement->instructions.data[i].is_delegate)
      return etr_backend_of(placement->instructions.data[i].backend);
  return NULL;
}

/* ---- Convexity ---- */

/* A delegate is called once: no path leads from one of its nodes to another by way of a node
 * outside. So what lies between nodes that are certainly in it is in it, too; and what such a path
 * reaches by way of a node that is certainly outside is outside. */

/* What is known of a node and one delegate. */
typedef enum place {
  SURE = 1 << 0,       /* it is in the delegate, which lists all nodes of its handle */
  FOREIGN = 1 << 1,    /* an operator with a handle that the delegate does not list */
  AFTER = 1 << 2,      /* a path leads to it from the delegate */
  AFTER_OUT = 1 << 3,  /* such a path goes by way of a foreign node */
  BEFORE = 1 << 4,     /* a path leads from it to the delegate */
  BEFORE_OUT = 1 << 5, /* such a path goes by way of a foreign node */
} place;

enum { MOST_STEPS = 1 << 22 }; /* limit on inputs and nodes that are visited for all delegates */

typedef struct paths {
  finder *finder;
  uint8_t *positions; /* per node: bits of `place` */
  etr_map listed;     /* handle -> how often the delegate lists it */
} paths;

/* Marks the nodes with a handle as sure to be in the delegate, if its list has the handle as often
 * (`listed_count`) as all these nodes have entries together: one each, and one for each getitem
 * where lists have those. */
static void mark_sure_nodes(paths *p, uint32_t handle, uint32_t listed_count) {
  const etr_method_inputs *method = p->finder->placement->method;
  size_t first = etr_method_first_of_handle(method, handle), end = first;
  uint32_t entries = 0;
  for (; end < method->by_handle_count && method->by_handle[end].handle == handle; end++)
    entries += p->finder->entries[method->by_handle[end].node];
  for (size_t i = first; entries == listed_count && i < end; i++)
    if (p->finder->entries[method->by_handle[i].node])
      p->positions[method->by_handle[i].node] |= SURE;
}

/* Returns the bits that a node gets from a neighbor with the bits `from`: a path from the delegate
 * (or to it) goes on to the node, and goes by way of a node outside if it did before, or if the
 * neighbor is one. `on_path` and `by_outside` are the bits of either direction. */
static uint8_t bits_from_neighbor(uint8_t from, place on_path, place by_outside) {
  bool is_on_path = from & (SURE | on_path);
  bool is_by_outside = from & by_outside || (from & FOREIGN && from & on_path);
  return (uint8_t)((is_on_path ? on_path : 0) | (is_by_outside ? by_outside : 0));
}

/* Marks the nodes that come after nodes of the delegate on paths through the graph (AFTER, and
 * AFTER_OUT if a path leads through a node that is certainly outside), and those that come before:
 * producers are listed first, so one pass in each direction follows all paths. */
static void follow_paths(const paths *p) {
  const etr_graph *graph = p->finder->placement->method->graph;
  uint8_t *bits = p->positions;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    for (size_t k = 0; k < node->input_count; k++)
      bits[i] |= bits_from_neighbor(bits[node->inputs[k].node], AFTER, AFTER_OUT);
  }
  for (size_t i = graph->node_count; i-- > 0;) {
    const etr_node *node = &graph->nodes[i];
    for (size_t k = 0; k < node->input_count; k++)
      bits[node->inputs[k].node] |= bits_from_neighbor(bits[i], BEFORE, BEFORE_OUT);
  }
}

/* Fills what is known of each node and one delegate: whether it is certainly in it, cannot be in it
 * because of its handle, or comes before or after it. Returns false when out of memory. */
static bool find_positions(paths *p, const etr_map_instruction *map) {
  const etr_graph *graph = p->finder->placement->method->graph;
  memset(p->positions, 0, graph->node_count);
  etr_map_init(&p->listed, p->finder->arena);
  for (size_t i = 0; i < map->handle_count; i++) {
    etr_map_slot *slot = etr_map_at(&p->listed, ETR_BYTES(map->handles[i]));
    if (!slot)
      return false;
    slot->value = slot->value == ETR_NONE ? 1 : slot->value + 1;
  }
  for (size_t i = 0; i < map->handle_count; i++) {
    etr_map_slot *slot = etr_map_at(&p->listed, ETR_BYTES(map->handles[i]));
    if (slot->value)
      mark_sure_nodes(p, map->handles[i], slot->value);
    slot->value = 0; /* once for each handle */
  }
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind == ETR_NODE_OP && node->debug_handle &&
        etr_map_get(&p->listed, ETR_BYTES(node->debug_handle)) == ETR_NONE)
      p->positions[i] |= FOREIGN;
  }
  follow_paths(p);
  return true;
}

/* Finds the nodes that are certainly inside some delegate (out->is_inside), and those that no
 * delegate can contain (is_outside), because no path leaves a delegate and comes back. For too
 * large a graph both stay unknown in part. Returns false when out of memory. */
static bool find_inside_and_outside(finder *f) {
  const etr_method_inputs *method = f->placement->method;
  size_t count = method->graph->node_count, steps = 0, left = MOST_STEPS;
  paths p = {.finder = f, .positions = etr_arena_alloc_array(f->arena, count, 1)};
  /* per node: delegates that list its handle, and those of them that cannot contain it */
  uint32_t *listing = etr_arena_alloc_array(f->arena, count, sizeof *listing);
  uint32_t *excluded = etr_arena_alloc_array(f->arena, count, sizeof *excluded);
  f->is_outside = etr_arena_alloc_array(f->arena, count, sizeof *f->is_outside);
  if (!p.positions || !listing || !excluded || !f->is_outside)
    return false;
  for (size_t i = 0; i < count; i++) {
    f->out->is_inside[i] = false;
    steps += 1 + method->graph->nodes[i].input_count;
  }
  for (size_t i = 0; i < f->placement->instructions.count; i++) {
    const etr_placed *delegate = &f->placement->instructions.data[i];
    if (!delegate->is_delegate || !delegate->map || delegate->map->handle_count == 0)
      continue;
    if (!etr_spend(&left, steps + delegate->map->handle_count))
      return true; /* what is outside is not known, and less of what is inside */
    if (!find_positions(&p, delegate->map))
      return false;
    for (size_t k = 0; k < count; k++) {
      if (f->entries[k] == 0 || p.positions[k] & FOREIGN)
        continue;
      bool is_between = p.positions[k] & AFTER && p.positions[k] & BEFORE;
      f->out->is_inside[k] |= p.positions[k] & SURE || is_between;
      listing[k]++;
      excluded[k] += !is_between && p.positions[k] & (AFTER_OUT | BEFORE_OUT);
    }
  }
  for (size_t k = 0; k < count; k++)
    f->is_outside[k] = listing[k] && excluded[k] == listing[k];
  return true;
}

/* ---- Reasons ---- */

/* Returns whether the backend's partitioner takes a node; true if that is unknown. */
static bool is_taken_by_partitioner(const finder *f, const etr_node *node) {
  return !f->backend || !f->backend->takes ||
         f->backend->takes(f->placement->method->graph, f->placement->method->uses, node);
}

/* Returns why a partitioner would leave a node out of delegates, by the node alone. Views are more
 * likely to stay than other operators, and most of all views whose shape is symbolic. */
static reason reason_by_node(const finder *f, const etr_node *node) {
  if (!etr_has_tensor(node))
    return MUST_STAY;
  if (!is_taken_by_partitioner(f, node))
    return NOT_TAKEN;
  if (!etr_is_view(node))
    return NO_REASON;
  bool is_symbolic = false;
  for (int32_t i = 0; i < node->outputs[0].rank; i++)
    is_symbolic |= node->outputs[0].dims[i].size == ETR_DIM_SYMBOLIC;
  bool is_aten_view = etr_slice_starts(etr_operator_of_target(node->target), ETR_SLICE("view"));
  return is_symbolic && is_aten_view ? SYMBOLIC_VIEW : VIEW;
}

/* Returns whether a delegate certainly contains a node. */
static bool is_certainly_inside(finder *f, uint32_t node) {
  return (f->is_outside || find_inside_and_outside(f)) && f->out->is_inside[node];
}

static bool is_certainly_outside(finder *f, uint32_t node) {
  return (f->is_outside || find_inside_and_outside(f)) && f->is_outside[node];
}

/* Returns why a node would stay outside delegates, the strongest reason first: it must if no
 * delegate can contain it. Computed once for each node. */
static reason reason_to_stay(finder *f, uint32_t node) {
  if (f->reasons[node])
    return (reason)(f->reasons[node] - 1);
  const etr_node *graph_node = &f->placement->method->graph->nodes[node];
  reason found = is_certainly_outside(f, node) ? MUST_STAY : reason_by_node(f, graph_node);
  f->reasons[node] = (uint8_t)(1 + found);
  return found;
}

/* ---- Kernels ---- */

/* Which nodes of a group may be kernels, from one pass to the next. */
typedef enum pass { NOT_IN_DELEGATES, NOT_CERTAINLY_INSIDE, ANY } pass;

/* Returns whether a node may be marked as a kernel in this pass: at first only if no delegate can
 * contain it, then unless one certainly does, and at last in any case. */
static bool may_be_kernel(finder *f, uint32_t node, pass current) {
  if (current == ANY)
    return true;
  if (is_certainly_inside(f, node))
    return false;
  return current == NOT_CERTAINLY_INSIDE || reason_to_stay(f, node) <= NOT_TAKEN;
}

/* Marks as many nodes of a group (those with one handle and operator) as kernels as there are
 * kernels with both, those first that a delegate is least likely to contain. If there are equally
 * many of both, all are marked. */
static void mark_kernels(finder *f, const etr_kernel_group *group) {
  const etr_method_inputs *method = f->placement->method;
  size_t left = group->kernels.count;
  pass first = group->node_count == left ? ANY : NOT_IN_DELEGATES;
  for (pass current = first; current <= ANY; current++) {
    for (size_t i = 0; i < group->node_count && left; i++) {
      uint32_t node = method->by_operator.slots[group->first + i].node;
      if (f->out->is_kernel[node] || !may_be_kernel(f, node, current))
        continue;
      f->out->is_kernel[node] = true;
      left--;
    }
  }
}

/* ---- What stays ---- */

static const etr_node *node_at(const selection *s, size_t i) {
  return &s->finder->placement->method->graph->nodes[s->nodes[i].node];
}

/* Returns whether the i-th node of the selection is marked as delegated, but may be left out of the
 * delegates for this reason. */
static bool may_be_left_out(selection *s, size_t i, reason why) {
  uint32_t node = s->nodes[i].node;
  return s->finder->out->is_delegated[node] && !is_certainly_inside(s->finder, node) &&
         reason_to_stay(s->finder, node) == why;
}

enum {
  MOST_OPERATORS = 8
}; /* limit for one reason and handle, because all subsets of the operators are tried */

/* The operators of the nodes with one reason to stay, and the entries of each. */
typedef struct operators {
  const char *targets[MOST_OPERATORS];
  uint32_t entries[MOST_OPERATORS], all;
  size_t count;
  bool is_whole; /* it lists all such operators */
} operators;

/* Returns the index of an operator in the list; adds it if it is not there yet. Returns
 * MOST_OPERATORS, and notes that the list lacks some, if there is no room. */
static size_t find_or_add_operator(operators *o, const char *target) {
  size_t i = 0;
  while (i < o->count && strcmp(o->targets[i], target) != 0)
    i++;
  if (i == o->count && i < MOST_OPERATORS)
    o->targets[o->count++] = target;
  o->is_whole &= i < MOST_OPERATORS;
  return i;
}

/* Returns the first subset of operators, as bits, whose nodes have this number of entries in handle
 * lists; 0 if there is none. Sets *has_others if there are more such subsets. */
static unsigned find_subset(const operators *o, uint32_t wanted, bool *has_others) {
  unsigned found = 0;
  *has_others = false;
  for (unsigned subset = 1; o->is_whole && subset < 1u << o->count; subset++) {
    uint32_t sum = 0;
    for (size_t i = 0; i < o->count; i++)
      sum += subset >> i & 1 ? o->entries[i] : 0;
    if (sum != wanted)
      continue;
    *has_others = found != 0;
    if (found)
      break;
    found = subset;
  }
  return found;
}

/* Leaves nodes that have this reason to stay out of the delegates, until as many entries are left
 * as the delegates list (`wanted`). A partitioner takes all nodes of an operator or none, so all
 * nodes of some operators leave if that gives the number; else the last nodes do. Counts the nodes
 * as ambiguous if other choices were as good. */
static void leave_out_nodes(selection *s, reason why, uint32_t wanted) {
  /* Collects the operators of the nodes that may stay, with their entries. */
  operators o = {.is_whole = true};
  for (size_t i = 0; i < s->count; i++) {
    if (!may_be_left_out(s, i, why))
      continue;
    size_t index = find_or_add_operator(&o, node_at(s, i)->target);
    uint32_t entries = s->finder->entries[s->nodes[i].node];
    o.all += entries;
    if (index < MOST_OPERATORS)
      o.entries[index] += entries;
  }
  uint32_t leaving = s->available - wanted;
  bool has_others, all_leave = o.all <= leaving;
  unsigned subset = all_leave ? 0 : find_subset(&o, leaving, &has_others);
  if (!all_leave && (subset == 0 || has_others))
    s->finder->out->ambiguous += o.all;
  for (size_t i = s->count; i-- > 0 && s->available > wanted;) {
    if (!may_be_left_out(s, i, why))
      continue;
    size_t index = find_or_add_operator(&o, node_at(s, i)->target);
    if (subset && !(subset >> index & 1))
      continue;
    uint32_t node = s->nodes[i].node;
    s->finder->out->is_delegated[node] = false;
    s->available -= ETR_MIN(s->available, s->finder->entries[node]);
  }
}

/* Chooses which of the nodes with one handle are delegated: those with reasons to stay are left
 * out first, until as many are left as the delegates list. Returns whether that number was
 * reached. */
static bool select_nodes(finder *f, size_t first, size_t count, uint32_t wanted) {
  selection s = {.finder = f, .nodes = &f->placement->method->by_handle[first], .count = count};
  for (size_t i = 0; i < count; i++) {
    uint32_t node = s.nodes[i].node;
    f->out->is_delegated[node] = f->entries[node] && !f->out->is_kernel[node];
    if (f->out->is_delegated[node])
      s.available += f->entries[node];
  }
  for (reason why = MUST_STAY; why < REASONS && s.available > wanted; why++)
    leave_out_nodes(&s, why, wanted);
  return s.available == wanted;
}

/* ---- All ---- */

/* Counts in `listed`, by handle, how often the lists of all delegates together have each handle.
 * Returns false when out of memory. */
static bool count_listed_handles(const etr_placement *placement, etr_map *listed) {
  for (size_t i = 0; i < placement->instructions.count; i++) {
    const etr_placed *instruction = &placement->instructions.data[i];
    bool has_list = instruction->is_delegate && instruction->map;
    for (size_t k = 0; has_list && k < instruction->map->handle_count; k++) {
      etr_map_slot *slot = etr_map_at(listed, ETR_BYTES(instruction->map->handles[k]));
      if (!slot)
        return false;
      slot->value = slot->value == ETR_NONE ? 1 : slot->value + 1;
    }
  }
  return true;
}

/* Selects the delegated nodes of each handle that delegates list. Returns false if their number
 * differs from the handle lists, or a listed handle has no node; the caller then tries again
 * without entries for getitems. */
static bool select_delegated_nodes(finder *f, const etr_map *listed) {
  const etr_method_inputs *method = f->placement->method;
  size_t found = 0;
  bool is_consistent = true;
  f->out->ambiguous = 0;
  for (size_t first = 0, end; first < method->by_handle_count; first = end) {
    uint32_t handle = method->by_handle[first].handle;
    uint32_t wanted = etr_map_get(listed, ETR_BYTES(handle));
    for (end = first; end < method->by_handle_count && method->by_handle[end].handle == handle;)
      end++;
    if (wanted == ETR_NONE)
      continue;
    found++;
    is_consistent &= select_nodes(f, first, end - first, wanted);
  }
  bool have_all_nodes = found == listed->count;
  return is_consistent && have_all_nodes;
}

/* Marks the nodes of kernels, then selects delegated nodes among the others. Newer handle lists
 * also have an entry for each getitem; if the numbers do not fit, it tries again without these. */
bool etr_roles_find(etr_roles *out, const etr_placement *placement, const etr_kernel_groups *groups,
                    etr_arena *arena) {
  const etr_method_inputs *method = placement->method;
  size_t node_count = method->graph->node_count;
  finder f = {.out = out,
              .placement = placement,
              .backend = backend_of_first_delegate(placement),
              .arena = arena};
  etr_map listed;
  etr_map_init(&listed, arena);
  *out = (etr_roles){.lists_getitems = true};
  out->is_kernel = etr_arena_alloc_array(arena, node_count, sizeof *out->is_kernel);
  out->is_delegated = etr_arena_alloc_array(arena, node_count, sizeof *out->is_delegated);
  out->is_inside = etr_arena_alloc_array(arena, node_count, sizeof *out->is_inside);
  f.reasons = etr_arena_alloc_array(arena, node_count, sizeof *f.reasons);
  uint32_t *entries = etr_fx_count_vertices(method->graph, arena);
  if (!f.reasons || !out->is_kernel || !out->is_delegated || !out->is_inside || !entries ||
      !count_listed_handles(placement, &listed))
    return false;
  f.entries = entries;
  for (size_t i = 0; i < groups->count; i++)
    mark_kernels(&f, &groups->data[i]);
  out->is_consistent = select_delegated_nodes(&f, &listed);
  if (out->is_consistent)
    return !etr_arena_failed(arena);
  for (size_t i = 0; i < node_count; i++) {
    entries[i] = entries[i] > 0;
    f.reasons[i] = 0;
  }
  f.is_outside = NULL;
  out->lists_getitems = false;
  out->is_consistent = select_delegated_nodes(&f, &listed);
  return !etr_arena_failed(arena);
}

/* ---- Grouping by the first handle that has the operator ---- */

/* Returns the first slot in by_operator of the nodes with a kernel's operator and one of its
 * handles, and sets *count to how many there are, which may be 0. */
static size_t find_nodes_of_kernel(const etr_method_inputs *method, const etr_placed *kernel,
                                   size_t *count) {
  uint32_t op = etr_map_get(&method->operators, kernel->op);
  *count = 0;
  for (size_t i = 0; op != ETR_NONE && i < kernel->map->handle_count; i++) {
    size_t first = etr_node_index_find(&method->by_operator, kernel->map->handles[i], op, count);
    if (*count)
      return first;
  }
  return 0;
}

/* Kernels with the same nodes are in one group. */
bool etr_kernel_groups_find(etr_kernel_groups *out, const etr_placement *placement,
                            etr_arena *arena) {
  const etr_method_inputs *method = placement->method;
  /* per slot of by_operator: 1 + index of the group whose nodes start there */
  uint32_t *group_of = etr_arena_alloc_array(arena, method->by_operator.count, sizeof *group_of);
  if (!group_of)
    return false;
  for (uint32_t i = 0; i < placement->instructions.count; i++) {
    const etr_placed *kernel = &placement->instructions.data[i];
    size_t count = 0, first = 0;
    bool is_known = kernel->is_kernel && kernel->map && kernel->op.size && !kernel->is_prim;
    if (is_known && !method->graph->is_changed)
      first = find_nodes_of_kernel(method, kernel, &count);
    if (count == 0)
      continue;
    if (!group_of[first]) {
      etr_kernel_group *added = etr_vec_push(arena, out);
      if (!added)
        return false;
      *added = (etr_kernel_group){.first = first, .node_count = count};
      group_of[first] = (uint32_t)out->count;
    }
    uint32_t *slot = etr_vec_push(arena, &out->data[group_of[first] - 1].kernels);
    if (!slot)
      return false;
    *slot = i;
  }
  return true;
}
