/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fields.c - keys with values.
 */
#include "fields.h"

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

void etr_field_stats(const etr_fields *fields, const etr_stats *stats) {
  const struct {
    const char *key;
    double ticks;
  } values[] = {{"p10", stats->p10}, {"p50", stats->p50}, {"p90", stats->p90}, {"avg", stats->avg}, {"min", stats->min}, {"max", stats->max}};
  for (size_t i = 0; i < ETR_COUNT(values); i++)
    if (stats->count)
      etr_field_ticks(fields, values[i].key, values[i].ticks);
    else
      etr_field_text(fields, values[i].key, NULL);
}

void etr_field_list(const etr_fields *fields, const char *key) {
  etr_jw_key(fields->json, key);
  etr_jw_array(fields->json);
}
