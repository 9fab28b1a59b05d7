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

typedef struct drawing {
  etr_profile_doc *e;
  const etr_profile_operators *ops;
  etr_map type_of; /* text -> index in types */
  etr_vec(graph_type) types;
} drawing;

/* A graph that is drawn. */
typedef struct drawn_graph {
  const etr_graph *graph;
  bool has_operators;  /* it is the graph whose operators the method has */
  uint32_t *row_of;    /* per node: index among the drawn nodes; ETR_NONE: it is a weight */
  uint32_t *module_of; /* per module: index among the modules of the method's graph; NULL: not all
                          of them are there */
  drawn_node *rows;
  size_t count;
  uint32_t *first_value;   /* per node: number of its first output among the outputs of all nodes */
  uint32_t *reader_of;     /* per output: the last row that reads it, plus 1 */
  etr_vec(int64_t) inputs; /* distances back to the producers */
  etr_vec(uint32_t) outputs;      /* per input: which output of the producer */
  etr_vec(uint32_t) counterparts; /* operators, in the order of the rows */
} drawn_graph;

/* ---- Nodes ---- */

static const char *kind_of(const etr_node *node) {
  bool is_parameter = node->kind == ETR_NODE_INPUT && node->subgraph != ETR_NONE;
  return is_parameter ? "body_parameter" : etr_node_kind_name(node->kind);
}

/* Returns the index of the type of a node's outputs; ETR_NONE if none is known. */
static uint32_t type_of(drawing *d, const etr_node *node) {
  etr_text *text = &d->e->joined;
  uint64_t bytes = 0, all = 0;
  bool is_known = true;
  text->size = 0;
  if (!etr_node_add_shapes(text, node) || text->size == 0)
    return ETR_NONE;
  etr_map_slot *slot = etr_map_at(&d->type_of, (etr_slice){text->data, text->size});
  text->size = 0;
  if (!slot || slot->value != ETR_NONE)
    return slot ? slot->value : ETR_NONE;
  graph_type *added = etr_vec_push(&d->e->arena, &d->types);
  if (!added)
    return ETR_NONE;
  slot->value = (uint32_t)(d->types.count - 1);
  for (size_t i = 0; i < node->output_count; i++) {
    is_known = is_known && etr_value_bytes(&node->outputs[i], &bytes);
    all = etr_add_up_to_most(all, bytes);
  }
  *added = (graph_type){etr_arena_copy(&d->e->arena, (etr_slice){slot->key, slot->size}),
                        is_known ? (double)all : NAN};
  return slot->value;
}

/* Returns the index of the input of a body's owner that a parameter stands for; ETR_NONE if it is
 * unknown. The operands of control flow come last among the inputs of its node, and a delegate's
 * inputs are all of its call's. */
static size_t operand_of(const etr_graph *graph, const etr_subgraph *body, size_t index,
                         size_t parameter_count) {
  const etr_node *owner = &graph->nodes[body->owner];
  size_t others = owner->input_count - parameter_count;
  bool is_known = owner->input_count >= parameter_count &&
                  (others == 0 || body->kind == ETR_SUBGRAPH_BODY);
  return is_known ? others + index : ETR_NONE;
}

/* Notes that a node reads a value, once. Weights are only counted. */
static bool add_edge(drawing *d, drawn_graph *g, uint32_t node, etr_edge edge) {
  uint32_t row_index = g->row_of[node];
  drawn_node *row = &g->rows[row_index];
  if (edge.node == ETR_NONE || edge.node == node)
    return true;
  uint32_t *reader = &g->reader_of[g->first_value[edge.node] + edge.output];
  if (*reader == row_index + 1)
    return true;
  *reader = row_index + 1;
  if (g->row_of[edge.node] == ETR_NONE) {
    row->weights++;
    return true;
  }
  int64_t distance = (int64_t)row_index - (int64_t)g->row_of[edge.node];
  int64_t *input = etr_vec_push(&d->e->arena, &g->inputs);
  uint32_t *output = etr_vec_push(&d->e->arena, &g->outputs);
  if (etr_arena_failed(&d->e->arena))
    return false;
  *input = distance;
  *output = edge.output;
  row->input_count++;
  return true;
}

