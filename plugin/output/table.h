/* SPDX-License-Identifier: BSD-3-Clause
 *
 * table.h - tables for people and for other programs: text that fits the terminal, CSV, TSV, Markdown. Layer 4.
 */
#ifndef ETR_TABLE_H
#define ETR_TABLE_H

#include "plain_text.h"

typedef struct etr_column {
  const char *title;
  bool right;   /* numbers */
  bool shrinks; /* text that may be cut when the table is too wide: in the middle, or at the start where that tells more rows apart */
} etr_column;

/** Cells are added row by row; the arena holds them. */
typedef struct etr_table {
  etr_arena *arena;
  const etr_column *columns;
  size_t column_count;
  etr_vec(const char *) cells;
  etr_vec(unsigned char) styles; /* of each cell */
  etr_vec(size_t) spare;         /* columns that text may leave out, the first of them first */
} etr_table;

void etr_table_init(etr_table *table, etr_arena *arena, const etr_column *columns, size_t column_count);

/** Text that has no room for all columns leaves this one out, and says so; those named first go first. */
void etr_table_may_leave_out(etr_table *table, size_t column);

/** Adds the next cell, copied; NULL is an empty one. Control characters, which could steer a terminal, become '?'. */
void etr_table_add(etr_table *table, const char *text);
/** Adds a number with so many decimals; NaN is an empty cell. */
void etr_table_add_number(etr_table *table, double value, int decimals);
/** Adds a number with so many significant digits; 0: as many as tell it from every other. NaN is an empty cell. */
void etr_table_add_general(etr_table *table, double value, int digits);
/** Writes a time in a unit, to about 100 ns. */
void etr_put_time(etr_writer *writer, const etr_profile *profile, double ticks, etr_unit unit);
/** Adds one. */
void etr_table_add_time(etr_table *table, const etr_profile *profile, double ticks, etr_unit unit);
/** Adds one with 9 decimals, as programs get it (CSV and TSV): what adds up still does. NaN is an empty cell. */
void etr_table_add_exact_time(etr_table *table, const etr_profile *profile, double ticks, etr_unit unit);
/** CSV and TSV are for programs, text and Markdown for people. */
bool etr_table_is_for_programs(etr_table_format format);
/** Adds a share of a whole as "12.3 %", the warmer the larger; empty if the whole is 0. */
void etr_table_add_share(etr_table *table, double part, double whole);
/** Adds a bar of full blocks, `width` of them for a whole; a part of the whole that would get none has none. */
void etr_table_add_bar(etr_table *table, double part, double whole, size_t width);
/** Gives the cell that was added last a style; only text with colour shows it. */
void etr_table_style(etr_table *table, etr_style style);

/**
 * Writes the table. Text: a bold line of titles unless all are empty, columns two blanks apart, shrinking ones cut so that a line takes at most
 * `width` columns, and some left out before that cuts names beyond recognition; colour and characters as the writer's reader can show them. CSV is
 * RFC 4180, TSV the same with tabs; both have a quote before what a spreadsheet would run as a formula. Markdown escapes what would be markup.
 */
void etr_table_write(const etr_table *table, etr_writer *writer, etr_table_format format, size_t width);

/** Says in text how many rows were left out, if any. */
void etr_put_more(etr_writer *writer, size_t count);

/** Writes a text in one line, with what would be Markdown's markup escaped. */
void etr_put_markdown(etr_writer *writer, const char *text);

#endif
