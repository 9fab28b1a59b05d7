/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output_gaps.c - outputs against their reference.
 */
#include "output_gaps.h"

#include "logged.h"
#include "numeric_gap.h"

#include <math.h>

enum { GAP_DIGITS = 4 };

void etr_table_add_gap(etr_table *table, const etr_numeric_gap *gap) {
  const double numbers[] = {gap->mse, gap->l1, gap->max_abs_error};
  if (gap->unlike)
    etr_table_add(table, etr_arena_format(table->arena, "%llu NaN/inf", (unsigned long long)gap->unlike));
  else if (isinf(gap->snr_db))
    etr_table_add(table, gap->snr_db > 0 ? "equal" : "reference is 0");
  else
    etr_table_add_number(table, gap->snr_db, 1);
  for (size_t i = 0; i < ETR_COUNT(numbers); i++) etr_table_add_general(table, numbers[i], GAP_DIGITS);
}

/* An output that could not be compared counts as worse than any that was. */
static bool is_worse(const etr_output_gap *a, const etr_output_gap *b) {
  if (a->problem || b->problem) return a->problem && !b->problem;
  return etr_gap_worse(&a->gap, &b->gap) > 0;
}

/* The worst run of an output, and how many runs have it; NULL if none has. */
static const etr_output_gap *worst_of(const etr_profile *profile, uint32_t method, uint32_t output, size_t *runs) {
  const etr_output_gap *worst = NULL;
  *runs = 0;
  for (size_t i = 0; i < profile->output_gap_count; i++) {
    const etr_output_gap *gap = &profile->output_gaps[i];
    if (gap->method != method || gap->output != output) continue;
    ++*runs;
    if (!worst || is_worse(gap, worst)) worst = gap;
  }
  return worst;
}

void etr_put_output_gaps(etr_writer *writer, etr_arena *arena, const etr_profile *profile, uint32_t method, size_t width) {
  static const etr_column columns[] = {{"output", true, false}, {"type", false, true},      {"SNR dB", true, false}, {"MSE", true, false},
                                       {"L1", true, false},     {"max error", true, false}, {"of run", true, false}, {"", false, true}};
  etr_table table;
  size_t runs;
  const etr_output_gap *worst = worst_of(profile, method, 0, &runs);
  if (!worst) return;
  const char *title = etr_arena_format(arena, "outputs against the record's reference \xC2\xB7 the worst of %zu run%s (%s)", runs,
                                       runs == 1 ? "" : "s", worst->rule);
  etr_puts(writer, "\n");
  if (title) etr_put_wrapped(writer, ETR_STYLE_PLAIN, title, 0, width ? width : 100);
  etr_table_init(&table, arena, columns, ETR_COUNT(columns));
  etr_table_may_leave_out(&table, 4);
  etr_table_may_leave_out(&table, 3);
  for (uint32_t output = 0; (worst = worst_of(profile, method, output, &runs)); output++) {
    etr_table_add(&table, etr_arena_format(arena, "%u", output));
    etr_table_add(&table, worst->value ? etr_logged_type(arena, worst->value) : "");
    if (!worst->problem) etr_table_add_gap(&table, &worst->gap);
    for (int i = 0; worst->problem && i < 4; i++) etr_table_add(&table, "");
    etr_table_add(&table, etr_arena_format(arena, "%u", worst->run));
    etr_table_add(&table, worst->problem);
  }
  etr_table_write(&table, writer, ETR_TABLE_TEXT, width);
}

void etr_field_gap(const etr_fields *fields, const etr_numeric_gap *gap) {
  const struct {
    const char *key;
    double number;
  } numbers[] = {{"mse", gap ? gap->mse : NAN},
                 {"l1", gap ? gap->l1 : NAN},
                 {"max_abs_error", gap ? gap->max_abs_error : NAN},
                 {"snr_db", gap ? gap->snr_db : NAN}};
  const struct {
    const char *key;
    uint64_t count;
  } counts[] = {{"elements", gap ? gap->element_count : 0}, {"left_out", gap ? gap->left_out : 0}, {"unlike", gap ? gap->unlike : 0}};
  for (size_t i = 0; i < ETR_COUNT(numbers); i++) etr_field_number(fields, numbers[i].key, numbers[i].number);
  for (size_t i = 0; i < ETR_COUNT(counts); i++)
    if (gap)
      etr_field_count(fields, counts[i].key, counts[i].count);
    else
      etr_field_text(fields, counts[i].key, NULL);
}

void etr_field_output_gaps(const etr_fields *fields, uint32_t method) {
  etr_field_list(fields, "output_gaps");
  for (size_t i = 0; i < fields->profile->output_gap_count; i++) {
    const etr_output_gap *gap = &fields->profile->output_gaps[i];
    if (gap->method != method) continue;
    etr_jw_object(fields->json);
    etr_field_count(fields, "run", gap->run);
    etr_field_count(fields, "output", gap->output);
    etr_field_count(fields, "set", gap->set);
    etr_field_text(fields, "rule", gap->rule);
    etr_field_text(fields, "problem", gap->problem);
    etr_field_gap(fields, gap->problem ? NULL : &gap->gap);
    etr_jw_end(fields->json);
  }
  etr_jw_end(fields->json);
}