/* Adds the edges of a parameter of a body: those of its operand. */
static bool add_operand_edges(drawing *d, drawn_graph *g, uint32_t index, const etr_node *owner,
                              size_t operand) {
  if (operand == ETR_NONE)
    return true;
  bool good = add_edge(d, g, index, owner->inputs[operand]);
  for (size_t i = 0; good && i < owner->other_input_count; i++)
    if (owner->other_places[i] == operand)
      good = add_edge(d, g, index, owner->inputs[owner->input_count + i]);
  return good;
}

/* Adds the edges of a node. place_of: per subgraph, how many of its parameters were seen; counts:
 * how many it has. */
static bool add_edges(drawing *d, drawn_graph *g, uint32_t index, size_t *place_of,
                      const size_t *counts) {
  const etr_node *node = &g->graph->nodes[index];
  bool good = true;
  if (node->kind == ETR_NODE_INPUT && node->subgraph != ETR_NONE) {
    const etr_subgraph *body = &g->graph->subgraphs[node->subgraph];
    size_t operand = operand_of(g->graph, body, place_of[node->subgraph]++, counts[node->subgraph]);
    return add_operand_edges(d, g, index, &g->graph->nodes[body->owner], operand);
  }
  size_t inputs = node->input_count + node->other_input_count;
  for (size_t i = 0; good && i < inputs; i++)
    good = add_edge(d, g, index, node->inputs[i]);
  return good;
}

/* Numbers the outputs of all nodes. */
static bool number_values(drawing *d, drawn_graph *g) {
  uint32_t count = 0;
  g->first_value = etr_arena_alloc_array(&d->e->arena, g->graph->node_count,
                                         sizeof *g->first_value);
  for (size_t i = 0; g->first_value && i < g->graph->node_count; i++) {
    g->first_value[i] = count;
    count += (uint32_t)g->graph->nodes[i].output_count;
  }
  g->reader_of = etr_arena_alloc_array(&d->e->arena, count, sizeof *g->reader_of);
  return g->first_value && g->reader_of;
}

/* Lists the edges of all nodes that are drawn. */
static bool list_edges(drawing *d, drawn_graph *g) {
  const etr_graph *graph = g->graph;
  size_t *places = etr_arena_alloc_array(&d->e->arena, graph->subgraph_count, sizeof *places);
  size_t *counts = etr_arena_alloc_array(&d->e->arena, graph->subgraph_count, sizeof *counts);
  bool good = places && counts && number_values(d, g);
  for (size_t i = 0; good && i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_INPUT && graph->nodes[i].subgraph != ETR_NONE)
      counts[graph->nodes[i].subgraph]++;
  for (uint32_t i = 0; good && i < graph->node_count; i++)
    if (g->row_of[i] != ETR_NONE)
      good = add_edges(d, g, i, places, counts);
  return good;
}

/* Finds the modules of a graph among those of the method's graph. Returns NULL if one is not there.
 */
static uint32_t *match_modules(drawing *d, const etr_graph *graph) {
  const etr_graph *known = d->ops->graph;
  uint32_t *found = etr_arena_alloc_array(&d->e->arena, graph->module_count, sizeof *found);
  etr_map by_path;
  etr_map_init(&by_path, &d->e->arena);
  for (size_t i = known->module_count; i-- > 0;) /* the first of a path counts */
    (void)etr_map_set(&by_path, etr_slice_of(known->modules[i].path), (uint32_t)i);
  for (size_t i = 0; found && i < graph->module_count; i++) {
    found[i] = etr_map_get(&by_path, etr_slice_of(graph->modules[i].path));
    if (found[i] == ETR_NONE)
      return NULL;
  }
  return found;
}

static uint32_t module_of(const drawn_graph *g, const etr_node *node) {
  return g->module_of ? g->module_of[node->module] : node->module;
}

