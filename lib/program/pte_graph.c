/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_graph.c - instructions as nodes.
 */
#include "program/pte_graph.h"

#include "program/pte_builder.h"

typedef etr_pte_builder builder;

/* ---- Inputs and output ---- */

static bool add_inputs(builder *b) {
  for (size_t i = 0; i < b->program->input_count; i++) {
    etr_node input = {.kind = ETR_NODE_INPUT, .subgraph = ETR_NONE};
    if (!etr_links_add_input(&b->links, &input, (uint32_t)b->nodes.count, b->program->inputs[i])) continue;
    etr_node *node = etr_pte_push_node(b, ETR_NO_INSTRUCTION);
    if (!node) return false;
    input.name = input.target = input.op_type = etr_arena_format(b->arena, "input_%zu", i);
    *node = input;
  }
  return !etr_arena_failed(b->arena);
}

/* A jump reads a number, and what is freed is read no more. */
static bool has_values(const etr_instruction *instruction) {
  return instruction->kind == ETR_INSTRUCTION_KERNEL || instruction->kind == ETR_INSTRUCTION_DELEGATE ||
         instruction->kind == ETR_INSTRUCTION_MOVE;
}

static bool add_sources(builder *b) {
  etr_links dry;
  /* What nothing writes shows in going through all instructions once. */
  if (!etr_links_init(&dry, b->placement->method, b->scratch)) return false;
  for (size_t i = 0; i < b->program->input_count; i++) {
    etr_node input = {0};
    if (!etr_links_add_input(&dry, &input, 0, b->program->inputs[i]) && etr_arena_failed(b->scratch)) return false;
  }
  for (size_t i = 0; i < b->program->instruction_count && i < INT32_MAX; i++) {
    const etr_instruction *instruction = &b->program->instructions[i];
    etr_node node = {0};
    if (has_values(instruction) && !etr_links_add(&dry, &node, (uint32_t)i + 1, (int32_t)i)) return false;
  }
  for (size_t i = 0; i < dry.sources.count; i++) {
    etr_node *node = etr_pte_push_node(b, ETR_NO_INSTRUCTION);
    if (!node || !etr_links_add_source(&b->links, node, (uint32_t)(b->nodes.count - 1), dry.sources.data[i]))
      return false;
  }
  return true;
}

/* ---- What an instruction stands for ---- */

static void take_delegate_nodes(builder *b, etr_node *node, int32_t instruction_id) {
  size_t count;
  const etr_delegate_node *list = etr_nodes_of_delegate(b->placement, instruction_id, &count);
  const char **names = etr_arena_alloc_array(b->arena, count, sizeof *names);
  if (!names || count == 0) return;
  node->module = etr_module_of_delegate(b->placement, instruction_id);
  for (size_t i = 0; i < count; i++) names[i] = b->placement->method->graph->nodes[list[i].node].name;
  node->edge_nodes = names;
  node->edge_node_count = count;
}

/* ---- Events of delegates ---- */

static bool is_timed_operator(const builder *b, const etr_event *e) {
  bool is_operator = e->delegate_id && (e->role == ETR_ROLE_OPERATOR || e->is_in_sums);
  return is_operator && e->instruction_id >= 0 && (size_t)e->instruction_id < b->program->instruction_count;
}

/* Calls visit for each event of an operator in a delegate. */
static void each_timed(builder *b, void (*visit)(builder *b, const etr_event *e)) {
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(b->blocks, b->method, &count);
  for (size_t i = 0; i < count; i++) {
    const etr_block *block = &b->blocks->blocks[mine[i]];
    for (size_t k = 0; k < block->event_count; k++)
      if (is_timed_operator(b, &block->events[k])) visit(b, &block->events[k]);
  }
}

static void count_timed(builder *b, const etr_event *e) { b->end_of_timed[e->instruction_id + 1]++; }

static void put_timed(builder *b, const etr_event *e) { b->timed[b->end_of_timed[e->instruction_id]++] = e; }

static bool group_timed(builder *b) {
  size_t count = b->program->instruction_count;
  b->end_of_timed = etr_arena_alloc_array(b->scratch, count + 1, sizeof *b->end_of_timed);
  if (!b->end_of_timed || !b->placement->method->graph) return b->end_of_timed != NULL;
  each_timed(b, count_timed);
  for (size_t i = 1; i <= count; i++) b->end_of_timed[i] += b->end_of_timed[i - 1];
  b->timed = etr_arena_alloc_array(b->scratch, b->end_of_timed[count], sizeof *b->timed);
  if (b->timed) each_timed(b, put_timed);
  return b->timed != NULL;
}

/* ---- Instructions ---- */

static const char *name_kernel(builder *b, const etr_instruction *instruction) {
  const char *colons = strstr(instruction->op, "::");
  if (!colons) return etr_arena_format(b->arena, "%s.%s", instruction->op, instruction->overload);
  return etr_arena_format(b->arena, "%.*s.%s%s%s", (int)(colons - instruction->op), instruction->op, colons + 2,
                          instruction->overload[0] ? "." : "", instruction->overload);
}

/* Made once for all instructions that call the same kernel: names are interned, so the pointers stand for the texts. */
static const char *target_of_kernel(builder *b, const etr_instruction *instruction) {
  const char *const key[] = {instruction->op, instruction->overload};
  etr_map_slot *slot = etr_map_at(&b->kernels, (etr_slice){(const char *)key, sizeof key});
  if (slot && slot->value == ETR_NONE) {
    const char **added = etr_vec_push(b->arena, &b->targets);
    if (added) *added = name_kernel(b, instruction);
    slot->value = added ? (uint32_t)(b->targets.count - 1) : ETR_NONE;
  }
  return slot && slot->value != ETR_NONE ? b->targets.data[slot->value] : NULL;
}

