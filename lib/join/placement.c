/* SPDX-License-Identifier: BSD-3-Clause
 *
 * placement.c - collecting instructions, and looking them up.
 */
#include "join/placement.h"

#include "backends/decoder.h"
#include "backends/operator.h"
#include "inputs/graph_values.h"
#include "inputs/program_values.h"

etr_placed *etr_placed_instruction(const etr_placement *placement, int32_t id) {
  size_t count = placement->instructions.count;
  size_t at = etr_find_int(id, placement->instructions.data, count,
                           sizeof *placement->instructions.data);
  return at < count ? &placement->instructions.data[at] : NULL;
}

/* ---- Instructions, from program, maps and events ---- */

typedef struct collector {
  etr_placement *placement;
  etr_arena *arena;
  etr_map index; /* id -> index */
} collector;

/* Returns the entry of an instruction in the placement; adds it, without a node, if there is none
 * yet. NULL when out of memory. */
static etr_placed *find_or_add_instruction(collector *c, int32_t id) {
  etr_slice key = {(const char *)&id, sizeof id};
  etr_map_slot *slot = etr_map_at(&c->index, key);
  if (!slot)
    return NULL;
  if (slot->value != ETR_NONE)
    return &c->placement->instructions.data[slot->value];
  etr_placed *added = etr_vec_push(c->arena, &c->placement->instructions);
  if (!added)
    return NULL;
  slot->value = (uint32_t)(c->placement->instructions.count - 1);
  *added = (etr_placed){.id = id, .node = ETR_NONE};
  return added;
}

/* Returns true if an operator may be the copy that gives a buffer or an input its new value at the
 * end of the method. The graph has no node for such a copy, although it may have other copies; its
 * signature lists what is mutated. */
static bool may_be_write_back(const etr_method_inputs *method, etr_slice op) {
  return method->graph->mutation_count && etr_slice_is(op, "copy_");
}

/* Sets the operator of a kernel. ExecuTorch's reinplace pass replaces a node such as index_put by
 * index_put_, which has no handle; the recorded graph still has index_put. Such a kernel gets the
 * operator of the graph, if no node has its own. In a graph with nested graphs it keeps its own,
 * because loops around bodies run in-place kernels themselves (copy_). */
static void set_operator_of_kernel(const etr_method_inputs *method, etr_placed *kernel,
                                   etr_slice op) {
  kernel->op = op;
  bool has_bodies = method->graph && method->graph->subgraph_count;
  if (!method->graph || has_bodies)
    return;
  if (!etr_operator_is_in_place(op) || may_be_write_back(method, op))
    return;
  if (etr_map_get(&method->operators, op) != ETR_NONE)
    return;
  etr_slice functional = {op.data, op.size - 1};
  if (etr_map_get(&method->operators, functional) == ETR_NONE)
    return;
  kernel->op = functional;
  kernel->is_in_place = !kernel->map;
}

/* Adds the kernels and delegate calls of the program, with the operator of each kernel and the
 * backend of each call; kernels of executorch_prim are marked as the runtime's own. Returns false
 * when out of memory. */
static bool add_instructions_of_program(collector *c) {
  const etr_pte_method *program = c->placement->method->program;
  for (size_t i = 0; program && i < program->instruction_count && i <= INT32_MAX; i++) {
    const etr_instruction *source = &program->instructions[i];
    if (source->kind != ETR_INSTRUCTION_KERNEL && source->kind != ETR_INSTRUCTION_DELEGATE)
      continue;
    etr_placed *added = find_or_add_instruction(c, (int32_t)i);
    if (!added)
      return false;
    added->is_delegate = source->kind == ETR_INSTRUCTION_DELEGATE;
    added->is_kernel = !added->is_delegate;
    const etr_pte_delegate *delegate = etr_delegate_of(program, source);
    if (delegate)
      added->backend = delegate->backend;
    added->is_prim = added->is_kernel && strncmp(source->op, "executorch_prim::", 17) == 0;
    if (added->is_kernel)
      set_operator_of_kernel(c->placement->method, added, etr_operator_of_kernel(source->op));
  }
  return true;
}

