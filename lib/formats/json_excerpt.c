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

static void copy_value(etr_json_excerpt *excerpt, etr_json *json, uint32_t depth);

/* An excerpt never fills the buffer. */
static bool accept_nothing(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  return size == 0;
}

void etr_json_excerpt_init(etr_json_excerpt *excerpt) {
  etr_writer_init(&excerpt->writer, &(etr_sink){accept_nothing, NULL});
  etr_jw_init(&excerpt->json, &excerpt->writer, ETR_JW_PYTHON);
}

/* Returns true if the separator in front of the next value makes the text too long for it. */
static bool is_full(const etr_json_excerpt *excerpt, bool is_first) {
  size_t separator = is_first ? 0 : strlen(", ");
  return excerpt->writer.used + separator > ETR_JSON_BRIEF_BYTES;
}

/* ---- Strings and numbers ---- */

/* Returns the start of a text that is too long, up to the end of a character. */
static etr_slice head_of(etr_slice text) {
  if (text.size <= ETR_JSON_BRIEF_STRING)
    return text;
  return (etr_slice){text.data, etr_utf8_floor(text.data, ETR_JSON_BRIEF_STRING)};
}

/* Writes a string, cut with a mark if it is too long. */
void etr_json_excerpt_string(etr_json_excerpt *excerpt, etr_slice text) {
  etr_slice head = head_of(text);
  etr_jw_string_begin(&excerpt->json);
  etr_jw_string_piece(&excerpt->json, head);
  if (head.size < text.size)
    etr_jw_string_piece(&excerpt->json, ETR_SLICE(cut_mark));
  etr_jw_string_end(&excerpt->json);
}

/* Writes a number as it is; NaN and infinite ones become strings. */
void etr_json_excerpt_number(etr_json_excerpt *excerpt, etr_slice number) {
  bool is_word = number.size > 0 &&
                 (number.data[number.size - 1] == 'N' || number.data[number.size - 1] == 'y');
  if (is_word)
    etr_jw_slice(&excerpt->json, number);
  else
    etr_jw_raw(&excerpt->json, number);
}

/* Writes a double as Python does, with ".0" if it is whole; NaN and infinite ones become
 * strings. */
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
  bool cut = is_full(excerpt, is_first);
  if (cut)
    etr_jw_string(&excerpt->json, cut_mark);
  return cut;
}

/* Leaves a list or object at the value that is next. */
static void leave(etr_json *json) {
  etr_json_skip(json);
  etr_json_leave(json);
}

/* Copies an array element by element with put_element(), cut where the excerpt is full. */
void etr_json_excerpt_list(etr_json_excerpt *excerpt, etr_json *json,
                           etr_json_excerpt_put put_element, void *context) {
  etr_jw_array(&excerpt->json);
  etr_json_array(json);
  for (bool first = true; etr_json_element(json); first = false) {
    if (etr_json_excerpt_cut(excerpt, first)) {
      leave(json);
      break;
    }
    put_element(excerpt, json, context);
  }
  etr_jw_end(&excerpt->json);
}

static void put_element(etr_json_excerpt *excerpt, etr_json *json, void *depth) {
  copy_value(excerpt, json, *(const uint32_t *)depth);
}

/* A key that is too long is cut, too. */
static void put_key(etr_json_excerpt *excerpt, etr_slice key) {
  char cut[ETR_JSON_BRIEF_STRING + sizeof cut_mark];
  etr_slice head = head_of(key);
  int size = snprintf(cut, sizeof cut, "%.*s%s", (int)head.size, head.data, cut_mark);
  etr_jw_key_slice(&excerpt->json, head.size < key.size ? (etr_slice){cut, (size_t)size} : key);
}

/* Copies an object, cut where the excerpt is full. */
static void copy_object(etr_json_excerpt *excerpt, etr_json *json, uint32_t depth) {
  etr_slice key;
  etr_jw_object(&excerpt->json);
  etr_json_object(json);
  for (bool first = true; etr_json_key(json, &key); first = false) {
    if (is_full(excerpt, first)) {
      etr_jw_key(&excerpt->json, cut_mark);
      etr_jw_null(&excerpt->json);
      leave(json);
      break;
    }
    put_key(excerpt, key);
    copy_value(excerpt, json, depth);
  }
  etr_jw_end(&excerpt->json);
}

/* Copies an array or object, or a mark that it was cut if it is nested too deeply. */
static void copy_nested_value(etr_json_excerpt *excerpt, etr_json *json, bool is_array,
                              uint32_t depth) {
  if (depth == ETR_JSON_BRIEF_DEPTH) {
    etr_json_skip(json);
    etr_jw_string(&excerpt->json, cut_mark);
    return;
  }
  depth++;
  if (is_array)
    etr_json_excerpt_list(excerpt, json, put_element, &depth);
  else
    copy_object(excerpt, json, depth);
}

/* Copies a value of any type, `depth` levels deep. A string that a reader cannot show at once
 * becomes a mark that it was cut. */
static void copy_value(etr_json_excerpt *excerpt, etr_json *json, uint32_t depth) {
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
    /* One that is longer than a reader can show at once is none that anybody reads. */
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
    copy_nested_value(excerpt, json, true, depth);
    break;
  case ETR_JSON_OBJECT:
    copy_nested_value(excerpt, json, false, depth);
    break;
  }
}

void etr_json_excerpt_value(etr_json_excerpt *excerpt, etr_json *json) {
  copy_value(excerpt, json, 0);
}
