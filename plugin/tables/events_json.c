/* SPDX-License-Identifier: BSD-3-Clause
 *
 * events_json.c - the event blocks as ExecuTorch's Inspector has them, joined to nodes, as JSON.
 */
#include "label.h"
#include "logged.h"
#include "node_filter.h"

#include <math.h>
#include <stdlib.h>

/* Operators of a graph by debug handle, for op_types. */
typedef struct handle_node {
  uint32_t handle, node;
} handle_node;

typedef struct handle_index {
  const etr_graph *graph; /* NULL: none */
  etr_arena *arena;
  handle_node *list;
  size_t count;
} handle_index;

/* More operators at an event's handles than any real model has. */
enum { MAX_OPS = 4096 };

static int by_handle(const void *a, const void *b) {
  const handle_node *x = a, *y = b;
  if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static void index_handles(handle_index *index, etr_arena *arena, const etr_graph *graph) {
  *index = (handle_index){.graph = graph, .arena = arena};
  index->list = graph ? etr_arena_alloc_array(arena, graph->node_count, sizeof *index->list) : NULL;
  for (size_t i = 0; index->list && i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_OP && graph->nodes[i].debug_handle)
      index->list[index->count++] = (handle_node){graph->nodes[i].debug_handle, (uint32_t)i};
  if (index->count) qsort(index->list, index->count, sizeof *index->list, by_handle);
}

static size_t first_of_handle(const handle_index *index, uint32_t handle) {
  handle_node wanted = {handle, 0};
  return etr_lower_bound(&wanted, index->list, index->count, sizeof *index->list, by_handle);
}

static void put_op_types(etr_fields *f, const handle_index *index, const etr_event *event) {
  size_t put = 0;
  etr_field_list(f, "op_types");
  for (size_t i = 0; i < event->handle_count; i++) {
    if (i > 0 && event->handles[i] == event->handles[i - 1]) continue;
    for (size_t k = first_of_handle(index, event->handles[i]); k < index->count && index->list[k].handle == event->handles[i] && put < MAX_OPS;
         k++, put++)
      etr_jw_string(f->json, index->graph->nodes[index->list[k].node].op_type);
  }
  etr_jw_end(f->json);
}

static void put_identifier(etr_fields *f, const etr_event *event) {
  etr_jw_key(f->json, "delegate_debug_identifier");
  if (event->delegate_id && event->delegate_id_is_int)
    etr_jw_int(f->json, strtoll(event->delegate_id, NULL, 10));
  else
    etr_jw_string(f->json, event->delegate_id);
}

static void put_handles(etr_fields *f, const etr_event *event) {
  etr_field_list(f, "debug_handles");
  for (size_t i = 0; i < event->handle_count; i++) etr_jw_uint(f->json, event->handles[i]);
  etr_jw_end(f->json);
}

static void put_nodes(etr_fields *f, const handle_index *index, const etr_event *event) {
  etr_field_list(f, "nodes");
  for (size_t i = 0; index->graph && i < event->node_count; i++)
    etr_jw_string(f->json, etr_label_node(index->arena, index->graph, event->nodes[i]));
  etr_jw_end(f->json);
}

static void put_samples(etr_fields *f, const etr_event *event) {
  etr_field_list(f, "raw");
  for (size_t i = 0; i < event->sample_count; i++) etr_jw_double(f->json, etr_ticks_to_unit(f->profile, (double)event->durations[i], f->unit));
  etr_jw_end(f->json);
  etr_field_list(f, "start_time");
  for (size_t i = 0; i < event->sample_count; i++) etr_jw_uint(f->json, event->starts[i]);
  etr_jw_end(f->json);
}

/* What an event logged, or, event NULL, what the runs of the block returned. */
static void put_values(etr_fields *f, const etr_logged_rows *logged, const etr_block *block, const etr_event *event) {
  for (uint32_t i = etr_logged_first(logged, f->profile, block, event); i != ETR_NONE; i = logged->next[i]) {
    const etr_debug_value *value = &f->profile->debug_values[i];
    etr_jw_object(f->json);
    etr_field_count(f, "run", value->run);
    etr_field_logged(f, value, value->stats);
    etr_jw_end(f->json);
  }
}

static void put_event(etr_fields *f, const handle_index *index, const etr_logged_rows *logged, const etr_block *block, const etr_event *event) {
  etr_jw_object(f->json);
  etr_field_text(f, "event_name", event->name);
  etr_jw_key(f->json, "instruction_id");
  if (event->instruction_id >= 0)
    etr_jw_int(f->json, event->instruction_id);
  else
    etr_jw_null(f->json);
  put_identifier(f, event);
  etr_field_flag(f, "is_delegated_op", event->delegate_id != NULL);
  etr_field_text(f, "delegate_backend_name", event->backend);
  put_handles(f, event);
  put_op_types(f, index, event);
  put_nodes(f, index, event);
  etr_field_text(f, "match", etr_match_name(event->match));
  etr_field_number(f, "confidence", event->node_count ? event->confidence : NAN);
  put_samples(f, event);
  etr_field_stats(f, &event->stats);
  etr_field_list(f, "values");
  put_values(f, logged, block, event);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

static void put_block(etr_fields *f, const etr_node_filter *filter, const etr_block *block, const handle_index *indices,
                      const etr_logged_rows *logged) {
  static const handle_index none = {0};
  const etr_method *method = block->method == ETR_NONE ? NULL : &f->profile->methods[block->method];
  etr_jw_object(f->json);
  etr_field_text(f, "event_block_name", block->name);
  etr_field_list(f, "runs");
  for (size_t i = 0; i < block->run_count; i++) etr_jw_uint(f->json, block->runs[i]);
  etr_jw_end(f->json);
  etr_field_text(f, "method", method && method->name[0] ? method->name : NULL);
  etr_field_text(f, "method_rule", block->method_rule);
  etr_field_list(f, "events");
  for (size_t i = 0; i < block->event_count; i++)
    if (etr_filter_takes_event(filter, f->profile, method, &block->events[i]))
      put_event(f, method ? &indices[block->method] : &none, logged, block, &block->events[i]);
  etr_jw_end(f->json);
  etr_field_list(f, "run_outputs");
  if (!etr_filter_is_active(filter)) put_values(f, logged, block, NULL);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

etr_status etr_emit_events_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_fields f = {profile, unit, &json};
  etr_arena arena = {0};
  handle_index *indices = etr_arena_alloc_array(&arena, profile->method_count, sizeof *indices);
  for (size_t i = 0; indices && i < profile->method_count; i++)
    index_handles(&indices[i], &arena, profile->methods[i].graph == ETR_NONE ? NULL : &profile->graphs[profile->methods[i].graph]);
  etr_logged_rows logged;
  bool good = etr_logged_index_rows(&logged, &arena, profile);
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&f, "schema", "etrecord-tb/events/1");
  etr_field_text(&f, "time_unit", etr_unit_name(unit));
  etr_jw_key(&json, "blocks");
  etr_jw_array(&json);
  for (size_t i = 0; indices && good && i < profile->block_count; i++) {
    if (etr_filter_takes_block(filter, profile, &profile->blocks[i])) put_block(&f, filter, &profile->blocks[i], indices, &logged);
  }
  etr_jw_end(&json);
  etr_jw_end(&json);
  return etr_writer_finish_with(&writer, &arena, error);
}
