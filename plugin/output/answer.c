/* SPDX-License-Identifier: BSD-3-Clause
 *
 * answer.c - begins and ends tables and documents.
 */
#include "output/answer.h"
#include "output/label.h"
#include "output/ranking.h"

#include "output/node_filter.h"

#include <stdio.h>

static const etr_table_options defaults = {0};

etr_table_options etr_answer_options(const etr_profile *profile, const etr_table_options *options) {
  etr_table_options out = options ? *options : defaults;
  bool is_for_people = out.format == ETR_TABLE_TEXT || out.format == ETR_TABLE_MARKDOWN;
  bool is_unit_unchosen = !out.has_unit && out.unit == ETR_UNIT_MS;
  if (profile && profile->takes_cycles_as_ns && is_for_people && is_unit_unchosen)
    out.unit = ETR_UNIT_CYCLES;
  return out;
}

/* Sets the answer's unit to that of etr_answer_options(). The caller's options stay unchanged: a
 * copy replaces them. Arrow's columns, which programs read, keep the given unit. */
static void decide_unit(etr_answer *answer) {
  const etr_table_options decided = etr_answer_options(answer->profile, answer->options);
  if (decided.unit == answer->options->unit || answer->arrow)
    return;
  etr_table_options *copy = etr_arena_alloc(&answer->arena, sizeof *copy);
  if (!copy)
    return; /* the arena has failed, and so will the answer */
  *copy = decided;
  answer->options = copy;
}

void etr_answer_begin(etr_answer *answer, const etr_profile *profile, const etr_node_filter *filter,
                      const etr_table_options *options, const etr_sink *sink) {
  *answer = (etr_answer){.profile = profile,
                         .filter = filter,
                         .options = options ? options : &defaults,
                         .arrow = etr_arrow_of(sink)};
  decide_unit(answer);
  etr_writer_init(&answer->writer, sink);
  bool is_text = answer->options->format == ETR_TABLE_TEXT;
  etr_writer_look(&answer->writer, is_text && answer->options->ascii,
                  is_text && answer->options->color);
}

void etr_answer_begin_document(etr_answer *answer, const etr_profile *profile,
                               const etr_node_filter *filter, etr_unit unit, const etr_sink *sink,
                               const char *name) {
  char schema[64];
  etr_answer_begin(answer, profile, filter, NULL, sink);
  answer->fields = (etr_fields){profile, unit, &answer->json};
  etr_jw_init(&answer->json, &answer->writer, ETR_JW_DOCUMENT);
  (void)snprintf(schema, sizeof schema, "etrecord-tb/%s", name);
  etr_jw_object(&answer->json);
  etr_field_text(&answer->fields, "schema", schema);
  if (profile)
    etr_field_text(&answer->fields, "time_unit", etr_unit_name(unit));
  if (profile && etr_label_clock(profile, unit))
    etr_field_text(&answer->fields, "clock_note", etr_label_clock(profile, unit));
}

void etr_answer_begin_ranked_document(etr_answer *answer, const etr_profile *profile,
                                      const etr_node_filter *filter, etr_unit unit,
                                      const etr_sink *sink, const char *name) {
  etr_answer_begin_document(answer, profile, filter, unit, sink, name);
  etr_field_text(&answer->fields, "stat", etr_statistic_name(profile->statistic));
}

void etr_answer_put_filter(etr_answer *answer) {
  bool is_active = etr_filter_is_active(answer->filter);
  etr_field_text(&answer->fields, "filter",
                 is_active ? etr_filter_text(&answer->arena, answer->filter) : NULL);
}

bool etr_answer_put_methods(etr_answer *answer,
                            bool (*put)(etr_answer *answer, const etr_method *method)) {
  bool good = true;
  etr_field_begin_list(&answer->fields, "methods");
  for (size_t i = 0; good && i < answer->profile->method_count; i++)
    if (etr_filter_takes_method(answer->filter, &answer->profile->methods[i]))
      good = put(answer, &answer->profile->methods[i]);
  etr_jw_end(&answer->json);
  return good;
}

enum { DEFAULT_WIDTH = 100 };

size_t etr_answer_width(const etr_answer *answer) {
  return answer->options->width ? answer->options->width : DEFAULT_WIDTH;
}

size_t etr_answer_text_width(const etr_answer *answer) {
  size_t width = etr_answer_width(answer);
  return width == ETR_ANY_WIDTH ? DEFAULT_WIDTH : width;
}

void etr_answer_refuse(etr_answer *answer, const char *text) {
  answer->problem = text;
  answer->writer.status = ETR_ERROR_OPTION;
}

void etr_answer_refuse_patterns(etr_answer *answer) {
  if (etr_ranks_by(answer->profile, ETR_STATISTIC_P50))
    etr_answer_refuse(answer, "patterns add up averages: --by pattern does not go with --stat p50");
}

etr_status etr_answer_end(etr_answer *answer, bool has_memory, etr_error *error) {
  etr_error_clear(error);
  if (answer->fields.json)
    etr_jw_end(&answer->json);
  if (!has_memory)
    answer->writer.status = ETR_ERROR_MEMORY;
  if (answer->problem)
    (void)etr_fail(error, ETR_ERROR_OPTION, NULL, NULL, ETR_NO_OFFSET, "%s", answer->problem);
  if (!answer->problem || etr_arena_failed(&answer->arena))
    return etr_writer_finish_with(&answer->writer, &answer->arena, error);
  etr_arena_clear(&answer->arena);
  return ETR_ERROR_OPTION;
}
