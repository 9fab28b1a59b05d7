/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation_output.c - what is delegated, as JSON and as tables.
 */
#include "delegation_output.h"

#include "delegation.h"
#include "node_filter.h"
#include "table.h"

#include <stdlib.h>

/* ---- JSON ---- */

static void put_average(const etr_fields *f, const char *key, const etr_method *method, const etr_delegation_side *side) {
  if (method->run_count && side->timed)
    etr_field_ticks(f, key, (double)side->ticks / (double)method->run_count);
  else
    etr_field_text(f, key, NULL);
}

bool etr_delegation_put(const etr_fields *f, etr_arena *arena, const etr_method *method, const etr_node_filter *filter) {
  etr_delegation delegation;
  if (!etr_delegation_make(&delegation, arena, f->profile, method, filter)) return false;
  etr_jw_object(f->json);
  etr_field_text(f, "method", method->name);
  etr_field_count(f, "delegated_subgraphs", delegation.subgraphs);
  etr_field_count(f, "delegated_nodes", delegation.delegated_nodes);
  etr_field_count(f, "non_delegated_nodes", delegation.non_delegated_nodes);
  etr_field_list(f, "operators");
  for (size_t i = 0; i < delegation.count; i++) {
    const etr_delegation_row *row = &delegation.rows[i];
    etr_jw_object(f->json);
    etr_field_text(f, "op_type", row->op_type);
    etr_field_count(f, "delegated", row->delegated.nodes);
    etr_field_count(f, "non_delegated", row->rest.nodes);
    put_average(f, "delegated_avg", method, &row->delegated);
    put_average(f, "non_delegated_avg", method, &row->rest);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  etr_jw_end(f->json);
  return true;
}

static bool is_wanted(const etr_method *method, const etr_node_filter *filter) {
  return method->graph != ETR_NONE && etr_filter_takes_method(filter, method);
}

etr_status etr_emit_delegation_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink,
                                    etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_arena arena = {0};
  etr_fields f = {profile, unit, &json};
  bool good = true;
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&f, "schema", "etrecord-tb/delegation/1");
  etr_field_text(&f, "time_unit", etr_unit_name(unit));
  etr_field_list(&f, "methods");
  for (size_t i = 0; good && i < profile->method_count; i++)
    if (is_wanted(&profile->methods[i], filter)) good = etr_delegation_put(&f, &arena, &profile->methods[i], filter);
  etr_jw_end(&json);
  etr_jw_end(&json);
  return etr_writer_finish_with(&writer, &arena, error);
}

/* ---- Tables ---- */

typedef struct tables {
  const etr_profile *profile;
  const etr_node_filter *filter;
  const etr_table_options *options;
  etr_arena arena;
  etr_writer writer;
  etr_table table;
} tables;

static const etr_column columns[] = {{"method", false, true},        {"operator", false, true},      {"delegated", true, false},
                                     {"not delegated", true, false}, {"delegated avg", true, false}, {"not delegated avg", true, false},
                                     {"unit", false, false}};
static const etr_column text_columns[] = {
    {"operator", false, true}, {"delegated", true, false}, {"avg", true, false}, {"not delegated", true, false}, {"avg", true, false}};

static void add_average(tables *t, const etr_method *method, const etr_delegation_side *side) {
  bool exact = etr_table_is_for_programs(t->options->format);
  if (method->run_count && side->timed)
    (exact ? etr_table_add_exact_time : etr_table_add_time)(&t->table, t->profile, (double)side->ticks / (double)method->run_count, t->options->unit);
  else
    etr_table_add(&t->table, "");
}

/* Most time first; rows without times stay by operator type. */
static int by_time(const void *a, const void *b) {
  const etr_delegation_row *x = *(const etr_delegation_row *const *)a, *y = *(const etr_delegation_row *const *)b;
  uint64_t time_x = x->delegated.ticks + x->rest.ticks, time_y = y->delegated.ticks + y->rest.ticks;
  if (time_x != time_y) return time_x < time_y ? 1 : -1;
  return (x > y) - (x < y);
}

static void put_title(tables *t, const etr_method *method, const etr_delegation *delegation) {
  etr_puts(&t->writer, t->table.cells.count ? "\n" : "");
  bool timed = method->run_count > 0;
  char *rest = etr_arena_format(&t->arena, " \xC2\xB7 %zu delegated subgraph%s \xC2\xB7 %zu nodes delegated, %zu not%s%s\n", delegation->subgraphs,
                                delegation->subgraphs == 1 ? "" : "s", delegation->delegated_nodes, delegation->non_delegated_nodes,
                                timed ? " \xC2\xB7 times in " : "", timed ? etr_unit_name(t->options->unit) : "");
  etr_put_named(&t->writer, &t->arena, method->name, rest, t->options->width);
  etr_put_filter(&t->writer, &t->arena, t->filter);
}

static bool add_method(tables *t, const etr_method *method) {
  etr_delegation delegation;
  bool text = t->options->format == ETR_TABLE_TEXT;
  if (!etr_delegation_make(&delegation, &t->arena, t->profile, method, t->filter)) return false;
  const etr_delegation_row **order = etr_arena_alloc_array(&t->arena, delegation.count, sizeof *order);
  size_t shown = t->options->top ? ETR_MIN(t->options->top, delegation.count) : delegation.count;
  if (!order) return false;
  for (size_t i = 0; i < delegation.count; i++) order[i] = &delegation.rows[i];
  if (delegation.count && t->options->order == ETR_ORDER_TIME) qsort(order, delegation.count, sizeof *order, by_time);
  if (text) put_title(t, method, &delegation);
  if (text) etr_table_init(&t->table, &t->arena, text_columns, ETR_COUNT(text_columns));
  for (size_t i = 0; i < shown; i++) {
    const etr_delegation_row *row = order[i];
    if (!text) etr_table_add(&t->table, method->name);
    etr_table_add(&t->table, row->op_type);
    etr_table_add(&t->table, etr_arena_format(&t->arena, "%zu", row->delegated.nodes));
    if (text) add_average(t, method, &row->delegated);
    etr_table_add(&t->table, etr_arena_format(&t->arena, "%zu", row->rest.nodes));
    if (!text) add_average(t, method, &row->delegated);
    add_average(t, method, &row->rest);
    if (!text) etr_table_add(&t->table, etr_unit_name(t->options->unit));
  }
  if (text && shown) etr_table_write(&t->table, &t->writer, ETR_TABLE_TEXT, t->options->width);
  if (text) etr_put_more(&t->writer, delegation.count - shown);
  return true;
}

etr_status etr_emit_delegation_tables(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                                      const etr_sink *sink, etr_error *error) {
  static const etr_table_options defaults = {0};
  tables t = {.profile = profile, .filter = filter, .options = options ? options : &defaults};
  bool good = true;
  etr_error_clear(error);
  etr_writer_init(&t.writer, sink);
  etr_writer_look(&t.writer, t.options);
  etr_table_init(&t.table, &t.arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; good && i < profile->method_count; i++)
    if (is_wanted(&profile->methods[i], filter)) good = add_method(&t, &profile->methods[i]);
  if (!good) t.writer.status = ETR_ERROR_MEMORY;
  if (t.options->format != ETR_TABLE_TEXT) etr_table_write(&t.table, &t.writer, t.options->format, 0);
  return etr_writer_finish_with(&t.writer, &t.arena, error);
}
