/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_fields.c - the columns of nodes.
 */
#include "tables/node_fields.h"

#include "output/label.h"
#include "views/phases.h"

#include <math.h>

/* The times of nodes that were not timed, or of which nothing is known. */
static const etr_node_time nothing = {.delegate_instruction = -1,
                                      .instruction = -1,
                                      .carried_by = ETR_NONE,
                                      .confidence = NAN,
                                      .avg = NAN,
                                      .typical = NAN,
                                      .per_run = {.p50 = NAN, .p90 = NAN, .min = NAN, .max = NAN}};

etr_node_row etr_node_row_make(etr_arena *arena, const etr_profile *profile, const etr_graph *graph,
                               size_t node) {
  const etr_node *graph_node = &graph->nodes[node];
  const etr_node_time *known = graph->times ? &graph->times[node] : &nothing;
  const etr_node_time *time = known->runs > 0 ? known : &nothing;
  return (etr_node_row){
      .arena = arena,
      .profile = profile,
      .graph = graph,
      .node = graph_node,
      .module = &graph->modules[graph_node->module],
      .in_source = graph_node->source,
      .method = graph->profile_method == ETR_NONE ? NULL : &profile->methods[graph->profile_method],
      .known = known,
      .time = time,
      .kind = etr_node_kind_name(graph_node->kind),
      .match = etr_match_name(time->match),
      .subgraph = graph_node->subgraph == ETR_NONE ? NULL
                                                   : graph->subgraphs[graph_node->subgraph].path,
      .carried_by = known->carried_by == ETR_NONE ? NULL : graph->nodes[known->carried_by].name,
      .cost = etr_cost_figures_of_node(profile, graph, node),
  };
}

static const etr_node_row *as_row(const void *row) {
  return row;
}

/* ---- What it is ---- */

static etr_cell graph(const void *row) {
  return etr_cell_text(etr_arena_format(as_row(row)->arena, "%s/%s", as_row(row)->graph->module,
                                        as_row(row)->graph->method));
}

static bool has_handle(const void *row) {
  return as_row(row)->node->debug_handle != 0;
}
static bool has_output(const void *row) {
  return as_row(row)->node->output_count > 0;
}

static etr_cell output(const void *row) {
  return etr_cell_text(etr_label_shape(as_row(row)->arena, &as_row(row)->node->outputs[0]));
}

/* ---- How it runs ---- */

static etr_cell runs_as(const void *row) {
  const char *kernel = as_row(row)->time->runs_as;
  return etr_cell_text(kernel && as_row(row)->is_text ? etr_label_kernel(kernel) : kernel);
}

static bool is_timed(const void *row) {
  return as_row(row)->time->runs > 0;
}
static double clock_step(const void *row) {
  return etr_clock_step(as_row(row)->profile, as_row(row)->time->backend, NULL);
}

static etr_cell cycles(const void *row) {
  return etr_cell_number(etr_cycles_of(as_row(row)->method, as_row(row)->known));
}
static etr_cell compute_unit(const void *row) {
  return etr_cell_text(
      etr_compute_units_text(as_row(row)->arena, as_row(row)->known->compute_units));
}
/* Writes the compute units that a node runs on. */
static void put_compute_units(const etr_fields *f, const void *row) {
  etr_field_begin_list(f, "compute_units");
  for (etr_compute_unit unit = ETR_COMPUTE_UNIT_NPU; unit <= ETR_COMPUTE_UNIT_CPU; unit++)
    if (as_row(row)->known->compute_units >> unit & 1)
      etr_jw_string(f->json, etr_compute_unit_name(unit));
  etr_jw_end(f->json);
}
static double ranking_time(const void *row) {
  return etr_ranking_time(as_row(row)->profile, etr_times_of_node(as_row(row)->time));
}

/* Returns the share of a node's time in Method::execute or, if medians rank, in the sum of the
 * medians of all rows, because medians do not add up to that of the whole. */
