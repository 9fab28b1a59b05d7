/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Words of a comparison: changes have the digits that their intervals support, and the sentence on
 * what changed begins with what changed most.
 */
#include "tables/diff_output.h"

#include <criterion/criterion.h>
#include <math.h>

Test(diff_words, a_change_has_the_digits_that_its_interval_supports) {
  static const struct {
    double relative, low, high; /* low, high: of an obvious change least and most */
    bool is_obvious;
    const char *size, *percent;
  } cases[] = {
      {.062, .048, .076, false, "6.2 % slower", "+6.2 %"},
      {-.4, -.5, -.3, false, "40 % faster", "-40 %"},
      {.9, .1, 2.3, false, "90 % slower", "+90 %"},
      {2.14, 2.12, 2.16, false, "214.0 % slower", "+214.0 %"},
      {-.68, -.682, -.678, false, "68.00 % faster", "-68.00 %"},
      {-.985, -.987, -.983, true, "about 67 times faster", "-98.5 %"},
      /* 966 times, and 15 % more or less of it. */
      {965, 820, 1110, true, "about 1000 times slower", "+96500 %"},
      {-1 + 1 / 966., -1 + 1 / 1110., -1 + 1 / 820., true, "about 1000 times faster", "-99.9 %"},
      {965, 955, 975, true, "about 970 times slower", "+96500 %"},
      {.999 * 9, 8.98, 9, true, "about 10 times slower", "+899 %"},
      {4.3, 3.1, 5.6, false, "430 % slower", "+430 %"},
      /* Bounds that are far apart say more than what is between them. */
      {2.9, .19, 11.7, false, "290 % slower", "+290 %"},
      {-.744, -.92, -.16, false, "74 % faster", "-74 %"},
      {503, 172, 1052, true, "about 170-1100 times slower", "+50300 %"},
      {122.13, 40, 480, false, "12000 % slower", "+12000 %"},
      /* An open bound. */
      {2.9, .19, INFINITY, false, "290 % slower", "+290 %"},
      {-.744, -1, -.16, false, "74.4 % faster", "-74.4 %"},
  };
  const etr_comparison comparison = {.base_scale = 1};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_diff_output o = {.comparison = &comparison};
    bool is_obvious = cases[i].is_obvious, is_slower = cases[i].relative > 0;
    const etr_change change = {.relative = cases[i].relative,
                               .low = is_obvious ? (double)NAN : cases[i].low,
                               .high = is_obvious ? (double)NAN : cases[i].high,
                               .least = is_obvious ? cases[i].low : (double)NAN,
                               .most = is_obvious ? cases[i].high : (double)NAN,
                               .is_obvious = is_obvious,
                               .verdict = is_slower ? ETR_VERDICT_SLOWER : ETR_VERDICT_FASTER};
    const char *size = etr_diff_size_text(&o, &change), *percent = etr_diff_percent(&o, &change);
    cr_expect_str_eq(size, cases[i].size, "case %zu: %s", i, size);
    cr_expect_str_eq(percent, cases[i].percent, "case %zu: %s", i, percent);
    etr_arena_clear(&o.answer.arena);
  }
}

