/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_graphs.c - writes the graphs of a method, as they are drawn: operators, inputs and
 * outputs without weights, how data flows between them, which bodies an operator has, and which
 * operators of the method's Edge graph are behind a node of another graph.
 */
#include "output/label.h"
#include "report/profile_doc.h"
#include "tables/node_fields.h"

/* A type of values, "f32[1,8]". */
typedef struct graph_type {
  const char *text;
  double bytes; /* NAN: unknown */
} graph_type;

/* A node that is drawn. */
typedef struct drawn_node {
  const char *name, *op; /* NULL for an operator of the method's graph, whose columns have them */
  const char *kind, *jump;
  uint32_t module, subgraph, type;
  size_t input_count, weights, counterparts;
  int32_t delegate;
  double total;   /* time in ticks, where it is not that of its operators; else NAN */
  double typical; /* the same in the typical run */
} drawn_node;

typedef struct graphs_writer {
  etr_profile_doc *doc;
  const etr_profile_operators *ops;
  etr_map type_of; /* text -> index in types */
  etr_vec(graph_type) types;
} graphs_writer;

/* A graph that is drawn. */
typedef struct drawn_graph {
  const etr_graph *graph;
  bool has_operators;  /* it is the graph whose operators the method has */
  uint32_t *row_of;    /* per node: index among the drawn nodes; ETR_NONE: it is a weight */
  uint32_t *module_of; /* per module: index among the modules of the method's graph; NULL: not all
                          of them are there */
  drawn_node *rows;
  size_t count;
  uint32_t *first_value; /* per node: number of its first output among the outputs of all nodes */
  uint32_t *last_reader_of;       /* per output: the last row that reads it, plus 1 */
  etr_vec(int64_t) inputs;        /* distances back to the producers */
  etr_vec(uint32_t) outputs;      /* per input: which output of the producer */
  etr_vec(uint32_t) counterparts; /* operators, in the order of the rows */
} drawn_graph;

/* ---- Nodes ---- */

static const char *kind_of(const etr_node *node) {
  bool is_parameter = node->kind == ETR_NODE_INPUT && node->subgraph != ETR_NONE;
  return is_parameter ? "body_parameter" : etr_node_kind_name(node->kind);
}

/* Returns the index, among the types of the document, of the shapes and dtypes of a node's outputs,
 * which are added with their bytes if they are new. Returns ETR_NONE if nothing is known of them,
 * or when out of memory. */
static uint32_t number_node_type(graphs_writer *d, const etr_node *node) {
  etr_text *text = &d->doc->joined;
  uint64_t value_bytes = 0, total_bytes = 0;
  bool has_all_bytes = true;
  text->size = 0;
  if (!etr_node_append_output_shapes(text, node) || text->size == 0)
    return ETR_NONE;
  etr_map_slot *slot = etr_map_at(&d->type_of, (etr_slice){text->data, text->size});
  text->size = 0;
  if (!slot || slot->value != ETR_NONE)
    return slot ? slot->value : ETR_NONE;
  graph_type *added = etr_vec_push(&d->doc->arena, &d->types);
  if (!added)
    return ETR_NONE;
  slot->value = (uint32_t)(d->types.count - 1);
  for (size_t i = 0; i < node->output_count; i++) {
    has_all_bytes = has_all_bytes && etr_value_bytes(&node->outputs[i], &value_bytes);
    total_bytes = etr_add_up_to_most(total_bytes, value_bytes);
  }
  *added = (graph_type){etr_arena_copy(&d->doc->arena, (etr_slice){slot->key, slot->size}),
                        has_all_bytes ? (double)total_bytes : NAN};
  return slot->value;
}

/* Returns the index of the input of a body's owner that a parameter of the body stands for;
 * ETR_NONE if it is unknown. A body's operands come last among the inputs of its owner; a
 * delegate's parameters are all inputs of its call. */
static size_t parameter_operand(const etr_graph *graph, const etr_subgraph *body, size_t parameter,
                                size_t parameter_count) {
  const etr_node *owner = &graph->nodes[body->owner];
  size_t other_count = owner->input_count - parameter_count;
  bool is_known = owner->input_count >= parameter_count &&
                  (other_count == 0 || body->kind == ETR_SUBGRAPH_BODY);
  return is_known ? other_count + parameter : ETR_NONE;
}

