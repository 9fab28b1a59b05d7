/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_noise.c - intervals and verdicts of single changes and of many rows. The bounds were
 * computed from the formulas of etrecord_compare.h with numpy and scipy.
 */
#include "base/stats.h"
#include "compare/compare_side.h"
#include "compare/noise.h"

#include <criterion/criterion.h>
#include <math.h>

static bool is_near(double a, double b) {
  return a == b || fabs(a - b) <= 1e-8 * fmax(1, fabs(b));
}

enum { MOST_RECORDINGS = 6, MOST_RUNS = 24 };

/* Ticks of the runs of each recording, ended by 0. */
typedef uint64_t recordings[MOST_RECORDINGS][MOST_RUNS];

/* A side: its time, and what only the verdict on a method needs. */
typedef struct made_side {
  etr_side_time time;
  etr_side_recordings recordings;
  etr_arena arena;
} made_side;

static made_side side_of(const recordings runs, double step) {
  made_side made = {0};
  uint64_t *ticks = etr_arena_alloc_array(&made.arena, MOST_RECORDINGS * MOST_RUNS, sizeof *ticks);
  uint32_t *recording_of = etr_arena_alloc_array(&made.arena, MOST_RECORDINGS * MOST_RUNS,
                                                 sizeof *recording_of);
  etr_side_runs side;
  size_t count = 0;
  cr_assert(ticks && recording_of);
  for (uint32_t r = 0; r < MOST_RECORDINGS; r++)
    for (size_t i = 0; i < MOST_RUNS && runs[r][i] > 0; i++) {
      recording_of[count] = r;
      ticks[count++] = runs[r][i];
    }
  cr_assert(etr_side_runs_of(&side, ticks, recording_of, count, &made.arena));
  cr_assert(etr_side_time_of_ticks(&made.time, ticks, &side, step, &made.arena));
  cr_assert(etr_side_recordings_of(&made.recordings, &side, NULL, 0, &made.arena));
  for (size_t i = 0; i < ETR_MIN(count, ETR_COUNT(made.recordings.first)); i++)
    made.recordings.first[i] = (double)ticks[i];
  made.recordings.first_count = ETR_MIN(count, ETR_COUNT(made.recordings.first) + 1);
  return made;
}

static etr_side_time time_of(const recordings runs, double step) {
  made_side made = side_of(runs, step);
  etr_arena_clear(&made.arena);
  return made.time;
}

/* ---- Times of a side ---- */

