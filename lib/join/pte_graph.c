/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_graph.c - makes nodes of a method's inputs, of its instructions, and of what runs in its
 * delegates.
 */
#include "join/pte_graph.h"

#include "backends/operator.h"
#include "base/writer.h"
#include "formats/json_excerpt.h"
#include "inputs/argument.h"
#include "inputs/pte.h"
#include "join/cost.h"
#include "join/links.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Arguments that are not tensors, as JSON ---- */

/* A method's values, as arguments. */
typedef struct arguments {
  const etr_pte_method *program;
  etr_arena *arena;
  bool *is_computed;  /* per value: an instruction writes it, or the caller passes it */
  const char **texts; /* per value: its text as JSON, computed when first needed */
} arguments;

/* Marks a value as computed, so that its stored text is no argument. Ignores indices of no value.
 */
static void mark_value_computed(arguments *a, int32_t value) {
  if (value >= 0 && (size_t)value < a->program->value_count)
    a->is_computed[value] = true;
}

/* Marks the values that an instruction may compute: a kernel its last argument, a move its second,
 * a delegate any argument. */
static void mark_values_computed(arguments *a, const etr_instruction *instruction) {
  bool writes = instruction->kind == ETR_INSTRUCTION_KERNEL ||
                instruction->kind == ETR_INSTRUCTION_MOVE;
  if (writes && instruction->arg_count)
    mark_value_computed(a, instruction->args[instruction->arg_count - 1]);
  if (instruction->kind != ETR_INSTRUCTION_DELEGATE)
    return;
  for (size_t i = 0; i < instruction->arg_count; i++)
    mark_value_computed(a, instruction->args[i]);
}

/* Initializes the texts of a program's values, and finds out which values are computed: those have
 * no text. Returns false when out of memory. */
static bool program_arguments_init(arguments *a, const etr_pte_method *program, etr_arena *arena,
                                   etr_arena *scratch) {
  *a = (arguments){.program = program, .arena = arena};
  a->is_computed = etr_arena_alloc_array(scratch, program->value_count, sizeof *a->is_computed);
  a->texts = etr_arena_alloc_array(scratch, program->value_count, sizeof *a->texts);
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i < program->input_count; i++)
    mark_value_computed(a, program->inputs[i]);
  for (size_t i = 0; i < program->instruction_count; i++)
    mark_values_computed(a, &program->instructions[i]);
  return true;
}

/* Returns the integer that a value of the program is; NULL if the program computes it. */
static const int64_t *constant_integer(const arguments *a, int32_t index) {
  if (index < 0 || a->is_computed[index] || a->program->values[index].kind != ETR_PTE_VALUE_INT)
    return NULL;
  return &a->program->values[index].scalar.integer;
}

/* Appends a list of integers as JSON, with null for those that the program computes. A list that is
 * too long is cut, with a mark, as arrays of other excerpts are. */
static void append_integer_list(etr_json_excerpt *excerpt, const arguments *a,
                                const etr_pte_value *list) {
  etr_jw_array(&excerpt->json);
  for (size_t i = 0; i < list->item_count && !etr_json_excerpt_cut(excerpt, i == 0); i++) {
    const int64_t *item = constant_integer(a, list->items[i]);
    if (item)
      etr_jw_int(&excerpt->json, *item);
    else
      etr_jw_null(&excerpt->json);
  }
  etr_jw_end(&excerpt->json);
}

/* Returns the JSON text of a number, a string or a list of integers; NULL for other values, and
 * when out of memory. */
static const char *format_value_as_json(arguments *a, const etr_pte_value *value) {
  etr_json_excerpt excerpt;
  etr_json_excerpt_init(&excerpt);
  switch (value->kind) {
  case ETR_PTE_VALUE_INT:
    etr_jw_int(&excerpt.json, value->scalar.integer);
    break;
  case ETR_PTE_VALUE_BOOL:
    etr_jw_bool(&excerpt.json, value->scalar.integer != 0);
    break;
  case ETR_PTE_VALUE_DOUBLE:
    etr_json_excerpt_double(&excerpt, value->scalar.real);
    break;
  case ETR_PTE_VALUE_STRING:
    if (!value->scalar.text)
      return NULL;
    etr_json_excerpt_string(&excerpt, etr_slice_of(value->scalar.text));
    break;
  case ETR_PTE_VALUE_INT_LIST:
    append_integer_list(&excerpt, a, value);
    break;
  default:
    return NULL;
  }
  return etr_arena_copy(a->arena, etr_json_excerpt_text(&excerpt));
}

/* Returns the text of a constant value, which is made only once because kernels share values; NULL
 * for one that is computed or has no text. */
static const char *text_of_value(arguments *a, int32_t index) {
  if (index < 0 || (size_t)index >= a->program->value_count || a->is_computed[index])
    return NULL;
  if (!a->texts[index])
    a->texts[index] = format_value_as_json(a, &a->program->values[index]);
  return a->texts[index];
}

/* ---- The builder ---- */

enum { NO_INSTRUCTION = -1 };

typedef struct builder {
  etr_pte_graph *out;
  const etr_placement *placement;
  const etr_pte_method *program;
  uint32_t method;
  const etr_blocks *blocks;
  etr_arena *arena, *scratch;
  etr_vec(etr_node) nodes;
  etr_vec(etr_subgraph) subgraphs;
  etr_vec(etr_module) modules; /* modules of a graph without an Edge graph: one for each delegate
                                  that has operators */
  etr_links links;
  arguments arguments;
  etr_map kernels; /* name and overload of an operator -> index in targets */
  etr_vec(const char *) targets;
  const etr_event **delegate_events; /* events of delegates, sorted by instruction, in the order of
                                        their blocks */
  size_t *end_of_events;             /* per instruction: end of its events in delegate_events */
} builder;

