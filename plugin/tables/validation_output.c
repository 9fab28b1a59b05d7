/* SPDX-License-Identifier: BSD-3-Clause
 *
 * validation_output.c - what is wrong with a record: as JSON and as a table.
 */
#include "output/label.h"
#include "output/section.h"

static const etr_flaw *as_row(const void *row) {
  return row;
}

static etr_cell kind(const void *row) {
  return etr_cell_text(etr_flaw_kind_name(as_row(row)->kind));
}

static bool has_offset(const void *row) {
  return as_row(row)->offset != ETR_NO_OFFSET;
}

#define FLAW(name) ETR_AT(etr_flaw, name)

static const etr_field fields[] = {
    {"kind", "kind", ETR_CELL_WORD, ETR_IN_ALL, .get = kind,
     .says = ETR_SAYS(
         "damage: bytes are wrong; mismatch: parts are not of one export; missing: an answer "
         "needs it"),
     .type = "flaw_kind"},
    {"entry", "entry", ETR_CELL_NAME, ETR_IN_ALL, FLAW(entry), .blank_is_null = true,
     .says = ETR_SAYS("entry of the record, or the path of the program"), .nullable = true},
    {"offset", "offset", ETR_CELL_COUNT, ETR_IN_DATA | ETR_IN_JSON, FLAW(offset),
     .has = has_offset},
    {"what", "what is wrong", ETR_CELL_NAME, ETR_IN_ALL, FLAW(what)},
    {"suffers", "what suffers", ETR_CELL_NAME, ETR_IN_ALL, FLAW(suffers), .blank_is_null = true,
     .says = ETR_SAYS("the answer that is worse for it"), .nullable = true},
};
ETR_ROW_TYPE(flaw, fields);

etr_status etr_emit_validation_json(const etr_validation *validation, const etr_sink *sink,
                                    etr_error *error) {
  etr_answer answer;
  /* NULL: it is about files, so there is no profile and no filter. */
  etr_answer_begin_document(&answer, NULL, NULL, ETR_UNIT_MS, sink, "validate/1");
  const etr_fields *f = &answer.fields;
  etr_field_text(f, "record", validation->record);
  etr_field_text(f, "pte", validation->pte);
  etr_field_count(f, "entries", validation->entry_count);
  etr_field_count(f, "bytes", validation->byte_count);
  for (int k = ETR_FLAW_DAMAGE; k <= ETR_FLAW_MISSING; k++)
    etr_field_count(f, etr_flaw_kind_name((etr_flaw_kind)k), validation->kind_counts[k]);
  etr_field_put_rows(f, "flaws", &etr_flaw_fields,
                     ETR_ROWS(validation->flaws, validation->flaw_count));
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&answer, true, error);
}

/* Writes which inputs were read, how much of them, and the number of flaws of each kind. */
static void put_read_inputs_and_counts(etr_answer *answer, const etr_validation *validation) {
  const char *inputs = validation->record;
  if (validation->pte)
    inputs = etr_arena_format(&answer->arena, "%s with %s", inputs, validation->pte);
  etr_section_line(answer, ETR_STYLE_PLAIN, 0, inputs);
  etr_section_line(
      answer, ETR_STYLE_PLAIN, 0,
      etr_arena_format(
          &answer->arena,
          "%zu entries, %s bytes read \xC2\xB7 damage: %zu, mismatch: %zu, missing: %zu",
          validation->entry_count, etr_count_text(&answer->arena, (size_t)validation->byte_count),
          validation->kind_counts[ETR_FLAW_DAMAGE], validation->kind_counts[ETR_FLAW_MISMATCH],
          validation->kind_counts[ETR_FLAW_MISSING]));
}

/* Writes the first flaws as a list, because sentences do not fit the columns of a terminal, and how
 * many more there are. */
static void put_flaws(etr_answer *answer, const etr_validation *validation) {
  size_t top = answer->options->top,
         shown_count = top ? ETR_MIN(top, validation->flaw_count) : validation->flaw_count;
  if (shown_count)
    etr_puts(&answer->writer, "\n");
  for (size_t i = 0; i < shown_count; i++) {
    const etr_flaw *flaw = &validation->flaws[i];
    const char *entry = flaw->entry ? flaw->entry : "";
    etr_section_finding(answer,
                        etr_arena_format(&answer->arena, "%s: %s%s%s",
                                         etr_flaw_kind_name(flaw->kind), entry,
                                         entry[0] ? ": " : "", flaw->what),
                        flaw->suffers);
  }
  etr_put_hidden_count(&answer->writer, validation->flaw_count - shown_count);
}

etr_status etr_emit_validation_table(const etr_validation *validation,
                                     const etr_table_options *options, const etr_sink *sink,
                                     etr_error *error) {
  etr_answer answer;
  etr_table table;
  /* NULL: it is about files, so there is no profile and no filter. */
  etr_answer_begin(&answer, NULL, NULL, options, sink);
  etr_table_init(&table, &answer, &etr_flaw_fields);
  if (etr_table_is_text(&table)) {
    put_read_inputs_and_counts(&answer, validation);
    put_flaws(&answer, validation);
  } else {
    etr_table_add_rows(&table, ETR_ROWS(validation->flaws, validation->flaw_count));
    etr_table_finish(&table);
  }
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&answer, true, error);
}
