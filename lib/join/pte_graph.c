/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_graph.c - instructions as nodes.
 */
#include "pte_graph.h"

#include "program_values.h"

typedef struct builder {
  etr_pte_graph *out;
  const etr_method_join *join;
  const etr_pte_method *program;
  uint32_t method;
  const etr_blocks *blocks;
  etr_arena *arena;
  etr_vec(etr_node) nodes;
  etr_vec(etr_subgraph) subgraphs;
  etr_edge *writer; /* per value of the method: what wrote it last; node ETR_NONE: nothing yet */
  etr_storages storages;
  etr_vec(bool) written; /* arguments of the instruction looked at */
  size_t items_left;     /* of lists that are looked at: instructions may share a long one */
} builder;

typedef etr_vec(etr_edge) etr_edges;
typedef etr_vec(etr_value) etr_values;

/* A kernel with more results returns a list of them; beyond what real programs have. */
enum { MOST_RESULTS = 8, MOST_ITEMS = 256, MOST_ITEMS_IN_ALL = 1 << 22 };

enum { NO_INSTRUCTION = -1 };

/* ---- Lookup ---- */

/* Delegate ids are interned, so the pointer stands for the text. */
typedef struct node_key {
  const char *delegate_id;
  int64_t instruction_id;
} node_key;

uint32_t etr_pte_graph_node(const etr_pte_graph *graph, int32_t instruction_id, const char *delegate_id) {
  node_key key = {delegate_id, instruction_id};
  return etr_map_get(&graph->nodes, (etr_slice){(const char *)&key, sizeof key});
}

