/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.h - what a change of medians can be told from: the spread of the runs, and the clock's step. Layer 3.
 *
 * The public header (etrecord_compare.h, "Noise") gives the formulas and where they come from.
 */
#ifndef ETR_NOISE_H
#define ETR_NOISE_H

#include "base/arena.h"
#include "etrecord_compare.h"

/** Fewer runs than this tell nothing about noise. */
enum { ETR_NOISE_LEAST_RUNS = 3 };

/** The median of some runs and how sure it is. */
typedef struct etr_median {
  size_t count; /* of runs; all else is 0 when this is 0 */
  double value;
  double error; /* standard error of the median */
  double step;  /* what the clock cannot tell apart */
} etr_median;

/** How sure the median of such a time is. */
etr_median etr_median_of(const etr_side_time *time);

/** The same in other ticks: all but the count times `factor`. */
etr_median etr_median_scaled(etr_median median, double factor);

/** One change out of a family that is looked at together. */
typedef struct etr_noise_test {
  etr_median base, newer;
  etr_change *change; /* the caller's */
  double noise;       /* out: half the width of the interval around the change; -1 where it cannot be told */
  bool is_beyond;     /* out: the change is beyond it */
} etr_noise_test;

/** Decides a family of changes: of those found to be beyond the noise, 5 % at most are expected to be there by chance.
 * False: out of memory. */
bool etr_noise_decide(etr_noise_test *tests, size_t count, etr_arena *scratch);

/** The largest power of ten, up to a million, that divides all of the numbers whose greatest common divisor this is; 1
 * of 0. */
double etr_noise_step(uint64_t divisor);

/** Greatest common divisor; that of 0 and x is x. */
uint64_t etr_noise_divisor(uint64_t a, uint64_t b);

#endif
