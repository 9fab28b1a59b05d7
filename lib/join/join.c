/* SPDX-License-Identifier: BSD-3-Clause
 *
 * join.c - which node each kernel instruction stands for, and which delegate each other node is in.
 *
 * (debug handle, operator, order of occurrence) is one to one: a handle can belong to many nodes and to many instructions, but the k-th
 * instruction that runs operator X for a handle is the k-th node of that handle and operator. What no kernel takes belongs to the delegates
 * (delegate_nodes.h).
 */
#include "delegate_nodes.h"
#include "operator.h"

#include <stdlib.h>

/* Nodes that have a handle, sorted by handle, operator and place in the graph. */
typedef struct slot {
  uint32_t handle, op, node;
} slot;

typedef struct joiner {
  etr_method_join *join;
  etr_arena scratch;
  etr_map operators;          /* normalised operator -> number */
  slot *by_operator;          /* sorted by handle, op, node */
  etr_handle_node *by_handle; /* sorted by handle, node */
  size_t slot_count;
  uint32_t *op_cursor;   /* per slot that starts a (handle, op) range: how many of the range are taken */
  size_t *handle_cursor; /* per slot that starts a handle's range: slots before this offset are taken */
  bool *taken;           /* per node */
} joiner;

/* ---- Instructions ---- */

static int by_id(const void *a, const void *b) {
  int32_t x = ((const etr_join_instruction *)a)->id, y = ((const etr_join_instruction *)b)->id;
  return (x > y) - (x < y);
}

etr_join_instruction *etr_join_find(const etr_method_join *join, int32_t id) {
  etr_join_instruction wanted = {.id = id};
  return join->instructions.count ? bsearch(&wanted, join->instructions.data, join->instructions.count, sizeof wanted, by_id) : NULL;
}

static etr_join_instruction *add_instruction(joiner *j, etr_arena *arena, etr_map *index, int32_t id) {
  etr_slice key = {(const char *)&id, sizeof id};
  etr_map_slot *known = etr_map_at(index, key);
  if (!known) return NULL;
  if (known->value != ETR_NONE) return &j->join->instructions.data[known->value];
  etr_join_instruction *added = etr_vec_push(arena, &j->join->instructions);
  if (!added) return NULL;
  known->value = (uint32_t)(j->join->instructions.count - 1);
  *added = (etr_join_instruction){.id = id, .node = ETR_NONE};
  return added;
}

static bool add_from_program(joiner *j, etr_arena *arena, etr_map *index) {
  const etr_pte_method *program = j->join->program;
  for (size_t i = 0; program && i < program->instruction_count && i <= INT32_MAX; i++) {
    const etr_instruction *source = &program->instructions[i];
    if (source->kind != ETR_INSTRUCTION_KERNEL && source->kind != ETR_INSTRUCTION_DELEGATE) continue;
    etr_join_instruction *added = add_instruction(j, arena, index, (int32_t)i);
    if (!added) return false;
    added->is_delegate = source->kind == ETR_INSTRUCTION_DELEGATE;
    added->is_kernel = !added->is_delegate;
    if (added->is_delegate && source->delegate >= 0 && (size_t)source->delegate < program->delegate_count)
      added->backend = program->delegates[source->delegate].backend;
    added->is_prim = added->is_kernel && strncmp(source->op, "executorch_prim::", 17) == 0;
    if (added->is_kernel) added->op = etr_operator_of_kernel(source->op);
  }
  return true;
}

static bool add_from_map(joiner *j, etr_arena *arena, etr_map *index) {
  const etr_map_method *map = j->join->map;
  for (size_t i = 0; map && i < map->instruction_count; i++) {
    etr_join_instruction *added = add_instruction(j, arena, index, map->instructions[i].id);
    if (!added) return false;
    added->map = &map->instructions[i];
    if (!added->backend) added->backend = map->instructions[i].backend;
    if (!added->is_kernel) added->is_delegate = map->instructions[i].is_delegate;
  }
  return true;
}

