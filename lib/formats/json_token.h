/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_token.h - words, numbers and strings of a JSON document in a window. Layer 1.
 *
 * What is read is passed over; what is wrong, or missing at the document's end, fails the window.
 */
#ifndef ETR_JSON_TOKEN_H
#define ETR_JSON_TOKEN_H

#include "formats/window.h"

/** etr_json_next_byte() where more than one blank is next. */
int etr_json_skip_space(etr_window *w);

static inline bool etr_json_is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/** Passes over white space: the byte behind it, which stays unread, or -1 at the end. */
static inline int etr_json_next_byte(etr_window *w) {
  if (w->end - w->at > 1 && *w->at == ' ') w->at++; /* mostly there is one blank, or nothing */
  return w->at < w->end && !etr_json_is_space(*w->at) ? (unsigned char)*w->at : etr_json_skip_space(w);
}

/** Reads this word. */
bool etr_json_read_word(etr_window *w, etr_slice word);

/** Reads a number, or NaN, Infinity or -Infinity: a slice of the window. */
bool etr_json_read_number(etr_window *w, etr_slice *out);

/**
 * Decodes on in the string whose quote was read until it ends, which clears *open, or fewer than ETR_JSON_MAX_UTF8 of
 * room are left; `size` is at least that much. Gives the bytes written. Failures are the window's.
 */
size_t etr_json_decode(etr_window *w, char *into, size_t size, bool *open);

/** Passes over the rest of a string and its quote. False, and the window failed, if it does not end. */
bool etr_json_skip_string(etr_window *w);

/** Measures a string, array or object, with its quotes or brackets. False, and nothing failed, if it does not end or is
 * longer than the window may show. */
bool etr_json_measure(etr_window *w, size_t *size);

#endif
