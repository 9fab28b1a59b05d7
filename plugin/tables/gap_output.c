/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gap_output.c - values of both sides, side by side.
 */
#include "tables/diff_output.h"

#include "views/logged.h"

#include <math.h>
#include <stdlib.h>

/* Below this a difference is more than rounding: float16 has 11 bits, that is, 66 dB; int8
 * about 40. */
static const double LOW_SNR_DB = 40;

/* Returns true if both sides logged exactly the same value. */
static bool is_equal(const etr_value_gap *gap) {
  return !gap->problem && gap->gap.unlike == 0 && gap->gap.max_abs_error == 0;
}

/* Returns true if the values differ by more than rounding: NaNs or infinities are not the same, or
 * the signal-to-noise ratio is below 40 dB. */
static bool is_below_low_snr(const etr_value_gap *gap) {
  return !gap->problem && (gap->gap.unlike > 0 || gap->gap.snr_db < LOW_SNR_DB);
}

/* ---- Order ---- */

/* Compares gaps: the worst comes first, and values that could not be compared come last. Equal gaps
 * keep the order of logging. */
static int by_worst_gap(const void *a, const void *b) {
  const etr_value_gap *x = *(const etr_value_gap *const *)a, *y = *(const etr_value_gap *const *)b;
  if (!x->problem != !y->problem)
    return x->problem ? 1 : -1;
  int worse = x->problem ? 0 : etr_gap_worse(&x->gap, &y->gap);
  return worse ? -worse : (x > y) - (x < y);
}

/* Returns the gaps of a method, the worst first; NULL when out of memory. */
static const etr_value_gap **sorted_gaps(etr_arena *arena, const etr_method_pair *method) {
  const etr_value_gap **sorted = etr_arena_alloc_array(arena, method->gap_count, sizeof *sorted);
  for (size_t i = 0; sorted && i < method->gap_count; i++)
    sorted[i] = &method->gaps[i];
  if (sorted && method->gap_count)
    qsort(sorted, method->gap_count, sizeof *sorted, by_worst_gap);
  return sorted;
}

/* ---- Fields ---- */

typedef struct gap_row {
  etr_diff_output *output;
  const etr_method_pair *method;
  const etr_value_gap *gap;
  const etr_numeric_gap *numbers; /* NULL: not compared */
  const etr_node_pair *pair;      /* NULL: none */
} gap_row;

/* Makes the row of a value: its gap is NULL if it could not be compared, and its pair of nodes NULL
 * if that is not known. */
static gap_row make_gap_row(etr_diff_output *o, const etr_method_pair *method,
                            const etr_value_gap *gap) {
  return (gap_row){o, method, gap, gap->problem ? NULL : &gap->gap,
                   gap->pair == ETR_NONE ? NULL : &method->pairs[gap->pair]};
}

static const gap_row *as_row(const void *row) {
  return row;
}

/* Returns the name of a value: "aten_addmm_default", "output 0" or "XnnpackBackend, argument 3".
 * NULL when out of memory. */
static const char *value_name(const gap_row *row) {
  etr_arena *arena = &row->output->answer.arena;
  const etr_debug_value *value = row->gap->newer;
  const char *node = row->pair ? row->pair->new_name : NULL;
  if (!node)
    return etr_logged_origin(arena, row->output->comparison->newer, value);
  return etr_logged_numbered(arena, row->output->comparison->newer, value, node);
}

static etr_cell value(const void *row) {
  return etr_cell_text(value_name(as_row(row)));
}
static etr_cell base_type(const void *row) {
  return etr_cell_text(etr_logged_type(&as_row(row)->output->answer.arena, as_row(row)->gap->base));
}
static etr_cell new_type(const void *row) {
  return etr_cell_text(
      etr_logged_type(&as_row(row)->output->answer.arena, as_row(row)->gap->newer));
}
static etr_cell snr(const void *row) {
  return etr_gap_snr(&as_row(row)->output->answer.arena, as_row(row)->numbers);
}
static etr_cell role(const void *row) {
  return etr_cell_text(etr_logged_role(as_row(row)->gap->newer));
}
static etr_cell index(const void *row) {
  return etr_cell_number(as_row(row)->gap->newer->index);
}
/* Returns which of its node's outputs the value is; no number for a result of the method, which is
 * known by its index, or if it is not known. */