/* Makes the row of a node; what is known from the operators' columns is left out. */
static drawn_node row_of_node(drawing *d, const drawn_graph *g, uint32_t index) {
  const etr_node *node = &g->graph->nodes[index];
  const etr_node_time *time = g->graph->times ? &g->graph->times[index] : NULL;
  bool is_operator = g->has_operators && node->kind == ETR_NODE_OP;
  return (drawn_node){.name = is_operator ? NULL : node->name,
                      .op = is_operator || node->kind != ETR_NODE_OP ? NULL : node->target,
                      .kind = kind_of(node),
                      .jump = etr_label_jump(&d->e->arena, node, ", "),
                      .module = is_operator ? ETR_NONE : module_of(g, node),
                      .subgraph = node->subgraph,
                      .type = type_of(d, node),
                      .total = NAN,
                      .typical = NAN,
                      .delegate = is_operator || !time ? -1 : time->delegate_instruction};
}

/* Lists the nodes that are drawn: all but weights. */
static bool list_nodes(drawing *d, drawn_graph *g) {
  size_t count = g->graph->node_count;
  g->row_of = etr_arena_alloc_array(&d->e->arena, count, sizeof *g->row_of);
  g->rows = etr_arena_alloc_array(&d->e->arena, count, sizeof *g->rows);
  if (!g->has_operators)
    g->module_of = match_modules(d, g->graph);
  for (uint32_t i = 0; g->row_of && g->rows && i < count; i++) {
    g->row_of[i] = g->graph->nodes[i].kind >= ETR_NODE_PARAMETER ? ETR_NONE : (uint32_t)g->count;
    if (g->row_of[i] != ETR_NONE)
      g->rows[g->count++] = row_of_node(d, g, i);
  }
  return g->row_of && g->rows && list_edges(d, g);
}

/* ---- The operators behind the nodes of another graph ---- */

static bool add_counterpart(drawing *d, drawn_graph *g, uint32_t row, uint32_t operator) {
  uint32_t *added = etr_vec_push(&d->e->arena, &g->counterparts);
  if (added)
    *added = operator;
  g->rows[row].counterparts += added != NULL;
  return added != NULL;
}

/* Adds the operators of each ATen node. */
static bool pair_aten(drawing *d, drawn_graph *g) {
  const etr_profile_operators *ops = d->ops;
  uint32_t *aten_of = etr_arena_alloc_array(&d->e->arena, ops->graph->node_count, sizeof *aten_of);
  uint32_t *first = etr_arena_alloc_array(&d->e->arena, g->count, sizeof *first);
  uint32_t *next = etr_arena_alloc_array(&d->e->arena, ops->count, sizeof *next);
  if (!aten_of || !first || !next || !etr_find_aten_nodes(aten_of, ops->graph, g->graph))
    return false;
  for (size_t row = 0; row < g->count; row++)
    first[row] = ETR_NONE;
  for (size_t i = ops->count; i-- > 0;) {
    uint32_t aten = aten_of[ops->nodes[i]], row = aten == ETR_NONE ? ETR_NONE : g->row_of[aten];
    if (row == ETR_NONE)
      continue;
    next[i] = first[row];
    first[row] = (uint32_t)i;
  }
  bool good = true;
  for (uint32_t row = 0; good && row < g->count; row++)
    for (uint32_t i = first[row]; good && i != ETR_NONE; i = next[i])
      good = add_counterpart(d, g, row, i);
  return good;
}

/* The operators by name. */
typedef struct operator_names {
  etr_map first;  /* name -> the first operator */
  uint32_t *next; /* per operator: the next one of this name; ETR_NONE: there is none */
} operator_names;

