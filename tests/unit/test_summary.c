/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Summaries of real records: lists add up to the balance, a group of one node has that node's
 * statistics, and filters select their part.
 */
#include "views/balance.h"

#include "views/summary.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const char *const records[] = {"mv2_xnnpack",  "llama_xnnpack", "multi_method",
                                      "control_flow", "cpp_rich",      "quantized_xnnpack"};

static void open_record(etr_inputs *inputs, etr_profile **profile, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
  cr_assert_eq(etr_inputs_find(inputs, path, NULL, NULL), ETR_OK);
  cr_assert_eq(etr_profile_open(profile, inputs, NULL, NULL), ETR_OK);
}

static void expect_patterns(const etr_summary *s, uint64_t whole) {
  uint64_t own = 0;
  size_t modules = 0, nodes = 0;
  for (size_t i = 0; i < s->patterns.count; i++) {
    const etr_pattern_row *row = &s->patterns.rows[i];
    own += row->own_ticks;
    nodes += row->own_count;
    modules += row->module_count;
    double most = row->slowest_time;
    cr_expect(row->median <= most && most * (double)row->module_count >= row->weight - 0.5);
    cr_expect_eq(row->own_count > 0, row->stats != NULL, "%s", row->pattern);
  }
  cr_expect_eq(own, whole);
  cr_expect_eq(nodes, s->node_count);
  cr_expect_eq(modules, s->modules.count);
}

/* The patterns of a source line add up to its time. */
static void expect_line_patterns(const etr_summary *s) {
  etr_arena arena = {0};
  etr_line_patterns patterns;
  cr_assert(etr_line_patterns_make(&patterns, &arena, s));
  for (size_t i = 0; i < s->by[ETR_BY_SOURCE].count; i++) {
    const etr_breakdown_row *line = &s->by[ETR_BY_SOURCE].rows[i];
    uint64_t ticks = 0;
    size_t nodes = 0;
    for (size_t k = patterns.first[line->number]; k < patterns.first[line->number + 1]; k++) {
      const etr_line_pattern *row = &patterns.rows[k];
      ticks += row->total_ticks;
      nodes += row->node_count;
      cr_expect(row->module_count > 0 && row->module_count <= row->node_count);
    }
    cr_expect(ticks == line->total_ticks && nodes == line->node_count, "line %zu", i);
  }
  etr_arena_clear(&arena);
}

static void expect_sums(const etr_summary *s, uint64_t whole) {
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++) {
    uint64_t sum = 0;
    double of_runs = 0;
    for (size_t i = 0; i < s->by[by].count; i++) {
      const etr_stats *stats = &s->by[by].stats[s->by[by].rows[i].number];
      sum += s->by[by].rows[i].total_ticks;
      of_runs += stats->avg * (double)stats->count;
      cr_expect(stats->p50 <= stats->p90 && stats->min <= stats->p50 && stats->p90 <= stats->max);
    }
    cr_expect_eq(sum, whole, "%s", etr_breakdown_name(by));
    cr_expect_float_eq(of_runs, (double)whole, 1e-6 * (double)whole + 1e-9, "%s",
                       etr_breakdown_name(by));
  }
  uint64_t own = 0;
  for (size_t i = 0; i < s->modules.count; i++)
    own += s->modules.rows[i].own_ticks;
  cr_expect_eq(own, whole);
  expect_patterns(s, whole);
  expect_line_patterns(s);
  if (s->modules.count)
    cr_expect_eq(s->modules.rows[0].total_ticks, whole);
  cr_expect_eq(s->part_ticks, whole);
}

Test(summary, breakdowns_add_up) {
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    etr_inputs inputs;
    etr_profile *profile;
    etr_arena arena = {0};
    open_record(&inputs, &profile, records[i]);
    for (size_t m = 0; m < profile->method_count; m++) {
      etr_summary s;
      const etr_method *method = &profile->methods[m];
      cr_assert(etr_summary_make(
          &s, &arena, profile, method,
          (etr_summary_choice){NULL, ETR_UNIT_MS, ETR_ORDER_TIME, ETR_SUMMARY_ALL}));
      cr_expect_not(s.is_part);
      expect_sums(&s, etr_broad_part_ticks(method, ETR_BROAD_NODES));
    }
    etr_profile_close(profile);
    etr_inputs_clear(&inputs);
    etr_arena_clear(&arena);
  }
}

/* A module with one node has that node's statistics. */
Test(summary, a_module_with_one_node_has_its_statistics) {
  etr_inputs inputs;
  etr_profile *profile;
  etr_arena arena = {0};
  etr_summary s;
  size_t compared = 0;
  open_record(&inputs, &profile, "mv2_xnnpack");
  cr_assert(
      etr_summary_make(&s, &arena, profile, &profile->methods[0],
                       (etr_summary_choice){NULL, ETR_UNIT_MS, ETR_ORDER_TIME, ETR_SUMMARY_ALL}));
  for (size_t i = 0; i < s.graph->node_count; i++) {
    uint32_t row = s.by[ETR_BY_MODULE].row_of_node[i];
    const etr_stats *of_node = &s.graph->times[i].per_run,
                    *of_row = row == ETR_NONE ? NULL : &s.by[ETR_BY_MODULE].stats[row];
    for (size_t k = 0; of_row && k < s.by[ETR_BY_MODULE].count; k++) {
      if (s.by[ETR_BY_MODULE].rows[k].number != row || s.by[ETR_BY_MODULE].rows[k].node_count > 1)
        continue;
      cr_expect(of_node->count == of_row->count && of_node->avg == of_row->avg &&
                of_node->p50 == of_row->p50 && of_node->p90 == of_row->p90);
      compared++;
    }
  }
  cr_expect_gt(compared, 50);
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
  etr_arena_clear(&arena);
}

Test(summary, filtered_summaries_add_up) {
  etr_inputs inputs;
  etr_profile *profile;
  etr_arena arena = {0};
  etr_summary adds, others, all;
  open_record(&inputs, &profile, "quantized_xnnpack");
  const etr_method *method = &profile->methods[0];
  cr_assert(
      etr_summary_make(&all, &arena, profile, method,
                       (etr_summary_choice){NULL, ETR_UNIT_MS, ETR_ORDER_TIME, ETR_SUMMARY_ALL}));
  cr_assert(etr_summary_make(&adds, &arena, profile, method,
                             (etr_summary_choice){&(etr_node_filter){.backend = "cpu"}, ETR_UNIT_MS,
                                                  ETR_ORDER_TIME, ETR_SUMMARY_ALL}));
  cr_assert(etr_summary_make(&others, &arena, profile, method,
                             (etr_summary_choice){&(etr_node_filter){.backend = "Xnn*"},
                                                  ETR_UNIT_MS, ETR_ORDER_TIME, ETR_SUMMARY_ALL}));
  expect_sums(&adds, adds.part_ticks);
  expect_sums(&others, others.part_ticks);
  cr_expect(adds.is_part && adds.part_ticks > 0 && others.part_ticks > 0);
  cr_expect_eq(adds.part_ticks + others.part_ticks, etr_broad_part_ticks(method, ETR_BROAD_NODES));
  cr_expect_eq(adds.node_count + others.node_count, all.node_count);
  cr_expect_eq(all.findings.count, 4);
  cr_expect_eq(adds.findings.count, 2); /* about kernels between delegates, and erf */
  cr_expect_eq(others.findings.count, 0);
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
  etr_arena_clear(&arena);
}