/* Adds the edge from a value to a node that reads it, unless the node has it already or reads its
 * own output. Nodes come in order, so the last reader of a value (its row plus 1; 0: none) tells. A
 * weight is only counted, since weights are not drawn. Returns false when out of memory. */
static bool add_edge(graphs_writer *d, drawn_graph *g, uint32_t node, etr_edge edge) {
  uint32_t row_index = g->row_of[node];
  drawn_node *reader_row = &g->rows[row_index];
  if (edge.node == ETR_NONE || edge.node == node)
    return true;
  uint32_t *last_reader = &g->last_reader_of[g->first_value[edge.node] + edge.output];
  if (*last_reader == row_index + 1)
    return true;
  *last_reader = row_index + 1;
  if (g->row_of[edge.node] == ETR_NONE) {
    reader_row->weights += etr_node_is_weight(&g->graph->nodes[edge.node]);
    return true;
  }
  int64_t distance = (int64_t)row_index - (int64_t)g->row_of[edge.node];
  int64_t *input = etr_vec_push(&d->doc->arena, &g->inputs);
  uint32_t *output = etr_vec_push(&d->doc->arena, &g->outputs);
  if (etr_arena_failed(&d->doc->arena))
    return false;
  *input = distance;
  *output = edge.output;
  reader_row->input_count++;
  return true;
}

/* Adds to a parameter of a nested graph the edges from the values of its operand: one value, or
 * several if the operand is a list. operand: index among the owner's inputs; ETR_NONE adds nothing.
 * Returns false when out of memory. */
static bool add_operand_edges(graphs_writer *d, drawn_graph *g, uint32_t index,
                              const etr_node *owner, size_t operand) {
  if (operand == ETR_NONE)
    return true;
  bool is_good = add_edge(d, g, index, owner->inputs[operand]);
  for (size_t i = 0; is_good && i < owner->other_input_count; i++)
    if (owner->other_places[i] == operand)
      is_good = add_edge(d, g, index, owner->inputs[owner->input_count + i]);
  return is_good;
}

/* Adds the edges of a node: those of its inputs, or for a parameter of a nested graph those of the
 * operand that its owner passes. seen_counts and parameter_counts: per nested graph, how many of
 * its parameters were seen, and how many it has. Returns false when out of memory. */
static bool add_edges(graphs_writer *d, drawn_graph *g, uint32_t index, size_t *seen_counts,
                      const size_t *parameter_counts) {
  const etr_node *node = &g->graph->nodes[index];
  bool is_good = true;
  if (node->kind == ETR_NODE_INPUT && node->subgraph != ETR_NONE) {
    const etr_subgraph *body = &g->graph->subgraphs[node->subgraph];
    size_t operand = parameter_operand(g->graph, body, seen_counts[node->subgraph]++,
                                       parameter_counts[node->subgraph]);
    return add_operand_edges(d, g, index, &g->graph->nodes[body->owner], operand);
  }
  size_t input_count = node->input_count + node->other_input_count;
  for (size_t i = 0; is_good && i < input_count; i++)
    is_good = add_edge(d, g, index, node->inputs[i]);
  return is_good;
}

/* Numbers the outputs of all nodes, and makes room for the last reader of each output, by which
 * add_edge() finds that a node reads a value twice. Returns false when out of memory. */
static bool number_values(graphs_writer *d, drawn_graph *g) {
  uint32_t count = 0;
  g->first_value = etr_arena_alloc_array(&d->doc->arena, g->graph->node_count,
                                         sizeof *g->first_value);
  for (size_t i = 0; g->first_value && i < g->graph->node_count; i++) {
    g->first_value[i] = count;
    count += (uint32_t)g->graph->nodes[i].output_count;
  }
  g->last_reader_of = etr_arena_alloc_array(&d->doc->arena, count, sizeof *g->last_reader_of);
  return g->first_value && g->last_reader_of;
}

