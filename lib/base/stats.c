/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stats.c - percentiles, exact shares, sums of squares.
 */
#include "base/stats.h"

#include <math.h>

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Sorts samples. Short lists, of which there are thousands because a method runs a few times and
 * has many operators, are sorted by insertion, which is faster than calling qsort(). */
static void sort_samples(uint64_t *samples, size_t count) {
  enum { FEW = 16 };
  if (count > FEW) {
    etr_sort(samples, count, sizeof *samples, by_value);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    uint64_t sample = samples[i];
    size_t index = i;
    for (; index > 0 && samples[index - 1] > sample; index--)
      samples[index] = samples[index - 1];
    samples[index] = sample;
  }
}

/* Returns a percentile of sorted numbers, interpolated linearly between two of them. */
static double percentile_of_samples(const uint64_t *sorted, size_t count, double percent) {
  double rank = percent / 100 * (double)(count - 1);
  size_t below = (size_t)rank;
  if (below + 1 >= count)
    return (double)sorted[count - 1];
  return (double)sorted[below] +
         (rank - (double)below) * ((double)sorted[below + 1] - (double)sorted[below]);
}

/* All are 0 without samples. */
etr_stats etr_stats_of(uint64_t *samples, size_t count) {
  if (count == 0)
    return (etr_stats){0};
  sort_samples(samples, count);
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += (double)samples[i];
  return (etr_stats){
      .count = count,
      .avg = sum / (double)count,
      .min = (double)samples[0],
      .max = (double)samples[count - 1],
      .p10 = percentile_of_samples(samples, count, 10),
      .p50 = percentile_of_samples(samples, count, 50),
      .p90 = percentile_of_samples(samples, count, 90),
  };
}

/* A spread smaller than a step of the clock cannot be measured, so it is rounded up to whole steps.
 */
double etr_stats_spread(const etr_stats *stats, double step) {
  enum { LEAST_SAMPLES = 5 }; /* p10 and p90 of fewer lie between the first and the last two */
  double whole = step > 0 ? step : 1;
  if (stats->count < LEAST_SAMPLES)
    return NAN;
  return ceil((stats->p90 - stats->p10) / 2 / whole) * whole;
}

uint64_t etr_scale(uint64_t a, uint64_t b, uint64_t c) {
  /* Long division of the 128-bit product, bit by bit: rare, and portable. */
  uint64_t high = 0, low = 0;
  for (int bit = 63; bit >= 0; bit--) {
    high = high << 1 | low >> 63;
    low <<= 1;
    if (b >> bit & 1) {
      low += a;
      high += low < a;
    }
  }
  uint64_t quotient = 0;
  high %= c;
  for (int bit = 63; bit >= 0; bit--) {
    bool carry = high >> 63;
    high = high << 1 | (low >> bit & 1);
    quotient <<= 1;
    if (carry || high >= c) {
      high -= c;
      quotient |= 1;
    }
  }
  return quotient;
}

uint64_t etr_common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Adds a number to the mean and the sum of squared distances (Welford 1962). */
void etr_moments_add(etr_moments *moments, double value) {
  double distance = value - moments->mean;
  moments->count++;
  moments->mean += distance / (double)moments->count;
  moments->squares += distance * (value - moments->mean);
}

/* ---- Sorted lists ---- */

int etr_by_double(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

double etr_median_of_sorted(const double *sorted, size_t count) {
  if (count == 0)
    return 0;
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double etr_percentile_of_sorted(const double *sorted, size_t count, double percent) {
  if (count == 0)
    return 0;
  double rank = percent / 100 * (double)(count - 1);
  size_t below = (size_t)rank;
  size_t above = ETR_MIN(below + 1, count - 1);
  return sorted[below] + (rank - (double)below) * (sorted[above] - sorted[below]);
}

/* ---- Distributions: tails by finite sums, quantiles by bisection, derivatives of ln gamma by
 * asymptotic series ---- */

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

/* By bisection, because etr_normal_chance() falls from 1 to 0. */
double etr_normal_quantile(double tail_chance) {
  double low = 0, high = LARGEST_QUANTILE;
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = (low + high) / 2;
    if (etr_normal_chance(middle) > tail_chance)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* The series for odd and even degrees of freedom differ in their first term and in a factor. */
double etr_t_chance(double t, size_t freedom) {
  double angle = atan2(t, sqrt((double)freedom));
  double cosine2 = cos(angle) * cos(angle);
  double sum = 0;
  double term = freedom % 2 ? cos(angle) : 1;
  for (size_t i = freedom % 2 ? 3 : 2; i <= freedom; i += 2) {
    sum += term;
    term *= cosine2 * ((double)i - 1) / (double)i;
  }
  return 1 - (freedom % 2 ? 2 / PI * (angle + sin(angle) * sum) : sin(angle) * sum);
}

/* By bisection, because etr_t_chance() falls from 1 to 0. */
double etr_t_quantile(double tail_chance, size_t freedom) {
  double low = 0, high = LARGEST_QUANTILE;
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = (low + high) / 2;
    if (etr_t_chance(middle, freedom) > tail_chance)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* By recurrence up to SERIES_FROM, and from there by the asymptotic series. */
double etr_digamma(double x) {
  double sum = 0;
  for (; x < SERIES_FROM; x++)
    sum -= 1 / x;
  double y = 1 / (x * x);
  return sum + log(x) - 1 / (2 * x) -
         y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
}

/* By recurrence up to SERIES_FROM, and from there by the asymptotic series. */
double etr_trigamma(double x) {
  double sum = 0;
  for (; x < SERIES_FROM; x++)
    sum += 1 / (x * x);
  double y = 1 / (x * x);
  return sum + 1 / x + y / 2 +
         y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * (5.0 / 66)))));
}

/* Returns the derivative of trigamma, by recurrence up to SERIES_FROM, and from there by the
 * asymptotic series. */
static double tetragamma(double x) {
  double sum = 0;
  for (; x < SERIES_FROM; x++)
    sum -= 2 / (x * x * x);
  double y = 1 / (x * x);
  return sum - y - y / x - y * y * (1.0 / 2 - y * (1.0 / 6 - y * (1.0 / 6 - y * (3.0 / 10))));
}

/* Newton's method is used on 1 / trigamma, which is nearly linear. */
double etr_trigamma_inverse(double value) {
  enum { MOST_STEPS = 60 }; /* it converges quadratically: about five are enough for most values */
  double x = 0.5 + 1 / value;
  if (value > 1e7)
    return 1 / sqrt(value); /* trigamma(x) is 1 / x^2 there, to 1e-7 */
  for (int i = 0; i < MOST_STEPS; i++) {
    double got = etr_trigamma(x);
    double step = got * (1 - got / value) / tetragamma(x);
    x += step;
    if (fabs(step) <= 1e-13 * x)
      break;
  }
  return x;
}