Test(noise, a_side_has_the_statistics_of_its_recordings) {
  static const struct {
    recordings runs;
    double typical, p50, low, high;
    size_t recordings;
    double center, spread; /* exp(mean) and standard deviation of the logarithms of typical times */
  } cases[] = {
      {{{7}}, 7, 7, 7, 7, 1, 7, 0},
      {{{30, 10, 20}}, 20, 20, 10, 30, 1, 20, 0},
      {{{10, 20, 30, 100}}, 25, 25, 10, 100, 1, 25, 0},
      /* Of eleven runs three are left out at either end; the middle 80 % leave out one. */
      {{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, 6, 6, 2, 10, 1, 6, 0},
      {{{1, 2, 3, 4, 8, 8, 8, 8, 9, 10, 11}}, 7.2, 8, 2, 10, 1, 7.2, 0},
      {{{100}, {200}, {400}}, 700. / 3, 200, 100, 400, 3, 200, 0.69314718055994529},
      {{{90, 100, 1000}, {400, 400}}, 250, 400, 90, 1000, 2, 200, 0.98025814346854720},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_side_time time = time_of(cases[i].runs, 1);
    cr_expect(is_near(time.typical, cases[i].typical), "case %zu: %.17g", i, time.typical);
    cr_expect_eq(time.p50, cases[i].p50, "case %zu: %g", i, time.p50);
    cr_expect(time.low == cases[i].low && time.high == cases[i].high, "case %zu: %g %g", i,
              time.low, time.high);
    cr_expect_eq(time.recordings, cases[i].recordings, "case %zu", i);
    cr_expect(is_near(time.typical * exp(time.offset), cases[i].center), "case %zu: %.17g", i,
              time.offset);
    cr_expect(is_near(time.spread, cases[i].spread), "case %zu: %.17g", i, time.spread);
  }
}

/* A sum over all runs of a method counts runs without the node as 0. */
Test(noise, runs_without_time_count_as_zero) {
  enum { RUNS = 6 };
  static const uint32_t recording_of[RUNS] = {0, 0, 0, 1, 1, 1};
  static const struct {
    etr_run_ticks added[RUNS];
    size_t count;
    double typical, p50, low, high;
    bool has_center;
  } cases[] = {
      {{{0, 5}, {1, 5}, {2, 5}, {3, 9}, {4, 9}, {5, 9}}, 6, 7, 7, 5, 9, true},
      /* Runs 1 and 4 are the typical ones. */
      {{{5, 9}, {4, 9}, {1, 5}, {0, 5}}, 4, 7, 5, 0, 9, true},
      {{{0, 5}, {2, 5}, {3, 9}, {5, 9}}, 4, 0, 5, 0, 9, false},
      {{{0, 5}, {1, 5}, {3, 9}}, 3, 2.5, 2.5, 0, 9, false}, /* not in a typical run of a recording
                                                             */
      {{{3, 4}}, 1, 0, 0, 0, 4, false},
  };
  static const uint64_t ticks[RUNS] = {10, 20, 30, 10, 20, 30};
  etr_arena arena = {0};
  etr_side_runs runs;
  cr_assert(etr_side_runs_of(&runs, ticks, recording_of, RUNS, &arena));
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena scratch = {0};
    etr_run_sums sums;
    etr_side_time time;
    cr_assert(etr_run_sums_init(&sums, &runs, &scratch));
    etr_run_sums_begin(&sums);
    cr_assert(etr_run_sums_add(&sums, cases[i].added, cases[i].count));
    cr_assert(etr_run_sums_end(&sums, &time, true, 1));
    cr_expect_eq(time.runs, RUNS, "case %zu", i);
    cr_expect_eq(time.typical, cases[i].typical, "case %zu: %g", i, time.typical);
    cr_expect_eq(time.p50, cases[i].p50, "case %zu: %g", i, time.p50);
    cr_expect(time.low == cases[i].low && time.high == cases[i].high, "case %zu: %g %g", i,
              time.low, time.high);
    cr_expect_eq(isnan(time.offset), !cases[i].has_center, "case %zu: %g", i, time.offset);
    etr_arena_clear(&scratch);
  }
  etr_arena_clear(&arena);
}

/* ---- One change ---- */

/* Judges a method's time by itself. `uninterrupted` is the logarithm of its change without
 * interruptions; 0: there are none. */
static etr_change judge_with(const recordings base, const recordings newer, double step,
                             const etr_compare_options *options, etr_turns turns,
                             double uninterrupted) {
  static const etr_compare_options defaults = {0};
  made_side old = side_of(base, step), now = side_of(newer, step);
  etr_change change = {
      .base_typical = old.time.typical, .new_typical = now.time.typical, .low = NAN, .high = NAN};
  etr_arena scratch = {0};
  etr_noise_test test = {.base = old.time,
                         .newer = now.time,
                         .change = &change,
                         .base_recordings = &old.recordings,
                         .new_recordings = &now.recordings,
                         .base_scale = 1,
                         .uninterrupted_low = uninterrupted,
                         .uninterrupted_high = uninterrupted};
  const etr_noise_rules rules = {options ? options : &defaults, turns, &scratch, ETR_NOISE_LEVEL,
                                 false};
  cr_assert(etr_noise_judge(&test, &rules));
  etr_arena_clear(&old.arena);
  etr_arena_clear(&now.arena);
  etr_arena_clear(&scratch);
  return change;
}

static etr_change judge_in(const recordings base, const recordings newer, double step,
                           const etr_compare_options *options, etr_turns turns) {
  return judge_with(base, newer, step, options, turns, 0);
}

static etr_change judge(const recordings base, const recordings newer, double step,
                        const etr_compare_options *options) {
  return judge_in(base, newer, step, options, ETR_TURNS_UNKNOWN);
}

#define TEN 100, 101, 102, 103, 104, 105, 106, 107, 108, 109