/* Appends an empty operator node to the graph of the program, and returns it. It takes one node
 * from the budget of the profile. `instruction_id` is stored for it; NO_INSTRUCTION for inputs,
 * constants and the output. Also appends an entry to each list that has one per node. Returns NULL
 * if the budget is spent, or when out of memory. */
static etr_node *append_node(builder *b, int32_t instruction_id) {
  if (b->nodes.count == ETR_NONE)
    return NULL;
  if (etr_budget_take(b->placement->method->budget, ETR_NODES, 1))
    return NULL;
  etr_node *node = etr_vec_push(b->arena, &b->nodes);
  int32_t *instruction = etr_vec_push(b->arena, &b->out->instructions);
  if (!node || !instruction)
    return NULL;
  if (!etr_vec_push(b->arena, &b->out->works) || !etr_vec_push(b->arena, &b->out->views))
    return NULL;
  *instruction = instruction_id;
  *node = (etr_node){.subgraph = ETR_NONE, .kind = ETR_NODE_OP};
  return node;
}

/* Appends an empty node, and records it as the node of an instruction, or of the operator in its
 * delegate that events name with delegate_id, so that etr_pte_graph_node() finds it. Returns NULL
 * if the budget is spent, or when out of memory. */
static etr_node *append_indexed_node(builder *b, int32_t instruction_id, const char *delegate_id) {
  etr_node *node = append_node(b, instruction_id);
  if (!node)
    return NULL;
  uint32_t index = (uint32_t)(b->nodes.count - 1);
  return etr_pte_graph_set_node(b->out, instruction_id, delegate_id, index) ? node : NULL;
}

/* Records that a node runs this node of the Edge graph, and copies its module, source line and
 * debug handle. When out of memory, the arena has failed. */
static void copy_edge_node(builder *b, etr_node *node, uint32_t edge_node) {
  const etr_node *source = &b->placement->method->graph->nodes[edge_node];
  const char **names = etr_arena_alloc(b->arena, sizeof *names);
  if (!names)
    return;
  *names = source->name;
  node->edge_nodes = names;
  node->edge_node_count = 1;
  node->module = source->module;
  node->source = source->source;
  node->debug_handle = source->debug_handle;
}

/* Returns the backend that an instruction calls; "unknown" if the program does not say. */
static const char *backend_of_instruction(const builder *b, const etr_instruction *instruction) {
  const etr_pte_delegate *delegate = etr_delegate_of(b->program, instruction);
  return delegate ? delegate->backend : ETR_UNKNOWN_BACKEND;
}

/* ---- The inside of a delegate: the operators of its payload ---- */

/* The graph of a delegate's payload while it is added. */
typedef struct inside {
  builder *builder;
  const etr_own_graph *own;
  const etr_placed *known; /* NULL: the instruction is unknown */
  int32_t instruction_id;
  uint32_t call, subgraph, module;
  const char *backend;
  bool is_bound;    /* the sizes of its values are upper bounds */
  etr_edge *writer; /* per value: its last writer; node ETR_NONE: none */
} inside;

/* Adds a module for a delegate, and returns its index. With an Edge graph, modules are those of its
 * nodes: then none is added, and the index is 0, the root, as when out of memory. */
static uint32_t add_delegate_module(builder *b, const char *name, const char *backend) {
  etr_module *module = b->placement->method->graph ? NULL : etr_vec_push(b->arena, &b->modules);
  if (!module)
    return 0;
  *module = (etr_module){
      .path = name, .recorded = name, .type = backend, .parent = 0, .pattern = name};
  return (uint32_t)(b->modules.count - 1);
}

/* Adds the empty nested graph of the delegate call whose node was added last. The work of the call
 * is then that of its nested nodes. Returns false when out of memory. */
static bool begin_nested_graph(inside *in) {
  builder *b = in->builder;
  const char *name = etr_arena_numbered(b->arena, "delegate_", (uint32_t)in->instruction_id);
  etr_subgraph *subgraph = etr_vec_push(b->arena, &b->subgraphs);
  if (etr_arena_failed(b->arena))
    return false;
  in->backend = backend_of_instruction(b, &b->program->instructions[in->instruction_id]);
  in->call = (uint32_t)(b->nodes.count - 1);
  b->out->works.data[in->call] = ETR_WORK_ELSEWHERE;
  in->subgraph = (uint32_t)(b->subgraphs.count - 1);
  in->module = add_delegate_module(b, name, in->backend);
  *subgraph = (etr_subgraph){.name = name,
                             .path = name,
                             .kind = ETR_SUBGRAPH_LOWERED,
                             .parent = ETR_NONE,
                             .owner = in->call,
                             .backend = in->backend,
                             .is_numbered = in->own && in->own->is_numbered};
  return !etr_arena_failed(b->arena);
}

/* Appends a node to the nested graph of a delegate and returns it. `name` is unique in the graph,
 * `target` its operator; both must live as long as the graph. Returns NULL if the budget is spent,
 * if a text is NULL, or when out of memory. */
static etr_node *append_nested_node(inside *in, etr_node_kind kind, const char *name,
                                    const char *target) {
  etr_node *node = append_node(in->builder, in->instruction_id);
  if (!node || !name || !target)
    return NULL;
  node->kind = kind;
  node->subgraph = in->subgraph;
  node->module = in->module;
  node->name = name;
  node->target = node->op_type = target;
  return node;
}

static uint32_t last_node(const inside *in) {
  return (uint32_t)(in->builder->nodes.count - 1);
}

/* Fills a value of the nested graph from a value of the payload: type, shape and name. Where the
 * call has dynamic shapes, sizes are upper bounds, except those of constants. Returns false when
 * out of memory. */
static bool describe_payload_value(inside *in, etr_value *out, uint32_t value) {
  *out = in->own->values[value].value;
  out->is_bound = in->is_bound && !in->own->values[value].is_constant;
  out->name = etr_arena_numbered(in->builder->arena, "value_", value);
  return out->name != NULL;
}

/* Makes a value of the payload the only output of the node that was added last. Returns false when
 * out of memory. */
