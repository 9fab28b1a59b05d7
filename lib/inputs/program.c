/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.c - a serialized program, read in one pass.
 *
 * In the document, shapes follow the nodes, weights' names follow both, and nested graphs are
 * inside a node's arguments. So every level of nesting has a table of its values, and is resolved
 * when its graph ends.
 */
#include "inputs/program.h"

#include "base/arena.h"
#include "formats/json.h"
#include "inputs/argument.h"
#include "inputs/frame.h"
#include "inputs/graph_values.h"
#include "inputs/metadata.h"
#include "inputs/text_cache.h"

/* ---- What the inputs and outputs of a serialized program are: its graph signature ---- */

/* Returns true for members of the schema's Argument union whose content names values of the graph,
 * such as as_tensor; false for constants, such as as_int. */
static bool is_member_with_values(etr_slice member) {
#define SLICE(text) {(text), sizeof(text) - 1}
  static const etr_slice members[] = {SLICE("as_tensor"),          SLICE("as_tensors"),
                                      SLICE("as_optional_tensor"), SLICE("as_optional_tensors"),
                                      SLICE("as_nested_tensors"),  SLICE("as_sym_int"),
                                      SLICE("as_sym_ints"),        SLICE("as_sym_bool"),
                                      SLICE("as_sym_bools"),       SLICE("as_sym_float"),
                                      SLICE("as_sym_floats"),      SLICE("as_custom_obj"),
                                      SLICE("as_token"),           SLICE("as_opaque_obj")};
#undef SLICE
  if (!etr_slice_starts(member, ETR_SLICE("as_")))
    return false;
  for (size_t i = 0; i < ETR_COUNT(members); i++)
    if (etr_slice_equal(member, members[i]))
      return true;
  return false;
}

typedef struct signature_reader {
  etr_json *json;
  etr_map *strings;
  etr_node *nodes; /* of the graph, its inputs first */
  size_t count;
  uint32_t subgraph;
  etr_arena scratch;
  etr_map by_name; /* interned name of an input -> index of the first input with this name; filled
                      when specs are out of order */
  etr_map written_buffers; /* names of the buffers that inferences write, by their address */
} signature_reader;

typedef struct input_spec {
  etr_node_kind kind;
  const char *argument; /* name of the input node */
  const char *weight;   /* the weight's own name */
} input_spec;

/* Reads which input node and which weight an InputSpec of the graph signature names: {arg: {name}
 * or {as_tensor: {name}}, parameter_name | buffer_name | tensor_constant_name | custom_obj_name}.
 */
static void read_input_spec(const signature_reader *r, input_spec *spec) {
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "arg") || is_member_with_values(key)) {
      if (etr_json_peek(r->json) == ETR_JSON_OBJECT)
        read_input_spec(r, spec);
      else
        etr_json_skip(r->json);
    } else if (etr_json_peek(r->json) != ETR_JSON_STRING)
      etr_json_skip(r->json);
    else if (etr_slice_is(key, "name") || etr_slice_is(key, "as_name"))
      spec->argument = etr_intern(r->strings, etr_json_string(r->json));
    else if (etr_slice_ends(key, ETR_SLICE("_name")))
      spec->weight = etr_intern(r->strings, etr_json_string(r->json));
    else
      etr_json_skip(r->json);
  }
}

/* Returns the kind of the input node that this member of the schema's InputSpec union describes. */
static etr_node_kind kind_of_spec(etr_slice member) {
  if (etr_slice_is(member, "parameter"))
    return ETR_NODE_PARAMETER;
  if (etr_slice_is(member, "buffer"))
    return ETR_NODE_BUFFER;
  if (etr_slice_is(member, "tensor_constant") || etr_slice_is(member, "custom_obj"))
    return ETR_NODE_CONSTANT;
  return ETR_NODE_INPUT;
}

/* Returns whether a node is an input of the graph whose signature is read. */
static bool is_input(const signature_reader *r, size_t node) {
  return node < r->count && r->nodes[node].subgraph == r->subgraph &&
         r->nodes[node].kind != ETR_NODE_OP;
}

/* Returns the index of the first input node with this interned name; ETR_NONE if there is none. The
 * first call fills the map r->by_name, because most programs never need it. */
static uint32_t find_input(signature_reader *r, const char *name) {
  if (r->by_name.count == 0) {
    /* Inputs are the first nodes of a graph. */
    for (size_t i = 0; is_input(r, i); i++) {
      etr_map_slot *slot = etr_map_at(&r->by_name, ETR_BYTES(r->nodes[i].name));
      if (slot && slot->value == ETR_NONE)
        slot->value = (uint32_t)i;
    }
  }
  return etr_map_get(&r->by_name, ETR_BYTES(name));
}

/* Sets kind and weight of the input node that a specification describes, if it is a weight.
 * Specifications are usually in the order of the inputs: `next` is then the index of the node. */
static void set_input_weight(signature_reader *r, const input_spec *spec, size_t next) {
  if (!spec->argument || spec->kind == ETR_NODE_INPUT)
    return;
  bool is_in_order = is_input(r, next) && r->nodes[next].name == spec->argument;
  size_t index = is_in_order ? next : find_input(r, spec->argument);
  if (index == ETR_NONE)
    return;
  r->nodes[index].kind = spec->kind;
  r->nodes[index].weight_name = spec->weight;
}

/* Reads the signature's list of input specifications, and sets kinds and weights of the input
 * nodes, which are usually in the same order (`next`). */
