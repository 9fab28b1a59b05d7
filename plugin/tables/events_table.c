/* SPDX-License-Identifier: BSD-3-Clause
 *
 * events_table.c - the event blocks as tables.
 */
#include "label.h"
#include "node_filter.h"
#include "table.h"

#include <stdlib.h>

typedef struct events_table {
  const etr_profile *profile;
  const etr_node_filter *filter;
  const etr_table_options *options;
  etr_arena arena;
  etr_writer writer;
  etr_table table; /* of the formats for programs: one over all blocks */
} events_table;

static const etr_column columns[] = {{"block", false, true}, {"method", false, true}, {"event", false, true}, {"instruction", true, false},
                                     {"node", false, true},  {"match", false, false}, {"calls", true, false}, {"avg", true, false},
                                     {"p50", true, false},   {"p90", true, false},    {"min", true, false},   {"max", true, false},
                                     {"unit", false, false}};
static const etr_column text_columns[] = {{"event", false, true}, {"instr", true, false}, {"node", false, true}, {"match", false, false},
                                          {"avg", true, false},   {"p50", true, false},   {"p90", true, false}};

static const size_t spare[] = {6, 1, 5}; /* of these, where the terminal is narrow */

static void add_number(events_table *t, const etr_event *event, double ticks) {
  bool exact = etr_table_is_for_programs(t->options->format);
  if (event->sample_count)
    (exact ? etr_table_add_exact_time : etr_table_add_time)(&t->table, t->profile, ticks, t->options->unit);
  else
    etr_table_add(&t->table, "");
}

static void add_names(events_table *t, const etr_block *block, const etr_event *event) {
  const etr_method *method = block->method == ETR_NONE ? NULL : &t->profile->methods[block->method];
  const etr_graph *graph = method && method->graph != ETR_NONE ? &t->profile->graphs[method->graph] : NULL;
  bool text = t->options->format == ETR_TABLE_TEXT;
  if (!text) {
    etr_table_add(&t->table, block->name);
    etr_table_add(&t->table, method ? method->name : "");
  }
  etr_table_add(&t->table, event->name);
  etr_table_add(&t->table, event->instruction_id < 0 ? "" : etr_arena_format(&t->arena, "%d", (int)event->instruction_id));
  etr_table_add(&t->table, graph && event->node_count ? etr_label_node(&t->arena, graph, event->nodes[0]) : "");
  etr_table_add(&t->table, etr_match_name(event->match));
}

static void add_event(events_table *t, const etr_block *block, const etr_event *event) {
  bool text = t->options->format == ETR_TABLE_TEXT;
  add_names(t, block, event);
  if (!text) etr_table_add(&t->table, etr_arena_format(&t->arena, "%zu", event->sample_count));
  add_number(t, event, event->stats.avg);
  add_number(t, event, event->stats.p50);
  add_number(t, event, event->stats.p90);
  if (text) return;
  add_number(t, event, event->stats.min);
  add_number(t, event, event->stats.max);
  etr_table_add(&t->table, etr_unit_name(t->options->unit));
}

/* A row and what it is sorted by; events stand in the order in which they ran. */
typedef struct row {
  const etr_event *event;
  const char *key; /* "" by time */
} row;

static int by_key(const void *a, const void *b) {
  const row *x = a, *y = b;
  int order = strcmp(x->key, y->key);
  if (order) return order;
  if (x->event->stats.avg != y->event->stats.avg) return x->event->stats.avg < y->event->stats.avg ? 1 : -1;
  return (x->event > y->event) - (x->event < y->event);
}

/* What has no node stands first where the order is one of nodes. */
static const char *sort_key(const events_table *t, const etr_block *block, const etr_event *event) {
  const etr_method *method = block->method == ETR_NONE ? NULL : &t->profile->methods[block->method];
  const etr_graph *graph = method && method->graph != ETR_NONE && event->node_count ? &t->profile->graphs[method->graph] : NULL;
  switch (t->options->order) {
  case ETR_ORDER_NAME: return event->name;
  case ETR_ORDER_OP: return graph ? graph->nodes[event->nodes[0]].target : "";
  case ETR_ORDER_MODULE: return graph ? graph->modules[graph->nodes[event->nodes[0]].module].path : "";
  default: return "";
  }
}