static bool set_only_output(inside *in, etr_node *node, uint32_t value) {
  etr_value *output = etr_arena_alloc(in->builder->arena, sizeof *output);
  if (!output || !describe_payload_value(in, output, value))
    return false;
  node->outputs = output;
  node->output_count = 1;
  in->writer[value] = (etr_edge){last_node(in), 0};
  return true;
}

/* Adds an input node to the nested graph for each argument that the call reads, in order.
 * values[argument] is the value of the payload that it is; ETR_NONE if unknown. Returns false if
 * the budget is spent, or when out of memory. */
static bool add_payload_inputs(inside *in, const uint32_t *values) {
  const etr_links *links = &in->builder->links;
  for (size_t i = 0; i < links->read_args.count; i++) {
    uint32_t value = values[links->read_args.data[i]];
    const char *name = etr_arena_numbered(in->builder->arena, "input_", i);
    etr_node *node = append_nested_node(in, ETR_NODE_INPUT, name, name);
    if (!node || (value != ETR_NONE && !set_only_output(in, node, value)))
      return false;
  }
  return true;
}

/* Adds the size of a constant in bytes as an argument of its node. Returns false when out of
 * memory.
 */
static bool add_bytes_argument(inside *in, etr_node *node, uint64_t bytes) {
  etr_argument *argument = etr_arena_alloc(in->builder->arena, sizeof *argument);
  if (!argument)
    return false;
  *argument = (etr_argument){"bytes", etr_arena_format(in->builder->arena, "%" PRIu64, bytes)};
  node->arguments = argument;
  node->argument_count = 1;
  return argument->value != NULL;
}

/* Adds a node for a constant of the payload, with its size if that is known. Returns false if the
 * budget is spent, or when out of memory. */
static bool add_payload_constant(inside *in, uint32_t value) {
  const etr_own_value *v = &in->own->values[value];
  const char *name = etr_arena_numbered(in->builder->arena, "constant_", value);
  etr_node *node = append_nested_node(in, ETR_NODE_CONSTANT, name, name);
  return node && set_only_output(in, node, value) &&
         (v->data.bytes == 0 || add_bytes_argument(in, node, v->data.bytes));
}

/* Adds a node for each constant that operators of the payload read, each once. Returns false if the
 * budget is spent, or when out of memory. */
static bool add_payload_constants(inside *in) {
  for (size_t i = 0; i < in->own->count; i++) {
    const etr_own_operator *operator_ = &in->own->operators[i];
    for (size_t k = 0; k < operator_->read_count; k++) {
      uint32_t value = operator_->reads[k];
      bool is_new = in->own->values[value].is_constant && in->writer[value].node == ETR_NONE;
      if (is_new && !add_payload_constant(in, value))
        return false;
    }
  }
  return true;
}

/* Sets the inputs and outputs of an operator's node, which was added last. A value that no node of
 * the nested graph computes is no input. Returns false when out of memory. */
static bool link_payload_operator(inside *in, etr_node *node, const etr_own_operator *operator_) {
  etr_edge *inputs = etr_arena_alloc_array(in->builder->arena, operator_->read_count,
                                           sizeof *inputs);
  etr_value *outputs = etr_arena_alloc_array(in->builder->arena, operator_->write_count,
                                             sizeof *outputs);
  if (etr_arena_failed(in->builder->arena))
    return false;
  for (size_t i = 0; i < operator_->read_count; i++)
    if (in->writer[operator_->reads[i]].node != ETR_NONE)
      inputs[node->input_count++] = in->writer[operator_->reads[i]];
  for (size_t i = 0; i < operator_->write_count; i++) {
    if (!describe_payload_value(in, &outputs[i], operator_->writes[i]))
      return false;
    in->writer[operator_->writes[i]] = (etr_edge){last_node(in), (uint32_t)i};
  }
  node->inputs = inputs;
  node->outputs = outputs;
  node->output_count = operator_->write_count;
  return true;
}

/* Adds the node of the payload's operator `index`, with the Edge node that it runs if data flow
 * found that. How it multiplies is unknown (ETR_WORK_HIDDEN) if no node computes one of its inputs.
 * Returns false if the budget is spent, or when out of memory. */
static bool add_payload_operator(inside *in, size_t index) {
  const etr_own_operator *operator_ = &in->own->operators[index];
  etr_node *node = append_nested_node(in, ETR_NODE_OP, in->own->titles[index], operator_->name);
  if (!node || !link_payload_operator(in, node, operator_))
    return false;
  node->arguments = operator_->arguments;
  node->argument_count = operator_->argument_count;
  bool has_all_inputs = node->input_count == operator_->read_count;
  uint8_t work = (uint8_t)(has_all_inputs ? operator_->work : ETR_WORK_HIDDEN);
  in->builder->out->works.data[last_node(in)] = work;
  bool is_known = in->known && in->known->payload && index < in->known->payload->count;
  uint32_t edge_node = is_known ? in->known->operator_nodes[index] : ETR_NONE;
  if (edge_node != ETR_NONE)
    copy_edge_node(in->builder, node, edge_node);
  return true;
}

/* Returns the index in b->delegate_events of the first event in the delegate of an instruction. */
static size_t first_event_of(const builder *b, int32_t instruction_id) {
  return instruction_id ? b->end_of_events[instruction_id - 1] : 0;
}

/* Records the Edge nodes that operators of the payload run, from events that were found to be such
 * an operator and to have a node. */
static void add_edge_nodes_of_events(inside *in) {
  builder *b = in->builder;
  size_t end = b->end_of_events[in->instruction_id];
  for (size_t i = first_event_of(b, in->instruction_id); i < end; i++) {
    const etr_event *event = b->delegate_events[i];
    uint32_t node = etr_pte_graph_operator(b->out, in->instruction_id, event->payload_operator);
    if (node != ETR_NONE && event->node_count && b->nodes.data[node].edge_node_count == 0)
      copy_edge_node(b, &b->nodes.data[node], event->nodes[0]);
  }
}

