/* SPDX-License-Identifier: BSD-3-Clause
 *
 * values_table.c - what runs logged, with the numbers of each tensor, as a table.
 */
#include "label.h"
#include "logged.h"
#include "node_filter.h"
#include "table.h"

#include <math.h>

typedef struct values_table {
  const etr_profile *profile;
  const etr_table_options *options;
  etr_arena arena;
  etr_writer writer;
  etr_table table;
  bool zeros, nan, inf; /* text: some value shown has any */
  bool tensors;         /* and some are tensors */
} values_table;

enum { TEXT_DIGITS = 5 };

/* What no node is told of is left out as soon as nodes are chosen by what they are. */
static bool takes(const values_table *t, const etr_node_filter *filter, const etr_debug_value *value) {
  const etr_graph *graph = etr_logged_graph(t->profile, value);
  if (!filter) return true;
  if (value->method != ETR_NONE ? !etr_filter_takes_method(filter, &t->profile->methods[value->method]) : filter->method != NULL) return false;
  if (graph && value->node != ETR_NONE) return etr_filter_takes_graph(filter, graph) && etr_filter_takes_node(filter, graph, value->node);
  return !filter->graph_module && !etr_filter_is_active(filter);
}

static const char *node_of(values_table *t, const etr_debug_value *value) {
  const etr_graph *graph = etr_logged_graph(t->profile, value);
  return graph && value->node != ETR_NONE ? etr_label_node(&t->arena, graph, value->node) : "";
}

static void add_count(values_table *t, uint64_t count) { etr_table_add(&t->table, etr_arena_format(&t->arena, "%llu", (unsigned long long)count)); }

static void add_numbers(values_table *t, const etr_logged *row, int digits) {
  const double numbers[] = {row->stats.min, row->stats.max, row->stats.mean};
  for (size_t i = 0; i < ETR_COUNT(numbers); i++)
    if (row->is_measured)
      etr_table_add_general(&t->table, numbers[i], digits);
    else
      etr_table_add(&t->table, "");
}

static const char *instruction_of(values_table *t, const etr_debug_value *value) {
  return value->instruction_id < 0 ? "" : etr_arena_format(&t->arena, "%d", (int)value->instruction_id);
}

static void add_text_row(values_table *t, const etr_logged *row) {
  const struct {
    bool shown;
    uint64_t count;
  } counts[] = {{t->nan, row->stats.nan_count}, {t->inf, row->stats.inf_count}};
  const char *type = etr_logged_type(&t->arena, row->value);
  etr_table_add(&t->table, etr_logged_origin(&t->arena, t->profile, row->value));
  etr_table_add(&t->table, instruction_of(t, row->value));
  etr_table_add(&t->table, row->varies ? etr_arena_format(&t->arena, "%s \xE2\x80\xA6", type) : type);
  add_numbers(t, row, TEXT_DIGITS);
  if (t->zeros) etr_table_add_share(&t->table, (double)row->stats.zero_count, row->stats.zero_count ? (double)row->stats.element_count : 0);
  for (size_t i = 0; i < ETR_COUNT(counts); i++)
    if (counts[i].shown) etr_table_add(&t->table, counts[i].count ? etr_arena_format(&t->arena, "%llu", (unsigned long long)counts[i].count) : "");
}

/* "2x4" */
static const char *shape_of(values_table *t, const etr_debug_value *value) {
  const char *text = "";
  for (int32_t i = 0; i < value->rank && text; i++) text = etr_arena_format(&t->arena, "%s%s%lld", text, i ? "x" : "", (long long)value->sizes[i]);
  return text;
}

static void add_full_row(values_table *t, const etr_logged *row) {
  const etr_debug_value *value = row->value;
  const uint64_t counts[] = {row->stats.element_count, row->stats.zero_count, row->stats.nan_count, row->stats.inf_count};
  etr_table_add(&t->table, value->method == ETR_NONE ? "" : t->profile->methods[value->method].name);
  etr_table_add(&t->table, node_of(t, value));
  etr_table_add(&t->table, instruction_of(t, value));
  etr_table_add(&t->table, value->delegate_id);
  etr_table_add(&t->table, etr_logged_role(value));
  add_count(t, value->index);
  etr_table_add(&t->table, value->kind == ETR_DEBUG_TENSOR ? value->dtype : etr_debug_kind_name(value->kind));
  etr_table_add(&t->table, row->varies ? "varies" : shape_of(t, value));
  add_count(t, row->run_count);
  add_numbers(t, row, 0);
  for (size_t i = 0; i < ETR_COUNT(counts); i++)
    if (row->is_measured)
      add_count(t, counts[i]);
    else
      etr_table_add(&t->table, "");
}

