/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gap_output.c - values of both sides, side by side.
 */
#include "gap_output.h"

#include "logged.h"
#include "numeric_gap.h"
#include "output_gaps.h"

#include <math.h>
#include <stdlib.h>

/* Below this a difference is more than rounding: float16 has 11 bits, that is, 66 dB; int8 about 40. */
static const double LOW_SNR_DB = 40;

static bool is_equal(const etr_value_gap *gap) { return !gap->problem && gap->gap.unlike == 0 && gap->gap.max_abs_error == 0; }

static bool is_low(const etr_value_gap *gap) { return !gap->problem && (gap->gap.unlike > 0 || gap->gap.snr_db < LOW_SNR_DB); }

/* "aten_addmm_default", "output 0", "XnnpackBackend, argument 3" */
static const char *name_of(etr_arena *arena, const etr_comparison *comparison, const etr_method_pair *method, const etr_value_gap *gap) {
  const etr_debug_value *value = gap->newer;
  const char *node = gap->pair == ETR_NONE ? NULL : method->pairs[gap->pair].new_name;
  if (node) return value->index ? etr_arena_format(arena, "%s #%u", node, value->index) : node;
  return etr_logged_origin(arena, comparison->newer, value);
}

/* ---- Order ---- */

/* Worst first; what could not be compared last; equal ones as they were logged. */
static int by_gap(const void *a, const void *b) {
  const etr_value_gap *x = *(const etr_value_gap *const *)a, *y = *(const etr_value_gap *const *)b;
  if (!x->problem != !y->problem) return x->problem ? 1 : -1;
  int worse = x->problem ? 0 : etr_gap_worse(&x->gap, &y->gap);
  return worse ? -worse : (x > y) - (x < y);
}

static const etr_value_gap **sorted(etr_arena *arena, const etr_method_pair *method) {
  const etr_value_gap **list = etr_arena_alloc_array(arena, method->gap_count, sizeof *list);
  for (size_t i = 0; list && i < method->gap_count; i++) list[i] = &method->gaps[i];
  if (list && method->gap_count) qsort(list, method->gap_count, sizeof *list, by_gap);
  return list;
}

/* ---- Text and Markdown ---- */

typedef struct counts {
  size_t equal, problems, run_pairs;
  const char *problem; /* the first */
  const etr_value_gap *first_low;
} counts;

static counts count(const etr_method_pair *method) {
  counts c = {0};
  for (size_t i = 0; i < method->gap_count; i++) {
    const etr_value_gap *gap = &method->gaps[i];
    c.equal += is_equal(gap);
    c.problems += gap->problem != NULL;
    c.run_pairs = ETR_MAX(c.run_pairs, gap->run_pairs);
    if (gap->problem && !c.problem) c.problem = gap->problem;
    if (!c.first_low && is_low(gap)) c.first_low = gap;
  }
  return c;
}

static void put_summary(etr_diff_output *o, const etr_method_pair *method, const counts *c) {
  etr_putf(&o->writer, "numeric gap, the base as reference: %zu logged values on both sides, %zu equal, %zu differ", method->gap_count, c->equal,
           method->gap_count - c->equal - c->problems);
  if (c->problems) etr_putf(&o->writer, ", %zu not compared (%s)", c->problems, c->problem);
  etr_puts(&o->writer, "\n");
}

static void put_first(etr_diff_output *o, const etr_method_pair *method, const counts *c, bool markdown) {
  if (!c->first_low) return;
  const char *name = name_of(&o->arena, o->comparison, method, c->first_low);
  if (!name) return;
  etr_puts(&o->writer, "the first below 40 dB in the order of the run: ");
  if (markdown)
    etr_put_markdown(&o->writer, name);
  else
    etr_put_plain(&o->writer, name);
  etr_puts(&o->writer, "\n");
}

static size_t put_table(etr_diff_output *o, const etr_method_pair *method, etr_table_format format, size_t differ) {
  static const etr_column columns[] = {{"logged value", false, true}, {"type", false, true}, {"SNR dB", true, false},
                                       {"MSE", true, false},          {"L1", true, false},   {"max error", true, false}};
  const etr_value_gap **list = sorted(&o->arena, method);
  etr_table table;
  size_t shown = o->options->top ? ETR_MIN(differ, o->options->top) : differ;
  etr_table_init(&table, &o->arena, columns, ETR_COUNT(columns));
  etr_table_may_leave_out(&table, 4);
  etr_table_may_leave_out(&table, 1);
  for (size_t i = 0; list && i < shown; i++) {
    etr_table_add(&table, name_of(&o->arena, o->comparison, method, list[i]));
    etr_table_add(&table, etr_logged_type(&o->arena, list[i]->newer));
    etr_table_add_gap(&table, &list[i]->gap);
  }
  if (shown) etr_table_write(&table, &o->writer, format, o->options->width);
  return shown;
}