/* Adds the instructions of the debug handle map. What the program says of an instruction counts
 * before the map. Returns false when out of memory. */
static bool add_instructions_of_map(collector *c) {
  const etr_map_method *map = c->placement->method->map;
  for (size_t i = 0; map && i < map->instruction_count; i++) {
    const etr_map_instruction *listed = &map->instructions[i];
    etr_placed *added = find_or_add_instruction(c, listed->id);
    if (!added)
      return false;
    added->map = listed;
    added->is_in_place = false;
    if (!added->backend)
      added->backend = listed->backend;
    if (!added->is_kernel)
      added->is_delegate = listed->is_delegate;
  }
  return true;
}

/* Returns the decoder of the only backend that writes events with such ids and metadata in one
 * call; NULL if no or several backends do, if no event is of a delegate, or when out of memory. */
static const etr_decoder *find_decoder_of_call(const etr_event *events, size_t count,
                                               etr_arena *scratch) {
  etr_event_facts *facts = etr_arena_alloc_array(scratch, count, sizeof *facts);
  size_t inside = 0;
  for (size_t i = 0; facts && i < count; i++)
    if (events[i].delegate_id)
      facts[inside++] = (etr_event_facts){
          .name = events[i].delegate_id,
          .is_number = events[i].delegate_id_is_int,
          .metadata = events[i].metadata,
          .metadata_count = events[i].metadata ? events[i].sample_count : 0};
  return inside ? etr_decoder_of_call(facts, inside) : NULL;
}

/* Sets the backend of delegate calls for which neither program nor map says it: the one that alone
 * writes events like those of the call. If events point to two backends, it stays unknown. */
static void set_backends_by_events(const etr_placement *placement, const etr_block *block,
                                   etr_arena *scratch) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    const etr_decoder *decoder_found = NULL;
    bool is_ambiguous = false;
    end = etr_block_instruction_end(block, i);
    etr_placed *instruction = etr_placed_instruction(placement, block->events[i].instruction_id);
    if (!instruction || !instruction->is_delegate || instruction->backend)
      continue;
    for (size_t k = i; k < end; k++) {
      const etr_event *event = &block->events[k];
      const char *name = event->delegate_id ? event->delegate_id : event->name;
      const etr_decoder *decoder = etr_decoder_of_event(name);
      is_ambiguous |= decoder && decoder_found && decoder != decoder_found;
      if (decoder)
        decoder_found = decoder;
    }
    if (!decoder_found)
      decoder_found = find_decoder_of_call(&block->events[i], end - i, scratch);
    if (decoder_found && !is_ambiguous)
      instruction->backend = decoder_found->id;
  }
}

/* Adds the instructions that events name. An instruction is a kernel or a call as its last event
 * says, whatever the map says. Returns false when out of memory. */
static bool add_instructions_of_events(collector *c, uint32_t method, const etr_blocks *blocks) {
  size_t count;
  const uint32_t *block_indices = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++) {
    const etr_block *block = &blocks->blocks[block_indices[i]];
    for (size_t k = 0; k < block->event_count; k++) {
      const etr_event *event = &block->events[k];
      if (event->kind == ETR_EVENT_FRAMEWORK || event->instruction_id < 0)
        continue;
      etr_placed *added = find_or_add_instruction(c, event->instruction_id);
      if (!added)
        return false;
      added->is_kernel = event->kind == ETR_EVENT_KERNEL;
      added->is_delegate = !added->is_kernel;
      if (added->is_kernel && added->op.size == 0)
        set_operator_of_kernel(c->placement->method, added, etr_operator_of_event(event->name));
    }
  }
  return true;
}

/* Marks kernels without a handle as in place if the graph wraps their operator: ExecuTorch takes
 * the wrapper away, and its handle with it. There must be as many kernels of the operator as nodes,
 * and no bodies, which may run theirs often. Returns false when out of memory. */
