/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.c - a serialized program, read in one pass.
 *
 * Shapes stand behind the nodes in the document, weights' names behind both, and nested graphs inside a node's arguments, each with names of
 * its own. So every level of nesting has a table of its values (`level`): uses and definitions are noted by their index in it, and resolved to
 * nodes when the level ends.
 */
#include "program.h"

#include "argument.h"
#include "memo.h"
#include "metadata.h"
#include "signature.h"
#include "tensor_meta.h"

/* A graph in a graph in a graph: real ones nest twice, and have thousands of nodes. Bounds the recursion, and memory. */
enum { MAX_NESTING = 24 };

typedef struct value {
  uint32_t node, output; /* that defines it; ETR_NONE while unknown */
  etr_value meta;
} value;

typedef struct level {
  etr_map by_name; /* -> index in values */
  etr_vec(value) values;
  etr_map symbolic; /* bytes of an index in values -> index in expressions */
  etr_vec(const char *) expressions;
  uint32_t subgraph;
  uint32_t first_node;
  size_t first_waiting; /* of the arguments */
} level;

typedef etr_vec(uint32_t) index_stack;

typedef struct reader {
  etr_arena *arena;
  etr_arena scratch; /* levels: freed when the program is read */
  etr_map *strings;
  etr_json *json;
  int64_t graph_id;
  uint32_t max_nodes;
  etr_vec(etr_node) nodes;
  etr_vec(etr_subgraph) subgraphs;
  etr_module_tree modules;
  etr_map derived;                /* names made from operators -> how many */
  etr_memo traces, stacks, metas; /* whose texts became: */
  etr_vec(const etr_source *) trace_sources;
  etr_vec(uint32_t) stack_modules;
  etr_vec(etr_value) meta_values;
  etr_arguments arguments;
  index_stack names; /* values collected from the argument lists being read, innermost last */
  uint32_t nesting;
  bool has_edge_ops, has_aten_ops;
  const char *schema_version;
} reader;

static void read_graph(reader *r, level *l);
static void read_program(reader *r, uint32_t subgraph);

/* ---- Names of values ---- */

static uint32_t value_index(reader *r, level *l, etr_slice name) {
  etr_map_slot *slot = etr_map_at(&l->by_name, name);
  if (!slot || slot->value != ETR_NONE) return slot ? slot->value : ETR_NONE;
  value *v = etr_vec_push(&r->scratch, &l->values);
  if (!v) return ETR_NONE;
  *v = (value){.node = ETR_NONE, .meta = {.name = etr_intern(r->strings, name), .rank = -1}};
  return slot->value = (uint32_t)(l->values.count - 1);
}

static void push_name(reader *r, level *l) {
  uint32_t index = value_index(r, l, etr_json_string(r->json));
  uint32_t *slot = index == ETR_NONE ? NULL : etr_vec_push(&r->scratch, &r->names);
  if (slot) *slot = index;
}

/* Collects the value names in an argument of any form: one, a list, a list of unions, null. */
static void read_names(reader *r, level *l) {
  etr_json *json = r->json;
  etr_slice key;
  switch (etr_json_peek(json)) {
  case ETR_JSON_ARRAY:
    etr_json_array(json);
    while (etr_json_element(json)) read_names(r, l);
    break;
  case ETR_JSON_OBJECT:
    etr_json_object(json);
    while (etr_json_key(json, &key)) {
      if ((etr_slice_is(key, "name") || etr_slice_is(key, "as_name")) && etr_json_peek(json) == ETR_JSON_STRING)
        push_name(r, l);
      else if (etr_names_values(key))
        read_names(r, l);
      else
        etr_json_skip(json);
    }
    break;
  default: etr_json_skip(json);
  }
}

/* ---- Nested graphs ---- */

static uint32_t add_subgraph(reader *r, const level *outer, uint32_t owner, etr_subgraph_kind kind, const char *name) {
  etr_subgraph *subgraph = etr_vec_push(r->arena, &r->subgraphs);
  if (!subgraph || !name) return ETR_NONE;
  const char *path = outer->subgraph == ETR_NONE ? name : etr_arena_format(r->arena, "%s/%s", r->subgraphs.data[outer->subgraph].path, name);
  *subgraph = (etr_subgraph){.name = name, .path = path, .kind = kind, .parent = outer->subgraph, .owner = owner};
  return (uint32_t)(r->subgraphs.count - 1);
}

