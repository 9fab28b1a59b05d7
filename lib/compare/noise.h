/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.h - decides whether a change of times is real, by the rules of etrecord_compare.h ("When a
 * change counts"). Layer 3.
 */
#ifndef ETR_NOISE_H
#define ETR_NOISE_H

#include "base/arena.h"
#include "etrecord_compare.h"

/** A change and the times that it is computed from. */
typedef struct etr_noise_test {
  etr_side_time base, newer; /* in the same ticks */
  etr_change *change;        /* the caller's; its times are filled before the call */
} etr_noise_test;

/** Returns the assumed standard deviation of the logarithms of times between recordings of one
 * program. */
double etr_noise_between_recordings(const etr_compare_options *options);

/** Sets the medians that a comparison shows: the geometric mean of the recordings' medians if rule
 * R applies, else the median over all runs. */
void etr_noise_set_medians(etr_change *change, const etr_side_time *base,
                           const etr_side_time *newer);

/** Judges one change by itself, at 5 %. */
void etr_noise_judge(etr_noise_test *test, const etr_compare_options *options);

/** Judges a family of changes. Returns false when out of memory. */
bool etr_noise_judge_family(etr_noise_test *tests, size_t count, const etr_compare_options *options,
                            etr_arena *scratch);

/** Returns the largest power of ten, up to a million, that divides `divisor`, the greatest common
 * divisor of some durations; 1 if it is 0. */
double etr_noise_step(uint64_t divisor);

/** Returns the largest power of ten, up to a million, that divides all of these ticks. */
double etr_noise_step_of(const uint64_t *ticks, size_t count);

#endif
