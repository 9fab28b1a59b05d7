/* SPDX-License-Identifier: BSD-3-Clause
 *
 * distribution.h - the normal and Student's t distribution, and the gamma function's logarithmic
 * derivatives. Layer 0.
 *
 * The formulas are those of Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), by
 * their numbers. No function keeps state, and none fails.
 */
#ifndef ETR_DISTRIBUTION_H
#define ETR_DISTRIBUTION_H

#include <stddef.h>

/** Returns the probability that a standard normal variable is below -value or above +value; value
 * >= 0. */
double etr_normal_chance(double value);

/** Returns the value that a standard normal variable exceeds, on either side, with this probability
 * (0 < chance < 1): 1.959964 for 0.05. */
double etr_normal_quantile(double chance);

/** Returns the probability that Student's t with this many degrees of freedom (at least 1) is below
 * -t or above +t; t
 * >= 0. Sums freedom / 2 terms (26.7.3, 26.7.4). */
double etr_t_chance(double t, size_t freedom);

/** Returns the t that is exceeded, on either side, with this probability (0 < chance < 1): 12.706
 * for 0.05 and one degree of freedom. */
double etr_t_quantile(double chance, size_t freedom);

/** Returns the derivative of ln gamma(x), for x > 0 (6.3.18). */
double etr_digamma(double x);

/** Returns the second derivative of ln gamma(x), for x > 0 (6.4.12). */
double etr_trigamma(double x);

/** Returns the x > 0 whose trigamma is `value` > 0, by Newton's method from Smyth's starting point
 * 0.5 + 1 / value (2004). */
double etr_trigamma_inverse(double value);

#endif
