/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_columns.c - writes columns of the dashboard's document, and what their cells are: texts,
 * times, rates.
 */
#include "report/profile_doc.h"

#include <math.h>

void etr_profile_put_index(etr_profile_doc *doc, uint32_t index) {
  etr_jw_int(doc->fields.json, index == ETR_NONE ? -1 : (int64_t)index);
}

/* Appends a text that lives as long as the document to the document's list of texts. Returns its
 * index in the list, or ETR_NONE if the text is NULL or memory ran out. */
static uint32_t append_text(etr_profile_doc *doc, const char *text) {
  uint32_t index = (uint32_t)doc->list.count;
  const char **added = text ? etr_vec_push(&doc->arena, &doc->list) : NULL;
  if (!added || !etr_map_set(&doc->texts, etr_slice_of(text), index))
    return ETR_NONE;
  *added = text;
  return index;
}

static uint32_t index_of(etr_profile_doc *doc, const char *text) {
  uint32_t index = etr_map_get(&doc->texts, etr_slice_of(text));
  return index == ETR_NONE ? append_text(doc, text) : index;
}

/* Returns the index of a text in the document's list, to which a copy is added if it is new.
 * Returns ETR_NONE for an empty text, or when out of memory. */
static uint32_t index_of_copy(etr_profile_doc *doc, etr_slice text) {
  uint32_t index = text.size > 0 ? etr_map_get(&doc->texts, text) : ETR_NONE;
  if (index == ETR_NONE && text.size > 0)
    index = append_text(doc, etr_arena_copy(&doc->arena, text));
  return index;
}

/* Further digits of an interpolated percentile are rounding noise. */
double etr_profile_ns(const etr_profile_doc *doc, double ticks) {
  return round(etr_ticks_to_ns(doc->fields.profile, ticks) * 1e3) / 1e3;
}

/* Rounds a rate to four significant digits, or to a whole number if it has more digits before the
 * point, since no clock is that precise. NAN stays NAN. */
static double rounded_rate(double rate) {
  double scale = 1;
  if (isnan(rate))
    return rate;
  while (rate * scale < 1000 && scale < 1e15)
    scale *= 10;
  return round(rate * scale) / scale;
}

/* Returns the index of a text in the document's list, to which it is added if it is new. Texts
 * repeat often, usually at the same address, so recent ones are looked up by address. ETR_NONE for
 * NULL. */
static uint32_t index_of_text(etr_profile_doc *doc, const char *text) {
  etr_recent_text *recent = &doc->recent[((uintptr_t)text >> 3) % ETR_COUNT(doc->recent)];
  if (!text || recent->text != text)
    *recent = (etr_recent_text){text, text ? index_of(doc, text) : ETR_NONE};
  return recent->index;
}

static etr_scalar index_scalar(uint32_t index) {
  return (etr_scalar){ETR_SCALAR_WHOLE, .whole = index == ETR_NONE ? -1 : (int64_t)index};
}

/* Returns the difference of a number to the last one, which it becomes: small numbers compress
 * better. NAN is written as null and leaves the last one. */
static etr_scalar difference_to_last(double number, double *last) {
  const etr_scalar step = etr_scalar_of_number(number - *last);
  if (!isnan(number))
    *last = number;
  return step;
}

/* Returns what a column of the document has for a field of a row, by the kind of its cells: an
 * index of a text, a text, a number, a time in nanoseconds, or for ETR_CELL_STEP the difference to
 * *last_number, which then becomes this number. */
