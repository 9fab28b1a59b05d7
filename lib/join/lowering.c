/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lowering.c - repeats the lowering on a graph as FX has it, and checks the resulting order.
 */
#include "join/lowering.h"

#include "backends/operator.h"
#include "join/fx_graph.h"
#include "join/partition.h"

typedef struct lowerer {
  const etr_placement *placement;
  etr_arena *arena;
  etr_arena scratch;
  etr_fx_graph fx;
  int32_t *member; /* per vertex: index of its delegate in `delegates`, -1: none */
  const etr_placed **delegates;
  size_t delegate_count;
  etr_partitioner partitioner;
  uint32_t *call_of; /* per delegate: the vertex that calls it */
  uint32_t **parts;  /* per delegate: its vertices in order */
  size_t *part_sizes;
  size_t budget; /* steps left for one sequence of partitioners; 0: it is spent */
  bool is_cut;   /* the budget was spent */
  uint32_t *node_of;
  bool *is_open;
} lowerer;

/* ---- Taking delegates out ---- */

typedef struct placed_vertex {
  uint32_t position, vertex;
} placed_vertex;

/* Lists in l->parts the vertices of each delegate that the last stage found, those from `first` on
 * in l->partitioner.leaving. Returns false if a delegate has no vertices, or when out of memory. */
static bool list_vertices_of_delegates(lowerer *l, size_t first) {
  const etr_fx_graph *fx = &l->fx;
  for (size_t i = 0; i < fx->order_count; i++) {
    int32_t delegate = l->member[fx->order[i]];
    if (delegate >= 0)
      l->part_sizes[delegate]++;
  }
  for (size_t i = first; i < l->partitioner.leaving_count; i++) {
    uint32_t delegate = l->partitioner.leaving[i];
    l->parts[delegate] = etr_arena_alloc_array(&l->scratch, l->part_sizes[delegate],
                                               sizeof **l->parts);
    if (!l->parts[delegate] || l->part_sizes[delegate] == 0)
      return false;
    l->part_sizes[delegate] = 0;
  }
  for (size_t i = 0; i < fx->order_count; i++) {
    int32_t delegate = l->member[fx->order[i]];
    if (delegate >= 0)
      l->parts[delegate][l->part_sizes[delegate]++] = fx->order[i];
  }
  return true;
}

/* Sorts the vertices of a delegate by the current order of the graph, which taking out other
 * delegates has changed. Returns false when out of memory. */
static bool sort_vertices_of_delegate(lowerer *l, uint32_t delegate) {
  size_t count = l->part_sizes[delegate];
  uint32_t *vertices = l->parts[delegate];
  placed_vertex *list = etr_arena_alloc_array(&l->scratch, count, sizeof *list);
  if (!list)
    return false;
  for (size_t k = 0; k < count; k++)
    list[k] = (placed_vertex){l->fx.positions[vertices[k]], vertices[k]};
  etr_sort(list, count, sizeof *list, etr_by_number);
  for (size_t k = 0; k < count; k++)
    vertices[k] = list[k].vertex;
  return true;
}

/* Replaces the vertices of each delegate that the last stage found, those from `first` on, by a
 * call, in the order in which the partitioner found them, and sorts the graph after each. Returns
 * false if a delegate has no vertices, if the graph cannot be sorted or takes too long to sort, or
 * when out of memory. */
static bool replace_by_calls(lowerer *l, size_t first) {
  if (!list_vertices_of_delegates(l, first))
    return false;
  for (size_t i = first; i < l->partitioner.leaving_count; i++) {
    uint32_t delegate = l->partitioner.leaving[i];
    if (!sort_vertices_of_delegate(l, delegate))
      return false;
    l->call_of[delegate] = etr_fx_replace(&l->fx, l->parts[delegate], l->part_sizes[delegate]);
    size_t steps = l->fx.steps;
    if (l->call_of[delegate] == ETR_NONE || !etr_fx_sort(&l->fx))
      return false;
    if (!etr_spend(&l->budget, l->fx.steps - steps))
      return false;
  }
  etr_fx_compact(&l->fx);
  return true;
}