static void read_input_specs(signature_reader *r) {
  etr_slice member;
  size_t next = 0;
  etr_json_array(r->json);
  while (etr_json_element(r->json)) {
    input_spec spec = {.kind = ETR_NODE_INPUT};
    etr_json_object(r->json);
    while (etr_json_key(r->json, &member)) {
      if (etr_json_peek(r->json) != ETR_JSON_OBJECT) {
        etr_json_skip(r->json);
        continue;
      }
      spec.kind = kind_of_spec(member);
      read_input_spec(r, &spec);
    }
    set_input_weight(r, &spec, next++);
  }
}

/* Reads a BufferMutation, {arg, buffer_name}, and remembers that inferences write this buffer. */
static void read_buffer_mutation(signature_reader *r) {
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (!etr_slice_is(key, "buffer_name") || etr_json_peek(r->json) != ETR_JSON_STRING) {
      etr_json_skip(r->json);
      continue;
    }
    const char *name = etr_intern(r->strings, etr_json_string(r->json));
    if (name)
      (void)etr_map_set(&r->written_buffers, ETR_BYTES(name), 0);
  }
}

/* Reads the signature's list of output specifications: [{buffer_mutation | user_input_mutation |
 * user_output | ...: {...}}]. Returns how many outputs are new values of buffers or inputs
 * (mutations), and remembers which buffers those are. */
static size_t read_output_specs(signature_reader *r) {
  etr_slice member;
  size_t count = 0;
  etr_json_array(r->json);
  while (etr_json_element(r->json)) {
    etr_json_object(r->json);
    while (etr_json_key(r->json, &member)) {
      bool is_buffer = etr_slice_is(member, "buffer_mutation");
      count += is_buffer || etr_slice_is(member, "user_input_mutation");
      if (is_buffer && etr_json_peek(r->json) == ETR_JSON_OBJECT)
        read_buffer_mutation(r);
      else
        etr_json_skip(r->json);
    }
  }
  return count;
}

/* Sets is_written of the input nodes that are buffers which inferences write. */
static void mark_written_buffers(const signature_reader *r) {
  for (size_t i = 0; is_input(r, i); i++)
    r->nodes[i].is_written = r->nodes[i].weight_name &&
                             etr_map_get(&r->written_buffers, ETR_BYTES(r->nodes[i].weight_name)) !=
                                 ETR_NONE;
}

/* Reads a graph signature, {input_specs, output_specs}, and sets kind, weight_name and is_written
 * of the graph's input nodes, which says which are parameters, buffers and constants. `nodes` has
 * the nodes of the graph with this subgraph index, inputs first, with names interned in `strings`.
 * Returns how many outputs are new values of buffers or inputs. A failure shows on `json` or on the
 * arena of `strings`. */
static size_t read_signature(etr_node *nodes, size_t count, uint32_t subgraph, etr_map *strings,
                             etr_json *json) {
  signature_reader r = {
      .json = json,
      .strings = strings,
      .nodes = nodes,
      .count = count,
      .subgraph = subgraph,
  };
  etr_slice key;
  size_t mutations = 0;
  etr_map_init(&r.by_name, &r.scratch);
  etr_map_init(&r.written_buffers, &r.scratch);
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_slice_is(key, "input_specs"))
      read_input_specs(&r);
    else if (etr_slice_is(key, "output_specs"))
      mutations = read_output_specs(&r);
    else
      etr_json_skip(json);
  }
  mark_written_buffers(&r);
  if (etr_arena_failed(&r.scratch))
    etr_arena_fail(strings->arena);
  etr_arena_clear(&r.scratch);
  return mutations;
}

/* ---- The values of one graph while its program is read ---- */

/* In the document, shapes follow the nodes, and nested graphs have names of their own. Uses and
 * definitions are therefore noted by a value's index in the table of its graph, and resolved to
 * nodes when the graph ends. */

/* A value of a graph. */
typedef struct table_value {
  uint32_t node, output;  /* that defines it; ETR_NONE while unknown */
  etr_value meta;         /* its name, and its shape once that is read */
  const char *expression; /* expression of a symbolic number; NULL if it is not known */
} table_value;

typedef struct value_table {
  etr_arena *scratch;
  etr_tensor_metas *metas;
  etr_map by_name; /* -> index in values */
  etr_vec(table_value) values;
} value_table;

/* A list of indices of values. */
typedef etr_vec(uint32_t) value_list;

/* Returns the value with this name, which is added if it is new; NULL when out of memory. The
 * pointer is valid until the next new value. A new value has no node (ETR_NONE) until the node that
 * defines it is read. */
static table_value *find_or_add_value(value_table *table, etr_slice name) {
  etr_map_slot *slot = etr_map_at(&table->by_name, name);
  if (!slot || slot->value != ETR_NONE)
    return slot ? &table->values.data[slot->value] : NULL;
  table_value *added = etr_vec_push(table->scratch, &table->values);
  if (!added)
    return NULL;
  slot->value = (uint32_t)(table->values.count - 1);
  *added = (table_value){.node = ETR_NONE,
                         .meta = {.name = etr_intern(table->metas->strings, name), .rank = -1}};
  return added;
}

/* Appends the index of the value with this name, which is added if it is new, to a list. When out
 * of memory, the arena has failed. */
static void append_value_of_name(value_table *table, value_list *list, etr_slice name) {
  const table_value *value = find_or_add_value(table, name);
  uint32_t *slot = value ? etr_vec_push(table->scratch, list) : NULL;
  if (slot)
    *slot = (uint32_t)(value - table->values.data);
}

/* Reads an argument and appends the values that it names to the list, in the document's order. An
 * argument may be one value, null, or a list of either or of unions. */