/* What ran decides: an instruction with a kernel's event is a kernel, whatever the map says. */
static bool add_from_blocks(joiner *j, etr_arena *arena, etr_map *index, uint32_t method, const etr_blocks *blocks) {
  for (size_t b = 0; b < blocks->block_count; b++) {
    const etr_block *block = &blocks->blocks[b];
    for (size_t i = 0; block->method == method && i < block->event_count; i++) {
      const etr_event *e = &block->events[i];
      etr_row_kind kind = etr_row_kind_of(block, i);
      if (kind == ETR_ROW_FRAMEWORK || e->instruction_id < 0) continue;
      etr_join_instruction *added = add_instruction(j, arena, index, e->instruction_id);
      if (!added) return false;
      added->is_kernel = kind == ETR_ROW_KERNEL;
      added->is_delegate = !added->is_kernel;
      if (added->is_kernel && added->op.size == 0) added->op = etr_operator_of_event(e->name);
    }
  }
  return true;
}

static bool collect_instructions(joiner *j, etr_arena *arena, uint32_t method, const etr_blocks *blocks) {
  etr_map index;
  etr_map_init(&index, &j->scratch);
  if (!add_from_program(j, arena, &index) || !add_from_map(j, arena, &index) || !add_from_blocks(j, arena, &index, method, blocks)) return false;
  etr_sort(j->join->instructions.data, j->join->instructions.count, sizeof *j->join->instructions.data, by_id);
  return true;
}

/* ---- Nodes by handle ---- */