/* Corrects which call belongs to which of several delegates that list the same handles, now that
 * the order of the calls is known: it is that of their instructions. Returns false when out of
 * memory.
 */
static bool reassign_calls(lowerer *l) {
  size_t count = l->delegate_count;
  uint32_t *call_at = etr_arena_alloc_array(&l->scratch, count, sizeof *call_at);
  uint32_t *delegate_of = etr_arena_alloc_array(&l->scratch, count, sizeof *delegate_of);
  uint32_t *calls = etr_arena_alloc_array(&l->scratch, count, sizeof *calls);
  uint32_t **parts = etr_arena_alloc_array(&l->scratch, count, sizeof *parts);
  size_t *sizes = etr_arena_alloc_array(&l->scratch, count, sizeof *sizes);
  if (etr_arena_failed(&l->scratch))
    return false;
  for (size_t i = 0; i < count; i++)
    call_at[i] = l->fx.positions[l->call_of[i]];
  if (!etr_partition_reassign(&l->partitioner, call_at, delegate_of))
    return false;
  for (size_t i = 0; i < count; i++) {
    calls[delegate_of[i]] = l->call_of[i];
    parts[delegate_of[i]] = l->parts[i];
    sizes[delegate_of[i]] = l->part_sizes[i];
  }
  l->call_of = calls;
  l->parts = parts;
  l->part_sizes = sizes;
  return true;
}

/* ---- Proof ---- */

/* Returns whether an instruction can be compared with the order, to prove it: its handles are
 * known, and it is not a kernel of the runtime itself. Kernels that the reinplace pass made have no
 * handle, but the graph has their operator. */
static bool can_prove_order(const etr_placed *instruction) {
  if (instruction->is_in_place)
    return true;
  if (instruction->is_prim)
    return false;
  return instruction->map && instruction->map->handle_count;
}

/* Returns whether a vertex can be the instruction: for a delegate, it must be `call`; for a kernel
 * (`call` is ETR_NONE), a node with its handle and operator, as far as these are known. */
static bool can_be_instruction(const lowerer *l, const etr_placed *instruction, uint32_t call,
                               uint32_t vertex) {
  if (call != ETR_NONE)
    return vertex == call;
  if (!etr_fx_is_operator(&l->fx, vertex) || etr_fx_is_getitem(&l->fx, vertex))
    return false;
  const etr_node *node = etr_fx_node(&l->fx, vertex);
  bool has_handle = instruction->map && instruction->map->handle_count;
  if (has_handle && node->debug_handle != instruction->map->handles[0])
    return false;
  return instruction->op.size == 0 ||
         etr_slice_equal(etr_operator_of_target(node->target), instruction->op);
}

/* Returns the first index of the order from `index` on, or with `backwards` the last index up to
 * it, whose vertex can be the instruction. ETR_NONE if there is none, or if a vertex in between
 * must have an instruction of its own. `call` is the vertex that calls a delegate; ETR_NONE for
 * kernels.
 */
static uint32_t find_instruction(const lowerer *l, const etr_placed *instruction, uint32_t call,
                                 uint32_t index, bool backwards) {
  for (; index < l->fx.order_count;
       index = backwards ? index - 1 : index + 1) { /* 0 - 1 is not a valid index either */
    uint32_t vertex = l->fx.order[index];
    if (can_be_instruction(l, instruction, call, vertex))
      return index;
    if (etr_fx_is_operator(&l->fx, vertex) && !etr_fx_may_vanish(&l->fx, vertex))
      return ETR_NONE;
  }
  return ETR_NONE;
}

/* Returns whether the nodes of a delegate have the handles that the record lists for it, in order.
 * Getitems have entries of their own only in newer lists (lists_getitems). */
static bool has_listed_handles(const lowerer *l, uint32_t delegate) {
  const etr_map_instruction *map = l->delegates[delegate]->map;
  size_t position = 0;
  for (size_t k = 0; k < l->part_sizes[delegate]; k++) {
    uint32_t vertex = l->parts[delegate][k];
    bool is_listed = l->partitioner.roles->lists_getitems || !etr_fx_is_getitem(&l->fx, vertex);
    if (!is_listed || !etr_fx_is_operator(&l->fx, vertex))
      continue;
    if (position == map->handle_count)
      return false;
    if (map->handles[position] != etr_fx_node(&l->fx, vertex)->debug_handle)
      return false;
    position++;
  }
  return position == map->handle_count;
}

