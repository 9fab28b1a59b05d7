/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps and drifts of series of logarithms.
 */
#include "random.h"
#include "runs/noise_verdict.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MAX = 128 };

/* Returns the sample at `index` of a series of `count` samples in segments of `segment` samples. */
typedef double shape(size_t index, size_t count, size_t segment);

static double level(size_t i, size_t n, size_t segment) {
  return (void)i, (void)n, (void)segment, 0;
}
static double line(size_t i, size_t n, size_t segment) {
  return (void)segment, .1 * (double)i / (double)(n - 1);
}
static double down(size_t i, size_t n, size_t segment) {
  return -line(i, n, segment);
}
static double half(size_t i, size_t n, size_t segment) {
  return (void)segment, i >= n / 2 ? .12 : 0;
}
static double late(size_t i, size_t n, size_t segment) {
  return (void)segment, i >= n - n / 5 ? -.25 : 0;
}
static double small(size_t i, size_t n, size_t segment) {
  return (void)segment, i >= n / 2 ? .015 : 0;
}
static double teeth(size_t i, size_t n, size_t segment) {
  return (void)n, .01 * (double)(i % segment);
}
static double stairs(size_t i, size_t n, size_t segment) {
  return (void)n, .1 * (double)(i / segment);
}
static double decay(size_t i, size_t n, size_t segment) {
  return (void)n, (void)segment, .1 * exp(-.5 * (double)i);
}

static etr_trend trend_of(shape *of, size_t count, size_t segment, double noise, uint64_t *seed) {
  etr_trend_sample samples[MAX];
  for (size_t i = 0; i < count; i++)
    samples[i] = (etr_trend_sample){.value = of(i, count, segment) + noise * random_normal(seed),
                                    .segment = (uint32_t)(i / segment),
                                    .position = (uint32_t)(i % segment)};
  return etr_trend_of(samples, count);
}

/* Ten segments of three samples, whose residuals e, -2e, e fit no line: 30 samples with 10 levels
 * leave 21 that are free, so that a slope s counts from 21 ln(1 + s^2 / 3e^2) > 3 ln 30 on. */
Test(trend, each_level_takes_a_sample) {
  enum { SEGMENTS = 10, LENGTH = 3 };
  const double residual = .02, residuals[LENGTH] = {residual, -2 * residual, residual};
  const double least = residual * sqrt(3 * (exp(3 * log(30) / 21) - 1));
  for (int is_above = 0; is_above < 2; is_above++) {
    etr_trend_sample samples[SEGMENTS * LENGTH];
    double slope = least * (is_above ? 1.01 : .99);
    for (uint32_t i = 0; i < SEGMENTS * LENGTH; i++)
      samples[i] = (etr_trend_sample){.value = slope * (i % LENGTH) + residuals[i % LENGTH],
                                      .segment = i / LENGTH,
                                      .position = i % LENGTH};
    cr_expect_eq(etr_trend_of(samples, SEGMENTS * LENGTH).kind,
                 is_above ? ETR_TREND_DRIFT : ETR_TREND_NONE, "slope %f", slope);
  }
}

