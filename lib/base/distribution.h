/* SPDX-License-Identifier: BSD-3-Clause
 *
 * distribution.h - the normal and Student's t distribution, and the gamma function's logarithmic derivatives. Layer 0.
 *
 * The formulas are those of Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), by their numbers. No
 * function keeps state, and none fails.
 */
#ifndef ETR_DISTRIBUTION_H
#define ETR_DISTRIBUTION_H

#include <stddef.h>

/** The chance that a standard normal variable lies beyond -value or +value; value >= 0. */
double etr_normal_chance(double value);

/** The value that a standard normal variable exceeds, on either side, with this chance (0 < chance < 1): 1.959964 for
 * 0.05. */
double etr_normal_quantile(double chance);

/** The chance that Student's t with so many degrees of freedom (at least 1) lies beyond -t or +t; t >= 0. Sums of
 * freedom / 2 terms (26.7.3, 26.7.4). */
double etr_t_chance(double t, size_t freedom);

/** The t that is exceeded, on either side, with this chance (0 < chance < 1): 12.706 for 0.05 and one degree of
 * freedom. */
double etr_t_quantile(double chance, size_t freedom);

/** Derivative of ln gamma(x), for x > 0 (6.3.18). */
double etr_digamma(double x);

/** Second derivative of ln gamma(x), for x > 0 (6.4.12). */
double etr_trigamma(double x);

/** The x > 0 whose trigamma is `value` > 0. Newton's method, from Smyth's starting point 0.5 + 1 / value (2004). */
double etr_trigamma_inverse(double value);

#endif
