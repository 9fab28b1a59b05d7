/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_noise.c - medians, their errors, and what is believed of many changes.
 */
#include "compare/noise.h"
#include "compare/side_time.h"

#include <criterion/criterion.h>
#include <math.h>

static bool is_near(double a, double b, double tolerance) { return fabs(a - b) <= tolerance * fmax(1, fabs(b)); }

Test(noise, error_of_the_median) {
  /* 1.2533 * 1.4826 * b(n) * MAD / sqrt(n) */
  static const struct {
    size_t count;
    uint64_t samples[12];
    double median, error;
  } cases[] = {
      {1, {7}, 7, 0},
      {3, {10, 10, 10}, 10, 0},
      {3, {30, 10, 20}, 20, 1.2533 * 1.4826 * 1.495 * 10 / 1.7320508075688772},
      {3, {1000, 11, 10}, 11, 1.2533 * 1.4826 * 1.495 * 1 / 1.7320508075688772}, /* a cold run does not count */
      {4, {1, 2, 4, 8}, 3, 1.2533 * 1.4826 * 1.363 * 1.5 / 2},                   /* distances 1, 1, 2, 5 */
      {5, {5, 1, 2, 3, 100}, 3, 1.2533 * 1.4826 * 1.206 * 2 / 2.23606797749979},
      {10, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 4.5, 1.2533 * 1.4826 * (10 / 9.2) * 2.5 / 3.1622776601683795},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint64_t samples[12];
    memcpy(samples, cases[i].samples, sizeof samples);
    etr_side_time time = etr_side_time_of(samples, cases[i].count, 1);
    etr_median got = etr_median_of(&time);
    cr_expect_eq(got.value, cases[i].median, "case %zu: %.17g", i, got.value);
    cr_expect(is_near(got.error, cases[i].error, 1e-12), "case %zu: %.17g instead of %.17g", i, got.error,
              cases[i].error);
  }
}

/* As if the zeros stood among the samples. */
Test(noise, zeros_take_no_time) {
  static const struct {
    size_t count;
    uint64_t samples[5];
    size_t zeros;
  } cases[] = {{0, {0}, 4},
               {1, {7}, 0},
               {1, {7}, 1},
               {1, {7}, 2},
               {2, {5, 9}, 1},
               {2, {5, 9}, 2},
               {2, {5, 9}, 3},
               {2, {5, 9}, 4},
               {2, {5, 9}, 5},
               {5, {9, 3, 7, 7, 1}, 5},
               {5, {9, 3, 7, 7, 1}, 6},
               {5, {9, 3, 7, 7, 1}, 7}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint64_t few[12] = {0}, all[12] = {0};
    memcpy(few, cases[i].samples, sizeof cases[i].samples);
    memcpy(all, cases[i].samples, cases[i].count * sizeof *all);
    etr_side_time got = etr_side_time_with_zeros(few, cases[i].count, cases[i].zeros, 1);
    etr_side_time want = etr_side_time_of(all, cases[i].count + cases[i].zeros, 1);
    cr_expect_eq(got.runs, want.runs, "case %zu", i);
    cr_expect_eq(got.total, want.total, "case %zu", i);
    cr_expect_eq(got.p50, want.p50, "case %zu: %g instead of %g", i, got.p50, want.p50);
    cr_expect_eq(got.deviation, want.deviation, "case %zu: %g instead of %g", i, got.deviation, want.deviation);
  }
}

static etr_median median(size_t count, double value, double error, double step) {
  return (etr_median){count, value, error, step};
}

