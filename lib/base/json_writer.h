/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_writer.h - writes JSON: takes care of commas and nesting, escapes strings. Layer 0.
 *
 *   etr_jw_object(&json);
 *   etr_jw_key(&json, "schema");
 *   etr_jw_string(&json, "etrecord-tb/info/1");
 *   etr_jw_key(&json, "runs");
 *   etr_jw_array(&json);
 *   ...
 *   etr_jw_end(&json);
 *   etr_jw_end(&json);
 *
 * The caller follows JSON's grammar: a key before each value of an object, no key in an array. The
 * writer remembers failures: see etr_writer_finish().
 */
#ifndef ETR_JSON_WRITER_H
#define ETR_JSON_WRITER_H

#include "base/writer.h"

/** The deepest nesting of objects and arrays. Deeper ones fail with ETR_ERROR_FORMAT. */
#define ETR_JW_MAX_DEPTH 512

typedef enum etr_jw_form {
  ETR_JW_DOCUMENT, /* compact, but each object in an array starts a line, so that documents can be
                      compared line by line; a line end follows the outermost value. UTF-8 that
                      steers no terminal and is safe inside an HTML <script>; other bytes become
                      U+FFFD */
  ETR_JW_PYTHON,   /* on one line, spaced like Python's json.dumps(): [1, {"a": 2}]. In UTF-8; other
                      bytes stay */
  ETR_JW_PYTHON_ASCII, /* the same, with escapes for what is not ASCII, as json.dumps() writes it
                          unless asked for something else; bytes that are not UTF-8 stay */
} etr_jw_form;

typedef struct etr_jw {
  etr_writer *writer;
  etr_jw_form form;
  size_t depth;
  bool after_key;
  uint8_t levels[ETR_JW_MAX_DEPTH]; /* what is known of each open object and array, as bits */
} etr_jw;

/** Starts writing JSON in a form to a writer, which is borrowed. */
void etr_jw_init(etr_jw *json, etr_writer *writer, etr_jw_form form);

/** Begins an object or array. */
void etr_jw_object(etr_jw *json);
void etr_jw_array(etr_jw *json);

/** Ends the innermost object or array. */
void etr_jw_end(etr_jw *json);

/** Writes a key; its value must follow. */
void etr_jw_key(etr_jw *json, const char *key);
void etr_jw_key_slice(etr_jw *json, etr_slice key);

/** Returns a key of a document as it is written, `"key":`, in the arena; empty when out of memory.
 * etr_jw_ready_key() writes it: for the keys of many rows. */
etr_slice etr_jw_prepare_key(etr_arena *arena, const char *key);
void etr_jw_ready_key(etr_jw *json, etr_slice key);

/** Writes a string; NULL gives null. */
void etr_jw_string(etr_jw *json, const char *text);
void etr_jw_slice(etr_jw *json, etr_slice text);

/** Write a string piece by piece. A piece ends between characters. */
void etr_jw_string_begin(etr_jw *json);
void etr_jw_string_piece(etr_jw *json, etr_slice piece);
void etr_jw_string_end(etr_jw *json);

/** Writes a value that is already JSON on one line. In ETR_JW_DOCUMENT its strings are escaped like
 * all others. */
void etr_jw_json(etr_jw *json, const char *value);
/** Writes a value that is already JSON, byte by byte. */
void etr_jw_raw(etr_jw *json, etr_slice value);
void etr_jw_int(etr_jw *json, int64_t value);
void etr_jw_uint(etr_jw *json, uint64_t value);
/** Writes a number; NaN and infinities give null. */
void etr_jw_double(etr_jw *json, double value);
void etr_jw_bool(etr_jw *json, bool value);
void etr_jw_null(etr_jw *json);

#endif
