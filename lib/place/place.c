/* SPDX-License-Identifier: BSD-3-Clause
 *
 * place.c - (debug handle, operator) names a node where it is one; of several, data flow or order tells.
 */
#include "place/place.h"

#include "backends/backends.h"
#include "backends/operator.h"
#include "method/node_index.h"
#include "method/program_values.h"
#include "place/data_flow.h"
#include "place/delegate_nodes.h"
#include "place/lowering.h"

#include <stdlib.h>

typedef struct joiner {
  etr_placement *placement;
  etr_arena *arena, scratch;
  size_t *handle_cursor; /* per slot that starts a handle's range: slots before this offset are taken */
  bool *taken;           /* per node */
  etr_lowering order;
} joiner;

static void take(joiner *j, etr_placed *instruction, uint32_t node, etr_match match) {
  instruction->node = node;
  instruction->match = match;
  j->taken[node] = true;
}

/* ---- Kernels by handle and operator ---- */

/* Kernels that have this operator at a handle, and the nodes there. */
typedef struct kernel_group {
  size_t first, node_count;  /* in by_operator */
  etr_vec(uint32_t) kernels; /* instructions without a node, in order */
} kernel_group;

typedef etr_vec(kernel_group) kernel_groups;

/* The range of the first of its handles that has the operator. */
static size_t range_of(joiner *j, const etr_placed *instruction, size_t *count) {
  uint32_t op = etr_map_get(&j->placement->method->operators, instruction->op);
  *count = 0;
  for (size_t i = 0; op != ETR_NONE && i < instruction->map->handle_count; i++) {
    size_t first = etr_node_index_find(&j->placement->method->by_operator, instruction->map->handles[i], op, count);
    if (*count) return first;
  }
  return 0;
}

static bool is_open(const etr_placed *instruction) {
  bool is_known = instruction->is_kernel && instruction->map && instruction->op.size && !instruction->is_prim;
  return is_known && instruction->node == ETR_NONE && !instruction->is_contradicted;
}

static bool group_kernels(joiner *j, kernel_groups *groups) {
  uint32_t *group_of = etr_arena_alloc_array(&j->scratch, j->placement->method->by_operator.count,
                                             sizeof *group_of); /* 1 + its place, by first slot */
  if (!group_of) return false;
  for (uint32_t i = 0; i < j->placement->instructions.count; i++) {
    const etr_placed *instruction = &j->placement->instructions.data[i];
    size_t count, first = is_open(instruction) ? range_of(j, instruction, &count) : (count = 0);
    if (count == 0) continue;
    if (!group_of[first]) {
      kernel_group *added = etr_vec_push(&j->scratch, groups);
      if (!added) return false;
      *added = (kernel_group){.first = first, .node_count = count};
      group_of[first] = (uint32_t)groups->count;
    }
    uint32_t *slot = etr_vec_push(&j->scratch, &groups->data[group_of[first] - 1].kernels);
    if (!slot) return false;
    *slot = i;
  }
  return true;
}

/* The backend of the first delegate: few methods have two. */
static const etr_backend *backend_of(const joiner *j) {
  for (size_t i = 0; i < j->placement->instructions.count; i++)
    if (j->placement->instructions.data[i].is_delegate)
      return etr_backend_of(j->placement->instructions.data[i].backend);
  return NULL;
}

/* What the backend has no operator for; and delegates take floating point and quantised numbers: what computes others
 * stays a kernel. */
static bool is_left_to_kernels(const joiner *j, const etr_backend *backend, uint32_t index) {
  const etr_node *node = &j->placement->method->graph->nodes[index];
  if (backend && backend->class_of_node(j->placement->method->graph, node) == 0) return true;
  const char *dtype = node->output_count ? node->outputs[0].dtype : NULL;
  return dtype && strncmp(dtype, "float", 5) != 0 && strncmp(dtype, "bfloat", 6) != 0;
}

/* Marks the nodes that a group's kernels run, as far as that can be told without order. */
static void mark_kernels(const joiner *j, const etr_backend *backend, const kernel_group *g, bool *kernel_of) {
  size_t left = g->kernels.count;
  for (int others = 0; others <= 1; others++) {
    for (size_t i = 0; i < g->node_count && left; i++) {
      uint32_t node = j->placement->method->by_operator.slots[g->first + i].node;
      if (j->taken[node] || kernel_of[node] || (!others && !is_left_to_kernels(j, backend, node))) continue;
      kernel_of[node] = true;
      left--;
    }
  }
}

typedef struct ranked_node {
  uint32_t rank, node;
} ranked_node;

