/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise_verdict.h - how much runs of the same thing vary. Layer 0.
 */
#ifndef ETR_NOISE_VERDICT_H
#define ETR_NOISE_VERDICT_H

#include "base/base.h"

/** The verdict on samples of one thing, which are sorted in place; in any unit. */
etr_noise etr_noise_of(double *samples, size_t count);

/** Median of a sorted list; 0 of none. */
double etr_median_of_sorted(const double *sorted, size_t count);

/** Median distance of samples from a centre, times what makes it the standard deviation of a normal distribution. They
 * are replaced by these distances, sorted. */
double etr_robust_deviation(double *samples, size_t count, double centre);

/** For sorting doubles. */
int etr_by_double(const void *a, const void *b);

#endif