Test(noise, one_change_is_judged_by_its_interval) {
  static const struct {
    recordings base, newer;
    double step, low, high; /* the interval; NaN: none */
    etr_verdict verdict;
    etr_reason reason;
    size_t needed;
  } cases[] = {
      /* Rule R */
      {{{1000}, {1010}, {1020}},
       {{1050}, {1060}, {1070}},
       1,
       0.0234639063007,
       0.0762150631177,
       ETR_VERDICT_SLOWER,
       ETR_REASON_NONE,
       0},
      {{{1050}, {1060}, {1070}},
       {{1000}, {1010}, {1020}},
       1,
       -0.0708176885175,
       -0.0229259734088,
       ETR_VERDICT_FASTER,
       ETR_REASON_NONE,
       0},
      {{{1000}, {1000}, {1000}},
       {{1000}, {1000}, {1000}},
       1,
       -0.000999500166625,
       0.00100050016671,
       ETR_VERDICT_CANNOT_TELL,
       ETR_REASON_CLOCK,
       0},
      {{{1000}, {1000}, {1000}},
       {{1100}, {1100}, {1100}},
       100,
       -0.00467884016044,
       0.215688009883,
       ETR_VERDICT_CANNOT_TELL,
       ETR_REASON_CLOCK,
       0}, /* a clock of 100 ticks */
      {{{1000, 1002, 1004}, {1010, 1030}, {990}},
       {{2000}, {2500}, {2200}, {2300, 2301}},
       1,
       0.921966127499,
       1.59692659112,
       ETR_VERDICT_SLOWER,
       ETR_REASON_NONE,
       0},
      {{{1000}, {1001}, {1002}, {1003}, {1004}},
       {{1000}, {1100}, {1200}, {1300}, {1400}},
       1,
       0.00820232338647,
       0.402735718639,
       ETR_VERDICT_SLOWER,
       ETR_REASON_NONE,
       0},
      {{{1000}, {1100}, {1200}},
       {{1050}, {1150}, {1350}},
       1,
       -0.195307147271,
       0.430434053372,
       ETR_VERDICT_CANNOT_TELL,
       ETR_REASON_SPREAD,
       40},
      /* Rule S */
      {{{TEN}},
       {{130, 131, 132, 133, 134, 135, 136, 137, 138, 139}},
       1,
       0.172194435947,
       0.413529930082,
       ETR_VERDICT_LIKELY_SLOWER,
       ETR_REASON_ONE_RECORDING,
       3},
      {{{100, 101, 102, 103, 104}, {105, 106, 107, 108, 109}},
       {{130, 131, 132, 133, 134, 135, 136, 137, 138, 139}},
       1,
       0.174197426549,
       0.411124264713,
       ETR_VERDICT_LIKELY_SLOWER,
       ETR_REASON_ONE_RECORDING,
       3}, /* two recordings that differ by 3.4 %, where 3 % is assumed */
      {{{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 500}},
       {{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}},
       1,
       -0.0801441589296,
       0.0871268685279,
       ETR_VERDICT_CANNOT_TELL,
       ETR_REASON_ONE_RECORDING,
       3},
      {{{100, 100, 100, 100, 100, 100, 200, 200, 200, 200, 200}},
       {{200, 200, 200, 200, 200, 200, 100, 100, 100, 100, 100}},
       1,
       -0.370192451646,
       0.725956529084,
       ETR_VERDICT_CANNOT_TELL,
       ETR_REASON_ONE_RECORDING,
       3}, /* two modes */
      {{{5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000}},
       {{7000, 7000, 7000, 7000, 7000, 7000, 7000, 7000, 7000, 7000}},
       1000,
       0.146223054309,
       0.709963861424,
       ETR_VERDICT_LIKELY_SLOWER,
       ETR_REASON_ONE_RECORDING,
       3},
      {{{TEN}},
       {{200, 200, 200, 200, 200, 200, 200, 200, 200}},
       1,
       NAN,
       NAN,
       ETR_VERDICT_CANNOT_TELL,
       ETR_REASON_FEW_RUNS,
       3}, /* nine runs */
      {{{TEN}},
       {{3, 3, 3, 3, 3, 3, 3, 3, 3, 3}},
       10,
       NAN,
       NAN,
       ETR_VERDICT_FASTER,
       ETR_REASON_NONE,
       0}, /* obvious, although below the clock's step */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_change got = judge(cases[i].base, cases[i].newer, cases[i].step, NULL);
    cr_expect_eq(got.verdict, cases[i].verdict, "case %zu: %s", i, etr_verdict_name(got.verdict));
    cr_expect_eq(got.reason, cases[i].reason, "case %zu: %s", i, etr_reason_name(got.reason));
    cr_expect_eq(got.recordings_needed, cases[i].needed, "case %zu: %zu", i, got.recordings_needed);
    if (!isnan(cases[i].low))
      cr_expect(is_near(got.low, cases[i].low) && is_near(got.high, cases[i].high),
                "case %zu: %.12g %.12g", i, got.low, got.high);
    if (got.reason == ETR_REASON_FEW_RUNS)
      cr_expect(isnan(got.low) && isnan(got.high), "case %zu", i);
  }
}

