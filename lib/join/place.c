/* SPDX-License-Identifier: BSD-3-Clause
 *
 * place.c - finds nodes by the order of the lowering, in bodies, by data flow, and then by handle
 * and operator.
 */
#include "inputs/program_values.h"
#include "join/data_flow.h"
#include "join/lowering.h"
#include "join/placement.h"

/* ---- The nodes of each delegate ---- */

typedef struct finder {
  etr_placement *placement;
  bool *taken;
  etr_arena *arena, *scratch;
  size_t *skip; /* state of etr_method_next_free() */
} finder;

/* Adds a node to those of a delegate's instruction, in the order in which the delegate runs them.
 * Returns false when out of memory. */
static bool add_delegate_node(finder *f, int32_t instruction, uint32_t node) {
  etr_delegate_node *added = etr_vec_push(f->arena, &f->placement->delegate_nodes);
  if (!added)
    return false;
  *added = (etr_delegate_node){instruction, node};
  f->placement->node_delegate[node] = instruction;
  return true;
}

/* ---- By handle lists ---- */

/* An entry of a delegate's handle list with its index, or a node of its payload's operators. */
typedef struct entry {
  uint32_t handle, index;
} entry;

typedef etr_vec(entry) entries;

/* Appends a handle to a list, with its index in a delegate's handle list or with its node. Returns
 * false when out of memory. */
static bool push_handle_entry(finder *f, entries *list, uint32_t handle, uint32_t index) {
  entry *added = etr_vec_push(f->scratch, list);
  if (added)
    *added = (entry){handle, index};
  return added != NULL;
}

/* Lists the handles in a delegate's handle list with their index there, and the handles of the
 * nodes that its payload's operators have with the node. An operator that only completes another is
 * left out, so that each node is listed once. Both lists are sorted by handle. Returns false when
 * out of memory. */
static bool list_handles(finder *f, const etr_placed *delegate, entries *listed,
                         entries *of_payload) {
  const etr_node *nodes = f->placement->method->graph->nodes;
  for (uint32_t i = 0; i < delegate->map->handle_count; i++)
    if (!push_handle_entry(f, listed, delegate->map->handles[i], i))
      return false;
  for (size_t i = 0; delegate->payload && i < delegate->payload->count; i++) {
    uint32_t node = delegate->operator_nodes[i];
    bool is_first = node != ETR_NONE && delegate->payload->operators[i].completes == ETR_NONE;
    if (is_first && !push_handle_entry(f, of_payload, nodes[node].debug_handle, node))
      return false;
  }
  etr_sort(listed->data, listed->count, sizeof *listed->data, etr_by_two_numbers);
  etr_sort(of_payload->data, of_payload->count, sizeof *of_payload->data, etr_by_two_numbers);
  return true;
}

/* Fills `nodes`: for each entry of a delegate's handle list, a node with that handle. It is one
 * that runs an operator of the payload, or else the next unassigned one in graph order; ETR_NONE if
 * there is none. If several nodes share a handle, the order of the delegate's nodes is no longer
 * known. Returns false when out of memory. */
static bool assign_nodes_to_handles(finder *f, const etr_placed *delegate, uint32_t *nodes) {
  entries listed = {0}, of_payload = {0};
  if (!list_handles(f, delegate, &listed, &of_payload))
    return false;
  size_t next = 0; /* in of_payload: both lists are sorted, so one pass pairs them */
  for (size_t i = 0; i < listed.count; i++) {
    uint32_t handle = listed.data[i].handle;
    uint32_t *node = &nodes[listed.data[i].index];
    while (next < of_payload.count && of_payload.data[next].handle < handle)
      next++;
    if (next < of_payload.count && of_payload.data[next].handle == handle)
      *node = of_payload.data[next++].index;
    else
      *node = etr_method_next_free(f->placement->method, f->taken, f->skip, handle);
    if (*node != ETR_NONE)
      f->taken[*node] = true;
    if (listed.count > 1 && etr_method_shares_handle(f->placement->method, handle))
      f->placement->is_ordered = false;
  }
  return true;
}