Test(noise, one_change) {
  /* Half-widths are scipy.stats.t.ppf(0.975, n - 1) * hypot(errors, steps / sqrt(12)) */
  static const struct {
    etr_median base, newer;
    double noise;
    bool beyond;
  } cases[] = {
      {{2, 10, 1, 1}, {9, 99, 1, 1}, -1, false},        /* too few */
      {{3, 100, 3, 0}, {3, 121, 4, 0}, 21.5133, false}, /* t(2) = 4.30265 */
      {{3, 100, 3, 0}, {3, 122, 4, 0}, 21.5133, true},
      {{4, 100, 3, 0}, {50, 116, 4, 0}, 15.9122, true},   /* t(3) = 3.18245: the fewer runs count */
      {{20, 100, 3, 0}, {20, 89.5, 4, 0}, 10.4651, true}, /* t(19) = 2.09302 */
      {{20, 100, 3, 0}, {20, 89.6, 4, 0}, 10.4651, false},
      {{9, 5000, 0, 1000}, {9, 6000, 0, 1000}, 1000, false}, /* one step of the clock */
      {{9, 5000, 0, 1000}, {9, 7000, 0, 1000}, 1000, true},
      {{3, 5000, 0, 1000}, {3, 6500, 0, 1000}, 1756.55, false}, /* three runs that agree prove less */
      {{9, 5, 0, 0}, {9, 6, 0, 0}, 0, true},
      {{9, 5, 0, 0}, {9, 5, 0, 0}, 0, false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena scratch = {0};
    etr_noise_test test = {.base = cases[i].base, .newer = cases[i].newer};
    cr_assert(etr_noise_decide(&test, 1, &scratch));
    cr_expect(is_near(test.noise, cases[i].noise, 1e-4), "case %zu: %.17g", i, test.noise);
    cr_expect_eq(test.is_beyond, cases[i].beyond, "case %zu", i);
    etr_arena_clear(&scratch);
  }
}

/* One of a hundred changes that would do for itself is no surprise; a hundred are. */
Test(noise, many_changes) {
  enum { COUNT = 100 };
  static const struct {
    size_t large;
    double change;
    bool beyond;
    double noise; /* scipy.stats.t.ppf(1 - 0.05 * k / COUNT / 2, 19): k changes are believed, one at least */
  } cases[] = {{1, 3, false, 4.1869},    {1, 9, true, 4.1869},      {60, 3, true, 2.3457},
               {60, 2.35, true, 2.3457}, {60, 2.34, false, 4.1869}, /* just within the level of 60, and just outside */
               {100, 3, true, 2.0930},   {0, 0, false, 4.1869}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena scratch = {0};
    etr_noise_test tests[COUNT];
    for (size_t k = 0; k < COUNT; k++)
      tests[k] = (etr_noise_test){.base = median(20, 100, 0.70711, 0),
                                  .newer = median(20, 100 + (k < cases[i].large ? cases[i].change : 0.5), 0.70711, 0)};
    cr_assert(etr_noise_decide(tests, COUNT, &scratch));
    for (size_t k = 0; k < COUNT; k++) {
      cr_expect_eq(tests[k].is_beyond, k < cases[i].large && cases[i].beyond, "case %zu, change %zu", i, k);
      cr_expect_eq(tests[k].is_beyond, fabs(tests[k].newer.value - 100) > tests[k].noise, "the interval says the same");
      cr_expect(is_near(tests[k].noise, cases[i].noise, 1e-4), "case %zu: %.17g", i, tests[k].noise);
    }
    etr_arena_clear(&scratch);
  }
}

Test(noise, steps_of_clocks) {
  static const struct {
    uint64_t durations[4];
    double step;
  } cases[] = {{{0, 0, 0, 0}, 1},         {{1, 2, 3, 4}, 1},      {{5000, 3000, 0, 7000}, 1000},
               {{42, 84, 126, 168}, 1},   {{20, 30, 0, 110}, 10}, {{3000000000, 0, 0, 0}, 1000000},
               {{UINT64_MAX, 1, 0, 0}, 1}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint64_t divisor = 0;
    for (size_t k = 0; k < 4; k++) divisor = etr_noise_divisor(cases[i].durations[k], divisor);
    cr_expect_eq(etr_noise_step(divisor), cases[i].step, "case %zu: %g", i, etr_noise_step(divisor));
  }
}
