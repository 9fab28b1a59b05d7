/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How steady runs are: modes, outliers, steps, drifts.
 */
#include "random.h"
#include "runs/noise_verdict.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { MAX = 100000 };

static int by_ticks(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static etr_noise noise_of(const etr_noise_sample *samples, size_t count) {
  static uint64_t sorted[MAX];
  etr_arena scratch = {0};
  etr_noise noise;
  for (size_t i = 0; i < count; i++)
    sorted[i] = samples[i].ticks;
  qsort(sorted, count, sizeof *sorted, by_ticks);
  cr_assert(etr_noise_of(&noise, &scratch, samples, sorted, count));
  etr_arena_clear(&scratch);
  cr_expect(count < 2 || noise.cv >= 0 || noise.run_count < 2);
  cr_expect(isfinite(noise.change) && isfinite(noise.start) && isfinite(noise.least_outlier) &&
            isfinite(noise.most_outlier));
  return noise;
}

/* Judges the runs of one stretch, which are numbered from 100. */
static etr_noise noise_of_ticks(const uint64_t *ticks, size_t count) {
  static etr_noise_sample samples[MAX];
  for (size_t i = 0; i < count; i++)
    samples[i] = (etr_noise_sample){.ticks = ticks[i], .run = 100 + (uint32_t)i};
  return noise_of(samples, count);
}

Test(noise_verdict, few_or_equal_runs_are_not_judged) {
  static const struct {
    const char *what;
    size_t count;
    uint64_t ticks[14];
    double cv; /* below 0: NaN */
    size_t judged, outliers;
    etr_noise_verdict verdict;
  } cases[] = {
      {"none", 0, {0}, -1, 0, 0, ETR_NOISE_FEW_RUNS},
      {"one", 1, {5}, -1, 1, 0, ETR_NOISE_FEW_RUNS},
      {"two", 2, {500, 500}, 0, 2, 0, ETR_NOISE_FEW_RUNS},
      {"nine", 9, {5, 5, 5, 5, 5, 5, 5, 5, 5}, 0, 9, 0, ETR_NOISE_FEW_RUNS},
      {"ten of the same", 10, {5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 0, 10, 0, ETR_NOISE_STEADY},
      {"not timed", 12, {0}, -1, 0, 0, ETR_NOISE_FEW_RUNS},
      {"some not timed", 12, {0, 7, 7, 7, 0, 7, 7, 7, 7, 7, 7, 7}, 0, 10, 0, ETR_NOISE_STEADY},
      {"steady",
       10,
       {980, 990, 1000, 1010, 1020, 980, 990, 1000, 1010, 1020},
       .0149,
       10,
       0,
       ETR_NOISE_STEADY},
      {"noisy",
       10,
       {800, 900, 1000, 1100, 1200, 800, 900, 1000, 1100, 1200},
       .1562,
       10,
       0,
       ETR_NOISE_NOISY},
      {"one far out",
       10,
       {1000, 1010, 990, 1001, 999, 2000, 1003, 1000, 998, 1002},
       .0030,
       10,
       1,
       ETR_NOISE_STEADY},
      {"on both sides",
       11,
       {100, 101, 99, 100, 101, 50, 99, 230, 100, 102, 98},
       .0149,
       11,
       2,
       ETR_NOISE_STEADY},
      {"too many to be outliers",
       10,
       {100, 101, 99, 100, 101, 250, 99, 230, 210, 102},
       .4020,
       10,
       0,
       ETR_NOISE_NOISY},
      {"a coarse clock",
       12,
       {3000, 3000, 4000, 3000, 3000, 3000, 4000, 3000, 3000, 3000, 3000, 3000},
       0,
       12,
       0,
       ETR_NOISE_STEADY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    etr_noise noise = noise_of_ticks(cases[i].ticks, cases[i].count);
    cr_expect(cases[i].cv < 0 ? isnan(noise.cv) : fabs(noise.cv - cases[i].cv) < 1e-3, "%s: cv %f",
              cases[i].what, noise.cv);
    cr_expect_eq(noise.run_count, cases[i].judged, "%s: %zu", cases[i].what, noise.run_count);
    cr_expect_eq(noise.outliers, cases[i].outliers, "%s: %zu outliers", cases[i].what,
                 noise.outliers);
    cr_expect_eq(noise.verdict, cases[i].verdict, "%s: %s", cases[i].what,
                 etr_noise_verdict_name(noise.verdict));
    cr_expect_eq(noise.from_run, ETR_NONE, "%s", cases[i].what);
  }
}

Test(noise_verdict, outliers_have_their_factors) {
  static const uint64_t ticks[] = {1000, 1001, 4100, 999, 1000, 1600, 1001, 1000, 998, 1002};
  etr_noise noise = noise_of_ticks(ticks, 10);
  cr_expect_eq(noise.outliers, 2);
  cr_expect_float_eq(noise.least_outlier, 1.6, .01);
  cr_expect_float_eq(noise.most_outlier, 4.1, .01);
}

/* A run of a hundred, in ticks of a nanosecond, and 2 % of noise. */
typedef double factor(size_t run, uint64_t *seed);

static double flat(size_t i, uint64_t *seed) {
  return (void)i, (void)seed, 1;
}
static double modes(size_t i, uint64_t *seed) {
  return (void)i, random_real(seed) < .2 ? 8 : 1;
}
static double near_modes(size_t i, uint64_t *seed) {
  return (void)i, random_real(seed) < .4 ? 1.2 : 1;
}
static double stretches(size_t i, uint64_t *seed) {
  return (void)seed, i / 10 % 2 ? 1.3 : 1;
}
static double outliers(size_t i, uint64_t *seed) {
  return i % 12 == 5 ? 1.6 + 2 * random_real(seed) : 1;
}
static double step(size_t i, uint64_t *seed) {
  return (void)seed, i >= 40 ? 1.15 : 1;
}
static double drift(size_t i, uint64_t *seed) {
  return (void)seed, 1 + .15 * (double)i / 99;
}
static double step_with_outliers(size_t i, uint64_t *seed) {
  return step(i, seed) * (i % 20 == 7 ? 3 : 1);
}

static etr_noise noise_of_factor(factor *of, size_t count, double noise, uint64_t *seed) {
  static uint64_t ticks[MAX];
  for (size_t i = 0; i < count; i++)
    ticks[i] = (uint64_t)(1e6 * of(i, seed) * exp(noise * random_normal(seed)));
  return noise_of_ticks(ticks, count);
}

Test(noise_verdict, each_kind_of_series_has_its_verdict) {
  static const struct {
    const char *what;
    factor *of;
    etr_noise_verdict verdict;
    bool has_outliers, in_stretches;
    double change;
  } cases[] = {{"flat", flat, ETR_NOISE_STEADY, false, false, 0},
               {"modes", modes, ETR_NOISE_TWO_MODES, false, false, 0},
               {"near modes", near_modes, ETR_NOISE_TWO_MODES, false, false, 0},
               {"stretches", stretches, ETR_NOISE_TWO_MODES, false, true, 0},
               {"outliers", outliers, ETR_NOISE_STEADY, true, false, 0},
               {"step", step, ETR_NOISE_STEP, false, false, .15},
               {"drift", drift, ETR_NOISE_DRIFT, false, false, .15},
               {"step with outliers", step_with_outliers, ETR_NOISE_STEP, true, false, .15}};
  uint64_t seed = 3;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int again = 0; again < 20; again++) {
      etr_noise noise = noise_of_factor(cases[i].of, 100, .015, &seed);
      cr_expect_eq(noise.verdict, cases[i].verdict, "%s: %s", cases[i].what,
                   etr_noise_verdict_name(noise.verdict));
      cr_expect_eq(noise.outliers > 0, cases[i].has_outliers, "%s: %zu", cases[i].what,
                   noise.outliers);
      cr_expect_eq(noise.in_stretches, cases[i].in_stretches, "%s", cases[i].what);
      cr_expect_float_eq(noise.change, cases[i].change, .03, "%s: %f", cases[i].what, noise.change);
      cr_expect_eq(noise.modes[0].run_count + noise.modes[1].run_count,
                   noise.verdict == ETR_NOISE_TWO_MODES ? 100u : 0u, "%s", cases[i].what);
      if (noise.verdict == ETR_NOISE_STEP)
        cr_expect_eq(noise.from_run, 140, "%u", (unsigned)noise.from_run);
      if (noise.verdict == ETR_NOISE_DRIFT)
        cr_expect(noise.stretches == 1 && noise.over_runs == 100);
    }
}

/* Interruptions of a few runs, 10 to 45 times what the others take, are a tail and no mode: they
 * are far from the others, but also from each other. */
Test(noise_verdict, a_tail_of_interruptions_is_no_mode) {
  static const uint64_t others[] = {820,  850,  870,  900,  950,  980,  1000, 1050, 1070,
                                    1080, 1100, 1150, 1200, 1300, 1500, 2100, 2900};
  static const struct {
    uint64_t slow[5];
    etr_noise_verdict verdict;
  } cases[] = {{{9900, 18100, 31500, 40000, 44700}, ETR_NOISE_NOISY},
               {{26000, 28100, 31500, 33000, 36700}, ETR_NOISE_TWO_MODES}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint64_t ticks[ETR_COUNT(others) + 5];
    for (size_t k = 0, slow = 0; k < ETR_COUNT(ticks); k++)
      ticks[k] = k % 4 == 2 && slow < 5 ? cases[i].slow[slow++] : others[k - slow];
    etr_noise noise = noise_of_ticks(ticks, ETR_COUNT(ticks));
    cr_expect_eq(noise.verdict, cases[i].verdict, "case %zu: %s", i,
                 etr_noise_verdict_name(noise.verdict));
  }
}

/* One switch is a step, and fewer than 20 runs have neither. */
Test(noise_verdict, several_switches_are_modes_and_one_is_a_step) {
  static uint64_t ticks[50];
  for (size_t i = 0; i < 50; i++)
    ticks[i] = i % 5 == 3 ? 8400001 : 1050000;
  etr_noise noise = noise_of_ticks(ticks, 50);
  cr_expect_eq(noise.verdict, ETR_NOISE_TWO_MODES);
  cr_expect_eq(noise.modes[0].run_count, 40);
  cr_expect_float_eq(noise.modes[0].p50, 1050000, 1e-9);
  cr_expect_eq(noise.modes[1].run_count, 10);
  cr_expect_float_eq(noise.modes[1].p50, 8400001, 1e-9);
  cr_expect_eq(noise_of_ticks(ticks, 19).verdict, ETR_NOISE_NOISY);
  for (size_t i = 0; i < 50; i++)
    ticks[i] = i < 30 ? 8400001 : 1050000;
  noise = noise_of_ticks(ticks, 50);
  cr_expect_eq(noise.verdict, ETR_NOISE_STEP);
  cr_expect_eq(noise.from_run, 130);
  cr_expect_float_eq(noise.change, -.875, 1e-6);
}

/* Times that a millisecond clock rounds to 3 or 4 are not two modes. */
Test(noise_verdict, values_of_a_coarse_clock_are_no_modes) {
  static uint64_t ticks[60];
  uint64_t seed = 9;
  for (size_t i = 0; i < 60; i++)
    ticks[i] = random_real(&seed) < .3 ? 4000000 : 3000000;
  etr_noise noise = noise_of_ticks(ticks, 60);
  cr_expect(noise.verdict <= ETR_NOISE_NOISY && noise.outliers == 0, "%s",
            etr_noise_verdict_name(noise.verdict));
}

/* Trends within stretches that start anew; the levels of stretches differ. */
Test(noise_verdict, stretches_are_judged_one_by_one) {
  etr_noise_sample samples[48];
  uint64_t seed = 4;
  for (uint32_t i = 0; i < 48; i++)
    samples[i] = (etr_noise_sample){
        .ticks = (uint64_t)(1e6 * (1 + .02 * (i % 12)) * exp(.01 * random_normal(&seed))),
        .run = i,
        .stretch = i / 12};
  etr_noise noise = noise_of(samples, 48);
  cr_expect_eq(noise.verdict, ETR_NOISE_DRIFT);
  cr_expect_eq(noise.stretches, 4);
  cr_expect_eq(noise.over_runs, 12);
  cr_expect_float_eq(noise.change, .22, .03, "%f", noise.change);
  cr_expect_float_eq(noise.start, 1e6, 2e4, "%f", noise.start);
  for (uint32_t i = 0; i < 48; i++)
    samples[i] = (etr_noise_sample){
        .ticks = (uint64_t)(1e6 * (i < 24 ? 1 : 1.04) * exp(.01 * random_normal(&seed))),
        .run = i,
        .series = i / 24};
  noise = noise_of(samples, 48);
  cr_expect_eq(noise.verdict, ETR_NOISE_STEADY, "%s", etr_noise_verdict_name(noise.verdict));
}

/* Series of pure noise, of any length: at most 2 % get a verdict other than steady or noisy. */
Test(noise_verdict, noise_is_rarely_called_more_than_noise) {
  static const size_t counts[] = {10, 20, 30, 100};
  static const double spreads[] = {.01, .04, .3};
  uint64_t seed = 7;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (size_t k = 0; k < sizeof spreads / sizeof *spreads; k++) {
      size_t wrong = 0;
      for (int series = 0; series < 500; series++)
        wrong += noise_of_factor(flat, counts[i], spreads[k], &seed).verdict > ETR_NOISE_NOISY;
      cr_expect_leq(wrong, 10, "%zu of %zu runs at %f", wrong, counts[i], spreads[k]);
    }
}

Test(noise_verdict, very_many_runs_are_judged) {
  static uint64_t ticks[MAX];
  uint64_t seed = 7;
  cr_expect_eq(noise_of_factor(modes, MAX, .02, &seed).verdict, ETR_NOISE_TWO_MODES);
  cr_expect_eq(noise_of_factor(flat, MAX, .02, &seed).verdict, ETR_NOISE_STEADY);
  for (size_t i = 0; i < MAX; i++)
    ticks[i] = 12345678;
  cr_expect_eq(noise_of_ticks(ticks, MAX).verdict, ETR_NOISE_STEADY);
  for (size_t i = 0; i < MAX; i++)
    ticks[i] = UINT64_MAX - i;
  cr_expect_eq(noise_of_ticks(ticks, MAX).verdict, ETR_NOISE_STEADY);
}

Test(noise_verdict, parts_of_medians_are_judged_like_times) {
  double parts[] = {1, 1.01, .99, 1, 0, 1.02, .98, 1, 3, 1, 1.01, .99};
  etr_noise noise = etr_noise_of_parts(parts, 12);
  cr_expect(noise.verdict == ETR_NOISE_STEADY && noise.outliers == 1 && noise.run_count == 11);
  cr_expect(isnan(etr_noise_of_parts(parts, 0).cv));
}
