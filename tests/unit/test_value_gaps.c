/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_value_gaps.c - lib/compare/value_gaps.c: pairing the values of two profiles. The figures are
 * checked with numpy in tests/interop.
 */
#include "base/file.h"
#include "compare/pairing.h"

#include "fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *name_of(const etr_method_pair *method, const etr_value_gap *gap) {
  return gap->pair == ETR_NONE ? "" : method->pairs[gap->pair].new_name;
}

Test(value_gaps, a_changed_value_is_found) {
  /* Positions of one element of one node and run in the debug buffer. */
  static const struct {
    size_t at;
    float value;
    const char *node;
    uint32_t run;
    double max_abs_error;
    uint64_t unlike;
  } rows[] = {
      {304, 100, "aten_addmm_default", 1, 102.022184371948242,
       0}, /* -2.022184371948242 in truth.json */
      {2608 + 4, 0, "aten_addmm_default", 2, 1.4042874574661255, 0},
      {1136, NAN, "aten_split_with_sizes_copy_default", 1, 0, 1},
      {2224, 1, "", 1, 0.5, 0}, /* an output of the method */
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char path[] = "/tmp/test_value_gaps.XXXXXX";
    int descriptor = mkstemp(path);
    etr_file file;
    cr_assert_eq(etr_file_read(&file, FIXTURES "/add_mul_debug/debug_buffer.bin", 1 << 20, NULL),
                 ETR_OK);
    memcpy(file.data + rows[i].at, &rows[i].value, sizeof rows[i].value);
    cr_assert_eq(write(descriptor, file.data, file.size), (ssize_t)file.size);
    close(descriptor);
    etr_file_clear(&file);
    etr_profile *base = open_fixture("add_mul_debug"),
                *newer = open_fixture_with("add_mul_debug", path);
    etr_comparison *comparison;
    cr_assert_eq(etr_compare(&comparison, base, newer, NULL, NULL), ETR_OK);
    const etr_method_pair *method = &comparison->methods[0];
    cr_expect_eq(method->gap_count, 36);
    size_t different = 0;
    for (size_t k = 0; k < method->gap_count; k++) {
      const etr_value_gap *gap = &method->gaps[k];
      cr_expect(!gap->problem && gap->run_pairs == 3, "row %zu", i);
      if (gap->gap.max_abs_error == 0 && gap->gap.unlike == 0)
        continue;
      different++;
      cr_expect_str_eq(name_of(method, gap), rows[i].node);
      cr_expect(gap->newer->run == rows[i].run && gap->base->run == rows[i].run, "row %zu: run %u",
                i, gap->newer->run);
      cr_expect(fabs(gap->gap.max_abs_error - rows[i].max_abs_error) < 1e-6 &&
                    gap->gap.unlike == rows[i].unlike,
                "row %zu: %.17g", i, gap->gap.max_abs_error);
    }
    cr_expect_eq(different, 1, "row %zu", i);
    etr_comparison_close(comparison);
    etr_profile_close(base);
    etr_profile_close(newer);
    unlink(path);
  }
}

Test(value_gaps, values_of_the_same_node_are_paired) {
  static const struct {
    const char *base, *newer;
    size_t gaps, nodes, problems;
  } rows[] = {
      {"add_mul_debug", "add_mul_debug", 36, 34, 0},
      {"bundled_update", "bundled_update", 20, 6, 0}, /* including arguments of the delegates */
      {"bundled_update", "add_mul_debug", 8, 6, 0},   /* delegates here, kernels there */
      {"add_mul_debug", "add_mul", 0, 0, 0},
      {"cpp_rich", "cpp_rich", 6, 2, 0}, /* scalars */
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_profile *base = open_fixture_with(rows[i].base, NULL),
                *newer = open_fixture_with(rows[i].newer, NULL);
    etr_comparison *comparison;
    size_t gaps = 0, nodes = 0, problems = 0;
    cr_assert_eq(etr_compare(&comparison, base, newer, NULL, NULL), ETR_OK);
    for (size_t m = 0; m < comparison->method_count; m++)
      for (size_t k = 0; k < comparison->methods[m].gap_count; k++) {
        gaps++;
        nodes += comparison->methods[m].gaps[k].pair != ETR_NONE;
        problems += comparison->methods[m].gaps[k].problem != NULL;
      }
    cr_expect(gaps == rows[i].gaps && nodes == rows[i].nodes && problems == rows[i].problems,
              "row %zu: %zu %zu %zu", i, gaps, nodes, problems);
    etr_comparison_close(comparison);
    etr_profile_close(base);
    etr_profile_close(newer);
  }
}