/* Lists the edges of all nodes that are drawn. Returns false when out of memory. */
static bool list_edges(graphs_writer *d, drawn_graph *g) {
  const etr_graph *graph = g->graph;
  size_t *seen_counts = etr_arena_alloc_array(&d->doc->arena, graph->subgraph_count,
                                              sizeof *seen_counts);
  size_t *parameter_counts = etr_arena_alloc_array(&d->doc->arena, graph->subgraph_count,
                                                   sizeof *parameter_counts);
  bool is_good = seen_counts && parameter_counts && number_values(d, g);
  for (size_t i = 0; is_good && i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_INPUT && graph->nodes[i].subgraph != ETR_NONE)
      parameter_counts[graph->nodes[i].subgraph]++;
  for (uint32_t i = 0; is_good && i < graph->node_count; i++)
    if (g->row_of[i] != ETR_NONE)
      is_good = add_edges(d, g, i, seen_counts, parameter_counts);
  return is_good;
}

/* Returns per module of a graph its index among the modules of the method's graph, by path, so that
 * the document lists them once. Returns NULL if one is not there, or when out of memory. */
static uint32_t *match_modules(graphs_writer *d, const etr_graph *graph) {
  const etr_graph *method_graph = d->ops->graph;
  uint32_t *matches = etr_arena_alloc_array(&d->doc->arena, graph->module_count, sizeof *matches);
  etr_map by_path;
  etr_map_init(&by_path, &d->doc->arena);
  for (size_t i = method_graph->module_count; i-- > 0;) /* the first of a path counts */
    (void)etr_map_set(&by_path, etr_slice_of(method_graph->modules[i].path), (uint32_t)i);
  for (size_t i = 0; matches && i < graph->module_count; i++) {
    matches[i] = etr_map_get(&by_path, etr_slice_of(graph->modules[i].path));
    if (matches[i] == ETR_NONE)
      return NULL;
  }
  return matches;
}

static uint32_t module_of(const drawn_graph *g, const etr_node *node) {
  return g->module_of ? g->module_of[node->module] : node->module;
}

/* Makes the row of a node. What the columns of the operators say already is left out for the graph
 * that has them. The times (NAN) are those of the operators behind the node, unless set_own_times()
 * sets them. */
static drawn_node make_row(graphs_writer *d, const drawn_graph *g, uint32_t index) {
  const etr_node *node = &g->graph->nodes[index];
  const etr_node_time *time = g->graph->times ? &g->graph->times[index] : NULL;
  bool is_operator = g->has_operators && node->kind == ETR_NODE_OP;
  return (drawn_node){.name = is_operator ? NULL : node->name,
                      .op = is_operator || node->kind != ETR_NODE_OP ? NULL : node->target,
                      .kind = kind_of(node),
                      .jump = etr_label_jump(&d->doc->arena, node, ", "),
                      .module = is_operator ? ETR_NONE : module_of(g, node),
                      .subgraph = node->subgraph,
                      .type = number_node_type(d, node),
                      .total = NAN,
                      .typical = NAN,
                      .delegate = is_operator || !time ? -1 : time->delegate_instruction};
}

/* Lists the rows of all nodes but weights, and the edges between them. Returns false when out of
 * memory. */
static bool list_drawn_nodes(graphs_writer *d, drawn_graph *g) {
  size_t count = g->graph->node_count;
  g->row_of = etr_arena_alloc_array(&d->doc->arena, count, sizeof *g->row_of);
  g->rows = etr_arena_alloc_array(&d->doc->arena, count, sizeof *g->rows);
  if (!g->has_operators)
    g->module_of = match_modules(d, g->graph);
  for (uint32_t i = 0; g->row_of && g->rows && i < count; i++) {
    bool is_weight = g->graph->nodes[i].kind >= ETR_NODE_PARAMETER;
    g->row_of[i] = is_weight ? ETR_NONE : (uint32_t)g->count;
    if (!is_weight)
      g->rows[g->count++] = make_row(d, g, i);
  }
  return g->row_of && g->rows && list_edges(d, g);
}

/* ---- The operators behind the nodes of another graph ---- */

/* Adds an operator to those behind the node of a row. All counterparts are one list, so the rows
 * must come in ascending order. Returns false when out of memory. */
static bool add_counterpart(graphs_writer *d, drawn_graph *g, uint32_t row_index,
                            uint32_t operator) {
  uint32_t *added = etr_vec_push(&d->doc->arena, &g->counterparts);
  if (added)
    *added = operator;
  g->rows[row_index].counterparts += added != NULL;
  return added != NULL;
}

/* Adds to each node of the ATen graph the operators of the method's graph that were made from it.
 * First chains the operators of each row, because add_counterpart() needs them row by row. Returns
 * false when out of memory. */
