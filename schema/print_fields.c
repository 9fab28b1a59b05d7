/* SPDX-License-Identifier: BSD-3-Clause
 *
 * print_fields.c - prints the rows of etr_row_type, and the words that texts are made of, as JSON:
 * what generate.py reads. Runs while building.
 */
#include "etrecord_accuracy.h"
#include "etrecord_compare.h"
#include "etrecord_file.h"
#include "output/table.h"
#include "tables/diff_output.h"
#include "tables/sums.h"
#include "views/decoder.h"
#include "views/diff_view.h"
#include "views/findings.h"
#include "views/memory_findings.h"

#include <stdio.h>

static const char *const kinds[] = {
    [ETR_CELL_NAME] = "text",     [ETR_CELL_ITEM] = "text",     [ETR_CELL_WORD] = "word",
    [ETR_CELL_FLAG] = "flag",     [ETR_CELL_UNIT] = "unit",     [ETR_CELL_COUNT] = "whole",
    [ETR_CELL_AMOUNT] = "amount", [ETR_CELL_TIME] = "time",     [ETR_CELL_SHARE] = "share",
    [ETR_CELL_NUMBER] = "number", [ETR_CELL_RATE] = "rate",     [ETR_CELL_BYTES] = "whole",
    [ETR_CELL_STEP] = "step",     [ETR_CELL_OBJECT] = "object", [ETR_CELL_LIST] = "list",
    [ETR_CELL_VALUES] = "list",
};

static void put_field(const etr_fields *f, const etr_field *field) {
  etr_jw_object(f->json);
  etr_field_text(f, "key", field->key);
  etr_field_text(f, "title", field->title);
  etr_field_text(f, "kind", kinds[field->kind]);
  etr_field_text(f, "type", field->type);
  etr_field_flag(f, "nullable", field->nullable || field->has || field->blank_is_null);
  etr_field_flag(f, "optional", field->optional);
  etr_field_flag(f, "json", field->in & ETR_IN_JSON);
  etr_field_flag(f, "document", field->in & ETR_IN_DOCUMENT);
  etr_field_flag(f, "own", field->in >= ETR_IN_OWN);
  etr_field_text(f, "says", field->says);
  etr_jw_end(f->json);
}

static void put_rows(const etr_fields *f, const etr_row_type *type) {
  etr_field_begin_list(f, type->name);
  for (size_t i = 0; i < type->count; i++)
    put_field(f, &type->first[i]);
  etr_jw_end(f->json);
}

/* The tables for programs: their rows, and the bits of the columns. */
static const struct {
  const char *command;
  const etr_row_type *rows;
  unsigned media;
} tables[] = {
    {"nodes", &etr_node_fields, ETR_IN_DATA},
    {"nodes --values", &etr_logged_value_fields, ETR_IN_DATA},
    {"events", &etr_event_fields, ETR_IN_DATA},
    {"summary --by op", &etr_sum_fields, ETR_IN_DATA | ETR_BY_KEY << ETR_BY_OP},
    {"summary --by module", &etr_sum_fields, ETR_IN_DATA | ETR_BY_KEY << ETR_BY_MODULE},
    {"summary --by pattern", &etr_sum_fields, ETR_IN_DATA | ETR_BY_KEY << ETR_BY_PATTERN},
    {"summary --by backend", &etr_sum_fields, ETR_IN_DATA | ETR_BY_KEY << ETR_BY_BACKEND},
    {"summary --by method", &etr_method_sum_fields, ETR_IN_DATA},
    {"summary --by part", &etr_method_part_fields, ETR_IN_DATA},
    {"summary --by layer_kind", &etr_layer_kind_fields, ETR_IN_DATA},
    {"summary --by finding", &etr_finding_fields, ETR_IN_DATA},
    {"source", &etr_sum_fields, ETR_IN_DATA | ETR_BY_KEY << ETR_BY_SOURCE},
    {"source --by pattern", &etr_sum_fields, ETR_IN_LINE_PATTERNS},
    {"delegation", &etr_operator_delegation_fields, ETR_IN_DATA},
    {"delegation --by delegate", &etr_delegate_fields, ETR_IN_DATA},
    {"memory", &etr_tensor_fields, ETR_IN_DATA},
    {"diff --by node", &etr_change_fields, ETR_IN_DATA | ETR_DIFF_BY_SECTION},
    {"diff --by method", &etr_change_fields, ETR_DIFF_METHODS},
    {"diff --by part", &etr_balance_change_fields, ETR_IN_DATA},
    {"diff --by value", &etr_gap_fields, ETR_IN_DATA},
    {"compare", &etr_compared_method_fields, ETR_IN_DATA},
    {"accuracy", &etr_value_accuracy_fields, ETR_IN_DATA},
    {"accuracy --by module", &etr_accuracy_group_fields, ETR_IN_DATA},
    {"validate", &etr_flaw_fields, ETR_IN_DATA},
    {"info --sizes", &etr_file_part_fields, ETR_IN_DATA},
    {"diff --sizes", &etr_part_change_fields, ETR_IN_DATA},
};

