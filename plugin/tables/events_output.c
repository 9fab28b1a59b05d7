/* SPDX-License-Identifier: BSD-3-Clause
 *
 * events_output.c - the event blocks as ExecuTorch's Inspector has them, joined to nodes: as JSON
 * and as tables.
 */
#include <stdlib.h>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "output/label.h"
#include "output/node_filter.h"
#include "output/section.h"
#include "views/interruptions.h"
#include "views/logged.h"

/* ---- Bytes of a file in JSON ---- */

/* Returns true for valid UTF-8 without NUL. NUL is valid, but readers in C would end the text
 * there. */
static bool is_utf8_without_nul(etr_bytes bytes) {
  for (size_t offset = 0, size; offset < bytes.size; offset += size) {
    size = bytes.data[offset] ? etr_utf8_size(bytes.data + offset, bytes.size - offset) : 0;
    if (size == 0)
      return false;
  }
  return true;
}

/* Writes bytes as a JSON text if they are valid UTF-8, else as "base64:" and their base64; null if
 * there are none. */
static void put_text_or_base64(etr_jw *json, etr_arena *arena, etr_bytes bytes) {
  static const char prefix[] = "base64:";
  if (bytes.size && is_utf8_without_nul(bytes)) {
    etr_jw_slice(json, (etr_slice){bytes.data, bytes.size});
    return;
  }
  char *text = bytes.size ? etr_arena_alloc(arena, sizeof prefix + etr_base64_size(bytes.size))
                          : NULL;
  if (text)
    memcpy(text, prefix, sizeof prefix);
  if (text)
    etr_base64_encode(text + sizeof prefix - 1, (etr_slice){bytes.data, bytes.size});
  etr_jw_string(json, text);
}

/* ---- The event blocks as ExecuTorch's Inspector has them, joined to nodes: as JSON and as tables
 * ---- */

/* An operator of a graph and its debug handle. */
typedef struct handle_node {
  uint32_t handle, node;
} handle_node;

typedef struct handle_index {
  handle_node *list;
  size_t count;
} handle_index;

typedef struct events_output {
  etr_answer answer;
  etr_table table;
  handle_index *handles; /* of JSON: of each method */
  etr_logged_rows logged;
} events_output;

typedef struct event_row {
  events_output *output;
  const etr_block *block;
  const etr_method *method; /* NULL: of none */
  const etr_graph *graph;   /* the method's; NULL */
  const etr_event *event;
} event_row;

/* Makes the row of an event, with the method and the graph of its block; both are NULL if they are
 * unknown. */
static event_row make_event_row(events_output *output, const etr_block *block,
                                const etr_event *event) {
  event_row row = {.output = output, .block = block, .event = event};
  row.method = block->method == ETR_NONE ? NULL : &output->answer.profile->methods[block->method];
  row.graph = row.method && row.method->graph != ETR_NONE
                  ? &output->answer.profile->graphs[row.method->graph]
                  : NULL;
  return row;
}

static const event_row *as_row(const void *row) {
  return row;
}

/* Returns the first of the event's nodes; NULL if it has none. */
static const etr_node *first_node(const event_row *row) {
  return row->graph && row->event->node_count ? &row->graph->nodes[row->event->nodes[0]] : NULL;
}

/* ---- Cells ---- */

static bool is_timed(const void *row) {
  return as_row(row)->event->stats.count > 0;
}
/* Returns the unit of a row that is not a time; NULL for times. */
static const char *own_unit(const void *row) {
  etr_event_unit unit = as_row(row)->event->unit;
  return unit == ETR_EVENT_UNIT_TIME ? NULL : etr_event_unit_name(unit);
}
static etr_cell unit(const void *row) {
  return etr_cell_text(etr_event_unit_name(as_row(row)->event->unit));
}
static etr_cell role(const void *row) {
  return etr_cell_text(etr_event_role_name(as_row(row)->event->role));
}
static etr_cell phase(const void *row) {
  return etr_cell_text(etr_phase_name(as_row(row)->event->phase));
}
/* Returns the step of the clock that timed the event, in ticks, or 0: only operators inside a
 * delegate are timed by the delegate's clock, which may be coarser than the runtime's. */
