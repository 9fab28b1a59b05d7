/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fields.h - members of JSON documents. Layer 4.
 */
#ifndef ETR_FIELDS_H
#define ETR_FIELDS_H

#include "base/arena.h"
#include "output/json_writer.h"

/** The document being written, and what times in it need. */
typedef struct etr_fields {
  const etr_profile *profile;
  etr_unit unit;
  etr_jw *json;
} etr_fields;

/** Each writes a key and its value. A NULL text gives null. */
void etr_field_text(const etr_fields *fields, const char *key, const char *text);
void etr_field_count(const etr_fields *fields, const char *key, uint64_t count);
void etr_field_flag(const etr_fields *fields, const char *key, bool value);
void etr_field_number(const etr_fields *fields, const char *key, double value);
/** Ticks in the document's unit. */
void etr_field_ticks(const etr_fields *fields, const char *key, double ticks);
/** runs and skipped_runs: how many of the method's count, and how many do not. */
void etr_field_runs(const etr_fields *fields, const etr_method *method);
/** Keys file, line, function and code; nulls for NULL. */
void etr_field_source(const etr_fields *fields, const etr_source *source);
/** Keys method, runs and skipped_runs: what objects of methods begin with. */
void etr_field_method(const etr_fields *fields, const etr_method *method);
/** Key shape: sizes, expressions of symbolic ones; null for what is no tensor. */
void etr_field_shape(const etr_fields *fields, const etr_value *value);
/** Starts an array or object under a key; etr_jw_end() ends it. */
void etr_field_list(const etr_fields *fields, const char *key);
void etr_field_object(const etr_fields *fields, const char *key);
/** Writes an array of texts. */
void etr_field_texts(const etr_fields *fields, const char *key, const char *const *texts, size_t count);

#endif
