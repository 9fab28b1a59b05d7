/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_report.h - a summary for people: tables under each other, as text or Markdown. Layer 5.
 */
#ifndef ETR_SUMMARY_REPORT_H
#define ETR_SUMMARY_REPORT_H

#include "node_filter.h"
#include "summary.h"
#include "table.h"

typedef struct etr_report {
  const etr_profile *profile;
  const etr_node_filter *filter;
  const etr_table_options *options;
  etr_arena arena;
  etr_writer writer;
  etr_loads loads;
  bool markdown;
  bool any; /* something was written */
} etr_report;

/** Ticks per inference. */
static inline double etr_report_per_run(const etr_summary *summary, uint64_t ticks) { return (double)ticks / (double)summary->method->run_count; }

/** A name as a cell below a title: text is indented. */
const char *etr_report_cell(etr_report *report, const char *text);

/** "avg ms". */
const char *etr_report_unit(etr_report *report, const char *name);

/** Adds a time; etr_table_add_time() with the report's unit. */
void etr_report_add_time(etr_report *report, etr_table *table, double ticks);

/** Adds p90/p50; empty where nothing varied. */
void etr_report_add_jitter(etr_table *table, const etr_stats *stats);

/** Writes a table after an empty line. hidden: rows that were left out. */
void etr_report_end_table(etr_report *report, const etr_table *table, size_t hidden);

/* What follows the balance: each as a table, of as many rows as the options say. Memory shows on the arena. */
void etr_report_events(etr_report *report, const etr_summary *summary);
void etr_report_operators(etr_report *report, const etr_summary *summary);
void etr_report_breakdown(etr_report *report, const etr_summary *summary, etr_breakdown_by by);
void etr_report_modules(etr_report *report, const etr_summary *summary);

#endif