static void put_text(values_table *t, const etr_node_filter *filter, const etr_logged **rows, size_t count) {
  etr_column columns[9] = {{"logged value", false, true}, {"instr", true, false}, {"type", false, true},
                           {"min", true, false},          {"max", true, false},   {"mean", true, false}};
  size_t column_count = 6, shown = t->options->top ? ETR_MIN(count, t->options->top) : count;
  for (size_t i = 0; i < shown; i++) {
    t->tensors |= rows[i]->value->kind == ETR_DEBUG_TENSOR;
    t->zeros |= rows[i]->stats.zero_count > 0;
    t->nan |= rows[i]->stats.nan_count > 0;
    t->inf |= rows[i]->stats.inf_count > 0;
  }
  if (t->zeros) columns[column_count++] = (etr_column){"zeros", true, false};
  if (t->nan) columns[column_count++] = (etr_column){"NaN", true, false};
  if (t->inf) columns[column_count++] = (etr_column){"inf", true, false};
  etr_put_filter(&t->writer, &t->arena, filter);
  etr_table_init(&t->table, &t->arena, columns, column_count);
  etr_table_may_leave_out(&t->table, 1);
  etr_table_may_leave_out(&t->table, 2);
  for (size_t i = 0; i < shown; i++) add_text_row(t, rows[i]);
  if (count == 0)
    etr_puts(&t->writer, t->profile->debug_value_count ? "no logged values of these nodes\n" : "the runs logged no values\n");
  else
    etr_table_write(&t->table, &t->writer, ETR_TABLE_TEXT, t->options->width);
  if (shown < count) etr_putf(&t->writer, "%zu more: --top 0\n", count - shown);
  if (t->tensors && !t->profile->debug_buffer) etr_puts(&t->writer, "no debug buffer: the numbers of tensors are not known (--debug-buffer FILE)\n");
}

static void put_full(values_table *t, const etr_logged **rows, size_t count) {
  static const etr_column columns[] = {{"method", false, true},   {"node", false, true},  {"instruction", true, false}, {"delegate id", false, true},
                                       {"role", false, true},     {"index", true, false}, {"dtype", false, true},       {"shape", false, true},
                                       {"runs", true, false},     {"min", true, false},   {"max", true, false},         {"mean", true, false},
                                       {"elements", true, false}, {"zeros", true, false}, {"nan", true, false},         {"inf", true, false}};
  size_t shown = t->options->top ? ETR_MIN(count, t->options->top) : count;
  etr_table_init(&t->table, &t->arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; i < shown; i++) add_full_row(t, rows[i]);
  etr_table_write(&t->table, &t->writer, t->options->format, 0);
}

etr_status etr_emit_values_table(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options, const etr_sink *sink,
                                 etr_error *error) {
  static const etr_table_options defaults = {0};
  values_table t = {.profile = profile, .options = options ? options : &defaults};
  etr_logged_list list = {0};
  size_t count = 0;
  etr_error_clear(error);
  etr_writer_init(&t.writer, sink);
  etr_writer_look(&t.writer, t.options);
  bool good = etr_logged_merge(&list, &t.arena, profile);
  const etr_logged **rows = etr_arena_alloc_array(&t.arena, list.count, sizeof *rows);
  for (size_t i = 0; rows && i < list.count; i++)
    if (takes(&t, filter, list.rows[i].value)) rows[count++] = &list.rows[i];
  if (good && rows && t.options->format == ETR_TABLE_TEXT) put_text(&t, filter, rows, count);
  if (good && rows && t.options->format != ETR_TABLE_TEXT) put_full(&t, rows, count);
  return etr_writer_finish_with(&t.writer, &t.arena, error);
}
