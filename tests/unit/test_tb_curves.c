/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_tb_curves.c - curves of real records add up for each inference; curves of hostile records
 * keep distinct names; many runs give few points; distributions; descriptions.
 */
#include "tensorboard/tb_curves.h"
#include "tensorboard/tb_summary.h"
#include "tensorboard/tb_tags.h"

#include "fixture.h"
#include "views/balance.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

/* Returns the sum of a group's curves at one point. */
static double sum_at(const etr_tb_curves *curves, const char *group, size_t point) {
  double sum = 0;
  for (size_t i = 0; i < curves->count; i++)
    if (strncmp(curves->list[i].tag, group, strlen(group)) == 0)
      sum += curves->list[i].values[point];
  return sum;
}

static const etr_tb_curve *find(const etr_tb_curves *curves, const char *tag) {
  for (size_t i = 0; i < curves->count; i++)
    if (strcmp(curves->list[i].tag, tag) == 0)
      return &curves->list[i];
  return NULL;
}

/* Returns the curve of a record's only method, or of one of several; NULL if there is none. */
static const etr_tb_curve *find_of_method(const etr_tb_curves *curves, const char *tag,
                                          const etr_method *method, bool is_only) {
  char room[256];
  snprintf(room, sizeof room, is_only ? "%s" : "%s/%s", tag, method->name);
  return find(curves, room);
}

static void expect_near(double got, double wanted, double room, const char *what) {
  cr_expect_lt(fabs(got - wanted), room + 1e-9 * (1 + fabs(wanted)), "%s: %g is not %g", what, got,
               wanted);
}

/* A part that is left out takes less than 0.001 ms or 1 % of an inference. */
static void expect_sums(const char *fixture, const etr_profile *profile, const etr_method *method,
                        const etr_tb_curves *curves) {
  bool is_only = profile->method_count == 1;
  const etr_tb_curve *measured = find_of_method(curves, ETR_TB_INFERENCE "/measured", method,
                                                is_only);
  const etr_tb_curve *nodes = find_of_method(curves, ETR_TB_PARTS "/nodes", method, is_only);
  cr_assert_not_null(measured, "%s", fixture);
  for (size_t i = 0; i < method->run_count; i++) {
    double whole = etr_ticks_to_ns(profile, (double)method->execute_per_run[i]) / 1e6,
           least = 5 * fmax(0.001, 0.01 * whole);
    expect_near(measured->values[i], whole, 0, fixture);
    expect_near(sum_at(curves, ETR_TB_PARTS "/", i), whole, least, fixture);
    if (nodes)
      expect_near(sum_at(curves, ETR_TB_OP_TYPE "/", i), nodes->values[i], 0, fixture);
    cr_expect_leq(sum_at(curves, ETR_TB_DELEGATE "/", i), whole + 1e-6);
    cr_expect(i == 0 || measured->steps[i] > measured->steps[i - 1]);
  }
  const etr_tb_curve *each = find_of_method(curves, ETR_TB_TIMELINE_GROUP "/typical", method,
                                            is_only),
                     *sums = find_of_method(curves, ETR_TB_TIMELINE_GROUP "/cumulative", method,
                                            is_only);
  double so_far = 0, whole = method->execute.typical;
  for (size_t i = 0; i < method->part_count; i++)
    whole -= method->parts[i].part == ETR_TIME_RUNTIME ? method->parts[i].typical : 0;
  for (size_t i = 0; each && i < each->count; i++) {
    so_far += each->values[i];
    expect_near(sums->values[i], so_far, 0, fixture);
    cr_expect(i == 0 || each->steps[i] > each->steps[i - 1]);
  }
  if (each)
    expect_near(so_far, etr_ticks_to_ns(profile, whole) / 1e6, 0, fixture);
}

/* Warm-up and the inferences that count have the numbers from 0 on together. */
static void expect_numbers(const etr_profile *profile, const etr_method *method,
                           const etr_tb_curves *curves) {
  bool is_only = profile->method_count == 1, seen[256] = {false};
  const etr_tb_curve *both[] = {
      find_of_method(curves, ETR_TB_INFERENCE "/measured", method, is_only),
      find_of_method(curves, ETR_TB_INFERENCE "/warmup", method, is_only)};
  size_t count = 0;
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; both[k] && i < both[k]->count; i++, count++) {
      cr_assert(both[k]->steps[i] >= 0 && both[k]->steps[i] < 256 && !seen[both[k]->steps[i]]);
      seen[both[k]->steps[i]] = true;
    }
  cr_expect_eq(count, method->run_count + method->skipped_run_count);
  for (size_t i = 0; i < count; i++)
    cr_expect(seen[i]);
}

