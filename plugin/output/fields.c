/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fields.c - writes keys with their values.
 */
#include "output/fields.h"

void etr_field_text(const etr_fields *fields, const char *key, const char *text) {
  etr_jw_key(fields->json, key);
  etr_jw_string(fields->json, text);
}

void etr_field_count(const etr_fields *fields, const char *key, uint64_t count) {
  etr_jw_key(fields->json, key);
  etr_jw_uint(fields->json, count);
}

void etr_field_flag(const etr_fields *fields, const char *key, bool value) {
  etr_jw_key(fields->json, key);
  etr_jw_bool(fields->json, value);
}

void etr_field_number(const etr_fields *fields, const char *key, double value) {
  etr_jw_key(fields->json, key);
  etr_jw_double(fields->json, value);
}

void etr_field_ticks(const etr_fields *fields, const char *key, double ticks) {
  etr_field_number(fields, key, etr_ticks_to_unit(fields->profile, ticks, fields->unit));
}

void etr_field_runs(const etr_fields *f, const etr_method *method) {
  etr_field_count(f, "runs", method->run_count);
  etr_field_count(f, "skipped_runs", method->skipped_run_count);
}

void etr_field_source(const etr_fields *fields, const etr_source *source) {
  etr_field_text(fields, "file", source ? source->file : NULL);
  etr_jw_key(fields->json, "line");
  if (source)
    etr_jw_int(fields->json, source->line);
  else
    etr_jw_null(fields->json);
  etr_field_text(fields, "function", source ? source->function : NULL);
  etr_field_text(fields, "code", source ? source->code : NULL);
}

void etr_field_source_object(const etr_fields *fields, const char *key, const etr_source *source) {
  if (!source) {
    etr_field_text(fields, key, NULL);
    return;
  }
  etr_field_begin_object(fields, key);
  etr_field_source(fields, source);
  etr_jw_end(fields->json);
}

void etr_field_method(const etr_fields *fields, const etr_method *method) {
  etr_field_text(fields, "method", method->name[0] ? method->name : NULL);
  etr_field_runs(fields, method);
}

void etr_field_begin_list(const etr_fields *fields, const char *key) {
  etr_jw_key(fields->json, key);
  etr_jw_array(fields->json);
}

void etr_field_begin_object(const etr_fields *fields, const char *key) {
  etr_jw_key(fields->json, key);
  etr_jw_object(fields->json);
}

void etr_field_texts(const etr_fields *fields, const char *key, const char *const *texts,
                     size_t count) {
  etr_field_begin_list(fields, key);
  for (size_t i = 0; i < count; i++)
    etr_jw_string(fields->json, texts[i]);
  etr_jw_end(fields->json);
}

void etr_field_shape(const etr_fields *f, const etr_value *value) {
  etr_jw_key(f->json, "shape");
  if (value->rank < 0) {
    etr_jw_null(f->json);
    return;
  }
  etr_jw_array(f->json);
  for (int32_t i = 0; i < value->rank; i++)
    if (value->dims[i].symbol)
      etr_jw_string(f->json, value->dims[i].symbol);
    else
      etr_jw_int(f->json, value->dims[i].size);
  etr_jw_end(f->json);
}
