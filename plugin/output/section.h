/* SPDX-License-Identifier: BSD-3-Clause
 *
 * section.h - writes the parts of an answer for people: lines, findings and tables. Layer 4.
 *
 * Each is written as text that fits the terminal, or as Markdown if the answer's options say so.
 */
#ifndef ETR_SECTION_H
#define ETR_SECTION_H

#include "output/table.h"

/** Returns true if the answer is Markdown. */
bool etr_section_is_markdown(const etr_answer *answer);

/** Writes a line. In text it has a style and is wrapped and indented; in Markdown an indented line
 * is an item of a list, and any other one ends with a line break. Writes nothing for "" and for
 * NULL, which means out of memory: the arena has failed then. */
void etr_section_line(etr_answer *answer, etr_style style, size_t indent, const char *text);

/** Writes an item of a numbered list: "1. text". Writes nothing for NULL, as etr_section_line(). */
void etr_section_numbered(etr_answer *answer, size_t number, const char *text);

/** Ends a list that a line follows, which Markdown would otherwise take as a part of its last item.
 * Writes nothing in text. */
void etr_section_end_list(etr_answer *answer);

/** Writes a line with what etr_label_clock_note() says of a profile, if anything. */
void etr_section_clock_note(etr_answer *answer, const etr_profile *profile, size_t indent);

/** Writes a finding as an item of a list: what was found, then its evidence. Writes nothing if
 * `what` is NULL. */
void etr_section_finding(etr_answer *answer, const char *what, const char *evidence);

/** Writes rows as a table of the fields of a medium, at most options.top rows, and the number of
 * rows that are not shown. Writes nothing if there are no rows. */
void etr_section_table(etr_answer *answer, const etr_row_type *columns, unsigned medium,
                       etr_rows rows);

/** Writes an empty line, a title, and rows as a table for people: all of them if `all` is set, else
 * at most options.top. Writes nothing if there are no rows. */
void etr_section_titled_table(etr_answer *answer, const char *title, const etr_row_type *columns,
                              etr_rows rows, bool all);

#endif