/* Returns true if the repeated lowering agrees with the record: the delegates have the handles that
 * it lists, and kernels and calls follow each other as the instructions do. Sets the node of each
 * kernel on the way. It is certain if the first and the last node that it can be, searched from the
 * start and from the end, are the same; else l->is_open says that another is possible. */
static bool is_proven(lowerer *l) {
  for (uint32_t i = 0; i < l->delegate_count; i++)
    if (!has_listed_handles(l, i))
      return false;
  const etr_placed *instructions = l->placement->instructions.data;
  size_t count = l->placement->instructions.count;
  uint32_t position = 0, delegate = 0;
  for (size_t i = 0; i < count; i++) {
    l->node_of[i] = ETR_NONE;
    if (!can_prove_order(&instructions[i]))
      continue;
    uint32_t call = instructions[i].is_delegate ? l->call_of[delegate++] : ETR_NONE;
    position = find_instruction(l, &instructions[i], call, position, false);
    if (position == ETR_NONE)
      return false;
    if (!instructions[i].is_delegate)
      l->node_of[i] = l->fx.vertices[l->fx.order[position]].node;
    position++;
  }
  position = (uint32_t)l->fx.order_count;
  for (size_t i = count; i-- > 0;) {
    if (!can_prove_order(&instructions[i]))
      continue;
    uint32_t call = instructions[i].is_delegate ? l->call_of[--delegate] : ETR_NONE;
    position = find_instruction(l, &instructions[i], call, position - 1, true);
    if (position == ETR_NONE)
      return true; /* the search past the last instruction does not disprove the order */
    l->is_open[i] = l->node_of[i] != ETR_NONE &&
                    l->fx.vertices[l->fx.order[position]].node != l->node_of[i];
  }
  return true;
}

/* ---- Result ---- */

/* Numbers the nodes of a delegate in their order, from *next on (their ranks), and sets the
 * delegate's instruction for each operator; constants that leave the graph with it have only a
 * rank. */
static void rank_delegate_nodes(const lowerer *l, size_t delegate, uint32_t *rank,
                                int32_t *delegate_of, uint32_t *next) {
  for (size_t i = 0; i < l->part_sizes[delegate]; i++) {
    uint32_t vertex = l->parts[delegate][i], node = l->fx.vertices[vertex].node;
    if (etr_fx_is_getitem(&l->fx, vertex))
      continue;
    rank[node] = (*next)++;
    if (etr_fx_is_operator(&l->fx, vertex))
      delegate_of[node] = l->delegates[delegate]->id;
  }
}

/* Fills the result: the position of each node in the order, and its delegate. The nodes of a
 * delegate are at the position of its call. Returns false when out of memory. */
static bool fill_lowering(const lowerer *l, etr_lowering *out) {
  size_t node_count = l->placement->method->graph->node_count;
  uint32_t *rank = etr_arena_alloc_array(l->arena, node_count, sizeof *rank), next = 0;
  int32_t *delegate_of = etr_arena_alloc_array(l->arena, node_count, sizeof *delegate_of);
  uint32_t *delegate_at = etr_arena_alloc_array(l->arena, l->fx.vertex_count, sizeof *delegate_at);
  if (etr_arena_failed(l->arena))
    return false;
  for (size_t i = 0; i < node_count; i++)
    delegate_of[i] = -1;
  for (uint32_t i = 0; i < l->delegate_count; i++)
    delegate_at[l->call_of[i]] = i + 1;
  for (size_t i = 0; i < l->fx.order_count; i++) {
    uint32_t vertex = l->fx.order[i];
    if (delegate_at[vertex])
      rank_delegate_nodes(l, delegate_at[vertex] - 1, rank, delegate_of, &next);
    else if (l->fx.vertices[vertex].node != ETR_NONE && !etr_fx_is_getitem(&l->fx, vertex))
      rank[l->fx.vertices[vertex].node] = next++;
  }
  *out = (etr_lowering){.is_proven = true,
                        .rank = rank,
                        .delegate_of = delegate_of,
                        .node_of = l->node_of,
                        .is_open = l->is_open};
  return true;
}

