/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_delegate.c - operators of payloads, and of events, as nodes.
 */
#include "program/pte_builder.h"

#include <inttypes.h>

/* A delegate's own graph while it is added. */
typedef struct inside {
  etr_pte_builder *b;
  const etr_own_graph *own;
  const etr_placed *known; /* NULL: nothing is */
  int32_t instruction_id;
  uint32_t call, subgraph, module;
  const char *backend;
  bool is_bound;    /* what it computes is only as large as its sizes at most */
  etr_edge *writer; /* per value: what wrote it last; node ETR_NONE: nothing */
} inside;

/* ---- Subgraph ---- */

static uint32_t add_module(etr_pte_builder *b, const char *name, const char *backend) {
  etr_module *module = b->placement->method->graph ? NULL : etr_vec_push(b->arena, &b->modules);
  if (!module) return 0;
  *module = (etr_module){.path = name, .recorded = name, .type = backend, .parent = 0, .pattern = name};
  return (uint32_t)(b->modules.count - 1);
}

static bool open_inside(inside *in) {
  etr_pte_builder *b = in->b;
  const char *name = etr_arena_format(b->arena, "delegate_%d", (int)in->instruction_id);
  etr_subgraph *subgraph = etr_vec_push(b->arena, &b->subgraphs);
  if (!subgraph || !name) return false;
  in->backend = etr_pte_backend_of(b, &b->program->instructions[in->instruction_id]);
  in->call = (uint32_t)(b->nodes.count - 1);
  b->out->works.data[in->call] = ETR_WORK_ELSEWHERE;
  in->subgraph = (uint32_t)(b->subgraphs.count - 1);
  in->module = add_module(b, name, in->backend);
  *subgraph = (etr_subgraph){.name = name,
                             .path = name,
                             .kind = ETR_SUBGRAPH_LOWERED,
                             .parent = ETR_NONE,
                             .owner = in->call,
                             .backend = in->backend};
  return !etr_arena_failed(b->arena);
}

static etr_node *push_node(inside *in, etr_node_kind kind, const char *name, const char *target) {
  etr_node *node = etr_pte_push_node(in->b, in->instruction_id);
  if (!node || !name || !target) return NULL;
  node->kind = kind;
  node->subgraph = in->subgraph;
  node->module = in->module;
  node->name = name;
  node->target = node->op_type = target;
  return node;
}

static uint32_t last_node(const inside *in) { return (uint32_t)(in->b->nodes.count - 1); }

/* ---- Values ---- */

static bool describe(inside *in, etr_value *out, uint32_t value) {
  *out = in->own->values[value].value;
  out->is_bound = in->is_bound && !in->own->values[value].is_constant;
  out->name = etr_arena_format(in->b->arena, "value_%u", value);
  return out->name != NULL;
}

static bool give_value(inside *in, etr_node *node, uint32_t value) {
  etr_value *output = etr_arena_alloc(in->b->arena, sizeof *output);
  if (!output || !describe(in, output, value)) return false;
  node->outputs = output;
  node->output_count = 1;
  in->writer[value] = (etr_edge){last_node(in), 0};
  return true;
}

static bool is_argument(const inside *in, uint32_t value, uint32_t argument) {
  const etr_own_value *v = &in->own->values[value];
  return !v->is_constant && v->argument >= 0 && (uint32_t)v->argument == argument;
}

/* One for each value that the call reads, in its order. */
static bool add_inputs(inside *in, const uint32_t *values) {
  const etr_links *links = &in->b->links;
  for (size_t i = 0; i < links->read_args.count; i++) {
    uint32_t value = values[links->read_args.data[i]];
    const char *name = etr_arena_format(in->b->arena, "input_%zu", i);
    etr_node *node = push_node(in, ETR_NODE_INPUT, name, name);
    if (!node || (value != ETR_NONE && !give_value(in, node, value))) return false;
  }
  return true;
}

static bool tell_bytes(inside *in, etr_node *node, uint64_t bytes) {
  etr_argument *argument = etr_arena_alloc(in->b->arena, sizeof *argument);
  if (!argument) return false;
  *argument = (etr_argument){"bytes", etr_arena_format(in->b->arena, "%" PRIu64, bytes)};
  node->arguments = argument;
  node->argument_count = 1;
  return argument->value != NULL;
}