static const char *target_of(builder *b, const etr_instruction *instruction) {
  switch (instruction->kind) {
  case ETR_INSTRUCTION_KERNEL: return target_of_kernel(b, instruction);
  case ETR_INSTRUCTION_DELEGATE:
    return etr_arena_format(b->arena, "delegate.%.*s", ETR_HEAD(etr_pte_backend_of(b, instruction), 256));
  case ETR_INSTRUCTION_MOVE: return "control.move";
  case ETR_INSTRUCTION_JUMP_FALSE: return "control.jump_false";
  case ETR_INSTRUCTION_FREE: return "control.free";
  default: return "control.unknown";
  }
}

static bool add_call(builder *b, int32_t id) {
  const etr_own_graph *own = etr_method_own_graph(b->placement->method, id);
  uint32_t index = (uint32_t)(b->nodes.count - 1);
  if (!etr_links_add(&b->links, &b->nodes.data[index], index, id)) return false;
  b->out->works.data[index] = ETR_WORK_HIDDEN;
  if (b->placement->method->graph) take_delegate_nodes(b, &b->nodes.data[index], id);
  return etr_pte_add_delegate(b, id, own);
}

static bool add_kernel(builder *b, int32_t id, const etr_instruction *instruction) {
  uint32_t index = (uint32_t)(b->nodes.count - 1);
  etr_node *node = &b->nodes.data[index];
  if (!etr_links_add(&b->links, node, index, id)) return false;
  if (!etr_links_views(&b->links, node, &b->out->views.data[index])) return false;
  if (b->links.misses_input) b->out->works.data[index] = ETR_WORK_HIDDEN;
  return etr_program_arguments_give(&b->arguments, node, instruction);
}

static bool add_instruction(builder *b, int32_t id) {
  const etr_instruction *instruction = &b->program->instructions[id];
  const etr_placed *known = etr_placed_instruction(b->placement, id);
  uint32_t index = (uint32_t)b->nodes.count;
  etr_node *node = etr_pte_add_node(b, id, NULL);
  if (!node) return false;
  node->name = etr_arena_format(b->arena, "instruction_%d", (int)id);
  node->target = node->op_type = target_of(b, instruction);
  if (b->placement->method->graph && known && known->node != ETR_NONE) etr_pte_take_edge_node(b, node, known->node);
  if (instruction->kind == ETR_INSTRUCTION_DELEGATE) return add_call(b, id);
  if (instruction->kind == ETR_INSTRUCTION_KERNEL) return add_kernel(b, id, instruction);
  b->out->works.data[index] = ETR_WORK_ELSEWHERE;
  return !has_values(instruction) || etr_links_add(&b->links, node, index, id);
}

/* A graph has at least its root. */
static bool begin(builder *b) {
  static const etr_module root = {.path = "", .recorded = "", .type = "", .parent = ETR_NONE, .pattern = ""};
  etr_module *module = etr_vec_push(b->arena, &b->modules);
  if (!module) return false;
  *module = root;
  return etr_links_init(&b->links, b->placement->method, b->arena) && group_timed(b) && add_inputs(b) &&
         add_sources(b) && etr_program_arguments_init(&b->arguments, b->program, b->arena, b->scratch);
}

bool etr_pte_graph_build(etr_pte_graph *out, const etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                         etr_arena *arena, etr_arena *scratch) {
  const etr_pte_method *program = placement->method->program;
  builder b = {.out = out,
               .placement = placement,
               .program = program,
               .method = method,
               .blocks = blocks,
               .arena = arena,
               .scratch = scratch};
  *out = (etr_pte_graph){0};
  etr_map_init(&out->nodes, arena);
  etr_map_init(&b.kernels, arena);
  if (!begin(&b)) return false;
  for (size_t i = 0; i < program->instruction_count && i < INT32_MAX; i++)
    if (!add_instruction(&b, (int32_t)i)) return false;
  etr_node *node = etr_pte_push_node(&b, ETR_NO_INSTRUCTION);
  if (!node) return false;
  *node = (etr_node){
      .name = "output", .target = "output", .op_type = "output", .kind = ETR_NODE_OUTPUT, .subgraph = ETR_NONE};
  if (!etr_links_add_output(&b.links, node)) return false;
  out->is_cut = b.links.uses.is_cut;
  out->graph = (etr_graph){.dialect = "program",
                           .schema_version = "",
                           .nodes = b.nodes.data,
                           .node_count = b.nodes.count,
                           .modules = placement->method->graph ? placement->method->graph->modules : b.modules.data,
                           .module_count = placement->method->graph ? placement->method->graph->module_count
                                                                    : b.modules.count,
                           .subgraphs = b.subgraphs.data,
                           .subgraph_count = b.subgraphs.count,
                           .works = out->works.data,
                           .views = out->views.data,
                           .profile_method = ETR_NONE};
  return !etr_arena_failed(arena);
}

bool etr_pte_graph_stand_in(etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena) {
  etr_arena scratch = {0};
  const etr_pte_method *program = placement->method->program;
  if (!program || program->instruction_count == 0) return true;
  placement->program_graph = etr_arena_alloc(arena, sizeof *placement->program_graph);
  bool good = placement->program_graph &&
              etr_pte_graph_build(placement->program_graph, placement, method, blocks, arena, &scratch);
  good = good && !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good;
}