static void collect_named_values(value_table *table, value_list *list, etr_json *json) {
  etr_slice key;
  switch (etr_json_peek(json)) {
  case ETR_JSON_ARRAY:
    etr_json_array(json);
    while (etr_json_element(json))
      collect_named_values(table, list, json);
    break;
  case ETR_JSON_OBJECT:
    etr_json_object(json);
    while (etr_json_key(json, &key)) {
      if ((etr_slice_is(key, "name") || etr_slice_is(key, "as_name")) &&
          etr_json_peek(json) == ETR_JSON_STRING)
        append_value_of_name(table, list, etr_json_string(json));
      else if (is_member_with_values(key))
        collect_named_values(table, list, json);
      else
        etr_json_skip(json);
    }
    break;
  default:
    etr_json_skip(json);
  }
}

/* Reads a symbolic number as text: its expression such as "s0 + 1", or the number if it is known.
 * Returns NULL if it is written in an unknown way. */
static const char *read_symbolic_expression(value_table *table, etr_json *json) {
  etr_dim dim = {.size = ETR_DIM_SYMBOLIC};
  if (etr_json_peek(json) != ETR_JSON_OBJECT) {
    etr_json_skip(json);
    return NULL;
  }
  etr_dim_read(&dim, table->metas->strings, json);
  if (dim.symbol || dim.size == ETR_DIM_SYMBOLIC)
    return dim.symbol;
  return etr_arena_format(table->scratch, "%lld", (long long)dim.size);
}

/* Reads what a graph says of its values. If symbolic_type is NULL, these are types and shapes of
 * tensors, {NAME: meta}. Otherwise they are expressions of symbolic numbers of this type, "int",
 * "bool" or "float": {NAME: expression}. */
static void read_shapes_of_values(value_table *table, const char *symbolic_type, etr_json *json) {
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    table_value *value = find_or_add_value(table, key);
    if (!value)
      return;
    value->meta = (etr_value){
        .name = value->meta.name,
        .dtype = symbolic_type,
        .rank = -1,
    };
    if (symbolic_type)
      value->expression = read_symbolic_expression(table, json);
    else
      etr_tensor_metas_read(table->metas, &value->meta, json);
  }
}

/* Returns the expression of the symbolic number with this name; NULL if it is not known. This is an
 * etr_symbol_of; the context is the graph's value_table. */
static const char *expression_of_symbol(void *context, etr_slice name) {
  const value_table *table = context;
  uint32_t index = etr_map_get(&table->by_name, name);
  return index == ETR_NONE ? NULL : table->values.data[index].expression;
}

/* ---- Where the nodes of a program come from: source lines, modules, debug handles and ancestors
 * ---- */

/* The metadata of one program's nodes while they are read. */
typedef struct node_metadata {
  etr_map *strings; /* interns texts; sources and modules live in its arena, too */
  etr_arena *scratch;
  etr_program_scope scope;
  const char *escaped_graph_id;
  etr_module_tree modules;
  etr_text_cache traces, stacks; /* number `read_traces` by trace and `innermost` by module stack */
  etr_vec(etr_trace) read_traces;
  etr_vec(uint32_t) innermost;
} node_metadata;

/* Prepares the metadata before the first node. Returns false when out of memory. */
static bool node_metadata_init(node_metadata *m, etr_map *strings, etr_arena *scratch,
                               etr_program_scope scope) {
  *m = (node_metadata){
      .strings = strings,
      .scratch = scratch,
      .scope = scope,
      .escaped_graph_id = etr_escaped_graph_id(scratch, scope.graph_id),
  };
  etr_text_cache_init(&m->traces, scratch);
  etr_text_cache_init(&m->stacks, scratch);
  return m->escaped_graph_id && etr_module_tree_init(&m->modules, strings->arena);
}

/* Reads a node's stack trace: its source line and frames. Nodes of one line have the same text, so
 * each text is parsed only once. */
static etr_trace read_stack_trace(node_metadata *m, etr_json *json) {
  bool is_known;
  uint32_t cache_index = etr_text_cache_next(&m->traces, json, &is_known);
  if (is_known)
    return m->read_traces.data[cache_index];
  etr_trace trace = etr_trace_read(m->strings->arena, m->strings, etr_json_string(json),
                                   m->scope.source_root);
  etr_trace *slot = cache_index == ETR_NONE ? NULL : etr_vec_push(m->scratch, &m->read_traces);
  if (slot)
    *slot = trace;
  return trace;
}

/* Reads a node's nn_module_stack, adds its modules to the tree, and returns the index of the
 * innermost one. Nodes of one module have the same text, so each text is parsed only once. */
static uint32_t read_innermost_module(node_metadata *m, etr_json *json) {
  bool is_known;
  uint32_t cache_index = etr_text_cache_next(&m->stacks, json, &is_known);
  if (is_known)
    return m->innermost.data[cache_index];
  uint32_t module = etr_module_tree_add(&m->modules, m->strings, etr_json_string(json));
  uint32_t *slot = cache_index == ETR_NONE ? NULL : etr_vec_push(m->scratch, &m->innermost);
  if (slot)
    *slot = module;
  return module;
}

/* Parses a debug handle such as "12". Some passes write several, "[12, 13]": returns the first.
 * Returns 0, which means no handle, for other texts. */
static uint32_t parse_handle(etr_slice text) {
  if (text.size && text.data[0] == '[')
    text = (etr_slice){text.data + 1, text.size - 1};
  size_t digits = 0;
  while (digits < text.size && text.data[digits] >= '0' && text.data[digits] <= '9')
    digits++;
  int64_t handle = 0;
  bool is_number = etr_slice_to_int((etr_slice){text.data, digits}, &handle);
  return is_number && handle < UINT32_MAX ? (uint32_t)handle : 0;
}

