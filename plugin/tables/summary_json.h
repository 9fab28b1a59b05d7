/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_json.h - what the summary, the source lines and the dashboard's document have in common. Layer 5.
 */
#ifndef ETR_SUMMARY_JSON_H
#define ETR_SUMMARY_JSON_H

#include "fields.h"
#include "summary.h"

/** "load", as in schema/summary.schema.json. False when out of memory. */
bool etr_summary_put_loads(const etr_fields *fields, etr_arena *arena);

/** "avg" and "share" of ticks over all runs of a method. */
void etr_summary_put_time(const etr_fields *fields, const etr_method *method, uint64_t ticks);

/** The times of a breakdown's row, as in schema/summary.schema.json. */
void etr_summary_put_row(const etr_fields *fields, const etr_summary *summary, etr_breakdown_by by, const etr_breakdown_row *row);

/** "file", "line", "function" and "code"; null of NULL. */
void etr_summary_put_source(const etr_fields *fields, const etr_source *source);

#endif
