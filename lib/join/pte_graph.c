/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_graph.c - instructions as nodes.
 */
#include "join/pte_graph.h"

#include "backends/backends.h"
#include "join/links.h"

typedef struct builder {
  etr_pte_graph *out;
  const etr_method_join *join;
  const etr_pte_method *program;
  uint32_t method;
  const etr_blocks *blocks;
  etr_arena *arena, *scratch;
  etr_vec(etr_node) nodes;
  etr_vec(etr_subgraph) subgraphs;
  etr_links links;
  etr_map kernels; /* name and overload of an operator -> place in targets */
  etr_vec(const char *) targets;
  const etr_event **timed; /* of delegates, by instruction, in the order of their blocks */
  size_t *end_of_timed;    /* per instruction: where its own end there */
} builder;

/* What is repeated of a backend's name in the names of its operators. */
enum { MOST_BACKEND_BYTES = 256 };

enum { NO_INSTRUCTION = -1 };

/* ---- Lookup ---- */

/* Delegate ids are interned, so the pointer stands for the text. */
typedef struct node_key {
  const char *delegate_id;
  int64_t instruction_id;
} node_key;
ETR_NO_PADDING(node_key, sizeof(char *) + sizeof(int64_t));

uint32_t etr_pte_graph_node(const etr_pte_graph *graph, int32_t instruction_id, const char *delegate_id) {
  node_key key = {delegate_id, instruction_id};
  return etr_map_get(&graph->nodes, (etr_slice){(const char *)&key, sizeof key});
}

/* A node at the end of the graph. */
static etr_node *push_node(builder *b, int32_t instruction_id) {
  bool is_granted = b->nodes.count < ETR_NONE && !etr_budget_take(b->join->budget, ETR_NODES, 1);
  etr_node *node = is_granted ? etr_vec_push(b->arena, &b->nodes) : NULL;
  int32_t *instruction = node ? etr_vec_push(b->arena, &b->out->instructions) : NULL;
  if (instruction) *instruction = instruction_id;
  return instruction ? node : NULL;
}

static etr_node *add_node(builder *b, int32_t instruction_id, const char *delegate_id) {
  node_key key = {delegate_id, instruction_id};
  etr_node *node = push_node(b, instruction_id);
  if (!node ||
      !etr_map_set(&b->out->nodes, (etr_slice){(const char *)&key, sizeof key}, (uint32_t)(b->nodes.count - 1)))
    return NULL;
  *node = (etr_node){.subgraph = ETR_NONE, .kind = ETR_NODE_OP};
  return node;
}

/* ---- Inputs and output ---- */

static bool add_inputs(builder *b) {
  for (size_t i = 0; i < b->program->input_count; i++) {
    etr_node input = {.kind = ETR_NODE_INPUT, .subgraph = ETR_NONE};
    if (!etr_links_add_input(&b->links, &input, (uint32_t)b->nodes.count, b->program->inputs[i])) continue;
    etr_node *node = push_node(b, NO_INSTRUCTION);
    if (!node) return false;
    input.name = input.target = input.op_type = etr_arena_format(b->arena, "input_%zu", i);
    *node = input;
  }
  return !etr_arena_failed(b->arena);
}

static bool add_result(builder *b) {
  etr_node *node = push_node(b, NO_INSTRUCTION);
  if (!node) return false;
  *node = (etr_node){
      .name = "output", .target = "output", .op_type = "output", .kind = ETR_NODE_OUTPUT, .subgraph = ETR_NONE};
  return etr_links_add_output(&b->links, node);
}

/* ---- What an instruction stands for ---- */

static void take_edge_node(builder *b, etr_node *node, uint32_t edge_node) {
  const etr_node *source = &b->join->graph->nodes[edge_node];
  const char **names = etr_arena_alloc(b->arena, sizeof *names);
  if (!names) return;
  *names = source->name;
  node->edge_nodes = names;
  node->edge_node_count = 1;
  node->module = source->module;
  node->source = source->source;
  node->debug_handle = source->debug_handle;
}

