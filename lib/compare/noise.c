/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise.c - the median's standard error, Student's t, and how many of many changes are to be believed.
 */
#include "compare/noise.h"

#include <math.h>
#include <stdlib.h>

static const double LEVEL = 0.05;
static const double PI = 3.14159265358979323846;
enum { MOST_FREEDOM = 200 }; /* from here on t is as good as normal; a smaller number errs towards "within noise" */

/* ---- One median ---- */

/* What the median deviation of few normal samples is to be multiplied with, beyond 1.4826, to give the standard
 * deviation: Croux and Rousseeuw. */
static double few_samples_factor(size_t count) {
  static const double factors[] = {1, 1, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};
  return count < ETR_COUNT(factors) ? factors[count] : (double)count / ((double)count - 0.8);
}

etr_median etr_median_of(const etr_side_time *time) {
  if (time->runs == 0) return (etr_median){0};
  double deviation = 1.4826 * few_samples_factor(time->runs) * time->deviation;
  return (etr_median){.count = time->runs,
                      .value = time->p50,
                      .error = 1.2533 * deviation / sqrt((double)time->runs),
                      .step = time->step};
}

etr_median etr_median_scaled(etr_median median, double factor) {
  return (etr_median){median.count, median.value * factor, median.error * factor, median.step * factor};
}

uint64_t etr_noise_divisor(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

double etr_noise_step(uint64_t divisor) {
  uint64_t step = 1;
  while (divisor && step < 1000000 && divisor % (step * 10) == 0) step *= 10;
  return (double)step;
}

/* ---- Student's t ---- */

/* Chance of a value beyond +-t: the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4. */
static double chance_beyond(double t, size_t freedom) {
  double angle = atan2(t, sqrt((double)freedom)), cosine2 = cos(angle) * cos(angle), sum = 0,
         term = freedom % 2 ? cos(angle) : 1;
  for (size_t i = freedom % 2 ? 3 : 2; i <= freedom; i += 2) {
    sum += term;
    term *= cosine2 * ((double)i - 1) / (double)i;
  }
  return 1 - (freedom % 2 ? 2 / PI * (angle + sin(angle) * sum) : sin(angle) * sum);
}

/* The t beyond which values are with that chance. */
static double t_of_chance(double chance, size_t freedom) {
  double low = 0, high = 1e9;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (chance_beyond(middle, freedom) > chance)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* ---- Many changes ---- */

static bool can_tell(const etr_noise_test *test) {
  return ETR_MIN(test->base.count, test->newer.count) >= ETR_NOISE_LEAST_RUNS;
}

static size_t freedom_of(const etr_noise_test *test) {
  return ETR_MIN(ETR_MIN(test->base.count, test->newer.count) - 1, (size_t)MOST_FREEDOM);
}

static double step_of(const etr_noise_test *test) { return ETR_MAX(test->base.step, test->newer.step); }

static double error_of(const etr_noise_test *test) {
  double a = test->base.error, b = test->newer.error, s = test->base.step, r = test->newer.step;
  return sqrt(a * a + b * b + (s * s + r * r) / 12);
}

static double chance_of(const etr_noise_test *test) {
  double change = fabs(test->newer.value - test->base.value), error = error_of(test);
  if (change <= step_of(test) || !(error > 0)) return change > step_of(test) ? 0 : 1;
  return chance_beyond(change / error, freedom_of(test));
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Benjamini and Hochberg: the greatest k for which k chances are at most k/count of the level; the level to use is then
 * that. */
static double believed_level(const double *chances, size_t count, double *sorted) {
  memcpy(sorted, chances, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_size);
  size_t believed = count;
  while (believed > 1 && sorted[believed - 1] > LEVEL * (double)believed / (double)count) believed--;
  return LEVEL * (double)believed / (double)count;
}

bool etr_noise_decide(etr_noise_test *tests, size_t count, etr_arena *scratch) {
  double *chances = etr_arena_alloc_array(scratch, count, sizeof *chances),
         *sorted = etr_arena_alloc_array(scratch, count, sizeof *sorted);
  double t_of[MOST_FREEDOM + 1] = {0};
  size_t tested = 0;
  if (!chances || !sorted) return false;
  for (size_t i = 0; i < count; i++)
    if (can_tell(&tests[i])) chances[tested++] = chance_of(&tests[i]);
  double level = tested ? believed_level(chances, tested, sorted) : LEVEL;
  for (size_t i = 0, next = 0; i < count; i++) {
    tests[i].noise = -1;
    tests[i].is_beyond = false;
    if (!can_tell(&tests[i])) continue;
    double *t = &t_of[freedom_of(&tests[i])];
    if (*t <= 0) *t = t_of_chance(level, freedom_of(&tests[i]));
    tests[i].noise = ETR_MAX(*t * error_of(&tests[i]), step_of(&tests[i]));
    tests[i].is_beyond = chances[next++] <= level;
  }
  return true;
}