/* Adds the nodes of all operators of the payload, which follow each other, and records where they
 * are. Returns false if the budget is spent, or when out of memory. */
static bool add_payload_operators(inside *in) {
  etr_own_nodes *own = etr_vec_push(in->builder->arena, &in->builder->out->own);
  if (!own)
    return false;
  *own = (etr_own_nodes){in->instruction_id, (uint32_t)in->builder->nodes.count,
                         (uint32_t)in->own->count};
  for (size_t i = 0; i < in->own->count; i++)
    if (!add_payload_operator(in, i))
      return false;
  if (in->builder->placement->method->graph)
    add_edge_nodes_of_events(in);
  return true;
}

/* Adds the output node of the nested graph. Its inputs are the values that the call writes, in
 * order, up to the first that no operator computes: later ones would be at the wrong index.
 * values[argument]: as in add_payload_inputs(). Returns false if the budget is spent, or when out
 * of memory. */
static bool add_payload_output(inside *in, const uint32_t *values) {
  const etr_links *links = &in->builder->links;
  etr_edge *inputs = etr_arena_alloc_array(in->builder->arena, links->written_args.count,
                                           sizeof *inputs);
  etr_node *node = append_nested_node(in, ETR_NODE_OUTPUT, "output", "output");
  if (!inputs || !node)
    return false;
  for (size_t i = 0; i < links->written_args.count; i++) {
    uint32_t value = values[links->written_args.data[i]];
    if (value == ETR_NONE || in->writer[value].node == ETR_NONE)
      break;
    inputs[node->input_count++] = in->writer[value];
  }
  node->inputs = inputs;
  return true;
}

/* Returns, per argument of the call, the first value of the payload that is this argument; ETR_NONE
 * if none is. NULL when out of memory. */
static uint32_t *find_values_of_arguments(const inside *in) {
  const etr_instruction *instruction = &in->builder->program->instructions[in->instruction_id];
  uint32_t *values = etr_arena_alloc_array(in->builder->scratch, instruction->arg_count,
                                           sizeof *values);
  if (!values)
    return NULL;
  for (size_t i = 0; i < instruction->arg_count; i++)
    values[i] = ETR_NONE;
  for (uint32_t i = 0; i < in->own->value_count; i++) {
    const etr_own_value *value = &in->own->values[i];
    bool is_argument = value->argument >= 0 && (size_t)value->argument < instruction->arg_count;
    if (is_argument && !value->is_constant && values[value->argument] == ETR_NONE)
      values[value->argument] = i;
  }
  return values;
}

/* Adds the graph of the payload to the call: inputs, constants, operators, output. Returns false
 * if the budget is spent, or when out of memory. */
static bool add_payload_graph(inside *in) {
  uint32_t *values = find_values_of_arguments(in);
  in->writer = etr_arena_alloc_array(in->builder->scratch, in->own->value_count,
                                     sizeof *in->writer);
  if (!values || !in->writer || !begin_nested_graph(in))
    return false;
  for (size_t i = 0; i < in->own->value_count; i++)
    in->writer[i].node = ETR_NONE;
  return add_payload_inputs(in, values) && add_payload_constants(in) && add_payload_operators(in) &&
         add_payload_output(in, values);
}

/* ---- The inside of a delegate: operators that only its events name ---- */

/* Returns the name of an operator, such as "Convolution (NHWC, F32) IGEMM #3", without its
 * number; NULL when out of memory. */
static const char *name_without_number(inside *in, const char *id) {
  const char *number = strstr(id, " #");
  return etr_arena_copy(in->builder->arena,
                        (etr_slice){id, number ? (size_t)(number - id) : strlen(id)});
}

/* Adds a node for an operator that only an event names; how it multiplies, and the shape of its
 * output, are unknown. So are its inputs: as operators run one after the other, it gets an edge
 * from the one before it, node *previous (ETR_NONE: none), and becomes *previous. Returns false if
 * the budget is spent, or when out of memory. */
static bool add_operator_of_event(inside *in, const etr_event *event, uint32_t *previous) {
  const char *name = name_without_number(in, event->delegate_id);
  etr_node *node = append_indexed_node(in->builder, in->instruction_id, event->delegate_id);
  if (node)
    in->builder->out->works.data[last_node(in)] = ETR_WORK_HIDDEN;
  etr_edge *edge = *previous == ETR_NONE ? NULL : etr_arena_alloc(in->builder->arena, sizeof *edge);
  etr_value *output = etr_arena_alloc(in->builder->arena, sizeof *output);
  if (!node || !output || !name)
    return false;
  *output = (etr_value){.name = event->delegate_id, .rank = -1};
  node->name = event->delegate_id;
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
  if (event->node_count)
    copy_edge_node(in->builder, node, event->nodes[0]);
  return !etr_arena_failed(in->builder->arena);
}

/* Adds a nested graph of the operators that events of the call name, each once; nothing if there
 * are none. Returns false if the budget is spent, or when out of memory. */
static bool add_operators_of_events(inside *in) {
  const builder *b = in->builder;
  uint32_t previous = ETR_NONE;
  size_t first = first_event_of(b, in->instruction_id);
  size_t end = b->end_of_events[in->instruction_id];
  if (first == end)
    return true;
  if (!begin_nested_graph(in))
    return false;
  for (size_t i = first; i < end; i++) {
    const char *id = b->delegate_events[i]->delegate_id;
    bool is_new = etr_pte_graph_node(b->out, in->instruction_id, id) == ETR_NONE;
    if (is_new && !add_operator_of_event(in, b->delegate_events[i], &previous))
      return false;
  }
  return true;
}

/* ---- The inside of a delegate: either ---- */

/* Returns whether sizes in the payload may be upper bounds. A payload does not say which are, so
 * all may be if an argument of the call has one. */