static void take_delegate_nodes(builder *b, etr_node *node, int32_t instruction_id) {
  size_t count;
  const etr_delegate_node *list = etr_join_nodes_of_delegate(b->join, instruction_id, &count);
  const char **names = etr_arena_alloc_array(b->arena, count, sizeof *names);
  if (!names || count == 0) return;
  node->module = etr_join_module_of_delegate(b->join, instruction_id);
  for (size_t i = 0; i < count; i++) names[i] = b->join->graph->nodes[list[i].node].name;
  node->edge_nodes = names;
  node->edge_node_count = count;
}

/* ---- Operators of a delegate ---- */

static const char *backend_of(const builder *b, const etr_instruction *instruction) {
  const etr_pte_delegate *delegate = etr_delegate_of(b->program, instruction);
  return delegate ? delegate->backend : "unknown";
}

/* "Convolution (NHWC, F32) IGEMM #3" without its number. */
static const char *operator_name(builder *b, const char *id) {
  const char *number = strstr(id, " #");
  return etr_arena_copy(b->arena, (etr_slice){id, number ? (size_t)(number - id) : strlen(id)});
}

/* Adds an operator behind the one before it; gives its node. */
static etr_node *add_operator(builder *b, uint32_t subgraph, int32_t instruction_id, const char *id, const char *name,
                              uint32_t *previous) {
  etr_node *node = add_node(b, instruction_id, id);
  etr_edge *edge = *previous == ETR_NONE ? NULL : etr_arena_alloc(b->arena, sizeof *edge);
  etr_value *output = etr_arena_alloc(b->arena, sizeof *output);
  if (!node || !output) return NULL;
  *output = (etr_value){.name = id, .rank = -1};
  node->name = id;
  node->target = etr_arena_format(b->arena, "%.*s.%s",
                                  ETR_HEAD(b->subgraphs.data[subgraph].backend, MOST_BACKEND_BYTES), name ? name : "");
  node->op_type = node->target;
  node->subgraph = subgraph;
  node->outputs = output;
  node->output_count = 1;
  if (edge) {
    *edge = (etr_edge){*previous, 0};
    node->inputs = edge;
    node->input_count = 1;
  }
  *previous = (uint32_t)(b->nodes.count - 1);
  return etr_arena_failed(b->arena) ? NULL : node;
}

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
  if (!b->end_of_timed) return false;
  each_timed(b, count_timed);
  for (size_t i = 1; i <= count; i++) b->end_of_timed[i] += b->end_of_timed[i - 1];
  b->timed = etr_arena_alloc_array(b->scratch, b->end_of_timed[count], sizeof *b->timed);
  if (b->timed) each_timed(b, put_timed);
  return b->timed != NULL;
}

static bool add_timed_operators(builder *b, uint32_t subgraph, int32_t instruction_id, bool *any) {
  uint32_t previous = ETR_NONE;
  for (size_t i = instruction_id ? b->end_of_timed[instruction_id - 1] : 0; i < b->end_of_timed[instruction_id]; i++) {
    const etr_event *e = b->timed[i];
    if (etr_pte_graph_node(b->out, instruction_id, e->delegate_id) != ETR_NONE) continue;
    etr_node *node = add_operator(b, subgraph, instruction_id, e->delegate_id, operator_name(b, e->delegate_id),
                                  &previous);
    if (!node) return false;
    if (e->node_count && b->join->graph) take_edge_node(b, node, e->nodes[0]);
    *any = true;
  }
  return true;
}

static bool add_payload_operators(builder *b, uint32_t subgraph, int32_t instruction_id) {
  const etr_join_instruction *known = etr_join_find(b->join, instruction_id);
  const etr_backend *backend = known && known->payload ? etr_backend_of(known->backend) : NULL;
  uint32_t previous = ETR_NONE;
  if (!backend || !etr_payloads_show(b->join->payloads, known->payload)) return true;
  for (size_t i = 0; i < known->payload->count; i++) {
    const char *name = backend->class_name(known->payload->operators[i].class_),
               *id = etr_arena_format(b->arena, "%s #%zu", name, i + 1);
    etr_node *node = id ? add_operator(b, subgraph, instruction_id, id, name, &previous) : NULL;
    if (!node) return false;
    if (known->operator_nodes[i] != ETR_NONE) take_edge_node(b, node, known->operator_nodes[i]);
  }
  return true;
}