/* ---- Graphs that were recorded after lowering ---- */

/* Such a graph has the calls of delegates, in the order in which they run, and the module of each.
 * It counts as the order of the lowering if the handles of the modules' nodes are those that the
 * record lists for the calls. */

/* The modules of a graph, and the delegates of the method. */
typedef struct module_reader {
  const etr_placement *placement;
  const etr_graph *graph;
  int32_t *delegate_of; /* per node */
  uint32_t node;        /* the next node to look at */
} module_reader;

/* Returns whether a subgraph is the module of a delegate that a lowered graph calls. */
static bool is_lowered_module(const etr_graph *graph, uint32_t subgraph) {
  return subgraph != ETR_NONE && graph->subgraphs[subgraph].kind == ETR_SUBGRAPH_LOWERED &&
         graph->subgraphs[subgraph].parent == ETR_NONE;
}

/* Assigns the nodes of a lowered module, from r->node on, to a delegate. Returns false if their
 * handles are not those that the record lists for it, in order. An operator with several results
 * may be listed once more for each. */
static bool assign_module_nodes(module_reader *r, uint32_t subgraph, const etr_placed *delegate) {
  const uint32_t *handles = delegate->map->handles;
  size_t count = delegate->map->handle_count, entry = 0;
  for (; r->node < r->graph->node_count && r->graph->nodes[r->node].subgraph == subgraph;
       r->node++) {
    const etr_node *node = &r->graph->nodes[r->node];
    if (node->kind != ETR_NODE_OP)
      continue;
    if (entry == count || handles[entry] != node->debug_handle)
      return false;
    entry++;
    size_t result_count = node->output_count > 1 ? node->output_count : 0;
    size_t end = ETR_MIN(count, entry + result_count);
    while (entry < end && handles[entry] == node->debug_handle)
      entry++;
    r->delegate_of[r->node] = delegate->id;
  }
  return entry == count;
}

/* Moves r->node on to the first node of the next lowered module. Returns the module's
 * subgraph; ETR_NONE if there is none. */
static uint32_t next_module(module_reader *r) {
  while (r->node < r->graph->node_count &&
         !is_lowered_module(r->graph, r->graph->nodes[r->node].subgraph))
    r->node++;
  return r->node < r->graph->node_count ? r->graph->nodes[r->node].subgraph : ETR_NONE;
}

/* Assigns the nodes of the graph's lowered modules to the delegate calls, in order. Returns false
 * if there are more or fewer modules than calls, or none, or if handles differ. */
static bool assign_all_modules(module_reader *r) {
  const etr_placed *instructions = r->placement->instructions.data;
  bool has_module = false;
  for (size_t i = 0; i < r->placement->instructions.count; i++) {
    const etr_placed *delegate = &instructions[i];
    if (!delegate->is_delegate || !delegate->map || delegate->map->handle_count == 0)
      continue;
    uint32_t subgraph = next_module(r);
    if (subgraph == ETR_NONE || !assign_module_nodes(r, subgraph, delegate))
      return false;
    has_module = true;
  }
  return has_module && next_module(r) == ETR_NONE;
}

/* Takes the order from a graph that was recorded after lowering: fills *out if the graph has a
 * module for each delegate of the method, whose nodes have the listed handles. Otherwise leaves
 * *out as it is. The rank of a node is its index in the graph; kernels get no nodes here, which
 * other evidence shows. Returns false when out of memory. */
