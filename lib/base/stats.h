/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stats.h - the Inspector's statistics, those of sorted lists, sums of squares, common divisors.
 * Layer 0.
 */
#ifndef ETR_STATS_H
#define ETR_STATS_H

#include "base/base.h"

/**
 * Computes statistics over samples, and sorts them in place. Percentiles are those of
 * numpy.percentile by default: linear interpolation at rank p/100 * (count - 1).
 */
etr_stats etr_stats_of(uint64_t *samples, size_t count);

/** Returns a * b / c without overflow, rounded down; c must be positive, and the result must fit.
 */
uint64_t etr_scale(uint64_t a, uint64_t b, uint64_t c);

/** Returns the median of a sorted list; 0 if it is empty. */
double etr_median_of_sorted(const double *sorted, size_t count);

/** Returns a percentile of a sorted list, by linear interpolation at rank percent/100 * (count -
 * 1); 0 if it is empty. */
double etr_percentile_of_sorted(const double *sorted, size_t count, double percent);

/** Returns the greatest common divisor; that of 0 and x is x. The step of a clock divides the
 * greatest common divisor of its times. */
uint64_t etr_common_divisor(uint64_t a, uint64_t b);

/** The mean of numbers and the sum of the squares of their distances from it, computed one by one
 * with the method of Welford (1962). Zeroed: no numbers. */
typedef struct etr_moments {
  size_t count;
  double mean, squares;
} etr_moments;

void etr_moments_add(etr_moments *moments, double value);

/** Compare doubles, and uint32_t, for sorting. */
int etr_by_double(const void *a, const void *b);
int etr_by_u32(const void *a, const void *b);

#endif