static etr_cell share(const void *row) {
  etr_times whole = etr_times_of(&as_row(row)->method->execute);
  whole.p50 = *as_row(row)->summed_p50;
  return etr_cell_share(ranking_time(row), etr_ranking_time(as_row(row)->profile, whole));
}

/* Returns how often a node ran per inference; text has the same decimals in all rows. */
static etr_cell calls(const void *row) {
  etr_cell cell = etr_cell_calls(as_row(row)->time->calls, as_row(row)->method->run_count);
  if (as_row(row)->is_text)
    cell.decimals = 2;
  return cell;
}

static etr_cell part(const void *row) {
  return etr_cost_part(&as_row(row)->cost, as_row(row)->is_text);
}
static const char *integers(const void *row) {
  return etr_cost_integers(&as_row(row)->cost);
}

/* ---- How accurate its values are ---- */

static const etr_numeric_gap *gap_of(const void *row) {
  return as_row(row)->accuracy ? as_row(row)->accuracy->gap : NULL;
}
static bool is_compared(const void *row) {
  return gap_of(row) != NULL;
}
/* Returns the cell of a number with all of its digits; no number if it is infinite or unknown. */
static etr_cell finite_cell(double number) {
  return (etr_cell){.number = isfinite(number) ? number : NAN, .digits = ETR_ALL_DIGITS};
}
static etr_cell snr(const void *row) {
  return finite_cell(is_compared(row) ? gap_of(row)->snr_db : NAN);
}
static etr_cell snr_text(const void *row) {
  return is_compared(row) ? etr_accuracy_snr(as_row(row)->arena, gap_of(row)) : etr_cell_none();
}
static etr_cell is_equal(const void *row) {
  return etr_cell_number(etr_gap_is_equal(gap_of(row)));
}
static etr_cell drop(const void *row) {
  return finite_cell(is_compared(row) ? as_row(row)->accuracy->drop_db : NAN);
}
/* Returns the SNR of a node's own step in dB; no number if it was not measured or is infinite. */
static etr_cell local_snr(const void *row) {
  return finite_cell(is_compared(row) && as_row(row)->accuracy->local
                         ? as_row(row)->accuracy->local->snr_db
                         : NAN);
}

/* ---- In a summary ---- */

/* Returns the style of a row's time: dim for an estimate, as one matched by order alone. */
static etr_style time_style(const void *row) {
  return as_row(row)->time->is_estimated ? ETR_STYLE_DIM : ETR_STYLE_PLAIN;
}

static etr_cell styled_target(const void *row) {
  return (etr_cell){.text = as_row(row)->node->target, .style = time_style(row)};
}
static etr_cell styled_ranking(const void *row) {
  return (etr_cell){.number = ranking_time(row), .style = time_style(row)};
}
static etr_cell spread(const void *row) {
  return etr_cell_number(etr_stats_spread(&as_row(row)->time->per_run, clock_step(row)));
}

/* ---- In the dashboard's document ---- */

static etr_cell calls_or_0(const void *row) {
  return is_timed(row) ? calls(row) : etr_cell_number(0);
}

/* Returns the text that was appended to row->joined, and empties that for the next one. The cell is
 * valid until then. When out of memory, it is what fitted. */
static etr_cell end_text(const void *row) {
  (void)etr_text_add(as_row(row)->joined, (etr_slice){"", 1});
  as_row(row)->joined->size = 0;
  return etr_cell_text(as_row(row)->joined->data);
}

/* Appends the type and shape of the index-th value to a text such as "f32[1,8], i64[1]"; nothing if
 * they are unknown. Returns false when out of memory. */
static bool append_shape(etr_text *joined, size_t index, const etr_value *value) {
  char text[ETR_SHAPE_ROOM];
  etr_slice shape = {text, etr_format_shape(text, value)};
  if (shape.size == 0)
    return true;
  return (index == 0 || etr_text_add(joined, ETR_SLICE(", "))) && etr_text_add(joined, shape);
}

bool etr_node_append_output_shapes(etr_text *text, const etr_node *node) {
  bool good = true;
  for (size_t i = 0; good && i < node->output_count; i++)
    good = append_shape(text, i, &node->outputs[i]);
  return good;
}