/* Reads a node's from_node, JSON in a string, without unescaping it, which is faster. Returns false
 * if it must be decoded, and leaves it unread. */
static bool read_escaped_ancestors(node_metadata *m, etr_node *node, bool in_body, etr_json *json) {
  etr_slice escaped;
  if (!etr_json_peek_raw(json, &escaped) || (m->scope.regions && etr_may_be_in_region(escaped)))
    return false;
  bool is_read = m->scope.no_ancestors ||
                 (!in_body && etr_ancestor_in_escaped(&node->aten_node, m->strings, escaped,
                                                      m->escaped_graph_id));
  if (is_read)
    etr_json_skip(json);
  return is_read;
}

/* Reads a node's from_node: the name of the node of the exported graph that it comes from, NULL if
 * there is none, and which node of a region. In bodies of cond, map, ..., whose graph ids are not
 * known, the oldest ancestor is taken. */
static void read_ancestors(node_metadata *m, etr_node *node, uint32_t index, bool in_body,
                           etr_json *json) {
  if (read_escaped_ancestors(m, node, in_body, json))
    return;
  etr_slice text = etr_json_string(json);
  if (!m->scope.no_ancestors && in_body)
    node->aten_node = etr_oldest_ancestor(m->strings, text);
  else if (!m->scope.no_ancestors)
    node->aten_node = etr_ancestor_in_graph(m->strings, text, m->scope.graph_id);
  if (!m->scope.regions || !etr_may_be_in_region(text))
    return;
  etr_region_ancestor from = etr_ancestor_in_region(m->strings, text, m->scope.graph_id);
  etr_region_node *added = from.name ? etr_vec_push(m->strings->arena, &m->scope.regions->list)
                                     : NULL;
  if (added)
    *added = (etr_region_node){index, from};
}

/* Sets the source line and the frames of a node from its stack trace. */
static void set_node_source(etr_node *node, etr_trace trace) {
  node->source = trace.source;
  node->frames = trace.frames;
  node->frame_count = trace.frame_count;
}

/* Reads the metadata of a node with this index, {stack_trace, nn_module_stack, debug_handle,
 * from_node, ...}, into its source, frames, module, debug_handle and aten_node. in_body is true in
 * the body of a cond, map, ... A failure shows on `json` or on the arenas. */
static void read_node_metadata(node_metadata *m, etr_node *node, uint32_t index, bool in_body,
                               etr_json *json) {
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    bool trace = !m->scope.no_sources && etr_slice_is(key, "stack_trace");
    bool stack = etr_slice_is(key, "nn_module_stack");
    bool handle = etr_slice_is(key, "debug_handle");
    bool ancestors = m->scope.graph_id && etr_slice_is(key, "from_node");
    bool is_text = (trace || stack || handle || ancestors) &&
                   etr_json_peek(json) == ETR_JSON_STRING;
    if (!is_text)
      etr_json_skip(json);
    else if (trace)
      set_node_source(node, read_stack_trace(m, json));
    else if (stack)
      node->module = read_innermost_module(m, json);
    else if (handle)
      node->debug_handle = parse_handle(etr_json_string(json));
    else
      read_ancestors(m, node, index, in_body, json);
  }
}

/* ---- A serialized program, read in one pass ---- */

/* Real graphs nest twice. Bounds the recursion. */
enum { MAX_NESTING = 24 };

/* A graph while it is read, nested or not. */
typedef struct graph_level {
  value_table table;
  uint32_t subgraph, first_node;
  bool in_body;                     /* of a cond, map, ... */
  size_t first_unresolved_argument; /* of the arguments */
} graph_level;

/* The inputs and outputs of a node, until its level is resolved. */
typedef struct node_lists {
  etr_edge *inputs;
  etr_value *outputs;
} node_lists;

typedef struct reader {
  etr_arena *arena;
  etr_arena scratch; /* levels: freed when the program is read */
  etr_map *strings;
  etr_json *json;
  etr_budget *budget;
  etr_vec(etr_node) nodes;
  etr_vec(node_lists) lists; /* of the nodes */
  etr_vec(etr_subgraph) subgraphs;
  etr_map derived_names; /* names made from operators -> how many */
  node_metadata metadata;
  etr_tensor_metas metas;
  etr_arguments arguments;
  value_list names; /* values collected from the argument lists being read, innermost last */
  uint32_t nesting;
  bool has_edge_ops, has_aten_ops;
  size_t mutation_count; /* of the program itself */
  const char *schema_version;
  etr_vec(etr_symbol_range) ranges;
} reader;

static void read_graph(reader *r, uint32_t subgraph);
static void read_program(reader *r, uint32_t subgraph);

/* ---- Nested graphs ---- */

/* Adds a graph that is nested in the node `owner` of the graph `outer`, and returns its index among
 * the subgraphs; ETR_NONE when out of memory. Its path is the names of the graphs that it is in,
 * outermost first, and its own. */
static uint32_t add_subgraph(reader *r, const graph_level *outer, uint32_t owner,
                             etr_subgraph_kind kind, const char *name) {
  etr_subgraph *subgraph = etr_vec_push(r->arena, &r->subgraphs);
  if (!subgraph || !name)
    return ETR_NONE;
  const char *path = name;
  if (outer->subgraph != ETR_NONE)
    path = etr_arena_format(r->arena, "%s/%s", r->subgraphs.data[outer->subgraph].path, name);
  *subgraph = (etr_subgraph){
      .name = name,
      .path = path,
      .kind = kind,
      .parent = outer->subgraph,
      .owner = owner,
  };
  return (uint32_t)(r->subgraphs.count - 1);
}

