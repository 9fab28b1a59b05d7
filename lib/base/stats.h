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

/** Compares doubles, for sorting. */
int etr_by_double(const void *a, const void *b);

/* ---- The normal and Student's t distribution, and the gamma function's logarithmic derivatives
 * ----
 *
 * The formulas are those of Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), by
 * their numbers. No function keeps state, and none fails. */

/** Returns the probability that a standard normal variable is below -value or above +value; value
 * >= 0. */
double etr_normal_chance(double value);

/** Returns the value that a standard normal variable exceeds, on either side, with this probability
 * (0 < tail_chance < 1): 1.959964 for 0.05. */
double etr_normal_quantile(double tail_chance);

/** Returns the probability that Student's t with this many degrees of freedom (at least 1) is below
 * -t or above +t, for t >= 0. The time grows with freedom / 2, the number of terms of the series
 * (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
double etr_t_chance(double t, size_t freedom);

/** Returns the t that is exceeded, on either side, with this probability (0 < tail_chance <
 * 1): 12.706 for 0.05 and one degree of freedom. */
double etr_t_quantile(double tail_chance, size_t freedom);

/** Returns the derivative of ln gamma(x), for x > 0 (Abramowitz and Stegun, 6.3.18). */
double etr_digamma(double x);

/** Returns the second derivative of ln gamma(x), for x > 0 (Abramowitz and Stegun, 6.4.12). */
double etr_trigamma(double x);

/** Returns the x > 0 whose trigamma is `value` > 0, by Newton's method from Smyth's starting point
 * 0.5 + 1 / value (2004). */
double etr_trigamma_inverse(double value);

#endif
