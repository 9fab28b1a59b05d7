/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_excerpt.h - a value of a document as a short text: JSON on one line, with Python's blanks: [1, {"a": 2}].
 * Layer 1.
 *
 * A number keeps its digits; NaN and the infinities, which JSON lacks, become strings. What is long is cut, and "..."
 * stands for the rest: of a string of more than ETR_JSON_BRIEF_STRING bytes, of the lists and objects that are open
 * when the text is longer than ETR_JSON_BRIEF_BYTES, and of what is nested deeper than ETR_JSON_BRIEF_DEPTH. What was
 * cut is still JSON.
 */
#ifndef ETR_JSON_BRIEF_H
#define ETR_JSON_BRIEF_H

#include "formats/json.h"

enum {
  ETR_JSON_BRIEF_BYTES = 256,
  ETR_JSON_BRIEF_STRING = 200,
  ETR_JSON_BRIEF_DEPTH = 8,
  ETR_JSON_BRIEF_ROOM = 3072, /* more than the longest text: the limit, a key and a string full of escapes, all ends */
};

/** The text so far. Not NUL-terminated. */
typedef struct etr_json_excerpt {
  size_t size;
  char text[ETR_JSON_BRIEF_ROOM];
} etr_json_excerpt;

/** An empty text; its room is left as it is. */
static inline void etr_json_excerpt_init(etr_json_excerpt *excerpt) { excerpt->size = 0; }

/** Appends the reader's next value, which is read or passed over. Failures are the reader's. */
void etr_json_excerpt_value(etr_json_excerpt *excerpt, etr_json *json);

/** Reads the next value, and appends what it makes of it. */
typedef void (*etr_json_excerpt_put)(etr_json_excerpt *excerpt, etr_json *json, void *context);

/** Appends the array that is next; each of its values as `put` does. */
void etr_json_excerpt_list(etr_json_excerpt *excerpt, etr_json *json, etr_json_excerpt_put put, void *context);

/** Appends a text as a string. */
void etr_json_excerpt_string(etr_json_excerpt *excerpt, etr_slice text);

/** Appends a number as etr_json_number_text() gives it. */
void etr_json_excerpt_number(etr_json_excerpt *excerpt, etr_slice number);

#endif
