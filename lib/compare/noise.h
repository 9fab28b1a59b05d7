/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.h - whether a change of times is one: the rules of etrecord_compare.h ("When a change counts"). Layer 3.
 */
#ifndef ETR_NOISE_H
#define ETR_NOISE_H

#include "base/arena.h"
#include "etrecord_compare.h"

/** A change and what it rests on. */
typedef struct etr_noise_test {
  etr_side_time base, newer; /* in the same ticks */
  etr_change *change;        /* the caller's; its times are filled */
} etr_noise_test;

/** What recordings of one program are assumed to differ by: a standard deviation of logarithms. */
double etr_noise_between_recordings(const etr_compare_options *options);

/** The times that a comparison shows as medians: by rule R if that applies, else over all runs. */
void etr_noise_set_medians(etr_change *change, const etr_side_time *base, const etr_side_time *newer);

/** Judges one change by itself, at 5 %. history: of its method; NULL. */
void etr_noise_judge(etr_noise_test *test, const etr_compare_options *options, const etr_bench_history *history);

/** Judges a family of changes. False: out of memory. */
bool etr_noise_judge_family(etr_noise_test *tests, size_t count, const etr_compare_options *options,
                            etr_arena *scratch);

/** The largest power of ten, up to a million, that divides all of the numbers whose greatest common divisor this is; 1
 * of 0. */
double etr_noise_step(uint64_t divisor);

/** The same of these numbers. */
double etr_noise_step_of(const uint64_t *ticks, size_t count);

#endif
