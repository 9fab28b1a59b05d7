/* SPDX-License-Identifier: BSD-3-Clause
 *
 * statistics.h - members of JSON documents about times and rates. Layer 4.
 */
#ifndef ETR_STATISTICS_H
#define ETR_STATISTICS_H

#include "output/fields.h"

/** p10, p50, p90, avg, min, max in the document's unit; null where nothing was timed. */
void etr_field_stats(const etr_fields *fields, const etr_stats *stats);

/** Keys noise and phases_of_runs of a method: how much its runs vary, and what kinds of them there are; sentences have
 * times in `shown`. The arena fails when out of memory. */
void etr_field_noise(const etr_fields *fields, etr_arena *arena, const etr_method *method, etr_unit shown);

/** Key peaks: the most that rates are held against. */
void etr_field_effective_peaks(const etr_fields *fields);

#endif
