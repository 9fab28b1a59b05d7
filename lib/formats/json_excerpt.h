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

#include "formats/json.h"

enum {
  ETR_JSON_BRIEF_BYTES = 256,
  ETR_JSON_BRIEF_STRING = 200,
  ETR_JSON_BRIEF_DEPTH = 8,
  ETR_JSON_BRIEF_ROOM = 3072, /* more than the longest text: the limit, plus a key and a string that
                                 consist of escapes, plus all closing brackets */
};

/** The text so far. Not NUL-terminated. */
typedef struct etr_json_excerpt {
  size_t size;
  char text[ETR_JSON_BRIEF_ROOM];
} etr_json_excerpt;

/** Makes an empty text; the buffer is not cleared. */
static inline void etr_json_excerpt_init(etr_json_excerpt *excerpt) {
  excerpt->size = 0;
}

/** Reads the next value and appends it. Failures show on the reader. */
void etr_json_excerpt_value(etr_json_excerpt *excerpt, etr_json *json);

/** Reads the next value and appends a text for it. */
typedef void (*etr_json_excerpt_put)(etr_json_excerpt *excerpt, etr_json *json, void *context);

/** Reads the next array and appends it; `put` appends each of its values. */
void etr_json_excerpt_list(etr_json_excerpt *excerpt, etr_json *json, etr_json_excerpt_put put,
                           void *context);

/** Appends a text as a string. */
void etr_json_excerpt_string(etr_json_excerpt *excerpt, etr_slice text);

/** Appends a number that etr_json_number_text() returned. */
void etr_json_excerpt_number(etr_json_excerpt *excerpt, etr_slice number);

#endif