/* Counts one more level of nested graphs. Returns false if they are nested too deeply, which fails
 * the reader of JSON, or if that has failed before. The caller subtracts the level when the graph
 * is read. */
static bool enter_nested_graph(reader *r) {
  if (r->nesting == MAX_NESTING)
    etr_json_fail(r->json, "graphs nested too deeply");
  if (etr_json_failed(r->json))
    return false;
  r->nesting++;
  return true;
}

/* Reads the body of a control flow operator (cond, map, ...), as_graph: {name, graph}, as a graph
 * nested in the node `owner`. The body may be null. A graph without a name before it is called
 * "graph". Graphs that are nested too deeply fail the reader of JSON. */
static void read_body(reader *r, const graph_level *outer, uint32_t owner) {
  etr_slice key;
  const char *name = NULL;
  if (etr_json_null(r->json) || !enter_nested_graph(r))
    return;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "name"))
      name = etr_intern(r->strings, etr_json_string(r->json));
    else if (etr_slice_is(key, "graph"))
      read_graph(r, add_subgraph(r, outer, owner, ETR_SUBGRAPH_BODY, name ? name : "graph"));
    else
      etr_json_skip(r->json);
  }
  r->nesting--;
}

/* Reads the document of a lowered module, {backend_id, original_module, ...}: the backend's name
 * and the program that was delegated. Weights as base64 are skipped. */
static void read_lowered_members(reader *r, uint32_t subgraph) {
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

/* Reads the lowered module that is an argument of executorch_call_delegate: a JSON document in a
 * string, whose graph is nested in the node `owner`. A value that is no string is skipped. */
static void read_lowered_module(reader *r, const graph_level *outer, uint32_t owner,
                                const char *argument) {
  etr_json *document = r->json;
  bool is_document = etr_json_peek(document) == ETR_JSON_STRING && enter_nested_graph(r);
  if (!is_document)
    etr_json_skip(document);
  uint32_t subgraph = is_document ? add_subgraph(r, outer, owner, ETR_SUBGRAPH_LOWERED, argument)
                                  : ETR_NONE;
  etr_json *inner = subgraph == ETR_NONE ? NULL : etr_json_open_string(document);
  if (inner) {
    r->json = inner;
    read_lowered_members(r, subgraph);
    r->json = document;
    if (etr_json_failed(inner))
      etr_json_fail(document, "the lowered module in this string is damaged");
    etr_json_close(inner);
  }
  r->nesting -= is_document;
}

/* ---- Nodes ---- */

static void set_operator(reader *r, etr_node *node, etr_slice target);

/* Sets the target of a node that wraps an operator, as functionalization does with one that changes
 * an argument in place, to that operator. op_type stays that of the wrapper. */
static void set_wrapped_operator(reader *r, etr_node *node, etr_slice target) {
  const char *wrapper = node->op_type;
  set_operator(r, node, target);
  node->op_type = wrapper;
}

/* Reads an argument of a node, a union with one member: the body of a control flow operator, a
 * lowered module, a wrapped operator, values, which are appended to r->names to become the node's
 * inputs, or a constant. */
static void read_argument(reader *r, graph_level *l, uint32_t node, const char *argument_name) {
  static const char delegate_call[] = "higher_order.executorch_call_delegate";
  etr_slice member;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &member)) {
    if (etr_slice_is(member, "as_graph"))
      read_body(r, l, node);
    else if (etr_slice_is(member, "as_string") &&
             strcmp(r->nodes.data[node].target, delegate_call) == 0)
      read_lowered_module(r, l, node, argument_name);
    else if (etr_slice_is(member, "as_operator") && etr_is_functionalized(&r->nodes.data[node]) &&
             etr_json_peek(r->json) == ETR_JSON_STRING)
      set_wrapped_operator(r, &r->nodes.data[node], etr_json_string(r->json));
    else if (is_member_with_values(member)) {
      etr_arguments_note_symbolic(&r->arguments, argument_name, member, r->json);
      collect_named_values(&l->table, &r->names, r->json);
    } else
      etr_arguments_read(&r->arguments, argument_name, member, r->json);
  }
}

/* Makes the values of the list from index `base` on the inputs of a node, and removes them from the
 * list. Each edge holds the index of a value in place of a node until resolve_level(), which writes
 * the node through r->lists, because the node that defines the value may be unknown so far. */
static void set_node_inputs(reader *r, value_list *list, size_t base, uint32_t node) {
  size_t count = list->count - base;
  etr_edge *edges = etr_arena_alloc_array(r->arena, count, sizeof *edges);
  for (size_t i = 0; edges && i < count; i++)
    edges[i].node = list->data[base + i];
  r->nodes.data[node].inputs = r->lists.data[node].inputs = edges;
  r->nodes.data[node].input_count = edges ? count : 0;
  list->count = base;
}

/* Reads the arguments of a node. Values become its inputs, and constants its arguments. Both are
 * first collected at the end of r->names and of the drafts, where nodes around a nested graph have
 * theirs before. */
static void read_node_inputs(reader *r, graph_level *l, uint32_t node) {
  etr_slice key;
  size_t base = r->names.count;
  size_t first_draft = r->arguments.drafts.count;
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
  set_node_inputs(r, &r->names, base, node);
  etr_arguments_take(&r->arguments, first_draft, &r->nodes.data[node]);
}

/* Makes the values of r->names from index `base` on the outputs of a node, and removes them from
 * the list. The node defines these values. Their types and shapes are unknown (rank -1) until
 * resolve_level(), which writes them through r->lists, because they follow later in the document.
 */