static bool may_have_bounds(const builder *b, int32_t instruction_id) {
  const etr_instruction *instruction = &b->program->instructions[instruction_id];
  for (size_t i = 0; i < instruction->arg_count; i++) {
    const etr_pte_value *tensor = etr_tensor_at(b->program, instruction->args[i]);
    if (tensor && tensor->dynamic)
      return true;
  }
  return false;
}

/*
 * Adds the nested graph of a delegate call, whose node was added last: the operators of its payload
 * with the values that they read and write; or, where no payload can be read and there is an Edge
 * graph, the operators that its events name. If its inside is unknown, nothing is added. own: the
 * graph of its payload, or NULL; one that is shown too often already is left out. Returns false
 * when out of memory, or if the budget is spent.
 */
static bool add_nested_graph(builder *b, int32_t instruction_id, const etr_own_graph *own) {
  inside in = {.builder = b,
               .own = own,
               .known = etr_placed_instruction(b->placement, instruction_id),
               .instruction_id = instruction_id};
  in.is_bound = own && may_have_bounds(b, instruction_id);
  if (own)
    return !etr_payloads_show(b->placement->method->payloads, own) || add_payload_graph(&in);
  return !b->placement->method->graph || add_operators_of_events(&in);
}

/* ---- Inputs and output ---- */

/* Adds a node for each input of the method that is a value of the program. Returns false if the
 * budget is spent, or when out of memory. */
static bool add_method_inputs(builder *b) {
  for (size_t i = 0; i < b->program->input_count; i++) {
    etr_node input = {.kind = ETR_NODE_INPUT, .subgraph = ETR_NONE};
    if (!etr_links_add_input(&b->links, &input, (uint32_t)b->nodes.count, b->program->inputs[i]))
      continue;
    etr_node *node = append_node(b, NO_INSTRUCTION);
    if (!node)
      return false;
    input.name = input.target = input.op_type = etr_arena_numbered(b->arena, "input_", i);
    *node = input;
  }
  return !etr_arena_failed(b->arena);
}

/* Adds a node for each tensor that the program reads although no instruction wrote it before: its
 * constants, and the buffers that keep their values from the inference before. Returns false if the
 * budget is spent, or when out of memory. */
static bool add_constants_and_buffers(builder *b) {
  if (!etr_links_find_writes(&b->links, b->placement->method))
    return false;
  for (size_t i = 0; i < b->links.sources.count; i++) {
    etr_node *node = append_node(b, NO_INSTRUCTION);
    uint32_t node_index = (uint32_t)(b->nodes.count - 1);
    if (!node || !etr_links_add_source(&b->links, node, node_index, b->links.sources.data[i]))
      return false;
  }
  return true;
}

/* ---- The Edge nodes that an instruction runs ---- */

/* Records the names of the Edge nodes that a delegate call runs, and the innermost module that has
 * them all, in the node of the call. */
static void set_edge_nodes_of_call(builder *b, etr_node *node, int32_t instruction_id) {
  size_t count;
  const etr_delegate_node *list = etr_nodes_of_delegate(b->placement, instruction_id, &count);
  const char **names = etr_arena_alloc_array(b->arena, count, sizeof *names);
  if (!names || count == 0)
    return;
  node->module = etr_module_of_delegate(b->placement, instruction_id);
  for (size_t i = 0; i < count; i++)
    names[i] = b->placement->method->graph->nodes[list[i].node].name;
  node->edge_nodes = names;
  node->edge_node_count = count;
}

/* ---- Events of delegates ---- */

/* Returns whether an event is of an operator in a delegate that an instruction of the program
 * calls, or of other work inside the delegate whose time counts in sums. */
static bool is_operator_in_delegate(const builder *b, const etr_event *event) {
  bool is_operator = event->delegate_id && (event->role == ETR_ROLE_OPERATOR || event->is_in_sums);
  return is_operator && event->instruction_id >= 0 &&
         (size_t)event->instruction_id < b->program->instruction_count;
}

/* Calls `visit` for each event of the method that is of an operator in a delegate. */
static void visit_delegate_events(builder *b, void (*visit)(builder *b, const etr_event *event)) {
  size_t count;
  const uint32_t *block_indices = etr_blocks_of_method(b->blocks, b->method, &count);
  for (size_t i = 0; i < count; i++) {
    const etr_block *block = &b->blocks->blocks[block_indices[i]];
    for (size_t k = 0; k < block->event_count; k++)
      if (is_operator_in_delegate(b, &block->events[k]))
        visit(b, &block->events[k]);
  }
}

static void count_delegate_event(builder *b, const etr_event *event) {
  b->end_of_events[event->instruction_id + 1]++;
}

static void list_delegate_event(builder *b, const etr_event *event) {
  b->delegate_events[b->end_of_events[event->instruction_id]++] = event;
}

/* Lists the events of operators in delegates, grouped by the instruction of the delegate; none if
 * there is no Edge graph whose nodes they could have. Counts them first, so that end_of_events
 * first is the start of each group. Returns false when out of memory. */
static bool group_delegate_events(builder *b) {
  size_t count = b->program->instruction_count;
  b->end_of_events = etr_arena_alloc_array(b->scratch, count + 1, sizeof *b->end_of_events);
  if (!b->end_of_events || !b->placement->method->graph)
    return b->end_of_events != NULL;
  visit_delegate_events(b, count_delegate_event);
  for (size_t i = 1; i <= count; i++)
    b->end_of_events[i] += b->end_of_events[i - 1];
  b->delegate_events = etr_arena_alloc_array(b->scratch, b->end_of_events[count],
                                             sizeof *b->delegate_events);
  if (b->delegate_events)
    visit_delegate_events(b, list_delegate_event);
  return b->delegate_events != NULL;
}

/* ---- Instructions ---- */

/* Returns the target of a kernel as graphs write it: "aten.add.out" for aten::add and its overload
 * out; NULL when out of memory. */
