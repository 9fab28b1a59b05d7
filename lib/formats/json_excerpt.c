/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_excerpt.c - values of a document as short texts.
 */
#include "formats/json_excerpt.h"

#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>

static const char cut_mark[] = "...";

static void append_value(etr_json_excerpt *excerpt, etr_json *json, uint32_t depth);

/* The sink of an excerpt, which gets nothing, because an excerpt never fills its writer's buffer.
 */
static bool accept_nothing(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  return size == 0;
}

void etr_json_excerpt_init(etr_json_excerpt *excerpt) {
  etr_writer_init(&excerpt->writer, &(etr_sink){accept_nothing, NULL});
  etr_jw_init(&excerpt->json, &excerpt->writer, ETR_JW_PYTHON);
}

/* Returns true if the text, with the separator before the next value, exceeds the limit, so that
 * the rest of a list or object is left out. */
static bool has_no_room(const etr_json_excerpt *excerpt, bool is_first) {
  size_t separator = is_first ? 0 : strlen(", ");
  return excerpt->writer.used + separator > ETR_JSON_BRIEF_BYTES;
}

/* ---- Strings and numbers ---- */

/* Returns the start of a text that is too long for an excerpt, without splitting a character; a
 * shorter text as it is. */
static etr_slice cut_to_string_limit(etr_slice text) {
  if (text.size <= ETR_JSON_BRIEF_STRING)
    return text;
  return (etr_slice){text.data, etr_utf8_floor(text.data, ETR_JSON_BRIEF_STRING)};
}

void etr_json_excerpt_string(etr_json_excerpt *excerpt, etr_slice text) {
  etr_slice head = cut_to_string_limit(text);
  etr_jw_string_begin(&excerpt->json);
  etr_jw_string_piece(&excerpt->json, head);
  if (head.size < text.size)
    etr_jw_string_piece(&excerpt->json, ETR_SLICE(cut_mark));
  etr_jw_string_end(&excerpt->json);
}

/* NaN and Infinity, which JSON does not have, end with N and y, and become strings. */
void etr_json_excerpt_number(etr_json_excerpt *excerpt, etr_slice number) {
  bool is_word = number.size > 0 &&
                 (number.data[number.size - 1] == 'N' || number.data[number.size - 1] == 'y');
  if (is_word)
    etr_jw_slice(&excerpt->json, number);
  else
    etr_jw_raw(&excerpt->json, number);
}

void etr_json_excerpt_double(etr_json_excerpt *excerpt, double value) {
  char text[ETR_DOUBLE_ROOM + 2];
  if (!isfinite(value)) {
    const char *infinity = value > 0 ? "Infinity" : "-Infinity";
    etr_jw_string(&excerpt->json, isnan(value) ? "NaN" : infinity);
    return;
  }
  size_t size = etr_number_of_double(text, value);
  bool is_whole = !memchr(text, '.', size) && !memchr(text, 'e', size);
  if (is_whole) {
    text[size++] = '.';
    text[size++] = '0';
  }
  etr_jw_raw(&excerpt->json, (etr_slice){text, size});
}

/* ---- Lists and objects ---- */

bool etr_json_excerpt_cut(etr_json_excerpt *excerpt, bool is_first) {
  bool cut = has_no_room(excerpt, is_first);
  if (cut)
    etr_jw_string(&excerpt->json, cut_mark);
  return cut;
}

/* Skips the value that is next and the rest of the list or object that it is in. */
static void skip_rest(etr_json *json) {
  etr_json_skip(json);
  etr_json_leave(json);
}

void etr_json_excerpt_list(etr_json_excerpt *excerpt, etr_json *json, etr_json_excerpt_put put,
                           void *context) {
  etr_jw_array(&excerpt->json);
  etr_json_array(json);
  for (bool first = true; etr_json_element(json); first = false) {
    if (etr_json_excerpt_cut(excerpt, first)) {
      skip_rest(json);
      break;
    }
    put(excerpt, json, context);
  }
  etr_jw_end(&excerpt->json);
}

static void append_element(etr_json_excerpt *excerpt, etr_json *json, void *depth) {
  append_value(excerpt, json, *(const uint32_t *)depth);
}

/* Appends a key of an object, with a mark at its end if it is cut because it is too long. */
static void append_key(etr_json_excerpt *excerpt, etr_slice key) {
  char cut[ETR_JSON_BRIEF_STRING + sizeof cut_mark];
  etr_slice head = cut_to_string_limit(key);
  int size = snprintf(cut, sizeof cut, "%.*s%s", (int)head.size, head.data, cut_mark);
  etr_jw_key_slice(&excerpt->json, head.size < key.size ? (etr_slice){cut, (size_t)size} : key);
}

/* Reads the next object and appends it; what is beyond the limit of the excerpt is replaced by a
 * mark. `depth` is that of its values. */
static void append_object(etr_json_excerpt *excerpt, etr_json *json, uint32_t depth) {
  etr_slice key;
  etr_jw_object(&excerpt->json);
  etr_json_object(json);
  for (bool first = true; etr_json_key(json, &key); first = false) {
    if (has_no_room(excerpt, first)) {
      etr_jw_key(&excerpt->json, cut_mark);
      etr_jw_null(&excerpt->json);
      skip_rest(json);
      break;
    }
    append_key(excerpt, key);
    append_value(excerpt, json, depth);
  }
  etr_jw_end(&excerpt->json);
}

/* Reads the next array or object (is_array says which), which is nested in `depth` others, and
 * appends it; or only the mark of a cut, if that is too deep. */
static void append_nested_value(etr_json_excerpt *excerpt, etr_json *json, bool is_array,
                                uint32_t depth) {
  if (depth == ETR_JSON_BRIEF_DEPTH) {
    etr_json_skip(json);
    etr_jw_string(&excerpt->json, cut_mark);
    return;
  }
  depth++;
  if (is_array)
    etr_json_excerpt_list(excerpt, json, append_element, &depth);
  else
    append_object(excerpt, json, depth);
}

/* Reads the next value, which is nested in `depth` lists and objects, and appends it. A string that
 * is longer than the JSON reader's window would never fit, and is replaced by the mark of a cut
 * unread. */
static void append_value(etr_json_excerpt *excerpt, etr_json *json, uint32_t depth) {
  switch (etr_json_peek(json)) {
  case ETR_JSON_END:
    break;
  case ETR_JSON_NULL:
    etr_json_null(json);
    etr_jw_null(&excerpt->json);
    break;
  case ETR_JSON_BOOL:
    etr_jw_bool(&excerpt->json, etr_json_bool(json));
    break;
  case ETR_JSON_NUMBER:
    etr_json_excerpt_number(excerpt, etr_json_number_text(json));
    break;
  case ETR_JSON_STRING: {
    etr_slice raw;
    if (etr_json_peek_raw(json, &raw)) {
      etr_json_excerpt_string(excerpt, etr_json_string(json));
    } else {
      etr_json_skip(json);
      etr_jw_string(&excerpt->json, cut_mark);
    }
    break;
  }
  case ETR_JSON_ARRAY:
    append_nested_value(excerpt, json, true, depth);
    break;
  case ETR_JSON_OBJECT:
    append_nested_value(excerpt, json, false, depth);
    break;
  }
}

void etr_json_excerpt_value(etr_json_excerpt *excerpt, etr_json *json) {
  append_value(excerpt, json, 0);
}