static bool add_aten_counterparts(graphs_writer *d, drawn_graph *g) {
  const etr_profile_operators *ops = d->ops;
  uint32_t *aten_of = etr_arena_alloc_array(&d->doc->arena, ops->graph->node_count,
                                            sizeof *aten_of);
  uint32_t *first_operator = etr_arena_alloc_array(&d->doc->arena, g->count,
                                                   sizeof *first_operator);
  uint32_t *next_operator = etr_arena_alloc_array(&d->doc->arena, ops->count,
                                                  sizeof *next_operator);
  if (!aten_of || !first_operator || !next_operator ||
      !etr_find_aten_nodes(aten_of, ops->graph, g->graph))
    return false;
  for (size_t row = 0; row < g->count; row++)
    first_operator[row] = ETR_NONE;
  for (size_t i = ops->count; i-- > 0;) {
    uint32_t aten_node = aten_of[ops->nodes[i]];
    uint32_t row = aten_node == ETR_NONE ? ETR_NONE : g->row_of[aten_node];
    if (row == ETR_NONE)
      continue;
    next_operator[i] = first_operator[row];
    first_operator[row] = (uint32_t)i;
  }
  bool is_good = true;
  for (uint32_t row = 0; is_good && row < g->count; row++)
    for (uint32_t i = first_operator[row]; is_good && i != ETR_NONE; i = next_operator[i])
      is_good = add_counterpart(d, g, row, i);
  return is_good;
}

/* The operators by name. */
typedef struct operator_names {
  etr_map first;  /* name -> the first operator */
  uint32_t *next; /* per operator: the next one of this name; ETR_NONE: there is none */
} operator_names;

/* Indexes the operators of the method's graph by the names of their nodes. Those of equal name, as
 * in two nested graphs, are chained in ascending order. Returns false when out of memory. */
static bool index_operators(const graphs_writer *d, operator_names *names) {
  etr_map_init(&names->first, &d->doc->arena);
  names->next = etr_arena_alloc_array(&d->doc->arena, d->ops->count, sizeof *names->next);
  for (uint32_t i = (uint32_t)d->ops->count; names->next && i-- > 0;) {
    etr_map_slot *slot = etr_map_at(&names->first,
                                    etr_slice_of(d->ops->graph->nodes[d->ops->nodes[i]].name));
    if (!slot)
      return false;
    names->next[i] = slot->value;
    slot->value = i;
  }
  return names->next != NULL;
}

/* Returns the operator of this name that a program's node runs; ETR_NONE if none, or not exactly
 * one, fits. Where nested graphs have operators of one name, the debug handle of the node decides,
 * if it runs just one operator. */
static uint32_t find_operator(const graphs_writer *d, const operator_names *names,
                              const etr_node *node, const char *name) {
  uint32_t first_named = etr_map_get(&names->first, etr_slice_of(name)), found = ETR_NONE;
  if (first_named == ETR_NONE || names->next[first_named] == ETR_NONE)
    return first_named;
  if (node->edge_node_count != 1 || node->debug_handle == 0)
    return ETR_NONE;
  for (uint32_t i = first_named; i != ETR_NONE; i = names->next[i]) {
    if (d->ops->graph->nodes[d->ops->nodes[i]].debug_handle != node->debug_handle)
      continue;
    if (found != ETR_NONE)
      return ETR_NONE;
    found = i;
  }
  return found;
}

/* The operators that others carry: lists by their carriers. */
typedef struct fused_lists {
  uint32_t *first, *next; /* per operator; ETR_NONE: the end */
} fused_lists;

/* Chains to each operator the operators that are fused into it. Returns false when out of memory.
 * */
static bool list_fused(const graphs_writer *d, fused_lists *lists) {
  const etr_profile_operators *ops = d->ops;
  lists->first = etr_arena_alloc_array(&d->doc->arena, ops->count, sizeof *lists->first);
  lists->next = etr_arena_alloc_array(&d->doc->arena, ops->count, sizeof *lists->next);
  if (etr_arena_failed(&d->doc->arena))
    return false;
  for (size_t i = 0; i < ops->count; i++)
    lists->first[i] = lists->next[i] = ETR_NONE;
  for (uint32_t i = (uint32_t)ops->count; ops->graph->times && i-- > 0;) {
    uint32_t fusing_node = ops->graph->times[ops->nodes[i]].carried_by;
    uint32_t fusing_operator = fusing_node == ETR_NONE ? ETR_NONE : ops->row_of[fusing_node];
    if (fusing_operator == ETR_NONE || fusing_operator == i)
      continue;
    lists->next[i] = lists->first[fusing_operator];
    lists->first[fusing_operator] = i;
  }
  return true;
}