static bool add_constant(inside *in, uint32_t value) {
  const etr_own_value *v = &in->own->values[value];
  const char *name = etr_arena_format(in->b->arena, "constant_%u", value);
  etr_node *node = push_node(in, ETR_NODE_CONSTANT, name, name);
  return node && give_value(in, node, value) && (v->bytes == 0 || tell_bytes(in, node, v->bytes));
}

/* Those that operators read. */
static bool add_constants(inside *in) {
  for (size_t i = 0; i < in->own->count; i++) {
    const etr_own_operator *o = &in->own->operators[i];
    for (size_t k = 0; k < o->read_count; k++) {
      uint32_t value = o->reads[k];
      bool is_new = in->own->values[value].is_constant && in->writer[value].node == ETR_NONE;
      if (is_new && !add_constant(in, value)) return false;
    }
  }
  return true;
}

/* ---- Operators ---- */

static bool link_operator(inside *in, etr_node *node, const etr_own_operator *o) {
  etr_edge *inputs = etr_arena_alloc_array(in->b->arena, o->read_count, sizeof *inputs);
  etr_value *outputs = etr_arena_alloc_array(in->b->arena, o->write_count, sizeof *outputs);
  if (!inputs || !outputs) return false;
  for (size_t i = 0; i < o->read_count; i++)
    if (in->writer[o->reads[i]].node != ETR_NONE) inputs[node->input_count++] = in->writer[o->reads[i]];
  for (size_t i = 0; i < o->write_count; i++) {
    if (!describe(in, &outputs[i], o->writes[i])) return false;
    in->writer[o->writes[i]] = (etr_edge){last_node(in), (uint32_t)i};
  }
  node->inputs = inputs;
  node->outputs = outputs;
  node->output_count = o->write_count;
  return true;
}

static bool add_operator(inside *in, size_t index) {
  const etr_own_operator *o = &in->own->operators[index];
  const char *name = etr_arena_format(in->b->arena, "%s #%" PRId64, o->name, o->id);
  etr_node *node = push_node(in, ETR_NODE_OP, name, o->name);
  if (!node || !link_operator(in, node, o)) return false;
  bool is_whole = node->input_count == o->read_count;
  in->b->out->works.data[last_node(in)] = (uint8_t)(is_whole ? o->work : ETR_WORK_HIDDEN);
  bool is_known = in->known && in->known->payload && index < in->known->payload->count;
  uint32_t edge_node = is_known ? in->known->operator_nodes[index] : ETR_NONE;
  if (edge_node != ETR_NONE) etr_pte_take_edge_node(in->b, node, edge_node);
  return true;
}

/* Where events know better which nodes of the Edge graph the operators are. */
static void take_nodes_of_events(inside *in) {
  etr_pte_builder *b = in->b;
  size_t end = b->end_of_timed[in->instruction_id];
  for (size_t i = in->instruction_id ? b->end_of_timed[in->instruction_id - 1] : 0; i < end; i++) {
    const etr_event *e = b->timed[i];
    uint32_t node = etr_pte_graph_operator(b->out, in->instruction_id, e->payload_operator);
    if (node != ETR_NONE && e->node_count && b->nodes.data[node].edge_node_count == 0)
      etr_pte_take_edge_node(b, &b->nodes.data[node], e->nodes[0]);
  }
}

static bool add_operators(inside *in) {
  etr_own_nodes *own = etr_vec_push(in->b->arena, &in->b->out->own);
  if (!own) return false;
  *own = (etr_own_nodes){in->instruction_id, (uint32_t)in->b->nodes.count, (uint32_t)in->own->count};
  for (size_t i = 0; i < in->own->count; i++)
    if (!add_operator(in, i)) return false;
  if (in->b->placement->method->graph) take_nodes_of_events(in);
  return true;
}

/* What the call writes, in its order, as far as operators write it. */
static bool add_output(inside *in, const uint32_t *values) {
  const etr_links *links = &in->b->links;
  etr_edge *inputs = etr_arena_alloc_array(in->b->arena, links->written_args.count, sizeof *inputs);
  etr_node *node = push_node(in, ETR_NODE_OUTPUT, "output", "output");
  if (!inputs || !node) return false;
  for (size_t i = 0; i < links->written_args.count; i++) {
    uint32_t value = values[links->written_args.data[i]];
    if (value == ETR_NONE || in->writer[value].node == ETR_NONE) break;
    inputs[node->input_count++] = in->writer[value];
  }
  node->inputs = inputs;
  return true;
}

