/* SPDX-License-Identifier: BSD-3-Clause
 *
 * table.h - lays out tables of texts: text that fits the terminal, CSV, TSV, Markdown. Layer 4.
 *
 * Emitters describe their columns in a table (table.h), which fills a table.
 */
#ifndef ETR_TEXT_TABLE_H
#define ETR_TEXT_TABLE_H

#include "output/plain_text.h"

typedef struct etr_column {
  const char *title;
  bool right;   /* numbers */
  bool shrinks; /* may be cut if the table is too wide: in the middle, or at the start if that tells more rows apart */
} etr_column;

/** A table being filled, row by row. */
typedef struct etr_text_table {
  etr_arena *arena;
  const etr_column *columns;
  size_t column_count;
  etr_vec(const char *) cells;
  etr_vec(unsigned char) styles; /* of each cell */
  etr_vec(size_t) spare;         /* columns that narrow text leaves out, in this order */
} etr_text_table;

/** Starts an empty table. columns is borrowed; the arena holds the cells. */
void etr_text_table_init(etr_text_table *table, etr_arena *arena, const etr_column *columns, size_t column_count);

/** Lets text leave out a column, and say so, if a line has no room for all; columns named first go first. */
void etr_text_table_may_leave_out(etr_text_table *table, size_t column);

/** Adds a copy of a text as the next cell; NULL is an empty cell. Control characters become '?'. */

void etr_text_table_add(etr_text_table *table, const char *text);
/** Sets the style of the last cell; only coloured text shows it. */
void etr_text_table_style(etr_text_table *table, etr_style style);

/**
 * Writes the table. Text has a bold line of titles unless all are empty, and columns two blanks apart; shrinking
 * columns are cut to keep a line within `width` columns (0: 100), spare ones are left out before that would cut names
 * beyond recognition. CSV is RFC 4180, TSV the same with tabs; both put a quote before what a spreadsheet would run as
 * a formula. Markdown escapes markup.
 */
void etr_text_table_write(const etr_text_table *table, etr_writer *writer, etr_table_format format, size_t width);

/** Significant digits of times for people. The runs of a steady method differ by a per cent or so, which more digits
 * would only pretend to resolve. */
enum { ETR_TIME_DIGITS = 3 };

/** Returns the number of decimals that show a time with so many significant digits, in a unit; at most those of 100 ns.
 */
int etr_time_decimals(const etr_profile *profile, double ticks, etr_unit unit, int digits);

/** Writes a time for people, in a unit without its name, with ETR_TIME_DIGITS digits. */
void etr_put_time(etr_writer *writer, const etr_profile *profile, double ticks, etr_unit unit);

/** Writes "<0.001": a time that its clock, which counts steps of so many ticks, cannot tell from nothing. */
void etr_put_below(etr_writer *writer, const etr_profile *profile, double step, etr_unit unit);

/** Writes a share of a whole, which is not 0, for people: "12.3 %". */
void etr_put_share(etr_writer *writer, double part, double whole);

/** Says in text how many rows were left out; nothing if count is 0. */
void etr_put_more(etr_writer *writer, size_t count);

/** Writes a text in one line, with what would be Markdown's markup escaped. */
void etr_put_markdown(etr_writer *writer, const char *text);

#endif