/* Adds to each instruction of a program the operators that it runs. One inside a delegate also runs
 * what is fused into its operator; a call of a delegate names all of its operators itself. Returns
 * false when out of memory. */
static bool add_program_counterparts(graphs_writer *d, drawn_graph *g) {
  operator_names names;
  fused_lists fused;
  bool is_good = index_operators(d, &names) && list_fused(d, &fused);
  for (size_t i = 0; is_good && i < g->graph->node_count; i++) {
    const etr_node *node = &g->graph->nodes[i];
    for (size_t name_index = 0;
         is_good && g->row_of[i] != ETR_NONE && name_index < node->edge_node_count; name_index++) {
      uint32_t operator = find_operator(d, &names, node, node->edge_nodes[name_index]);
      if (operator == ETR_NONE)
        continue;
      is_good = add_counterpart(d, g, g->row_of[i], operator);
      uint32_t fused_operator = node->subgraph != ETR_NONE ? fused.first[operator] : ETR_NONE;
      for (; is_good && fused_operator != ETR_NONE; fused_operator = fused.next[fused_operator])
        is_good = add_counterpart(d, g, g->row_of[i], fused_operator);
    }
  }
  return is_good;
}

static bool is_dialect(const etr_graph *graph, const char *dialect) {
  return strcmp(graph->dialect, dialect) == 0;
}

/* Finds for each node of another graph the operators of the method's graph behind it, whose times
 * it shows. Does so only if the method's graph is an Edge program, also one that to_executorch()
 * changed, whose operators are no longer those of the Edge dialect. Returns false when out of
 * memory. */
static bool find_counterparts(graphs_writer *d, drawn_graph *g) {
  bool is_edge = is_dialect(d->ops->graph, "edge") || d->ops->graph->is_changed;
  if (g->has_operators || !is_edge)
    return true;
  return is_dialect(g->graph, "program") ? add_program_counterparts(d, g)
                                         : add_aten_counterparts(d, g);
}

/* Sets the time of each drawn node whose own time is not the sum of the operators behind it, such
 * as that of a node which a delegate inserted. Without a time in its row, the page shows that sum.
 * Times are in ticks. */
static void set_own_times(const graphs_writer *d, const drawn_graph *g) {
  const etr_node_time *operator_times = d->ops->graph->times;
  size_t next_counterpart = 0; /* in the counterparts */
  for (size_t i = 0; i < g->graph->node_count; i++) {
    if (g->row_of[i] == ETR_NONE)
      continue;
    drawn_node *row = &g->rows[g->row_of[i]];
    uint64_t counterpart_ticks = 0;
    for (size_t end = next_counterpart + row->counterparts; next_counterpart < end;
         next_counterpart++)
      counterpart_ticks +=
          operator_times
              ? operator_times[d->ops->nodes[g->counterparts.data[next_counterpart]]].total_ticks
              : 0;
    const etr_node_time *time = g->graph->times ? &g->graph->times[i] : NULL;
    if (time && time->runs > 0 && time->total_ticks != counterpart_ticks) {
      row->total = (double)time->total_ticks;
      row->typical = time->typical;
    }
  }
}

/* ---- Writing ---- */

#define DRAWN(kind, member) NULL, kind, ETR_IN_DOCUMENT, ETR_AT(drawn_node, member)

