/* SPDX-License-Identifier: BSD-3-Clause
 *
 * statistics.h - members of JSON documents about times and rates. Layer 4.
 */
#ifndef ETR_STATISTICS_H
#define ETR_STATISTICS_H

#include "output/fields.h"

/** Writes the keys typical, p10, p50, p90, avg, min and max in the document's unit, with nulls if
 * nothing was timed. */
void etr_field_stats(const etr_fields *fields, const etr_stats *stats);

/** Writes the keys noise, throughput and phases_of_runs of a method: how much its runs vary, how
 * many tokens they read, and which phases they have, an empty list if all are of one. Sentences
 * have times in the unit `shown`, numbers in that of `fields`. When out of memory, the arena fails.
 */
void etr_field_put_noise(const etr_fields *fields, etr_arena *arena, const etr_method *method,
                         etr_unit shown);

/** Writes the keys method_rule, method_evidence and candidates of a method: by what its runs were
 * found to be of it, and for unknown runs the methods that they may be of. */
void etr_field_method_rule(const etr_fields *fields, const etr_method *method);

/** Writes the key roofs: the peak FLOP and bytes per second that rates are compared with. */
void etr_field_effective_peaks(const etr_fields *fields);

#endif
