/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text_table.h - lays out tables of texts: text that fits the terminal, CSV, TSV, Markdown.
 * Layer 4.
 *
 * Emitters describe their columns as fields (table.h); an etr_table fills one of these tables.
 */
#ifndef ETR_TEXT_TABLE_H
#define ETR_TEXT_TABLE_H

#include "etrecord_tb.h"
#include "output/plain_text.h"

typedef struct etr_column {
  const char *title;
  bool right;   /* aligned right, as numbers are */
  bool shrinks; /* may be cut if the table is too wide: in the middle, or at the start if that shows
                   more differences */
} etr_column;

/** A table being filled, row by row. */
typedef struct etr_text_table {
  etr_arena *arena;
  const etr_column *columns;
  size_t column_count;
  etr_vec(const char *) cells;
  etr_vec(unsigned char) styles; /* one per cell */
  etr_vec(size_t) spare;         /* columns that narrow text may hide, in this order */
  bool without_head;             /* CSV and TSV begin with the first row */
} etr_text_table;

/** Starts an empty table. columns is borrowed; the arena holds the cells. */
void etr_text_table_init(etr_text_table *table, etr_arena *arena, const etr_column *columns,
                         size_t column_count);

/** Allows text to hide a column, with a line that says so, if a line has no room for all columns.
 * Columns are hidden in the order of these calls. */
void etr_text_table_may_hide_column(etr_text_table *table, size_t column);

/** Adds a copy of a text as the next cell; NULL is an empty cell. Control characters become '?'. */
void etr_text_table_add_cell(etr_text_table *table, const char *text);

/** Sets the style of the last cell; only colored text shows it. */
void etr_text_table_style_last_cell(etr_text_table *table, etr_style style);

/**
 * Writes the table. Text has a bold line of titles unless all are empty, and columns two blanks
 * apart; shrinking columns are cut to keep a line within `width` columns (0: 100). Spare columns
 * are hidden before names would be cut beyond recognition. CSV follows RFC 4180; TSV has tabs
 * instead of commas. Both put a quote before text that a spreadsheet would run as a formula.
 * Markdown escapes markup, and keeps the blanks that indent a cell.
 */
void etr_text_table_write(const etr_text_table *table, etr_writer *writer, etr_table_format format,
                          size_t width);

/** Significant digits of times for people. The runs of a steady method differ by a per cent or so,
 * which more digits would only pretend to resolve. */
enum { ETR_TIME_DIGITS = 3 };

/** Returns the number of decimals that show a time with so many significant digits, in a unit; at
 * most those of 100 ns.
 */
int etr_time_decimals(const etr_profile *profile, double ticks, etr_unit unit, int digits);

/** Writes a time for people, in a unit without its name, with ETR_TIME_DIGITS digits. */
void etr_put_time(etr_writer *writer, const etr_profile *profile, double ticks, etr_unit unit);

/** Writes "<0.001" for a time that is shorter than one step of its clock. step: the length of a
 * step, in ticks. */
void etr_put_below_clock_step(etr_writer *writer, const etr_profile *profile, double step,
                              etr_unit unit);

/** Writes a share of a whole, which is not 0, for people: "12.3 %". */
void etr_put_share(etr_writer *writer, double part, double whole);

/** Writes a line of text with the number of rows that are not shown. Writes nothing if count is 0.
 */
void etr_put_hidden_count(etr_writer *writer, size_t count);

/** Writes a text on one line and escapes characters that are markup in Markdown. */
void etr_put_markdown(etr_writer *writer, const char *text);

#endif