static const etr_field node_fields[] = {
    {"name", DRAWN(ETR_CELL_ITEM, name), .type = "text"},
    {"op", DRAWN(ETR_CELL_WORD, op), .says = ETR_SAYS("target")},
    {"kind", DRAWN(ETR_CELL_WORD, kind),
     .says = ETR_SAYS(
         "op, input, output, or body_parameter: an input of a nested graph, whose edge comes "
         "from the operand that "
         "it stands for")},
    {"jump", DRAWN(ETR_CELL_WORD, jump),
     .says = ETR_SAYS("of a jump of a program: when it jumps, and where to")},
    {"module", DRAWN(ETR_CELL_COUNT, module),
     .says = ETR_SAYS("index into the modules of this graph, or else of `graph`")},
    {"inputs", DRAWN(ETR_CELL_COUNT, input_count),
     .says = ETR_SAYS("number of values that it reads, without weights")},
    {"weights", DRAWN(ETR_CELL_COUNT, weights),
     .says = ETR_SAYS("number of weights and constants that it reads")},
    {"type", DRAWN(ETR_CELL_COUNT, type), .says = ETR_SAYS("of its outputs: index into types")},
    {"subgraph", DRAWN(ETR_CELL_COUNT, subgraph), .says = ETR_SAYS("index into subgraphs")},
    {"delegate", DRAWN(ETR_CELL_COUNT, delegate),
     .says = ETR_SAYS("instruction of the delegate's call")},
    {"counterparts", DRAWN(ETR_CELL_COUNT, counterparts),
     .says = ETR_SAYS("number of operators behind it")},
    {"total", DRAWN(ETR_CELL_TIME, total),
     .says = ETR_SAYS("over all runs, if it is not that of the operators behind it")},
    {"typical", DRAWN(ETR_CELL_TIME, typical),
     .says = ETR_SAYS("in the typical run, where total is known")},
};
ETR_ROW_TYPE(graph_node, node_fields);

static const etr_field type_fields[] = {
    {"text", NULL, ETR_CELL_ITEM, ETR_IN_DOCUMENT, ETR_AT(graph_type, text),
     .says = ETR_SAYS("\"f32[1,8], i64[1]\""), .type = "text"},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(graph_type, bytes),
     .says = ETR_SAYS("of all outputs")},
};
ETR_ROW_TYPE(graph_type, type_fields);

typedef struct drawn_subgraph {
  const etr_subgraph *subgraph;
  const char *role;
  uint32_t owner;
} drawn_subgraph;

#define SUBGRAPH(kind, member)                                                                     \
  NULL, kind, ETR_IN_DOCUMENT, ETR_VIA(drawn_subgraph, subgraph, etr_subgraph, member)

static const etr_field subgraph_fields[] = {
    {"path", SUBGRAPH(ETR_CELL_ITEM, path),
     .says = ETR_SAYS("names from the outermost nested graph inwards"), .type = "text"},
    {"role", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, ETR_AT(drawn_subgraph, role),
     .says = ETR_SAYS(
         "what it is to its owner: true, false, cond, body; delegate: the operators of a "
         "delegate's call")},
    {"parent", SUBGRAPH(ETR_CELL_COUNT, parent),
     .says = ETR_SAYS("index of the nested graph around it")},
    {"owner", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(drawn_subgraph, owner),
     .says = ETR_SAYS("index of its node")},
};
ETR_ROW_TYPE(graph_subgraph, subgraph_fields);

/* Returns what a subgraph is to the operator that owns it: "delegate"; for one of torch's known
 * control-flow operators the word for its first or second body, such as "true"; or else "body". */
static const char *body_role(const etr_graph *graph, const etr_subgraph *subgraph,
                             size_t body_index) {
  static const struct {
    const char *target, *roles[2];
  } known_operators[] = {{"higher_order.cond", {"true", "false"}},
                         {"higher_order.while_loop", {"cond", "body"}}};
  if (subgraph->kind == ETR_SUBGRAPH_LOWERED)
    return "delegate";
  for (size_t i = 0; i < ETR_COUNT(known_operators); i++)
    if (strcmp(graph->nodes[subgraph->owner].target, known_operators[i].target) == 0 &&
        body_index < 2)
      return known_operators[i].roles[body_index];
  return "body";
}

/* Writes the subgraphs, each with its role and the row of its owner. Returns false when out of
 * memory. */
static bool put_subgraphs(graphs_writer *d, const drawn_graph *g) {
  const etr_graph *graph = g->graph;
  drawn_subgraph *rows = etr_arena_alloc_array(&d->doc->arena, graph->subgraph_count, sizeof *rows);
  size_t *body_counts = etr_arena_alloc_array(&d->doc->arena, graph->node_count,
                                              sizeof *body_counts);
  if (etr_arena_failed(&d->doc->arena))
    return false;
  for (size_t i = 0; i < graph->subgraph_count; i++) {
    const etr_subgraph *subgraph = &graph->subgraphs[i];
    rows[i] = (drawn_subgraph){subgraph, body_role(graph, subgraph, body_counts[subgraph->owner]++),
                               g->row_of[subgraph->owner]};
  }
  etr_profile_put_columns(d->doc, "subgraphs", &etr_graph_subgraph_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, graph->subgraph_count));
  return true;
}