static bool enter_nested(reader *r) {
  if (r->nesting == MAX_NESTING) etr_json_fail(r->json, "graphs nested too deep");
  if (etr_json_failed(r->json)) return false;
  r->nesting++;
  return true;
}

static void read_level(reader *r, uint32_t subgraph) {
  level l = {
      .subgraph = subgraph, .first_node = (uint32_t)r->nodes.count, .first_waiting = r->arguments.waiting.count};
  etr_map_init(&l.by_name, &r->scratch);
  etr_map_init(&l.symbolic, &r->scratch);
  read_graph(r, &l);
}

/* as_graph: {name, graph} */
static void read_body(reader *r, const level *outer, uint32_t owner) {
  etr_slice key;
  const char *name = NULL;
  if (etr_json_null(r->json) || !enter_nested(r)) return;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "name"))
      name = etr_intern(r->strings, etr_json_string(r->json));
    else if (etr_slice_is(key, "graph"))
      read_level(r, add_subgraph(r, outer, owner, ETR_SUBGRAPH_BODY, name ? name : "graph"));
    else
      etr_json_skip(r->json);
  }
  r->nesting--;
}

/* The document in the first argument of executorch_call_delegate: {backend_id, original_module, and weights as base64}. */
static void read_lowered_document(reader *r, uint32_t subgraph) {
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "backend_id") && etr_json_peek(r->json) == ETR_JSON_STRING)
      r->subgraphs.data[subgraph].backend = etr_intern(r->strings, etr_json_string(r->json));
    else if (etr_slice_is(key, "original_module") && etr_json_peek(r->json) == ETR_JSON_OBJECT)
      read_program(r, subgraph);
    else
      etr_json_skip(r->json);
  }
}

static void read_lowered(reader *r, const level *outer, uint32_t owner, const char *argument) {
  if (etr_json_peek(r->json) != ETR_JSON_STRING || !enter_nested(r)) return etr_json_skip(r->json);
  uint32_t subgraph = add_subgraph(r, outer, owner, ETR_SUBGRAPH_LOWERED, argument);
  etr_json *document = r->json, *inner = etr_json_open_string(document);
  if (inner && subgraph != ETR_NONE) {
    r->json = inner;
    read_lowered_document(r, subgraph);
    r->json = document;
    bool damaged = etr_json_failed(inner);
    etr_json_close(inner);
    if (damaged) etr_json_fail(document, "the lowered module in this string is damaged");
  }
  r->nesting--;
}

/* ---- Nodes ---- */

static bool is_delegate_call(const char *target) { return strcmp(target, "higher_order.executorch_call_delegate") == 0; }

/* arg: the union with one live member */
static void read_argument(reader *r, level *l, uint32_t node, const char *argument_name) {
  etr_slice member;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &member)) {
    if (etr_slice_is(member, "as_graph"))
      read_body(r, l, node);
    else if (etr_slice_is(member, "as_string") && is_delegate_call(r->nodes.data[node].target))
      read_lowered(r, l, node, argument_name);
    else if (etr_names_values(member)) {
      etr_arguments_note_symbolic(&r->arguments, argument_name, member, r->json);
      read_names(r, l);
    } else
      etr_arguments_read(&r->arguments, argument_name, member, r->json);
  }
}

/* Takes the names above `base` off the stack as edges that hold value indices until the level is resolved. */
static void take_inputs(reader *r, size_t base, uint32_t node) {
  size_t count = r->names.count - base;
  etr_edge *edges = etr_arena_alloc_array(r->arena, count, sizeof *edges);
  for (size_t i = 0; edges && i < count; i++) edges[i].node = r->names.data[base + i];
  r->nodes.data[node].inputs = edges;
  r->nodes.data[node].input_count = edges ? count : 0;
  r->names.count = base;
}