/* The nodes of a group that its kernels may run, in the order of lowering if that is known. */
static ranked_node *list_group(joiner *j, const kernel_group *g, const bool *kernel_of, size_t *count) {
  ranked_node *list = etr_arena_alloc_array(&j->scratch, g->node_count, sizeof *list);
  *count = 0;
  for (size_t i = 0; list && i < g->node_count; i++) {
    uint32_t node = j->placement->method->by_operator.slots[g->first + i].node;
    if (j->taken[node]) continue;
    if (j->order.is_proven ? j->order.delegate_of[node] >= 0 : !kernel_of[node]) continue;
    list[(*count)++] = (ranked_node){j->order.is_proven ? j->order.rank[node] : node, node};
  }
  if (list) etr_sort(list, *count, sizeof *list, etr_by_number);
  return list;
}

static bool take_group(joiner *j, const kernel_group *g, const bool *kernel_of) {
  size_t count, free_nodes = 0;
  for (size_t i = 0; i < g->node_count; i++)
    free_nodes += !j->taken[j->placement->method->by_operator.slots[g->first + i].node];
  ranked_node *list = list_group(j, g, kernel_of, &count);
  if (!list) return false;
  /* More nodes than kernels: which of them memory planning made a view of its input, no order tells. */
  bool is_told = j->order.is_proven && count <= g->kernels.count;
  etr_match match = is_told ? ETR_MATCH_ORDER : ETR_MATCH_ALIGNED;
  if (free_nodes <= 1) match = ETR_MATCH_HANDLE;
  for (size_t i = 0; i < g->kernels.count && i < count; i++)
    take(j, &j->placement->instructions.data[g->kernels.data[i]], list[i].node, match);
  return true;
}

static bool join_kernels(joiner *j, const kernel_groups *groups, const bool *kernel_of) {
  for (size_t i = 0; i < groups->count; i++)
    if (!take_group(j, &groups->data[i], kernel_of)) return false;
  return true;
}

/* ---- Leftovers ---- */

/* What the program says never contradicts. */
static bool agrees(const joiner *j, const etr_placed *instruction, uint32_t node) {
  return etr_instruction_agrees(j->placement->method->program, instruction->id,
                                &j->placement->method->graph->nodes[node]);
}

static size_t count_free(const joiner *j, uint32_t handle) {
  size_t count = 0;
  const etr_placement *placement = j->placement;
  for (size_t at = etr_method_first_of_handle(placement->method, handle);
       at < placement->method->by_handle_count && placement->method->by_handle[at].handle == handle; at++)
    count += !j->taken[placement->method->by_handle[at].node];
  return count;
}

/* The handle of a kernel that has none of its operator's nodes; 0 if the kernel is settled, or has no handle. */
static uint32_t open_handle(const etr_placed *instruction) {
  bool is_known = instruction->is_kernel && instruction->map && instruction->map->handle_count && !instruction->is_prim;
  return is_known && instruction->node == ETR_NONE && !instruction->is_contradicted ? instruction->map->handles[0] : 0;
}

static bool list_delegated_handles(joiner *j, etr_map *handles) {
  etr_map_init(handles, &j->scratch);
  for (size_t i = 0; i < j->placement->instructions.count; i++) {
    const etr_placed *instruction = &j->placement->instructions.data[i];
    for (size_t k = 0; instruction->is_delegate && instruction->map && k < instruction->map->handle_count; k++)
      if (!etr_map_set(handles, (etr_slice){(const char *)&instruction->map->handles[k], sizeof(uint32_t)}, 1))
        return false;
  }
  return true;
}

enum { TOLD = UINT32_MAX - 1 };

/* An operator that was replaced after the Edge graph was recorded, or is not named: told by elimination, when no
 * delegate shares the handle and as many nodes are left as kernels, or one kernel stands for all that is left (a fused
 * one). */
static void take_leftovers(joiner *j, const etr_map *delegated_handles) {
  etr_map kernels; /* handle -> kernels without a node; TOLD: they take what is left */
  etr_map_init(&kernels, &j->scratch);
  for (size_t i = 0; i < j->placement->instructions.count; i++) {
    uint32_t handle = open_handle(&j->placement->instructions.data[i]);
    etr_slice key = {(const char *)&handle, sizeof handle};
    if (handle == 0 || etr_map_get(delegated_handles, key) != ETR_NONE) continue;
    uint32_t known = etr_map_get(&kernels, key);
    etr_map_set(&kernels, key, known == ETR_NONE ? 1 : known + 1);
  }
  for (size_t i = 0; i < j->placement->instructions.count; i++) {
    uint32_t handle = open_handle(&j->placement->instructions.data[i]);
    etr_slice key = {(const char *)&handle, sizeof handle};
    uint32_t waiting = handle ? etr_map_get(&kernels, key) : ETR_NONE;
    if (waiting == ETR_NONE) continue;
    if (waiting > 1 && waiting != TOLD && waiting != count_free(j, handle)) {
      etr_map_set(&kernels, key, ETR_NONE); /* cannot be told */
      continue;
    }
    uint32_t node = etr_method_next_free(j->placement->method, j->taken, j->handle_cursor, handle);
    etr_placed *instruction = &j->placement->instructions.data[i];
    if (node != ETR_NONE && agrees(j, instruction, node)) take(j, instruction, node, ETR_MATCH_HANDLE);
    etr_map_set(&kernels, key, TOLD);
  }
}

