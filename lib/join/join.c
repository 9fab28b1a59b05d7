/* SPDX-License-Identifier: BSD-3-Clause
 *
 * join.c - filling and looking up a method join.
 */
#include "join/join.h"

#include "backends/decoder.h"
#include "backends/operator.h"
#include "join/program_values.h"

#include <stdlib.h>

etr_join_instruction *etr_join_find(const etr_method_join *join, int32_t id) {
  return join->instructions.count ? bsearch(&id, join->instructions.data, join->instructions.count,
                                            sizeof *join->instructions.data, etr_by_int)
                                  : NULL;
}

/* ---- Instructions, from program, maps and events ---- */

typedef struct collector {
  etr_method_join *join;
  etr_arena *arena;
  etr_map index; /* id -> place */
} collector;

static etr_join_instruction *add_instruction(collector *c, int32_t id) {
  etr_slice key = {(const char *)&id, sizeof id};
  etr_map_slot *known = etr_map_at(&c->index, key);
  if (!known) return NULL;
  if (known->value != ETR_NONE) return &c->join->instructions.data[known->value];
  etr_join_instruction *added = etr_vec_push(c->arena, &c->join->instructions);
  if (!added) return NULL;
  known->value = (uint32_t)(c->join->instructions.count - 1);
  *added = (etr_join_instruction){.id = id, .node = ETR_NONE};
  return added;
}

static bool add_from_program(collector *c) {
  const etr_pte_method *program = c->join->program;
  for (size_t i = 0; program && i < program->instruction_count && i <= INT32_MAX; i++) {
    const etr_instruction *source = &program->instructions[i];
    if (source->kind != ETR_INSTRUCTION_KERNEL && source->kind != ETR_INSTRUCTION_DELEGATE) continue;
    etr_join_instruction *added = add_instruction(c, (int32_t)i);
    if (!added) return false;
    added->is_delegate = source->kind == ETR_INSTRUCTION_DELEGATE;
    added->is_kernel = !added->is_delegate;
    const etr_pte_delegate *delegate = etr_delegate_of(program, source);
    if (delegate) added->backend = delegate->backend;
    added->is_prim = added->is_kernel && strncmp(source->op, "executorch_prim::", 17) == 0;
    if (added->is_kernel) added->op = etr_operator_of_kernel(source->op);
  }
  return true;
}

static bool add_from_map(collector *c) {
  const etr_map_method *map = c->join->map;
  for (size_t i = 0; map && i < map->instruction_count; i++) {
    etr_join_instruction *added = add_instruction(c, map->instructions[i].id);
    if (!added) return false;
    added->map = &map->instructions[i];
    if (!added->backend) added->backend = map->instructions[i].backend;
    if (!added->is_kernel) added->is_delegate = map->instructions[i].is_delegate;
  }
  return true;
}

/* What ran decides: an instruction with a kernel's event is a kernel, whatever the map says. */
static bool add_from_block(collector *c, const etr_block *block) {
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *e = &block->events[i];
    if (e->kind == ETR_EVENT_FRAMEWORK || e->instruction_id < 0) continue;
    etr_join_instruction *added = add_instruction(c, e->instruction_id);
    if (!added) return false;
    added->is_kernel = e->kind == ETR_EVENT_KERNEL;
    added->is_delegate = !added->is_kernel;
    if (added->is_kernel && added->op.size == 0) added->op = etr_operator_of_event(e->name);
  }
  return true;
}

/* The one backend that writes such events, where neither program nor map tells: an event that another one writes as
 * surely leaves it open. */
static void tell_backends(const etr_method_join *join, const etr_block *block) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    const etr_decoder *told = NULL;
    bool is_open = false;
    end = etr_block_instruction_end(block, i);
    etr_join_instruction *instruction = etr_join_find(join, block->events[i].instruction_id);
    if (!instruction || !instruction->is_delegate || instruction->backend) continue;
    for (size_t k = i; k < end; k++) {
      const etr_event *e = &block->events[k];
      const etr_decoder *decoder = etr_decoder_of_event(e->delegate_id ? e->delegate_id : e->name);
      is_open |= decoder && told && decoder != told;
      if (decoder) told = decoder;
    }
    if (told && !is_open) instruction->backend = told->id;
  }
}

static bool add_from_blocks(collector *c, uint32_t method, const etr_blocks *blocks) {
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++)
    if (!add_from_block(c, &blocks->blocks[mine[i]])) return false;
  return true;
}

bool etr_instructions_collect(etr_method_join *join, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                              etr_arena *scratch) {
  collector c = {.join = join, .arena = arena};
  etr_map_init(&c.index, scratch);
  if (!add_from_program(&c) || !add_from_map(&c) || !add_from_blocks(&c, method, blocks)) return false;
  etr_sort(join->instructions.data, join->instructions.count, sizeof *join->instructions.data, etr_by_int);
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++) tell_backends(join, &blocks->blocks[mine[i]]);
  return true;
}

/* ---- Nodes ---- */

static bool is_delegate_call(const etr_node *node) {
  return strcmp(node->target, "higher_order.executorch_call_delegate") == 0;
}