static bool add_delegate(builder *b, uint32_t node, int32_t instruction_id, const etr_instruction *instruction) {
  bool any = false;
  etr_subgraph *subgraph = etr_vec_push(b->arena, &b->subgraphs);
  if (!subgraph) return false;
  const char *name = etr_arena_format(b->arena, "delegate_%d", (int)instruction_id);
  *subgraph = (etr_subgraph){.name = name,
                             .path = name,
                             .kind = ETR_SUBGRAPH_LOWERED,
                             .parent = ETR_NONE,
                             .owner = node,
                             .backend = backend_of(b, instruction)};
  uint32_t index = (uint32_t)(b->subgraphs.count - 1);
  if (b->join->graph) take_delegate_nodes(b, &b->nodes.data[node], instruction_id);
  if (!add_timed_operators(b, index, instruction_id, &any)) return false;
  if (!any && !add_payload_operators(b, index, instruction_id)) return false;
  if (b->nodes.count == (size_t)node + 1) b->subgraphs.count--; /* nothing is known of its inside */
  return true;
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
    return etr_arena_format(b->arena, "delegate.%.*s", ETR_HEAD(backend_of(b, instruction), MOST_BACKEND_BYTES));
  case ETR_INSTRUCTION_MOVE: return "control.move";
  case ETR_INSTRUCTION_JUMP_FALSE: return "control.jump_false";
  case ETR_INSTRUCTION_FREE: return "control.free";
  default: return "control.unknown";
  }
}

static bool add_instruction(builder *b, int32_t id) {
  const etr_instruction *instruction = &b->program->instructions[id];
  const etr_join_instruction *known = etr_join_find(b->join, id);
  uint32_t index = (uint32_t)b->nodes.count;
  etr_node *node = add_node(b, id, NULL);
  if (!node) return false;
  node->name = etr_arena_format(b->arena, "instruction_%d", (int)id);
  node->target = target_of(b, instruction);
  node->op_type = node->target;
  if (b->join->graph && known && known->node != ETR_NONE) take_edge_node(b, node, known->node);
  if (instruction->kind == ETR_INSTRUCTION_KERNEL || instruction->kind == ETR_INSTRUCTION_DELEGATE)
    if (!etr_links_add(&b->links, node, index, instruction, known ? known->payload : NULL)) return false;
  return instruction->kind != ETR_INSTRUCTION_DELEGATE || add_delegate(b, index, id, instruction);
}

bool etr_pte_graph_build(etr_pte_graph *out, const etr_method_join *join, uint32_t method, const etr_blocks *blocks,
                         etr_arena *arena, etr_arena *scratch) {
  static const etr_module root = {.path = "", .recorded = "", .type = "", .parent = ETR_NONE, .pattern = ""};
  const etr_pte_method *program = join->program;
  builder b = {.out = out,
               .join = join,
               .program = program,
               .method = method,
               .blocks = blocks,
               .arena = arena,
               .scratch = scratch};
  *out = (etr_pte_graph){0};
  etr_map_init(&out->nodes, arena);
  etr_map_init(&b.kernels, arena);
  if (!etr_links_init(&b.links, program, arena) || !group_timed(&b) || !add_inputs(&b)) return false;
  for (size_t i = 0; i < program->instruction_count && i < INT32_MAX; i++)
    if (!add_instruction(&b, (int32_t)i)) return false;
  if (!add_result(&b)) return false;
  out->graph = (etr_graph){.dialect = "program",
                           .schema_version = "",
                           .nodes = b.nodes.data,
                           .node_count = b.nodes.count,
                           .modules = join->graph ? join->graph->modules : &root,
                           .module_count = join->graph ? join->graph->module_count : 1,
                           .subgraphs = b.subgraphs.data,
                           .subgraph_count = b.subgraphs.count,
                           .profile_method = ETR_NONE};
  return !etr_arena_failed(arena);
}
