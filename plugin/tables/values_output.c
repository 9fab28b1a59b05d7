/* SPDX-License-Identifier: BSD-3-Clause
 *
 * values_output.c - what runs logged, with the numbers of each tensor, as a table.
 */
#include "output/label.h"
#include "output/node_filter.h"
#include "output/table.h"
#include "views/logged.h"

typedef struct values_output {
  etr_answer answer;
  etr_table table;
  bool shows_tensors; /* some values shown are tensors */
} values_output;

typedef struct value_row {
  values_output *output;
  const etr_logged *logged;
  const etr_debug_value *value;
} value_row;

static const value_row *as_row(const void *row) {
  return row;
}
static etr_arena *arena_of(const void *row) {
  return &as_row(row)->output->answer.arena;
}
static bool is_text(const void *row) {
  return etr_table_is_text(&as_row(row)->output->table);
}

/* ---- Cells ---- */

static etr_cell origin(const void *row) {
  return etr_cell_text(
      etr_logged_origin(arena_of(row), as_row(row)->output->answer.profile, as_row(row)->value));
}

/* Returns the method that logged a value; no text if it is not known. */
static etr_cell method(const void *row) {
  uint32_t index = as_row(row)->value->method;
  return etr_cell_text(
      index == ETR_NONE ? NULL : as_row(row)->output->answer.profile->methods[index].name);
}

/* Returns the name of the node that produced a value; no text if it is not known. */
static etr_cell node(const void *row) {
  const etr_graph *graph = etr_logged_graph(as_row(row)->output->answer.profile,
                                            as_row(row)->value);
  return etr_cell_text(graph && as_row(row)->value->node != ETR_NONE
                           ? etr_label_node(arena_of(row), graph, as_row(row)->value->node)
                           : NULL);
}

/* Returns the name of the result in the graph: "getitem_1" for a split. */
static etr_cell result(const void *row) {
  const etr_graph *graph = etr_logged_graph(as_row(row)->output->answer.profile,
                                            as_row(row)->value);
  etr_edge origin = etr_debug_value_origin(as_row(row)->output->answer.profile, as_row(row)->value);
  return etr_cell_text(
      origin.node == ETR_NONE ? NULL : graph->nodes[origin.node].outputs[origin.output].name);
}

/* Returns type and shape of a value, with "…" if runs logged different shapes. */
static etr_cell type(const void *row) {
  const char *text = etr_logged_type(arena_of(row), as_row(row)->value);
  return etr_cell_text(as_row(row)->logged->varies
                           ? etr_arena_format(arena_of(row), "%s \xE2\x80\xA6", text)
                           : text);
}

static etr_cell role(const void *row) {
  return etr_cell_text(etr_logged_role(as_row(row)->value));
}

/* Returns the number type of a tensor, or else what kind of value it is, such as "int". */
static etr_cell dtype(const void *row) {
  const etr_debug_value *value = as_row(row)->value;
  return etr_cell_text(value->kind == ETR_DEBUG_TENSOR ? value->dtype
                                                       : etr_debug_kind_name(value->kind));
}

/* Returns the shape of a value as "2x4", or "varies" if runs logged different ones. */
static etr_cell shape(const void *row) {
  const etr_debug_value *value = as_row(row)->value;
  etr_text text;
  etr_writer writer;
  if (as_row(row)->logged->varies)
    return etr_cell_text("varies");
  etr_text_begin(&text, arena_of(row), &writer);
  for (int32_t i = 0; i < value->rank; i++) {
    if (i > 0)
      etr_puts(&writer, "x");
    etr_put_int(&writer, value->sizes[i]);
  }
  return etr_cell_text(etr_text_end(&text, &writer));
}

/* Returns a number that was computed from a tensor's elements; no number if the tensor was not
 * read. Text has five digits, other formats all. */