static void set_node_outputs(reader *r, graph_level *l, size_t base, uint32_t node) {
  size_t count = r->names.count - base;
  etr_value *outputs = etr_arena_alloc_array(r->arena, count, sizeof *outputs);
  for (size_t i = 0; outputs && i < count; i++) {
    table_value *v = &l->table.values.data[r->names.data[base + i]];
    v->node = node;
    v->output = (uint32_t)i;
    outputs[i].name = v->meta.name;
    outputs[i].rank = -1;
  }
  r->nodes.data[node].outputs = r->lists.data[node].outputs = outputs;
  r->nodes.data[node].output_count = outputs ? count : 0;
  r->names.count = base;
}

/* Returns a name for a node without one, as ExecuTorch 0.6 writes them. It is the name of its
 * output or, with several outputs, the one that torch.fx derives from the operator: in lower case,
 * with a number if it is not the first. */
static const char *derived_name(reader *r, const etr_node *node) {
  if (node->output_count == 1)
    return node->outputs[0].name;
  char *base = etr_arena_copy(r->arena, etr_slice_of(node->target));
  if (!base)
    return "";
  for (char *character = base; *character; character++) {
    if (*character == '.')
      *character = '_';
    if (*character >= 'A' && *character <= 'Z')
      *character = (char)(*character | 0x20);
  }
  uint32_t count = etr_map_count(&r->derived_names, etr_slice_of(base));
  return count ? etr_arena_format(r->arena, "%s_%u", base, count) : base;
}

/* Adds a node to the graph that is read, and returns its index. Returns ETR_NONE when out of
 * memory, or if the budget has no node left, which fails the reader of JSON. */
static uint32_t add_node(reader *r, const graph_level *l, etr_node_kind kind, const char *name) {
  const char *refused = r->nodes.count < ETR_NONE ? etr_budget_take(r->budget, ETR_NODES, 1)
                                                  : "too many nodes";
  if (refused)
    etr_json_fail(r->json, refused);
  etr_node *node = refused || !etr_vec_push(&r->scratch, &r->lists)
                       ? NULL
                       : etr_vec_push(r->arena, &r->nodes);
  if (!node)
    return ETR_NONE;
  *node = (etr_node){
      .name = name,
      .target = name,
      .op_type = name,
      .kind = kind,
      .subgraph = l->subgraph,
  };
  return (uint32_t)(r->nodes.count - 1);
}

/* Sets the operator of a node from its target in the document, such as
 * "executorch.exir.dialects.edge.ops.aten.add.Tensor". The target loses the prefix of its dialect.
 * op_type keeps the namespace only of Edge operators ("aten.add.Tensor"), not of torch's and
 * Python's own ("add.Tensor"). */
static void set_operator(reader *r, etr_node *node, etr_slice target) {
  static const char edge[] = "executorch.exir.dialects.edge.ops.", torch[] = "torch.ops.";
  bool is_edge = etr_slice_starts(target, ETR_SLICE(edge));
  r->has_edge_ops |= is_edge;
  r->has_aten_ops |= etr_slice_starts(target, ETR_SLICE("torch.ops.aten."));
  size_t prefix = 0;
  if (is_edge)
    prefix = sizeof edge - 1;
  else if (etr_slice_starts(target, ETR_SLICE(torch)))
    prefix = sizeof torch - 1;
  else if (etr_slice_starts(target, ETR_SLICE("executorch.exir.memory.")))
    prefix = sizeof "executorch.exir." - 1; /* as in "memory.alloc" */
  const char *name = etr_intern(r->strings, etr_slice_after(target, prefix));
  const char *dot = name ? strchr(name, '.') : NULL;
  node->target = name ? name : "";
  node->op_type = is_edge || !dot ? node->target : dot + 1;
}

/* Reads a node of a graph: its operator, inputs, outputs and metadata. A node without a name, as
 * old files have, gets a derived one. r->names from `base` on is for this list; what is before
 * belongs to nodes around a nested graph. */
static void read_node(reader *r, graph_level *l) {
  etr_slice key;
  uint32_t node = add_node(r, l, ETR_NODE_OP, "");
  if (node == ETR_NONE)
    return;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    size_t base = r->names.count;
    if (etr_slice_is(key, "name") && etr_json_peek(r->json) == ETR_JSON_STRING)
      r->nodes.data[node].name = etr_intern(r->strings, etr_json_string(r->json));
    else if (etr_slice_is(key, "target"))
      set_operator(r, &r->nodes.data[node], etr_json_string(r->json));
    else if (etr_slice_is(key, "inputs"))
      read_node_inputs(r, l, node);
    else if (etr_slice_is(key, "outputs") && r->nodes.data[node].output_count > 0) {
      etr_json_fail(r->json,
                    "a node's outputs are given twice"); /* values have indices of the first list */
    } else if (etr_slice_is(key, "outputs")) {
      collect_named_values(&l->table, &r->names, r->json);
      set_node_outputs(r, l, base, node);
    } else if (etr_slice_is(key, "metadata"))
      read_node_metadata(&r->metadata, &r->nodes.data[node], node, l->in_body, r->json);
    else
      etr_json_skip(r->json);
    if (etr_arena_failed(r->arena) || etr_arena_failed(&r->scratch))
      return;
  }
  etr_node *n = &r->nodes.data[node];
  if (n->name[0] == '\0')
    n->name = derived_name(r, n);
}

/* ---- Graphs ---- */

/* Reads the inputs of a graph. Each becomes a node with one output, which r->lists has, too, so
 * that resolve_level() can write its type and shape. */