Test(diff_words, a_factor_of_single_recordings_is_a_whole_number_from_3_on) {
  static const struct {
    double factor, least, most;
    size_t recordings; /* of the newer side; the base has 3 */
    const char *size;
  } cases[] = {
      {2.44, 2.4, 2.5, 1, "about 2.4 times slower"},
      {2.96, 2.9, 3.1, 1, "about 3.0 times slower"},
      {3.04, 3, 3.1, 1, "about 3 times slower"},
      {7.23, 6.6, 7.8, 1, "about 7 times slower"},
      {7.23, 6.6, 7.8, 3, "about 7.2 times slower"},
      {9.46, 8.2, 9.9, 1, "about 9 times slower"},
      {9.7, 8.2, 10.9, 1, "about 10 times slower"},
      {12.7, 10.1, 16, 1, "about 13 times slower"},
      {66.3, 60, 72, 1, "about 66 times slower"},
      {5.9, 4.3, 9.6, 1, "about 4-10 times slower"},
      {5.9, 4.3, 9.6, 3, "about 4.3-9.6 times slower"},
  };
  const etr_comparison comparison = {.base_scale = 1};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_diff_output o = {.comparison = &comparison};
    const etr_change change = {.relative = cases[i].factor - 1,
                               .low = NAN,
                               .high = NAN,
                               .least = cases[i].least - 1,
                               .most = cases[i].most - 1,
                               .is_obvious = true,
                               .base_recordings = 3,
                               .new_recordings = cases[i].recordings,
                               .verdict = ETR_VERDICT_SLOWER};
    const char *size = etr_diff_size_text(&o, &change);
    cr_expect_str_eq(size, cases[i].size, "case %zu: %s", i, size);
    etr_arena_clear(&o.answer.arena);
  }
}

Test(diff_words, few_recordings_do_not_show_how_many_would_decide) {
  static const struct {
    size_t base, newer, needed;
    const char *text;
  } cases[] = {
      {3, 8, 6, "record more; from 4 on each side on it is known how many would decide"},
      {4, 4, 25, "about 25 recordings on each side, in all, would decide in 4 of 5 cases"},
      {3, 3, 0, "it would take more than 50 recordings on each side"},
  };
  const etr_comparison comparison = {.base_scale = 1};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_diff_output o = {.comparison = &comparison};
    const etr_change change = {.reason = ETR_REASON_SPREAD,
                               .verdict = ETR_VERDICT_CANNOT_TELL,
                               .base_recordings = cases[i].base,
                               .new_recordings = cases[i].newer,
                               .recordings_needed = cases[i].needed};
    const char *text = etr_diff_reason_text(&o, &change), *said = strstr(text, ": ");
    cr_expect(said && strcmp(said + 2, cases[i].text) == 0, "case %zu: %s", i, text);
    etr_arena_clear(&o.answer.arena);
  }
}

Test(diff_words, a_bound_of_ten_times_is_not_shown_where_the_runs_cannot_tell) {
  static const struct {
    double low, high;
    etr_verdict verdict;
    const char *interval, *verdict_text;
  } cases[] = {
      {-.4, 1.3, ETR_VERDICT_CANNOT_TELL, "-40 \xE2\x80\xA6 +130 %",
       "cannot tell: +40 % (between -40 and +130 %)"},
      {-.7, 90200, ETR_VERDICT_CANNOT_TELL, "-70 \xE2\x80\xA6 %",
       "cannot tell: +40 % (above -70 %)"},
      {-.95, 1.3, ETR_VERDICT_CANNOT_TELL, " \xE2\x80\xA6 +130 %",
       "cannot tell: +40 % (below +130 %)"},
      {-.95, 90200, ETR_VERDICT_CANNOT_TELL, "", "cannot tell: +40 %"},
      {-1, INFINITY, ETR_VERDICT_CANNOT_TELL, "", "cannot tell: +40.0 %"},
      {.1, 12, ETR_VERDICT_SLOWER, "+10 \xE2\x80\xA6 +1200 %",
       "40 % slower (between 10 and 1200 %)"},
  };
  const etr_comparison comparison = {.base_scale = 1};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_diff_output o = {.comparison = &comparison};
    const etr_change change = {
        .relative = .4, .low = cases[i].low, .high = cases[i].high, .verdict = cases[i].verdict};
    const char *interval = etr_diff_interval_text(&o, &change),
               *verdict = etr_diff_verdict_text(&o, &change);
    cr_expect_str_eq(interval, cases[i].interval, "case %zu: %s", i, interval);
    cr_expect_str_eq(verdict, cases[i].verdict_text, "case %zu: %s", i, verdict);
    etr_arena_clear(&o.answer.arena);
  }
}