static int by_handle(const void *a, const void *b) {
  const etr_handle_node *x = a, *y = b;
  if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static int by_operator(const void *a, const void *b) {
  const slot *x = a, *y = b;
  if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
  if (x->op != y->op) return x->op < y->op ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static size_t first_slot(const slot *slots, size_t count, slot wanted) { return etr_lower_bound(&wanted, slots, count, sizeof *slots, by_operator); }

size_t etr_join_first_of_handle(const etr_method_join *join, uint32_t handle) {
  etr_handle_node wanted = {handle, 0};
  return etr_lower_bound(&wanted, join->by_handle, join->by_handle_count, sizeof *join->by_handle, by_handle);
}

static uint32_t operator_number(joiner *j, etr_slice op) {
  etr_map_slot *known = etr_map_at(&j->operators, op);
  if (known && known->value == ETR_NONE) known->value = (uint32_t)j->operators.count - 1;
  return known ? known->value : ETR_NONE;
}

static bool is_delegate_call(const etr_node *node) { return strcmp(node->target, "higher_order.executorch_call_delegate") == 0; }

static bool collect_nodes(joiner *j, etr_arena *arena) {
  const etr_graph *graph = j->join->graph;
  j->by_operator = etr_arena_alloc_array(&j->scratch, graph->node_count, sizeof *j->by_operator);
  j->by_handle = etr_arena_alloc_array(arena, graph->node_count, sizeof *j->by_handle);
  j->op_cursor = etr_arena_alloc_array(&j->scratch, graph->node_count, sizeof *j->op_cursor);
  j->handle_cursor = etr_arena_alloc_array(&j->scratch, graph->node_count, sizeof *j->handle_cursor);
  j->taken = etr_arena_alloc_array(&j->scratch, graph->node_count, sizeof *j->taken);
  if (!j->by_operator || !j->by_handle || !j->op_cursor || !j->handle_cursor || !j->taken) return false;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    if (n->kind != ETR_NODE_OP || n->debug_handle == 0 || is_delegate_call(n)) continue;
    uint32_t op = operator_number(j, etr_operator_of_target(n->target));
    j->by_operator[j->slot_count] = (slot){n->debug_handle, op, (uint32_t)i};
    j->by_handle[j->slot_count++] = (etr_handle_node){n->debug_handle, (uint32_t)i};
  }
  etr_sort(j->by_operator, j->slot_count, sizeof *j->by_operator, by_operator);
  etr_sort(j->by_handle, j->slot_count, sizeof *j->by_handle, by_handle);
  j->join->by_handle = j->by_handle;
  j->join->by_handle_count = j->slot_count;
  return !etr_arena_failed(&j->scratch);
}

/* ---- Kernels ---- */

static void take(joiner *j, etr_join_instruction *instruction, uint32_t node, etr_match match) {
  instruction->node = node;
  instruction->match = match;
  j->taken[node] = true;
}

/* The next node of one of the instruction's handles that has its operator. */
static void take_by_operator(joiner *j, etr_join_instruction *instruction) {
  uint32_t op = etr_map_get(&j->operators, instruction->op);
  for (size_t i = 0; op != ETR_NONE && i < instruction->map->handle_count; i++) {
    uint32_t handle = instruction->map->handles[i];
    size_t first = first_slot(j->by_operator, j->slot_count, (slot){handle, op, 0}), at = first;
    if (first == j->slot_count) continue;
    at += j->op_cursor[first];
    if (at >= j->slot_count || j->by_operator[at].handle != handle || j->by_operator[at].op != op) continue;
    j->op_cursor[first]++;
    take(j, instruction, j->by_operator[at].node, ETR_MATCH_HANDLE);
    return;
  }
}

uint32_t etr_join_next_free(const etr_method_join *join, const bool *taken, size_t *skip, uint32_t handle) {
  size_t first = etr_join_first_of_handle(join, handle), end = join->by_handle_count;
  if (first == end) return ETR_NONE;
  for (size_t at = first + skip[first]; at < end && join->by_handle[at].handle == handle; at++, skip[first]++)
    if (!taken[join->by_handle[at].node]) return join->by_handle[at].node;
  return ETR_NONE;
}

static size_t count_free(const joiner *j, uint32_t handle) {
  size_t count = 0;
  for (size_t at = etr_join_first_of_handle(j->join, handle); at < j->slot_count && j->by_handle[at].handle == handle; at++)
    count += !j->taken[j->by_handle[at].node];
  return count;
}

/* The handle of a kernel that has none of its operator's nodes; 0 if the kernel is settled, or has no handle. */
static uint32_t open_handle(const etr_join_instruction *instruction) {
  bool open = instruction->is_kernel && !instruction->is_prim && instruction->node == ETR_NONE && instruction->map &&
              instruction->map->handle_count;
  return open ? instruction->map->handles[0] : 0;
}

/* An operator that was replaced after the Edge graph was recorded, or is not named: told by elimination, when no delegate shares the handle and
 * as many nodes are left as kernels, or one kernel stands for all that is left (a fused one). */
static void take_leftovers(joiner *j, const etr_map *delegated_handles) {
  etr_map kernels; /* handle -> kernels without a node */
  etr_map_init(&kernels, &j->scratch);
  for (size_t i = 0; i < j->join->instructions.count; i++) {
    uint32_t handle = open_handle(&j->join->instructions.data[i]);
    etr_slice key = {(const char *)&handle, sizeof handle};
    if (handle == 0 || etr_map_get(delegated_handles, key) != ETR_NONE) continue;
    uint32_t known = etr_map_get(&kernels, key);
    etr_map_set(&kernels, key, known == ETR_NONE ? 1 : known + 1);
  }
  for (size_t i = 0; i < j->join->instructions.count; i++) {
    uint32_t handle = open_handle(&j->join->instructions.data[i]);
    etr_slice key = {(const char *)&handle, sizeof handle};
    uint32_t waiting = handle ? etr_map_get(&kernels, key) : ETR_NONE;
    if (waiting == ETR_NONE) continue;
    if (waiting > 1 && waiting != count_free(j, handle)) {
      etr_map_set(&kernels, key, ETR_NONE); /* cannot be told */
      continue;
    }
    uint32_t node = etr_join_next_free(j->join, j->taken, j->handle_cursor, handle);
    if (node != ETR_NONE) take(j, &j->join->instructions.data[i], node, ETR_MATCH_HANDLE);
    etr_map_set(&kernels, key, waiting > 1 ? waiting - 1 : ETR_NONE);
  }
}

static void join_kernels(joiner *j) {
  etr_map delegated_handles;
  etr_map_init(&delegated_handles, &j->scratch);
  for (size_t i = 0; i < j->join->instructions.count; i++) {
    etr_join_instruction *instruction = &j->join->instructions.data[i];
    if (instruction->is_kernel && !instruction->is_prim && instruction->map && instruction->op.size)
      take_by_operator(j, instruction);
    for (size_t k = 0; instruction->is_delegate && instruction->map && k < instruction->map->handle_count; k++)
      etr_map_set(&delegated_handles, (etr_slice){(const char *)&instruction->map->handles[k], sizeof(uint32_t)}, 1);
  }
  take_leftovers(j, &delegated_handles);
}

/* ---- Bodies of cond, map and scan ---- */

/* Kernels that the handle map does not name run in bodies: in instruction order they are the bodies' nodes in graph order, some left out (a branch
 * that never ran) and some put in (what the map operator itself does). Walks both and pairs the next node of the same operator. */
static void join_bodies(joiner *j) {
  const etr_graph *graph = j->join->graph;
  slot *free_nodes = etr_arena_alloc_array(&j->scratch, graph->node_count, sizeof *free_nodes); /* sorted by operator and place */
  size_t count = 0;
  uint32_t next = 0;
  for (size_t i = 0; free_nodes && i < graph->node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    bool in_body = n->subgraph != ETR_NONE || !j->join->map || j->join->map->instruction_count == 0;
    if (n->kind == ETR_NODE_OP && in_body && !j->taken[i])
      free_nodes[count++] = (slot){0, operator_number(j, etr_operator_of_target(n->target)), (uint32_t)i};
  }
  if (count) etr_sort(free_nodes, count, sizeof *free_nodes, by_operator);
  for (size_t i = 0; count && i < j->join->instructions.count; i++) {
    etr_join_instruction *instruction = &j->join->instructions.data[i];
    uint32_t op = instruction->is_kernel && !instruction->is_prim && !instruction->map
                      ? etr_map_get(&j->operators, instruction->op)
                      : ETR_NONE;
    if (op == ETR_NONE) continue;
    size_t at = first_slot(free_nodes, count, (slot){0, op, next});
    if (at == count || free_nodes[at].op != op) continue;
    next = free_nodes[at].node + 1;
    take(j, instruction, free_nodes[at].node, ETR_MATCH_HANDLE);
  }
}

/* ---- Delegates ---- */

etr_slice etr_join_payload(const etr_method_join *join, int32_t instruction_id) {
  const etr_pte_method *program = join->program;
  if (!program || instruction_id < 0 || (size_t)instruction_id >= program->instruction_count) return (etr_slice){0};
  int32_t index = program->instructions[instruction_id].delegate;
  return index >= 0 && (size_t)index < program->delegate_count ? program->delegates[index].payload : (etr_slice){0};
}

static int by_instruction(const void *a, const void *b) {
  int32_t x = ((const etr_delegate_node *)a)->instruction_id, y = ((const etr_delegate_node *)b)->instruction_id;
  return (x > y) - (x < y);
}

const etr_delegate_node *etr_join_nodes_of_delegate(const etr_method_join *join, int32_t instruction_id, size_t *count) {
  const etr_delegate_node *list = join->delegate_nodes.data, wanted = {.instruction_id = instruction_id};
  size_t first = etr_lower_bound(&wanted, list, join->delegate_nodes.count, sizeof *list, by_instruction);
  for (*count = 0; first + *count < join->delegate_nodes.count && list[first + *count].instruction_id == instruction_id;) (*count)++;
  return *count ? &list[first] : NULL;
}

bool etr_join_method(etr_method_join *join, uint32_t method, const etr_blocks *blocks, etr_arena *arena) {
  joiner j = {.join = join};
  etr_map_init(&j.operators, &j.scratch);
  bool good = collect_instructions(&j, arena, method, blocks);
  if (good && join->graph) {
    join->node_delegate = etr_arena_alloc_array(arena, join->graph->node_count, sizeof *join->node_delegate);
    good = join->node_delegate && collect_nodes(&j, arena);
    for (size_t i = 0; good && i < join->graph->node_count; i++) join->node_delegate[i] = -1;
    if (good) {
      join_kernels(&j);
      join_bodies(&j);
      good = etr_find_delegate_nodes(join, method, blocks, j.taken, arena, &j.scratch);
    }
  }
  good = good && !etr_arena_failed(&j.scratch);
  etr_arena_clear(&j.scratch);
  return good;
}
