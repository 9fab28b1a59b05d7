/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_operators.c - a method's graph, column by column.
 */
#include "label.h"
#include "profile_doc.h"

/* ---- Columns ---- */

static const etr_node *node_at(const etr_profile_operators *ops, size_t row) { return &ops->graph->nodes[ops->nodes[row]]; }

/* NULL where nothing is known of how it runs. */
static const etr_node_time *time_at(const etr_profile_operators *ops, size_t row) {
  return ops->graph->times ? &ops->graph->times[ops->nodes[row]] : NULL;
}

static void put_name(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) { etr_jw_string(e->fields.json, node_at(ops, row)->name); }
static void put_op(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) { etr_profile_put_text(e, node_at(ops, row)->target); }
static void put_module(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) { etr_profile_put_index(e, node_at(ops, row)->module); }
static void put_source(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) { etr_profile_put_index(e, ops->source_of[row]); }
static void put_handle(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  etr_jw_uint(e->fields.json, node_at(ops, row)->debug_handle);
}

static void put_subgraph(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  uint32_t subgraph = node_at(ops, row)->subgraph;
  etr_profile_put_text(e, subgraph == ETR_NONE ? NULL : ops->graph->subgraphs[subgraph].path);
}

/* Adds a shape to "f32[1,8], i64[1]". */
static void join_shape(etr_profile_doc *e, size_t place, const etr_value *value) {
  char text[ETR_SHAPE_ROOM];
  etr_slice shape = {text, etr_format_shape(text, value)};
  if (shape.size == 0) return;
  if (place > 0) (void)etr_text_add(&e->joined, ETR_SLICE(", "));
  (void)etr_text_add(&e->joined, shape);
}

static void put_joined(etr_profile_doc *e) {
  etr_profile_put_copy(e, (etr_slice){e->joined.data, e->joined.size});
  e->joined.size = 0;
}

static void put_inputs(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node *node = node_at(ops, row);
  for (size_t i = 0; i < node->input_count; i++) join_shape(e, i, &ops->graph->nodes[node->inputs[i].node].outputs[node->inputs[i].output]);
  put_joined(e);
}

static void put_outputs(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node *node = node_at(ops, row);
  for (size_t i = 0; i < node->output_count; i++) join_shape(e, i, &node->outputs[i]);
  put_joined(e);
}

static void add_argument(etr_profile_doc *e, size_t place, const etr_argument *argument) {
  char value[ETR_ARGUMENT_ROOM];
  if (place > 0) (void)etr_text_add(&e->joined, ETR_SLICE(", "));
  (void)etr_text_add(&e->joined, etr_slice_of(argument->name));
  (void)etr_text_add(&e->joined, ETR_SLICE("="));
  (void)etr_text_add(&e->joined, (etr_slice){value, etr_format_argument(value, argument->value)});
}

static void put_arguments(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node *node = node_at(ops, row);
  for (size_t i = 0; i < node->argument_count; i++) add_argument(e, i, &node->arguments[i]);
  put_joined(e);
}

static void put_backend(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node_time *time = time_at(ops, row);
  etr_profile_put_text(e, time ? time->backend : NULL);
}

static void put_delegate(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node_time *time = time_at(ops, row);
  etr_jw_int(e->fields.json, time ? time->delegate_instruction : -1);
}

static void put_runs_as(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node_time *time = time_at(ops, row);
  etr_profile_put_text(e, time ? time->runs_as : NULL);
}

static void put_carrier(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node_time *time = time_at(ops, row);
  etr_profile_put_index(e, time && time->carried_by != ETR_NONE ? ops->row_of[time->carried_by] : ETR_NONE);
}

/* The time of a row that was timed, else NULL. */
static const etr_node_time *timed_at(const etr_profile_operators *ops, size_t row) {
  const etr_node_time *time = time_at(ops, row);
  return time && time->runs > 0 ? time : NULL;
}

static void put_match(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node_time *time = timed_at(ops, row);
  etr_profile_put_text(e, time ? etr_match_name(time->match) : NULL);
}

static void put_calls(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node_time *time = timed_at(ops, row);
  etr_jw_double(e->fields.json, time && ops->runs > 0 ? (double)time->calls / ops->runs : 0);
}

