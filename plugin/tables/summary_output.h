/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_output.h - what the outputs of a summary share. Layer 5.
 */
#ifndef ETR_SUMMARY_OUTPUT_H
#define ETR_SUMMARY_OUTPUT_H

#include "tables/sums.h"
#include "views/summary.h"

/** The breakdown that a choice means; ETR_SUM_BY_ALL means none. */
static inline etr_breakdown_by etr_breakdown_of(etr_sum_by only) {
  return (etr_breakdown_by)((int)only - (int)ETR_SUM_BY_OP);
}

/* ---- For people: tables under each other, as text or Markdown ---- */

typedef struct etr_report {
  etr_answer answer;
  etr_loads loads;
  bool markdown;
  bool any; /* something was written */
} etr_report;

/** Writes the rows of a sheet after an empty line, and how many are not shown. Nothing if there are none. */
void etr_report_put(etr_report *report, etr_sheet *sheet);

/* Each writes a table of as many rows as the options say. When memory runs out, the arena says so. */

/** The events that took longest, where there is no graph. */
void etr_report_events(etr_report *report, const etr_summary *summary);

/** The modules as a tree. A row "N more" stands for those of one parent that are not shown. */
void etr_report_modules(etr_report *report, const etr_summary *summary);

/** The patterns of modules, those with most time first. */
void etr_report_patterns(etr_report *report, const etr_summary *summary);

/* ---- For programs: one long table ---- */

/** Adds a method to a sheet of ETR_IN_ROWS: its sections one after the other, at most options.top rows of each. The
 * summary is borrowed until the rows are written. When memory runs out, the arena says so. */
void etr_summary_rows_add(etr_sheet *sheet, const etr_summary *summary);

/** Adds a method's patterns to a sheet of ETR_IN_PATTERN_ROWS, at most options.top. */
void etr_summary_rows_add_patterns(etr_sheet *sheet, const etr_summary *summary);

/** Adds the loads, which belong to no method. */
void etr_summary_rows_add_loads(etr_sheet *sheet, const etr_loads *loads);

/* ---- JSON; also of the source lines and the dashboard's document ---- */

/** "load", as in schema/summary.schema.json. False when out of memory. */
bool etr_summary_put_loads(const etr_fields *fields, etr_arena *arena);

/** "phases" and "compute_units", as in schema/summary.schema.json, with a time per inference under this key; runs: what
 * times are divided by, 1 for totals. False when out of memory. */
bool etr_summary_put_delegates(const etr_fields *fields, etr_arena *arena, const etr_method *method, const char *key,
                               double runs);

/** "by_pattern", as in schema/summary.schema.json. */
void etr_summary_put_patterns(const etr_fields *fields, const etr_method *method, const etr_module_patterns *patterns);

/** "avg" and "share" of ticks over all runs of a method. */
void etr_summary_put_time(const etr_fields *fields, const etr_method *method, uint64_t ticks);

#endif
