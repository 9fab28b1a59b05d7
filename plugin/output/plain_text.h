/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plain_text.h - text for a terminal: what cannot do harm there, how wide it is, cut and wrapped. Layer 4.
 *
 * Control characters, and those that turn the direction of writing, could steer a terminal or make it show something else: they become '?'.
 */
#ifndef ETR_PLAIN_TEXT_H
#define ETR_PLAIN_TEXT_H

#include "writer.h"

/** The first character of a valid UTF-8 text; *size tells its bytes. */
uint32_t etr_character_at(const char *text, size_t *size);

/** True of control characters, line ends, marks that turn the direction, and what is invisible but read by programs. */
bool etr_is_control(uint32_t character);

/** A copy that cannot steer a terminal; NULL when out of memory. */
char *etr_plain_copy(etr_arena *arena, const char *text);

/** Writes a text so that it cannot steer a terminal. */
void etr_put_plain(etr_writer *writer, const char *text);

/** Columns that a text takes where this writer's go: two for East Asian wide characters, none for combining ones. */
size_t etr_plain_width(const etr_writer *writer, const char *text);

typedef enum etr_cut {
  ETR_CUT_MIDDLE, /* the end of a name tells as much as its start */
  ETR_CUT_START,  /* as of paths that begin alike */
} etr_cut;

/** Writes a plain text in at most so many columns: a longer one is cut. Gives the columns it took. */
size_t etr_put_cut(etr_writer *writer, const char *text, size_t width, etr_cut cut);

/** Writes a name, made plain, and what stands behind it in its line; the name is cut so that both fit into `width` columns (0: 100), though not
 * below 8. */
void etr_put_named(etr_writer *writer, etr_arena *arena, const char *name, const char *rest, size_t width);

void etr_put_blanks(etr_writer *writer, size_t count);

/** Writes a text as lines of at most `width` columns (40 and the indent at least), each after `indent` blanks and in a style, with line ends; broken
 * at blanks, though not behind a number. */
void etr_put_wrapped(etr_writer *writer, etr_style style, const char *text, size_t indent, size_t width);

#endif
