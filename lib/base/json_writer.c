/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_writer.c - writes JSON: commas, nesting, escapes.
 */
#include "base/json_writer.h"

#include "base/utf8.h"

enum { IS_ARRAY = 1 << 0, HAS_ITEMS = 1 << 1, HAS_LINES = 1 << 2 }; /* of a level */

void etr_jw_init(etr_jw *json, etr_writer *writer, etr_jw_form form) {
  json->writer = writer;
  json->form = form;
  json->depth = 0;
  json->after_key = false;
}

static inline uint8_t *innermost_level(etr_jw *json) {
  return json->depth > 0 ? &json->levels[json->depth - 1] : NULL;
}

/* Writes what comes before a value or key: nothing after a key, else a comma if it is not the first
 * in its array or object. In documents each object (is_object) in an array begins a line. */
static inline void write_separator(etr_jw *json, bool is_object) {
  uint8_t *level = innermost_level(json);
  if (level == NULL || json->after_key) {
    json->after_key = false;
    return;
  }
  if (*level & HAS_ITEMS) {
    etr_put_byte(json->writer, ',');
    if (json->form != ETR_JW_DOCUMENT)
      etr_put_byte(json->writer, ' ');
  }
  *level |= HAS_ITEMS;
  if (is_object && *level & IS_ARRAY && json->form == ETR_JW_DOCUMENT) {
    etr_put_byte(json->writer, '\n');
    *level |= HAS_LINES;
  }
}

/* Ends the line after the outermost value of a document. */
static void end_line_of_document(etr_jw *json) {
  if (json->depth == 0 && json->form == ETR_JW_DOCUMENT)
    etr_put_byte(json->writer, '\n');
}

/* Begins an array or object; nesting that is too deep fails the writer. */
static void begin_level(etr_jw *json, bool is_array) {
  write_separator(json, !is_array);
  etr_put_byte(json->writer, is_array ? '[' : '{');
  if (json->depth == ETR_JW_MAX_DEPTH) {
    json->writer->status = ETR_ERROR_FORMAT;
  } else {
    json->levels[json->depth++] = is_array ? IS_ARRAY : 0;
  }
}

void etr_jw_object(etr_jw *json) {
  begin_level(json, false);
}
void etr_jw_array(etr_jw *json) {
  begin_level(json, true);
}

/* If objects of an array began lines, its bracket begins one, too. */
void etr_jw_end(etr_jw *json) {
  const uint8_t *level = innermost_level(json);
  if (level == NULL)
    return;
  if (*level & HAS_LINES)
    etr_put_byte(json->writer, '\n');
  etr_put_byte(json->writer, *level & IS_ARRAY ? ']' : '}');
  json->depth--;
  end_line_of_document(json);
}

/* ---- Strings ---- */

/* Writes a character as an escape: a letter where JSON has one, else \uXXXX, or two of them for a
 * character above U+FFFF. */
static void write_escape(etr_writer *writer, uint32_t code) {
  static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *found = code != 0 && code < 0x80 ? strchr(escaped, (int)code) : NULL;
  if (found != NULL) {
    etr_put(writer, (etr_slice){(const char[]){'\\', letters[found - escaped]}, 2});
  } else if (code < 0x10000) {
    etr_putf(writer, "\\u%04x", (unsigned)code);
  } else {
    etr_putf(writer, "\\u%04x\\u%04x", (unsigned)(0xD7C0 + (code >> 10)),
             (unsigned)(0xDC00 + (code & 0x3FF))); /* a surrogate pair */
  }
}

/* Returns true if a character must be written as an escape in this form. Documents escape what
 * steers a terminal, or ends a line in old JavaScript, and '<', which could end a <script>. */
static bool needs_escape(etr_jw_form form, uint32_t code) {
  if (code < 0x20 || code == '"' || code == '\\')
    return true;
  if (form == ETR_JW_DOCUMENT)
    return code == '<' || etr_is_control(code);
  return form == ETR_JW_PYTHON_ASCII && code > '~';
}

/* Returns true if a byte needs no escape in any form: in a string, or (is_json) in text that is
 * JSON already, whose quotes and backslashes are right. Other bytes may need one (needs_escape()).
 */
static inline bool needs_no_escape(char c, bool is_json) {
  if (c < ' ' || c > '~' || c == '<')
    return false;
  return is_json || (c != '"' && c != '\\');
}

/* Returns 0 if needs_no_escape() is true for each of the eight bytes of a word, else another
 * number. For each byte to find, the difference has the highest bit set where the word has that
 * byte (or, for the space, a lower one); a borrow may set others with it, which is no harm. */
static inline uint64_t mark_bytes_to_escape(uint64_t word, bool is_json) {
  static const uint64_t each = 0x0101010101010101, highest = 0x8080808080808080;
  uint64_t found = word | (word - each * ' ') | (word + each); /* above 0x7F; below ' '; 0x7F */
  found |= (word ^ each * '<') - each;
  if (!is_json)
    found |= ((word ^ each * '"') - each) | ((word ^ each * '\\') - each);
  return found & highest;
}