Test(noise, a_change_within_the_limit_is_equal) {
  static const struct {
    recordings newer;
    double limit;
    etr_verdict verdict;
    size_t needed;
  } cases[] = {
      {{{1000}, {1010}, {1020}}, 0.05, ETR_VERDICT_EQUAL, 0},
      {{{1000}, {1010}, {1020}}, 0.01, ETR_VERDICT_CANNOT_TELL, 16},
      {{{1050}, {1060}, {1070}},
       0.2,
       ETR_VERDICT_SLOWER,
       0}, /* within the limit, and surely slower */
      {{{1050}, {1060}, {1070}},
       0.06,
       ETR_VERDICT_SLOWER,
       15}, /* but not whether by more than 6 % */
      {{{1050}, {1060}, {1070}}, 0.02, ETR_VERDICT_SLOWER, 0},
  };
  static const recordings base = {{1000}, {1011}, {1020}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_compare_options options = {.limit = cases[i].limit};
    etr_change got = judge(base, cases[i].newer, 1, &options);
    cr_expect_eq(got.verdict, cases[i].verdict, "case %zu: %s %g %g", i,
                 etr_verdict_name(got.verdict), got.low, got.high);
    cr_expect_eq(got.recordings_needed, cases[i].needed, "case %zu: %zu", i, got.recordings_needed);
  }
}

/* If recordings are known to differ by 1 %, intervals are smaller than with 3 %. */
Test(noise, smaller_recording_noise_gives_smaller_intervals) {
  static const recordings base = {{TEN}},
                          newer = {{110, 111, 112, 113, 114, 115, 116, 117, 118, 119}};
  const etr_compare_options quiet = {.recording_noise = 0.01};
  cr_expect_eq(judge(base, newer, 1, NULL).verdict, ETR_VERDICT_CANNOT_TELL);
  cr_expect_eq(judge(base, newer, 1, &quiet).verdict, ETR_VERDICT_LIKELY_SLOWER);
}

/* Where recordings of one side differ by more than is assumed, so may those of the other. */
Test(noise, recordings_that_differ_widen_an_interval_by_runs) {
  static const recordings alike = {{TEN}, {TEN}},
                          apart = {{TEN}, {150, 151, 152, 153, 154, 155, 156, 157, 158, 159}},
                          newer = {{300, 303, 306, 309, 312, 315, 318, 321, 324, 327}};
  const etr_compare_options given = {.recording_noise = 0.03};
  double narrow = judge(alike, newer, 1, NULL).low, wide = judge(apart, newer, 1, NULL).low,
         as_given = judge(apart, newer, 1, &given).low;
  cr_expect(narrow > 1.7 && wide < 0.5, "%g %g", narrow, wide);
  cr_expect(as_given > wide, "%g", as_given);
  cr_expect(is_near(judge(apart, newer, 1, NULL).recording_noise, log(154.5 / 104.5) / sqrt(2)));
}

/* ---- Interruptions ---- */

/* The change without them is in the interval; alone they make no verdict. */
Test(noise, interruptions_alone_are_no_change) {
  static const recordings base = {{3000}, {3010}, {3020}}, newer = {{1000}, {1010}, {1020}};
  static const struct {
    double uninterrupted; /* times as long; 1: without any */
    etr_verdict verdict;
    double high;
  } cases[] = {
      {1, ETR_VERDICT_FASTER, -0.66},
      {0.8, ETR_VERDICT_FASTER, -0.2},
      {1.1, ETR_VERDICT_CANNOT_TELL, 0.1},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_change got = judge_with(base, newer, 1, NULL, ETR_TURNS_YES, log(cases[i].uninterrupted));
    cr_expect_eq(got.verdict, cases[i].verdict, "case %zu: %s", i, etr_verdict_name(got.verdict));
    cr_expect(fabs(got.high - cases[i].high) < 0.01, "case %zu: %g", i, got.high);
  }
}