Test(trend, steps_and_drifts_are_found) {
  static const struct {
    const char *what;
    shape *of;
    size_t count, segment;
    etr_trend_kind kind;
    double change;
    size_t at; /* index of a step, or span of a drift */
  } cases[] = {
      {"nothing", level, 0, 1, ETR_TREND_NONE, 0, 0},
      {"one", level, 1, 1, ETR_TREND_NONE, 0, 0},
      {"all the same", level, 40, 40, ETR_TREND_NONE, 0, 0},
      {"a line", line, 40, 40, ETR_TREND_DRIFT, .1, 39},
      {"a falling line", down, 40, 40, ETR_TREND_DRIFT, -.1, 39},
      {"a step", half, 40, 40, ETR_TREND_STEP, .12, 20},
      {"a late step", late, 40, 40, ETR_TREND_STEP, -.25, 32},
      {"too small a step", small, 40, 40, ETR_TREND_NONE, 0, 0},
      {"each segment a line", teeth, 36, 12, ETR_TREND_DRIFT, .11, 11},
      {"each segment a level", stairs, 36, 12, ETR_TREND_NONE, 0, 0},
      {"segments of one", line, 36, 1, ETR_TREND_NONE, 0, 0},
  };
  uint64_t seed = 5;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int noisy = 0; noisy < 2; noisy++) {
      etr_trend t = trend_of(cases[i].of, cases[i].count, cases[i].segment, noisy ? .01 : 0, &seed);
      cr_expect_eq(t.kind, cases[i].kind, "%s: %d", cases[i].what, (int)t.kind);
      cr_expect_float_eq(t.change, cases[i].change, noisy ? .02 : 1e-9, "%s: %f", cases[i].what,
                         t.change);
      size_t at = t.kind == ETR_TREND_DRIFT ? t.span : t.at;
      cr_expect_leq(at > cases[i].at ? at - cases[i].at : cases[i].at - at, (size_t)noisy,
                    "%s: at %zu", cases[i].what, at);
      cr_expect_not(t.is_unsure, "%s", cases[i].what);
    }
}

/* A series that gets faster only at first is warming up, not drifting. */
Test(trend, warming_up_is_no_drift) {
  uint64_t seed = 5;
  for (int i = 0; i < 100; i++)
    cr_expect_neq(trend_of(decay, 40, 40, .003, &seed).kind, ETR_TREND_DRIFT);
}

/* A step of less than four standard deviations in fewer than 50 samples is unsure. */
Test(trend, small_steps_of_few_samples_are_unsure) {
  static const struct {
    double noise;
    size_t count;
    bool is_unsure;
  } cases[] = {{.01, 40, false}, {.045, 40, true}, {.045, 100, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t seed = 5;
    etr_trend t = trend_of(half, cases[i].count, cases[i].count, cases[i].noise, &seed);
    cr_expect_eq(t.kind, ETR_TREND_STEP, "case %zu", i);
    cr_expect_eq(t.is_unsure, cases[i].is_unsure, "case %zu", i);
  }
}

/* Fewer than 1 % of pure-noise series have a trend; a real trend is found in nearly all series,
 * with its kind. */
Test(trend, noise_rarely_has_a_trend) {
  static const struct {
    shape *of;
    size_t segment;
    double noise;
    etr_trend_kind kind;
    size_t most_other;
  } cases[] = {{level, MAX, .02, ETR_TREND_NONE, 10}, {level, MAX, .3, ETR_TREND_NONE, 10},
               {level, 6, .05, ETR_TREND_NONE, 10},   {line, MAX, .02, ETR_TREND_DRIFT, 40},
               {half, MAX, .02, ETR_TREND_STEP, 20},  {teeth, 12, .02, ETR_TREND_DRIFT, 20}};
  uint64_t seed = 7;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t others = 0;
    for (int series = 0; series < 1000; series++)
      others += trend_of(cases[i].of, 36, cases[i].segment, cases[i].noise, &seed).kind !=
                cases[i].kind;
    cr_expect_leq(others, cases[i].most_other, "case %zu: %zu", i, others);
  }
}

/* A series with an autocorrelation of 0.8 has a step or a drift in at most one of eight cases. */
Test(trend, correlated_noise_rarely_has_a_trend) {
  uint64_t seed = 7;
  size_t found = 0;
  for (int series = 0; series < 1000; series++) {
    etr_trend_sample samples[40];
    double at = .05 * random_normal(&seed);
    for (uint32_t i = 0; i < 40; i++) {
      samples[i] = (etr_trend_sample){.value = at, .position = i};
      at = .8 * at + .03 * random_normal(&seed);
    }
    etr_trend t = etr_trend_of(samples, 40);
    found += t.kind != ETR_TREND_NONE && !t.is_unsure;
  }
  cr_expect_leq(found, 125, "%zu", found);
}