static bool add_own_graph(inside *in) {
  const etr_instruction *instruction = &in->b->program->instructions[in->instruction_id];
  /* Values by the call's argument that they are; ETR_NONE: none is. */
  uint32_t *values = etr_arena_alloc_array(in->b->scratch, instruction->arg_count, sizeof *values);
  for (size_t i = 0; values && i < instruction->arg_count; i++) values[i] = ETR_NONE;
  for (uint32_t i = 0; values && i < in->own->value_count; i++) {
    int32_t argument = in->own->values[i].argument;
    bool is_new = argument >= 0 && (size_t)argument < instruction->arg_count && values[argument] == ETR_NONE;
    if (is_new && is_argument(in, i, (uint32_t)argument)) values[argument] = i;
  }
  in->writer = etr_arena_alloc_array(in->b->scratch, in->own->value_count, sizeof *in->writer);
  if (!values || !in->writer || !open_inside(in)) return false;
  for (size_t i = 0; i < in->own->value_count; i++) in->writer[i].node = ETR_NONE;
  return add_inputs(in, values) && add_constants(in) && add_operators(in) && add_output(in, values);
}

/* ---- By events ---- */

/* "Convolution (NHWC, F32) IGEMM #3" without its number. */
static const char *operator_name(inside *in, const char *id) {
  const char *number = strstr(id, " #");
  return etr_arena_copy(in->b->arena, (etr_slice){id, number ? (size_t)(number - id) : strlen(id)});
}

/* Adds an operator behind the one before it. */
static bool add_timed(inside *in, const etr_event *e, uint32_t *previous) {
  const char *name = operator_name(in, e->delegate_id);
  etr_node *node = etr_pte_add_node(in->b, in->instruction_id, e->delegate_id);
  if (node) in->b->out->works.data[last_node(in)] = ETR_WORK_HIDDEN;
  etr_edge *edge = *previous == ETR_NONE ? NULL : etr_arena_alloc(in->b->arena, sizeof *edge);
  etr_value *output = etr_arena_alloc(in->b->arena, sizeof *output);
  if (!node || !output || !name) return false;
  *output = (etr_value){.name = e->delegate_id, .rank = -1};
  node->name = e->delegate_id;
  node->target = node->op_type = name;
  node->subgraph = in->subgraph;
  node->outputs = output;
  node->output_count = 1;
  if (edge) {
    *edge = (etr_edge){*previous, 0};
    node->inputs = edge;
    node->input_count = 1;
  }
  *previous = last_node(in);
  if (e->node_count) etr_pte_take_edge_node(in->b, node, e->nodes[0]);
  return !etr_arena_failed(in->b->arena);
}

static bool add_timed_operators(inside *in) {
  const etr_pte_builder *b = in->b;
  uint32_t previous = ETR_NONE;
  size_t end = b->end_of_timed[in->instruction_id];
  size_t first = in->instruction_id ? b->end_of_timed[in->instruction_id - 1] : 0;
  if (first == end) return true;
  if (!open_inside(in)) return false;
  for (size_t i = first; i < end; i++) {
    bool is_new = etr_pte_graph_node(b->out, in->instruction_id, b->timed[i]->delegate_id) == ETR_NONE;
    if (is_new && !add_timed(in, b->timed[i], &previous)) return false;
  }
  return true;
}

/* ---- All ---- */

/* A payload does not say which sizes are bounds: any may be where one that goes in or out is. */
static bool has_bound(const etr_pte_builder *b, int32_t instruction_id) {
  const etr_instruction *instruction = &b->program->instructions[instruction_id];
  for (size_t i = 0; i < instruction->arg_count; i++) {
    const etr_pte_value *tensor = etr_tensor_at(b->program, instruction->args[i]);
    if (tensor && tensor->dynamic) return true;
  }
  return false;
}

bool etr_pte_add_delegate(etr_pte_builder *b, int32_t instruction_id, const etr_own_graph *own) {
  inside in = {.b = b,
               .own = own,
               .known = etr_placed_instruction(b->placement, instruction_id),
               .instruction_id = instruction_id};
  in.is_bound = own && has_bound(b, instruction_id);
  if (own) return !etr_payloads_show(b->placement->method->payloads, own) || add_own_graph(&in);
  return !b->placement->method->graph || add_timed_operators(&in);
}
