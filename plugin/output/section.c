/* SPDX-License-Identifier: BSD-3-Clause
 *
 * section.c - writes lines, findings and tables.
 */
#include "output/section.h"

#include "output/label.h"

bool etr_section_is_markdown(const etr_answer *answer) {
  return answer->options->format == ETR_TABLE_MARKDOWN;
}

void etr_section_line(etr_answer *answer, etr_style style, size_t indent, const char *text) {
  if (!text || !text[0])
    return;
  if (!etr_section_is_markdown(answer)) {
    etr_put_wrapped(&answer->writer, style, text, indent, etr_answer_text_width(answer));
    return;
  }
  etr_puts(&answer->writer, indent ? "- " : "");
  etr_put_markdown(&answer->writer, text);
  etr_puts(&answer->writer, indent ? "\n" : "  \n");
}

void etr_section_numbered(etr_answer *answer, size_t number, const char *text) {
  if (!text)
    return;
  if (!etr_section_is_markdown(answer)) {
    etr_section_line(answer, ETR_STYLE_PLAIN, 2,
                     etr_arena_format(&answer->arena, "%zu. %s", number, text));
    return;
  }
  etr_putf(&answer->writer, "%zu. ", number);
  etr_put_markdown(&answer->writer, text);
  etr_puts(&answer->writer, "\n");
}

void etr_section_end_list(etr_answer *answer) {
  if (etr_section_is_markdown(answer))
    etr_puts(&answer->writer, "\n");
}

void etr_section_clock_note(etr_answer *answer, const etr_profile *profile, size_t indent) {
  etr_section_line(answer, ETR_STYLE_PLAIN, indent, etr_label_clock_note(profile, answer->options));
}

void etr_section_finding(etr_answer *answer, const char *what, const char *evidence) {
  if (!what)
    return;
  if (etr_section_is_markdown(answer))
    what = etr_arena_format(&answer->arena, "%s; %s", what, evidence);
  etr_section_line(answer, ETR_STYLE_PLAIN, 2, what);
  if (!etr_section_is_markdown(answer))
    etr_section_line(answer, ETR_STYLE_DIM, 6, evidence);
}

void etr_section_titled_table(etr_answer *answer, const char *title, const etr_row_type *columns,
                              etr_rows rows, bool all) {
  etr_table table;
  if (rows.count == 0)
    return;
  etr_puts(&answer->writer, "\n");
  etr_section_line(answer, ETR_STYLE_BOLD, 0, title);
  if (etr_section_is_markdown(answer))
    etr_puts(&answer->writer, "\n");
  etr_table_init(&table, answer, columns);
  if (all)
    table.top = 0;
  etr_table_add_rows(&table, rows);
  etr_table_finish(&table);
}

void etr_section_table(etr_answer *answer, const etr_row_type *columns, unsigned medium,
                       etr_rows rows) {
  etr_table table;
  if (rows.count == 0)
    return;
  etr_table_init(&table, answer, columns);
  table.medium = medium;
  etr_table_add_rows(&table, rows);
  etr_table_finish(&table);
}