/* ---- The obvious ---- */

Test(noise, the_obvious_is_sure) {
  static const struct {
    recordings base, newer;
    double limit;
    etr_verdict verdict; /* CANNOT_TELL: it is not obvious, and a side has few runs */
  } cases[] = {
      {{{100, 110, 120, 130}}, {{520, 530, 540, 550}}, 0, ETR_VERDICT_SLOWER},
      {{{520, 530, 540, 550}}, {{100, 110, 120, 130}}, 0, ETR_VERDICT_FASTER},
      {{{100, 110, 120, 130}}, {{519, 530, 540, 550}}, 0, ETR_VERDICT_CANNOT_TELL},
      {{{100}}, {{5000, 5100, 5200, 5300}}, 0, ETR_VERDICT_CANNOT_TELL}, /* one run */
      /* Two runs may both be warm-up: the other side's first two are as long. */
      {{{5000, 5100}}, {{900, 950, 100, 100, 100, 100}}, 0, ETR_VERDICT_FASTER},
      {{{5000, 5100}}, {{4900, 950, 100, 100, 100, 100}}, 0, ETR_VERDICT_CANNOT_TELL},
      /* Of ten runs one at either end is left out. */
      {{{100, 100, 100, 100, 100, 100, 100, 100, 100, 900}},
       {{500, 500, 500, 500, 500, 500, 500, 500, 500, 100}},
       0,
       ETR_VERDICT_SLOWER},
      {{{100, 110, 120, 130}}, {{520, 530, 540, 550}}, 2.5, ETR_VERDICT_SLOWER},
      {{{100, 110, 120, 130}},
       {{520, 530, 540, 550}},
       4.0,
       ETR_VERDICT_CANNOT_TELL}, /* not above */
      {{{520, 530, 540, 550}}, {{100, 110, 120, 130}}, 4.0, ETR_VERDICT_FASTER},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_compare_options options = {.limit = cases[i].limit};
    etr_change got = judge(cases[i].base, cases[i].newer, 1, &options);
    bool is_obvious = cases[i].verdict != ETR_VERDICT_CANNOT_TELL;
    cr_expect_eq(got.verdict, cases[i].verdict, "case %zu: %s", i, etr_verdict_name(got.verdict));
    cr_expect_eq(got.is_obvious, is_obvious, "case %zu", i);
    cr_expect_eq(got.reason, is_obvious ? ETR_REASON_NONE : ETR_REASON_FEW_RUNS, "case %zu: %s", i,
                 etr_reason_name(got.reason));
    cr_expect(isnan(got.low) && isnan(got.high) && got.assumes == 0, "case %zu", i);
  }
}

Test(noise, the_obvious_has_the_bounds_of_its_recordings) {
  const struct {
    recordings base, newer;
    double least, most; /* factors */
  } cases[] = {
      {{{100, 100}, {120, 120}}, {{600, 600}, {900, 900}, {1000, 1000}}, 5, 10},
      {{{6000, 6000}, {9000, 9000}}, {{10, 10}, {30, 30}}, 1 / 900., 1 / 200.},
      /* One recording: 3 % between recordings are assumed, on each side. */
      {{{100, 100}}, {{500, 500}}, 5 * exp(-.12), 5 * exp(.12)},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_change got = judge(cases[i].base, cases[i].newer, 1, NULL);
    cr_expect(got.is_obvious, "case %zu", i);
    cr_expect(is_near(1 + got.least, cases[i].least) && is_near(1 + got.most, cases[i].most),
              "case %zu: %.12g %.12g", i, got.least, got.most);
  }
}

/* ---- Odd recordings ---- */