/* A node at the end of the graph. */
static etr_node *push_node(builder *b, int32_t instruction_id) {
  etr_node *node = b->nodes.count < ETR_NONE ? etr_vec_push(b->arena, &b->nodes) : NULL;
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

/* ---- Values ---- */

static bool is_data(const etr_pte_value *value) {
  return value->kind == ETR_PTE_VALUE_TENSOR || value->kind == ETR_PTE_VALUE_TENSOR_LIST;
}

static void describe_value(builder *b, etr_value *out, int32_t index) {
  const etr_pte_value *value = &b->program->values[index];
  etr_dim *dims = value->rank > 0 ? etr_arena_alloc_array(b->arena, (size_t)value->rank, sizeof *dims) : NULL;
  *out = (etr_value){.name = etr_arena_format(b->arena, "value_%d", index), .dtype = value->dtype, .rank = -1};
  if (value->kind != ETR_PTE_VALUE_TENSOR || (value->rank > 0 && !dims)) return;
  for (int32_t i = 0; i < value->rank; i++) dims[i] = (etr_dim){.size = value->sizes[i], .hint = -1};
  out->dims = dims;
  out->rank = value->rank;
}

static bool is_value(const builder *b, int32_t index) { return index >= 0 && (size_t)index < b->program->value_count; }

/* Marks a value, and what a list holds, as written by an output of a node. */
static void set_writer(builder *b, int32_t index, uint32_t node, uint32_t output) {
  if (!is_value(b, index)) return;
  b->writer[index] = (etr_edge){node, output};
  etr_storages_write(&b->storages, index);
}

static void mark_written(builder *b, int32_t index, uint32_t node, uint32_t output) {
  set_writer(b, index, node, output);
  const etr_pte_value *value = is_value(b, index) ? &b->program->values[index] : NULL;
  if (!value || value->item_count > b->items_left) return;
  b->items_left -= value->item_count;
  for (size_t i = 0; i < value->item_count; i++) set_writer(b, value->items[i], node, output);
}

/* ---- What an instruction reads and writes ---- */

/* Marks which arguments of its call a delegate writes: its payload says; without one, those that nothing wrote before.
 */
static bool mark_delegate(builder *b, int32_t id) {
  const etr_instruction *instruction = &b->program->instructions[id];
  const etr_join_instruction *known = etr_join_find(b->join, id);
  const etr_payload *payload = known ? known->payload : NULL;
  b->written.count = 0;
  for (size_t i = 0; i < instruction->arg_count; i++) {
    bool *written = etr_vec_push(b->arena, &b->written);
    if (!written) return false;
    int32_t index = instruction->args[i];
    *written = !payload && is_value(b, index) && b->writer[index].node == ETR_NONE;
  }
  for (size_t i = 0; payload && i < payload->count; i++) {
    uint32_t output = payload->operators[i].output;
    int32_t argument = output == ETR_NONE ? -1 : payload->values[output].argument;
    if (argument >= 0 && (size_t)argument < b->written.count) b->written.data[argument] = true;
  }
  return true;
}

/* Likewise of a kernel: what it returns, which may stand among its arguments before. */
static bool mark_kernel(builder *b, int32_t id) {
  const etr_instruction *instruction = &b->program->instructions[id];
  size_t count;
  const int32_t *results = etr_results_of(b->program, instruction, &count);
  b->written.count = 0;
  for (size_t i = 0; i < instruction->arg_count; i++) {
    bool *written = etr_vec_push(b->arena, &b->written);
    if (!written) return false;
    *written = i + 1 == instruction->arg_count;
    for (size_t k = 0; k < count && k < MOST_RESULTS; k++) *written |= results[k] == instruction->args[i];
  }
  return true;
}

/* A view that memory planning made one with what it views belongs to the writer of that. */
static etr_edge writer_of(builder *b, int32_t index) {
  int32_t viewed = b->writer[index].node == ETR_NONE ? etr_storages_viewed(&b->storages, index) : -1;
  if (viewed >= 0) b->writer[index] = b->writer[viewed];
  return b->writer[index];
}

static bool add_input(builder *b, etr_node *node, etr_edges *inputs, int32_t index) {
  etr_edge writer = writer_of(b, index);
  if (writer.node == ETR_NONE) return true;
  etr_edge *edge = etr_vec_push(b->arena, inputs);
  if (!edge) return false;
  *edge = writer;
  node->inputs = inputs->data;
  node->input_count = inputs->count;
  return true;
}

/* A list is read tensor by tensor. */
static bool add_reads(builder *b, etr_node *node, etr_edges *inputs, int32_t index) {
  const etr_pte_value *value = &b->program->values[index];
  if (value->item_count == 0 || value->item_count > MOST_ITEMS) return add_input(b, node, inputs, index);
  for (size_t i = 0; i < value->item_count; i++)
    if (is_value(b, value->items[i]) && !add_input(b, node, inputs, value->items[i])) return false;
  return true;
}

static bool add_output(builder *b, uint32_t node, etr_values *outputs, int32_t index) {
  if (b->writer[index].node == node) return true; /* an out argument is what the kernel returns, too */
  etr_value *output = etr_vec_push(b->arena, outputs);
  if (!output) return false;
  describe_value(b, output, index);
  mark_written(b, index, node, (uint32_t)(outputs->count - 1));
  b->nodes.data[node].outputs = outputs->data;
  b->nodes.data[node].output_count = outputs->count;
  return true;
}

/* The tensors of a list are results of their own; a list that is longer than any operator's is one. */
static bool add_outputs(builder *b, uint32_t node, etr_values *outputs, int32_t index) {
  const etr_pte_value *value = &b->program->values[index];
  if (value->item_count == 0 || value->item_count > MOST_ITEMS) return add_output(b, node, outputs, index);
  for (size_t i = 0; i < value->item_count; i++)
    if (is_value(b, value->items[i]) && !add_output(b, node, outputs, value->items[i])) return false;
  return true;
}

static bool link_values(builder *b, uint32_t node, int32_t id) {
  const etr_instruction *instruction = &b->program->instructions[id];
  etr_edges inputs = {0};
  etr_values outputs = {0};
  bool is_delegate = instruction->kind == ETR_INSTRUCTION_DELEGATE;
  if (!(is_delegate ? mark_delegate(b, id) : mark_kernel(b, id))) return false;
  for (size_t i = 0; i < instruction->arg_count; i++) {
    int32_t index = instruction->args[i];
    if (!is_value(b, index) || !is_data(&b->program->values[index]) || b->program->values[index].constant) continue;
    bool good = b->written.data[i] ? add_outputs(b, node, &outputs, index)
                                   : add_reads(b, &b->nodes.data[node], &inputs, index);
    if (!good) return false;
  }
  return true;
}

static bool add_inputs(builder *b) {
  for (size_t i = 0; i < b->program->input_count; i++) {
    int32_t index = b->program->inputs[i];
    etr_value *value = etr_arena_alloc(b->arena, sizeof *value);
    etr_node *node = is_value(b, index) && value ? push_node(b, NO_INSTRUCTION) : NULL;
    if (!node) continue;
    describe_value(b, value, index);
    const char *name = etr_arena_format(b->arena, "input_%zu", i);
    *node = (etr_node){.name = name,
                       .target = name,
                       .op_type = name,
                       .kind = ETR_NODE_INPUT,
                       .subgraph = ETR_NONE,
                       .outputs = value,
                       .output_count = 1};
    mark_written(b, index, (uint32_t)(b->nodes.count - 1), 0);
  }
  return !etr_arena_failed(b->arena);
}

static bool add_result(builder *b) {
  etr_vec(etr_edge) inputs = {0};
  for (size_t i = 0; i < b->program->output_count; i++) {
    int32_t index = b->program->outputs[i];
    if (!is_value(b, index) || b->writer[index].node == ETR_NONE) continue;
    etr_edge *edge = etr_vec_push(b->arena, &inputs);
    if (edge) *edge = b->writer[index];
  }
  etr_node *node = push_node(b, NO_INSTRUCTION);
  if (!node) return false;
  *node = (etr_node){.name = "output",
                     .target = "output",
                     .op_type = "output",
                     .kind = ETR_NODE_OUTPUT,
                     .subgraph = ETR_NONE,
                     .inputs = inputs.data,
                     .input_count = inputs.count};
  return true;
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

/* The innermost module that holds both. */
static uint32_t common_module(const etr_graph *graph, uint32_t a, uint32_t b) {
  for (uint32_t x = a; x != ETR_NONE; x = graph->modules[x].parent)
    for (uint32_t y = b; y != ETR_NONE; y = graph->modules[y].parent)
      if (x == y) return x;
  return 0;
}

static void take_delegate_nodes(builder *b, etr_node *node, int32_t instruction_id) {
  size_t count;
  const etr_delegate_node *list = etr_join_nodes_of_delegate(b->join, instruction_id, &count);
  const char **names = etr_arena_alloc_array(b->arena, count, sizeof *names);
  if (!names || count == 0) return;
  node->module = b->join->graph->nodes[list[0].node].module;
  for (size_t i = 0; i < count; i++) {
    const etr_node *source = &b->join->graph->nodes[list[i].node];
    names[i] = source->name;
    node->module = common_module(b->join->graph, node->module, source->module);
  }
  node->edge_nodes = names;
  node->edge_node_count = count;
}

/* ---- Operators of a delegate ---- */

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
  node->target = etr_arena_format(b->arena, "%s.%s", b->subgraphs.data[subgraph].backend, name ? name : "");
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

static bool add_timed_operators(builder *b, uint32_t subgraph, int32_t instruction_id, bool *any) {
  uint32_t previous = ETR_NONE;
  for (size_t i = 0; i < b->blocks->block_count; i++) {
    const etr_block *block = &b->blocks->blocks[i];
    for (size_t k = 0; block->method == b->method && k < block->event_count; k++) {
      const etr_event *e = &block->events[k];
      if (e->instruction_id != instruction_id || !e->delegate_id ||
          etr_pte_graph_node(b->out, instruction_id, e->delegate_id) != ETR_NONE)
        continue;
      etr_node *node = add_operator(b, subgraph, instruction_id, e->delegate_id, operator_name(b, e->delegate_id),
                                    &previous);
      if (!node) return false;
      if (e->node_count && b->join->graph) take_edge_node(b, node, e->nodes[0]);
      *any = true;
    }
  }
  return true;
}

static bool add_payload_operators(builder *b, uint32_t subgraph, int32_t instruction_id) {
  const etr_join_instruction *known = etr_join_find(b->join, instruction_id);
  const etr_backend *backend = known && known->payload ? etr_backend_of(known->backend) : NULL;
  uint32_t previous = ETR_NONE;
  for (size_t i = 0; backend && i < known->payload->count; i++) {
    const char *name = backend->class_name(known->payload->operators[i].class_),
               *id = etr_arena_format(b->arena, "%s #%zu", name, i + 1);
    etr_node *node = id ? add_operator(b, subgraph, instruction_id, id, name, &previous) : NULL;
    if (!node) return false;
    if (known->operator_nodes[i] != ETR_NONE) take_edge_node(b, node, known->operator_nodes[i]);
  }
  return true;
}

static bool add_delegate(builder *b, uint32_t node, int32_t instruction_id, const etr_instruction *instruction) {
  bool known = instruction->delegate >= 0 && (size_t)instruction->delegate < b->program->delegate_count, any = false;
  const char *backend = known ? b->program->delegates[instruction->delegate].backend : "unknown";
  etr_subgraph *subgraph = etr_vec_push(b->arena, &b->subgraphs);
  if (!subgraph) return false;
  const char *name = etr_arena_format(b->arena, "delegate_%d", (int)instruction_id);
  *subgraph = (etr_subgraph){
      .name = name, .path = name, .kind = ETR_SUBGRAPH_LOWERED, .parent = ETR_NONE, .owner = node, .backend = backend};
  uint32_t index = (uint32_t)(b->subgraphs.count - 1);
  if (b->join->graph) take_delegate_nodes(b, &b->nodes.data[node], instruction_id);
  if (!add_timed_operators(b, index, instruction_id, &any)) return false;
  if (!any && known && !add_payload_operators(b, index, instruction_id)) return false;
  if (b->nodes.count == (size_t)node + 1) b->subgraphs.count--; /* nothing is known of its inside */
  return true;
}

/* ---- Instructions ---- */

static const char *target_of(builder *b, const etr_instruction *instruction) {
  switch (instruction->kind) {
  case ETR_INSTRUCTION_KERNEL: {
    const char *colons = strstr(instruction->op, "::");
    if (!colons) return etr_arena_format(b->arena, "%s.%s", instruction->op, instruction->overload);
    return etr_arena_format(b->arena, "%.*s.%s%s%s", (int)(colons - instruction->op), instruction->op, colons + 2,
                            instruction->overload[0] ? "." : "", instruction->overload);
  }
  case ETR_INSTRUCTION_DELEGATE: {
    bool known = instruction->delegate >= 0 && (size_t)instruction->delegate < b->program->delegate_count;
    return etr_arena_format(b->arena, "delegate.%s",
                            known ? b->program->delegates[instruction->delegate].backend : "unknown");
  }
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
    if (!link_values(b, index, id)) return false;
  return instruction->kind != ETR_INSTRUCTION_DELEGATE || add_delegate(b, index, id, instruction);
}

bool etr_pte_graph_build(etr_pte_graph *out, const etr_method_join *join, uint32_t method, const etr_blocks *blocks,
                         etr_arena *arena) {
  static const etr_module root = {.path = "", .recorded = "", .type = "", .parent = ETR_NONE};
  const etr_pte_method *program = join->program;
  builder b = {.out = out,
               .join = join,
               .program = program,
               .method = method,
               .blocks = blocks,
               .arena = arena,
               .items_left = MOST_ITEMS_IN_ALL};
  *out = (etr_pte_graph){0};
  etr_map_init(&out->nodes, arena);
  etr_storages_init(&b.storages, program, arena);
  b.writer = etr_arena_alloc_array(arena, program->value_count, sizeof *b.writer);
  for (size_t i = 0; b.writer && i < program->value_count; i++) b.writer[i].node = ETR_NONE;
  if (!b.writer || !add_inputs(&b)) return false;
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