static void read_node_inputs(reader *r, level *l, uint32_t node) {
  etr_slice key;
  size_t base = r->names.count, first_draft = r->arguments.drafts.count;
  etr_json_array(r->json);
  while (etr_json_element(r->json)) {
    const char *name = "";
    etr_json_object(r->json);
    while (etr_json_key(r->json, &key)) {
      if (etr_slice_is(key, "name") && etr_json_peek(r->json) == ETR_JSON_STRING)
        name = etr_intern(r->strings, etr_json_string(r->json));
      else if (etr_slice_is(key, "arg"))
        read_argument(r, l, node, name);
      else
        etr_json_skip(r->json);
    }
  }
  take_inputs(r, base, node);
  etr_arguments_take(&r->arguments, first_draft, &r->nodes.data[node]);
}

static void take_outputs(reader *r, level *l, size_t base, uint32_t node) {
  size_t count = r->names.count - base;
  etr_value *outputs = etr_arena_alloc_array(r->arena, count, sizeof *outputs);
  for (size_t i = 0; outputs && i < count; i++) {
    value *v = &l->values.data[r->names.data[base + i]];
    v->node = node;
    v->output = (uint32_t)i;
    outputs[i].name = v->meta.name;
    outputs[i].rank = -1;
  }
  r->nodes.data[node].outputs = outputs;
  r->nodes.data[node].output_count = outputs ? count : 0;
  r->names.count = base;
}

/* Edge operators are called with their namespace in op_type, torch's own and Python's without. */
static void read_target(reader *r, uint32_t node) {
  static const char edge[] = "executorch.exir.dialects.edge.ops.", torch[] = "torch.ops.";
  etr_slice target = etr_json_string(r->json);
  bool is_edge = etr_slice_starts(target, ETR_SLICE(edge)), is_torch = etr_slice_starts(target, ETR_SLICE(torch));
  r->has_edge_ops |= is_edge;
  r->has_aten_ops |= etr_slice_starts(target, ETR_SLICE("torch.ops.aten."));
  size_t prefix = is_edge ? sizeof edge - 1 : is_torch ? sizeof torch - 1 : 0;
  const char *name = etr_intern(r->strings, (etr_slice){target.data + prefix, target.size - prefix});
  const char *dot = name ? strchr(name, '.') : NULL;
  r->nodes.data[node].target = name ? name : "";
  r->nodes.data[node].op_type = is_edge || !dot ? r->nodes.data[node].target : dot + 1;
}

/* 0.6 writes no names: they are those of the first output, but where there are several, for which FX derives one from the operator. */
static const char *derived_name(reader *r, const etr_node *node) {
  if (node->output_count == 1) return node->outputs[0].name;
  char *base = etr_arena_copy(r->arena, etr_slice_of(node->target));
  for (char *at = base; at && *at; at++) *at = *at == '.' ? '_' : *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
  if (!base) return "";
  uint32_t known = etr_map_get(&r->derived, etr_slice_of(base)), count = known == ETR_NONE ? 0 : known;
  etr_map_set(&r->derived, etr_slice_of(base), count + 1);
  return count ? etr_arena_format(r->arena, "%s_%u", base, count) : base;
}

/* "12", or "[12, 13]" as some passes leave it: the first counts. */
static uint32_t parse_handle(etr_slice text) {
  if (text.size && text.data[0] == '[') text = (etr_slice){text.data + 1, text.size - 1};
  size_t digits = 0;
  while (digits < text.size && text.data[digits] >= '0' && text.data[digits] <= '9') digits++;
  int64_t handle = 0;
  bool is_number = etr_slice_to_int((etr_slice){text.data, digits}, &handle);
  return is_number && handle < UINT32_MAX ? (uint32_t)handle : 0;
}

static const etr_source *read_trace(reader *r) {
  bool known;
  uint32_t number = etr_memo_next(&r->traces, r->json, &known);
  if (known) return r->trace_sources.data[number];
  const etr_source *source = etr_source_of_trace(r->arena, r->strings, etr_json_string(r->json));
  const etr_source **slot = number == ETR_NONE ? NULL : etr_vec_push(&r->scratch, &r->trace_sources);
  if (slot) *slot = source;
  return source;
}

