/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise_verdict.c - coefficient of variation, outliers, and what they mean.
 */
#include "base/noise_verdict.h"

#include <math.h>

static const double NORMAL = 1.4826;       /* of a normal distribution: standard deviation per median deviation */
static const double OUTLIER = 5;           /* deviations; of a million normal samples one is farther out */
static const double LEAST_DEVIATION = .01; /* of the median: a coarse clock makes most samples the same */

int etr_by_double(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double etr_median_of_sorted(const double *sorted, size_t count) {
  if (count == 0) return 0;
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double etr_robust_deviation(double *samples, size_t count, double centre) {
  for (size_t i = 0; i < count; i++) samples[i] = fabs(samples[i] - centre);
  etr_sort(samples, count, sizeof *samples, etr_by_double);
  return NORMAL * etr_median_of_sorted(samples, count);
}

/* Standard deviation over mean. */
static double variation_of(const double *samples, size_t count) {
  double mean = 0, squares = 0;
  for (size_t i = 0; i < count; i++) mean += samples[i] / (double)count;
  for (size_t i = 0; i < count; i++) squares += (samples[i] - mean) * (samples[i] - mean);
  return count > 1 && mean > 0 ? sqrt(squares / (double)(count - 1)) / mean : NAN;
}

etr_noise etr_noise_of(double *samples, size_t count) {
  etr_noise noise = {.cv = variation_of(samples, count)};
  if (count < ETR_NOISE_LEAST_TO_JUDGE || isnan(noise.cv)) return noise;
  etr_sort(samples, count, sizeof *samples, etr_by_double);
  double median = etr_median_of_sorted(samples, count);
  double deviation = etr_robust_deviation(samples, count, median); /* samples are distances from here on */
  double limit = OUTLIER * ETR_MAX(deviation, LEAST_DEVIATION * median);
  for (size_t i = count; i > 0 && samples[i - 1] > limit; i--) noise.outliers++;
  noise.verdict = noise.cv <= ETR_NOISE_MOST_STEADY ? ETR_NOISE_STEADY : ETR_NOISE_NOISY;
  return noise;
}

const char *etr_noise_verdict_name(etr_noise_verdict verdict) {
  static const char *const names[] = {"few_runs", "steady", "noisy"};
  return (size_t)verdict < ETR_COUNT(names) ? names[verdict] : "";
}