Test(tb_curves, curves_add_up_to_the_method) {
  static const char *const fixtures[] = {"add_mul",          "control_flow", "cpp_rich",
                                         "llama_xnnpack",    "multi_method", "mv2_xnnpack",
                                         "quantized_xnnpack"};
  for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
    etr_profile *profile = open_fixture(fixtures[i]);
    etr_arena arena = {0};
    for (size_t k = 0; k < profile->method_count; k++) {
      etr_tb_curves curves;
      cr_assert(etr_tb_curves_build(&curves, &arena, profile, &profile->methods[k]));
      cr_expect_leq(curves.count, 32, "%s: %zu curves", fixtures[i], curves.count);
      for (size_t c = 0; c < curves.count; c++) {
        cr_expect_gt(curves.list[c].count, strstr(curves.list[c].tag, "warmup") ? 0 : 1, "%s",
                     curves.list[c].tag);
        cr_expect_neq(etr_tb_description(curves.list[c].tag)[0], '\0', "%s has no description",
                      curves.list[c].tag);
      }
      if (profile->methods[k].run_count == 0)
        continue;
      expect_sums(fixtures[i], profile, &profile->methods[k], &curves);
      expect_numbers(profile, &profile->methods[k], &curves);
    }
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
}

enum { NODES = 40, RUNS = 2500 };

/* Makes a method of 40 operators in 2500 runs; each takes one microsecond more than the one before
 * it. */
static void make_method(etr_arena *arena, etr_profile *profile, etr_graph *graph,
                        etr_method *method) {
  static const etr_event event = {.name = "k", .instruction_id = 3};
  etr_node *nodes = etr_arena_alloc_array(arena, NODES, sizeof *nodes);
  etr_time_slice *time_slices = etr_arena_alloc_array(arena, (size_t)(NODES + 1) * RUNS,
                                                      sizeof *time_slices);
  uint64_t *execute = etr_arena_alloc_array(arena, RUNS, sizeof *execute);
  uint32_t *runs = etr_arena_alloc_array(arena, RUNS, sizeof *runs);
  for (uint32_t i = 0; i < NODES; i++) {
    nodes[i] = (etr_node){.target = i == NODES - 1 ? "other"
                                                   : etr_arena_format(arena, "op%u", (unsigned)i),
                          .kind = ETR_NODE_OP};
    for (uint32_t run = 0; run < RUNS; run++)
      time_slices[(size_t)i * RUNS + run] = (etr_time_slice){
          .ticks = 1000 * (i + 1), .event = &event, .run = run, .node = i};
  }
  for (uint32_t run = 0; run < RUNS; run++) {
    time_slices[(size_t)NODES * RUNS + run] = (etr_time_slice){
        .ticks = 1000, .event = &event, .run = run, .node = ETR_NONE, .part = ETR_TIME_UNPLACED};
    execute[run] = 1000000 + 1000 * (run % 7);
    runs[run] = run + 1;
  }
  *graph = (etr_graph){.nodes = nodes, .node_count = NODES};
  double *weights = etr_arena_alloc_array(arena, RUNS, sizeof *weights);
  for (size_t i = 0; i < RUNS; i++)
    weights[i] = 1;
  *method = (etr_method){.name = "m",
                         .typical = {weights, RUNS},
                         .graph = 0,
                         .run_count = RUNS,
                         .runs = runs,
                         .execute_per_run = execute,
                         .time_slices = time_slices,
                         .time_slice_count = (size_t)(NODES + 1) * RUNS};
  *profile = (etr_profile){.ticks_per_second = 1e9,
                           .graphs = graph,
                           .graph_count = 1,
                           .methods = method,
                           .method_count = 1};
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
  for (size_t i = 0; i < curves.count; i++)
    op_types += strncmp(curves.list[i].tag, ETR_TB_OP_TYPE "/", 13) == 0;
  cr_expect_eq(op_types, 11);
  cr_assert_not_null(
      find(&curves, ETR_TB_OP_TYPE "/other~2")); /* an operator has the name "other" */
  expect_near(find(&curves, ETR_TB_OP_TYPE "/other~2")->values[7], NODES / 1e3, 0, "the largest");
  expect_near(find(&curves, ETR_TB_OP_TYPE "/other")->values[7], 30 * 31 / 2 / 1e3, 0,
              "30 small ones");
  expect_near(sum_at(&curves, ETR_TB_OP_TYPE "/", 7), NODES * (NODES + 1) / 2 / 1e3, 0, "all");
  const etr_tb_curve *unplaced = find(&curves, ETR_TB_PARTS "/operators_unplaced");
  cr_assert_not_null(unplaced);
  cr_expect_eq(unplaced->count, 834);
  cr_expect_eq(unplaced->steps[1], 3);
  cr_expect_null(find(&curves, ETR_TB_TIMELINE_GROUP "/typical"), "a curve of one point is a dot");
  etr_arena_clear(&arena);
}