static bool read_lowered_modules(etr_lowering *out, const etr_placement *placement,
                                 etr_arena *arena) {
  const etr_graph *graph = placement->method->graph;
  size_t count = placement->instructions.count;
  module_reader r = {.placement = placement, .graph = graph};
  if (next_module(&r) == ETR_NONE)
    return true;
  r.delegate_of = etr_arena_alloc_array(arena, graph->node_count, sizeof *r.delegate_of);
  uint32_t *rank = etr_arena_alloc_array(arena, graph->node_count, sizeof *rank);
  uint32_t *node_of = etr_arena_alloc_array(arena, count, sizeof *node_of);
  bool *is_open = etr_arena_alloc_array(arena, count, sizeof *is_open);
  if (etr_arena_failed(arena))
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    r.delegate_of[i] = -1;
    rank[i] = i;
  }
  for (size_t i = 0; i < count; i++)
    node_of[i] = ETR_NONE;
  r.node = 0;
  if (assign_all_modules(&r))
    *out = (etr_lowering){.is_proven = true,
                          .rank = rank,
                          .delegate_of = r.delegate_of,
                          .node_of = node_of,
                          .is_open = is_open};
  return true;
}

/* ---- All ---- */

/* Budget in steps for each sequence of partitioners: for each node, at least, and at most. Among 70
 * real models the largest need is 29 steps a node, or some hundreds where each operator is a
 * delegate. Hundreds of parallel delegates that list the same handles need more, because each one
 * that is taken out is moved after all others. */
enum { BUDGET_OF_NODE = 1 << 8, LEAST_BUDGET = 1 << 18, BUDGET = 1 << 24 };

/* Lists the delegate calls for which the record has a list of handles. Returns false when out of
 * memory. */
static bool list_delegates_with_handles(lowerer *l) {
  size_t count = l->placement->instructions.count;
  l->delegates = etr_arena_alloc_array(&l->scratch, count, sizeof *l->delegates);
  for (size_t i = 0; l->delegates && i < count; i++) {
    const etr_placed *instruction = &l->placement->instructions.data[i];
    if (instruction->is_delegate && instruction->map && instruction->map->handle_count)
      l->delegates[l->delegate_count++] = instruction;
  }
  l->call_of = etr_arena_alloc_array(&l->scratch, l->delegate_count, sizeof *l->call_of);
  l->parts = etr_arena_alloc_array(&l->scratch, l->delegate_count, sizeof *l->parts);
  l->part_sizes = etr_arena_alloc_array(&l->scratch, l->delegate_count, sizeof *l->part_sizes);
  return l->delegates && l->call_of && l->parts && l->part_sizes;
}

/* Builds the graph as recorded, for one try of a strategy: no vertex is in a delegate, and the
 * whole budget is left. Returns false when out of memory. */
static bool start_lowering(lowerer *l, const etr_roles *roles) {
  size_t nodes = l->placement->method->graph->node_count;
  l->budget = ETR_MIN((size_t)BUDGET, ETR_MAX((size_t)LEAST_BUDGET, BUDGET_OF_NODE * nodes));
  if (!etr_fx_build(&l->fx, l->placement->method->graph, l->delegate_count, &l->scratch))
    return false;
  l->member = etr_arena_alloc_array(&l->scratch, l->fx.vertex_capacity, sizeof *l->member);
  uint32_t *leaving = etr_arena_alloc_array(&l->scratch, l->delegate_count, sizeof *leaving);
  if (etr_arena_failed(&l->scratch))
    return false;
  for (size_t i = 0; i < l->fx.vertex_capacity; i++)
    l->member[i] = -1;
  for (size_t i = 0; i < l->delegate_count; i++)
    l->part_sizes[i] = 0;
  l->partitioner = (etr_partitioner){.fx = &l->fx,
                                     .placement = l->placement,
                                     .roles = roles,
                                     .delegates = l->delegates,
                                     .delegate_count = l->delegate_count,
                                     .member = l->member,
                                     .leaving = leaving,
                                     .budget = &l->budget,
                                     .scratch = &l->scratch};
  return etr_partitioner_init(&l->partitioner);
}

/* The sequences of partitioners with which a model may have been lowered. Which operators each
 * delegate has is mostly known from the record; they differ in which delegate leaves first, and in
 * what they make of handles that several delegates list. */