/* ---- Made by hand ---- */

static etr_debug_value scalar(uint32_t run, uint32_t node, const char *delegate_id,
                              int64_t number) {
  return (etr_debug_value){.run = run,
                           .instruction_id = 1,
                           .delegate_id = delegate_id,
                           .name = "",
                           .node = node,
                           .kind = ETR_DEBUG_INT,
                           .int_value = number};
}

static etr_profile profile_of(const etr_debug_value *values, size_t count) {
  static const etr_graph graph = {.node_count = 2};
  static const etr_method method = {.name = "forward", .graph = 0};
  return (etr_profile){.graphs = &graph,
                       .graph_count = 1,
                       .methods = &method,
                       .method_count = 1,
                       .debug_values = values,
                       .debug_value_count = count};
}

/* A node that several operators of a delegate compute logs several values. They are paired only if
 * both sides have equally many. */
Test(value_gaps, several_values_of_one_node_are_paired_if_counts_agree) {
  static const struct {
    size_t base_count, new_count, gaps;
  } rows[] = {{2, 2, 2}, {1, 2, 0}, {2, 1, 0}, {1, 1, 1}};
  const etr_node_pair node = {.base_node = 1, .new_node = 1, .base_name = "x", .new_name = "x"};
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    const etr_debug_value base_values[] = {scalar(0, 1, "a", 10), scalar(0, 1, "b", 20)},
                          new_values[] = {scalar(3, 1, "c", 11), scalar(3, 1, "d", 22)};
    const etr_profile base = profile_of(base_values, rows[i].base_count),
                      newer = profile_of(new_values, rows[i].new_count);
    const etr_comparison comparison = {.base = &base, .newer = &newer};
    etr_method_pair pair = {.pairs = &node, .pair_count = 1};
    etr_arena arena = {0};
    cr_assert(etr_value_gaps_make(&pair, &comparison, &arena));
    cr_assert_eq(pair.gap_count, rows[i].gaps, "row %zu: %zu", i, pair.gap_count);
    for (size_t k = 0; k < pair.gap_count; k++)
      cr_expect_eq(pair.gaps[k].gap.l1, (double)(k + 1), "row %zu", i);
    etr_arena_clear(&arena);
  }
}

/* The worst pair of runs counts; runs that logged nothing are ignored. */
Test(value_gaps, the_worst_run_counts) {
  const etr_debug_value base_values[] = {scalar(0, 1, NULL, 10), scalar(2, 1, NULL, 10),
                                         scalar(3, 1, NULL, 10)};
  const etr_debug_value new_values[] = {scalar(5, 1, NULL, 10), scalar(6, 1, NULL, 13)};
  const etr_node_pair node = {.base_node = 1, .new_node = 1, .base_name = "x", .new_name = "x"};
  const etr_profile base = profile_of(base_values, 3), newer = profile_of(new_values, 2);
  const etr_comparison comparison = {.base = &base, .newer = &newer};
  etr_method_pair pair = {.pairs = &node, .pair_count = 1};
  etr_arena arena = {0};
  cr_assert(etr_value_gaps_make(&pair, &comparison, &arena));
  cr_assert_eq(pair.gap_count, 1);
  cr_expect(pair.gaps->run_pairs == 2 && pair.gaps->base->run == 2 && pair.gaps->newer->run == 6 &&
            pair.gaps->gap.l1 == 3);
  etr_arena_clear(&arena);
}