Test(tb_curves, inferences_are_shown_in_blocks) {
  static const struct {
    size_t runs, blocks;
  } cases[] = {{1, 0}, {19, 0}, {20, 2}, {39, 3}, {RUNS, 20}};
  etr_arena arena = {0};
  etr_profile profile;
  etr_graph graph;
  etr_method method;
  make_method(&arena, &profile, &graph, &method);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_tb_blocks blocks;
    method.run_count = cases[i].runs;
    cr_assert(etr_tb_blocks_build(&blocks, &arena, &profile, &method));
    cr_expect_eq(blocks.blocks, cases[i].blocks, "%zu runs: %zu", cases[i].runs, blocks.blocks);
    for (size_t k = 0; k < blocks.blocks; k++)
      cr_expect_geq(etr_tb_block_start(&blocks, k + 1) - etr_tb_block_start(&blocks, k), 10);
    if (blocks.blocks)
      cr_expect_eq(etr_tb_block_start(&blocks, blocks.blocks), cases[i].runs);
  }
  etr_arena_clear(&arena);
}

/* A value that could not be compared has no point, and one without a local SNR has none of that;
 * the step of a point is the value's place in the order of execution. */
Test(tb_curves, only_compared_values_have_an_snr) {
  const etr_debug_value logged = {.method = 0};
  const etr_value_accuracy values[] = {
      {.value = &logged, .node = 0, .gap = {.snr_db = 40}, .has_local = true, .local.snr_db = 70},
      {.value = &logged, .node = 1, .problem = "its shape differs", .has_local = true},
      {.value = &logged, .node = 2, .gap = {.snr_db = 30}},
      {.value = &logged, .node = 3, .gap = {.snr_db = NAN}, .has_local = true, .local.snr_db = 50},
  };
  const etr_accuracy part = {.values = values, .value_count = ETR_COUNT(values)};
  etr_accuracy accuracy = {.parts = &part, .part_count = 1};
  static const struct {
    const char *tag;
    double values[2];
    int64_t steps[2];
  } wanted[] = {{ETR_TB_ACCURACY "/snr", {40, 30}, {0, 2}},
                {ETR_TB_ACCURACY "/local", {70, 50}, {0, 3}}};
  etr_arena arena = {0};
  etr_method method = {.name = "forward", .graph = ETR_NONE};
  const etr_profile profile = {.accuracy = &accuracy, .methods = &method, .method_count = 1};
  etr_tb_curves curves;
  cr_assert(etr_tb_curves_build(&curves, &arena, &profile, &method));
  cr_expect_eq(curves.count, ETR_COUNT(wanted));
  for (size_t i = 0; i < ETR_COUNT(wanted); i++) {
    const etr_tb_curve *curve = find(&curves, wanted[i].tag);
    cr_assert(curve && curve->count == 2, "%s: %zu points", wanted[i].tag,
              curve ? curve->count : 0);
    for (size_t k = 0; k < 2; k++) {
      cr_expect_eq(curve->values[k], wanted[i].values[k], "%s", wanted[i].tag);
      cr_expect_eq(curve->steps[k], wanted[i].steps[k], "%s", wanted[i].tag);
    }
  }
  etr_arena_clear(&arena);
}

/* Tags of any names are unique, on one line and short, and keep the characters of all scripts. */
Test(tb_tags, names_of_a_user) {
  etr_arena arena = {0};
  etr_tb_tags tags;
  etr_tb_tags_init(&tags, &arena);
  char *longest = etr_arena_alloc_array(&arena, 65537, 1);
  memset(longest, 'x', 65536);
  cr_expect_str_eq(etr_tb_tag(&tags, "g", "a/b c\"d\n", ""), "g/a/b c\"d ");
  cr_expect_str_eq(etr_tb_tag(&tags, "g", "a/b c\"d\t", ""), "g/a/b c\"d ~2");
  cr_expect_str_eq(etr_tb_tag(&tags, "g", "畳み込み", "/m"), "g/畳み込み/m");
  cr_expect_lt(strlen(etr_tb_tag(&tags, "g", longest, "")), 200);
  longest[65535] = 'y';
  const char *other = etr_tb_tag(&tags, "g", longest, "");
  cr_expect(strlen(other) < 200 && strcmp(other + strlen(other) - 2, "~2") == 0);
  etr_arena_clear(&arena);
}