static double clock_step(const void *row) {
  const etr_event *event = as_row(row)->event;
  bool is_in_delegate = event->kind == ETR_EVENT_DELEGATE_OPERATOR;
  return is_in_delegate ? etr_clock_step(as_row(row)->output->answer.profile, event->backend,
                                         event->delegate_id)
                        : 0;
}
static double ranking_time(const event_row *row) {
  return etr_ranking_time(row->output->answer.profile, etr_times_of(&row->event->stats));
}
/* Returns true if an event of the block was timed more than once, so that percentiles say
 * something, and also without a block, as in a table of all blocks. */
static bool shows_percentiles(const void *context) {
  const etr_block *block = context;
  for (size_t i = 0; block && i < block->event_count; i++)
    if (block->events[i].stats.count > 1)
      return true;
  return !block;
}
static bool has_node(const void *row) {
  return as_row(row)->event->node_count > 0;
}
static etr_cell match(const void *row) {
  return etr_cell_text(etr_match_name(as_row(row)->event->match));
}
static etr_cell calls(const void *row) {
  return etr_cell_calls(as_row(row)->event->sample_count, as_row(row)->block->run_count);
}
static etr_cell is_delegated(const void *row) {
  return etr_cell_number(as_row(row)->event->delegate_id != NULL);
}

/* Returns the name of the first node that the event's time is attributed to; no text if there is
 * none. */
static etr_cell node(const void *row) {
  return etr_cell_text(first_node(as_row(row))
                           ? etr_label_node(&as_row(row)->output->answer.arena, as_row(row)->graph,
                                            as_row(row)->event->nodes[0])
                           : NULL);
}

/* ---- What has parts ---- */

/* Writes the delegate debug identifier as it was logged, a number or a text; null if there is none.
 * */
static void put_identifier(const etr_fields *f, const void *row) {
  const etr_event *event = as_row(row)->event;
  etr_jw_key(f->json, "delegate_debug_identifier");
  if (event->delegate_id && event->delegate_id_is_int)
    etr_jw_int(f->json, strtoll(event->delegate_id, NULL, 10));
  else
    etr_jw_string(f->json, event->delegate_id);
}

/* Limits the output of damaged files: no real model has so many operators at an event's handles. */
enum { MAX_OPS = 4096 };