/* Writes the inputs of all nodes as distances back to their producers and, if any input is not the
 * first output of its producer, which output each one is. */
static void put_inputs(const etr_fields *f, const drawn_graph *g) {
  bool has_other_outputs = false;
  etr_field_begin_list(f, "inputs");
  for (size_t i = 0; i < g->inputs.count; i++) {
    etr_jw_int(f->json, g->inputs.data[i]);
    has_other_outputs |= g->outputs.data[i] != 0;
  }
  etr_jw_end(f->json);
  if (!has_other_outputs)
    return;
  etr_field_begin_list(f, "outputs");
  for (size_t i = 0; i < g->outputs.count; i++)
    etr_jw_uint(f->json, g->outputs.data[i]);
  etr_jw_end(f->json);
}

/* Writes the operators behind all nodes as one list, each as the difference to the one before it;
 * nothing if there are none. */
static void put_counterparts(const etr_fields *f, const drawn_graph *g) {
  uint32_t last_operator = 0;
  if (g->counterparts.count == 0)
    return;
  etr_field_begin_list(f, "counterparts");
  for (size_t i = 0; i < g->counterparts.count; i++) {
    etr_jw_int(f->json, (int64_t)g->counterparts.data[i] - last_operator);
    last_operator = g->counterparts.data[i];
  }
  etr_jw_end(f->json);
}

/* Writes a graph: its nodes, their edges, the operators behind them, its subgraphs and, if some are
 * not in the method's graph, its modules. Returns false when out of memory. */
static bool put_graph(graphs_writer *d, const etr_graph *graph) {
  const etr_fields *f = &d->doc->fields;
  drawn_graph g = {.graph = graph, .has_operators = graph == d->ops->graph};
  if (!list_drawn_nodes(d, &g) || !find_counterparts(d, &g))
    return false;
  if (!g.has_operators)
    set_own_times(d, &g);
  etr_jw_object(f->json);
  etr_field_text(f, "module", graph->module);
  etr_field_text(f, "dialect", graph->dialect);
  etr_field_text(f, "entry", graph->entry);
  etr_field_flag(f, "has_operators", g.has_operators);
  etr_profile_put_columns(d->doc, "nodes", &etr_graph_node_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(g.rows, g.count));
  put_inputs(f, &g);
  put_counterparts(f, &g);
  if (!g.has_operators && !g.module_of)
    etr_profile_put_modules(d->doc, graph);
  bool is_good = graph->subgraph_count == 0 || put_subgraphs(d, &g);
  etr_jw_end(f->json);
  return is_good;
}

/* Writes the method's graph of this kind ("aten" or "program"), unless it is the graph that has the
 * method's operators. Returns false when out of memory. */
static bool put_other_graph(graphs_writer *d, const etr_method *method, const char *module) {
  const etr_profile *profile = d->doc->fields.profile;
  bool is_good = true;
  for (size_t i = 0; is_good && i < profile->graph_count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    bool is_wanted = graph != d->ops->graph && graph->node_count > 0 &&
                     strcmp(graph->module, module) == 0;
    if (is_wanted && strcmp(graph->method, method->name) == 0)
      is_good = put_graph(d, graph);
  }
  return is_good;
}

bool etr_profile_put_graphs(etr_profile_doc *doc, const etr_method *method,
                            const etr_profile_operators *ops) {
  graphs_writer d = {.doc = doc, .ops = ops};
  etr_map_init(&d.type_of, &doc->arena);
  etr_jw_object(doc->fields.json);
  etr_field_begin_list(&doc->fields, "list");
  bool good = put_other_graph(&d, method, "aten") && put_graph(&d, ops->graph) &&
              put_other_graph(&d, method, "program");
  etr_jw_end(doc->fields.json);
  etr_profile_put_columns(doc, "types", &etr_graph_type_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(d.types.data, d.types.count));
  etr_jw_end(doc->fields.json);
  return good;
}