/* Returns types and shapes of a node's inputs as one text, "f32[1,8], i64[1]". */
static etr_cell input_shapes(const void *row) {
  const etr_node *node = as_row(row)->node;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_edge *input = &node->inputs[i];
    const etr_node *producer = &as_row(row)->graph->nodes[input->node];
    (void)append_shape(as_row(row)->joined, i, &producer->outputs[input->output]);
  }
  return end_text(row);
}

static etr_cell output_shapes(const void *row) {
  (void)etr_node_append_output_shapes(as_row(row)->joined, as_row(row)->node);
  return end_text(row);
}

/* Returns the arguments of a node as one text, "stride=[1, 1], groups=1". */
static etr_cell argument_texts(const void *row) {
  const etr_node *node = as_row(row)->node;
  for (size_t i = 0; i < node->argument_count; i++) {
    char value[ETR_ARGUMENT_ROOM];
    if (i > 0)
      (void)etr_text_add(as_row(row)->joined, ETR_SLICE(", "));
    (void)etr_text_add(as_row(row)->joined, etr_slice_of(node->arguments[i].name));
    (void)etr_text_add(as_row(row)->joined, ETR_SLICE("="));
    (void)etr_text_add(as_row(row)->joined,
                       (etr_slice){value, etr_format_argument(value, node->arguments[i].value)});
  }
  return end_text(row);
}

/* ---- What has parts ---- */

/* Writes a key and the names of the values that some edges carry, each an output of its node. */
static void put_value_names(const etr_fields *f, const void *row, const char *key,
                            const etr_edge *edges, size_t count) {
  etr_field_begin_list(f, key);
  for (size_t i = 0; i < count; i++)
    etr_jw_string(f->json, as_row(row)->graph->nodes[edges[i].node].outputs[edges[i].output].name);
  etr_jw_end(f->json);
}

static void put_inputs(const etr_fields *f, const void *row) {
  put_value_names(f, row, "inputs", as_row(row)->node->inputs, as_row(row)->node->input_count);
}

/* Writes "other_inputs": values that a node of a program may read instead, because of jumps. Writes
 * nothing if there are none. */
static void put_other_inputs(const etr_fields *f, const void *row) {
  const etr_node *node = as_row(row)->node;
  if (node->other_input_count)
    put_value_names(f, row, "other_inputs", node->inputs + node->input_count,
                    node->other_input_count);
}

/* Writes the arguments of a node as a JSON object. Their values are JSON already. */
static void put_arguments(const etr_fields *f, const void *row) {
  const etr_node *node = as_row(row)->node;
  etr_field_begin_object(f, "arguments");
  for (size_t i = 0; i < node->argument_count; i++) {
    etr_jw_key(f->json, node->arguments[i].name);
    etr_jw_json(f->json, node->arguments[i].value);
  }
  etr_jw_end(f->json);
}

