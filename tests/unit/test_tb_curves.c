/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_tb_curves.c - curves of real records add up for each inference; curves of hostile records keep distinct names;
 * many runs give few points.
 */
#include "tensorboard/tb_curves.h"
#include "tensorboard/tb_summary.h"

#include "fixture.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

/* Returns the sum of a group's curves at one point. */
static double sum_at(const etr_tb_curves *curves, const char *group, size_t point) {
  double sum = 0;
  for (size_t i = 0; i < curves->count; i++)
    if (strncmp(curves->list[i].tag, group, strlen(group)) == 0) sum += curves->list[i].values[point];
  return sum;
}

static const etr_tb_curve *find(const etr_tb_curves *curves, const char *tag) {
  for (size_t i = 0; i < curves->count; i++)
    if (strcmp(curves->list[i].tag, tag) == 0) return &curves->list[i];
  return NULL;
}

/* Returns the curve of a record's only method, or of one of several. */
static const etr_tb_curve *find_of_method(const etr_tb_curves *curves, const char *tag, const etr_method *method,
                                          bool is_only) {
  char room[256];
  snprintf(room, sizeof room, is_only ? "%s" : "%s/%s", tag, method->name);
  const etr_tb_curve *found = find(curves, room);
  cr_assert_not_null(found, "no %s", room);
  return found;
}

static void expect_near(double got, double wanted, const char *what) {
  cr_expect_lt(fabs(got - wanted), 1e-6 * (1 + fabs(wanted)), "%s: %g is not %g", what, got, wanted);
}

static void expect_sums(const char *fixture, const etr_profile *profile, const etr_method *method,
                        const etr_tb_curves *curves) {
  for (size_t i = 0; i < method->run_count; i++) {
    expect_near(sum_at(curves, "parts_us/", i), etr_ticks_to_ns(profile, (double)method->execute_per_run[i]) / 1e3,
                fixture);
    expect_near(sum_at(curves, "op_type_us/", i), sum_at(curves, "parts_us/nodes", i), fixture);
    cr_expect_leq(sum_at(curves, "delegate_us/", i), sum_at(curves, "parts_us/", i) + 1e-6);
  }
  bool is_only = profile->method_count == 1;
  expect_near(find_of_method(curves, "benchmark_ms/p90", method, is_only)->values[0],
              etr_ticks_to_ns(profile, method->execute.p90) / 1e6, fixture);
  const etr_tb_curve *each = find_of_method(curves, "timeline_us/avg", method, is_only),
                     *sums = find_of_method(curves, "timeline_us/cumulative", method, is_only);
  double so_far = 0, whole = (double)(method->nodes_ticks + method->delegate_only_ticks + method->unexplained_ticks) /
                             (double)method->run_count;
  for (size_t i = 0; i < each->count; i++) {
    so_far += each->values[i];
    expect_near(sums->values[i], so_far, fixture);
    cr_expect(i == 0 || each->steps[i] > each->steps[i - 1]);
  }
  expect_near(so_far, etr_ticks_to_ns(profile, whole) / 1e3, fixture);
}

Test(tb_curves, curves_add_up_to_the_method) {
  static const char *const fixtures[] = {"add_mul",      "control_flow", "cpp_rich",         "llama_xnnpack",
                                         "multi_method", "mv2_xnnpack",  "quantized_xnnpack"};
  for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
    etr_profile *profile = open_fixture(fixtures[i]);
    etr_arena arena = {0};
    for (size_t k = 0; k < profile->method_count; k++) {
      etr_tb_curves curves;
      cr_assert(etr_tb_curves_build(&curves, &arena, profile, &profile->methods[k]));
      cr_expect_leq(curves.count, 32, "%s: %zu curves", fixtures[i], curves.count);
      if (profile->methods[k].run_count) expect_sums(fixtures[i], profile, &profile->methods[k], &curves);
    }
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
}

enum { NODES = 40, RUNS = 2500 };