static const struct {
  etr_partition_stage stages[2];
  size_t count;
} strategies[] = {
    {{{ETR_GROUPS_ALL, ETR_ORDER_MERGED}}, 1},
    {{{ETR_GROUPS_DYNAMIC, ETR_ORDER_MERGED}, {ETR_GROUPS_NOT_DYNAMIC, ETR_ORDER_MERGED}}, 2},
    {{{ETR_GROUPS_LAYERS, ETR_ORDER_MERGED}, {ETR_GROUPS_NO_LAYERS, ETR_ORDER_MERGED}}, 2},
    {{{ETR_GROUPS_ALL, ETR_ORDER_LISTED}}, 1},
    {{{ETR_GROUPS_DYNAMIC, ETR_ORDER_LISTED}, {ETR_GROUPS_NOT_DYNAMIC, ETR_ORDER_LISTED}}, 2},
    {{{ETR_GROUPS_LAYERS, ETR_ORDER_LISTED}, {ETR_GROUPS_NO_LAYERS, ETR_ORDER_LISTED}}, 2},
    {{{ETR_GROUPS_ALL, ETR_ORDER_SINGLE}}, 1},
    {{{ETR_GROUPS_DYNAMIC, ETR_ORDER_SINGLE}, {ETR_GROUPS_NOT_DYNAMIC, ETR_ORDER_LISTED}}, 2},
    {{{ETR_GROUPS_DYNAMIC, ETR_ORDER_LISTED}, {ETR_GROUPS_NOT_DYNAMIC, ETR_ORDER_SINGLE}}, 2},
};

/* Lets a constant leave the graph with the delegate that is its only user; several delegates, or a
 * kernel, leave it where it is. */
static void put_constants_into_delegates(lowerer *l) {
  const etr_fx_graph *fx = &l->fx;
  for (size_t j = 0; j < fx->order_count; j++) {
    uint32_t vertex = fx->order[j];
    if (!etr_fx_is_constant(fx, vertex) || fx->user_counts[vertex] == 0)
      continue;
    const uint32_t *users = &fx->users.data[fx->user_starts[vertex]];
    int32_t member = l->member[users[0]];
    for (uint32_t k = 1; k < fx->user_counts[vertex]; k++)
      if (l->member[users[k]] != member)
        member = -1;
    l->member[vertex] = member;
  }
}

/* Repeats the lowering with one sequence of partitioners (a strategy). Returns true if the record
 * proves the result; false also if the budget is spent, or when out of memory. */
static bool try_strategy(lowerer *l, size_t strategy, const etr_roles *roles) {
  if (!start_lowering(l, roles))
    return false;
  for (size_t i = 0; i < strategies[strategy].count; i++) {
    size_t first = l->partitioner.leaving_count;
    if (!etr_partition_find(&l->partitioner, strategies[strategy].stages[i]))
      return false;
    put_constants_into_delegates(l);
    if (!replace_by_calls(l, first))
      return false;
  }
  bool found_all = l->partitioner.leaving_count == l->delegate_count;
  return found_all && reassign_calls(l) && is_proven(l);
}

/* Takes the order from lowered modules in the record, or else from the first sequence of
 * partitioners whose result is proven; warns if the budget did not suffice. */
bool etr_lowering_find(etr_lowering *out, const etr_placement *placement, const etr_roles *roles,
                       etr_warnings *warnings, etr_arena *arena) {
  size_t count = placement->instructions.count;
  lowerer l = {.placement = placement,
               .arena = arena,
               .node_of = etr_arena_alloc_array(arena, count, sizeof *l.node_of),
               .is_open = etr_arena_alloc_array(arena, count, sizeof *l.is_open)};
  *out = (etr_lowering){0};
  if (!read_lowered_modules(out, placement, arena))
    return false;
  if (out->is_proven || placement->method->graph->is_changed || !roles->is_consistent)
    return true;
  bool found = false, good = l.node_of && l.is_open && list_delegates_with_handles(&l);
  for (size_t i = 0; good && !found && i < ETR_COUNT(strategies) && !etr_arena_failed(&l.scratch);
       i++) {
    found = try_strategy(&l, i, roles);
    l.is_cut |= l.budget == 0;
  }
  if (good && !found && l.is_cut)
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: too many delegates to repeat the lowering: kernels and delegates with the same "
             "debug handles are distinguished by the graph's order, which is an estimate",
             etr_method_label(placement->method));
  good = good && !etr_arena_failed(&l.scratch) && (!found || fill_lowering(&l, out));
  etr_arena_clear(&l.scratch);
  return good;
}