static etr_scalar column_value(etr_profile_doc *doc, const etr_field *field, const void *row,
                               double *last_number) {
  const etr_plain_cell cell = etr_field_plain_cell(field, row);
  switch (field->kind) {
  case ETR_CELL_WORD:
    return index_scalar(index_of_text(doc, cell.text));
  case ETR_CELL_NAME:
    return index_scalar(index_of_copy(doc, etr_slice_of(cell.text ? cell.text : "")));
  case ETR_CELL_ITEM:
    return (etr_scalar){cell.text ? ETR_SCALAR_TEXT : ETR_SCALAR_NULL, .text = cell.text};
  case ETR_CELL_FLAG:
    return (etr_scalar){ETR_SCALAR_WHOLE, .whole = cell.number == 1};
  case ETR_CELL_COUNT:
  case ETR_CELL_BYTES:
    return (etr_scalar){ETR_SCALAR_WHOLE, .whole = isnan(cell.number) ? -1 : (int64_t)cell.number};
  case ETR_CELL_STEP:
    return difference_to_last(cell.number, last_number);
  case ETR_CELL_TIME:
    return etr_scalar_of_number(etr_profile_ns(doc, cell.number));
  case ETR_CELL_AMOUNT:
    return etr_scalar_of_number(round(cell.number)); /* as in other documents */
  case ETR_CELL_RATE:
  case ETR_CELL_SHARE:
    return etr_scalar_of_number(rounded_rate(cell.number));
  default:
    return etr_scalar_of_number(cell.number);
  }
}

/* Returns true if two scalars have the same type and value. Reals are compared bit by bit, so that
 * NAN equals NAN. */
static bool is_same(const etr_scalar *a, const etr_scalar *b) {
  if (a->type != b->type)
    return false;
  switch (a->type) {
  case ETR_SCALAR_TEXT:
    return a->text == b->text || strcmp(a->text, b->text) == 0;
  case ETR_SCALAR_REAL:
    return memcmp(&a->real, &b->real, sizeof a->real) == 0;
  default:
    return a->whole == b->whole;
  }
}

static bool is_none(const etr_scalar *value) {
  return value->type == ETR_SCALAR_NULL || (value->type == ETR_SCALAR_WHOLE && value->whole < 0);
}

/* Writes a column as an array, as one value if several rows all have the same, or not at all if no
 * row has a value. `values` is scratch memory for one value of each row. */
static void put_column(etr_profile_doc *doc, const etr_field *field, etr_rows rows,
                       etr_scalar *values) {
  etr_jw *json = doc->fields.json;
  size_t equal_count = 0;
  double last_number = 0;
  for (size_t i = 0; i < rows.count; i++)
    values[i] = column_value(doc, field, (const char *)rows.first + i * rows.size, &last_number);
  while (equal_count < rows.count && is_same(&values[0], &values[equal_count]))
    equal_count++;
  if (equal_count == rows.count && (equal_count == 0 || is_none(&values[0])))
    return;
  etr_jw_key(json, field->key);
  if (equal_count == rows.count && equal_count > 1) {
    etr_put_scalar(json, values[0]);
    return;
  }
  etr_jw_array(json);
  for (size_t i = 0; i < rows.count; i++)
    etr_put_scalar(json, values[i]);
  etr_jw_end(json);
}

void etr_profile_put_columns(etr_profile_doc *doc, const char *key, const etr_row_type *list,
                             unsigned media, etr_rows rows) {
  etr_arena scratch = {0};
  etr_scalar *values = etr_arena_alloc_raw_array(&scratch, rows.count, sizeof *values);
  if (!values)
    etr_arena_fail(&doc->arena);
  if (key)
    etr_field_begin_object(&doc->fields, key);
  etr_field_count(&doc->fields, "count", rows.count);
  for (const etr_field *field = list->first; values && field < list->first + list->count; field++)
    if (field->in & media)
      put_column(doc, field, rows, values);
  if (key)
    etr_jw_end(doc->fields.json);
  etr_arena_clear(&scratch);
}

void etr_profile_put_text(etr_profile_doc *doc, const char *text) {
  etr_profile_put_index(doc, index_of_text(doc, text));
}

void etr_profile_put_ns(etr_profile_doc *doc, double ticks) {
  etr_jw_double(doc->fields.json, etr_profile_ns(doc, ticks));
}
