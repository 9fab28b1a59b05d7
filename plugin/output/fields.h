/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fields.h - members of JSON documents. Layer 4.
 */
#ifndef ETR_FIELDS_H
#define ETR_FIELDS_H

#include "base/arena.h"
#include "base/json_writer.h"
#include "etrecord_tb.h"

/** The document being written, and the profile and unit that convert its times. */
typedef struct etr_fields {
  const etr_profile *profile;
  etr_unit unit;
  etr_jw *json;
} etr_fields;

/** Write a key and its value. A NULL text gives null. */
void etr_field_text(const etr_fields *fields, const char *key, const char *text);
void etr_field_count(const etr_fields *fields, const char *key, uint64_t count);
void etr_field_flag(const etr_fields *fields, const char *key, bool value);
void etr_field_number(const etr_fields *fields, const char *key, double value);
/** Writes a key and a time in the document's unit. */
void etr_field_ticks(const etr_fields *fields, const char *key, double ticks);
/** Writes the keys runs and skipped_runs: the number of the method's runs that count, and of those
 * that are excluded.
 */
void etr_field_runs(const etr_fields *fields, const etr_method *method);
/** Writes the keys file, line, function and code, with nulls if `source` is NULL. */
void etr_field_source(const etr_fields *fields, const etr_source *source);
/** Writes a key with an object of the keys of etr_field_source(); null if `source` is NULL. */
void etr_field_source_object(const etr_fields *fields, const char *key, const etr_source *source);
/** Writes the keys method, runs and skipped_runs, with which the object of a method begins. */
void etr_field_method(const etr_fields *fields, const etr_method *method);
/** Writes the key shape: an array of sizes, or of expressions for symbolic sizes; null if the value
 * is not a tensor. */
void etr_field_shape(const etr_fields *fields, const etr_value *value);
/** Starts an array or object under a key; etr_jw_end() ends it. */
void etr_field_begin_list(const etr_fields *fields, const char *key);
void etr_field_begin_object(const etr_fields *fields, const char *key);
/** Writes a key and an array of texts. */
void etr_field_texts(const etr_fields *fields, const char *key, const char *const *texts,
                     size_t count);

#endif