static void read_graph_inputs(reader *r, graph_level *l) {
  value_list inputs = {0};
  collect_named_values(&l->table, &inputs, r->json);
  for (size_t i = 0; i < inputs.count; i++) {
    table_value *v = &l->table.values.data[inputs.data[i]];
    uint32_t node = add_node(r, l, ETR_NODE_INPUT, v->meta.name);
    etr_value *output = node == ETR_NONE ? NULL : etr_arena_alloc(r->arena, sizeof *output);
    if (!output)
      return;
    *output = v->meta;
    r->nodes.data[node].outputs = r->lists.data[node].outputs = output;
    r->nodes.data[node].output_count = 1;
    v->node = node;
    v->output = 0;
  }
}

/* Replaces the index of a value in each of `count` edges by the node that defines it, and removes
 * edges of values that nothing defines. Returns how many are left. */
static size_t resolve_edges(etr_edge *edges, size_t count, const table_value *values) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const table_value *value = &values[edges[i].node];
    if (value->node != ETR_NONE)
      edges[kept++] = (etr_edge){value->node, value->output};
  }
  return kept;
}

/* Completes the nodes of a graph when it is read. The indices of values in their edges are replaced
 * by the nodes that define the values, and edges of values that nothing defines are removed.
 * Outputs get their types and shapes, and arguments their symbolic numbers. */
static void resolve_level(reader *r, graph_level *l) {
  const table_value *values = l->table.values.data;
  for (size_t i = l->first_node; i < r->nodes.count; i++) {
    etr_node *n = &r->nodes.data[i];
    if (n->subgraph != l->subgraph)
      continue; /* of a nested graph: done already */
    n->input_count = resolve_edges(r->lists.data[i].inputs, n->input_count, values);
  }
  for (size_t i = 0; i < l->table.values.count; i++) {
    if (values[i].node == ETR_NONE)
      continue;
    etr_value *outputs = r->lists.data[values[i].node].outputs;
    if (outputs)
      outputs[values[i].output] = values[i].meta;
  }
  etr_arguments_resolve(&r->arguments, l->first_unresolved_argument, expression_of_symbol,
                        &l->table);
}

/* Reads a graph and adds its nodes. `subgraph` is its index, or ETR_NONE for the graph of the
 * program itself. All outputs of the graph become the inputs of a last node "output". When out of
 * memory, an arena has failed, and the graph stays incomplete. */
static void read_graph(reader *r, uint32_t subgraph) {
  graph_level l = {
      .subgraph = subgraph,
      .first_node = (uint32_t)r->nodes.count,
      .first_unresolved_argument = r->arguments.waiting.count,
  };
  etr_slice key;
  value_list outputs = {0};
  l.in_body = subgraph != ETR_NONE && r->subgraphs.data[subgraph].kind == ETR_SUBGRAPH_BODY;
  l.table = (value_table){.scratch = &r->scratch, .metas = &r->metas};
  etr_map_init(&l.table.by_name, &r->scratch);
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "inputs"))
      read_graph_inputs(r, &l);
    else if (etr_slice_is(key, "outputs"))
      collect_named_values(&l.table, &outputs, r->json);
    else if (etr_slice_is(key, "nodes")) {
      etr_json_array(r->json);
      while (etr_json_element(r->json))
        read_node(r, &l);
    } else if (etr_slice_is(key, "tensor_values"))
      read_shapes_of_values(&l.table, NULL, r->json);
    else if (etr_slice_is(key, "sym_int_values"))
      read_shapes_of_values(&l.table, "int", r->json);
    else if (etr_slice_is(key, "sym_bool_values"))
      read_shapes_of_values(&l.table, "bool", r->json);
    else if (etr_slice_is(key, "sym_float_values"))
      read_shapes_of_values(&l.table, "float", r->json);
    else
      etr_json_skip(r->json);
    if (etr_arena_failed(r->arena) || etr_arena_failed(&r->scratch))
      return;
  }
  uint32_t output = add_node(r, &l, ETR_NODE_OUTPUT, "output");
  if (output == ETR_NONE)
    return;
  set_node_inputs(r, &outputs, 0, output);
  resolve_level(r, &l);
}

/* ---- Programs ---- */

/* Reads the version of the schema, {major, minor}, or a plain number in 2023, into
 * r->schema_version: "8.2". */
static void read_schema_version(reader *r) {
  etr_slice key;
  int64_t version[] = {0, 0};
  if (etr_json_peek(r->json) == ETR_JSON_NUMBER) {
    r->schema_version = etr_arena_format(r->arena, "%lld", (long long)etr_json_int(r->json));
    return;
  }
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    bool is_minor = etr_slice_is(key, "minor");
    if (is_minor || etr_slice_is(key, "major"))
      version[is_minor] = etr_json_int(r->json);
    else
      etr_json_skip(r->json);
  }
  r->schema_version = etr_arena_format(r->arena, "%lld.%lld", (long long)version[0],
                                       (long long)version[1]);
}

/* Reads a graph module, {graph, signature, ...}. Returns false if it has no graph. The number of
 * mutations is kept only for the program itself (subgraph ETR_NONE). */
static bool read_graph_module(reader *r, uint32_t subgraph) {
  etr_slice key;
  size_t first_node = r->nodes.count;
  bool has_graph = false;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "graph")) {
      read_graph(r, subgraph);
      has_graph = true;
    } else if (etr_slice_is(key, "signature")) {
      size_t count = r->nodes.count - first_node;
      etr_node *nodes = count ? r->nodes.data + first_node : NULL;
      size_t mutations = read_signature(nodes, count, subgraph, r->strings, r->json);
      if (subgraph == ETR_NONE)
        r->mutation_count = mutations;
    } else
      etr_json_skip(r->json);
  }
  return has_graph;
}