static etr_cell output(const void *row) {
  const etr_debug_value *value = as_row(row)->gap->newer;
  return etr_cell_number(value->output == ETR_NONE || value->is_output ? NAN
                                                                       : (double)value->output);
}
static etr_cell base_run(const void *row) {
  return etr_cell_number(as_row(row)->gap->base->run);
}
static etr_cell new_run(const void *row) {
  return etr_cell_number(as_row(row)->gap->newer->run);
}
static etr_cell instruction(const void *row) {
  int32_t id = as_row(row)->gap->newer->instruction_id;
  return id < 0 ? etr_cell_none() : etr_cell_number(id);
}
static void put_gap_members(const etr_fields *f, const void *row) {
  etr_field_gap(f, as_row(row)->numbers);
}

enum { PEOPLE = ETR_IN_OWN, EXACT = ETR_IN_DATA | ETR_IN_JSON };

#define GAP(name) ETR_VIA(gap_row, gap, etr_value_gap, name)
#define NUMBER(name) ETR_VIA(gap_row, numbers, etr_numeric_gap, name)
#define PAIR(name) ETR_VIA(gap_row, pair, etr_node_pair, name)

static const etr_field fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_DATA, ETR_VIA(gap_row, method, etr_method_pair, name)},
    {NULL, "value", ETR_CELL_NAME, ETR_IN_DATA, .get = value},
    {NULL, "base_type", ETR_CELL_WORD, ETR_IN_DATA, .get = base_type},
    {NULL, "new_type", ETR_CELL_WORD, ETR_IN_DATA, .get = new_type},
    {NULL, "snr_db", ETR_CELL_NUMBER, ETR_IN_DATA, NUMBER(snr_db), .digits = ETR_ALL_DIGITS},
    {NULL, "mse", ETR_CELL_NUMBER, ETR_IN_DATA, NUMBER(mse), .digits = ETR_ALL_DIGITS},
    {NULL, "l1", ETR_CELL_NUMBER, ETR_IN_DATA, NUMBER(l1), .digits = ETR_ALL_DIGITS},
    {NULL, "max_abs_error", ETR_CELL_NUMBER, ETR_IN_DATA, NUMBER(max_abs_error),
     .digits = ETR_ALL_DIGITS},
    {NULL, "elements", ETR_CELL_COUNT, ETR_IN_DATA, NUMBER(element_count)},
    {NULL, "left_out", ETR_CELL_COUNT, ETR_IN_DATA, NUMBER(left_out)},
    {NULL, "unlike", ETR_CELL_COUNT, ETR_IN_DATA, NUMBER(unlike)},

    {"base_node", NULL, ETR_CELL_NAME, ETR_IN_JSON, PAIR(base_name),
     .says = ETR_SAYS("null: a result of the method, or a value known only by its instruction"),
     .nullable = true},
    {"new_node", NULL, ETR_CELL_NAME, ETR_IN_JSON, PAIR(new_name), .nullable = true},
    {"role", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = role, .type = "logged_role"},
    {"index", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = index},
    {"output", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = output,
     .says = ETR_SAYS("which of the node's outputs"), .nullable = true},
    {"instruction_id", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = instruction, .nullable = true},
    {"base_run", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = base_run,
     .says = ETR_SAYS("from the pair of runs that differs most, like the gap")},
    {"new_run", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = new_run},
    {"run_pairs", "run_pairs", ETR_CELL_COUNT, EXACT, GAP(run_pairs)},
    {"problem", "problem", ETR_CELL_NAME, EXACT, GAP(problem),
     .says = ETR_SAYS("why they could not be compared"), .nullable = true},
    {"", .in = ETR_IN_JSON, .put = put_gap_members, .type = "numeric_gap"},

    {NULL, "logged value", ETR_CELL_NAME, PEOPLE, .get = value},
    {NULL, "type", ETR_CELL_NAME, PEOPLE, .get = new_type, .spare = 2},
    {NULL, "SNR dB", ETR_CELL_NUMBER, PEOPLE, .get = snr},
    {NULL, "MSE", ETR_CELL_NUMBER, PEOPLE, NUMBER(mse), .digits = ETR_GAP_DIGITS},
    {NULL, "L1", ETR_CELL_NUMBER, PEOPLE, NUMBER(l1), .digits = ETR_GAP_DIGITS, .spare = 1},
    {NULL, "max error", ETR_CELL_NUMBER, PEOPLE, NUMBER(max_abs_error), .digits = ETR_GAP_DIGITS},
};
ETR_ROW_TYPE(gap, fields);

/* ---- Text and Markdown ---- */

typedef struct counts {
  size_t equal, problems, run_pairs;
  const char *problem; /* the first */
  const etr_value_gap *first_low;
} counts;

/* Counts the values of a method that are equal and that could not be compared, and finds the first
 * reason for that, and the first value in the order of execution that is below 40 dB. */