/* Writes the outputs of a node with type and shape. */
static void put_outputs(const etr_fields *f, const void *row) {
  etr_field_begin_list(f, "outputs");
  for (size_t i = 0; i < as_row(row)->node->output_count; i++) {
    const etr_value *value = &as_row(row)->node->outputs[i];
    etr_jw_object(f->json);
    etr_field_text(f, "name", value->name);
    etr_field_text(f, "dtype", value->dtype);
    etr_field_shape(f, value);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static void put_source(const etr_fields *f, const void *row) {
  etr_field_source_object(f, "source", as_row(row)->node->source);
}

/* Writes the stack of source lines that a node comes from. */
static void put_frames(const etr_fields *f, const void *row) {
  const etr_node *node = as_row(row)->node;
  etr_field_begin_list(f, "frames");
  for (size_t i = 0; i < node->frame_count; i++) {
    etr_jw_object(f->json);
    etr_field_source(f, &node->frames[i]);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

/* Writes the types of the modules around a node, from outside to inside; modules without a type are
 * left out. */
static void put_module_types(const etr_fields *f, const void *row) {
  const etr_module *modules = as_row(row)->graph->modules;
  size_t depth = 0;
  for (uint32_t module = as_row(row)->node->module; module != ETR_NONE;
       module = modules[module].parent)
    depth++;
  const char **types = etr_arena_alloc_array(as_row(row)->arena, depth, sizeof *types);
  /* The list is filled from its end, because modules lead from inside to outside. */
  size_t unfilled = types ? depth : 0;
  for (uint32_t module = as_row(row)->node->module; unfilled > 0; module = modules[module].parent)
    types[--unfilled] = modules[module].type;
  etr_field_begin_list(f, "module_types");
  for (size_t i = 0; types && i < depth; i++)
    if (types[i][0])
      etr_jw_string(f->json, types[i]);
  etr_jw_end(f->json);
}

/* Writes "edge_nodes": the Edge nodes that an instruction of a program was made from; nothing for
 * other nodes. */
static void put_edge_nodes(const etr_fields *f, const void *row) {
  if (!as_row(row)->node->edge_nodes)
    return;
  etr_field_texts(f, "edge_nodes", as_row(row)->node->edge_nodes,
                  as_row(row)->node->edge_node_count);
}

/* Writes the values that a node logged, each with the number of runs that logged it, and its
 * statistics if they were measured. Values are sorted by node. */
static void put_values(const etr_fields *f, const void *row) {
  const etr_logged_nodes *values = as_row(row)->values;
  uint32_t node = (uint32_t)(as_row(row)->node - as_row(row)->graph->nodes);
  etr_field_begin_list(f, "values");
  for (size_t i = etr_logged_first_of(values, node);
       i < values->count && values->rows[i]->value->node == node; i++) {
    const etr_logged *logged = values->rows[i];
    etr_jw_object(f->json);
    etr_field_count(f, "runs", logged->run_count);
    etr_field_logged(f, as_row(row)->arena, logged->value,
                     logged->is_measured ? &logged->stats : NULL);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

/* ---- Fields ---- */

/* Text hides columns that say nothing or follow from other columns, because a line has 100 columns.
 */
static bool shows_graph(const void *context) {
  return ((const etr_node_columns *)context)->several_graphs;
}
static bool shows_operator(const void *context) {
  const etr_node_columns *table = context;
  return !table->timed || table->has_numbers;
}
static bool shows_time(const void *context) {
  return ((const etr_node_columns *)context)->timed;
}
static bool shows_calls(const void *context) {
  return ((const etr_node_columns *)context)->uneven;
}
static bool shows_match(const void *context) {
  return shows_time(context) && !((const etr_node_columns *)context)->only_match;
}

enum {
  EXACT = ETR_IN_DATA | ETR_IN_JSON,
  FOR_PEOPLE = ETR_IN_TEXT | ETR_IN_MARKDOWN,
  LIST = ETR_IN_OPERATORS,
  DOC = ETR_IN_DOCUMENT,
};

#define NODE(name) ETR_VIA(etr_node_row, node, etr_node, name)
#define KNOWN(name) ETR_VIA(etr_node_row, known, etr_node_time, name)
#define TIME(name) ETR_VIA(etr_node_row, time, etr_node_time, name)
#define MODULE(name) ETR_VIA(etr_node_row, module, etr_module, name)
#define SOURCE(name) ETR_VIA(etr_node_row, in_source, etr_source, name)
#define FIGURE(name) ETR_AT(etr_node_row, cost.name)

enum {
  TYPICAL = 1 << ETR_STATISTIC_TYPICAL,
  AVG = 1 << ETR_STATISTIC_AVG,
  P50 = 1 << ETR_STATISTIC_P50,
};

static const etr_field fields[] = {
    {NULL, "graph", ETR_CELL_NAME, ETR_IN_TABLES, .get = graph, .is_shown = shows_graph,
     .says = ETR_SAYS("entry point: edge/forward")},
    {"name", "node", ETR_CELL_NAME, ETR_IN_ALL, NODE(name)},
    {"kind", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(etr_node_row, kind), .type = "node_kind"},
    {"target", "operator", ETR_CELL_NAME, ETR_IN_ALL, NODE(target), .is_shown = shows_operator},
    {"inputs", .in = ETR_IN_JSON, .put = put_inputs,
     .says = ETR_SAYS("names of the values used, in argument order"), .type = "texts"},
    {"other_inputs", .in = ETR_IN_JSON, .put = put_other_inputs,
     .says = ETR_SAYS(
         "in program/METHOD: names of values that it may use in place of these, because of "
         "jumps: those of another "
         "branch, or of the previous pass of a loop"),
     .type = "texts", .optional = true},
    {"arguments", .in = ETR_IN_JSON, .put = put_arguments,
     .says = ETR_SAYS(
         "arguments other than tensors, by name, in argument order: {\"stride\": [1, 1], "
         "\"transposed\": false, "
         "\"dtype\": \"float32\"}. NaN and infinities are strings, symbolic numbers their "
         "expressions; \"...\" marks "
         "omissions in long ones. A program has no names: in program/METHOD arguments of "
         "well-known operators have "
         "ATen's, others are called by their place, \"arg_3\"; null in a list is computed by "
         "the program"),
     .type = "arguments"},
    {"outputs", .in = ETR_IN_JSON, .put = put_outputs, .type = "values"},
    {"subgraph", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_node_row, subgraph),
     .says = ETR_SAYS("path of the control-flow body, lowered module or delegate that contains it"),
     .nullable = true},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, MODULE(recorded),
     .says = ETR_SAYS(
         "as in the record: torch 2.6 writes \"L['self'].blocks[0]\", which is \"blocks.0\" "
         "everywhere else, "
         "including --module")},
    {NULL, "module", ETR_CELL_NAME, ETR_IN_TABLES, MODULE(path),
     .says = ETR_SAYS("path in the model; empty: the top level")},
    {NULL, "output", ETR_CELL_NAME, ETR_IN_TABLES, .get = output, .has = has_output, .spare = 2,
     .says = ETR_SAYS("type and shape of the result")},
    {"module_type", NULL, ETR_CELL_NAME, ETR_IN_JSON, MODULE(type), .blank_is_null = true},
    {"module_types", .in = ETR_IN_JSON, .put = put_module_types,
     .says = ETR_SAYS("the classes of the module's levels, outermost first"), .type = "texts"},
    {"debug_handle", NULL, ETR_CELL_COUNT, ETR_IN_JSON, NODE(debug_handle), .has = has_handle},
    {"source", .in = ETR_IN_JSON, .put = put_source,
     .says = ETR_SAYS("innermost frame outside torch"), .type = "source", .nullable = true},
    {"frames", .in = ETR_IN_JSON, .put = put_frames,
     .says = ETR_SAYS("the whole stack trace, innermost frame first"), .type = "sources"},
    {"weight", NULL, ETR_CELL_NAME, ETR_IN_JSON, NODE(weight_name),
     .says = ETR_SAYS("the name of a parameter, buffer or constant"), .nullable = true},
    {"aten_node", NULL, ETR_CELL_NAME, ETR_IN_JSON, NODE(aten_node),
     .says = ETR_SAYS("the node of aten/forward that it came from; for a node in a body, in the "
                      "corresponding body of that graph"),
     .nullable = true},
    {"edge_nodes", .in = ETR_IN_JSON, .put = put_edge_nodes,
     .says = ETR_SAYS("in program/METHOD: the Edge nodes of the instruction"), .type = "texts",
     .optional = true},
    {"backend", NULL, ETR_CELL_NAME, ETR_IN_JSON, KNOWN(backend), .nullable = true},
    {"delegate_instruction", NULL, ETR_CELL_COUNT, ETR_IN_JSON, KNOWN(delegate_instruction),
     .nullable = true},
    {"order", "order", ETR_CELL_COUNT, EXACT, KNOWN(instruction),
     .says = ETR_SAYS(
         "the instruction that runs it first, or calls its delegate; instructions run in the "
         "order of their "
         "numbers, branches and loops aside"),
     .nullable = true},
    {"runs_as", NULL, ETR_CELL_NAME, ETR_IN_JSON, KNOWN(runs_as), .nullable = true},
    {"carried_by", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_node_row, carried_by),
     .says = ETR_SAYS("for a fused node, the node whose time includes its own"), .nullable = true},
    {"match", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(etr_node_row, match), .has = is_timed,
     .type = "match"},
    {"confidence", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, TIME(confidence),
     .says = ETR_SAYS(
         "confidence that the time is this node's: 1 unless the match is an estimate, null "
         "without a time"),
     .nullable = true},
    {"compute_units", .in = ETR_IN_JSON, .put = put_compute_units,
     .says = ETR_SAYS(
         "where its operators ran, or were planned to run, as far as its backend records it; "
         "several if it is "
         "several operators"),
     .type = "compute_units"},
    {"estimated", NULL, ETR_CELL_FLAG, ETR_IN_JSON | DOC, TIME(is_estimated), .has = is_timed,
     .says = ETR_SAYS("its match is an estimate, or its time is; null if it has none")},
    {"cycles", NULL, ETR_CELL_NUMBER, ETR_IN_JSON | DOC, .get = cycles,
     .says = ETR_SAYS("as its backend counted them, per inference"), .nullable = true},
    {"typical", "typical", ETR_CELL_TIME, ETR_IN_ALL, TIME(typical),
     .says = ETR_SAYS("per inference in the typical run"), .nullable = true, .stats = TYPICAL,
     .step = clock_step, .is_shown = shows_time, .unit_in = FOR_PEOPLE},
    {"p50", "p50", ETR_CELL_TIME, ETR_IN_ALL, TIME(per_run.p50), .nullable = true, .stats = P50,
     .step = clock_step, .is_shown = shows_time, .unit_in = FOR_PEOPLE},
    {"avg", "avg", ETR_CELL_TIME, ETR_IN_ALL, TIME(avg),
     .says = ETR_SAYS("per inference: total over all runs / number of runs"), .nullable = true,
     .stats = AVG, .step = clock_step, .is_shown = shows_time, .unit_in = FOR_PEOPLE},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_DATA, .has = is_timed,
     .says = ETR_SAYS("unit of the times")},
    {"p90", "p90", ETR_CELL_TIME, EXACT, TIME(per_run.p90), .step = clock_step,
     .unit_in = FOR_PEOPLE, .nullable = true},
    {"min", "min", ETR_CELL_TIME, EXACT, TIME(per_run.min), .step = clock_step,
     .unit_in = FOR_PEOPLE, .nullable = true},
    {"max", "max", ETR_CELL_TIME, EXACT, TIME(per_run.max), .step = clock_step,
     .unit_in = FOR_PEOPLE, .nullable = true},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_TABLES, .get = share, .has = is_timed,
     .is_shown = shows_time},
    {"calls", "calls", ETR_CELL_NUMBER, ETR_IN_ALL, .get = calls, .has = is_timed,
     .is_shown = shows_calls, .spare = 3, .says = ETR_SAYS("number of executions per inference")},
    {NULL, "match", ETR_CELL_WORD, ETR_IN_TABLES, ETR_AT(etr_node_row, match), .has = is_timed,
     .is_shown = shows_match},
    {NULL, "cycles", ETR_CELL_NUMBER, ETR_IN_TEXT, .get = cycles, .hides_zeros = true},
    {NULL, "compute unit", ETR_CELL_WORD, ETR_IN_TEXT, .get = compute_unit, .hides_zeros = true,
     .spare = 4},
    {NULL, "runs as", ETR_CELL_NAME, ETR_IN_TABLES, .get = runs_as, .is_shown = shows_time,
     .spare = 1},
    {NULL, "backend", ETR_CELL_NAME, ETR_IN_DATA, KNOWN(backend),
     .says = ETR_SAYS("the delegate's; empty: a kernel")},
    {NULL, "file", ETR_CELL_NAME, ETR_IN_DATA, SOURCE(file),
     .says = ETR_SAYS("source file of the model")},
    {NULL, "line", ETR_CELL_COUNT, ETR_IN_DATA, SOURCE(line), .says = ETR_SAYS("its line")},
    {NULL, "estimated", ETR_CELL_FLAG, ETR_IN_DATA, TIME(is_estimated), .has = is_timed},
    {NULL, "cycles", ETR_CELL_NUMBER, ETR_IN_DATA, .get = cycles, .digits = ETR_ALL_DIGITS},
    {NULL, "compute unit", ETR_CELL_WORD, ETR_IN_DATA, .get = compute_unit},
    ETR_COST_FIELDS(FIGURE, EXACT | DOC, EXACT, integers, part),
    {NULL, "SNR dB", ETR_CELL_NUMBER, ETR_IN_TEXT, .get = snr_text, .hides_zeros = true},
    {"snr_db", "snr_db", ETR_CELL_NUMBER, EXACT, .get = snr,
     .says = ETR_SAYS(
         "SNR of its most suspicious logged value against the reference, in dB; null: not "
         "compared, or nothing differs"),
     .nullable = true},
    {"equal", "equal", ETR_CELL_FLAG, EXACT, .get = is_equal, .has = is_compared,
     .says = ETR_SAYS("snr_db is above 100, or nothing differs; null: not compared")},
    {"drop_db", "drop_db", ETR_CELL_NUMBER, EXACT, .get = drop,
     .says = ETR_SAYS(
         "lowest SNR of the nearest compared values that it depends on, minus its own; each "
         "counts as at least "
         "0 and at most 20 above that of the worst output"),
     .nullable = true},
    {"local_snr_db", "local_snr_db", ETR_CELL_NUMBER, EXACT, .get = local_snr,
     .says = ETR_SAYS(
         "SNR against what the reference computes from the values that the device logged before"),
     .nullable = true},
    {"values", .in = ETR_IN_JSON, .put = put_values,
     .says = ETR_SAYS(
         "values that the runs logged of the node: empty without DebugEvents, and in graphs "
         "other than the "
         "method's Edge graph"),
     .type = "logged_values_of_runs"},

    /* The operators of a summary. */
    {NULL, "operators", ETR_CELL_ITEM, LIST, .get = styled_target},
    {NULL, "typical", ETR_CELL_TIME, LIST, .get = styled_ranking, .stats = TYPICAL,
     .step = clock_step, .unit_in = LIST},
    {NULL, "p50", ETR_CELL_TIME, LIST, .get = styled_ranking, .stats = P50, .step = clock_step,
     .unit_in = LIST},
    {NULL, "avg", ETR_CELL_TIME, LIST, .get = styled_ranking, .stats = AVG, .step = clock_step,
     .unit_in = LIST},
    {NULL, "share", ETR_CELL_SHARE, LIST, .get = share},
    {NULL, "\xC2\xB1", ETR_CELL_TIME, LIST, .get = spread, .step = clock_step, .spare = 2},
    {NULL, "module", ETR_CELL_NAME, LIST, MODULE(path)},
    {NULL, "runs as", ETR_CELL_NAME, LIST, .get = runs_as, .spare = 1},

    /* The dashboard's document; WORDs repeat from node to node. */
    {"name", NULL, ETR_CELL_ITEM, DOC, NODE(name), .type = "text"},
    {"op", NULL, ETR_CELL_WORD, DOC, NODE(target), .says = ETR_SAYS("target")},
    {"module", NULL, ETR_CELL_COUNT, DOC, NODE(module), .says = ETR_SAYS("index into modules")},
    {"source", NULL, ETR_CELL_COUNT, DOC, ETR_AT(etr_node_row, source),
     .says = ETR_SAYS("index into sources")},
    {"handle_step", NULL, ETR_CELL_STEP, DOC, NODE(debug_handle), .has = has_handle,
     .says = ETR_SAYS(
         "debug handle, as the distance from that of the operator before that has one")},
    {"subgraph", NULL, ETR_CELL_WORD, DOC, ETR_AT(etr_node_row, subgraph),
     .says = ETR_SAYS("path of the nested graph that contains it")},
    {"inputs", NULL, ETR_CELL_NAME, DOC, .get = input_shapes,
     .says = ETR_SAYS("types and shapes of the inputs")},
    {"outputs", NULL, ETR_CELL_NAME, DOC, .get = output_shapes,
     .says = ETR_SAYS("types and shapes of the outputs")},
    {"arguments", NULL, ETR_CELL_NAME, DOC, .get = argument_texts,
     .says = ETR_SAYS("arguments other than tensors, \"stride=[1, 1], groups=1\"")},
    {"instruction_step", NULL, ETR_CELL_STEP, DOC, KNOWN(instruction),
     .says = ETR_SAYS(
         "the instruction that runs it first, or calls its delegate, as the distance from that "
         "of the operator "
         "before that has one")},
    {"backend", NULL, ETR_CELL_WORD, DOC, KNOWN(backend),
     .says = ETR_SAYS("the backend; none: a kernel, or unknown")},
    {"delegate", NULL, ETR_CELL_COUNT, DOC, KNOWN(delegate_instruction),
     .says = ETR_SAYS("instruction of the delegate's call")},
    {"runs_as", NULL, ETR_CELL_WORD, DOC, KNOWN(runs_as),
     .says = ETR_SAYS("its name in the runtime")},
    {"carrier", NULL, ETR_CELL_COUNT, DOC, ETR_AT(etr_node_row, carrier),
     .says = ETR_SAYS("of a fused operator, the one whose time includes its own")},
    {"match", NULL, ETR_CELL_WORD, DOC, ETR_AT(etr_node_row, match), .has = is_timed,
     .says = ETR_SAYS("how its time was matched; none: not timed")},
    {"compute_unit", NULL, ETR_CELL_NAME, DOC, .get = compute_unit,
     .says = ETR_SAYS("text: where it ran, or was planned to run: \"NPU, CPU\"")},
    {"calls", NULL, ETR_CELL_NUMBER, DOC, .get = calls_or_0, .says = ETR_SAYS("per inference")},
    {"ran_in", NULL, ETR_CELL_COUNT, DOC, TIME(runs), .says = ETR_SAYS("runs")},
    {"total", NULL, ETR_CELL_TIME, DOC, TIME(total_ticks), .has = is_timed,
     .says = ETR_SAYS("over all runs; null if not timed, also in the columns that follow")},
    {"typical", NULL, ETR_CELL_TIME, DOC, TIME(typical), .has = is_timed,
     .says = ETR_SAYS("per inference in the typical run")},
    {"p10", NULL, ETR_CELL_TIME, DOC, TIME(per_run.p10), .has = is_timed},
    {"p50", NULL, ETR_CELL_TIME, DOC, TIME(per_run.p50)},
    {"p90", NULL, ETR_CELL_TIME, DOC, TIME(per_run.p90)},
    {"min", NULL, ETR_CELL_TIME, DOC, TIME(per_run.min)},
    {"max", NULL, ETR_CELL_TIME, DOC, TIME(per_run.max)},
};
ETR_ROW_TYPE(node, fields);

etr_node_columns etr_node_columns_find(const etr_table *table) {
  etr_node_columns common = {0};
  const etr_node_row *first = NULL;
  bool several_matches = false;
  for (size_t i = 0; i < etr_table_shown_count(table); i++) {
    const etr_node_row *row = as_row(table->rows.data[i].row);
    common.several_graphs |= row->graph != as_row(table->rows.data[0].row)->graph;
    common.some_accuracy |= is_compared(row);
    common.has_numbers |= etr_is_program(row->graph) && row->node->subgraph == ETR_NONE;
    if (!is_timed(row))
      continue;
    common.uneven |= row->time->calls != row->method->run_count;
    several_matches |= first && row->time->match != first->time->match;
    if (!first)
      first = row;
  }
  common.timed = first != NULL;
  common.only_match = first && !several_matches ? etr_match_name(first->time->match) : NULL;
  return common;
}