/* Indexes the rows of operators by name; operators of equal name are chained. */
static bool index_operators(const drawing *d, operator_names *names) {
  etr_map_init(&names->first, &d->e->arena);
  names->next = etr_arena_alloc_array(&d->e->arena, d->ops->count, sizeof *names->next);
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

/* Returns the operator of this name that a node of a program runs; ETR_NONE if it is unknown.
 * Nested graphs may have nodes of one name: the debug handle says which one it is, if the node runs
 * one. */
static uint32_t find_operator(const drawing *d, const operator_names *names, const etr_node *node,
                              const char *name) {
  uint32_t first = etr_map_get(&names->first, etr_slice_of(name)), found = ETR_NONE;
  if (first == ETR_NONE || names->next[first] == ETR_NONE)
    return first;
  if (node->edge_node_count != 1 || node->debug_handle == 0)
    return ETR_NONE;
  for (uint32_t i = first; i != ETR_NONE; i = names->next[i]) {
    if (d->ops->graph->nodes[d->ops->nodes[i]].debug_handle != node->debug_handle)
      continue;
    if (found != ETR_NONE)
      return ETR_NONE;
    found = i;
  }
  return found;
}

/* The operators that others carry: lists by their carriers. */
typedef struct carried_lists {
  uint32_t *first, *next; /* per operator; ETR_NONE: the end */
} carried_lists;

/* Chains to each operator those that are fused into it. */
static bool list_carried(const drawing *d, carried_lists *lists) {
  const etr_profile_operators *ops = d->ops;
  lists->first = etr_arena_alloc_array(&d->e->arena, ops->count, sizeof *lists->first);
  lists->next = etr_arena_alloc_array(&d->e->arena, ops->count, sizeof *lists->next);
  if (etr_arena_failed(&d->e->arena))
    return false;
  for (size_t i = 0; i < ops->count; i++)
    lists->first[i] = lists->next[i] = ETR_NONE;
  for (uint32_t i = (uint32_t)ops->count; ops->graph->times && i-- > 0;) {
    uint32_t carrier = ops->graph->times[ops->nodes[i]].carried_by,
             row = carrier == ETR_NONE ? ETR_NONE : ops->row_of[carrier];
    if (row == ETR_NONE || row == i)
      continue;
    lists->next[i] = lists->first[row];
    lists->first[row] = i;
  }
  return true;
}

/* Adds the operators that each instruction of a program runs. An operator in a delegate also runs
 * what its operator carries; a call names all. */
static bool pair_program(drawing *d, drawn_graph *g) {
  operator_names names;
  carried_lists carried;
  bool good = index_operators(d, &names) && list_carried(d, &carried);
  for (size_t i = 0; good && i < g->graph->node_count; i++) {
    const etr_node *node = &g->graph->nodes[i];
    for (size_t k = 0; good && g->row_of[i] != ETR_NONE && k < node->edge_node_count; k++) {
      uint32_t found = find_operator(d, &names, node, node->edge_nodes[k]);
      if (found == ETR_NONE)
        continue;
      good = add_counterpart(d, g, g->row_of[i], found);
      uint32_t next = node->subgraph != ETR_NONE ? carried.first[found] : ETR_NONE;
      for (; good && next != ETR_NONE; next = carried.next[next])
        good = add_counterpart(d, g, g->row_of[i], next);
    }
  }
  return good;
}

static bool is_dialect(const etr_graph *graph, const char *dialect) {
  return strcmp(graph->dialect, dialect) == 0;
}

/* Pairs the nodes of a graph with the operators of the Edge program, also of one that
 * to_executorch() changed, whose operators are no longer those of the Edge dialect. */
static bool pair(drawing *d, drawn_graph *g) {
  bool is_edge = is_dialect(d->ops->graph, "edge") || d->ops->graph->is_changed;
  if (g->has_operators || !is_edge)
    return true;
  return is_dialect(g->graph, "program") ? pair_program(d, g) : pair_aten(d, g);
}

/* Sets the time of nodes that have another time than the operators behind them, such as what a
 * delegate inserted. */
static void set_own_times(const drawing *d, const drawn_graph *g) {
  const etr_node_time *known = d->ops->graph->times;
  size_t next = 0; /* in the counterparts */
  for (size_t i = 0; i < g->graph->node_count; i++) {
    if (g->row_of[i] == ETR_NONE)
      continue;
    drawn_node *row = &g->rows[g->row_of[i]];
    uint64_t behind = 0;
    for (size_t end = next + row->counterparts; next < end; next++)
      behind += known ? known[d->ops->nodes[g->counterparts.data[next]]].total_ticks : 0;
    const etr_node_time *time = g->graph->times ? &g->graph->times[i] : NULL;
    if (time && time->runs > 0 && time->total_ticks != behind) {
      row->total = (double)time->total_ticks;
      row->typical = time->typical;
    }
  }
}

/* ---- Writing ---- */

#define DRAWN(kind, member) NULL, kind, ETR_IN_DOCUMENT, ETR_AT(drawn_node, member)

static const etr_field node_fields[] = {
    {"name", DRAWN(ETR_CELL_ITEM, name), .type = "text"},
    {"op", DRAWN(ETR_CELL_WORD, op), .says = "target"},
    {"kind", DRAWN(ETR_CELL_WORD, kind),
     .says = "op, input, output, or body_parameter: an input of a nested graph, whose edge comes "
             "from the operand that "
             "it stands for"},
    {"jump", DRAWN(ETR_CELL_WORD, jump),
     .says = "of a jump of a program: when it jumps, and where to"},
    {"module", DRAWN(ETR_CELL_COUNT, module),
     .says = "index into the modules of this graph, or else of `graph`"},
    {"inputs", DRAWN(ETR_CELL_COUNT, input_count),
     .says = "number of values that it reads, without weights"},
    {"weights", DRAWN(ETR_CELL_COUNT, weights),
     .says = "number of weights and constants that it reads"},
    {"type", DRAWN(ETR_CELL_COUNT, type), .says = "of its outputs: index into types"},
    {"subgraph", DRAWN(ETR_CELL_COUNT, subgraph), .says = "index into subgraphs"},
    {"delegate", DRAWN(ETR_CELL_COUNT, delegate), .says = "instruction of the delegate's call"},
    {"counterparts", DRAWN(ETR_CELL_COUNT, counterparts), .says = "number of operators behind it"},
    {"total", DRAWN(ETR_CELL_TIME, total),
     .says = "over all runs, if it is not that of the operators behind it"},
    {"typical", DRAWN(ETR_CELL_TIME, typical), .says = "in the typical run, where total is known"},
};
ETR_ROW_TYPE(graph_node, node_fields);

static const etr_field type_fields[] = {
    {"text", NULL, ETR_CELL_ITEM, ETR_IN_DOCUMENT, ETR_AT(graph_type, text),
     .says = "\"f32[1,8], i64[1]\"", .type = "text"},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(graph_type, bytes),
     .says = "of all outputs"},
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
    {"path", SUBGRAPH(ETR_CELL_ITEM, path), .says = "names from the outermost nested graph inwards",
     .type = "text"},
    {"role", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, ETR_AT(drawn_subgraph, role),
     .says = "what it is to its owner: true, false, cond, body; delegate: the operators of a "
             "delegate's call"},
    {"parent", SUBGRAPH(ETR_CELL_COUNT, parent), .says = "index of the nested graph around it"},
    {"owner", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(drawn_subgraph, owner),
     .says = "index of its node"},
};
ETR_ROW_TYPE(graph_subgraph, subgraph_fields);