/* An operator with its times in ms on both sides, and its nodes. */
static etr_node_group operator_of(const char *key, double base, double newer, size_t base_nodes,
                                  size_t new_nodes) {
  etr_verdict verdict = newer > base ? ETR_VERDICT_SLOWER : ETR_VERDICT_FASTER;
  if (base_nodes == 0)
    verdict = ETR_VERDICT_NEW;
  if (new_nodes == 0)
    verdict = ETR_VERDICT_GONE;
  return (etr_node_group){
      .key = key,
      .base_nodes = base_nodes,
      .new_nodes = new_nodes,
      .change = {.base_typical = 1e6 * base, .new_typical = 1e6 * newer, .verdict = verdict}};
}

Test(diff_words, a_sentence_begins_with_what_changed_most) {
  const etr_node_group more_nodes[] = {operator_of("aten.convolution.default", 9.6, 5.3, 47, 49),
                                       operator_of("aten.sub.Tensor", 1.2, 0, 3, 0),
                                       operator_of("aten.mul.Tensor", .3, .9, 3, 4),
                                       operator_of("aten.relu.default", .5, .4, 3, 3)},
                       small_gone[] = {operator_of("aten.convolution.default", 9.6, 5.3, 47, 49),
                                       operator_of("aten.mul.Tensor", .3, .9, 3, 4),
                                       operator_of("aten.sub.Tensor", .1, 0, 3, 0)},
                       many[] = {operator_of("aten.bmm.default", 4, 3, 1, 1),
                                 operator_of("aten.mm.default", 3, 2.1, 1, 1),
                                 operator_of("aten.gelu.default", 0, .8, 0, 1),
                                 operator_of("aten.mul.Tensor", 2, 1.4, 1, 1)};
  etr_node_group undecided[] = {operator_of("aten.linear.default", 8, 5, 1, 1),
                                operator_of("aten.mul.Tensor", 2, 1, 1, 1)};
  undecided[0].change.verdict = undecided[1].change.verdict = ETR_VERDICT_CANNOT_TELL;
  const struct {
    etr_node_groups ops;
    etr_verdict verdict;
    const char *text;
  } cases[] = {
      {{more_nodes, ETR_COUNT(more_nodes)},
       ETR_VERDICT_FASTER,
       "convolution takes 4.3 ms less; sub is gone (-1.2 ms); what replaces it costs 0.6 ms"},
      {{small_gone, ETR_COUNT(small_gone)},
       ETR_VERDICT_FASTER,
       "convolution takes 4.3 ms less; mul takes 0.6 ms more"},
      {{many, ETR_COUNT(many)},
       ETR_VERDICT_FASTER,
       "bmm takes 1.0 ms less; mm takes 0.9 ms less; gelu is new and costs 0.8 ms"},
      {{undecided, ETR_COUNT(undecided)}, ETR_VERDICT_FASTER, "linear takes 3.0 ms less"},
      {{undecided, ETR_COUNT(undecided)}, ETR_VERDICT_CANNOT_TELL, ""},
  };
  const etr_profile profile = {.ticks_per_second = 1e9};
  const etr_comparison comparison = {.base = &profile, .newer = &profile, .base_scale = 1};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_diff_output o = {.comparison = &comparison};
    const etr_method_pair method = {.base_method = ETR_NONE,
                                    .new_method = ETR_NONE,
                                    .ops = cases[i].ops,
                                    .execute = {.base_runs = 20,
                                                .new_runs = 20,
                                                .base_typical = 12e6,
                                                .new_typical = 7e6,
                                                .verdict = cases[i].verdict}};
    const char *text = etr_diff_changes_text(&o, &method, ETR_UNIT_MS);
    cr_expect_str_eq(text, cases[i].text, "case %zu: %s", i, text);
    etr_arena_clear(&o.answer.arena);
  }
}