/* ---- In the order of the lowering ---- */

typedef struct ranked_node {
  int32_t instruction;
  uint32_t rank, node;
} ranked_node;

/* Orders nodes by the instruction of their delegate, then by their position in the lowering. */
static int by_instruction_and_rank(const void *a, const void *b) {
  const ranked_node *x = a, *y = b;
  if (x->instruction != y->instruction)
    return x->instruction < y->instruction ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Gives each delegate the nodes that the proven lowering put into it, in its order. Returns false
 * when out of memory. */
static bool assign_delegate_nodes_in_order(finder *f, const etr_lowering *lowering) {
  size_t node_count = f->placement->method->graph->node_count, count = 0;
  ranked_node *list = etr_arena_alloc_array(f->scratch, node_count, sizeof *list);
  if (!list)
    return false;
  for (uint32_t i = 0; i < node_count; i++)
    if (lowering->delegate_of[i] >= 0)
      list[count++] = (ranked_node){lowering->delegate_of[i], lowering->rank[i], i};
  etr_sort(list, count, sizeof *list, by_instruction_and_rank);
  for (size_t i = 0; i < count; i++)
    if (!add_delegate_node(f, list[i].instruction, list[i].node))
      return false;
  return true;
}

/* Fills delegate_nodes, node_delegate and is_ordered of a placement. If the order of the lowering
 * is proven, it says which nodes each delegate contains. Otherwise each entry of the delegates'
 * handle lists gets a node: one of the delegate's payload, or the next node with that handle in
 * graph order, among those that the roles allow if their counts are consistent. `taken` says for
 * each node whether a kernel or an operator of a payload runs it; the nodes of delegates are added.
 * Returns false when out of memory. */
static bool find_delegate_nodes(etr_placement *placement, const etr_roles *roles,
                                const etr_lowering *lowering, bool *taken, etr_arena *arena,
                                etr_arena *scratch) {
  finder f = {.placement = placement, .taken = taken, .arena = arena, .scratch = scratch};
  placement->is_ordered = true;
  if (lowering->is_proven)
    return assign_delegate_nodes_in_order(&f, lowering);
  for (size_t i = 0; roles->is_consistent && i < placement->method->graph->node_count; i++)
    taken[i] |= !roles->is_delegated[i];
  f.skip = etr_arena_alloc_array(f.scratch, f.placement->method->by_handle_count, sizeof *f.skip);
  for (size_t i = 0; f.skip && i < f.placement->instructions.count; i++) {
    const etr_placed *delegate = &f.placement->instructions.data[i];
    if (!delegate->is_delegate || !delegate->map || delegate->map->handle_count == 0)
      continue;
    uint32_t *nodes = etr_arena_alloc_array(f.scratch, delegate->map->handle_count, sizeof *nodes);
    if (!nodes || !assign_nodes_to_handles(&f, delegate, nodes))
      return false;
    for (size_t k = 0; k < delegate->map->handle_count; k++)
      if (nodes[k] != ETR_NONE && !add_delegate_node(&f, delegate->id, nodes[k]))
        return false;
  }
  return f.skip != NULL;
}

/* ---- Finding the nodes of kernels: order, bodies, data flow, then the remaining ones ---- */

typedef struct placer {
  etr_placement *placement;
  etr_arena *arena, scratch;
  etr_warnings *warnings;
  etr_kernel_groups groups;
  etr_roles roles;
  etr_lowering lowering;
  bool *taken; /* per node: a kernel or an operator of a payload runs it */
} placer;

/* Sets the node of a kernel, and how it was found; no other kernel or delegate gets the node. */
static void set_kernel_node(placer *p, etr_placed *kernel, uint32_t node, etr_match match) {
  kernel->node = node;
  kernel->match = match;
  p->taken[node] = true;
}

/* Returns whether a kernel has no node yet, and data flow has not excluded its nodes. */
static bool is_unplaced(const etr_placed *kernel) {
  return kernel->is_kernel && kernel->node == ETR_NONE && !kernel->is_contradicted;
}

/* Returns whether shapes and types of a node can be those of the kernel's tensors; true without a
 * program. */
static bool agrees_with_kernel(const placer *p, const etr_placed *kernel, uint32_t node) {
  return etr_instruction_agrees(p->placement->method->program, kernel->id,
                                &p->placement->method->graph->nodes[node]);
}

/* ---- By handle and operator ---- */

/* Assigns the nodes of one handle and operator to the kernels that have both, in graph order. The
 * match is certain if there was only one node that is not taken and not inside a delegate. */
static void assign_nodes_of_group(placer *p, const etr_kernel_group *group) {
  const etr_node_slot *slots = &p->placement->method->by_operator.slots[group->first];
  size_t slot = 0, free_count = 0;
  for (size_t i = 0; i < group->node_count; i++)
    free_count += !p->taken[slots[i].node] && !p->roles.is_inside[slots[i].node];
  etr_match match = free_count == 1 ? ETR_MATCH_HANDLE : ETR_MATCH_ALIGNED;
  for (size_t i = 0; i < group->kernels.count; i++) {
    etr_placed *kernel = &p->placement->instructions.data[group->kernels.data[i]];
    if (!is_unplaced(kernel))
      continue;
    while (slot < group->node_count &&
           (p->taken[slots[slot].node] || !p->roles.is_kernel[slots[slot].node]))
      slot++;
    if (slot == group->node_count)
      return;
    set_kernel_node(p, kernel, slots[slot].node, match);
  }
}

/* ---- By elimination ---- */

/* Gives kernels that still have no node an unassigned node of their handle, whatever its operator:
 * the operator was replaced after the Edge graph was recorded (fixture cpp_rich). Such a match is
 * certain only if the kernel's operator is unknown and no other node has the handle. Returns false
 * when out of memory. */
static bool assign_replaced_kernels(placer *p) {
  const etr_method_inputs *method = p->placement->method;
  size_t *skip = etr_arena_alloc_array(&p->scratch, method->by_handle_count, sizeof *skip);
  for (size_t i = 0; skip && i < p->placement->instructions.count; i++) {
    etr_placed *kernel = &p->placement->instructions.data[i];
    bool has_handle = kernel->map && kernel->map->handle_count && !kernel->is_prim &&
                      !method->graph->is_changed;
    if (!is_unplaced(kernel) || !has_handle)
      continue;
    uint32_t handle = kernel->map->handles[0];
    uint32_t node = etr_method_next_free(method, p->taken, skip, handle);
    if (node == ETR_NONE || p->roles.is_delegated[node])
      continue;
    if (!agrees_with_kernel(p, kernel, node))
      continue;
    bool is_certain = kernel->op.size == 0 && !etr_method_shares_handle(method, handle);
    set_kernel_node(p, kernel, node, is_certain ? ETR_MATCH_HANDLE : ETR_MATCH_ALIGNED);
  }
  return skip != NULL;
}

/* ---- All ---- */

/* Returns whether the order of the lowering is worth finding: several nodes share a handle, or
 * kernels in place have none, so that only order distinguishes them, or the graph was recorded
 * after lowering and simply has it. */
static bool needs_lowering_order(const etr_placement *placement) {
  const etr_method_inputs *method = placement->method;
  for (size_t i = 0; i < method->graph->subgraph_count; i++)
    if (method->graph->subgraphs[i].kind == ETR_SUBGRAPH_LOWERED)
      return true;
  for (size_t i = 0; i < placement->instructions.count; i++)
    if (placement->instructions.data[i].is_in_place)
      return true;
  for (size_t i = 1; i < method->by_handle_count; i++)
    if (method->by_handle[i].handle == method->by_handle[i - 1].handle)
      return true;
  return false;
}

/* Gives kernels the nodes that the proven order of the lowering has for them, unless data flow has
 * found another. The match is certain if no other node is possible in that order. */
static void assign_nodes_in_order(placer *p) {
  for (size_t i = 0; p->lowering.is_proven && i < p->placement->instructions.count; i++) {
    etr_placed *kernel = &p->placement->instructions.data[i];
    uint32_t node = p->lowering.node_of[i];
    if (!is_unplaced(kernel) || node == ETR_NONE || p->taken[node])
      continue;
    if (!agrees_with_kernel(p, kernel, node))
      continue;
    etr_match match = p->lowering.is_open[i] ? ETR_MATCH_ALIGNED : ETR_MATCH_ORDER;
    set_kernel_node(p, kernel, node, match);
  }
}

/* Makes the match of kernels certain where only one node has their handle and operator: no order is
 * needed then. */
static void make_single_matches_certain(placer *p) {
  for (size_t i = 0; i < p->groups.count; i++) {
    const etr_kernel_group *group = &p->groups.data[i];
    if (group->node_count > 1)
      continue;
    for (size_t k = 0; k < group->kernels.count; k++) {
      etr_placed *kernel = &p->placement->instructions.data[group->kernels.data[k]];
      if (kernel->node != ETR_NONE)
        kernel->match = ETR_MATCH_HANDLE;
    }
  }
}

/* Finds the nodes of all instructions, the surest evidence first: bodies, data flow (with the order
 * of the lowering where several nodes fit), that order alone, then handle and operator. Nodes of
 * delegates come last, among those that are left. Returns false when out of memory. */
static bool assign_all_nodes(placer *p, uint32_t method, const etr_blocks *blocks) {
  etr_placement *placement = p->placement;
  bool is_cut = false;
  p->taken = etr_arena_alloc_array(&p->scratch, placement->method->graph->node_count,
                                   sizeof *p->taken);
  if (!p->taken || !etr_kernel_groups_find(&p->groups, placement, &p->scratch) ||
      !etr_roles_find(&p->roles, placement, &p->groups, &p->scratch))
    return false;
  if (needs_lowering_order(placement) &&
      !etr_lowering_find(&p->lowering, placement, &p->roles, p->warnings, &p->scratch))
    return false;
  placement->is_proven = p->lowering.is_proven;
  placement->ambiguous = p->lowering.is_proven ? 0 : p->roles.ambiguous;
  if (!etr_place_bodies(placement, method, blocks, p->taken, p->warnings, &p->scratch))
    return false;
  if (placement->method->program &&
      !etr_data_flow_find(placement, &p->lowering, p->taken, &is_cut, p->arena, &p->scratch))
    return false;
  if (is_cut)
    etr_warn(p->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: the program's lists of tensors or its delegates' operators are too many to "
             "follow: some times get no node, or an estimate",
             etr_method_label(placement->method));
  assign_nodes_in_order(p);
  for (size_t i = 0; i < p->groups.count; i++)
    assign_nodes_of_group(p, &p->groups.data[i]);
  make_single_matches_certain(p);
  if (!assign_replaced_kernels(p))
    return false;
  return find_delegate_nodes(placement, &p->roles, &p->lowering, p->taken, p->arena, &p->scratch);
}

/* Finds nodes only if there is an Edge graph. */
bool etr_place_method(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                      etr_arena *arena, etr_warnings *warnings) {
  placer p = {.placement = placement, .arena = arena, .warnings = warnings};
  bool good = etr_instructions_collect(placement, method, blocks, arena, &p.scratch);
  if (good && placement->method->graph)
    good = assign_all_nodes(&p, method, blocks);
  good = good && !etr_arena_failed(&p.scratch);
  etr_arena_clear(&p.scratch);
  return good;
}