Test(tb_histogram, every_value_is_counted) {
  static const double values[] = {5, 1, 1, 2, 31, 31, 30.9}, same[] = {2, 2}, few[] = {1, 2, 3, 3};
  etr_tb_spread s;
  etr_tb_spread_of(&s, values, 7, 0);
  double count = 0;
  for (size_t i = 0; i < s.buckets; i++)
    count += s.counts[i];
  cr_expect(s.buckets == 30 && s.least == 1 && s.most == 31 && count == 7);
  cr_expect(s.counts[0] == 2 && s.counts[29] == 3);
  etr_tb_spread_of(&s, same, 2, 1);
  cr_expect(s.buckets == 1 && s.counts[0] == 2);
  etr_tb_spread_of(&s, few, 4, 1);
  cr_expect(s.buckets == 2 && s.counts[0] == 1 && s.counts[1] == 3,
            "no bucket is narrower than a step of the clock");
  etr_tb_histogram h;
  etr_tb_histogram_init(&h, 0, ETR_TB_INFERENCE_SPREAD "/all", 3, &s);
  cr_expect(h.histo.n_bucket == 2 && h.limits[0] == 2 && h.limits[1] == 3 && h.histo.num == 4);
}

/* A curve has its metadata once, and no value that is not a number. */
Test(tb_point, is_a_number) {
  etr_tb_point point;
  memset(&point, 0xFF, sizeof point);
  etr_tb_point_init(&point, 0, ETR_TB_INFERENCE "/measured");
  cr_expect_not(etr_tb_point_set(&point, 0, NAN));
  cr_expect_not(etr_tb_point_set(&point, 0, INFINITY));
  cr_expect_not(etr_tb_point_set(&point, 0, 1e300));
  cr_expect(etr_tb_point_set(&point, 1, 2) && point.summary.value.simple_value == 2 &&
            point.summary.value.metadata);
  cr_expect(strstr(point.summary.metadata.summary_description, "**Step**"));
  cr_expect(etr_tb_point_set(&point, 2, 3) && !point.summary.value.metadata);
}

/* ---- Curves over builds ---- */

/* Returns the point of a list with this tag; NULL if there is none. */
static const etr_tb_build_point *find_point(const etr_tb_build_points *points, const char *tag) {
  for (size_t i = 0; i < points->list.count; i++)
    if (strcmp(points->list.data[i].tag, tag) == 0)
      return &points->list.data[i];
  return NULL;
}

/* The build before only marks: kernels and parts are those of the build itself, and no kernel takes
 * longer than an inference. */
Test(tb_curves, points_of_a_build_are_its_own) {
  etr_profile *profile = open_fixture("mv2_xnnpack"), *before = open_fixture("mv2_portable");
  etr_arena arena = {0};
  etr_error error;
  etr_tb_build_points alone, marked;
  size_t kernels = 0;
  cr_assert_eq(etr_tb_build_points_make(&alone, &arena, profile, NULL, &error), ETR_OK);
  cr_assert_eq(etr_tb_build_points_make(&marked, &arena, profile, before, &error), ETR_OK);
  double whole = etr_ticks_to_ns(profile, profile->methods[0].execute.typical) / 1e6;
  for (size_t i = 0; i < alone.list.count; i++) {
    const etr_tb_build_point *point = &alone.list.data[i];
    const etr_tb_build_point *same = find_point(&marked, point->tag);
    cr_assert_not_null(same, "%s", point->tag);
    cr_expect_eq(same->value, point->value, "%s: %f", point->tag, same->value);
    cr_expect_not(strpbrk(point->tag, "()"), "%s: a chart does not find its run", point->tag);
    if (strncmp(point->tag, ETR_TB_BUILDS_KERNELS, strlen(ETR_TB_BUILDS_KERNELS)) != 0)
      continue;
    kernels++;
    cr_expect(point->value > 0 && point->value <= whole, "%s: %f", point->tag, point->value);
  }
  cr_expect(kernels > 0 && kernels <= ETR_TB_MOST_KERNELS, "%zu", kernels);
  etr_arena_clear(&arena);
  etr_profile_close(before);
  etr_profile_close(profile);
}
