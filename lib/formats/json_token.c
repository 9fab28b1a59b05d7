/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_token.c - reading across the moves of a window.
 */
#include "formats/json_token.h"

#include "base/number.h"

#include "formats/json_text.h"

int etr_json_skip_space(etr_window *w) {
  do {
    while (w->at < w->end && etr_json_is_space(*w->at)) w->at++;
  } while (w->at == w->end && etr_window_fill(w, 1));
  return w->at < w->end ? (unsigned char)*w->at : -1;
}

/* ---- Words and numbers ---- */

bool etr_json_read_word(etr_window *w, etr_slice word) {
  if (!etr_window_fill(w, word.size) || memcmp(w->at, word.data, word.size) != 0)
    return etr_window_fail(w, "expected a value");
  w->at += word.size;
  return true;
}

/* The word for a number that is next, or an empty slice. */
static etr_slice number_word(const etr_window *w) {
  switch (*w->at) {
  case 'N': return ETR_SLICE("NaN");
  case 'I': return ETR_SLICE("Infinity");
  case '-': return w->end - w->at > 1 && w->at[1] == 'I' ? ETR_SLICE("-Infinity") : ETR_SLICE("");
  default: return ETR_SLICE("");
  }
}

static inline bool is_number_byte(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

bool etr_json_read_number(etr_window *w, etr_slice *out) {
  if (!etr_window_fill(w, ETR_MOST_NUMBER_BYTES + 1) && w->message) return false;
  *out = number_word(w);
  if (out->size > 0) return etr_json_read_word(w, *out);
  size_t size = 0, limit = ETR_MIN((size_t)(w->end - w->at), ETR_MOST_NUMBER_BYTES + 1);
  while (size < limit && is_number_byte(w->at[size])) size++;
  *out = (etr_slice){w->at, size};
  if (size > ETR_MOST_NUMBER_BYTES) return etr_window_fail(w, "number too long");
  if (!etr_is_number(*out)) return etr_window_fail(w, "malformed number");
  w->at += size;
  return true;
}

/* ---- Strings ---- */

/* Decodes the escape that is next; gives the bytes written, 0 after a failure. */
static size_t decode_escape(etr_window *w, char *into) {
  size_t written;
  etr_window_fill(w, ETR_JSON_MAX_ESCAPE);
  size_t taken = etr_json_unescape(w->at, w->end, into, &written);
  if (taken == 0) etr_window_fail(w, "bad escape in a string");
  w->at += taken;
  return written;
}

size_t etr_json_decode(etr_window *w, char *into, size_t size, bool *open) {
  size_t done = 0;
  while (*open && !w->message && size - done >= ETR_JSON_MAX_UTF8) {
    if (!etr_window_fill(w, 1)) {
      etr_window_fail_at_end(w);
      break;
    }
    const char *stop = etr_json_find_quote(w->at, w->at + ETR_MIN(size - done, (size_t)(w->end - w->at)));
    size_t plain = (size_t)(stop - w->at);
    memcpy(into + done, w->at, plain);
    done += plain;
    w->at = stop;
    if (stop == w->end) continue;
    if (*stop == '"') {
      w->at++;
      *open = false;
    } else if (w->end - stop > 1 && stop[1] == '"' && size > done) { /* of a document in a string, every other word */
      into[done++] = '"';
      w->at += 2;
    } else if (*stop == '\\' && size - done >= ETR_JSON_MAX_UTF8) {
      done += decode_escape(w, into + done);
    }
  }
  return done;
}

/* Of most strings, which have no escapes: passes over the rest, and the quote at the end, where all of that is in the
 * window. Otherwise *at stops before. */
static inline bool skip_plain(const etr_window *w, const char **at) {
  *at = etr_json_find_quote(*at, w->end);
  if (*at == w->end || **at != '"') return false;
  ++*at;
  return true;
}

/* Brings what is behind `at` into the window. */
static bool show_more(etr_window *w, const char **at) {
  size_t size = (size_t)(*at - w->at);
  bool shown = etr_window_fill_to_show(w, size);
  *at = w->at + size;
  return shown;
}

bool etr_json_skip_string(etr_window *w) {
  uint64_t carry = 0;
  if (skip_plain(w, &w->at)) return true;
  while (etr_window_fill(w, 1)) {
    w->at = etr_json_find_end(w->at, w->end, &carry);
    if (w->at == w->end) continue;
    w->at++;
    return true;
  }
  return etr_window_fail_at_end(w);
}

/* Measures on in a string: *at is moved behind the quote that ends it. */
static bool measure_string(etr_window *w, const char **at) {
  uint64_t carry = 0;
  while (show_more(w, at)) {
    *at = etr_json_find_end(*at, w->end, &carry);
    if (*at == w->end) continue;
    ++*at;
    return true;
  }
  return false;
}

bool etr_json_measure(etr_window *w, size_t *size) {
  const char *at = w->at;
  size_t open = 0;
  do {
    at = etr_json_find_bracket(at, w->end);
    if (at == w->end) {
      if (!show_more(w, &at)) return false;
    } else if (*at == '"') {
      at++;
      if (!skip_plain(w, &at) && !measure_string(w, &at)) return false;
    } else if (etr_json_to_brace(*at++) == '{')
      open++;
    else
      open--;
  } while (open > 0);
  *size = (size_t)(at - w->at);
  return true;
}