static etr_cell statistic_cell(const void *row, double number) {
  enum { TEXT_DIGITS = 5 };
  return (etr_cell){.number = as_row(row)->logged->is_measured ? number : NAN,
                    .digits = is_text(row) ? TEXT_DIGITS : ETR_ALL_DIGITS};
}

/* Returns a count of a tensor's elements, which is blank in text if it is 0, and elsewhere if the
 * tensor was not read. */
static etr_cell count_cell(const void *row, uint64_t number) {
  bool is_shown = is_text(row) ? number > 0 : as_row(row)->logged->is_measured;
  return is_shown ? etr_cell_number((double)number) : etr_cell_none();
}

static etr_cell min(const void *row) {
  return statistic_cell(row, as_row(row)->logged->stats.min);
}
static etr_cell max(const void *row) {
  return statistic_cell(row, as_row(row)->logged->stats.max);
}
static etr_cell mean(const void *row) {
  return statistic_cell(row, as_row(row)->logged->stats.mean);
}
static etr_cell elements(const void *row) {
  return count_cell(row, as_row(row)->logged->stats.element_count);
}
static etr_cell zeros(const void *row) {
  return count_cell(row, as_row(row)->logged->stats.zero_count);
}
static etr_cell nan_count(const void *row) {
  return count_cell(row, as_row(row)->logged->stats.nan_count);
}
static etr_cell inf_count(const void *row) {
  return count_cell(row, as_row(row)->logged->stats.inf_count);
}

/* Returns the share of a tensor's elements that are 0; no cell if none is. */
static etr_cell zeros_share(const void *row) {
  const etr_tensor_stats *stats = &as_row(row)->logged->stats;
  return stats->zero_count ? etr_cell_share((double)stats->zero_count, (double)stats->element_count)
                           : etr_cell_none();
}

/* ---- Fields ---- */

#define VALUE(name) ETR_VIA(value_row, value, etr_debug_value, name)

static const etr_field fields[] = {
    {NULL, "logged value", ETR_CELL_NAME, ETR_IN_TEXT, .get = origin},
    {NULL, "method", ETR_CELL_NAME, ETR_IN_FULL, .get = method},
    {NULL, "node", ETR_CELL_NAME, ETR_IN_FULL, .get = node},
    {NULL, "instruction", ETR_CELL_COUNT, ETR_IN_TABLES, VALUE(instruction_id), .heading = "instr",
     .spare = 1},
    {NULL, "type", ETR_CELL_NAME, ETR_IN_TEXT, .get = type, .spare = 2},
    {NULL, "delegate id", ETR_CELL_NAME, ETR_IN_FULL, VALUE(delegate_id)},
    {NULL, "role", ETR_CELL_WORD, ETR_IN_FULL, .get = role},
    {NULL, "index", ETR_CELL_COUNT, ETR_IN_FULL, VALUE(index)},
    {NULL, "result", ETR_CELL_NAME, ETR_IN_FULL, .get = result},
    {NULL, "dtype", ETR_CELL_WORD, ETR_IN_FULL, .get = dtype},
    {NULL, "shape", ETR_CELL_WORD, ETR_IN_FULL, .get = shape},
    {NULL, "runs", ETR_CELL_COUNT, ETR_IN_FULL, ETR_VIA(value_row, logged, etr_logged, run_count)},
    {NULL, "min", ETR_CELL_NUMBER, ETR_IN_TABLES, .get = min},
    {NULL, "max", ETR_CELL_NUMBER, ETR_IN_TABLES, .get = max},
    {NULL, "mean", ETR_CELL_NUMBER, ETR_IN_TABLES, .get = mean},
    {NULL, "elements", ETR_CELL_COUNT, ETR_IN_FULL, .get = elements},
    {NULL, "zeros", ETR_CELL_SHARE, ETR_IN_TEXT, .get = zeros_share, .hides_zeros = true},
    {NULL, "zeros", ETR_CELL_COUNT, ETR_IN_FULL, .get = zeros},
    {NULL, "nan", ETR_CELL_COUNT, ETR_IN_TABLES, .get = nan_count, .hides_zeros = true,
     .heading = "NaN"},
    {NULL, "inf", ETR_CELL_COUNT, ETR_IN_TABLES, .get = inf_count, .hides_zeros = true},
};
ETR_ROW_TYPE(logged_value, fields);