bool etr_join_index_nodes(etr_method_join *join, etr_arena *arena) {
  const etr_graph *graph = join->graph;
  size_t node_count = graph ? graph->node_count : 0, count = 0;
  if (!graph) return true;
  etr_handle_node *by_handle = etr_arena_alloc_array(arena, node_count, sizeof *by_handle);
  etr_node_slot *slots = etr_arena_alloc_array(arena, node_count, sizeof *slots);
  join->uses = etr_count_uses(graph, arena);
  join->node_delegate = etr_arena_alloc_array(arena, node_count, sizeof *join->node_delegate);
  etr_map_init(&join->operators, arena);
  if (!by_handle || !slots || !join->uses || !join->node_delegate) return false;
  for (uint32_t i = 0; i < node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    join->node_delegate[i] = -1;
    if (n->kind != ETR_NODE_OP || n->debug_handle == 0 || is_delegate_call(n)) continue;
    uint32_t op = etr_map_number(&join->operators, etr_operator_of_target(n->target));
    slots[count] = (etr_node_slot){n->debug_handle, op, i};
    by_handle[count++] = (etr_handle_node){n->debug_handle, i};
  }
  etr_sort(by_handle, count, sizeof *by_handle, etr_by_two_numbers);
  join->by_handle = by_handle;
  join->by_handle_count = count;
  join->by_operator = (etr_node_index){slots, count};
  etr_node_index_sort(&join->by_operator);
  return !etr_arena_failed(arena);
}

size_t etr_join_first_of_handle(const etr_method_join *join, uint32_t handle) {
  etr_handle_node wanted = {handle, 0};
  return etr_lower_bound(&wanted, join->by_handle, join->by_handle_count, sizeof *join->by_handle, etr_by_two_numbers);
}

uint32_t etr_join_next_free(const etr_method_join *join, const bool *taken, size_t *skip, uint32_t handle) {
  size_t first = etr_join_first_of_handle(join, handle), end = join->by_handle_count;
  if (first == end) return ETR_NONE;
  for (size_t at = first + skip[first]; at < end && join->by_handle[at].handle == handle; at++, skip[first]++)
    if (!taken[join->by_handle[at].node]) return join->by_handle[at].node;
  return ETR_NONE;
}

uint32_t *etr_count_uses(const etr_graph *graph, etr_arena *arena) {
  uint32_t *uses = etr_arena_alloc_array(arena, graph->node_count, sizeof *uses);
  for (size_t i = 0; uses && i < graph->node_count; i++)
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) uses[graph->nodes[i].inputs[k].node]++;
  return uses;
}

etr_slice etr_join_payload(const etr_method_join *join, int32_t instruction_id) {
  const etr_instruction *instruction = etr_instruction_at(join->program, instruction_id);
  const etr_pte_delegate *delegate = instruction ? etr_delegate_of(join->program, instruction) : NULL;
  return delegate ? delegate->payload : (etr_slice){0};
}

const etr_own_graph *etr_join_own_graph(const etr_method_join *join, int32_t instruction_id) {
  const etr_instruction *instruction = etr_instruction_at(join->program, instruction_id);
  const etr_pte_delegate *delegate = instruction ? etr_delegate_of(join->program, instruction) : NULL;
  return delegate && join->payloads ? etr_payloads_graph(join->payloads, delegate->backend, delegate->payload) : NULL;
}

void etr_payloads_warn(const etr_payloads *payloads, const char *path, etr_warnings *warnings) {
  if (payloads->hidden)
    etr_warn(warnings, path, NULL, ETR_NO_OFFSET,
             "%zu delegates share large payloads with others; their operators are not shown again", payloads->hidden);
  for (size_t i = 0; i < payloads->unread.count; i++)
    etr_warn(warnings, path, NULL, ETR_NO_OFFSET,
             "a payload of %.*s is not what this backend is known to write: its delegate stays one node",
             ETR_HEAD(payloads->unread.data[i], 80));
}

const etr_delegate_node *etr_join_nodes_of_delegate(const etr_method_join *join, int32_t instruction_id,
                                                    size_t *count) {
  const etr_delegate_node *list = join->delegate_nodes.data;
  size_t first = etr_lower_bound(&instruction_id, list, join->delegate_nodes.count, sizeof *list, etr_by_int);
  for (*count = 0;
       first + *count < join->delegate_nodes.count && list[first + *count].instruction_id == instruction_id;)
    (*count)++;
  return *count ? &list[first] : NULL;
}

/* The innermost module that holds both. */
static uint32_t common_module(const etr_graph *graph, uint32_t a, uint32_t b) {
  for (uint32_t x = a; x != ETR_NONE; x = graph->modules[x].parent)
    for (uint32_t y = b; y != ETR_NONE; y = graph->modules[y].parent)
      if (x == y) return x;
  return 0;
}

uint32_t etr_join_module_of_delegate(const etr_method_join *join, int32_t instruction_id) {
  size_t count;
  const etr_delegate_node *list = etr_join_nodes_of_delegate(join, instruction_id, &count);
  uint32_t module = count ? join->graph->nodes[list[0].node].module : 0;
  for (size_t i = 1; i < count; i++)
    module = common_module(join->graph, module, join->graph->nodes[list[i].node].module);
  return module;
}