/* Returns what the place-th body of a control-flow operator is to it. */
static const char *role_of(const etr_graph *graph, const etr_subgraph *subgraph, size_t index) {
  static const struct {
    const char *target, *roles[2];
  } known[] = {{"higher_order.cond", {"true", "false"}},
               {"higher_order.while_loop", {"cond", "body"}}};
  if (subgraph->kind == ETR_SUBGRAPH_LOWERED)
    return "delegate";
  for (size_t i = 0; i < ETR_COUNT(known); i++)
    if (strcmp(graph->nodes[subgraph->owner].target, known[i].target) == 0 && index < 2)
      return known[i].roles[index];
  return "body";
}

/* Writes the subgraphs with their owners. */
static bool put_subgraphs(drawing *d, const drawn_graph *g) {
  const etr_graph *graph = g->graph;
  drawn_subgraph *rows = etr_arena_alloc_array(&d->e->arena, graph->subgraph_count, sizeof *rows);
  size_t *places = etr_arena_alloc_array(&d->e->arena, graph->node_count, sizeof *places);
  if (etr_arena_failed(&d->e->arena))
    return false;
  for (size_t i = 0; i < graph->subgraph_count; i++) {
    const etr_subgraph *subgraph = &graph->subgraphs[i];
    rows[i] = (drawn_subgraph){subgraph, role_of(graph, subgraph, places[subgraph->owner]++),
                               g->row_of[subgraph->owner]};
  }
  etr_profile_put_columns(d->e, "subgraphs", &etr_graph_subgraph_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, graph->subgraph_count));
  return true;
}

