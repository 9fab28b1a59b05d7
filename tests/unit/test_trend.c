/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Noise and trends of samples.
 */
#include "base/noise_verdict.h"
#include "base/trend.h"
#include "random.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MAX = 4096 };

Test(noise, verdicts) {
  static const struct {
    const char *what;
    size_t count;
    double samples[12];
    double cv;
    size_t outliers;
    etr_noise_verdict verdict;
  } cases[] = {
      {"none", 0, {0}, NAN, 0, ETR_NOISE_FEW_RUNS},
      {"one", 1, {5}, NAN, 0, ETR_NOISE_FEW_RUNS},
      {"few", 4, {5, 5, 5, 5}, 0, 0, ETR_NOISE_FEW_RUNS},
      {"all the same", 5, {5, 5, 5, 5, 5}, 0, 0, ETR_NOISE_STEADY},
      {"not timed", 5, {0}, NAN, 0, ETR_NOISE_FEW_RUNS},
      {"steady", 5, {98, 99, 100, 101, 102}, 0.015811, 0, ETR_NOISE_STEADY},
      {"noisy", 5, {80, 90, 100, 110, 120}, 0.158114, 0, ETR_NOISE_NOISY},
      {"one far out", 6, {100, 101, 99, 100, 100, 200}, 0.349969, 1, ETR_NOISE_NOISY},
      {"on both sides", 8, {100, 101, 99, 100, 100, 100, 50, 120}, 0.207402, 2, ETR_NOISE_NOISY},
      {"a step of a coarse clock", 6, {100, 100, 100, 100, 100, 101}, 0.004076, 0, ETR_NOISE_STEADY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double samples[12];
    memcpy(samples, cases[i].samples, sizeof samples);
    etr_noise noise = etr_noise_of(samples, cases[i].count);
    cr_expect(isnan(cases[i].cv) ? isnan(noise.cv) : fabs(noise.cv - cases[i].cv) < 1e-6, "%s: cv %f", cases[i].what,
              noise.cv);
    cr_expect_eq(noise.outliers, cases[i].outliers, "%s: %zu outliers", cases[i].what, noise.outliers);
    cr_expect_eq(noise.verdict, cases[i].verdict, "%s: %s", cases[i].what, etr_noise_verdict_name(noise.verdict));
  }
}

static etr_trend trend_of(const etr_trend_sample *samples, size_t count, double from) {
  etr_trend trend;
  etr_arena scratch = {0};
  cr_assert(etr_trend_of(&trend, &scratch, samples, count, from));
  etr_arena_clear(&scratch);
  return trend;
}

Test(trend, lines) {
  static const struct {
    const char *what;
    size_t count, segment; /* samples, and how many make a segment */
    double slope, z;
    size_t outlier; /* 0: none */
  } cases[] = {
      {"nothing", 0, 1, 0, 0, 0},
      {"one", 1, 1, 0, 0, 0},
      {"each alone", 20, 1, 0, 0, 0},
      {"level", 20, 20, 0, 0, 0},
      {"rising", 10, 10, 2, 3.935, 0},
      {"falling", 10, 10, -2, -3.935, 0},
      {"one far out", 10, 10, 2, 3.220, 5},
      {"a saw's teeth", 20, 10, 2, 5.628, 0},
      {"many", 4000, 4000, 2, 33.825, 0},     /* 512 places */
      {"many teeth", 4000, 10, 2, 45.529, 0}, /* 128 of them */
  };
  static etr_trend_sample samples[MAX];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t k = 0; k < cases[i].count; k++)
      samples[k] = (etr_trend_sample){(uint32_t)(k / cases[i].segment),
                                      1000 + cases[i].slope * (double)(k % cases[i].segment)};
    if (cases[i].outlier) samples[cases[i].outlier].value *= 10;
    etr_trend trend = trend_of(samples, cases[i].count, 0);
    cr_expect_float_eq(trend.slope, cases[i].slope, 1e-9, "%s: slope %f", cases[i].what, trend.slope);
    cr_expect_float_eq(trend.z, cases[i].z, 1e-3, "%s: z %f", cases[i].what, trend.z);
    if (cases[i].count) cr_expect_float_eq(trend.level, 1000, 1e-6, "%s: level %f", cases[i].what, trend.level);
    cr_expect_eq(trend.longest, ETR_MIN(cases[i].count, cases[i].segment), "%s", cases[i].what);
  }
}

/* The later half of each segment alone. */
Test(trend, from_the_middle) {
  etr_trend_sample samples[20];
  for (uint32_t k = 0; k < 20; k++) samples[k] = (etr_trend_sample){0, k < 10 ? 100 - k : 90};
  cr_expect_lt(trend_of(samples, 20, 0).z, -3);
  cr_expect_float_eq(trend_of(samples, 20, 0.5).z, 0, 1e-9);
}

/* Of series without a trend, one in 1000 has a z beyond 3.29. */
Test(trend, chance) {
  static etr_trend_sample samples[MAX];
  static const size_t counts[] = {10, 30, 60};
  uint64_t seed = 7;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    size_t beyond = 0;
    for (int series = 0; series < 1000; series++) {
      for (size_t k = 0; k < counts[i]; k++) samples[k] = (etr_trend_sample){0, 100 + 10 * random_normal(&seed)};
      beyond += fabs(trend_of(samples, counts[i], 0).z) > 3.29;
    }
    cr_expect_leq(beyond, 4, "%zu of series of %zu", beyond, counts[i]);
  }
}
