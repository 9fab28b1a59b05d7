/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output_gaps.c - outputs against their reference.
 */
#include "views/output_gaps.h"

#include "views/logged.h"

#include <math.h>

etr_cell etr_gap_snr(etr_arena *arena, const etr_numeric_gap *gap) {
  if (!gap) return etr_cell_none();
  if (gap->unlike) return etr_cell_text(etr_arena_format(arena, "%llu NaN/inf", (unsigned long long)gap->unlike));
  if (isinf(gap->snr_db)) return etr_cell_text(gap->snr_db > 0 ? "equal" : "reference is 0");
  return (etr_cell){.number = gap->snr_db, .decimals = 1};
}

/* An output that could not be compared counts as worse than any that was. */
static bool is_worse(const etr_output_gap *a, const etr_output_gap *b) {
  if (a->problem || b->problem) return a->problem && !b->problem;
  return etr_gap_worse(&a->gap, &b->gap) > 0;
}

static int by_method(const void *a, const void *b) {
  uint32_t x = ((const etr_output_gap *)a)->method, y = ((const etr_output_gap *)b)->method;
  return (x > y) - (x < y);
}

static const etr_output_gap *gaps_of(const etr_profile *profile, uint32_t method, size_t *count) {
  const etr_output_gap *list = profile->output_gaps, wanted = {.method = method};
  size_t first = etr_lower_bound(&wanted, list, profile->output_gap_count, sizeof *list, by_method), end = first;
  while (end < profile->output_gap_count && list[end].method == method) end++;
  *count = end - first;
  return *count ? &list[first] : NULL;
}

/* The worst run of an output, and how many runs have it. */
typedef struct worst_run {
  etr_arena *arena;
  const etr_output_gap *gap;
  const etr_numeric_gap *numbers; /* NULL: not compared */
  size_t runs;
} worst_run;

/* Of each output that any run of the method has. NULL if none has, or when out of memory. */
static worst_run *find_worst(etr_arena *arena, const etr_output_gap *gaps, size_t gap_count, size_t *count) {
  *count = 0;
  for (size_t i = 0; i < gap_count; i++) *count = ETR_MAX(*count, (size_t)gaps[i].output + 1);
  worst_run *worst = etr_arena_alloc_array(arena, *count, sizeof *worst);
  for (size_t i = 0; worst && i < gap_count; i++) {
    worst_run *w = &worst[gaps[i].output];
    w->arena = arena;
    w->runs++;
    if (!w->gap || is_worse(&gaps[i], w->gap)) w->gap = &gaps[i];
    w->numbers = w->gap->problem ? NULL : &w->gap->gap;
  }
  return worst;
}

static etr_cell type(const void *row) {
  const worst_run *worst = row;
  return etr_cell_text(worst->gap->value ? etr_logged_type(worst->arena, worst->gap->value) : "");
}

static etr_cell snr(const void *row) {
  return etr_gap_snr(((const worst_run *)row)->arena, ((const worst_run *)row)->numbers);
}

#define GAP(name) ETR_VIA(worst_run, gap, etr_output_gap, name)
#define NUMBER(name) ETR_VIA(worst_run, numbers, etr_numeric_gap, name), .digits = ETR_GAP_DIGITS

static const etr_field worst_fields[] = {
    {NULL, "output", ETR_CELL_COUNT, ETR_IN_TEXT, GAP(output)},
    {NULL, "type", ETR_CELL_NAME, ETR_IN_TEXT, .get = type},
    {NULL, "SNR dB", ETR_CELL_NUMBER, ETR_IN_TEXT, .get = snr},
    {NULL, "MSE", ETR_CELL_NUMBER, ETR_IN_TEXT, NUMBER(mse), .spare = 2},
    {NULL, "L1", ETR_CELL_NUMBER, ETR_IN_TEXT, NUMBER(l1), .spare = 1},
    {NULL, "max error", ETR_CELL_NUMBER, ETR_IN_TEXT, NUMBER(max_abs_error)},
    {NULL, "of run", ETR_CELL_COUNT, ETR_IN_TEXT, GAP(run)},
    {NULL, "", ETR_CELL_NAME, ETR_IN_TEXT, GAP(problem)},
};

void etr_put_output_gaps(etr_answer *answer, uint32_t method) {
  etr_sheet sheet;
  size_t gap_count, count;
  const etr_output_gap *gaps = gaps_of(answer->profile, method, &gap_count);
  const worst_run *outputs = gaps ? find_worst(&answer->arena, gaps, gap_count, &count) : NULL;
  if (!outputs) return;
  const char *title = etr_arena_format(
      &answer->arena, "outputs against the record's reference outputs \xC2\xB7 worst of %zu run%s (%s)", outputs->runs,
      outputs->runs == 1 ? "" : "s", outputs->gap->rule);
  etr_puts(&answer->writer, "\n");
  if (title) etr_put_wrapped(&answer->writer, ETR_STYLE_PLAIN, title, 0, etr_answer_text_width(answer));
  etr_sheet_init(&sheet, answer, ETR_FIELDS(worst_fields));
  sheet.top = 0;
  etr_sheet_add_rows(&sheet, ETR_ROWS(outputs, count));
  etr_sheet_fill(&sheet);
  etr_sheet_write(&sheet);
}

/* Of a pointer, NULL where nothing was compared. */
#define COMPARED(name) ETR_MEMBER_OF(etr_numeric_gap, name, 0)

static const etr_field gap_fields[] = {
    {"mse", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, COMPARED(mse), .nullable = true},
    {"l1", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, COMPARED(l1), .nullable = true},
    {"max_abs_error", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, COMPARED(max_abs_error), .nullable = true},
    {"snr_db", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, COMPARED(snr_db),
     .says = "also null if there is no difference, or the reference is all 0", .nullable = true},
    {"elements", NULL, ETR_CELL_COUNT, ETR_IN_JSON, COMPARED(element_count), .nullable = true},
    {"left_out", NULL, ETR_CELL_COUNT, ETR_IN_JSON, COMPARED(left_out), .says = "pairs that contain NaN or infinity",
     .nullable = true},
    {"unlike", NULL, ETR_CELL_COUNT, ETR_IN_JSON, COMPARED(unlike), .says = "those that differ", .nullable = true},
};
ETR_ROW_TYPE(numeric_gap, gap_fields);

void etr_field_gap(const etr_fields *fields, const etr_numeric_gap *gap) {
  etr_field_put_all(fields, &etr_numeric_gap_fields, &gap);
}

void etr_field_output_gaps(const etr_fields *fields, uint32_t method) {
  size_t count;
  const etr_output_gap *gaps = gaps_of(fields->profile, method, &count);
  etr_field_list(fields, "output_gaps");
  for (size_t i = 0; i < count; i++) {
    const etr_output_gap *gap = &gaps[i];
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