Test(noise, an_odd_recording_does_not_hide_a_change) {
  static const recordings base = {{1000}, {1005}, {1010}, {1015}, {1300}},
                          newer = {{1100}, {1105}, {1111}, {1116}, {1121}};
  etr_change got = judge(base, newer, 1, NULL);
  made_side side = side_of(base, 1);
  cr_expect_eq(side.recordings.odd_count, 1);
  cr_expect(is_near(side.recordings.odd[0].change, 1300 / 1007.5 - 1));
  cr_expect_eq(side.time.typical, 1007.5);
  etr_arena_clear(&side.arena);
  cr_expect(is_near(got.low, -0.145384615385) && is_near(got.high, 0.115422885572), "%.12g %.12g",
            got.low, got.high);
  /* In another order they are the same recordings. */
  static const recordings in_another_order = {{1121}, {1105}, {1111}, {1116}, {1100}};
  etr_change same = judge(base, in_another_order, 1, NULL);
  cr_expect(same.low == got.low && same.high == got.high, "%.12g %.12g", same.low, same.high);
}

Test(noise, an_odd_recording_of_the_slower_side_does_not_matter) {
  static const recordings base = {{1000}, {1005}, {1010}, {1015}, {1020}, {1025}},
                          newer = {{1100}, {1105}, {1111}, {1116}, {1121}, {1600}};
  etr_change got = judge(base, newer, 1, NULL);
  cr_expect_eq(got.verdict, ETR_VERDICT_SLOWER, "%g %g", got.low, got.high);
}

/* ---- In turns ---- */

Test(noise, recordings_one_side_after_the_other_make_it_likely) {
  static const recordings base = {{1000}, {1010}, {1020}}, newer = {{1050}, {1060}, {1070}};
  static const struct {
    etr_turns turns;
    etr_verdict verdict;
    etr_reason reason;
    unsigned assumes;
  } cases[] = {
      {ETR_TURNS_UNKNOWN, ETR_VERDICT_SLOWER, ETR_REASON_NONE, ETR_ASSUMES_IN_TURNS},
      {ETR_TURNS_YES, ETR_VERDICT_SLOWER, ETR_REASON_NONE, 0},
      {ETR_TURNS_BASE_FIRST, ETR_VERDICT_LIKELY_SLOWER, ETR_REASON_NOT_IN_TURNS, 0},
      {ETR_TURNS_NEW_FIRST, ETR_VERDICT_LIKELY_SLOWER, ETR_REASON_NOT_IN_TURNS, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_change got = judge_in(base, newer, 1, NULL, cases[i].turns);
    cr_expect_eq(got.verdict, cases[i].verdict, "case %zu: %s", i, etr_verdict_name(got.verdict));
    cr_expect_eq(got.reason, cases[i].reason, "case %zu", i);
    cr_expect_eq(got.assumes, cases[i].assumes, "case %zu", i);
  }
}

/* ---- Many changes ---- */

enum { ROWS = 8 };

static const recordings family_base[ROWS] = {{{1000}, {1010}, {1020}}, {{2000}, {2004}, {2100}},
                                             {{500}, {510}, {505}},    {{800}, {790}, {805}},
                                             {{1500}, {1502}, {1504}}, {{3000}, {3100}, {3050}},
                                             {{700}, {701}, {702}},    {{400}, {404}, {408}}};
static const recordings family_new[ROWS] = {{{1100}, {1110}, {1125}}, {{2010}, {2050}, {2060}},
                                            {{503}, {511}, {509}},    {{880}, {905}, {890}},
                                            {{1503}, {1501}, {1508}}, {{3600}, {3500}, {3550}},
                                            {{700}, {702}, {701}},    {{401}, {405}, {409}}};

/* A moderated t of nine degrees of freedom, and the level that is left of three believed changes of
 * eight. */
Test(noise, rows_lend_each_other_strength) {
  static const struct {
    double low, high;
    etr_verdict verdict;
  } wanted[ROWS] = {{0.0714690533, 0.130623814, ETR_VERDICT_SLOWER},
                    {-0.0488754937, 0.057327146, ETR_VERDICT_CANNOT_TELL},
                    {-0.0178880408, 0.0290166609, ETR_VERDICT_CANNOT_TELL},
                    {0.0836434135, 0.151116124, ETR_VERDICT_SLOWER},
                    {-0.00750587468, 0.0102450072, ETR_VERDICT_CANNOT_TELL},
                    {0.120724069, 0.208867517, ETR_VERDICT_SLOWER},
                    {-0.00823706904, 0.00830548187, ETR_VERDICT_CANNOT_TELL},
                    {-0.0224258662, 0.0280109826, ETR_VERDICT_CANNOT_TELL}};
  const etr_compare_options options = {0};
  etr_arena scratch = {0};
  const etr_noise_rules rules = {&options, ETR_TURNS_UNKNOWN, &scratch, ETR_NOISE_LEVEL, false};
  etr_noise_test tests[ROWS];
  etr_change changes[ROWS];
  for (size_t i = 0; i < ROWS; i++)
    tests[i] = (etr_noise_test){.base = time_of(family_base[i], 1e-3),
                                .newer = time_of(family_new[i], 1e-3),
                                .change = &changes[i]};
  for (size_t i = 0; i < ROWS; i++)
    changes[i] = (etr_change){.relative = NAN};
  cr_assert(etr_noise_judge_family(tests, ROWS, &rules));
  for (size_t i = 0; i < ROWS; i++) {
    cr_expect(is_near(changes[i].low, wanted[i].low) && is_near(changes[i].high, wanted[i].high),
              "row %zu: %.9g %.9g", i, changes[i].low, changes[i].high);
    cr_expect_eq(changes[i].verdict, wanted[i].verdict, "row %zu", i);
  }
  etr_arena_clear(&scratch);
}

/* A sum is not slower if the medians of its operators say nothing of it: interruptions of some of
 * them make it so. */
Test(noise, a_change_needs_operators_that_changed) {
  static const struct {
    double base, newer, rounding; /* sums of the operators' medians */
    etr_verdict verdict;
  } cases[] = {{1000, 1110, 0, ETR_VERDICT_SLOWER},      {1000, 1030, 0, ETR_VERDICT_SLOWER},
               {1000, 1020, 0, ETR_VERDICT_CANNOT_TELL}, {1000, 1020, 20, ETR_VERDICT_SLOWER},
               {1000, 900, 0, ETR_VERDICT_CANNOT_TELL},  {1000, 900, 20, ETR_VERDICT_CANNOT_TELL},
               {1000, 0, 0, ETR_VERDICT_CANNOT_TELL},    {0, 0, 0, ETR_VERDICT_SLOWER},
               {10, 11.1, 0, ETR_VERDICT_CANNOT_TELL},   {10, 11.1, 60, ETR_VERDICT_SLOWER}};
  const etr_compare_options options = {0};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena scratch = {0};
    const etr_noise_rules rules = {&options, ETR_TURNS_UNKNOWN, &scratch, ETR_NOISE_LEVEL, false};
    etr_change change = {.relative = NAN};
    etr_noise_test test = {.base = time_of(family_base[0], 1e-3),
                           .newer = time_of(family_new[0], 1e-3),
                           .change = &change};
    test.base.steady = cases[i].base;
    test.newer.steady = cases[i].newer;
    test.base.rounding = test.newer.rounding = cases[i].rounding;
    cr_assert(etr_noise_judge_family(&test, 1, &rules));
    cr_expect_eq(change.verdict, cases[i].verdict, "case %zu", i);
    cr_expect_eq(change.reason == ETR_REASON_SPREAD, change.verdict == ETR_VERDICT_CANNOT_TELL,
                 "case %zu", i);
    etr_arena_clear(&scratch);
  }
}