static counts count_gaps(const etr_method_pair *method) {
  counts count = {0};
  for (size_t i = 0; i < method->gap_count; i++) {
    const etr_value_gap *gap = &method->gaps[i];
    count.equal += is_equal(gap);
    count.problems += gap->problem != NULL;
    count.run_pairs = ETR_MAX(count.run_pairs, gap->run_pairs);
    if (gap->problem && !count.problem)
      count.problem = gap->problem;
    if (!count.first_low && is_below_low_snr(gap))
      count.first_low = gap;
  }
  return count;
}

/* Writes how many values are equal, differ, or could not be compared, with one reason. */
static void put_gap_counts(etr_diff_output *o, const etr_method_pair *method, const counts *count) {
  etr_putf(&o->answer.writer,
           "numeric gap to the base: %zu values logged on both sides, %zu equal, %zu differ",
           method->gap_count, count->equal, method->gap_count - count->equal - count->problems);
  if (count->problems)
    etr_putf(&o->answer.writer, ", %zu not compared (%s)", count->problems, count->problem);
  etr_puts(&o->answer.writer, "\n");
}

/* Writes the name of the first value, in the order of execution, that differs much: its SNR is
 * below 40 dB. */
static void put_first_low_value(etr_diff_output *o, const etr_method_pair *method,
                                const counts *count, bool is_markdown) {
  const gap_row row = make_gap_row(o, method, count->first_low);
  const char *name = value_name(&row);
  if (!name)
    return;
  etr_puts(&o->answer.writer, "first below 40 dB, in order of execution: ");
  (is_markdown ? etr_put_markdown : etr_put_sanitized)(&o->answer.writer, name);
  etr_puts(&o->answer.writer, "\n");
}

/* Adds the `limit` values of a method that differ most to the table, the worst first. */
static void add_worst_gaps(etr_diff_output *o, etr_table *table, const etr_method_pair *method,
                           size_t limit) {
  const etr_value_gap **sorted = sorted_gaps(&o->answer.arena, method);
  gap_row *rows = etr_arena_alloc_array(&o->answer.arena, method->gap_count, sizeof *rows);
  for (size_t i = 0; sorted && rows && i < limit; i++)
    rows[i] = make_gap_row(o, method, sorted[i]);
  etr_table_add_rows(table, ETR_ROWS(rows, sorted && rows ? limit : 0));
}

void etr_gap_write_section(etr_diff_output *o, const etr_method_pair *method) {
  bool markdown = o->answer.options->format == ETR_TABLE_MARKDOWN;
  etr_table table;
  if (method->gap_count == 0)
    return;
  counts c = count_gaps(method);
  size_t differ = method->gap_count - c.equal - c.problems;
  if (!markdown)
    etr_puts(&o->answer.writer, "\n");
  put_gap_counts(o, method, &c);
  if (c.first_low)
    put_first_low_value(o, method, &c, markdown);
  if (markdown)
    etr_puts(&o->answer.writer, "\n");
  etr_table_init(&table, &o->answer, &etr_gap_fields);
  table.medium = PEOPLE;
  add_worst_gaps(o, &table, method, differ);
  size_t shown = differ - etr_table_lay_out_rows(&table);
  if (shown)
    etr_table_write(&table);
  if (markdown && shown)
    etr_puts(&o->answer.writer, "\n");
  if (shown < differ)
    etr_putf(&o->answer.writer, "%zu of %zu; all: --top 0\n", shown, differ);
  if (shown)
    etr_putf(&o->answer.writer,
             "worst of %zu pair%s of runs, paired in order; whether they had the same inputs is "
             "not recorded\n",
             c.run_pairs, etr_plural(c.run_pairs));
  if (markdown)
    etr_puts(&o->answer.writer, "\n");
}

/* ---- One table ---- */

void etr_gap_write_table(etr_diff_output *o) {
  etr_table table;
  etr_table_init(&table, &o->answer, &etr_gap_fields);
  for (size_t i = 0; i < o->comparison->method_count; i++) {
    const etr_method_pair *method = &o->comparison->methods[i];
    if (!etr_diff_takes_method(o->filter, method))
      continue;
    add_worst_gaps(o, &table, method, method->gap_count);
    etr_table_lay_out_rows(&table);
  }
  etr_table_write(&table);
}

/* ---- JSON ---- */

void etr_field_put_gaps(const etr_fields *f, const etr_method_pair *method) {
  etr_field_begin_list(f, "numeric_gap");
  for (size_t i = 0; i < method->gap_count; i++) {
    /* NULL: members of JSON need no answer, only tables do. */
    const gap_row row = make_gap_row(NULL, method, &method->gaps[i]);
    etr_jw_object(f->json);
    etr_field_put_members(f, &etr_gap_fields, &row);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}
