/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_time.h - from ticks in runs to what a comparison needs of them. Layer 3.
 */
#ifndef ETR_SIDE_TIME_H
#define ETR_SIDE_TIME_H

#include "base/arena.h"
#include "etrecord_compare.h"

/** The time of a thing, of what it took in each run in which it ran, in ticks; sorts the samples. step: of the clock.
 */
etr_side_time etr_side_time_of(uint64_t *samples, size_t count, double step);

/** The same with so many more runs in which it took nothing. samples has room for twice its count and one. */
etr_side_time etr_side_time_with_zeros(uint64_t *samples, size_t count, size_t zeros, double step);

/** Of one sample for each run; runs without any are not timed. False: out of memory. */
bool etr_side_time_of_ticks(etr_side_time *out, const uint64_t *ticks, size_t count, double step, etr_arena *scratch);

/** Adds up what several things took in each run of a method: one sum after the other, in time that depends on what is
 * added only. */
typedef struct etr_run_sums {
  etr_arena *scratch;
  size_t run_count;
  uint64_t *ticks;  /* per run: the sum so far */
  uint32_t *rounds; /* per run: the sum that this is of */
  uint32_t round;
  etr_vec(uint32_t) runs; /* in which anything was added */
  etr_vec(uint64_t) samples;
} etr_run_sums;

/** Starts with no sum, for methods of so many runs. False: out of memory. */
bool etr_run_sums_init(etr_run_sums *sums, size_t run_count, etr_arena *scratch);

/** Starts a sum. */
void etr_run_sums_begin(etr_run_sums *sums);

/** Adds to it. False: out of memory. */
bool etr_run_sums_add(etr_run_sums *sums, const etr_run_ticks *each_run, size_t count);

/** Its time: over the runs in which anything was added, or with_zeros over all, unless nothing was. False: out of
 * memory. */
bool etr_run_sums_end(etr_run_sums *sums, etr_side_time *out, bool with_zeros, double step);

#endif