static void put_title(events_table *t, const etr_block *block) {
  const char *name = block->method == ETR_NONE ? NULL : t->profile->methods[block->method].name;
  const char *method = name && !name[0] ? "method not known" : name;
  etr_puts(&t->writer, t->table.cells.count ? "\n" : "");
  size_t width = t->options->width ? t->options->width : 100;
  const char *times = etr_arena_format(&t->arena, " \xC2\xB7 times in %s\n", etr_unit_name(t->options->unit));
  char *runs = etr_arena_format(&t->arena, " \xC2\xB7 %zu run%s from run %u%s", block->run_count, block->run_count == 1 ? "" : "s",
                                block->run_count ? block->runs[0] : 0, method ? " \xC2\xB7 " : "");
  etr_put_named(&t->writer, &t->arena, block->name, runs, width / 2);
  if (method)
    etr_put_named(&t->writer, &t->arena, method, times, width / 2);
  else if (times)
    etr_puts(&t->writer, times);
  char *rule = etr_arena_format(&t->arena, "(%s)", block->method_rule);
  if (rule) etr_put_wrapped(&t->writer, ETR_STYLE_PLAIN, rule, 2, width);
  etr_put_filter(&t->writer, &t->arena, t->filter);
}

static void add_block(events_table *t, const etr_block *block) {
  bool text = t->options->format == ETR_TABLE_TEXT;
  const etr_method *method = block->method == ETR_NONE ? NULL : &t->profile->methods[block->method];
  row *rows = etr_arena_alloc_array(&t->arena, block->event_count, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; rows && i < block->event_count; i++)
    if (etr_filter_takes_event(t->filter, t->profile, method, &block->events[i]))
      rows[count++] = (row){&block->events[i], sort_key(t, block, &block->events[i])};
  if (!rows || count == 0) return;
  size_t shown = t->options->top ? ETR_MIN(t->options->top, count) : count;
  if (t->options->order != ETR_ORDER_GRAPH) qsort(rows, count, sizeof *rows, by_key);
  if (text) {
    put_title(t, block);
    etr_table_init(&t->table, &t->arena, text_columns, ETR_COUNT(text_columns));
    for (size_t i = 0; i < ETR_COUNT(spare); i++) etr_table_may_leave_out(&t->table, spare[i]);
  }
  for (size_t i = 0; i < shown; i++) add_event(t, block, rows[i].event);
  if (text) etr_table_write(&t->table, &t->writer, ETR_TABLE_TEXT, t->options->width);
  if (text) etr_put_more(&t->writer, count - shown);
}

etr_status etr_emit_events_table(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options, const etr_sink *sink,
                                 etr_error *error) {
  static const etr_table_options defaults = {0};
  events_table t = {.profile = profile, .filter = filter, .options = options ? options : &defaults};
  etr_error_clear(error);
  etr_writer_init(&t.writer, sink);
  etr_writer_look(&t.writer, t.options);
  etr_table_init(&t.table, &t.arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; i < profile->block_count; i++) {
    if (etr_filter_takes_block(filter, profile, &profile->blocks[i])) add_block(&t, &profile->blocks[i]);
  }
  if (t.options->format != ETR_TABLE_TEXT) {
    etr_table_write(&t.table, &t.writer, t.options->format, 0);
  } else if (t.table.cells.count == 0 && etr_filter_is_active(filter)) {
    etr_puts(&t.writer, "no events: ");
    etr_put_filter(&t.writer, &t.arena, filter);
  }
  return etr_writer_finish_with(&t.writer, &t.arena, error);
}
