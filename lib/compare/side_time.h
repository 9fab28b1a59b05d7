/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_time.h - from ticks in runs to what a comparison needs of them. Layer 3.
 */
#ifndef ETR_SIDE_TIME_H
#define ETR_SIDE_TIME_H

#include "base/arena.h"
#include "etrecord_compare.h"

/** What something took in one run. */
typedef struct etr_side_sample {
  uint32_t recording; /* any number that is the same for all runs of an ETDump */
  uint64_t ticks;
} etr_side_sample;

/** The time of samples, which are sorted in place, in n log n. step: of the clock, in ticks. */
etr_side_time etr_side_time_of(etr_side_sample *samples, size_t count, double step);

/** The runs of a method. */
typedef struct etr_side_runs {
  const uint32_t *recording_of; /* per run, ascending from 0 without gaps */
  size_t run_count, recording_count;
} etr_side_runs;

/** Numbers the recordings of a method's runs. False: out of memory. */
bool etr_side_runs_of(etr_side_runs *out, const etr_profile *profile, const etr_method *method, etr_arena *arena);

/** The time of one number of ticks for each run of a method. False: out of memory. */
bool etr_side_time_of_ticks(etr_side_time *out, const uint64_t *ticks, const etr_side_runs *runs, double step,
                            etr_arena *scratch);

/** Adds up what several things took in each run of a method: one sum after the other, in time that depends on what is
 * added only. */
typedef struct etr_run_sums {
  etr_arena *scratch;
  const etr_side_runs *of;
  uint64_t *ticks;  /* per run: the sum so far */
  uint32_t *rounds; /* per run: the sum that this is of */
  uint32_t round;
  etr_vec(uint32_t) runs; /* in which anything was added */
  etr_vec(etr_side_sample) samples;
} etr_run_sums;

/** Starts with no sum, for the runs of a method, which must stay where they are. False: out of memory. */
bool etr_run_sums_init(etr_run_sums *sums, const etr_side_runs *of, etr_arena *scratch);

/** Starts a sum. */
void etr_run_sums_begin(etr_run_sums *sums);

/** Adds to it. False: out of memory. */
bool etr_run_sums_add(etr_run_sums *sums, const etr_run_ticks *each_run, size_t count);

/** Its time: over the runs in which anything was added, or with_zeros over all, unless nothing was. False: out of
 * memory. */
bool etr_run_sums_end(etr_run_sums *sums, etr_side_time *out, bool with_zeros, double step);

#endif