static const char *format_kernel_target(builder *b, const etr_instruction *instruction) {
  const char *colons = strstr(instruction->op, "::");
  if (!colons)
    return etr_arena_format(b->arena, "%s.%s", instruction->op, instruction->overload);
  return etr_arena_format(b->arena, "%.*s.%s%s%s", (int)(colons - instruction->op), instruction->op,
                          colons + 2, instruction->overload[0] ? "." : "", instruction->overload);
}

/* Returns the target of a kernel, made once for all instructions that call it; NULL when out of
 * memory. Equal names have the same address (they are interned), so addresses are the key. */
static const char *target_of_kernel(builder *b, const etr_instruction *instruction) {
  const char *const key[] = {instruction->op, instruction->overload};
  etr_map_slot *slot = etr_map_at(&b->kernels, (etr_slice){(const char *)key, sizeof key});
  if (slot && slot->value == ETR_NONE) {
    const char **added = etr_vec_push(b->arena, &b->targets);
    if (added)
      *added = format_kernel_target(b, instruction);
    slot->value = added ? (uint32_t)(b->targets.count - 1) : ETR_NONE;
  }
  return slot && slot->value != ETR_NONE ? b->targets.data[slot->value] : NULL;
}

/* Returns the target of an instruction's node, such as "aten.add.out" or "delegate.XnnpackBackend".
 */
static const char *target_of_instruction(builder *b, const etr_instruction *instruction) {
  switch (instruction->kind) {
  case ETR_INSTRUCTION_KERNEL:
    return target_of_kernel(b, instruction);
  case ETR_INSTRUCTION_DELEGATE:
    return etr_arena_format(b->arena, "delegate.%.*s",
                            ETR_HEAD(backend_of_instruction(b, instruction), 256));
  case ETR_INSTRUCTION_MOVE:
    return "control.move";
  case ETR_INSTRUCTION_JUMP_FALSE:
    return "control.jump_false";
  case ETR_INSTRUCTION_FREE:
    return "control.free";
  default:
    return "control.unknown";
  }
}

/* Completes the node of a delegate call, which was added last: what it reads and writes, the Edge
 * nodes that it runs, and a nested graph of its operators. What it multiplies is unknown if there
 * is no nested graph, whose nodes would count instead. Returns false if the budget is spent, or
 * when out of memory. */
static bool complete_call_node(builder *b, int32_t id) {
  const etr_own_graph *own = etr_method_own_graph(b->placement->method, id);
  uint32_t index = (uint32_t)(b->nodes.count - 1);
  if (!etr_links_add_instruction(&b->links, &b->nodes.data[index], index, id))
    return false;
  b->out->works.data[index] = ETR_WORK_HIDDEN;
  if (b->placement->method->graph)
    set_edge_nodes_of_call(b, &b->nodes.data[index], id);
  return add_nested_graph(b, id, own);
}

/* Adds the arguments of a kernel to its node: numbers, texts and lists of integers. Values that the
 * program computes are left out, or null in lists. Returns false when out of memory. */
static bool add_kernel_arguments(builder *b, etr_node *node, const etr_instruction *instruction) {
  arguments *a = &b->arguments;
  etr_vec(etr_argument) list = {0};
  etr_slice op = etr_operator_of_kernel(instruction->op);
  for (size_t i = 0; i < instruction->arg_count && list.count < ETR_MOST_ARGUMENTS; i++) {
    const char *text = text_of_value(a, instruction->args[i]);
    if (!text)
      continue;
    const char *name = etr_argument_name(op, i);
    etr_argument *added = etr_vec_push(a->arena, &list);
    if (!added)
      return false;
    *added = (etr_argument){name ? name : etr_arena_numbered(a->arena, "arg_", i), text};
  }
  node->arguments = list.data;
  node->argument_count = list.count;
  return !etr_arena_failed(a->arena);
}

/* Completes the node of a kernel, which was added last: what it reads and writes, and its arguments
 * that are no tensors. How it multiplies is unknown if an input is. Returns false when out of
 * memory. */
static bool complete_kernel_node(builder *b, int32_t id, const etr_instruction *instruction) {
  uint32_t index = (uint32_t)(b->nodes.count - 1);
  etr_node *node = &b->nodes.data[index];
  if (!etr_links_add_instruction(&b->links, node, index, id))
    return false;
  if (!etr_links_find_views(&b->links, node, &b->out->views.data[index]))
    return false;
  if (b->links.misses_input)
    b->out->works.data[index] = ETR_WORK_HIDDEN;
  return add_kernel_arguments(b, node, instruction);
}

/* Adds two arguments, as JSON, to the node of a jump: the condition that must be false for it to
 * jump ("if_not"), a constant or the name of a value, and the name of the node to which it jumps
 * ("go_to"). Adds none when out of memory, which the arena then shows. */
static void add_jump_arguments(builder *b, etr_node *node, const etr_instruction *jump) {
  int32_t condition = jump->arg_count ? jump->args[0] : -1;
  int32_t target = jump->jump_target;
  etr_argument *list = etr_arena_alloc_array(b->arena, 2, sizeof *list);
  const char *constant = text_of_value(&b->arguments, condition);
  if (!list)
    return;
  if (condition >= 0) {
    const char *value = constant ? constant : etr_arena_format(b->arena, "\"value_%d\"", condition);
    list[node->argument_count++] = (etr_argument){"if_not", value};
  }
  if (target >= 0) {
    bool is_end = (size_t)target == b->program->instruction_count;
    const char *node_name = is_end ? "\"output\""
                                   : etr_arena_format(b->arena, "\"instruction_%d\"", target);
    list[node->argument_count++] = (etr_argument){"go_to", node_name};
  }
  node->arguments = list;
}

/* Adds the node of an instruction, with its edges from earlier nodes. Control flow multiplies
 * nothing. The node of an instruction that frees memory has no edges, because a freed value is not
 * read again. Returns false if the budget is spent, or when out of memory. */
