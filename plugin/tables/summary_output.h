/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_output.h - JSON of a summary that the source lines and the dashboard's document contain too. Layer 5.
 */
#ifndef ETR_SUMMARY_OUTPUT_H
#define ETR_SUMMARY_OUTPUT_H

#include "tables/sums.h"
#include "views/summary.h"

/** Writes "load", as in schema/summary.schema.json. Returns false when out of memory. */
bool etr_summary_put_loads(const etr_fields *fields, etr_arena *arena);

/** Writes "phases" and "compute_units", as in schema/summary.schema.json, with the time under this key. Times are
 * divided by `runs`, which is 1 for totals. Returns false when out of memory. */
bool etr_summary_put_delegates(const etr_fields *fields, etr_arena *arena, const etr_method *method, const char *key,
                               double runs);

/** Writes "by_pattern", as in schema/summary.schema.json. */
void etr_summary_put_patterns(const etr_fields *fields, const etr_method *method, const etr_module_patterns *patterns);

/** Writes "avg" and "share" of ticks over all runs of a method. */
void etr_summary_put_time(const etr_fields *fields, const etr_method *method, uint64_t ticks);

#endif