static uint32_t read_module(reader *r) {
  bool known;
  uint32_t number = etr_memo_next(&r->stacks, r->json, &known);
  if (known) return r->stack_modules.data[number];
  uint32_t module = etr_module_tree_add(&r->modules, r->strings, etr_json_string(r->json));
  uint32_t *slot = number == ETR_NONE ? NULL : etr_vec_push(&r->scratch, &r->stack_modules);
  if (slot) *slot = module;
  return module;
}

static void read_metadata(reader *r, uint32_t node) {
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    bool trace = etr_slice_is(key, "stack_trace"), stack = etr_slice_is(key, "nn_module_stack"), handle = etr_slice_is(key, "debug_handle"),
         ancestors = r->graph_id && etr_slice_is(key, "from_node");
    if (!(trace || stack || handle || ancestors) || etr_json_peek(r->json) != ETR_JSON_STRING) {
      etr_json_skip(r->json);
      continue;
    }
    etr_node *n = &r->nodes.data[node];
    etr_slice text;
    if (trace || stack) {
      if (trace) n->source = read_trace(r);
      if (stack) n->module = read_module(r);
      continue;
    }
    bool in_body = n->subgraph != ETR_NONE && r->subgraphs.data[n->subgraph].kind == ETR_SUBGRAPH_BODY;
    if (ancestors && !in_body && etr_json_peek_raw(r->json, &text) &&
        etr_ancestor_in_escaped(&n->aten_node, r->strings, text, r->graph_id)) {
      etr_json_skip(r->json);
      continue;
    }
    text = etr_json_string(r->json);
    if (handle) n->debug_handle = parse_handle(text);
    if (ancestors)
      n->aten_node = in_body ? etr_oldest_ancestor(r->strings, text)
                             : etr_ancestor_in_graph(r->strings, text, r->graph_id);
  }
}

static uint32_t add_node(reader *r, const level *l, etr_node_kind kind, const char *name) {
  if (r->nodes.count == r->max_nodes) etr_json_fail(r->json, "more nodes than the limit, which --max-nodes raises");
  etr_node *node = r->nodes.count < r->max_nodes ? etr_vec_push(r->arena, &r->nodes) : NULL;
  if (!node) return ETR_NONE;
  *node = (etr_node){.name = name, .target = name, .op_type = name, .kind = kind, .subgraph = l->subgraph};
  return (uint32_t)(r->nodes.count - 1);
}

static void read_node(reader *r, level *l) {
  etr_slice key;
  uint32_t node = add_node(r, l, ETR_NODE_OP, "");
  if (node == ETR_NONE) return;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    size_t base = r->names.count;
    if (etr_slice_is(key, "name") && etr_json_peek(r->json) == ETR_JSON_STRING)
      r->nodes.data[node].name = etr_intern(r->strings, etr_json_string(r->json));
    else if (etr_slice_is(key, "target"))
      read_target(r, node);
    else if (etr_slice_is(key, "inputs"))
      read_node_inputs(r, l, node);
    else if (etr_slice_is(key, "outputs") && r->nodes.data[node].output_count > 0) {
      etr_json_fail(r->json, "outputs of a node given twice"); /* values already know their places in the first */
    } else if (etr_slice_is(key, "outputs")) {
      read_names(r, l);
      take_outputs(r, l, base, node);
    } else if (etr_slice_is(key, "metadata"))
      read_metadata(r, node);
    else
      etr_json_skip(r->json);
    if (etr_arena_failed(r->arena) || etr_arena_failed(&r->scratch)) return;
  }
  etr_node *n = &r->nodes.data[node];
  if (n->name[0] == '\0') n->name = derived_name(r, n);
}

/* ---- Shapes ---- */

static void read_meta(reader *r, etr_value *meta) {
  bool known;
  const char *name = meta->name;
  uint32_t number = etr_memo_next(&r->metas, r->json, &known);
  if (known) {
    *meta = r->meta_values.data[number];
    meta->name = name;
    return;
  }
  etr_tensor_meta_read(meta, r->strings, &r->scratch, r->json);
  etr_value *slot = number == ETR_NONE ? NULL : etr_vec_push(&r->scratch, &r->meta_values);
  if (slot) *slot = *meta;
}