static bool add_instruction(builder *b, int32_t id) {
  const etr_instruction *instruction = &b->program->instructions[id];
  const etr_placed *placed = etr_placed_instruction(b->placement, id);
  uint32_t index = (uint32_t)b->nodes.count;
  etr_node *node = append_indexed_node(b, id, NULL);
  if (!node)
    return false;
  node->name = etr_arena_numbered(b->arena, "instruction_", (uint32_t)id);
  node->target = node->op_type = target_of_instruction(b, instruction);
  if (b->placement->method->graph && placed && placed->node != ETR_NONE)
    copy_edge_node(b, node, placed->node);
  if (instruction->kind == ETR_INSTRUCTION_DELEGATE)
    return complete_call_node(b, id);
  if (instruction->kind == ETR_INSTRUCTION_KERNEL)
    return complete_kernel_node(b, id, instruction);
  b->out->works.data[index] = ETR_WORK_ELSEWHERE;
  if (instruction->kind == ETR_INSTRUCTION_JUMP_FALSE)
    add_jump_arguments(b, node, instruction);
  bool has_values = instruction->kind == ETR_INSTRUCTION_MOVE ||
                    instruction->kind == ETR_INSTRUCTION_JUMP_FALSE;
  return !has_values || etr_links_add_instruction(&b->links, node, index, id);
}

/* Starts the graph of the program with the root module, which every graph has, and the nodes of its
 * inputs, constants and buffers. Returns false if the budget is spent, or when out of memory. */
static bool begin_graph(builder *b) {
  static const etr_module root = {
      .path = "", .recorded = "", .type = "", .parent = ETR_NONE, .pattern = ""};
  etr_module *module = etr_vec_push(b->arena, &b->modules);
  if (!module)
    return false;
  *module = root;
  return etr_links_init(&b->links, b->placement->method, b->arena, b->scratch) &&
         add_method_inputs(b) && add_constants_and_buffers(b) &&
         program_arguments_init(&b->arguments, b->program, b->arena, b->scratch);
}

/* Builds b->out, with nodes in this order: inputs, constants and buffers, instructions, output. Its
 * modules are those of the Edge graph, if there is one. is_cut says that edges are missing, because
 * lists of tensors were too long or jumps too many. Returns false if the budget is spent, or when
 * out of memory. */
static bool build_graph(builder *b) {
  etr_pte_graph *out = b->out;
  const etr_graph *edge = b->placement->method->graph;
  const etr_pte_method *program = b->program;
  *out = (etr_pte_graph){0};
  etr_map_init(&out->nodes, b->arena);
  etr_map_init(&b->kernels, b->arena);
  if (!begin_graph(b))
    return false;
  for (size_t i = 0; i < program->instruction_count && i < INT32_MAX; i++)
    if (!add_instruction(b, (int32_t)i))
      return false;
  etr_node *node = append_node(b, NO_INSTRUCTION);
  if (!node)
    return false;
  *node = (etr_node){.name = "output",
                     .target = "output",
                     .op_type = "output",
                     .kind = ETR_NODE_OUTPUT,
                     .subgraph = ETR_NONE};
  if (!etr_links_add_method_results(&b->links, node, (uint32_t)(b->nodes.count - 1)))
    return false;
  if (!etr_links_set_other_producers(&b->links, b->nodes.data))
    return false;
  out->is_cut = b->links.uses.is_cut || b->links.reaching.is_cut;
  out->graph = (etr_graph){.dialect = "program",
                           .schema_version = "",
                           .nodes = b->nodes.data,
                           .node_count = b->nodes.count,
                           .modules = edge ? edge->modules : b->modules.data,
                           .module_count = edge ? edge->module_count : b->modules.count,
                           .subgraphs = b->subgraphs.data,
                           .subgraph_count = b->subgraphs.count,
                           .works = out->works.data,
                           .views = out->views.data,
                           .profile_method = ETR_NONE};
  return !etr_arena_failed(b->arena);
}

/* ---- The graph, once for all ETDumps that are placed alike ---- */

typedef etr_vec(const etr_own_graph *) own_graphs;

static void add_numbers_to_key(etr_text *key, const void *numbers, size_t count) {
  etr_text_add(key, (etr_slice){numbers, count * sizeof(uint32_t)});
}

/* Returns the key by which the graph is kept for other ETDumps of the same record. It has all that
 * the graph depends on: the program and the Edge graph (by address), the nodes of the instructions,
 * of the operators in delegates and of their events, and which payloads other graphs show. */
static etr_slice key_of_graph(builder *b) {
  const etr_placement *placement = b->placement;
  const etr_payloads *payloads = placement->method->payloads;
  const struct {
    const etr_pte_method *program;
    const etr_node *edge;
    size_t repeated, shown, hidden, instructions, delegate_nodes, events;
  } head = {b->program,
            placement->method->graph ? placement->method->graph->nodes : NULL,
            payloads->repeated,
            payloads->shown.count,
            payloads->hidden,
            placement->instructions.count,
            placement->delegate_nodes.count,
            b->end_of_events[b->program->instruction_count]};
  ETR_NO_PADDING(head, 2 * sizeof(void *) + 6 * sizeof(size_t));
  etr_text key = {.arena = b->scratch};
  etr_text_add(&key, ETR_SLICE("graph"));
  etr_text_add(&key, ETR_BYTES(head));
  for (size_t i = 0; i < placement->instructions.count; i++) {
    const etr_placed *placed = &placement->instructions.data[i];
    etr_text_add(&key, ETR_BYTES(placed->payload));
    add_numbers_to_key(&key, &placed->id, 1);
    add_numbers_to_key(&key, &placed->node, 1);
    if (placed->payload)
      add_numbers_to_key(&key, placed->operator_nodes, placed->payload->count);
  }
  for (size_t i = 0; i < placement->delegate_nodes.count; i++) {
    add_numbers_to_key(&key, &placement->delegate_nodes.data[i].instruction_id, 1);
    add_numbers_to_key(&key, &placement->delegate_nodes.data[i].node, 1);
  }
  for (size_t i = 0; i < head.events; i++) {
    const etr_event *e = b->delegate_events[i];
    const uint32_t event[] = {(uint32_t)e->instruction_id, e->payload_operator,
                              e->node_count ? e->nodes[0] : ETR_NONE};
    add_numbers_to_key(&key, event, ETR_COUNT(event));
  }
  return (etr_slice){key.data, key.size};
}