static void put_ran_in(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {
  const etr_node_time *time = timed_at(ops, row);
  etr_jw_uint(e->fields.json, time ? time->runs : 0);
}

/* A number of a time, null where there is none. */
static void put_time(etr_profile_doc *e, const etr_node_time *time, double ticks) {
  if (time)
    etr_profile_put_ns(e, ticks);
  else
    etr_jw_null(e->fields.json);
}

#define PUT_TIME(name, value)                                                                                                                        \
  static void name(etr_profile_doc *e, const etr_profile_operators *ops, size_t row) {                                                               \
    const etr_node_time *time = timed_at(ops, row);                                                                                                  \
    put_time(e, time, time ? (double)time->value : 0);                                                                                               \
  }
PUT_TIME(put_total, total_ticks)
PUT_TIME(put_p10, per_run.p10)
PUT_TIME(put_p50, per_run.p50)
PUT_TIME(put_p90, per_run.p90)
PUT_TIME(put_min, per_run.min)
PUT_TIME(put_max, per_run.max)

static void put_columns(etr_profile_doc *e, const etr_profile_operators *ops) {
  static const struct {
    const char *key;
    void (*put)(etr_profile_doc *e, const etr_profile_operators *ops, size_t row);
  } columns[] = {
      {"name", put_name},
      {"op", put_op},
      {"module", put_module},
      {"source", put_source},
      {"handle", put_handle},
      {"subgraph", put_subgraph},
      {"inputs", put_inputs},
      {"outputs", put_outputs},
      {"arguments", put_arguments},
      {"backend", put_backend},
      {"delegate", put_delegate},
      {"runs_as", put_runs_as},
      {"carrier", put_carrier},
      {"match", put_match},
      {"calls", put_calls},
      {"ran_in", put_ran_in},
      {"total", put_total},
      {"p10", put_p10},
      {"p50", put_p50},
      {"p90", put_p90},
      {"min", put_min},
      {"max", put_max},
  };
  etr_jw_key(e->fields.json, "operators");
  etr_jw_object(e->fields.json);
  for (size_t i = 0; i < ETR_COUNT(columns); i++) {
    etr_field_list(&e->fields, columns[i].key);
    for (size_t row = 0; row < ops->count; row++) columns[i].put(e, ops, row);
    etr_jw_end(e->fields.json);
  }
  etr_jw_end(e->fields.json);
}

/* ---- The graph ---- */

static void put_modules(etr_profile_doc *e, const etr_graph *graph) {
  const etr_fields *f = &e->fields;
  etr_jw_key(f->json, "modules");
  etr_jw_object(f->json);
  etr_field_list(f, "path");
  for (size_t i = 0; i < graph->module_count; i++) etr_jw_string(f->json, graph->modules[i].path);
  etr_jw_end(f->json);
  etr_field_list(f, "type");
  for (size_t i = 0; i < graph->module_count; i++) etr_profile_put_text(e, graph->modules[i].type);
  etr_jw_end(f->json);
  etr_field_list(f, "parent");
  for (size_t i = 0; i < graph->module_count; i++) etr_profile_put_index(e, graph->modules[i].parent);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

static void put_source_line(etr_profile_doc *e, const etr_source *source) {
  const etr_fields *f = &e->fields;
  etr_jw_object(f->json);
  etr_field_text(f, "file", source->file);
  etr_jw_key(f->json, "line"), etr_jw_int(f->json, source->line);
  etr_field_text(f, "function", source->function);
  etr_field_text(f, "code", source->code);
  etr_jw_end(f->json);
}

/* The source lines so far. */
typedef struct source_lines {
  etr_map by_address; /* a quick look, as many nodes share one -> number */
  etr_map by_place;   /* line, function and file -> number */
} source_lines;

/* Writes a source line, unless it was written; its number, ETR_NONE when out of memory. */
static uint32_t number_of_source(etr_profile_doc *e, source_lines *lines, const etr_source *source) {
  const etr_slice address = {(const char *)&source, sizeof source};
  uint32_t number = etr_map_get(&lines->by_address, address);
  if (number != ETR_NONE) return number;
  const char *place = etr_arena_format(&e->arena, "%lld:%s:%s", (long long)source->line, source->function, source->file);
  if (!place) return ETR_NONE;
  number = etr_map_get(&lines->by_place, etr_slice_of(place));
  if (number == ETR_NONE) {
    number = (uint32_t)lines->by_place.count;
    put_source_line(e, source);
    etr_map_set(&lines->by_place, etr_slice_of(place), number);
  }
  etr_map_set(&lines->by_address, address, number);
  return number;
}

/* Writes each source line once and tells which line each row is of. */
static const uint32_t *put_sources(etr_profile_doc *e, const etr_profile_operators *ops) {
  uint32_t *source_of = etr_arena_alloc_array(&e->arena, ops->count, sizeof *source_of);
  source_lines lines;
  etr_map_init(&lines.by_address, &e->arena);
  etr_map_init(&lines.by_place, &e->arena);
  etr_field_list(&e->fields, "sources");
  for (size_t row = 0; source_of && row < ops->count; row++) {
    const etr_source *source = node_at(ops, row)->source;
    source_of[row] = source ? number_of_source(e, &lines, source) : ETR_NONE;
  }
  etr_jw_end(e->fields.json);
  return source_of;
}

/* Finds the rows. False when out of memory. */
static bool list_operators(etr_profile_doc *e, etr_profile_operators *ops, const etr_method *method) {
  const etr_graph *graph = &e->fields.profile->graphs[method->graph];
  uint32_t *nodes = etr_arena_alloc_array(&e->arena, graph->node_count, sizeof *nodes);
  uint32_t *row_of = etr_arena_alloc_array(&e->arena, graph->node_count, sizeof *row_of);
  *ops = (etr_profile_operators){.graph = graph, .nodes = nodes, .row_of = row_of, .runs = (double)method->run_count};
  if (!nodes || !row_of) return false;
  for (size_t i = 0; i < graph->node_count; i++) {
    row_of[i] = graph->nodes[i].kind == ETR_NODE_OP ? (uint32_t)ops->count : ETR_NONE;
    if (row_of[i] != ETR_NONE) nodes[ops->count++] = (uint32_t)i;
  }
  return true;
}

bool etr_profile_put_graph(etr_profile_doc *e, etr_profile_operators *ops, const etr_method *method) {
  const etr_fields *f = &e->fields;
  etr_jw_key(f->json, "graph");
  if (method->graph == ETR_NONE) {
    etr_jw_null(f->json);
    return true;
  }
  if (!list_operators(e, ops, method)) return false;
  etr_jw_object(f->json);
  etr_field_text(f, "module", ops->graph->module);
  etr_field_text(f, "entry", ops->graph->entry);
  put_modules(e, ops->graph);
  ops->source_of = put_sources(e, ops);
  if (ops->source_of) put_columns(e, ops);
  etr_jw_end(f->json);
  return ops->source_of != NULL;
}
