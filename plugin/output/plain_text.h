/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plain_text.h - makes text harmless for a terminal; measures, cuts and wraps it. Layer 4.
 *
 * Control characters, and characters that change the writing direction, could steer a terminal or
 * fake its output. They become '?'.
 */
#ifndef ETR_PLAIN_TEXT_H
#define ETR_PLAIN_TEXT_H

#include "base/utf8.h"
#include "base/writer.h"

/** Returns a copy that cannot steer a terminal; NULL when out of memory. */
char *etr_sanitized_copy(etr_arena *arena, const char *text);

/** Writes a text so that it cannot steer a terminal. Writes nothing for NULL. */
void etr_put_sanitized(etr_writer *writer, const char *text);

/** Returns the number of columns that a text takes on the writer's terminal: two for East Asian
 * wide characters, none for combining ones. */
size_t etr_plain_width(const etr_writer *writer, const char *text);

typedef enum etr_cut {
  ETR_CUT_MIDDLE, /* for names, whose end matters as much as their start */
  ETR_CUT_START,  /* for paths that begin with the same parts */
} etr_cut;

/** Writes a plain text, cut to at most `width` columns with "…" (or "...") in place of the middle
 * or, with ETR_CUT_START, of the start behind the indent. Returns the columns it takes; 0 columns
 * write nothing. */
size_t etr_put_cut(etr_writer *writer, const char *text, size_t width, etr_cut cut);

/** Writes `count` blanks. */
void etr_put_blanks(etr_writer *writer, size_t count);

/** Writes a text in lines of at most `width` columns (at least 40 plus the indent), each indented
 * by `indent` blanks and in a style. Breaks lines at blanks, but not after a number, so that its
 * unit stays with it. */
void etr_put_wrapped(etr_writer *writer, etr_style style, const char *text, size_t indent,
                     size_t width);

#endif
