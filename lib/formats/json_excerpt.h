/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_excerpt.h - writes a value of a document as a short text: JSON on one line, spaced like
 * Python does: [1, {"a": 2}]. Layer 1.
 *
 * A number keeps its digits. NaN and the infinities, which JSON does not have, become strings. Long
 * values are cut, and
 * "..." replaces the rest. Cut are strings of more than ETR_JSON_BRIEF_STRING bytes, the lists and
 * objects that are open when the text is longer than ETR_JSON_BRIEF_BYTES, and values nested deeper
 * than ETR_JSON_BRIEF_DEPTH. A cut text is still valid JSON.
 */
#ifndef ETR_JSON_BRIEF_H
#define ETR_JSON_BRIEF_H

#include "base/json_writer.h"
#include "formats/json.h"

enum {
  ETR_JSON_BRIEF_BYTES = 256,
  ETR_JSON_BRIEF_STRING = 200,
  ETR_JSON_BRIEF_DEPTH = 8,
};

/** A text being written. It fits the writer's buffer: at most the limit, plus a key and a string
 * that consist of escapes, plus all closing brackets. */
typedef struct etr_json_excerpt {
  etr_writer writer;
  etr_jw json;
} etr_json_excerpt;

/** Starts an excerpt with an empty text. */
void etr_json_excerpt_init(etr_json_excerpt *excerpt);

/** Returns the text so far. It lives in the excerpt. */
static inline etr_slice etr_json_excerpt_text(const etr_json_excerpt *excerpt) {
  return (etr_slice){excerpt->writer.buffer, excerpt->writer.used};
}

/** Reads the next value and appends it. Failures show on the reader. */
void etr_json_excerpt_value(etr_json_excerpt *excerpt, etr_json *json);

/** Reads the next value and appends a text for it. */
typedef void (*etr_json_excerpt_put)(etr_json_excerpt *excerpt, etr_json *json, void *context);

/** Reads the next array and appends it; `put` appends each of its values. Elements for which the
 * excerpt has no room are skipped, and one mark stands for them all. */
void etr_json_excerpt_list(etr_json_excerpt *excerpt, etr_json *json, etr_json_excerpt_put put,
                           void *context);

/** Appends a text as a JSON string, cut with a mark if it is longer than ETR_JSON_BRIEF_STRING
 * bytes. */
void etr_json_excerpt_string(etr_json_excerpt *excerpt, etr_slice text);

/** Appends a number that etr_json_number_text() returned. */
void etr_json_excerpt_number(etr_json_excerpt *excerpt, etr_slice number);

/** Appends a floating-point number, with a decimal point or an exponent: 1.0. NaN and infinities,
 * which JSON does not have, become strings. */
void etr_json_excerpt_double(etr_json_excerpt *excerpt, double value);

/** Appends the mark of what is left out, and returns true, if the excerpt is so long that the next
 * element of an array is not shown. */
bool etr_json_excerpt_cut(etr_json_excerpt *excerpt, bool is_first);

#endif