/* Reads a bound of a symbol; returns `none` if it is no integer of 64 bits: null, "int_oo", or
 * Infinity, which ExecuTorch writes where there is no largest size. */
static int64_t read_bound_of_symbol(reader *r, int64_t none) {
  int64_t bound = none;
  if (etr_json_peek(r->json) != ETR_JSON_NUMBER)
    etr_json_skip(r->json);
  else if (!etr_slice_to_int(etr_json_number_text(r->json), &bound))
    bound = none;
  return bound;
}

/* Reads range_constraints, the ranges of symbolic sizes: {"s77": {"min_val": 2, "max_val": 16}}. */
static void read_symbol_ranges(reader *r) {
  etr_slice key, member;
  if (etr_json_peek(r->json) != ETR_JSON_OBJECT) {
    etr_json_skip(r->json);
    return;
  }
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    etr_symbol_range range = {
        .symbol = etr_intern(r->strings, key),
        .least = INT64_MIN,
        .largest = INT64_MAX,
    };
    if (etr_json_peek(r->json) != ETR_JSON_OBJECT) {
      etr_json_skip(r->json);
      continue;
    }
    etr_json_object(r->json);
    while (etr_json_key(r->json, &member)) {
      if (etr_slice_is(member, "min_val"))
        range.least = read_bound_of_symbol(r, range.least);
      else if (etr_slice_is(member, "max_val"))
        range.largest = read_bound_of_symbol(r, range.largest);
      else
        etr_json_skip(r->json);
    }
    etr_symbol_range *added = range.symbol ? etr_vec_push(r->arena, &r->ranges) : NULL;
    if (added)
      *added = range;
  }
}

/* Reads a serialized program. Of a nested one, which has a subgraph index, only the graph matters.
 * The reader of JSON fails if there is no graph. */
static void read_program(reader *r, uint32_t subgraph) {
  etr_slice key;
  bool has_graph = false;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    if (etr_slice_is(key, "schema_version") && subgraph == ETR_NONE)
      read_schema_version(r);
    else if (etr_slice_is(key, "range_constraints") && subgraph == ETR_NONE)
      read_symbol_ranges(r);
    else if (etr_slice_is(key, "graph_module"))
      has_graph |= read_graph_module(r, subgraph);
    else
      etr_json_skip(r->json);
  }
  if (!has_graph)
    etr_json_fail(r->json, "no graph_module.graph: not a serialized program");
}

/* Returns true for an operator that only to_executorch() puts into a graph: it plans memory, or is
 * an out variant, which writes its result into an argument. */
static bool is_made_by_to_executorch(const char *target) {
  const char *dot = strrchr(target, '.');
  etr_slice overload = etr_slice_of(dot ? dot : "");
  return strncmp(target, "memory.", 7) == 0 || etr_slice_is(overload, ".out") ||
         etr_slice_ends(overload, ETR_SLICE("_out"));
}

/* Returns whether the graph was changed by to_executorch(). Graphs of lowered modules are not
 * looked at, because it leaves them as they were. */
static bool is_changed(const reader *r) {
  for (size_t i = 0; i < r->nodes.count; i++) {
    const etr_node *node = &r->nodes.data[i];
    bool is_lowered = node->subgraph != ETR_NONE &&
                      r->subgraphs.data[node->subgraph].kind == ETR_SUBGRAPH_LOWERED;
    if (node->kind == ETR_NODE_OP && !is_lowered && is_made_by_to_executorch(node->target))
      return true;
  }
  return false;
}

/* A graph with any Edge operator is of the Edge dialect, another one with any ATen operator is of
 * the ATen dialect, and one without either has "". *out is set on success only. */
etr_status etr_program_read(etr_graph *out, etr_map *strings, etr_json *json,
                            etr_program_scope scope, etr_budget *budget) {
  reader r = {
      .arena = strings->arena,
      .strings = strings,
      .json = json,
      .budget = budget,
      .schema_version = "",
  };
  etr_map_init(&r.derived_names, &r.scratch);
  etr_tensor_metas_init(&r.metas, strings, &r.scratch);
  etr_arguments_init(&r.arguments, strings, &r.scratch);
  if (node_metadata_init(&r.metadata, strings, &r.scratch, scope))
    read_program(&r, ETR_NONE);
  etr_json_end(json);
  bool out_of_memory = etr_arena_failed(&r.scratch) || etr_arena_failed(r.arena) ||
                       etr_json_out_of_memory(json);
  etr_arena_clear(&r.scratch);
  if (out_of_memory)
    return ETR_ERROR_MEMORY;
  if (etr_json_failed(json))
    return ETR_ERROR_FORMAT;
  const char *dialect = r.has_aten_ops ? "aten" : "";
  *out = (etr_graph){
      .dialect = r.has_edge_ops ? "edge" : dialect,
      .schema_version = r.schema_version,
      .nodes = r.nodes.data,
      .node_count = r.nodes.count,
      .modules = r.metadata.modules.list.data,
      .module_count = r.metadata.modules.list.count,
      .subgraphs = r.subgraphs.data,
      .subgraph_count = r.subgraphs.count,
      .profile_method = ETR_NONE,
      .ranges = r.ranges.data,
      .range_count = r.ranges.count,
      .mutation_count = r.mutation_count,
      .is_changed = is_changed(&r),
  };
  if (scope.regions) {
    scope.regions->nodes = r.nodes.data;
    scope.regions->modules = r.metadata.modules;
  }
  return ETR_OK;
}