/* Writes the inputs of all nodes, and which output they use if any is not the first. */
static void put_inputs(const etr_fields *f, const drawn_graph *g) {
  bool has_others = false;
  etr_field_list(f, "inputs");
  for (size_t i = 0; i < g->inputs.count; i++) {
    etr_jw_int(f->json, g->inputs.data[i]);
    has_others |= g->outputs.data[i] != 0;
  }
  etr_jw_end(f->json);
  if (!has_others)
    return;
  etr_field_list(f, "outputs");
  for (size_t i = 0; i < g->outputs.count; i++)
    etr_jw_uint(f->json, g->outputs.data[i]);
  etr_jw_end(f->json);
}

/* Writes the operators of all nodes, each as the distance to the one before it. */
static void put_counterparts(const etr_fields *f, const drawn_graph *g) {
  uint32_t last = 0;
  if (g->counterparts.count == 0)
    return;
  etr_field_list(f, "counterparts");
  for (size_t i = 0; i < g->counterparts.count; i++) {
    etr_jw_int(f->json, (int64_t)g->counterparts.data[i] - last);
    last = g->counterparts.data[i];
  }
  etr_jw_end(f->json);
}

/* Writes a graph. */
static bool put_graph(drawing *d, const etr_graph *graph) {
  const etr_fields *f = &d->e->fields;
  drawn_graph g = {.graph = graph, .has_operators = graph == d->ops->graph};
  if (!list_nodes(d, &g) || !pair(d, &g))
    return false;
  if (!g.has_operators)
    set_own_times(d, &g);
  etr_jw_object(f->json);
  etr_field_text(f, "module", graph->module);
  etr_field_text(f, "dialect", graph->dialect);
  etr_field_text(f, "entry", graph->entry);
  etr_field_flag(f, "has_operators", g.has_operators);
  etr_profile_put_columns(d->e, "nodes", &etr_graph_node_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(g.rows, g.count));
  put_inputs(f, &g);
  put_counterparts(f, &g);
  if (!g.has_operators && !g.module_of)
    etr_profile_put_modules(d->e, graph);
  bool good = graph->subgraph_count == 0 || put_subgraphs(d, &g);
  etr_jw_end(f->json);
  return good;
}

/* Writes a graph of the method besides the one that has its operators. */
static bool put_other(drawing *d, const etr_method *method, const char *module) {
  const etr_profile *profile = d->e->fields.profile;
  bool good = true;
  for (size_t i = 0; good && i < profile->graph_count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    bool is_wanted = graph != d->ops->graph && graph->node_count > 0 &&
                     strcmp(graph->module, module) == 0;
    if (is_wanted && strcmp(graph->method, method->name) == 0)
      good = put_graph(d, graph);
  }
  return good;
}

bool etr_profile_put_graphs(etr_profile_doc *e, const etr_method *method,
                            const etr_profile_operators *ops) {
  drawing d = {.e = e, .ops = ops};
  etr_map_init(&d.type_of, &e->arena);
  etr_jw_object(e->fields.json);
  etr_field_list(&e->fields, "list");
  bool good = put_other(&d, method, "aten") && put_graph(&d, ops->graph) &&
              put_other(&d, method, "program");
  etr_jw_end(e->fields.json);
  etr_profile_put_columns(e, "types", &etr_graph_type_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(d.types.data, d.types.count));
  etr_jw_end(e->fields.json);
  return good;
}