/* Returns the 8 bytes at an address, which need not be aligned, as a number. */
static inline uint64_t load_u64(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Returns whether needs_no_escape() is true for all bytes of a text, as for most keys and names.
 * Reads eight bytes at a time; the last eight may overlap those before. */
static inline bool is_free_of_escapes(etr_slice text, bool is_json) {
  enum { WORD = sizeof(uint64_t) };
  size_t position = 0;
  if (text.size < WORD) {
    while (position < text.size && needs_no_escape(text.data[position], is_json))
      position++;
    return position == text.size;
  }
  uint64_t found = mark_bytes_to_escape(load_u64(text.data + text.size - WORD), is_json);
  for (; position + WORD < text.size; position += WORD)
    found |= mark_bytes_to_escape(load_u64(text.data + position), is_json);
  return found == 0;
}

/* Writes a text with the escapes that the form needs. is_json says that the text is JSON already.
 * Bytes that are not UTF-8 become U+FFFD in a document, and stay in other forms. */
static void write_with_escapes(etr_jw *json, etr_slice text, bool is_json) {
  if (is_free_of_escapes(text, is_json)) {
    etr_put(json->writer, text);
    return;
  }
  for (size_t position = 0, start = 0; position < text.size; start = position) {
    while (position < text.size && needs_no_escape(text.data[position], is_json))
      position++;
    etr_put(json->writer, (etr_slice){text.data + start, position - start});
    if (position == text.size)
      break;
    etr_slice next = {text.data + position,
                      etr_utf8_size(text.data + position, text.size - position)};
    uint32_t code = next.size > 0 ? etr_utf8_code(next.data, next.size) : 0xFFFD;
    if (next.size == 0 && json->form != ETR_JW_DOCUMENT)
      etr_put_byte(json->writer, text.data[position]);
    else if (next.size == 0 || needs_escape(json->form, code))
      write_escape(json->writer, code);
    else
      etr_put(json->writer, next);
    position += ETR_MAX(next.size, (size_t)1);
  }
}

void etr_jw_string_begin(etr_jw *json) {
  write_separator(json, false);
  etr_put_byte(json->writer, '"');
}

void etr_jw_string_piece(etr_jw *json, etr_slice piece) {
  write_with_escapes(json, piece, false);
}

void etr_jw_string_end(etr_jw *json) {
  etr_put_byte(json->writer, '"');
  end_line_of_document(json);
}

/* Writes a key of an object; its value must follow. */
void etr_jw_key_slice(etr_jw *json, etr_slice key) {
  write_separator(json, false);
  etr_put_byte(json->writer, '"');
  write_with_escapes(json, key, false);
  etr_puts(json->writer, json->form == ETR_JW_DOCUMENT ? "\":" : "\": ");
  json->after_key = true;
}

void etr_jw_key(etr_jw *json, const char *key) {
  etr_jw_key_slice(json, etr_slice_of(key));
}

etr_slice etr_jw_prepare_key(etr_arena *arena, const char *key) {
  etr_text text;
  etr_writer writer;
  etr_jw json;
  etr_text_begin(&text, arena, &writer);
  etr_jw_init(&json, &writer, ETR_JW_DOCUMENT);
  etr_jw_key(&json, key);
  const char *written = etr_text_end(&text, &writer);
  return written ? etr_slice_of(written) : (etr_slice){0};
}

/* Writes a key that etr_jw_prepare_key() made; its value must follow. */
void etr_jw_ready_key(etr_jw *json, etr_slice key) {
  write_separator(json, false);
  etr_put(json->writer, key);
  json->after_key = true;
}

/* Writes a text as a string. */
void etr_jw_slice(etr_jw *json, etr_slice text) {
  etr_jw_string_begin(json);
  etr_jw_string_piece(json, text);
  etr_jw_string_end(json);
}

void etr_jw_string(etr_jw *json, const char *text) {
  if (text == NULL) {
    etr_jw_null(json);
  } else {
    etr_jw_slice(json, etr_slice_of(text));
  }
}

/* ---- Other values ---- */

void etr_jw_json(etr_jw *json, const char *value) {
  write_separator(json, false);
  write_with_escapes(json, etr_slice_of(value), true);
  end_line_of_document(json);
}

void etr_jw_raw(etr_jw *json, etr_slice value) {
  write_separator(json, false);
  etr_put(json->writer, value);
  end_line_of_document(json);
}

void etr_jw_bool(etr_jw *json, bool value) {
  etr_jw_raw(json, value ? ETR_SLICE("true") : ETR_SLICE("false"));
}
void etr_jw_null(etr_jw *json) {
  etr_jw_raw(json, ETR_SLICE("null"));
}

/* Writes a whole number as a value. */
void etr_jw_int(etr_jw *json, int64_t value) {
  write_separator(json, false);
  etr_put_int(json->writer, value);
  end_line_of_document(json);
}

/* Writes a whole number as a value. */
void etr_jw_uint(etr_jw *json, uint64_t value) {
  write_separator(json, false);
  etr_put_uint(json->writer, value);
  end_line_of_document(json);
}

void etr_jw_double(etr_jw *json, double value) {
  write_separator(json, false);
  etr_put_double(json->writer, value);
  end_line_of_document(json);
}