/* Makes a method of 40 operators in 2500 runs; each takes one microsecond more than the one before it. */
static void make_method(etr_arena *arena, etr_profile *profile, etr_graph *graph, etr_method *method) {
  static const etr_event event = {.name = "k", .instruction_id = 3};
  etr_node *nodes = etr_arena_alloc_array(arena, NODES, sizeof *nodes);
  etr_time_slice *time_slices = etr_arena_alloc_array(arena, (size_t)NODES * RUNS, sizeof *time_slices);
  uint64_t *execute = etr_arena_alloc_array(arena, RUNS, sizeof *execute);
  for (uint32_t i = 0; i < NODES; i++) {
    nodes[i] = (etr_node){.target = i == NODES - 1 ? "other" : etr_arena_format(arena, "op%u", (unsigned)i),
                          .kind = ETR_NODE_OP};
    for (uint32_t run = 0; run < RUNS; run++)
      time_slices[(size_t)i * RUNS + run] = (etr_time_slice){
          .ticks = 1000 * (i + 1), .event = &event, .run = run, .node = i};
  }
  for (size_t run = 0; run < RUNS; run++) execute[run] = 1000000;
  *graph = (etr_graph){.nodes = nodes, .node_count = NODES};
  *method = (etr_method){.name = "m",
                         .graph = 0,
                         .run_count = RUNS,
                         .execute_per_run = execute,
                         .time_slices = time_slices,
                         .time_slice_count = (size_t)NODES * RUNS};
  *profile = (etr_profile){
      .ticks_per_second = 1e9, .graphs = graph, .graph_count = 1, .methods = method, .method_count = 1};
}

Test(tb_curves, remaining_operators_are_one_curve) {
  etr_arena arena = {0};
  etr_profile profile;
  etr_graph graph;
  etr_method method;
  etr_tb_curves curves;
  make_method(&arena, &profile, &graph, &method);
  cr_assert(etr_tb_curves_build(&curves, &arena, &profile, &method));
  size_t op_types = 0;
  for (size_t i = 0; i < curves.count; i++) op_types += strncmp(curves.list[i].tag, "op_type_us/", 11) == 0;
  cr_expect_eq(op_types, 16);
  cr_assert_not_null(find(&curves, "op_type_us/other~2")); /* an operator has the name "other" */
  expect_near(find(&curves, "op_type_us/other~2")->values[7], NODES, "the largest");
  expect_near(find(&curves, "op_type_us/other")->values[7], 25 * 26 / 2, "25 small ones");
  expect_near(sum_at(&curves, "op_type_us/", 7), NODES * (NODES + 1) / 2, "all");
  const etr_tb_curve *framework = find(&curves, "parts_us/framework");
  cr_expect_eq(framework->count, 834);
  cr_expect_eq(framework->stride, 3);
  etr_arena_clear(&arena);
}

Test(tb_histogram, every_value_is_counted) {
  static const double values[] = {5, 1, 1, 2, 31, 31, 30.9}, same[] = {2, 2};
  etr_tb_histogram h;
  etr_tb_histogram_init(&h, 0, "t", values, 7);
  double count = 0;
  for (size_t i = 0; i < ETR_TB_BUCKETS; i++) {
    cr_expect_lt(h.buckets[i][0], h.buckets[i][1]);
    cr_expect(i == 0 || h.buckets[i][0] == h.buckets[i - 1][1]);
    count += h.buckets[i][2];
  }
  cr_expect_eq(count, 7);
  cr_expect_eq(h.buckets[0][0], 1);
  cr_expect_eq(h.buckets[0][2], 2);
  cr_expect_eq(h.buckets[ETR_TB_BUCKETS - 1][1], 31);
  cr_expect_eq(h.buckets[ETR_TB_BUCKETS - 1][2], 3);
  etr_tb_histogram_init(&h, 0, "t", same, 2);
  cr_expect_eq(h.summary.dims[0].size, 1);
  cr_expect_eq(h.buckets[0][2], 2);
}