/* ---- Rows ---- */

/* Returns true if the filter selects a value. A value whose node is not known is left out if the
 * filter selects by graph, module, operator or backend. */
static bool is_selected(const etr_answer *answer, const etr_debug_value *value) {
  const etr_node_filter *filter = answer->filter;
  const etr_graph *graph = etr_logged_graph(answer->profile, value);
  if (!filter)
    return true;
  bool has_method = value->method != ETR_NONE;
  if (!has_method && filter->method)
    return false;
  if (has_method && !etr_filter_takes_method(filter, &answer->profile->methods[value->method]))
    return false;
  if (graph && value->node != ETR_NONE)
    return etr_filter_takes_graph(filter, graph) &&
           etr_filter_takes_node(filter, graph, value->node);
  return !filter->graph_module && !etr_filter_is_active(filter);
}

/* Adds the values that the filter takes to the table, in the order of logging, and sets
 * shows_tensors if any row that will be shown (at most --top) is of a tensor. */
static void add_selected_values(values_output *v, const etr_logged_list *list) {
  value_row *rows = etr_arena_alloc_array(&v->answer.arena, list->count, sizeof *rows);
  for (size_t i = 0; rows && i < list->count; i++) {
    rows[i] = (value_row){v, &list->rows[i], list->rows[i].value};
    if (is_selected(&v->answer, rows[i].value))
      /* "", 0: rows stay in the order in which they are added. */
      etr_table_add_row(&v->table, &rows[i], "", 0);
  }
  for (size_t i = 0; i < etr_table_shown_count(&v->table); i++) {
    const value_row *row = v->table.rows.data[i].row;
    v->shows_tensors |= row->value->kind == ETR_DEBUG_TENSOR;
  }
}

/* Writes the table of logged values as text, or that there are none, how many are not shown, and
 * that tensors are unknown without a debug buffer. */
static void write_text(values_output *v) {
  etr_writer *writer = &v->answer.writer;
  bool has_rows = v->table.rows.count > 0;
  etr_put_filter(writer, &v->answer.arena, v->answer.filter);
  size_t hidden_count = etr_table_lay_out_rows(&v->table);
  if (has_rows)
    etr_table_write(&v->table);
  else
    etr_puts(writer, v->answer.profile->debug_value_count ? "these nodes logged no values\n"
                                                          : "the runs logged no values\n");
  if (hidden_count)
    etr_putf(writer, "%zu more: --top 0\n", hidden_count);
  if (v->shows_tensors && !v->answer.profile->debug_buffer)
    etr_puts(writer, "no debug buffer: tensor values are unknown (--debug-buffer FILE)\n");
}

etr_status etr_emit_values_table(const etr_profile *profile, const etr_node_filter *filter,
                                 const etr_table_options *options, const etr_sink *sink,
                                 etr_error *error) {
  values_output v = {0};
  etr_logged_list list = {0};
  etr_answer_begin(&v.answer, profile, filter, options, sink);
  etr_table_init(&v.table, &v.answer, &etr_logged_value_fields);
  etr_table_choose_columns(&v.table);
  etr_table_add_origin_columns(&v.table);
  bool good = etr_logged_merge(&list, &v.answer.arena, profile);
  add_selected_values(&v, &list);
  if (etr_table_is_text(&v.table)) {
    write_text(&v);
  } else {
    etr_table_lay_out_rows(&v.table);
    etr_table_write(&v.table);
  }
  return etr_answer_end(&v.answer, good, error);
}