/* ---- Bodies of cond, map and scan ---- */

enum { MOST_PASSED = 32 }; /* nodes that contradict */

/* Kernels that the handle map does not name run in bodies: in instruction order they are the bodies' nodes in graph
 * order, some left out (a branch that never ran) and some put in (what the map operator itself does). Walks both and
 * pairs the next node of the same operator. */
static bool join_bodies(joiner *j) {
  const etr_graph *graph = j->placement->method->graph;
  etr_node_index free_nodes = {
      .slots = etr_arena_alloc_array(&j->scratch, graph->node_count, sizeof *free_nodes.slots)};
  uint32_t next = 0;
  for (uint32_t i = 0; free_nodes.slots && i < graph->node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    bool in_body = n->subgraph != ETR_NONE || !j->placement->method->map ||
                   j->placement->method->map->instruction_count == 0;
    if (n->kind == ETR_NODE_OP && in_body && !j->taken[i])
      free_nodes.slots[free_nodes.count++] = (etr_node_slot){
          0, etr_map_number(&j->placement->method->operators, etr_operator_of_target(n->target)), i};
  }
  etr_node_index_sort(&free_nodes);
  for (size_t i = 0; free_nodes.count && i < j->placement->instructions.count; i++) {
    etr_placed *instruction = &j->placement->instructions.data[i];
    bool open = instruction->is_kernel && !instruction->map && !instruction->is_prim;
    uint32_t op = open ? etr_map_get(&j->placement->method->operators, instruction->op) : ETR_NONE;
    if (op == ETR_NONE) continue;
    const etr_node_slot *slot = etr_node_index_next(&free_nodes, 0, op, next);
    for (int passed = 0; slot && !agrees(j, instruction, slot->node); passed++)
      slot = passed < MOST_PASSED ? etr_node_index_next(&free_nodes, 0, op, slot->node + 1) : NULL;
    if (!slot) continue;
    next = slot->node + 1;
    take(j, instruction, slot->node, ETR_MATCH_HANDLE);
  }
  return free_nodes.slots != NULL;
}

/* ---- Order ---- */

/* Entries of the delegates' handle lists that no operator of a payload accounts for. */
typedef struct open_entries {
  uint32_t *open;    /* per first place of a handle in by_handle: of the delegate looked at */
  int64_t *holder;   /* likewise: 1 + a delegate that has some, 0: none */
  bool is_ambiguous; /* several delegates have some of one handle */
} open_entries;

static size_t first_of_node(const joiner *j, uint32_t node) {
  return etr_method_first_of_handle(j->placement->method, j->placement->method->graph->nodes[node].debug_handle);
}

static void account_for(const joiner *j, open_entries *e, const etr_placed *instruction) {
  for (size_t i = 0; i < instruction->map->handle_count; i++) {
    size_t first = etr_method_first_of_handle(j->placement->method, instruction->map->handles[i]);
    if (first < j->placement->method->by_handle_count) e->open[first]++;
  }
  for (size_t i = 0; instruction->payload && i < instruction->payload->count; i++) {
    bool is_own = instruction->operator_nodes[i] != ETR_NONE &&
                  instruction->payload->operators[i].completes == ETR_NONE;
    uint32_t *open = is_own ? &e->open[first_of_node(j, instruction->operator_nodes[i])] : NULL;
    if (open && *open) --*open;
  }
  for (size_t i = 0; i < instruction->map->handle_count; i++) {
    size_t first = etr_method_first_of_handle(j->placement->method, instruction->map->handles[i]);
    if (first == j->placement->method->by_handle_count || e->open[first] == 0) continue;
    e->open[first] = 0;
    e->is_ambiguous |= e->holder[first] != 0 && e->holder[first] != instruction->id + (int64_t)1;
    e->holder[first] = instruction->id + (int64_t)1;
  }
}

/* Whether order has to tell: kernels could be several nodes, or delegates list a handle whose nodes could be either's.
 * A delegate without a payload needs it for a handle that several nodes have. */
