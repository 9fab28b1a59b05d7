/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_excerpt.c - values of a document as short texts.
 */
#include "formats/json_excerpt.h"

#include "base/utf8.h"

#include <stdio.h>

#define CUT "..."
#define QUOTED_CUT "\"" CUT "\""

static void put_value(etr_json_excerpt *excerpt, etr_json *json, uint32_t depth);

static void append_text(etr_json_excerpt *excerpt, etr_slice text) {
  size_t size = ETR_MIN(text.size, ETR_JSON_BRIEF_ROOM - excerpt->size);
  memcpy(excerpt->text + excerpt->size, text.data, size);
  excerpt->size += size;
}

static bool is_full(const etr_json_excerpt *excerpt) {
  return excerpt->size > ETR_JSON_BRIEF_BYTES;
}

/* ---- Strings and numbers ---- */

static void put_escaped(etr_json_excerpt *excerpt, char c) {
  char escaped[8];
  if (c == '"' || c == '\\')
    append_text(excerpt, (etr_slice){(const char[]){'\\', c}, 2});
  else if ((unsigned char)c < 0x20)
    append_text(excerpt, (etr_slice){escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04x",
                                                               (unsigned)c)});
  else
    append_text(excerpt, (etr_slice){&c, 1});
}

/* Returns the start of a text that is too long, up to the end of a character. */
static etr_slice head_of(etr_slice text) {
  if (text.size <= ETR_JSON_BRIEF_STRING)
    return text;
  return (etr_slice){text.data, etr_utf8_floor(text.data, ETR_JSON_BRIEF_STRING)};
}

void etr_json_excerpt_string(etr_json_excerpt *excerpt, etr_slice text) {
  etr_slice head = head_of(text);
  append_text(excerpt, ETR_SLICE("\""));
  for (size_t i = 0; i < head.size; i++)
    put_escaped(excerpt, head.data[i]);
  if (head.size < text.size)
    append_text(excerpt, ETR_SLICE(CUT));
  append_text(excerpt, ETR_SLICE("\""));
}

void etr_json_excerpt_number(etr_json_excerpt *excerpt, etr_slice number) {
  bool is_word = number.size > 0 &&
                 (number.data[number.size - 1] == 'N' || number.data[number.size - 1] == 'y');
  if (is_word)
    etr_json_excerpt_string(excerpt, number);
  else
    append_text(excerpt, number);
}

/* ---- Lists and objects ---- */

/* Ends a list or object at the value that is next. */
static void cut_here(etr_json_excerpt *excerpt, etr_json *json, etr_slice mark) {
  append_text(excerpt, mark);
  etr_json_skip(json);
  etr_json_leave(json);
}

void etr_json_excerpt_list(etr_json_excerpt *excerpt, etr_json *json,
                           etr_json_excerpt_put put_element, void *context) {
  append_text(excerpt, ETR_SLICE("["));
  etr_json_array(json);
  for (bool first = true; etr_json_element(json); first = false) {
    if (!first)
      append_text(excerpt, ETR_SLICE(", "));
    if (is_full(excerpt)) {
      cut_here(excerpt, json, ETR_SLICE(QUOTED_CUT));
      break;
    }
    put_element(excerpt, json, context);
  }
  append_text(excerpt, ETR_SLICE("]"));
}

static void put_element(etr_json_excerpt *excerpt, etr_json *json, void *depth) {
  put_value(excerpt, json, *(const uint32_t *)depth);
}

static void put_nested(etr_json_excerpt *excerpt, etr_json *json, bool is_array, uint32_t depth) {
  if (depth == ETR_JSON_BRIEF_DEPTH) {
    etr_json_skip(json);
    append_text(excerpt, ETR_SLICE(QUOTED_CUT));
    return;
  }
  depth++;
  if (is_array)
    etr_json_excerpt_list(excerpt, json, put_element, &depth);
  else {
    etr_slice key;
    append_text(excerpt, ETR_SLICE("{"));
    etr_json_object(json);
    for (bool first = true; etr_json_key(json, &key); first = false) {
      if (!first)
        append_text(excerpt, ETR_SLICE(", "));
      if (is_full(excerpt)) {
        cut_here(excerpt, json, ETR_SLICE(QUOTED_CUT ": null"));
        break;
      }
      etr_json_excerpt_string(excerpt, key);
      append_text(excerpt, ETR_SLICE(": "));
      put_value(excerpt, json, depth);
    }
    append_text(excerpt, ETR_SLICE("}"));
  }
}

static void put_value(etr_json_excerpt *excerpt, etr_json *json, uint32_t depth) {
  switch (etr_json_peek(json)) {
  case ETR_JSON_END:
    break;
  case ETR_JSON_NULL:
    etr_json_null(json), append_text(excerpt, ETR_SLICE("null"));
    break;
  case ETR_JSON_BOOL:
    append_text(excerpt, etr_slice_of(etr_json_bool(json) ? "true" : "false"));
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
      append_text(excerpt, ETR_SLICE(QUOTED_CUT));
    }
  } break;
  case ETR_JSON_ARRAY:
    put_nested(excerpt, json, true, depth);
    break;
  case ETR_JSON_OBJECT:
    put_nested(excerpt, json, false, depth);
    break;
  }
}

void etr_json_excerpt_value(etr_json_excerpt *excerpt, etr_json *json) {
  put_value(excerpt, json, 0);
}
