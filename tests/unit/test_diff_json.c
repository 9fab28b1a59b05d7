/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_diff_json.c - comparisons as JSON: times do not depend on the clock that counted them.
 */
#include "base/writer.h"
#include "views/balance.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static etr_profile *open_with_clock(double ticks_per_second) {
  const etr_options options = {.ticks_per_second = ticks_per_second};
  etr_inputs inputs;
  etr_profile *profile = NULL;
  cr_assert_eq(etr_inputs_find(&inputs, FIXTURES "/mv2_xnnpack", NULL, NULL), ETR_OK);
  cr_assert_eq(etr_profile_open(&profile, &inputs, &options, NULL), ETR_OK);
  etr_inputs_clear(&inputs);
  return profile;
}

/* Returns the number behind the first occurrence of `key` in the text. */
static double number_behind(const char *text, const char *key) {
  const char *at = strstr(text, key);
  cr_assert_not_null(at, "%s", key);
  return strtod(at + strlen(key), NULL);
}

static double part_ns(const etr_profile *profile, uint64_t ticks) {
  return etr_ticks_to_ns(profile, (double)ticks / (double)profile->methods[0].run_count);
}

Test(diff_json, parts_are_in_the_clock_of_their_side) {
  etr_profile *base = open_with_clock(1e9), *newer = open_with_clock(4e9);
  etr_comparison *comparison;
  etr_arena arena = {0};
  etr_text text;
  etr_writer writer;
  cr_assert_eq(etr_compare(&comparison, base, newer, NULL, NULL), ETR_OK);
  cr_expect_eq(comparison->base_scale, 4);
  etr_text_begin(&text, &arena, &writer);
  cr_assert_eq(etr_emit_diff_json(comparison, NULL, ETR_UNIT_NS, &writer.sink, NULL), ETR_OK);
  const char *parts = strstr(etr_text_end(&text, &writer), "\"parts\":");
  cr_assert_not_null(parts);
  for (size_t i = 0; i < base->methods[0].part_count; i++) {
    const etr_part_time *old = &base->methods[0].parts[i], *now = &newer->methods[0].parts[i];
    const char *name = etr_time_part_name(old->part);
    const char *part = strstr(parts, etr_arena_format(&arena, "\"part\":\"%s\"", name));
    cr_assert_not_null(part, "%s", name);
    double before = part_ns(base, old->ticks), after = part_ns(newer, now->ticks);
    cr_expect_float_eq(number_behind(part, "\"base_avg\":"), before, 1e-6 * before, "%s", name);
    cr_expect_float_eq(number_behind(part, "\"new_avg\":"), after, 1e-6 * after, "%s", name);
    cr_expect_float_eq(number_behind(part, "\"change_avg\":"), after - before, 1e-6 * before, "%s",
                       name);
  }
  etr_comparison_close(comparison);
  etr_arena_clear(&arena);
  etr_profile_close(newer);
  etr_profile_close(base);
}

/* ---- The parts of a change add up to the last printed digit ---- */

enum { MOST_PROFILES = 100 };

/* Reads a decimal in billionths, because no number has more digits. null is 0. */
static long long billionths(const char *text, const char *key) {
  double number = number_behind(text, key) * 1e9;
  cr_assert_lt(fabs(number - round(number)), 0.01, "%s%.30s has more digits", key,
               strstr(text, key) + strlen(key));
  return llround(number);
}

typedef struct total {
  long long base, newer, change;
} total;

static total times_behind(const char *text) {
  return (total){billionths(text, "\"base_avg\":"), billionths(text, "\"new_avg\":"),
                 billionths(text, "\"change_avg\":")};
}

static void expect_to_add_up(const char *explained, const char *names) {
  static const char *const kinds[] = {"changed",   "gone",        "new",  "delegate_only",
                                      "framework", "unexplained", "rest", "load"};
  const char *sums = strstr(explained, "\"sums\":"), *behind = strchr(sums, '}');
  total rows = {0}, whole = times_behind(behind);
  long long changes = 0;
  for (const char *row = explained; (row = strstr(row, "{\"kind\":")) && row < sums; row++) {
    total one = times_behind(row);
    cr_expect_eq(one.newer - one.base, one.change, "%s: a row", names);
    rows = (total){rows.base + one.base, rows.newer + one.newer, rows.change + one.change};
  }
  for (size_t i = 0; i < ETR_COUNT(kinds); i++) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", kinds[i]);
    changes += billionths(sums, key);
  }
  cr_expect(rows.base == whole.base && rows.newer == whole.newer, "%s: rows", names);
  cr_expect(rows.change == changes && whole.base + changes == whole.newer, "%s: sums", names);
}

/* Returns how many methods were explained. */
static size_t expect_pair_to_add_up(const etr_profile *base, const etr_profile *newer) {
  const etr_diff_filter filter = {.by = ETR_DIFF_BY_BACKEND};
  etr_comparison *comparison;
  etr_arena arena = {0};
  etr_text text;
  etr_writer writer;
  size_t count = 0;
  cr_assert_eq(etr_compare(&comparison, base, newer, NULL, NULL), ETR_OK);
  etr_text_begin(&text, &arena, &writer);
  cr_assert_eq(etr_emit_diff_json(comparison, &filter, ETR_UNIT_MS, &writer.sink, NULL), ETR_OK);
  const char *json = etr_text_end(&text, &writer);
  for (const char *at = json; (at = strstr(at, "\"explained\":{")); at++, count++)
    expect_to_add_up(at, etr_arena_format(&arena, "%s, %s", base->etdumps[0], newer->etdumps[0]));
  etr_comparison_close(comparison);
  etr_arena_clear(&arena);
  return count;
}

static size_t open_all(etr_profile *profiles[MOST_PROFILES]) {
  DIR *fixtures = opendir(FIXTURES);
  size_t count = 0;
  cr_assert_not_null(fixtures);
  for (const struct dirent *entry; (entry = readdir(fixtures)) && count < MOST_PROFILES;) {
    char path[512];
    etr_inputs inputs;
    if (entry->d_name[0] == '.')
      continue;
    snprintf(path, sizeof path, "%s/%s", FIXTURES, entry->d_name);
    if (etr_inputs_find(&inputs, path, NULL, NULL) != ETR_OK)
      continue;
    const etr_options options = {.edge_only = true};
    if (inputs.etdump_count &&
        etr_profile_open(&profiles[count], &inputs, &options, NULL) == ETR_OK)
      count++;
    etr_inputs_clear(&inputs);
  }
  closedir(fixtures);
  return count;
}

Test(diff_json, printed_explanations_add_up) {
  etr_profile *profiles[MOST_PROFILES];
  size_t count = open_all(profiles), explained = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++)
      explained += expect_pair_to_add_up(profiles[i], profiles[k]);
  cr_expect_gt(explained, count);
  for (size_t i = 0; i < count; i++)
    etr_profile_close(profiles[i]);
}