static void put_tables(const etr_fields *f) {
  for (size_t i = 0; i < ETR_COUNT(tables); i++) {
    etr_field_begin_object(f, tables[i].command);
    etr_field_text(f, "rows", tables[i].rows->name);
    etr_field_begin_list(f, "columns");
    for (size_t k = 0; k < tables[i].rows->count; k++)
      if (tables[i].rows->first[k].in & tables[i].media && tables[i].rows->first[k].title)
        put_field(f, &tables[i].rows->first[k]);
    etr_jw_end(f->json);
    etr_jw_end(f->json);
  }
}

/* Names of an enumeration up to `last`. */
#define WORDS(key, name_of, last)                                                                  \
  etr_field_begin_list(&f, key);                                                                   \
  for (int i = 0; i <= (int)(last); i++)                                                           \
    if (name_of(i))                                                                                \
      etr_jw_string(&json, name_of(i));                                                            \
  etr_jw_end(&json)

static bool write_out(void *context, const void *data, size_t size) {
  return fwrite(data, 1, size, context) == size;
}

int main(void) {
  etr_writer writer;
  etr_jw json;
  const etr_fields f = {.json = &json};
  etr_writer_init(&writer, &(etr_sink){write_out, stdout});
  etr_jw_init(&json, &writer, ETR_JW_DOCUMENT);
  etr_jw_object(&json);
  etr_field_begin_object(&f, "rows");
#define PUT(name) put_rows(&f, &etr_##name##_fields);
  ETR_ROW_TYPES(PUT)
  etr_jw_end(&json);
  etr_field_begin_object(&f, "tables");
  put_tables(&f);
  etr_jw_end(&json);
  etr_field_begin_object(&f, "words");
  WORDS("unit", etr_unit_name, ETR_UNIT_CYCLES);
  WORDS("layer", etr_layer_kind_name, ETR_LAYER_OTHER);
  WORDS("statistic", etr_statistic_name, ETR_STATISTIC_P50);
  WORDS("node_kind", etr_node_kind_name, ETR_NODE_CONSTANT);
  WORDS("match", etr_match_name, ETR_MATCH_INSTRUCTION);
  WORDS("event_role", etr_event_role_name, ETR_ROLE_COUNTER);
  WORDS("event_unit", etr_event_unit_name, ETR_EVENT_UNIT_BYTES);
  WORDS("phase", etr_phase_name, ETR_PHASE_OTHER);
  WORDS("compute_unit", etr_compute_unit_name, ETR_COMPUTE_UNIT_CPU);
  WORDS("debug_kind", etr_debug_kind_name, ETR_DEBUG_BOOL);
  WORDS("verdict", etr_verdict_name, ETR_VERDICT_SLOWER);
  WORDS("reason", etr_reason_name, ETR_REASON_SPREAD);
  WORDS("difference_kind", etr_difference_name, ETR_DIFFERS_THREADS);
  WORDS("input_evidence", etr_input_evidence_name, ETR_INPUT_ORDER);
  WORDS("partner_evidence", etr_partner_evidence_name, ETR_PARTNER_OUTPUT);
  WORDS("pair_rule", etr_pair_rule_name, ETR_PAIR_ORDER);
  WORDS("noise_verdict", etr_noise_verdict_name, ETR_NOISE_DRIFT);
  WORDS("phase_rule", etr_phase_rule_name, ETR_PHASE_BY_TIMES);
  WORDS("tensor_role", etr_tensor_role_name, ETR_TENSOR_STATE);
  WORDS("segment_kind", etr_segment_kind_name, ETR_SEGMENT_NAMED);
  WORDS("constant_place", etr_constant_place_name, ETR_CONSTANT_EXTERNAL);
  WORDS("structure_kind", etr_structure_kind_name, ETR_STRUCTURE_PLANNED);
  WORDS("part_verdict", etr_part_verdict_name, ETR_PART_REMOVED);
  WORDS("content", etr_content_name, ETR_CONTENT_PADDING);
  WORDS("bound", etr_bound_name, ETR_BOUND_MEMORY);
  WORDS("flaw_kind", etr_flaw_kind_name, ETR_FLAW_MISSING);
  WORDS("memory_finding_kind", etr_memory_finding_kind_name, ETR_MEMORY_UPPER_BOUNDS);
  WORDS("cause", etr_cause_name, ETR_CAUSE_DRIFT);
  WORDS("turns", etr_turns_name, ETR_TURNS_NEW_FIRST);
  WORDS("finding_kind", etr_finding_kind_name, ETR_FINDING_LESS_WORK);
  WORDS("sureness", etr_sureness_name, ETR_POSSIBLE);
  WORDS("effort", etr_effort_name, ETR_EFFORT_RECORD_AGAIN);
  etr_jw_end(&json);
  etr_jw_end(&json);
  return etr_writer_finish(&writer, NULL) != ETR_OK || fflush(stdout) != 0;
}
