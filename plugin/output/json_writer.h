/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_writer.h - writes JSON: takes care of commas and nesting, escapes strings. Layer 4.
 *
 *   etr_jw_object(&json);
 *   etr_jw_key(&json, "schema"), etr_jw_string(&json, "etrecord-tb/info/1");
 *   etr_jw_key(&json, "runs"), etr_jw_array(&json);
 *   ...
 *   etr_jw_end(&json);
 *   etr_jw_end(&json);
 *
 * The output is compact, but each object in an array starts a line, so that documents can be
 * compared line by line. A line end follows the outermost value. The output is ASCII except for
 * valid UTF-8 in strings, and is safe inside an HTML <script>. The caller follows JSON's grammar: a
 * key before each value of an object, no key in an array. The writer remembers failures: see
 * etr_writer_finish().
 */
#ifndef ETR_JSON_WRITER_H
#define ETR_JSON_WRITER_H

#include "output/writer.h"

/** The deepest nesting of objects and arrays. Deeper ones fail with ETR_ERROR_FORMAT. */
#define ETR_JW_MAX_DEPTH 32

typedef struct etr_jw_level {
  bool is_array, has_items, has_lines;
} etr_jw_level;

typedef struct etr_jw {
  etr_writer *writer;
  size_t depth;
  bool after_key;
  etr_jw_level levels[ETR_JW_MAX_DEPTH];
} etr_jw;

/** Starts a document. */
void etr_jw_init(etr_jw *json, etr_writer *writer);

/** Begins an object or array. */
void etr_jw_object(etr_jw *json);
void etr_jw_array(etr_jw *json);

/** Ends the innermost object or array. */
void etr_jw_end(etr_jw *json);

/** Writes a key; its value must follow. */
void etr_jw_key(etr_jw *json, const char *key);

/** Writes a string; NULL gives null. Bytes that are not UTF-8 become U+FFFD. */
void etr_jw_string(etr_jw *json, const char *text);
void etr_jw_slice(etr_jw *json, etr_slice text);
/** Writes a value that is already JSON on one line. Its strings are escaped like all others. */
void etr_jw_json(etr_jw *json, const char *value);
void etr_jw_int(etr_jw *json, int64_t value);
void etr_jw_uint(etr_jw *json, uint64_t value);
/** Writes a number; NaN and infinities give null. */
void etr_jw_double(etr_jw *json, double value);
void etr_jw_bool(etr_jw *json, bool value);
void etr_jw_null(etr_jw *json);

#endif