/* Orders operators by debug handle, those of one handle in the order of the graph. */
static int by_handle(const void *a, const void *b) {
  const handle_node *x = a, *y = b;
  if (x->handle != y->handle)
    return x->handle < y->handle ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/* Returns the operators of a graph that have a debug handle other than 0, sorted by it; none
 * without a graph, and when out of memory, for which the arena has failed. */
static handle_index index_handles(etr_arena *arena, const etr_graph *graph) {
  handle_index index = {
      .list = graph ? etr_arena_alloc_array(arena, graph->node_count, sizeof *index.list) : NULL};
  for (size_t i = 0; index.list && i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_OP && graph->nodes[i].debug_handle)
      index.list[index.count++] = (handle_node){graph->nodes[i].debug_handle, (uint32_t)i};
  if (index.count)
    qsort(index.list, index.count, sizeof *index.list, by_handle);
  return index;
}

/* Writes the op types of the nodes of the row's graph with a debug handle as JSON strings, `limit`
 * of them at most. Returns how many it wrote. */
static size_t put_handle_op_types(const etr_fields *f, const event_row *row, uint32_t handle,
                                  size_t limit) {
  const handle_index *index = &row->output->handles[row->block->method];
  const handle_node lowest = {handle, 0};
  size_t first = etr_lower_bound(&lowest, index->list, index->count, sizeof *index->list,
                                 by_handle);
  size_t written = 0;
  for (size_t i = first; i < index->count && written < limit; i++) {
    const handle_node *operator = &index->list[i];
    if (operator->handle != handle)
      break;
    etr_jw_string(f->json, row->graph->nodes[operator->node].op_type);
    written++;
  }
  return written;
}

/* Writes "op_types": the types of the operators with the event's debug handles, MAX_OPS at most.
 * Handles are sorted, so that equal ones, of which only the first counts, are neighbors. */
static void put_op_types(const etr_fields *f, const void *row) {
  const etr_event *event = as_row(row)->event;
  size_t rest = MAX_OPS;
  etr_field_begin_list(f, "op_types");
  for (size_t i = 0; as_row(row)->graph && i < event->handle_count; i++)
    if (i == 0 || event->handles[i] != event->handles[i - 1])
      rest -= put_handle_op_types(f, as_row(row), event->handles[i], rest);
  etr_jw_end(f->json);
}

/* Writes "nodes": the names of the nodes that an event's time is attributed to. */
static void put_nodes(const etr_fields *f, const void *row) {
  etr_field_begin_list(f, "nodes");
  for (size_t i = 0; as_row(row)->graph && i < as_row(row)->event->node_count; i++)
    etr_jw_string(f->json, etr_label_node(&as_row(row)->output->answer.arena, as_row(row)->graph,
                                          as_row(row)->event->nodes[i]));
  etr_jw_end(f->json);
}

/* Writes the duration of each sample: times in the document's unit, counts such as cycles as they
 * are. */
static void put_durations(const etr_fields *f, const void *row) {
  const etr_event *event = as_row(row)->event;
  etr_field_begin_list(f, "raw");
  for (size_t i = 0; i < event->sample_count; i++)
    if (event->unit == ETR_EVENT_UNIT_TIME)
      etr_jw_double(f->json, etr_ticks_to_unit(f->profile, (double)event->durations[i], f->unit));
    else
      etr_jw_uint(f->json, event->durations[i]);
  etr_jw_end(f->json);
}

/* Writes the metadata of each sample; null if there are none. */
static void put_metadata(const etr_fields *f, const void *row) {
  const etr_event *event = as_row(row)->event;
  if (!event->metadata) {
    etr_field_text(f, "delegate_debug_metadata", NULL);
    return;
  }
  etr_field_begin_list(f, "delegate_debug_metadata");
  for (size_t i = 0; i < event->sample_count; i++)
    put_text_or_base64(f->json, &as_row(row)->output->answer.arena, event->metadata[i]);
  etr_jw_end(f->json);
}

/* Writes where a tensor is in the debug buffer: its offset in bytes and its strides in elements,
 * or null where that is unknown. */
static void put_buffer_location(const etr_fields *f, const etr_debug_value *value) {
  bool is_known = value->kind == ETR_DEBUG_TENSOR && value->byte_size > 0;
  etr_jw_key(f->json, "offset");
  if (is_known)
    etr_jw_uint(f->json, value->offset);
  else
    etr_jw_null(f->json);
  etr_jw_key(f->json, "strides");
  if (!is_known || !value->strides) {
    etr_jw_null(f->json);
    return;
  }
  etr_jw_array(f->json);
  for (int32_t i = 0; i < value->rank; i++)
    etr_jw_int(f->json, value->strides[i]);
  etr_jw_end(f->json);
}

/* Writes under `key` a list of the values that an event logged, or if `event` is NULL of those that
 * the runs of the block returned, each with its run, where it is in the debug buffer, and
 * statistics. The list is empty if `logged`, the index of logged values, is NULL. */
static void put_logged_values(const etr_fields *f, etr_arena *arena, const char *key,
                              const etr_logged_rows *logged, const etr_block *block,
                              const etr_event *event) {
  etr_field_begin_list(f, key);
  for (uint32_t i = logged ? etr_logged_first(logged, f->profile, block, event) : ETR_NONE;
       i != ETR_NONE; i = logged->next[i]) {
    const etr_debug_value *value = &f->profile->debug_values[i];
    etr_jw_object(f->json);
    etr_field_count(f, "run", value->run);
    put_buffer_location(f, value);
    etr_field_logged(f, arena, value, value->stats);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static void put_values(const etr_fields *f, const void *row) {
  put_logged_values(f, &as_row(row)->output->answer.arena, "values", &as_row(row)->output->logged,
                    as_row(row)->block, as_row(row)->event);
}

/* ---- Fields ---- */

enum { EXACT = ETR_IN_FULL | ETR_IN_JSON };

#define EVENT(name) ETR_VIA(event_row, event, etr_event, name)
#define STATS(name) EVENT(stats.name), .has = is_timed, .step = clock_step, .own_unit = own_unit

enum {
  TYPICAL = 1 << ETR_STATISTIC_TYPICAL,
  AVG = 1 << ETR_STATISTIC_AVG,
  P50 = 1 << ETR_STATISTIC_P50,
};

static const etr_field fields[] = {
    {"event_block_name", "block", ETR_CELL_NAME, ETR_IN_FULL,
     ETR_VIA(event_row, block, etr_block, name)},
    {NULL, "method", ETR_CELL_NAME, ETR_IN_FULL, ETR_VIA(event_row, method, etr_method, name)},
    {"event_name", "event", ETR_CELL_NAME, ETR_IN_DATA | ETR_IN_JSON, EVENT(name)},
    {NULL, "event", ETR_CELL_NAME, ETR_IN_TEXT | ETR_IN_MARKDOWN, EVENT(label)},
    {"instruction_id", "instruction", ETR_CELL_COUNT, ETR_IN_ALL, EVENT(instruction_id),
     .heading = "instr", .spare = 2, .nullable = true},
    {"delegate_debug_identifier", .in = ETR_IN_JSON, .put = put_identifier,
     .type = "delegate_debug_identifier", .nullable = true},
    {"is_delegated_op", NULL, ETR_CELL_FLAG, ETR_IN_JSON, .get = is_delegated},
    {"delegate_backend_name", NULL, ETR_CELL_NAME, ETR_IN_JSON, EVENT(backend), .nullable = true},
    {"debug_handles", NULL, ETR_CELL_VALUES, ETR_IN_JSON, .parts = &etr_values_u32,
     .type = "wholes", ETR_ARRAY_VIA(event_row, event, etr_event, handles, handle_count)},
    {"op_types", .in = ETR_IN_JSON, .put = put_op_types,
     .says = ETR_SAYS("all operators with its handles"), .type = "texts"},
    {"nodes", .in = ETR_IN_JSON, .put = put_nodes,
     .says = ETR_SAYS("nodes that the event's time is attributed to; one in a body has its path: "
                      "true_graph_0/aten_sin_default"),
     .type = "texts"},
    {NULL, "node", ETR_CELL_NAME, ETR_IN_TABLES, .get = node,
     .says = ETR_SAYS("the first node that its time is attributed to")},
    {"match", "match", ETR_CELL_WORD, ETR_IN_ALL, .get = match, .type = "match"},
    {"confidence", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, EVENT(confidence), .has = has_node,
     .says = ETR_SAYS(
         "confidence of the nodes: 1 unless the match is an estimate, null without nodes")},
    {NULL, "calls", ETR_CELL_NUMBER, ETR_IN_FULL, .get = calls, .has = is_timed},
    {"role", "role", ETR_CELL_WORD, EXACT, .get = role,
     .says = ETR_SAYS(
         "what the event counts as: work; what wraps others, in no sum; a delegate's own time; "
         "a number that is no "
         "work. null: the runtime's own, or a load's"),
     .type = "event_role", .nullable = true},
    {"phase", "phase", ETR_CELL_WORD, EXACT, .get = phase,
     .says = ETR_SAYS("what a delegate's own time was spent on"), .type = "phase",
     .nullable = true},
    {"unit", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = unit,
     .says = ETR_SAYS(
         "ns: a time, in time_unit; otherwise raw, avg and the like are numbers as recorded"),
     .type = "event_unit"},
    {"delegate_debug_metadata", .in = ETR_IN_JSON, .put = put_metadata,
     .says = ETR_SAYS(
         "what the backend added, one per occurrence: text, or base64: and bytes that are not "
         "UTF-8; null if there "
         "is none"),
     .type = "delegate_debug_metadata", .nullable = true},
    {"note", NULL, ETR_CELL_NAME, ETR_IN_JSON, EVENT(note),
     .says = ETR_SAYS("what the metadata say, if their format is known"), .nullable = true},
    {"raw", .in = ETR_IN_JSON, .put = put_durations, .says = ETR_SAYS("one per occurrence"),
     .type = "numbers"},
    {"start_time", NULL, ETR_CELL_VALUES, ETR_IN_JSON, .parts = &etr_values_u64,
     .says = ETR_SAYS("ticks"), .type = "wholes",
     ETR_ARRAY_VIA(event_row, event, etr_event, starts, sample_count)},
    {"p10", NULL, ETR_CELL_TIME, ETR_IN_JSON, STATS(p10), .nullable = true},
    {"typical", "typical", ETR_CELL_TIME, ETR_IN_ALL, STATS(typical), .stats = TYPICAL,
     .nullable = true,
     .says = ETR_SAYS(
         "in the typical run of its block: the mean over the middle third of the block's runs")},
    {"p50", "p50", ETR_CELL_TIME, ETR_IN_ALL, STATS(p50), .stats = P50, .nullable = true},
    {"avg", "avg", ETR_CELL_TIME, ETR_IN_ALL, STATS(avg), .stats = AVG, .nullable = true},
    {NULL, "p50", ETR_CELL_TIME, ETR_IN_TEXT | ETR_IN_MARKDOWN, STATS(p50), .stats = TYPICAL | AVG,
     .spare = 3, .is_shown = shows_percentiles},
    {"p90", "p90", ETR_CELL_TIME, ETR_IN_ALL, STATS(p90), .spare = 1, .is_shown = shows_percentiles,
     .nullable = true},
    {"min", "min", ETR_CELL_TIME, EXACT, STATS(min), .nullable = true},
    {"max", "max", ETR_CELL_TIME, EXACT, STATS(max), .nullable = true},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_FULL, .own_unit = own_unit},
    {"values", .in = ETR_IN_JSON, .put = put_values,
     .says = ETR_SAYS("values logged by the event's instruction or delegate operator, run by run"),
     .type = "logged_values_of_run"},
};
ETR_ROW_TYPE(event, fields);

/* ---- JSON ---- */

/* Writes a block as an object: its runs, which have the same sequence of events, its method, and
 * the events that the filter takes. What the runs returned is of no event (NULL); a filter leaves
 * it out, because it is of no node. */
static void put_block_object(events_output *e, const etr_block *block) {
  const etr_fields *f = &e->answer.fields;
  const etr_method *method = block->method == ETR_NONE ? NULL : &f->profile->methods[block->method];
  etr_jw_object(f->json);
  etr_field_text(f, "event_block_name", block->name);
  etr_field_begin_list(f, "runs");
  for (size_t i = 0; i < block->run_count; i++)
    etr_jw_uint(f->json, block->runs[i]);
  etr_jw_end(f->json);
  etr_field_text(f, "method", method && method->name[0] ? method->name : NULL);
  etr_field_text(f, "method_rule", block->method_rule);
  etr_field_begin_list(f, "events");
  for (size_t i = 0; i < block->event_count; i++) {
    if (!etr_filter_takes_event(e->answer.filter, f->profile, method, &block->events[i]))
      continue;
    const event_row row = make_event_row(e, block, &block->events[i]);
    etr_jw_object(f->json);
    etr_field_put_members(f, &etr_event_fields, &row);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  put_logged_values(f, &e->answer.arena, "run_outputs",
                    etr_filter_is_active(e->answer.filter) ? NULL : &e->logged, block, NULL);
  etr_jw_end(f->json);
}

etr_status etr_emit_events_json(const etr_profile *profile, const etr_node_filter *filter,
                                etr_unit unit, const etr_sink *sink, etr_error *error) {
  events_output e = {0};
  etr_answer_begin_ranked_document(&e.answer, profile, filter, unit, sink, "events/1");
  e.handles = etr_arena_alloc_array(&e.answer.arena, profile->method_count, sizeof *e.handles);
  for (size_t i = 0; e.handles && i < profile->method_count; i++) {
    uint32_t graph = profile->methods[i].graph;
    e.handles[i] = index_handles(&e.answer.arena,
                                 graph == ETR_NONE ? NULL : &profile->graphs[graph]);
  }
  bool good = etr_logged_index_rows(&e.logged, &e.answer.arena, profile) && e.handles;
  etr_field_begin_list(&e.answer.fields, "blocks");
  for (size_t i = 0; good && i < profile->block_count; i++)
    if (etr_filter_takes_block(filter, profile, &profile->blocks[i]))
      put_block_object(&e, &profile->blocks[i]);
  etr_jw_end(&e.answer.json);
  return etr_answer_end(&e.answer, good, error);
}

/* ---- Tables ---- */

/* Returns the text by which an event is sorted before its time. Events without a node have "", so
 * that they come first when events are sorted by operator or module. */
static const char *sort_key(etr_node_order order, const event_row *row) {
  const etr_node *node = first_node(row);
  switch (order) {
  case ETR_ORDER_NAME:
    return row->event->label;
  case ETR_ORDER_OP:
    return node ? node->target : "";
  case ETR_ORDER_MODULE:
    return node ? row->graph->modules[node->module].path : "";
  default:
    return "";
  }
}

/* Writes the lines above a block's table: its name, runs and method, why it is that method, and
 * whether its times contain interruptions. The first block also says how the clock's ticks are
 * shown. */
static void put_block_title(events_output *e, const etr_block *block, bool is_first) {
  const etr_method *method = block->method == ETR_NONE ? NULL
                                                       : &e->answer.profile->methods[block->method];
  const char *name = method ? method->name : NULL;
  etr_arena *arena = &e->answer.arena;
  if (!is_first)
    etr_puts(&e->answer.writer, "\n");
  etr_section_line(&e->answer, ETR_STYLE_PLAIN, 0,
                   etr_arena_format(arena, "%s: %zu run%s%s%s%s, from run %u on; times are in %s",
                                    block->name, block->run_count, etr_plural(block->run_count),
                                    name ? " of " : "", name ? etr_label_method(name) : "",
                                    name && e->answer.profile->skip == ETR_SKIP_NONE
                                        ? " (all, as the Inspector counts them)"
                                        : "",
                                    block->run_count ? block->runs[0] : 0,
                                    etr_unit_name(e->answer.options->unit)));
  etr_section_line(&e->answer, ETR_STYLE_PLAIN, 2,
                   name && name[0]
                       ? etr_arena_format(arena, "(%s, because %s)", name, block->method_rule)
                       : etr_arena_format(arena, "(%s)", block->method_rule));
  if (is_first)
    etr_section_clock_note(&e->answer, e->answer.profile, 2);
  if (method)
    etr_section_line(
        &e->answer, ETR_STYLE_PLAIN, 2,
        etr_interruptions_note(arena, e->answer.profile, method, ETR_MEDIANS_OF_NODES));
  etr_put_filter(&e->answer.writer, &e->answer.arena, e->answer.filter);
}

/* Adds the events of a block that the filter takes to the table, and sorts them unless the options
 * ask for the order of execution. Rows of equal keys are sorted by time, the longest first; those
 * that count something else, such as cycles, come last. */
static void add_event_rows(events_output *e, const etr_block *block) {
  const etr_method *method = block->method == ETR_NONE ? NULL
                                                       : &e->answer.profile->methods[block->method];
  event_row *rows = etr_arena_alloc_array(&e->answer.arena, block->event_count, sizeof *rows);
  for (size_t i = 0; rows && i < block->event_count; i++) {
    if (!etr_filter_takes_event(e->answer.filter, e->answer.profile, method, &block->events[i]))
      continue;
    rows[i] = make_event_row(e, block, &block->events[i]);
    etr_table_add_row(&e->table, &rows[i], sort_key(e->answer.options->order, &rows[i]),
                      own_unit(&rows[i]) ? 0 : ranking_time(&rows[i]));
  }
  if (e->answer.options->order != ETR_ORDER_GRAPH)
    etr_table_sort(&e->table);
}

/* Writes below a block's table what the metadata of its events say, a line for each event whose
 * backend wrote metadata of a known format. */
static void put_event_notes(events_output *e, const etr_block *block) {
  const etr_method *method = block->method == ETR_NONE ? NULL
                                                       : &e->answer.profile->methods[block->method];
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    if (!event->note || !etr_filter_takes_event(e->answer.filter, e->answer.profile, method, event))
      continue;
    etr_section_line(&e->answer, ETR_STYLE_DIM, 2,
                     etr_arena_format(&e->answer.arena, "%s: %s", event->label, event->note));
  }
}

/* Writes the events of all blocks: in text a table for each block, in other formats one for all.
 * Blocks without events that the filter takes are left out; if none is left, text says so with the
 * filter. */
static void put_blocks(events_output *e) {
  bool is_text_table = etr_table_is_text(&e->table), has_any = false;
  for (size_t i = 0; i < e->answer.profile->block_count; i++) {
    const etr_block *block = &e->answer.profile->blocks[i];
    if (!etr_filter_takes_block(e->answer.filter, e->answer.profile, block))
      continue;
    add_event_rows(e, block);
    if (e->table.rows.count == 0)
      continue;
    if (is_text_table) {
      put_block_title(e, block, !has_any);
      e->table.context = block;
      etr_table_finish(&e->table);
      put_event_notes(e, block);
    } else
      etr_table_lay_out_rows(&e->table);
    has_any = true;
  }
  if (!is_text_table) {
    etr_table_write(&e->table);
  } else if (!has_any && etr_filter_is_active(e->answer.filter)) {
    etr_puts(&e->answer.writer, "no events: ");
    etr_put_filter(&e->answer.writer, &e->answer.arena, e->answer.filter);
  }
}

etr_status etr_emit_events_table(const etr_profile *profile, const etr_node_filter *filter,
                                 const etr_table_options *options, const etr_sink *sink,
                                 etr_error *error) {
  events_output e = {0};
  etr_answer_begin(&e.answer, profile, filter, options, sink);
  etr_table_init(&e.table, &e.answer, &etr_event_fields);
  e.table.each_has_digits = true;
  etr_table_choose_columns(&e.table);
  etr_table_add_origin_columns(&e.table);
  put_blocks(&e);
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&e.answer, true, error);
}
