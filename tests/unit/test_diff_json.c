/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_diff_json.c - comparisons: times do not depend on the clock that counted them, and add up.
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

/* ---- Rows and parts add up ---- */

/* Each profile is compared with itself and with those behind it, of which sanitizers watch fewer:
 * all pairs take a minute and tell nothing new. */
#ifdef ETR_CHECKS
enum { NEIGHBORS = 2 };
#else
enum { NEIGHBORS = 8 };
#endif
enum { MOST_PROFILES = 100 };

static bool is_near(double a, double b, double whole) {
  return fabs(a - b) <= 1e-9 * fmax(1, fabs(whole));
}

typedef struct total {
  double base, newer, change;
} total;

static void add(total *to, const etr_change *change) {
  to->base += change->base_runs ? change->base_typical : 0;
  to->newer += change->new_runs ? change->new_typical : 0;
  to->change += change->new_typical - change->base_typical;
}

static total total_of(const etr_node_groups *groups) {
  total sum = {0};
  for (size_t i = 0; i < groups->count; i++)
    add(&sum, &groups->rows[i].change);
  return sum;
}

static double part_of(const etr_comparison *c, const etr_method_pair *pair, bool is_newer,
                      bool all_work) {
  const etr_profile *profile = is_newer ? c->newer : c->base;
  const etr_method *method = &profile->methods[is_newer ? pair->new_method : pair->base_method];
  double sum = 0;
  for (size_t i = 0; i < method->part_count; i++) {
    etr_time_part part = method->parts[i].part;
    bool is_work = part == ETR_TIME_UNPLACED || part == ETR_TIME_INSERTED;
    if (part == ETR_TIME_OPERATORS || (all_work && is_work))
      sum += method->parts[i].typical;
  }
  return sum * (is_newer ? 1 : c->base_scale);
}

static void expect_total(total got, const etr_comparison *c, const etr_method_pair *pair,
                         bool all_work, const char *what) {
  double base = part_of(c, pair, false, all_work), newer = part_of(c, pair, true, all_work),
         whole = fmax(pair->execute.base_typical, pair->execute.new_typical);
  cr_expect(is_near(got.base, base, whole) && is_near(got.newer, newer, whole) &&
                is_near(got.change, newer - base, whole),
            "%s of %s, %s: %.17g %.17g instead of %.17g %.17g", what, c->base->etdumps[0],
            c->newer->etdumps[0], got.base, got.newer, base, newer);
}

/* Returns how many methods were timed on both sides. */
static size_t expect_pair_to_add_up(const etr_profile *base, const etr_profile *newer) {
  etr_comparison *comparison;
  size_t count = 0;
  cr_assert_eq(etr_compare(&comparison, base, newer, NULL, NULL), ETR_OK);
  for (size_t i = 0; i < comparison->method_count; i++) {
    const etr_method_pair *pair = &comparison->methods[i];
    total nodes = {0};
    if (!pair->execute.base_runs || !pair->execute.new_runs)
      continue;
    count++;
    for (size_t k = 0; k < pair->pair_count; k++)
      add(&nodes, &pair->pairs[k].change);
    expect_total(nodes, comparison, pair, pair->by_events, "nodes");
    expect_total(total_of(&pair->ops), comparison, pair, pair->by_events, "ops");
    expect_total(total_of(&pair->kernels), comparison, pair, true, "kernels");
    if (pair->by_events)
      continue;
    expect_total(total_of(&pair->modules), comparison, pair, false, "modules");
    expect_total(total_of(&pair->patterns), comparison, pair, false, "patterns");
    expect_total(total_of(&pair->pattern_ops), comparison, pair, false, "operators of patterns");
    expect_total(total_of(&pair->sources), comparison, pair, false, "source lines");
    expect_total(total_of(&pair->backends), comparison, pair, false, "backends");
  }
  etr_comparison_close(comparison);
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

Test(diff_json, rows_add_up_to_their_parts) {
  etr_profile *profiles[MOST_PROFILES];
  size_t count = open_all(profiles), compared = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < NEIGHBORS; k++)
      compared += expect_pair_to_add_up(profiles[i], profiles[(i + k) % count]);
  cr_expect_gt(compared, count);
  for (size_t i = 0; i < count; i++)
    etr_profile_close(profiles[i]);
}