/* What the clock cannot tell from none on one side is judged where the other side is far above a
 * step: of three recordings, which are then as one. */
Test(noise, a_time_that_is_gone_is_judged) {
  static const recordings few = {{3, 4, 3, 4, 3}, {3, 4, 3, 4, 3}, {3, 4, 3, 4, 3}},
                          many = {{900, 1000, 1100, 1000, 950},
                                  {900, 1000, 1100, 1000, 950},
                                  {900, 1000, 1100, 1000, 950}},
                          none = {{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}};
  static const struct {
    const recordings *base, *newer;
    etr_verdict verdict;
  } cases[] = {{&many, &none, ETR_VERDICT_LIKELY_FASTER},
               {&none, &many, ETR_VERDICT_LIKELY_SLOWER},
               {&few, &none, ETR_VERDICT_CANNOT_TELL},
               {&none, &none, ETR_VERDICT_CANNOT_TELL}};
  const etr_compare_options options = {0};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena scratch = {0};
    const etr_noise_rules rules = {&options, ETR_TURNS_UNKNOWN, &scratch, ETR_NOISE_LEVEL, false};
    etr_change change = {.relative = NAN};
    etr_noise_test test = {.base = time_of(*cases[i].base, 4),
                           .newer = time_of(*cases[i].newer, 4),
                           .change = &change};
    cr_assert(etr_noise_judge_family(&test, 1, &rules));
    cr_expect_eq(change.verdict, cases[i].verdict, "case %zu: %s", i,
                 etr_verdict_name(change.verdict));
    cr_expect_eq(change.reason, ETR_REASON_CLOCK, "case %zu: %s", i,
                 etr_reason_name(change.reason));
    etr_arena_clear(&scratch);
  }
}

