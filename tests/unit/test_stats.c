/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Statistics against numpy's answers, and exact shares.
 */
#include "base/stats.h"

#include <criterion/criterion.h>
#include <math.h>

static bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

Test(stats, statistics_are_those_of_numpy) {
  /* numpy.percentile(samples, [10, 50, 90]) */
  static const struct {
    size_t count;
    uint64_t samples[10];
    double avg, min, max, p10, p50, p90;
  } cases[] = {
      {1, {7}, 7, 7, 7, 7, 7, 7},
      {2, {10, 20}, 15, 10, 20, 11, 15, 19},
      {2, {20, 10}, 15, 10, 20, 11, 15, 19},
      {3, {30, 10, 20}, 20, 10, 30, 12, 20, 28},
      {4, {1, 2, 3, 4}, 2.5, 1, 4, 1.3, 2.5, 3.7},
      {5, {5, 5, 5, 5, 5}, 5, 5, 5, 5, 5, 5},
      {10, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 4.5, 0, 9, 0.9, 4.5, 8.1},
      {6, {100, 1, 1, 1, 1, 1}, 17.5, 1, 100, 1, 1, 50.5},
      {3,
       {0, UINT64_MAX, 0},
       6148914691236517205.0,
       0,
       18446744073709551615.0,
       0,
       0,
       14757395258967641292.0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint64_t samples[10];
    memcpy(samples, cases[i].samples, sizeof samples);
    etr_stats got = etr_stats_of(samples, cases[i].count);
    cr_expect_eq(got.count, cases[i].count);
    cr_expect(is_near(got.avg, cases[i].avg), "case %zu: avg %.17g", i, got.avg);
    cr_expect(is_near(got.min, cases[i].min), "case %zu: min %.17g", i, got.min);
    cr_expect(is_near(got.max, cases[i].max), "case %zu: max %.17g", i, got.max);
    cr_expect(is_near(got.p10, cases[i].p10), "case %zu: p10 %.17g", i, got.p10);
    cr_expect(is_near(got.p50, cases[i].p50), "case %zu: p50 %.17g", i, got.p50);
    cr_expect(is_near(got.p90, cases[i].p90), "case %zu: p90 %.17g", i, got.p90);
  }
}

Test(stats, no_samples_give_zero) {
  etr_stats got = etr_stats_of(NULL, 0);
  cr_expect_eq(got.count, 0);
  cr_expect_eq(got.avg, 0);
  cr_expect_eq(got.p90, 0);
}

Test(stats, shares_are_exact) {
  static const struct {
    uint64_t a, b, c, result;
  } cases[] = {
      {0, 5, 3, 0},
      {7, 3, 2, 10},
      {1, 1, 3, 0},
      {2, 1, 1, 2},
      {1000000007, 1000000009, 1000000007, 1000000009},
      {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
      {UINT64_MAX, 1, UINT64_MAX, 1},
      {UINT64_MAX, 2, 4, 9223372036854775807u},
      {UINT64_MAX, 0, 1, 0},
      {UINT64_MAX - 1, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 2},
      {10000000000000000000u, 3, 7, 4285714285714285714u},
      {12345678901234567890u, 9876543210987654321u, 11111111111111111111u, 10973936802331961570u},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint64_t got = etr_scale(cases[i].a, cases[i].b, cases[i].c);
    cr_expect_eq(got, cases[i].result, "case %zu: %llu", i, (unsigned long long)got);
  }
}