static etr_slice bytes_of(const uint32_t *index) { return (etr_slice){(const char *)index, sizeof *index}; }

static void read_expression(reader *r, level *l, uint32_t index) {
  etr_dim dim = {.size = ETR_DIM_SYMBOLIC};
  if (etr_json_peek(r->json) != ETR_JSON_OBJECT) {
    etr_json_skip(r->json);
    return;
  }
  etr_dim_read(&dim, r->strings, r->json);
  bool is_number = !dim.symbol && dim.size != ETR_DIM_SYMBOLIC;
  if (is_number) dim.symbol = etr_arena_format(&r->scratch, "%lld", (long long)dim.size);
  const char **slot = dim.symbol ? etr_vec_push(&r->scratch, &l->expressions) : NULL;
  if (slot && etr_map_set(&l->symbolic, bytes_of(&index), (uint32_t)(l->expressions.count - 1))) *slot = dim.symbol;
}

/* NULL if the number's expression is not told. */
static const char *expression_of(void *context, etr_slice name) {
  const level *l = context;
  uint32_t index = etr_map_get(&l->by_name, name), place = etr_map_get(&l->symbolic, bytes_of(&index));
  return place == ETR_NONE ? NULL : l->expressions.data[place];
}

/* tensor_values: {name: meta}; of the sym_*_values {name: expression} */
static void read_values(reader *r, level *l, const char *symbolic_type) {
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    uint32_t index = value_index(r, l, key);
    if (index == ETR_NONE) return;
    etr_value meta = {.name = l->values.data[index].meta.name, .dtype = symbolic_type, .rank = -1};
    if (symbolic_type)
      read_expression(r, l, index);
    else
      read_meta(r, &meta);
    l->values.data[index].meta = meta;
  }
}

/* ---- Graphs ---- */

static void read_graph_inputs(reader *r, level *l) {
  size_t base = r->names.count;
  read_names(r, l);
  for (size_t i = base; i < r->names.count; i++) {
    uint32_t index = r->names.data[i];
    uint32_t node = add_node(r, l, ETR_NODE_INPUT, l->values.data[index].meta.name);
    etr_value *output = node == ETR_NONE ? NULL : etr_arena_alloc(r->arena, sizeof *output);
    if (!output) break;
    *output = l->values.data[index].meta;
    r->nodes.data[node].outputs = output;
    r->nodes.data[node].output_count = 1;
    l->values.data[index].node = node;
    l->values.data[index].output = 0;
  }
  r->names.count = base;
}

/* Turns value indices into nodes, in place; uses of what nothing defines fall away. */
static void resolve(reader *r, const level *l) {
  for (size_t i = l->first_node; i < r->nodes.count; i++) {
    etr_node *n = &r->nodes.data[i];
    if (n->subgraph != l->subgraph) continue; /* of a nested graph: done already */
    etr_edge *edges = (etr_edge *)n->inputs;
    size_t kept = 0;
    for (size_t k = 0; k < n->input_count; k++) {
      const value *v = &l->values.data[edges[k].node];
      if (v->node != ETR_NONE) edges[kept++] = (etr_edge){v->node, v->output};
    }
    n->input_count = kept;
  }
  for (size_t i = 0; i < l->values.count; i++) {
    const value *v = &l->values.data[i];
    if (v->node != ETR_NONE) ((etr_value *)r->nodes.data[v->node].outputs)[v->output] = v->meta;
  }
}