Test(diff_words, calls_and_copies_are_one_clause_where_both_do_the_same) {
  static const struct {
    double base_calls, base_copies, new_calls, new_copies; /* in ms */
    const char *text;
  } cases[] = {
      {1, 1, 2, 3, "calls and copies cost 3.0 ms more"},
      {1, 1, 3, .5, "calls of delegates cost 2.0 ms more; inserted copies cost 0.5 ms less"},
      {1, 3, 1, 2, "inserted copies cost 1.0 ms less"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_part_time base_parts[] = {{.part = ETR_TIME_INSERTED,
                                         .typical = 1e6 * cases[i].base_copies},
                                        {.part = ETR_TIME_CALL_OVERHEAD,
                                         .typical = 1e6 * cases[i].base_calls}},
                        new_parts[] = {
                            {.part = ETR_TIME_INSERTED, .typical = 1e6 * cases[i].new_copies},
                            {.part = ETR_TIME_CALL_OVERHEAD, .typical = 1e6 * cases[i].new_calls}};
    etr_method base_method = {.parts = base_parts, .part_count = ETR_COUNT(base_parts)},
               new_method = {.parts = new_parts, .part_count = ETR_COUNT(new_parts)};
    const etr_profile base = {.ticks_per_second = 1e9, .methods = &base_method, .method_count = 1},
                      newer = {.ticks_per_second = 1e9, .methods = &new_method, .method_count = 1};
    const etr_comparison comparison = {.base = &base, .newer = &newer, .base_scale = 1};
    etr_diff_output o = {.comparison = &comparison};
    const etr_method_pair method = {.execute = {.base_runs = 20,
                                                .new_runs = 20,
                                                .base_typical = 12e6,
                                                .new_typical = 14e6,
                                                .verdict = ETR_VERDICT_SLOWER}};
    const char *text = etr_diff_changes_text(&o, &method, ETR_UNIT_MS);
    cr_expect_str_eq(text, cases[i].text, "case %zu: %s", i, text);
    etr_arena_clear(&o.answer.arena);
  }
}

/* Runs that are slow as a whole have no interruptions that could be taken away: the fastest run
 * says what the side may take, so that one side alone does not seem faster. */
Test(diff_words, a_side_without_interruptions_may_be_slow_as_a_whole) {
  static const struct {
    double base_fastest,
        new_fastest;        /* in ms, of 36 and 15 typical, of which 3 are interruptions */
    double new_interrupted; /* as a share */
    bool are_medians;       /* usual times are of interrupted runs */
    const char *text;
  } cases[] = {
      {35, 12, .2, false, "without interruptions 36.0 \xE2\x86\x92 12.0 ms, -67 %"},
      {35, 12, .2, true, "without interruptions 36.0 \xE2\x86\x92 at most 12.0 ms"},
      {25, 12, .2, false, "without interruptions 25.0 \xE2\x80\x93 36.0 \xE2\x86\x92 12.0 ms"},
      {25, 12, 0, false, ""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_method base_method = {.execute = {.typical = 36e6,
                                          .min = (uint64_t)(1e6 * cases[i].base_fastest)}},
               new_method = {
                   .interrupted = cases[i].new_interrupted,
                   .are_medians_interrupted = cases[i].are_medians,
                   .execute = {.typical = 15e6, .min = (uint64_t)(1e6 * cases[i].new_fastest)}};
    const etr_profile base = {.ticks_per_second = 1e9, .methods = &base_method, .method_count = 1},
                      newer = {.ticks_per_second = 1e9, .methods = &new_method, .method_count = 1};
    const etr_comparison comparison = {.base = &base, .newer = &newer, .base_scale = 1};
    const etr_table_options options = {.unit = ETR_UNIT_MS};
    etr_diff_output o = {.comparison = &comparison, .answer.options = &options};
    const etr_method_pair method = {.execute = {.base_runs = 20, .new_runs = 20}};
    const char *text = etr_diff_uninterrupted_text(&o, &method);
    cr_expect_str_eq(text, cases[i].text, "case %zu: %s", i, text);
    etr_arena_clear(&o.answer.arena);
  }
}
