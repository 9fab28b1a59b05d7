/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_rows.h - a summary as one long table for other programs. Layer 5.
 */
#ifndef ETR_SUMMARY_ROWS_H
#define ETR_SUMMARY_ROWS_H

#include "summary.h"
#include "table.h"

/** Starts the table. */
void etr_summary_rows_init(etr_table *table, etr_arena *arena);

/** Adds a method: its sections one after the other, at most options->top rows of each. Memory shows on the arena. */
void etr_summary_rows_add(etr_table *table, const etr_summary *summary, const etr_table_options *options);

/** Adds the loads, which are no method's. */
void etr_summary_rows_add_loads(etr_table *table, const etr_profile *profile, const etr_loads *loads, const etr_table_options *options);

#endif
