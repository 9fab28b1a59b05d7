/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stats.h - the Inspector's statistics, and those of sorted lists. Layer 0.
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

/** For sorting doubles. */
int etr_by_double(const void *a, const void *b);

#endif
