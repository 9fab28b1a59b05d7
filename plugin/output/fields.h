/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fields.h - the kinds of fields that all our JSON documents have. Layer 4.
 */
#ifndef ETR_FIELDS_H
#define ETR_FIELDS_H

#include "json_writer.h"

/** What fields of times need besides the writer. */
typedef struct etr_fields {
  const etr_profile *profile;
  etr_unit unit;
  etr_jw *json;
} etr_fields;

/** Each writes a key and its value. text may be NULL: null. */
void etr_field_text(const etr_fields *fields, const char *key, const char *text);
void etr_field_count(const etr_fields *fields, const char *key, uint64_t count);
void etr_field_flag(const etr_fields *fields, const char *key, bool value);
void etr_field_number(const etr_fields *fields, const char *key, double value);
/** Ticks in the document's unit. */
void etr_field_ticks(const etr_fields *fields, const char *key, double ticks);
/** p10, p50, p90, avg, min, max in the document's unit; null where nothing was timed. */
void etr_field_stats(const etr_fields *fields, const etr_stats *stats);
/** Starts an array under a key. */
void etr_field_list(const etr_fields *fields, const char *key);

#endif
