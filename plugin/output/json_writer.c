/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_writer.c - writes JSON: commas, nesting, escapes.
 */
#include "output/json_writer.h"

#include "output/plain_text.h"

void etr_jw_init(etr_jw *json, etr_writer *writer) {
  *json = (etr_jw){.writer = writer};
}

static inline etr_jw_level *innermost(etr_jw *json) {
  return json->depth > 0 ? &json->levels[json->depth - 1] : NULL;
}

/* Writes the separator before a value or key: a comma, and a line end if an object begins in an
 * array. */
static inline void separate(etr_jw *json, bool is_object) {
  etr_jw_level *level = innermost(json);
  if (level == NULL || json->after_key) {
    json->after_key = false;
    return;
  }
  if (level->has_items)
    etr_put_byte(json->writer, ',');
  level->has_items = true;
  if (level->is_array && is_object) {
    etr_put_byte(json->writer, '\n');
    level->has_lines = true;
  }
}

static void end_outermost(etr_jw *json) {
  if (json->depth == 0)
    etr_put_byte(json->writer, '\n');
}

static void begin(etr_jw *json, bool is_array) {
  separate(json, !is_array);
  etr_put_byte(json->writer, is_array ? '[' : '{');
  if (json->depth == ETR_JW_MAX_DEPTH) {
    json->writer->status = ETR_ERROR_FORMAT;
  } else {
    json->levels[json->depth++] = (etr_jw_level){.is_array = is_array};
  }
}

void etr_jw_object(etr_jw *json) {
  begin(json, false);
}
void etr_jw_array(etr_jw *json) {
  begin(json, true);
}

void etr_jw_end(etr_jw *json) {
  const etr_jw_level *level = innermost(json);
  if (level == NULL)
    return;
  if (level->has_lines)
    etr_put_byte(json->writer, '\n');
  etr_put_byte(json->writer, level->is_array ? ']' : '}');
  json->depth--;
  end_outermost(json);
}

static void put_ascii(etr_writer *writer, char c) {
  static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *at = c != '\0' ? strchr(escaped, c) : NULL;
  if (at != NULL) {
    etr_put(writer, (etr_slice){(const char[]){'\\', letters[at - escaped]}, 2});
  } else if ((unsigned char)c < 0x20 || c == 0x7F || c == '<') {
    etr_putf(writer, "\\u%04x", (unsigned)c);
  } else {
    etr_put_byte(writer, c);
  }
}

/* Writes a character that is not ASCII. Escapes characters that steer a terminal, or that end a
 * line in old JavaScript.
 */
static void put_character(etr_writer *writer, etr_slice character) {
  if (character.size == 1) {
    put_ascii(writer, character.data[0]);
    return;
  }
  size_t size;
  uint32_t code = etr_character_at(character.data, &size);
  if (!etr_is_control(code)) {
    etr_put(writer, character);
  } else if (code < 0x10000) {
    etr_putf(writer, "\\u%04x", (unsigned)code);
  } else {
    etr_putf(writer, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (code >> 10)),
             (unsigned)(0xDC00 + (code & 0x3FF))); /* a surrogate pair */
  }
}

/* Returns true if a byte needs no escape: in a string, or (is_json) in JSON text, where quotes and
 * backslashes are already correct. */
static bool is_plain(char c, bool is_json) {
  if (c < ' ' || c > '~' || c == '<')
    return false;
  return is_json || (c != '"' && c != '\\');
}

static void put_escaped(etr_writer *writer, etr_slice text, bool is_json) {
  for (size_t at = 0, start = 0; at < text.size; start = at) {
    while (at < text.size && is_plain(text.data[at], is_json))
      at++;
    etr_put(writer, (etr_slice){text.data + start, at - start});
    if (at == text.size)
      break;
    size_t size = etr_utf8_size(text.data + at, text.size - at);
    if (size == 0) {
      etr_puts(writer, "\\ufffd");
      at++;
    } else {
      put_character(writer, (etr_slice){text.data + at, size});
      at += size;
    }
  }
}

static void put_string(etr_writer *writer, etr_slice text) {
  etr_put_byte(writer, '"');
  put_escaped(writer, text, false);
  etr_put_byte(writer, '"');
}

void etr_jw_key(etr_jw *json, const char *key) {
  separate(json, false);
  put_string(json->writer, etr_slice_of(key));
  etr_put_byte(json->writer, ':');
  json->after_key = true;
}

void etr_jw_slice(etr_jw *json, etr_slice text) {
  separate(json, false);
  put_string(json->writer, text);
  end_outermost(json);
}

void etr_jw_json(etr_jw *json, const char *value) {
  separate(json, false);
  put_escaped(json->writer, etr_slice_of(value), true);
  end_outermost(json);
}

void etr_jw_string(etr_jw *json, const char *text) {
  if (text == NULL) {
    etr_jw_null(json);
  } else {
    etr_jw_slice(json, etr_slice_of(text));
  }
}

static void put_word(etr_jw *json, const char *word) {
  separate(json, false);
  etr_puts(json->writer, word);
  end_outermost(json);
}

void etr_jw_bool(etr_jw *json, bool value) {
  put_word(json, value ? "true" : "false");
}
void etr_jw_null(etr_jw *json) {
  put_word(json, "null");
}

void etr_jw_int(etr_jw *json, int64_t value) {
  separate(json, false);
  etr_put_int(json->writer, value);
  end_outermost(json);
}

void etr_jw_uint(etr_jw *json, uint64_t value) {
  separate(json, false);
  etr_put_uint(json->writer, value);
  end_outermost(json);
}

void etr_jw_double(etr_jw *json, double value) {
  separate(json, false);
  etr_put_double(json->writer, value);
  end_outermost(json);
}