static void read_graph(reader *r, level *l) {
  etr_slice key;
  index_stack outputs = {0};
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "inputs"))
      read_graph_inputs(r, l);
    else if (etr_slice_is(key, "outputs")) {
      size_t base = r->names.count;
      read_names(r, l);
      for (size_t i = base; i < r->names.count; i++) {
        uint32_t *slot = etr_vec_push(&r->scratch, &outputs);
        if (slot) *slot = r->names.data[i];
      }
      r->names.count = base;
    } else if (etr_slice_is(key, "nodes")) {
      etr_json_array(r->json);
      while (etr_json_element(r->json)) read_node(r, l);
    } else if (etr_slice_is(key, "tensor_values"))
      read_values(r, l, NULL);
    else if (etr_slice_is(key, "sym_int_values"))
      read_values(r, l, "int");
    else if (etr_slice_is(key, "sym_bool_values"))
      read_values(r, l, "bool");
    else if (etr_slice_is(key, "sym_float_values"))
      read_values(r, l, "float");
    else
      etr_json_skip(r->json);
    if (etr_arena_failed(r->arena) || etr_arena_failed(&r->scratch)) return;
  }
  uint32_t output = add_node(r, l, ETR_NODE_OUTPUT, "output");
  if (output == ETR_NONE) return;
  size_t base = r->names.count;
  for (size_t i = 0; i < outputs.count; i++) {
    uint32_t *slot = etr_vec_push(&r->scratch, &r->names);
    if (slot) *slot = outputs.data[i];
  }
  take_inputs(r, base, output);
  resolve(r, l);
  etr_arguments_resolve(&r->arguments, l->first_waiting, expression_of, l);
}

/* ---- Programs ---- */

/* {major, minor}, or a plain number in 2023 */
static void read_schema_version(reader *r) {
  etr_slice key;
  int64_t major = 0, minor = 0;
  if (etr_json_peek(r->json) == ETR_JSON_NUMBER) {
    r->schema_version = etr_arena_format(r->arena, "%lld", (long long)etr_json_int(r->json));
    return;
  }
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "major"))
      major = etr_json_int(r->json);
    else if (etr_slice_is(key, "minor"))
      minor = etr_json_int(r->json);
    else
      etr_json_skip(r->json);
  }
  r->schema_version = etr_arena_format(r->arena, "%lld.%lld", (long long)major, (long long)minor);
}

static void read_program(reader *r, uint32_t subgraph) {
  etr_slice key;
  uint32_t first_node = (uint32_t)r->nodes.count;
  bool has_graph = false;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "schema_version") && subgraph == ETR_NONE) {
      read_schema_version(r);
      continue;
    }
    if (!etr_slice_is(key, "graph_module")) {
      etr_json_skip(r->json);
      continue;
    }
    etr_json_object(r->json);
    while (etr_json_key(r->json, &key)) {
      if (etr_slice_is(key, "graph")) {
        read_level(r, subgraph);
        has_graph = true;
      } else if (etr_slice_is(key, "signature")) {
        size_t count = r->nodes.count - first_node;
        etr_signature_read(count ? r->nodes.data + first_node : NULL, count, subgraph, r->strings, r->json);
      } else
        etr_json_skip(r->json);
    }
  }
  if (!has_graph) etr_json_fail(r->json, "no graph_module.graph: not a serialized program");
}

etr_status etr_program_read(etr_graph *out, etr_map *strings, etr_json *json, int64_t graph_id, uint32_t max_nodes) {
  reader r = {.arena = strings->arena, .strings = strings, .json = json, .graph_id = graph_id, .max_nodes = max_nodes, .schema_version = ""};
  etr_arena_init(&r.scratch);
  etr_map_init(&r.derived, &r.scratch);
  etr_memo_init(&r.traces, &r.scratch);
  etr_memo_init(&r.stacks, &r.scratch);
  etr_memo_init(&r.metas, &r.scratch);
  etr_arguments_init(&r.arguments, strings, &r.scratch);
  if (etr_module_tree_init(&r.modules, r.arena)) read_program(&r, ETR_NONE);
  etr_json_end(json);
  bool out_of_memory = etr_arena_failed(&r.scratch) || etr_arena_failed(r.arena) || etr_json_out_of_memory(json);
  etr_arena_clear(&r.scratch);
  if (out_of_memory) return ETR_ERROR_MEMORY;
  if (etr_json_failed(json)) return ETR_ERROR_FORMAT;
  *out = (etr_graph){
      .dialect = r.has_edge_ops   ? "edge"
                 : r.has_aten_ops ? "aten"
                                  : "",
      .schema_version = r.schema_version,
      .nodes = r.nodes.data,
      .node_count = r.nodes.count,
      .modules = r.modules.list.data,
      .module_count = r.modules.list.count,
      .subgraphs = r.subgraphs.data,
      .subgraph_count = r.subgraphs.count,
      .profile_method = ETR_NONE,
  };
  return ETR_OK;
}
