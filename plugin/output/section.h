/* SPDX-License-Identifier: BSD-3-Clause
 *
 * section.h - what the sections of an answer for people are made of: lines, findings and tables. Layer 4.
 *
 * Each is written as text that fits the terminal or as Markdown, as the answer's options say.
 */
#ifndef ETR_SECTION_H
#define ETR_SECTION_H

#include "output/table.h"

/** True if the answer is Markdown. */
bool etr_section_is_markdown(const etr_answer *answer);

/** Writes a line: as text in a style, wrapped and indented; in Markdown one that is indented is an item of a list.
 * Nothing of NULL (out of memory, which shows on the arena) and "". */
void etr_section_line(etr_answer *answer, etr_style style, size_t indent, const char *text);

/** Writes a finding as an item of a list: what it is, then its evidence. Nothing if `what` is NULL. */
void etr_section_item(etr_answer *answer, const char *what, const char *evidence);

/** Writes rows as a table of the fields in a medium, options.top at most, and how many are not shown; nothing if there
 * are none. */
void etr_section_rows(etr_answer *answer, const etr_row_type *columns, unsigned medium, etr_rows rows);

#endif