void etr_gap_put_section(etr_diff_output *o, const etr_method_pair *method, etr_table_format format) {
  bool markdown = format == ETR_TABLE_MARKDOWN;
  if (method->gap_count == 0) return;
  counts c = count(method);
  size_t differ = method->gap_count - c.equal - c.problems;
  if (!markdown) etr_puts(&o->writer, "\n");
  put_summary(o, method, &c);
  put_first(o, method, &c, markdown);
  if (markdown) etr_puts(&o->writer, "\n");
  size_t shown = put_table(o, method, format, differ);
  if (markdown && shown) etr_puts(&o->writer, "\n");
  if (shown < differ) etr_putf(&o->writer, "%zu of %zu; all: --top 0\n", shown, differ);
  if (shown)
    etr_putf(&o->writer, "worst of %zu pair%s of runs, in order: that they had the same inputs is not recorded\n", c.run_pairs,
             c.run_pairs == 1 ? "" : "s");
  if (markdown) etr_puts(&o->writer, "\n");
}

/* ---- One table ---- */

static void add_row(etr_diff_output *o, etr_table *table, const etr_method_pair *method, const etr_value_gap *gap) {
  const double numbers[] = {gap->gap.snr_db, gap->gap.mse, gap->gap.l1, gap->gap.max_abs_error};
  const uint64_t totals[] = {gap->gap.element_count, gap->gap.left_out, gap->gap.unlike};
  etr_table_add(table, method->name);
  etr_table_add(table, name_of(&o->arena, o->comparison, method, gap));
  etr_table_add(table, etr_logged_type(&o->arena, gap->base));
  etr_table_add(table, etr_logged_type(&o->arena, gap->newer));
  for (size_t i = 0; i < ETR_COUNT(numbers); i++)
    if (gap->problem)
      etr_table_add(table, "");
    else if (isinf(numbers[i]))
      etr_table_add(table, numbers[i] > 0 ? "inf" : "-inf");
    else
      etr_table_add_general(table, numbers[i], 0);
  for (size_t i = 0; i < ETR_COUNT(totals); i++)
    etr_table_add(table, gap->problem ? "" : etr_arena_format(&o->arena, "%llu", (unsigned long long)totals[i]));
  etr_table_add(table, etr_arena_format(&o->arena, "%zu", gap->run_pairs));
  etr_table_add(table, gap->problem);
}

void etr_gap_write_table(etr_diff_output *o) {
  static const etr_column columns[] = {
      {"method", false, false}, {"value", false, false},    {"base_type", false, false},    {"new_type", false, false}, {"snr_db", true, false},
      {"mse", true, false},     {"l1", true, false},        {"max_abs_error", true, false}, {"elements", true, false},  {"left_out", true, false},
      {"unlike", true, false},  {"run_pairs", true, false}, {"problem", false, false}};
  etr_table table;
  etr_table_init(&table, &o->arena, columns, ETR_COUNT(columns));
  for (size_t i = 0; i < o->comparison->method_count; i++) {
    const etr_method_pair *method = &o->comparison->methods[i];
    if (!etr_diff_takes_method(o->filter, method)) continue;
    const etr_value_gap **list = sorted(&o->arena, method);
    size_t shown = o->options->top ? ETR_MIN(method->gap_count, o->options->top) : method->gap_count;
    for (size_t k = 0; list && k < shown; k++) add_row(o, &table, method, list[k]);
  }
  etr_table_write(&table, &o->writer, o->options->format, 0);
}

/* ---- JSON ---- */

void etr_field_gaps(const etr_fields *fields, const etr_method_pair *method) {
  etr_field_list(fields, "numeric_gap");
  for (size_t i = 0; i < method->gap_count; i++) {
    const etr_value_gap *gap = &method->gaps[i];
    const etr_node_pair *pair = gap->pair == ETR_NONE ? NULL : &method->pairs[gap->pair];
    etr_jw_object(fields->json);
    etr_field_text(fields, "base_node", pair ? pair->base_name : NULL);
    etr_field_text(fields, "new_node", pair ? pair->new_name : NULL);
    etr_field_text(fields, "role", etr_logged_role(gap->newer));
    etr_field_count(fields, "index", gap->newer->index);
    etr_jw_key(fields->json, "instruction_id");
    if (gap->newer->instruction_id < 0)
      etr_jw_null(fields->json);
    else
      etr_jw_int(fields->json, gap->newer->instruction_id);
    etr_field_count(fields, "base_run", gap->base->run);
    etr_field_count(fields, "new_run", gap->newer->run);
    etr_field_count(fields, "run_pairs", gap->run_pairs);
    etr_field_text(fields, "problem", gap->problem);
    etr_field_gap(fields, gap->problem ? NULL : &gap->gap);
    etr_jw_end(fields->json);
  }
  etr_jw_end(fields->json);
}
