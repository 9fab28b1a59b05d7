/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stats.h - the Inspector's statistics, those of sorted lists, sums of squares, common divisors. Layer 0.
 */
#ifndef ETR_STATS_H
#define ETR_STATS_H

#include "base/base.h"

/**
 * Statistics over samples, which are sorted in place. Percentiles as numpy.percentile's default: linear interpolation
 * at rank p/100 * (count - 1).
 */
etr_stats etr_stats_of(uint64_t *samples, size_t count);

/** a * b / c without overflow, rounded down; c > 0 and the result fits. */
uint64_t etr_scale(uint64_t a, uint64_t b, uint64_t c);

/** Median of a sorted list; 0 of none. */
double etr_median_of_sorted(const double *sorted, size_t count);

/** A percentile of a sorted list, by linear interpolation at rank percent/100 * (count - 1); 0 of none. */
double etr_percentile_of_sorted(const double *sorted, size_t count, double percent);

/** Greatest common divisor; that of 0 and x is x. Of times: what the step of their clock is a divisor of. */
uint64_t etr_common_divisor(uint64_t a, uint64_t b);

/** Mean of some numbers, and the sum of the squares of their distances from it, as Welford (1962) adds them one by one.
 * Zeroed: of none. */
typedef struct etr_moments {
  size_t count;
  double mean, squares;
} etr_moments;

void etr_moments_add(etr_moments *moments, double value);

/** For sorting doubles. */
int etr_by_double(const void *a, const void *b);

#endif