/* One of a hundred rows may change by as much by chance; a hundred of a hundred may not. */
Test(noise, one_row_of_many_needs_a_larger_change) {
  enum { COUNT = 100 };
  static const struct {
    size_t changed;
    uint64_t newer;
    bool is_told;
  } cases[] = {{1, 114, false}, {1, 130, true}, {100, 114, true}, {0, 114, false}};
  const etr_compare_options options = {0};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena scratch = {0};
    const etr_noise_rules rules = {&options, ETR_TURNS_UNKNOWN, &scratch, ETR_NOISE_LEVEL, false};
    etr_noise_test tests[COUNT];
    etr_change changes[COUNT];
    for (size_t k = 0; k < COUNT; k++) {
      recordings base = {{0}}, newer = {{0}};
      for (size_t run = 0; run < 10; run++)
        base[0][run] = 100;
      for (size_t run = 0; run < 10; run++)
        newer[0][run] = k < cases[i].changed ? cases[i].newer : 100;
      tests[k] = (etr_noise_test){
          .base = time_of(base, 1e-3), .newer = time_of(newer, 1e-3), .change = &changes[k]};
      changes[k] = (etr_change){.relative = NAN};
    }
    cr_assert(etr_noise_judge_family(tests, COUNT, &rules));
    for (size_t k = 0; k < COUNT; k++)
      cr_expect_eq(changes[k].verdict == ETR_VERDICT_LIKELY_SLOWER,
                   k < cases[i].changed && cases[i].is_told, "case %zu, row %zu: %g %g", i, k,
                   changes[k].low, changes[k].high);
    etr_arena_clear(&scratch);
  }
}

/* Any recorded times give a verdict, and an interval never has a bound that is NaN. */
Test(noise, any_times_give_a_verdict) {
  static const recordings odd[] = {{{0}},
                                   {{1}},
                                   {{1}, {1}, {1}},
                                   {{1}, {1}, {1}, {UINT64_MAX}},
                                   {{UINT64_MAX}, {UINT64_MAX}, {UINT64_MAX}},
                                   {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, UINT64_MAX}},
                                   {{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}}};
  for (size_t a = 0; a < ETR_COUNT(odd); a++)
    for (size_t b = 0; b < ETR_COUNT(odd); b++) {
      etr_change got = judge(odd[a], odd[b], 1, NULL);
      bool is_told = got.verdict == ETR_VERDICT_SLOWER || got.verdict == ETR_VERDICT_FASTER;
      cr_expect(is_told || got.reason != ETR_REASON_NONE, "%zu and %zu", a, b);
      cr_expect_eq(isnan(got.low), isnan(got.high), "%zu and %zu", a, b);
      cr_expect(isnan(got.low) || got.low <= got.high, "%zu and %zu: %g %g", a, b, got.low,
                got.high);
      cr_expect(!is_told || got.is_obvious ||
                    (got.verdict == ETR_VERDICT_SLOWER ? got.low > 0 : got.high < 0),
                "%zu and %zu", a, b);
    }
}

Test(noise, the_step_of_a_clock_divides_all_times) {
  static const struct {
    uint64_t durations[4];
    double step;
  } cases[] = {{{0, 0, 0, 0}, 1},         {{1, 2, 3, 4}, 1},      {{5000, 3000, 0, 7000}, 1000},
               {{42, 84, 126, 168}, 1},   {{20, 30, 0, 110}, 10}, {{3000000000, 0, 0, 0}, 1000000},
               {{UINT64_MAX, 1, 0, 0}, 1}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint64_t divisor = 0;
    for (size_t k = 0; k < 4; k++)
      divisor = etr_common_divisor(cases[i].durations[k], divisor);
    cr_expect_eq(etr_noise_step(divisor), cases[i].step, "case %zu: %g", i,
                 etr_noise_step(divisor));
  }
}
