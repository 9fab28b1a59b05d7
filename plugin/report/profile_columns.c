/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_columns.c - writes columns of the dashboard's document, and what their cells are: texts, times, rates.
 */
#include "report/profile_doc.h"

#include <math.h>

void etr_profile_put_index(etr_profile_doc *e, uint32_t index) {
  etr_jw_int(e->fields.json, index == ETR_NONE ? -1 : (int64_t)index);
}

/* Adds a text that lives as long as the document. Returns its index. */
static uint32_t add_text(etr_profile_doc *e, const char *text) {
  uint32_t index = (uint32_t)e->list.count;
  const char **added = text ? etr_vec_push(&e->arena, &e->list) : NULL;
  if (!added || !etr_map_set(&e->texts, etr_slice_of(text), index)) return ETR_NONE;
  *added = text;
  return index;
}

static uint32_t index_of(etr_profile_doc *e, const char *text) {
  uint32_t index = etr_map_get(&e->texts, etr_slice_of(text));
  return index == ETR_NONE ? add_text(e, text) : index;
}

/* Puts the number of a text. Texts repeat often, usually at the same address, so recent ones are looked up by address.
 */
void etr_profile_put_text(etr_profile_doc *e, const char *text) {
  etr_recent_text *recent = &e->recent[((uintptr_t)text >> 3) % ETR_COUNT(e->recent)];
  if (!text || recent->text != text) *recent = (etr_recent_text){text, text ? index_of(e, text) : ETR_NONE};
  etr_profile_put_index(e, recent->index);
}

void etr_profile_put_copy(etr_profile_doc *e, etr_slice text) {
  uint32_t index = text.size > 0 ? etr_map_get(&e->texts, text) : ETR_NONE;
  if (index == ETR_NONE && text.size > 0) index = add_text(e, etr_arena_copy(&e->arena, text));
  etr_profile_put_index(e, index);
}

/* Puts a time in nanoseconds, rounded to the picosecond: further digits of an interpolated percentile are rounding
 * noise. */
void etr_profile_put_ns(etr_profile_doc *e, double ticks) {
  if (isnan(ticks)) {
    etr_jw_null(e->fields.json);
    return;
  }
  etr_jw_double(e->fields.json, round(etr_ticks_to_ns(e->fields.profile, ticks) * 1e3) / 1e3);
}

/* Rounds a rate to four significant digits, or to a whole number if it has more. Nobody reads further digits, and the
 * clock is not that precise. */
static double rounded_rate(double rate) {
  double scale = 1;
  if (isnan(rate)) return rate;
  while (rate * scale < 1000 && scale < 1e15) scale *= 10;
  return round(rate * scale) / scale;
}

static void put_cell(etr_profile_doc *e, const etr_field *field, const void *row) {
  const etr_plain_cell cell = etr_field_plain_cell(field, row);
  switch (field->kind) {
  case ETR_CELL_WORD: etr_profile_put_text(e, cell.text); break;
  case ETR_CELL_ITEM: etr_jw_string(e->fields.json, cell.text); break;
  case ETR_CELL_NAME: etr_profile_put_copy(e, etr_slice_of(cell.text ? cell.text : "")); break;
  case ETR_CELL_FLAG: etr_jw_int(e->fields.json, cell.number == 1); break;
  case ETR_CELL_COUNT: etr_jw_int(e->fields.json, isnan(cell.number) ? -1 : (int64_t)cell.number); break;
  case ETR_CELL_TIME: etr_profile_put_ns(e, cell.number); break;
  case ETR_CELL_AMOUNT: etr_jw_double(e->fields.json, round(cell.number)); break; /* as in other documents */
  case ETR_CELL_RATE:
  case ETR_CELL_SHARE: etr_jw_double(e->fields.json, rounded_rate(cell.number)); break;
  default: etr_jw_double(e->fields.json, cell.number);
  }
}

void etr_profile_put_columns(etr_profile_doc *e, const char *key, const etr_row_type *list, unsigned media,
                             etr_rows rows) {
  if (key) etr_field_object(&e->fields, key);
  for (const etr_field *field = list->first; field < list->first + list->count; field++) {
    if (!(field->in & media)) continue;
    etr_field_list(&e->fields, field->key);
    for (size_t i = 0; i < rows.count; i++) {
      const void *row = (const char *)rows.first + i * rows.size;
      if (field->put)
        field->put(&e->fields, row);
      else
        put_cell(e, field, row);
    }
    etr_jw_end(e->fields.json);
  }
  if (key) etr_jw_end(e->fields.json);
}
