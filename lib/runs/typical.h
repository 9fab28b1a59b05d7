/* SPDX-License-Identifier: BSD-3-Clause
 *
 * typical.h - chooses the runs of which the typical run is the mean. Layer 3.
 */
#ifndef ETR_TYPICAL_H
#define ETR_TYPICAL_H

#include "base/arena.h"
#include "runs/blocks.h"

/** Runs to choose from. */
typedef struct etr_typical_runs {
  const uint64_t *ticks;      /**< time of each run, by which the runs are ordered */
  const uint32_t *recordings; /**< recording of each run, ascending: index of its ETDump */
  const uint32_t *weight_of;  /**< index in the weights of each run; NULL: its own index */
  size_t run_count;
  size_t weight_count; /**< number of weights */
} etr_typical_runs;

/** The runs that were chosen. */
typedef struct etr_typical_choice {
  etr_typical_run typical;
  double ticks; /**< the typical time of the runs */
  const etr_odd_recording *odd;
  size_t odd_count;
} etr_typical_choice;

/** Which recordings count. */
typedef enum etr_typical_of_recordings {
  ETR_TYPICAL_NOT_ODD, /**< those that are not odd, by the rule of etr_typical_run */
  ETR_TYPICAL_ALL,
  ETR_TYPICAL_MEDIAN, /**< that with the median time, or both in the middle: of loads, where the
                         first process often reads the program from disk and takes much longer */
} etr_typical_of_recordings;

/**
 * Chooses the runs of the typical run, by the rule of etr_typical_run, of the recordings that
 * count. Weights of runs of one recording are equal; where all recordings have equally many chosen
 * runs, all are 1, so that sums of ticks stay exact. Returns false when out of memory.
 */
bool etr_typical_choose(etr_typical_choice *out, const etr_typical_runs *runs,
                        etr_typical_of_recordings which, etr_arena *arena);

/** Adds a time in one run to a sum, which divided by etr_typical_run.divisor is the typical time.
 */
static inline double etr_typical_add(double sum, const etr_typical_run *typical, uint32_t run,
                                     uint64_t ticks) {
  return sum + typical->weights[run] * (double)ticks;
}

/** Returns the typical time of a sum; 0 without runs. */
static inline double etr_typical_of(double sum, const etr_typical_run *typical) {
  return typical->divisor > 0 ? sum / typical->divisor : 0;
}

/** Sets the typical times of the events of each block: over its runs, which are ordered by
 * Method::execute, and those of loads by the event that takes longest, of the recording with the
 * median. Returns false when out of memory. */
bool etr_typical_events(const etr_blocks *blocks, const etr_method *methods);

#endif
