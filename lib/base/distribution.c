/* SPDX-License-Identifier: BSD-3-Clause
 *
 * distribution.c - tails by finite sums, quantiles by bisection, derivatives of ln gamma by
 * asymptotic series.
 */
#include "base/distribution.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* The asymptotic series below are used from here on: their first omitted term is then below 1e-14.
 */
static const double SERIES_FROM = 12;

double etr_normal_chance(double value) {
  return erfc(value / sqrt(2));
}

/* Halves an interval often enough for the last bit of any value below 1e9. */
enum { BISECTIONS = 100 };
static const double LARGEST_QUANTILE = 1e9;

double etr_normal_quantile(double chance) {
  double low = 0, high = LARGEST_QUANTILE;
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = (low + high) / 2;
    *(etr_normal_chance(middle) > chance ? &low : &high) = middle;
  }
  return high;
}

double etr_t_chance(double t, size_t freedom) {
  double angle = atan2(t, sqrt((double)freedom)), cosine2 = cos(angle) * cos(angle), sum = 0,
         term = freedom % 2 ? cos(angle) : 1;
  for (size_t i = freedom % 2 ? 3 : 2; i <= freedom; i += 2) {
    sum += term;
    term *= cosine2 * ((double)i - 1) / (double)i;
  }
  return 1 - (freedom % 2 ? 2 / PI * (angle + sin(angle) * sum) : sin(angle) * sum);
}

double etr_t_quantile(double chance, size_t freedom) {
  double low = 0, high = LARGEST_QUANTILE;
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = (low + high) / 2;
    *(etr_t_chance(middle, freedom) > chance ? &low : &high) = middle;
  }
  return high;
}

double etr_digamma(double x) {
  double sum = 0;
  for (; x < SERIES_FROM; x++)
    sum -= 1 / x;
  double y = 1 / (x * x);
  return sum + log(x) - 1 / (2 * x) -
         y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
}

double etr_trigamma(double x) {
  double sum = 0;
  for (; x < SERIES_FROM; x++)
    sum += 1 / (x * x);
  double y = 1 / (x * x);
  return sum + 1 / x + y / 2 +
         y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * (5.0 / 66)))));
}

/* Returns the derivative of trigamma. */
static double tetragamma(double x) {
  double sum = 0;
  for (; x < SERIES_FROM; x++)
    sum -= 2 / (x * x * x);
  double y = 1 / (x * x);
  return sum - y - y / x - y * y * (1.0 / 2 - y * (1.0 / 6 - y * (1.0 / 6 - y * (3.0 / 10))));
}

double etr_trigamma_inverse(double value) {
  enum {
    MOST_STEPS = 60
  }; /* it converges quadratically: some five steps are enough for most values */
  double x = 0.5 + 1 / value;
  if (value > 1e7)
    return 1 / sqrt(value); /* trigamma(x) is 1 / x^2 there, to 1e-7 */
  for (int i = 0; i < MOST_STEPS; i++) {
    double got = etr_trigamma(x), step = got * (1 - got / value) / tetragamma(x);
    x += step;
    if (fabs(step) <= 1e-13 * x)
      break;
  }
  return x;
}
