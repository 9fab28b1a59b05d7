/* SPDX-License-Identifier: BSD-3-Clause
 *
 * benchmark_output.c - times of records as github-action-benchmark reads them
 * (customSmallerIsBetter), which keeps a curve for each name.
 */
#include "output/answer.h"
#include "output/label.h"
#include "views/record_set.h"

#include <math.h>
#include <stdio.h>

static double in_ms(const etr_record_set *set, double ticks) {
  return etr_ticks_to_unit(set->first, ticks, ETR_UNIT_MS);
}

/* Writes the typical time of a method in ms as github-action-benchmark reads it, with its range if
 * that is known: the distance to the farther of the lowest and the highest time. The name has the
 * record in front if there are several. */
static void put_benchmark(const etr_record_set *set, const etr_fields *f,
                          const etr_set_record *record, const etr_set_method *method) {
  char text[128];
  const char *name = etr_label_method(method->name),
             *plural_ending = method->recordings == 1 ? "" : "s";
  bool has_range = !isnan(method->figures.low);
  etr_jw_object(f->json);
  etr_jw_key(f->json, "name");
  if (set->records.count > 1) {
    etr_arena arena = {0};
    etr_jw_string(f->json, etr_or_empty(etr_arena_format(&arena, "%s/%s", record->name, name)));
    etr_arena_clear(&arena);
  } else {
    etr_jw_string(f->json, name);
  }
  etr_field_text(f, "unit", "ms");
  etr_field_number(f, "value", in_ms(set, method->typical));
  if (has_range) {
    (void)snprintf(text, sizeof text, "\xC2\xB1 %.3g",
                   in_ms(set, fmax(method->figures.high - method->typical,
                                   method->typical - method->figures.low)));
    etr_field_text(f, "range", text);
  }
  (void)snprintf(text, sizeof text, "typical of %zu runs in %zu recording%s", method->runs,
                 method->recordings, plural_ending);
  etr_field_text(f, "extra", text);
  etr_jw_end(f->json);
}

etr_status etr_emit_benchmark_json(const etr_record_set *set, const etr_sink *sink,
                                   etr_error *error) {
  etr_writer writer;
  etr_jw json;
  const etr_fields f = {.profile = set->first, .unit = ETR_UNIT_MS, .json = &json};
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer, ETR_JW_DOCUMENT);
  etr_jw_array(&json);
  for (size_t record = 0; record < set->records.count; record++)
    for (size_t method = 0; method < set->records.data[record].methods.count; method++)
      if (set->records.data[record].methods.data[method].runs > 0)
        put_benchmark(set, &f, &set->records.data[record],
                      &set->records.data[record].methods.data[method]);
  etr_jw_end(&json);
  return etr_writer_finish(&writer, error);
}