/* Lists the graphs of the delegates' payloads in the order of their calls. Sets *may_be_kept to
 * whether the graph of the program may be kept for other ETDumps: none of its operators has the
 * name of an event, and all payloads are the record's. Returns false when out of memory. */
static bool list_payload_graphs(builder *b, own_graphs *list, bool *may_be_kept) {
  const etr_method_inputs *method = b->placement->method;
  *may_be_kept = method->kept && method->payloads && method->payloads->known;
  for (size_t i = 0; *may_be_kept && i < b->program->instruction_count; i++) {
    if (b->program->instructions[i].kind != ETR_INSTRUCTION_DELEGATE)
      continue;
    const etr_own_graph *own = etr_method_own_graph(method, (int32_t)i);
    const etr_own_graph **added = own ? etr_vec_push(b->scratch, list) : NULL;
    bool has_events = first_event_of(b, (int32_t)i) < b->end_of_events[i];
    if (added)
      *added = own;
    *may_be_kept = own || !has_events;
  }
  *may_be_kept = *may_be_kept && method->payloads->list.count == 0 &&
                 method->payloads->graphs.count == 0;
  return !etr_arena_failed(b->scratch);
}

/* Makes b->out a graph that was kept. Takes as many nodes from the budget, and counts its payloads
 * as shown, as if it was built. Returns false if the budget is spent. */
static bool use_kept_graph(builder *b, const etr_pte_graph *kept, const own_graphs *own) {
  const etr_method_inputs *method = b->placement->method;
  *b->out = *kept;
  for (size_t i = 0; i < own->count; i++)
    (void)etr_payloads_show(method->payloads, own->data[i]);
  return !etr_budget_take(method->budget, ETR_NODES, kept->graph.node_count);
}

/* Records that these nodes are kept for other ETDumps, so that results which depend on them may be
 * kept by the address of the nodes. */
static void mark_nodes_as_kept(etr_kept *all, const etr_node *nodes) {
  etr_kept_entry *entry = etr_kept_start(all, ETR_BYTES(nodes));
  if (entry)
    etr_kept_add(all, entry, nodes);
}

/* Uses the graph that was built for another ETDump, if its instructions and events have the same
 * nodes; else builds a new one and keeps it. What *out points to is then not in `arena` but in the
 * entry, which the record keeps. */
bool etr_pte_graph_build(etr_pte_graph *out, const etr_placement *placement, uint32_t method,
                         const etr_blocks *blocks, etr_arena *arena, etr_arena *scratch) {
  etr_kept *all = placement->method->kept;
  own_graphs own = {0};
  bool may_be_kept;
  builder b = {.out = out,
               .placement = placement,
               .program = placement->method->program,
               .method = method,
               .blocks = blocks,
               .arena = arena,
               .scratch = scratch};
  if (!group_delegate_events(&b) || !list_payload_graphs(&b, &own, &may_be_kept))
    return false;
  if (!may_be_kept)
    return build_graph(&b);
  etr_slice key = key_of_graph(&b);
  if (etr_arena_failed(scratch))
    return false;
  const etr_pte_graph *kept = etr_kept_find(all, key);
  if (kept)
    return use_kept_graph(&b, kept, &own);
  etr_kept_entry *entry = etr_kept_start(all, key);
  if (!entry)
    return build_graph(&b);
  b.arena = &entry->arena;
  etr_pte_graph *result = etr_arena_alloc(b.arena, sizeof *result);
  if (!result || !build_graph(&b)) {
    etr_kept_drop(entry);
    return false;
  }
  *result = *out;
  if (!etr_kept_add(all, entry, result))
    return false;
  mark_nodes_as_kept(all, result->graph.nodes);
  return true;
}

/* Without a program nothing is built. */
bool etr_pte_graph_stand_in(etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                            etr_arena *arena) {
  etr_arena scratch = {0};
  const etr_pte_method *program = placement->method->program;
  if (!program || program->instruction_count == 0)
    return true;
  placement->program_graph = etr_arena_alloc(arena, sizeof *placement->program_graph);
  bool good = placement->program_graph && etr_pte_graph_build(placement->program_graph, placement,
                                                              method, blocks, arena, &scratch);
  good = good && !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good;
}

/* ---- Multiply-accumulates ---- */

/* Builds the graph of instructions only to count, and throws it away. It works on copies of the
 * payloads and of the budget, so that the graph for the profile can still show and spend all. */
bool etr_pte_count_macs(etr_method_inputs *method) {
  static const etr_blocks no_blocks = {0};
  etr_arena arena = {0}, scratch = {0};
  etr_payloads payloads;
  etr_payloads_init(&payloads, NULL, &arena);
  etr_budget budget;
  etr_budget_init(&budget);
  if (method->budget)
    budget = *method->budget;
  etr_method_inputs copy = *method;
  copy.payloads = &payloads;
  copy.budget = &budget;
  etr_placement placement = {.method = &copy};
  etr_pte_graph built;
  bool is_built = etr_instructions_collect(&placement, 0, &no_blocks, &arena, &scratch) &&
                  etr_pte_graph_build(&built, &placement, 0, &no_blocks, &arena, &scratch);
  bool good = !etr_arena_failed(&arena) && !etr_arena_failed(&scratch);
  if (is_built && good)
    method->macs = etr_macs_of_graph(&built.graph);
  etr_arena_clear(&arena);
  etr_arena_clear(&scratch);
  return good && (is_built || etr_budget_refused(&budget));
}
