/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_accuracy.c - the accuracy of logged values in the dashboard's document: a row for each
 * value, and how its elements and those of its reference are distributed.
 */
#include "report/profile_doc.h"
#include "tables/summary_output.h"
#include "views/accuracy_view.h"

#include <math.h>

/* A value in the document: the worst of its inputs. */
typedef struct document_value {
  etr_accuracy_row row;
  double rank; /* place in the ranking, 0 is the most suspicious; NaN: not compared */
  uint32_t operator, carried; /* rows of the operators that logged and that computed it; ETR_NONE */
} document_value;

static const document_value *as_value(const void *row) {
  return row;
}
static const etr_value_accuracy *value_of(const void *row) {
  return as_value(row)->row.value;
}
static bool is_compared(const void *row) {
  return as_value(row)->row.gap != NULL;
}
static bool has_steps(const void *row) {
  return is_compared(row) && value_of(row)->is_integer;
}

static etr_cell finite_cell(double number) {
  return etr_cell_number(isfinite(number) ? number : NAN);
}
static etr_cell snr(const void *row) {
  return finite_cell(is_compared(row) ? value_of(row)->gap.snr_db : NAN);
}
static etr_cell is_equal(const void *row) {
  return etr_cell_number(is_compared(row) && etr_gap_is_equal(&value_of(row)->gap));
}
static etr_cell drop(const void *row) {
  return finite_cell(is_compared(row) ? value_of(row)->drop_db : NAN);
}
static etr_cell local(const void *row) {
  return finite_cell(as_value(row)->row.local ? value_of(row)->local.snr_db : NAN);
}
static etr_cell psnr(const void *row) {
  return finite_cell(is_compared(row) ? value_of(row)->gap.psnr_db : NAN);
}
static etr_cell steps_off(const void *row) {
  return etr_cell_share((double)value_of(row)->steps_off, (double)value_of(row)->gap.element_count);
}

static bool has_statistics(const void *row) {
  return value_of(row)->statistic_count > 0;
}
static etr_cell tap_text(const void *row) {
  return etr_cell_text(
      has_statistics(row) ? etr_accuracy_tap_text(as_value(row)->row.arena, value_of(row)) : NULL);
}

#define GAP(name) ETR_VIA(document_value, row.gap, etr_numeric_gap, name)

static const etr_field fields[] = {
    {"operator", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(document_value, operator),
     .says = ETR_SAYS("index into operators: the node that logged it")},
    {"computed_by", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(document_value, carried),
     .says = ETR_SAYS(
         "index into operators: the same, or the operator whose value a quantize or dequantize "
         "node carries")},
    {"rank", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, ETR_AT(document_value, rank),
     .says = ETR_SAYS("place in the ranking: 0 is the most suspicious value; null: not compared")},
    {"name", NULL, ETR_CELL_NAME, ETR_IN_DOCUMENT, ETR_AT(document_value, row.name)},
    {"role", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, ETR_AT(document_value, row.role),
     .says = ETR_SAYS("value, output or tap")},
    {"input", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT,
     ETR_VIA(document_value, row.value, etr_value_accuracy, input),
     .says = ETR_SAYS("input of the reference: the worst")},
    {"snr_db", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, .get = snr,
     .says = ETR_SAYS("null: not compared, or nothing differs")},
    {"equal", NULL, ETR_CELL_FLAG, ETR_IN_DOCUMENT, .get = is_equal,
     .says = ETR_SAYS("nothing differs, or snr_db is above 100")},
    {"drop_db", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, .get = drop,
     .says = ETR_SAYS(
         "lowest SNR of the nearest compared values that it depends on, minus its own; each "
         "counts as at least "
         "0 and at most 20 above that of the worst output")},
    {"local_snr_db", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, .get = local,
     .says = ETR_SAYS(
         "against what the reference computes from the values that the device logged before")},
    {"psnr_db", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, .get = psnr},
    {"mse", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, GAP(mse)},
    {"max_abs", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT, GAP(max_abs_error)},
    {"nonfinite", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, GAP(unlike),
     .says = ETR_SAYS("elements with a wrong NaN or infinity")},
    {"steps_off", NULL, ETR_CELL_SHARE, ETR_IN_DOCUMENT, .get = steps_off, .has = has_steps,
     .says = ETR_SAYS("share of the stored integers that differ")},
    {"most_steps", NULL, ETR_CELL_NUMBER, ETR_IN_DOCUMENT,
     ETR_VIA(document_value, row.value, etr_value_accuracy, most_steps), .has = has_steps},
    {"problem", NULL, ETR_CELL_NAME, ETR_IN_DOCUMENT,
     ETR_VIA(document_value, row.value, etr_value_accuracy, problem),
     .says = ETR_SAYS("why it was not compared")},
    {"statistics", NULL, ETR_CELL_NAME, ETR_IN_DOCUMENT, .get = tap_text,
     .says = ETR_SAYS(
         "of a tap that returned statistics instead of a tensor: the one that differs most")},
};
ETR_ROW_TYPE(document_accuracy, fields);

/* Writes under a key the array of how many elements are in each bucket of a distribution. */
static void put_bucket_counts(etr_jw *json, const char *key, const uint64_t *counts) {
  etr_jw_key(json, key);
  etr_jw_array(json);
  for (size_t i = 0; i < ETR_SPREAD_BUCKETS; i++)
    etr_jw_uint(json, counts[i]);
  etr_jw_end(json);
}

/* Writes the list of distributions, of the most suspicious values first: for each value that has
 * one, its index among the values, the range and counts of its elements and of the reference's, and
 * those of its errors. Returns false when out of memory. */
