/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_json.c - the model's source lines with their time, as JSON.
 */
#include "node_filter.h"
#include "source_lines.h"
#include "summary_json.h"

static void put_file(const etr_fields *f, const etr_summary *s, const etr_source_lines *file) {
  etr_jw_object(f->json);
  etr_field_text(f, "file", file->path);
  etr_summary_put_time(f, s->method, file->total_ticks);
  etr_field_count(f, "count", file->node_count);
  etr_field_list(f, "lines");
  for (size_t i = 0; i < file->count; i++) {
    etr_jw_object(f->json);
    etr_summary_put_source(f, file->sources[i]);
    etr_summary_put_row(f, s, ETR_BY_SOURCE, file->rows[i]);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

static bool put_method(const etr_fields *f, etr_arena *arena, const etr_method *method, const etr_node_filter *filter) {
  etr_summary s;
  size_t count;
  if (!etr_summary_make(&s, arena, f->profile, method, filter, f->unit, ETR_ORDER_TIME)) return false;
  const etr_source_lines *files = etr_source_lines_make(&count, arena, &s, false);
  if (!files) return false;
  etr_jw_object(f->json);
  etr_field_text(f, "method", method->name[0] ? method->name : NULL);
  etr_field_count(f, "runs", method->run_count);
  etr_summary_put_time(f, method, s.part_ticks);
  etr_field_list(f, "files");
  for (size_t i = 0; i < count; i++) put_file(f, &s, &files[i]);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
  return true;
}

etr_status etr_emit_source_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_arena arena = {0};
  const etr_fields f = {profile, unit, &json};
  bool good = true;
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&f, "schema", "etrecord-tb/source/1");
  etr_field_text(&f, "time_unit", etr_unit_name(unit));
  etr_field_text(&f, "filter", etr_filter_is_active(filter) ? etr_filter_text(&arena, filter) : NULL);
  etr_field_list(&f, "methods");
  for (size_t i = 0; good && i < profile->method_count; i++)
    if (etr_filter_takes_method(filter, &profile->methods[i])) good = put_method(&f, &arena, &profile->methods[i], filter);
  etr_jw_end(&json);
  etr_jw_end(&json);
  if (!good) writer.status = ETR_ERROR_MEMORY;
  return etr_writer_finish_with(&writer, &arena, error);
}