static bool mark_wrapped_kernels(const etr_placement *placement, etr_arena *scratch) {
  const etr_graph *graph = placement->method->graph;
  etr_map missing; /* operator -> number of its nodes, less that of its kernels */
  etr_map_init(&missing, scratch);
  for (size_t i = 0; graph && i < graph->subgraph_count; i++)
    if (graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY)
      return true;
  for (size_t i = 0; graph && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->subgraph != ETR_NONE || !etr_is_functionalized(node))
      continue;
    etr_map_slot *slot = etr_map_at(&missing, etr_operator_of_target(node->target));
    if (!slot)
      return false;
    slot->value = slot->value == ETR_NONE ? 1 : slot->value + 1;
  }
  for (int is_marking = 0; missing.count && is_marking <= 1; is_marking++)
    for (size_t i = 0; i < placement->instructions.count; i++) {
      etr_placed *kernel = &placement->instructions.data[i];
      bool is_open = kernel->is_kernel && kernel->op.size && !kernel->map;
      if (!is_open || etr_map_get(&missing, kernel->op) == ETR_NONE)
        continue;
      etr_map_slot *slot = etr_map_at(&missing, kernel->op);
      if (is_marking)
        kernel->is_in_place |= slot->value == 0;
      else
        slot->value--;
    }
  return true;
}

/* Sorts them by id, and finds backends that only events show. */
bool etr_instructions_collect(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                              etr_arena *arena, etr_arena *scratch) {
  collector c = {.placement = placement, .arena = arena};
  size_t node_count = placement->method->graph ? placement->method->graph->node_count : 0;
  placement->node_delegate = etr_arena_alloc_array(arena, node_count,
                                                   sizeof *placement->node_delegate);
  for (size_t i = 0; placement->node_delegate && i < node_count; i++)
    placement->node_delegate[i] = -1;
  etr_map_init(&c.index, scratch);
  if (!add_instructions_of_program(&c) || !add_instructions_of_map(&c))
    return false;
  if (!add_instructions_of_events(&c, method, blocks) || !mark_wrapped_kernels(placement, scratch))
    return false;
  etr_sort(placement->instructions.data, placement->instructions.count,
           sizeof *placement->instructions.data, etr_by_int);
  size_t count;
  const uint32_t *block_indices = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++)
    set_backends_by_events(placement, &blocks->blocks[block_indices[i]], scratch);
  return true;
}

/* ---- Delegates ---- */

/* Returns NULL and sets *count to 0 if it has none. */
const etr_delegate_node *etr_nodes_of_delegate(const etr_placement *placement,
                                               int32_t instruction_id, size_t *count) {
  const etr_delegate_node *list = placement->delegate_nodes.data;
  size_t first = etr_find_int(instruction_id, list, placement->delegate_nodes.count, sizeof *list);
  size_t end = first;
  while (end < placement->delegate_nodes.count && list[end].instruction_id == instruction_id)
    end++;
  *count = end - first;
  return *count ? &list[first] : NULL;
}

/* Returns the innermost module that contains both modules; 0, the top level, if there is none. */
static uint32_t common_module(const etr_graph *graph, uint32_t a, uint32_t b) {
  for (uint32_t x = a; x != ETR_NONE; x = graph->modules[x].parent)
    for (uint32_t y = b; y != ETR_NONE; y = graph->modules[y].parent)
      if (x == y)
        return x;
  return 0;
}

/* 0 is the top level. */
uint32_t etr_module_of_delegate(const etr_placement *placement, int32_t instruction_id) {
  const etr_graph *graph = placement->method->graph;
  size_t count;
  const etr_delegate_node *list = etr_nodes_of_delegate(placement, instruction_id, &count);
  uint32_t module = count ? graph->nodes[list[0].node].module : 0;
  for (size_t i = 1; i < count; i++)
    module = common_module(graph, module, graph->nodes[list[i].node].module);
  return module;
}