static bool needs_order(joiner *j, const kernel_groups *groups) {
  const etr_placement *placement = j->placement;
  open_entries e = {.open = etr_arena_alloc_array(&j->scratch, placement->method->by_handle_count, sizeof *e.open),
                    .holder = etr_arena_alloc_array(&j->scratch, placement->method->by_handle_count, sizeof *e.holder)};
  for (size_t i = 0; i < groups->count; i++)
    if (groups->data[i].node_count > 1) return true;
  for (size_t i = 0; e.open && e.holder && i < placement->instructions.count; i++) {
    const etr_placed *instruction = &placement->instructions.data[i];
    if (!instruction->is_delegate || !instruction->map) continue;
    account_for(j, &e, instruction);
    for (size_t k = 0; !instruction->payload && k < instruction->map->handle_count; k++) {
      size_t first = etr_method_first_of_handle(placement->method, instruction->map->handles[k]);
      if (first + 1 < placement->method->by_handle_count &&
          placement->method->by_handle[first + 1].handle == instruction->map->handles[k])
        return true;
    }
  }
  return e.is_ambiguous;
}

/* Fills kernel_of with the nodes that run as kernels, as far as that can be told, and looks for the order of all. */
static bool find_order(joiner *j, const kernel_groups *groups, bool *kernel_of, bool ties) {
  memset(kernel_of, 0, j->placement->method->graph->node_count * sizeof *kernel_of);
  for (size_t i = 0; i < j->placement->instructions.count; i++) {
    const etr_placed *instruction = &j->placement->instructions.data[i];
    if (instruction->is_kernel && instruction->node != ETR_NONE) kernel_of[instruction->node] = true;
  }
  const etr_backend *backend = backend_of(j);
  for (size_t i = 0; i < groups->count; i++) mark_kernels(j, backend, &groups->data[i], kernel_of);
  j->order.is_needless = !ties && !needs_order(j, groups);
  if (j->order.is_needless) return true;
  return etr_lowering_find(&j->order, j->placement, kernel_of, &j->scratch);
}

static bool follow_data(joiner *j, bool *ties) {
  const uint32_t *rank = j->order.is_proven ? j->order.rank : NULL;
  return etr_data_flow_join(j->placement, rank, j->taken, ties, j->arena, &j->scratch);
}

/* Forgets which nodes run as what. */
static bool start_again(joiner *j, kernel_groups *groups) {
  memset(j->taken, 0, j->placement->method->graph->node_count * sizeof *j->taken);
  for (size_t i = 0; i < j->placement->instructions.count; i++) {
    j->placement->instructions.data[i].node = ETR_NONE;
    j->placement->instructions.data[i].is_contradicted = false;
  }
  *groups = (kernel_groups){0};
  return group_kernels(j, groups);
}

/* Where data flow had to choose between twins, a wrong choice may have led to others, with which no order proves
 * itself: then it is looked for without them. With or without an order, data flow has the last word. */
static bool settle_ties(joiner *j, kernel_groups *groups, bool *kernel_of) {
  bool ties = true;
  if (!j->order.is_proven && !(start_again(j, groups) && find_order(j, groups, kernel_of, ties))) return false;
  if (!start_again(j, groups) || !follow_data(j, &ties)) return false;
  *groups = (kernel_groups){0};
  return group_kernels(j, groups);
}

static bool join_nodes(joiner *j, uint32_t method, const etr_blocks *blocks) {
  bool ties = false;
  size_t node_count = j->placement->method->graph->node_count;
  bool *kernel_of = etr_arena_alloc_array(&j->scratch, node_count, sizeof *kernel_of);
  kernel_groups groups = {0};
  etr_map delegated_handles;
  j->handle_cursor = etr_arena_alloc_array(&j->scratch, node_count, sizeof *j->handle_cursor);
  j->taken = etr_arena_alloc_array(&j->scratch, node_count, sizeof *j->taken);
  if (!kernel_of || !j->handle_cursor || !j->taken || !list_delegated_handles(j, &delegated_handles)) return false;
  if (j->placement->method->program && !follow_data(j, &ties)) return false;
  if (!group_kernels(j, &groups) || !find_order(j, &groups, kernel_of, ties)) return false;
  if (ties && !settle_ties(j, &groups, kernel_of)) return false;
  if (!join_kernels(j, &groups, kernel_of)) return false;
  take_leftovers(j, &delegated_handles);
  if (!join_bodies(j)) return false;
  return etr_find_delegate_nodes(j->placement, &j->order, method, blocks, j->taken, j->arena, &j->scratch);
}

bool etr_place_method(etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena) {
  joiner j = {.placement = placement, .arena = arena};
  bool good = etr_instructions_collect(placement, method, blocks, arena, &j.scratch);
  if (good && placement->method->graph) good = join_nodes(&j, method, blocks);
  good = good && !etr_arena_failed(&j.scratch);
  etr_arena_clear(&j.scratch);
  return good;
}
