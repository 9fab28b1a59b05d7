/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plain_text.h - text for a terminal: what cannot do harm there, how wide it is, cut and wrapped. Layer 4.
 *
 * Control characters, and those that turn the direction of writing, could steer a terminal or make it show something else: they become '?'.
 */
#ifndef ETR_PLAIN_TEXT_H
#define ETR_PLAIN_TEXT_H

#include "writer.h"

/** A copy that cannot steer a terminal; NULL when out of memory. */
char *etr_plain_copy(etr_arena *arena, const char *text);

/** Writes a text so that it cannot steer a terminal. */
void etr_put_plain(etr_writer *writer, const char *text);

/** Columns that a text takes where this writer's go: two for East Asian wide characters, none for combining ones. */
size_t etr_plain_width(const etr_writer *writer, const char *text);

/** Writes a plain text in at most so many columns: a longer one is cut in the middle, since the end of a name tells as much as its start. Gives the
 *  columns it took. */
size_t etr_put_cut(etr_writer *writer, const char *text, size_t width);

void etr_put_blanks(etr_writer *writer, size_t count);

/** Writes a text as lines of at most `width` columns (40 and the indent at least), each after `indent` blanks and in a style, with line ends; broken at
 *  blanks. */
void etr_put_wrapped(etr_writer *writer, etr_style style, const char *text, size_t indent, size_t width);

#endif
