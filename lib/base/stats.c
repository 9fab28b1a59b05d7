/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stats.c - percentiles, exact shares, sums of squares.
 */
#include "base/stats.h"

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Sorts samples. Lists are often short, because a method runs a few times and has thousands of
 * operators. */
static void sort_samples(uint64_t *samples, size_t count) {
  enum { FEW = 16 };
  if (count > FEW) {
    etr_sort(samples, count, sizeof *samples, by_value);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    uint64_t sample = samples[i];
    size_t at = i;
    for (; at > 0 && samples[at - 1] > sample; at--)
      samples[at] = samples[at - 1];
    samples[at] = sample;
  }
}

static double percentile(const uint64_t *sorted, size_t count, double percent) {
  double rank = percent / 100 * (double)(count - 1);
  size_t below = (size_t)rank;
  if (below + 1 >= count)
    return (double)sorted[count - 1];
  return (double)sorted[below] +
         (rank - (double)below) * ((double)sorted[below + 1] - (double)sorted[below]);
}

etr_stats etr_stats_of(uint64_t *samples, size_t count) {
  if (count == 0)
    return (etr_stats){0};
  sort_samples(samples, count);
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += (double)samples[i];
  return (etr_stats){.count = count,
                     .avg = sum / (double)count,
                     .min = (double)samples[0],
                     .max = (double)samples[count - 1],
                     .p10 = percentile(samples, count, 10),
                     .p50 = percentile(samples, count, 50),
                     .p90 = percentile(samples, count, 90)};
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

void etr_moments_add(etr_moments *moments, double value) {
  double distance = value - moments->mean;
  moments->count++;
  moments->mean += distance / (double)moments->count;
  moments->squares += distance * (value - moments->mean);
}

/* ---- Sorted lists ---- */

int etr_by_double(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int etr_by_u32(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
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
  size_t below = (size_t)rank, above = ETR_MIN(below + 1, count - 1);
  return sorted[below] + (rank - (double)below) * (sorted[above] - sorted[below]);
}
