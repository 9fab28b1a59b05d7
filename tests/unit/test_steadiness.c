/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sentences about the steadiness of runs.
 */
#include "views/steadiness.h"

#include <criterion/criterion.h>
#include <math.h>

#define TIMES "\xC3\x97"

static const etr_profile profile = {.ticks_per_second = 1e9};

/* Runs that are merely noisy, or few, say by how much they differ if one takes three times another,
 * or if the time of one inference is not sure. */
Test(steadiness, runs_that_differ_much_say_by_how_much) {
  static const struct {
    etr_noise noise;
    double p90, max; /* the fastest run takes 1 ms */
    const char *text;
  } cases[] = {
      {{.verdict = ETR_NOISE_NOISY}, 1e6, 2.9e6, ""},
      {{.verdict = ETR_NOISE_STEADY}, 1e6, 4.1e6, ""},
      {{.verdict = ETR_NOISE_STEP}, 1e6, 4.1e6, ""},
      {{.verdict = ETR_NOISE_NOISY, .outliers = 1}, 1e6, 4.1e6, ""}, /* which a sentence names */
      {{.verdict = ETR_NOISE_NOISY},
       1e6,
       4.1e6,
       "the slowest of 5 runs took 4.1 times the fastest"},
      {{.verdict = ETR_NOISE_FEW_RUNS},
       1e6,
       87e6,
       "the slowest of 5 runs took 87 times the fastest"},
      {{.verdict = ETR_NOISE_NOISY},
       2e6,
       2.9e6,
       "the slowest of 5 runs took 2.9 times the fastest"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    etr_arena arena = {0};
    etr_method method = {.noise = cases[i].noise,
                         .execute = {.count = 5,
                                     .min = 1e6,
                                     .p10 = 1e6,
                                     .typical = 1.2e6,
                                     .p90 = cases[i].p90,
                                     .max = cases[i].max}};
    method.noise.run_count = 5;
    cr_expect_str_eq(etr_spread_text(&arena, &method), cases[i].text);
    etr_arena_clear(&arena);
  }
}

/* Fewer than five runs have no percentiles: what counts is the fastest and the slowest of them. */
Test(steadiness, two_to_four_runs_may_differ_much) {
  static const struct {
    size_t runs, phases;
    double min, max; /* the typical run takes 4 ms */
    bool is_much;
  } cases[] = {{1, 0, 4e6, 4e6, false},  {2, 0, 3.1e6, 4.9e6, false}, {2, 0, 2.9e6, 5.1e6, true},
               {4, 0, 3.8e6, 6e6, true}, {4, 2, 1e6, 9e6, false},     {5, 0, 1e6, 9e6, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const etr_method method = {.noise = {.verdict = ETR_NOISE_FEW_RUNS},
                               .mixed_phase_count = cases[i].phases,
                               .execute = {.count = cases[i].runs,
                                           .min = cases[i].min,
                                           .p10 = 3.9e6,
                                           .typical = 4e6,
                                           .p90 = 4.1e6,
                                           .max = cases[i].max}};
    cr_expect_eq(etr_runs_differ_much(&method), cases[i].is_much, "case %zu", i);
  }
}

Test(steadiness, a_verdict_has_its_sentence) {
  static const struct {
    etr_noise noise;
    const char *text;
  } cases[] = {
      {{.verdict = ETR_NOISE_FEW_RUNS, .outliers = 1}, ""},
      {{.verdict = ETR_NOISE_STEADY}, ""},
      {{.verdict = ETR_NOISE_NOISY, .cv = .2}, ""},
      {{.verdict = ETR_NOISE_STEADY,
        .run_count = 40,
        .outliers = 3,
        .least_outlier = 1.6,
        .most_outlier = 4.1},
       "steady but for 3 of 40 runs, 0.8-2.0" TIMES " the typical run"},
      {{.verdict = ETR_NOISE_STEADY,
        .run_count = 40,
        .outliers = 2,
        .least_outlier = 22.1,
        .most_outlier = 22.3},
       "steady but for 2 of 40 runs, 11" TIMES " the typical run"},
      {{.verdict = ETR_NOISE_NOISY,
        .run_count = 40,
        .outliers = 1,
        .least_outlier = 3,
        .most_outlier = 3},
       "noisy, with 1 outlier in 40 runs, 1.5" TIMES " the typical run"},
      {{.verdict = ETR_NOISE_TWO_MODES, .modes = {{41, 1.05e6}, {9, 8.4e6}}},
       "two modes: 41 runs at 1.05 ms, 9 at 8.40 ms"},
      {{.verdict = ETR_NOISE_TWO_MODES, .modes = {{41, 1.05e6}, {9, 8.4e6}}, .in_stretches = true},
       "two modes: 41 runs at 1.05 ms, 9 at 8.40 ms, in stretches"},
      {{.verdict = ETR_NOISE_STEP, .change = .12, .from_run = 26}, "12 % slower from run 26 on"},
      {{.verdict = ETR_NOISE_STEP, .change = -.056, .from_run = 3, .is_unsure = true},
       "may be 5.6 % faster from run 3 on"},
      {{.verdict = ETR_NOISE_DRIFT, .change = .1, .over_runs = 40, .stretches = 1},
       "10 % slower over 40 runs"},
      {{.verdict = ETR_NOISE_DRIFT, .change = 1.5, .over_runs = 40, .stretches = 1},
       "2.5 times as slow over 40 runs"},
      {{.verdict = ETR_NOISE_DRIFT, .change = .22, .over_runs = 12, .stretches = 3},
       "22 % slower over 12 runs, and anew in each of 3 stretches"},
      {{.verdict = ETR_NOISE_STEP,
        .change = .12,
        .from_run = 26,
        .run_count = 50,
        .outliers = 1,
        .least_outlier = 2,
        .most_outlier = 2},
       "12 % slower from run 26 on, but for 1 of 50 runs, 1.0" TIMES " the typical run"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    etr_arena arena = {0};
    /* Factors are to the median, and are shown to the typical run. */
    const etr_method method = {.noise = cases[i].noise, .execute = {.p50 = 1e6, .typical = 2e6}};
    cr_expect_str_eq(
        etr_noise_text(&arena, &profile, &cases[i].noise, &method.execute, ETR_UNIT_MS),
        cases[i].text);
    cr_expect_str_eq(etr_steadiness_text(&arena, &profile, &method, ETR_UNIT_MS), cases[i].text);
    etr_arena_clear(&arena);
  }
}

Test(steadiness, each_phase_has_its_sentence) {
  static const etr_run_phase phases[] = {
      {.name = "prefill",
       .noise = {.verdict = ETR_NOISE_STEADY,
                 .run_count = 10,
                 .outliers = 1,
                 .least_outlier = 2,
                 .most_outlier = 2}},
      {.name = "steady", .noise = {.verdict = ETR_NOISE_STEADY}},
      {.name = "decode", .noise = {.verdict = ETR_NOISE_STEP, .change = .12, .from_run = 26}}};
  const etr_method method = {.noise = {.verdict = ETR_NOISE_NOISY, .outliers = 3, .run_count = 40},
                             .run_phases = phases,
                             .run_phase_count = 3,
                             .mixed_phase_count = 3};
  etr_arena arena = {0};
  cr_expect_str_eq(etr_steadiness_text(&arena, &profile, &method, ETR_UNIT_MS),
                   "prefill: steady but for 1 of 10 runs, 2.0" TIMES
                   " the typical run; decode: 12 % slower from run 26 on");
  etr_arena_clear(&arena);
}

/* The head has both times if the typical one is of neither mode: further from both than a tenth of
 * the mode and than a quarter of the gap. */
Test(steadiness, of_two_modes_both_times_are_written) {
  static const struct {
    double fast, slow, typical;
    size_t phases;
    bool is_between;
    const char *text;
  } cases[] = {
      {1.05e6, 8.4e6, 4e6, 0, true, "1.05 or 8.40 ms"},
      {1.05e6, 8.4e6, 2e6, 0, false, "2.00 ms"}, /* as good as the fast mode: within the gap */
      {1.05e6, 8.4e6, 7e6, 0, false, "7.00 ms"},
      {25.5e6, 37e6, 30.9e6, 0, true, "25.5 or 37.0 ms"},
      {25.5e6, 37e6, 28.3e6, 0, false, "28.3 ms"},
      {10e6, 11e6, 10.5e6, 0, false, "10.5 ms"}, /* within a tenth */
      {1.05e6, 8.4e6, 4e6, 2, false, "4.00 ms"}, /* the phases have their own */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    etr_arena arena = {0};
    etr_text text;
    etr_writer writer;
    const etr_method method = {.noise = {.verdict = ETR_NOISE_TWO_MODES,
                                         .modes = {{41, cases[i].fast}, {9, cases[i].slow}}},
                               .mixed_phase_count = cases[i].phases,
                               .execute = {.count = 50, .typical = cases[i].typical}};
    etr_text_begin(&text, &arena, &writer);
    etr_put_execute(&writer, &profile, &method, ETR_UNIT_MS);
    cr_expect_str_eq(etr_text_end(&text, &writer), cases[i].text);
    cr_expect_eq(etr_is_between_modes(&method), cases[i].is_between, "%zu", i);
    etr_arena_clear(&arena);
  }
}

/* Slow runs are counted once: by the finding about them. */
Test(steadiness, outliers_give_way_to_slow_runs) {
  static const struct {
    size_t slow_runs;
    const char *text;
  } cases[] = {
      {0, "noisy, with 2 outliers in 59 runs, 4.0" TIMES " the typical run"},
      {2, "noisy, with 2 outliers in 59 runs, 4.0" TIMES " the typical run"},
      {26, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    etr_arena arena = {0};
    const etr_method method = {.noise = {.verdict = ETR_NOISE_NOISY,
                                         .run_count = 59,
                                         .outliers = 2,
                                         .least_outlier = 4,
                                         .most_outlier = 4},
                               .slow_runs = {.run_count = cases[i].slow_runs},
                               .execute = {.p50 = 1e6, .typical = 1e6}};
    cr_expect_str_eq(etr_steadiness_text(&arena, &profile, &method, ETR_UNIT_MS), cases[i].text);
    etr_arena_clear(&arena);
  }
}

/* Recordings whose own typical times differ by more than a quarter are told: each of up to four, of
 * more the least and the most. */
Test(steadiness, recordings_that_differ_have_their_own_times) {
  static const uint64_t ticks[] = {36200000, 25500000, 30000000, 30000000, 26000000};
  static const struct {
    size_t from, count, phases;
    const char *text;
  } cases[] = {
      {0, 1, 0, ""},
      {0, 2, 0, "recordings: 36.2 and 25.5 ms"},
      {0, 2, 2, ""}, /* of two phases */
      {0, 4, 0, "recordings: 36.2, 25.5, 30.0 and 30.0 ms"},
      {0, 5, 0, "recordings: 25.5 \xE2\x80\x93 36.2 ms"},
      {1, 4, 0, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    etr_arena arena = {0};
    /* Each recording has two runs, of which the second is not among the typical ones. */
    uint64_t of_runs[10];
    uint32_t numbers[10];
    double weights[10];
    etr_run runs[10] = {{.dump = 0}};
    for (uint32_t k = 0; k < 10; k++) {
      numbers[k] = k;
      runs[k].dump = k / 2;
      of_runs[k] = k % 2 ? 90000000 : ticks[ETR_MIN(cases[i].from + k / 2, 4)];
      weights[k] = k % 2 ? 0 : 1;
    }
    const etr_profile of_dumps = {.ticks_per_second = 1e9, .runs = runs, .run_count = 10};
    const etr_method method = {.runs = numbers,
                               .run_count = 2 * cases[i].count,
                               .execute_per_run = of_runs,
                               .mixed_phase_count = cases[i].phases,
                               .typical = {weights, (double)cases[i].count}};
    cr_expect_str_eq(etr_recordings_text(&arena, &of_dumps, &method, ETR_UNIT_MS), cases[i].text,
                     "%zu", i);
    etr_arena_clear(&arena);
  }
}