static bool put_spreads(etr_profile_doc *doc, const etr_accuracy *accuracy,
                        const document_value *values, size_t value_count) {
  const etr_fields *f = &doc->fields;
  const document_value **by_rank = etr_arena_alloc_array(&doc->arena, accuracy->ranked_count,
                                                         sizeof *by_rank);
  if (etr_arena_failed(&doc->arena))
    return false;
  for (size_t i = 0; i < value_count; i++)
    if (!isnan(values[i].rank))
      by_rank[(size_t)values[i].rank] = &values[i];
  etr_field_begin_list(f, "spreads");
  for (size_t rank = 0; rank < accuracy->ranked_count; rank++) {
    const document_value *listed = by_rank[rank];
    const etr_value_spread *spread = listed ? listed->row.value->spread : NULL;
    if (!spread)
      continue;
    etr_jw_object(f->json);
    etr_field_count(f, "value", (size_t)(listed - values));
    etr_field_number(f, "least", spread->least);
    etr_field_number(f, "most", spread->most);
    put_bucket_counts(f->json, "reference", spread->reference);
    put_bucket_counts(f->json, "logged", spread->value);
    etr_field_number(f, "least_error", spread->least_error);
    etr_field_number(f, "most_error", spread->most_error);
    put_bucket_counts(f->json, "errors", spread->errors);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

/* Writes the most suspicious values: the index of each among the values, and the operators of its
 * segment, those between it and the values before it that were compared. */
static void put_candidates(etr_profile_doc *doc, const etr_profile_operators *ops,
                           const document_value *values, size_t count) {
  const etr_accuracy *accuracy = count > 0 ? values->row.accuracy : NULL;
  etr_jw *json = doc->fields.json;
  uint32_t candidates[ETR_ACCURACY_CANDIDATES];
  size_t candidate_count = accuracy ? etr_accuracy_candidates(candidates, accuracy) : 0;
  etr_field_begin_list(&doc->fields, "candidates");
  for (size_t rank = 0; rank < candidate_count; rank++)
    for (size_t value_index = 0; value_index < count; value_index++) {
      const etr_value_accuracy *value = &accuracy->values[candidates[rank]];
      if (values[value_index].row.value != value)
        continue;
      etr_jw_object(json);
      etr_field_count(&doc->fields, "value", value_index);
      etr_field_begin_list(&doc->fields, "segment");
      for (size_t n = 0; n < value->segment_count; n++)
        etr_profile_put_index(doc, ops->row_of[value->segment[n]]);
      etr_jw_end(json);
      etr_jw_end(json);
    }
  etr_jw_end(json);
}

/* Sets the rank of each listed value, 0 for the most suspicious; NAN for values that were not
 * ranked. Returns false when out of memory. */
static bool rank_values(etr_profile_doc *doc, const etr_accuracy *accuracy, document_value *values,
                        size_t count) {
  double *rank_of = etr_arena_alloc_array(&doc->arena, accuracy->value_count, sizeof *rank_of);
  for (size_t i = 0; rank_of && i < accuracy->value_count; i++)
    rank_of[i] = NAN;
  for (size_t i = 0; rank_of && i < accuracy->ranked_count; i++)
    rank_of[accuracy->ranked[i]] = (double)i;
  for (size_t i = 0; rank_of && i < count; i++)
    values[i].rank = rank_of[values[i].row.value - accuracy->values];
  return rank_of != NULL;
}

/* Lists each value with its worst input, then those values that only have statistics logged and are
 * not listed yet, and ranks them. Returns one row for each and sets *count; NULL when out of
 * memory. */
static const document_value *list_values(etr_profile_doc *doc, const etr_accuracy *accuracy,
                                         const etr_profile_operators *ops, size_t *count) {
  size_t worst_input_count;
  const etr_value_accuracy *const *worst_inputs = etr_accuracy_worst_inputs(&doc->arena, accuracy,
                                                                            &worst_input_count);
  document_value *values = etr_arena_alloc_array(
      &doc->arena, worst_input_count + accuracy->value_count, sizeof *values);
  bool *is_listed = etr_arena_alloc_array(&doc->arena, accuracy->value_count, sizeof *is_listed);
  if (!worst_inputs || !values || !is_listed)
    return NULL;
  *count = 0;
  for (size_t i = 0; i < worst_input_count + accuracy->value_count; i++) {
    const etr_value_accuracy *value = i < worst_input_count
                                          ? worst_inputs[i]
                                          : &accuracy->values[i - worst_input_count];
    if (is_listed[value - accuracy->values] ||
        (i >= worst_input_count && value->statistic_count == 0))
      continue;
    is_listed[value - accuracy->values] = true;
    values[(*count)++] = (document_value){etr_accuracy_row_of(&doc->arena, accuracy, value), NAN,
                                          ops->row_of[value->node],
                                          ops->row_of[value->computed_by]};
  }
  if (!rank_values(doc, accuracy, values, *count))
    return NULL;
  return values;
}

bool etr_profile_put_accuracy(etr_profile_doc *doc, const etr_method *method,
                              const etr_profile_operators *ops) {
  const etr_fields *f = &doc->fields;
  const etr_accuracy *accuracy = etr_accuracy_of_method(f->profile->accuracy,
                                                        (uint32_t)(method - f->profile->methods));
  size_t count;
  const document_value *values = list_values(doc, accuracy, ops, &count);
  if (!values)
    return false;
  etr_jw_object(f->json);
  etr_field_text(f, "text", etr_accuracy_line(&doc->arena, accuracy));
  etr_field_text(f, "against", etr_accuracy_against(&doc->arena, accuracy));
  etr_accuracy_put_facts(f, accuracy);
  etr_profile_put_columns(doc, "values", &etr_document_accuracy_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(values, count));
  put_candidates(doc, ops, values, count);
  bool is_good = put_spreads(doc, accuracy, values, count);
  etr_jw_end(f->json);
  return is_good;
}
