/* SPDX-License-Identifier: BSD-3-Clause
 *
 * modes.c - Otsu's split of the times' logarithms, and whether its sides are far apart and compact.
 */
#include "base/modes.h"

#include "base/stats.h"

#include <math.h>

static const double LEAST_DISTANCE = .03;   /* between means of logarithms: less is not worth telling */
static const double LEAST_DEVIATIONS = 5;   /* distance in pooled deviations: halves of one bell are 2.7 apart */
static const double LEAST_DEVIATION = .003; /* what a clock hides of it */
static const double MOST_WIDTH = .2;        /* deviation of a mode in distances: a few runs far out are no mode */
enum { LEAST_RUNS = 3, PARTS_OF_MODE = 10 };

/* Takes back what was added; the mean of none is 0. */
static void remove_value(etr_moments *m, double value) {
  double behind = value - m->mean;
  m->count--;
  m->mean = m->count > 0 ? m->mean - behind / (double)m->count : 0;
  m->squares -= behind * (value - m->mean);
}

static double deviation_of(const etr_moments *m) {
  return sqrt(ETR_MAX(m->squares, 0) / (double)ETR_MAX(m->count, (size_t)1));
}

/* How many of the sorted times are in the fast mode: the split that leaves the least squares on both sides. */
static size_t split_of(const double *sorted, size_t count) {
  etr_moments low = {0}, high = {0};
  double least = INFINITY;
  size_t at = 1;
  for (size_t i = 0; i < count; i++) etr_moments_add(&high, log(sorted[i]));
  for (size_t i = 0; i + 1 < count; i++) {
    etr_moments_add(&low, log(sorted[i]));
    remove_value(&high, log(sorted[i]));
    if (!(sorted[i + 1] > sorted[i]) || low.squares + high.squares >= least) continue;
    least = low.squares + high.squares;
    at = i + 1;
  }
  return at;
}

static etr_moments moments_of(const double *times, size_t count) {
  etr_moments m = {0};
  for (size_t i = 0; i < count; i++) etr_moments_add(&m, log(times[i]));
  return m;
}

static bool are_apart(const double *sorted, size_t count, size_t at, double step) {
  const etr_moments low = moments_of(sorted, at), high = moments_of(sorted + at, count - at);
  double distance = high.mean - low.mean, pooled = sqrt((low.squares + high.squares) / (double)(count - 2));
  bool is_far = distance >= LEAST_DISTANCE && distance >= LEAST_DEVIATIONS * ETR_MAX(pooled, LEAST_DEVIATION);
  bool is_compact = ETR_MAX(deviation_of(&low), deviation_of(&high)) <= MOST_WIDTH * distance;
  return is_far && is_compact && exp(high.mean) - exp(low.mean) > 1.5 * step;
}

etr_modes etr_modes_of(const double *times, const double *sorted, size_t count, double step) {
  etr_modes m = {0};
  if (count < ETR_MODES_LEAST_SAMPLES) return m;
  size_t at = split_of(sorted, count), smaller = ETR_MIN(at, count - at);
  if (smaller < ETR_MAX((size_t)LEAST_RUNS, (count + PARTS_OF_MODE - 1) / PARTS_OF_MODE)) return m;
  if (!are_apart(sorted, count, at, step)) return m;
  for (size_t i = 1; i < count; i++) m.switches += (times[i] < sorted[at]) != (times[i - 1] < sorted[at]);
  m.are_two = m.switches > 1;
  m.fast_count = at;
  m.slow_count = count - at;
  m.fast_median = etr_median_of_sorted(sorted, at);
  m.slow_median = etr_median_of_sorted(sorted + at, count - at);
  m.in_stretches = (double)m.switches * (double)count <= (double)m.fast_count * (double)m.slow_count;
  return m;
}
