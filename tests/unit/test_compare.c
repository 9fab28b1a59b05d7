/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_compare.c - comparisons of real records: pairs, sums and verdicts.
 */
#include "base/arena.h"
#include "etrecord_compare.h"
#include "open_fixture.h"
#include "views/balance.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static etr_comparison *compare(const etr_profile *base, const etr_profile *newer) {
  etr_comparison *comparison = NULL;
  etr_error error;
  cr_assert_eq(etr_compare(&comparison, base, newer, NULL, &error), ETR_OK, "%s", error.message);
  return comparison;
}

static double change_of(const etr_change *change) {
  return change->new_avg - change->base_avg;
}

static double sum_of(const etr_node_groups *groups) {
  double sum = 0;
  for (size_t i = 0; i < groups->count; i++)
    sum += change_of(&groups->rows[i].change);
  return sum;
}

static bool is_near(double a, double b) {
  return fabs(a - b) <= 1e-6 * fmax(1, fmax(fabs(a), fabs(b)));
}

/* A module with everything below it is the sum of the modules below it and itself, on both sides;
 * every module around a module has a row. */
static void expect_trees_to_add_up(const etr_method_pair *m) {
  const etr_node_groups *const lists[] = {&m->modules, &m->modules_above};
  for (size_t l = 0; l < ETR_COUNT(lists); l++)
    for (size_t i = 0; i < lists[l]->count; i++) {
      const etr_node_group *row = &lists[l]->rows[i], *whole = row->with_children;
      size_t length = strlen(row->key), base_nodes = 0, new_nodes = 0;
      double base = 0, newer = 0;
      cr_assert_not_null(whole, "%s", row->key);
      cr_expect_str_eq(whole->key, row->key);
      for (size_t k = 0; k < m->modules.count; k++) {
        const etr_node_group *inside = &m->modules.rows[k];
        bool is_below = strncmp(inside->key, row->key, length) == 0 &&
                        (length == 0 || strchr(".", inside->key[length]));
        if (!is_below)
          continue;
        base += inside->change.base_typical;
        newer += inside->change.new_typical;
        base_nodes += inside->base_nodes;
        new_nodes += inside->new_nodes;
      }
      cr_expect(is_near(whole->change.base_typical, base), "%s: base", row->key);
      cr_expect(is_near(whole->change.new_typical, newer), "%s: new", row->key);
      cr_expect(whole->base_nodes == base_nodes && whole->new_nodes == new_nodes, "%s", row->key);
      cr_expect(l == 0 || row->change.verdict == ETR_VERDICT_UNTIMED, "%s", row->key);
    }
}

/* The changes of nodes add up by operator, module and backend; with the rest of Method::execute
 * they give its change.
 */
static void expect_to_add_up(const etr_comparison *c, const etr_method_pair *m) {
  const etr_method none = {.run_count = 1};
  const etr_method *base = m->base_method == ETR_NONE ? &none : &c->base->methods[m->base_method];
  const etr_method *newer = m->new_method == ETR_NONE ? &none : &c->newer->methods[m->new_method];
  double nodes = 0;
  for (size_t i = 0; i < m->pair_count; i++)
    nodes += change_of(&m->pairs[i].change);
  cr_expect(is_near(sum_of(&m->ops), nodes), "%s: operators", m->name);
  cr_expect(is_near(sum_of(&m->backends), nodes), "%s: backends", m->name);
  if (m->by_events || !base->run_count || !newer->run_count)
    return;
  cr_expect(is_near(sum_of(&m->modules), nodes), "%s: modules", m->name);
  expect_trees_to_add_up(m);
  double rest = (double)(etr_broad_part_ticks(newer, ETR_BROAD_DELEGATES) +
                         etr_broad_part_ticks(newer, ETR_BROAD_FRAMEWORK) +
                         etr_broad_part_ticks(newer, ETR_BROAD_UNEXPLAINED)) /
                    (double)newer->run_count -
                (double)(etr_broad_part_ticks(base, ETR_BROAD_DELEGATES) +
                         etr_broad_part_ticks(base, ETR_BROAD_FRAMEWORK) +
                         etr_broad_part_ticks(base, ETR_BROAD_UNEXPLAINED)) /
                    (double)base->run_count * c->base_scale;
  cr_expect(is_near(nodes + rest, change_of(&m->execute)), "%s: %g and %g make %g", m->name, nodes,
            rest, change_of(&m->execute));
}

static const struct {
  const char *base, *newer;
  size_t paired, timed; /* in the first timed method */
  bool by_events, may_differ;
} pairs[] = {
    {"mv2_portable", "mv2_xnnpack", 216, 219, false, false},
    {"add_mul", "old_1_0_1_add_mul", 66, 66, false, false},
    {"add_mul", "old_0_6_add_mul", 66, 66, false, false},
    {"llama_portable", "llama_xnnpack", 1670, 3034, false, false},
    {"llama_xnnpack", "llama_xnnpack", 2072, 2072, false, false},
    {"../../examples/tutorial/before", "../../examples/tutorial/after", 10, 49, false,
     false}, /* other operators in the same modules */
    {"multi_method", "multi_method", 12, 12, false, false},
    {"control_flow", "control_flow", 0, 0, false, false},
    {"quantized_xnnpack", "dynamic_xnnpack", 0, 0, false, false},
    {"vit_xnnpack", "mv2_xnnpack", 0, 735, false, true},
    {"lstm_xnnpack", "p_gru", 0, 364, false, true}, /* both recurrent, with other weights */
    {"control_flow", "p_cond_names", 2, 24, false,
     true}, /* both have operators at the top level only */
    {"control_flow", "dynamic_xnnpack", 0, 16, false, true}, /* a module of the same name */
    {"mv2_xnnpack/etdump.etdp", "mv2_xnnpack/etdump.etdp", 0, 0, true, false},
    {"mv2_xnnpack/etdump.etdp", "mv2_xnnpack", 136, 136, true, false},
    {"mv2_xnnpack/etdump.etdp", "mv2_portable", 0, 221, true, false}, /* other backends */
    {"coreml", "vulkan", 0, 0, false, false},
    {"inserted_before", "inserted_after", 24, 26, false, false},
    {"inserted_before", "inserted_xnnpack", 19, 21, false, false},
    {"inserted_before", "split_module", 22, 27, false, false},
};

Test(compare, nodes_are_paired_and_changes_add_up) {
  for (size_t i = 0; i < ETR_COUNT(pairs); i++) {
    etr_profile *base = open_fixture(pairs[i].base, NULL),
                *newer = open_fixture(pairs[i].newer, NULL);
    etr_comparison *c = compare(base, newer);
    const etr_method_pair *timed = NULL;
    for (size_t k = 0; k < c->method_count; k++) {
      expect_to_add_up(c, &c->methods[k]);
      if (!timed && c->methods[k].execute.new_runs)
        timed = &c->methods[k];
    }
    if (timed)
      cr_expect_eq(timed->by_events, pairs[i].by_events, "%s", pairs[i].base);
    if (timed && pairs[i].timed) {
      cr_expect_eq(timed->timed_nodes, pairs[i].timed, "%s: %zu", pairs[i].base,
                   timed->timed_nodes);
      cr_expect_eq(timed->may_differ, pairs[i].may_differ, "%s", pairs[i].base);
      cr_expect_geq(timed->timed_paired, pairs[i].paired, "%s: %zu", pairs[i].base,
                    timed->timed_paired);
    }
    etr_comparison_close(c);
    etr_profile_close(newer);
    etr_profile_close(base);
  }
}

Test(compare, convolutions_are_paired_at_any_image_size) {
  etr_profile *base = open_fixture("mv2_portable", NULL),
              *newer = open_fixture("mv2_xnnpack", NULL);
  etr_comparison *c = compare(base, newer);
  size_t count = 0, paired = 0;
  for (size_t i = 0; i < c->methods[0].pair_count; i++) {
    const etr_node_pair *pair = &c->methods[0].pairs[i];
    if (strcmp(pair->op, "aten.convolution.default") != 0)
      continue;
    count++;
    if (pair->rule == ETR_PAIR_NONE)
      continue;
    paired++;
    cr_expect_str_eq(pair->base_module, pair->new_module);
    cr_expect_str_eq(base->graphs[base->methods[0].graph].nodes[pair->base_node].name,
                     pair->base_name);
    cr_expect_str_eq(newer->graphs[newer->methods[0].graph].nodes[pair->new_node].name,
                     pair->new_name);
    cr_expect_eq(pair->change.verdict,
                 ETR_VERDICT_CANNOT_TELL); /* one recording of three runs, one of eight */
    cr_expect_eq(pair->change.reason, ETR_REASON_FEW_RUNS);
  }
  cr_expect_eq(count, 52);
  cr_expect_geq(paired * 100, count * 95, "%zu of %zu", paired, count);
  etr_comparison_close(c);
  etr_profile_close(newer);
  etr_profile_close(base);
}

/* A convolution and its activation were inserted at features.4, which shifts the numbers of the
 * modules behind them. The other modules are equal, although other backends run them. */
Test(compare, inserted_layers_have_no_partner) {
  static const char *const newer_names[] = {"inserted_after", "inserted_xnnpack"};
  for (size_t n = 0; n < ETR_COUNT(newer_names); n++) {
    etr_profile *base = open_fixture("inserted_before", NULL),
                *newer = open_fixture(newer_names[n], NULL);
    etr_comparison *forth = compare(base, newer), *back = compare(newer, base);
    const etr_method_pair *method = &forth->methods[0];
    size_t in_features = 0;
    for (size_t i = 0; i < method->pair_count; i++) {
      const etr_node_pair *pair = &method->pairs[i];
      int number = -1, want = -1, got = -1;
      if (!pair->new_module || sscanf(pair->new_module, "features.%d", &number) != 1)
        continue;
      if (number != 4 && number != 5)
        want = number < 4 ? number : number - 2;
      if (pair->base_module)
        (void)sscanf(pair->base_module, "features.%d", &got);
      cr_expect_eq(got, want, "%s: %s in features.%d is that of features.%d, not %d",
                   newer_names[n], pair->new_name, number, got, want);
      in_features++;
    }
    cr_expect_eq(in_features, 12);
    cr_expect_eq(back->methods[0].timed_paired, method->timed_paired,
                 "the same in the other direction");
    etr_comparison_close(back);
    etr_comparison_close(forth);
    etr_profile_close(newer);
    etr_profile_close(base);
  }
}

/* ---- Two recordings made by dividing the runs of one ---- */

typedef struct half {
  etr_profile profile;
  etr_method method;
  etr_graph graph;
} half;

static uint64_t *take_runs(etr_arena *arena, const uint64_t *ticks, size_t count, size_t first,
                           size_t stride, size_t *taken) {
  uint64_t *out = etr_arena_alloc_array(arena, count, sizeof *out);
  *taken = 0;
  for (size_t i = first; i < count && *taken < count / 2; i += stride)
    out[(*taken)++] = ticks[i];
  return out;
}

/* Divides the runs of a node, which ran in every run. */
static const etr_run_ticks *take_node_runs(etr_arena *arena, const etr_node_time *time,
                                           size_t first, size_t stride, size_t *taken) {
  etr_run_ticks *out = etr_arena_alloc_array(arena, time->runs, sizeof *out);
  *taken = 0;
  for (size_t i = first; i < time->runs && *taken < time->runs / 2; i += stride) {
    out[*taken] = (etr_run_ticks){.run = (uint32_t)*taken, .ticks = time->each_run[i].ticks};
    (*taken)++;
  }
  return out;
}

/* Selects every stride-th run of a profile's only method from `first` on, which is half of the
 * runs. */
static const etr_profile *make_half(half *out, etr_arena *arena, const etr_profile *whole,
                                    size_t first, size_t stride) {
  size_t count = whole->methods[0].run_count;
  out->method = whole->methods[0];
  out->graph = whole->graphs[whole->methods[0].graph];
  out->method.execute_per_run = take_runs(arena, whole->methods[0].execute_per_run, count, first,
                                          stride, &out->method.run_count);
  etr_node_time *times = etr_arena_alloc_array(arena, out->graph.node_count, sizeof *times);
  for (size_t i = 0; i < out->graph.node_count; i++) {
    size_t runs;
    times[i] = out->graph.times[i];
    if (times[i].runs == 0)
      continue;
    times[i].each_run = take_node_runs(arena, &out->graph.times[i], first, stride, &runs);
    times[i].runs = (uint32_t)runs;
    times[i].calls = runs;
    times[i].total_ticks = 0;
    for (size_t k = 0; k < runs; k++)
      times[i].total_ticks += times[i].each_run[k].ticks;
  }
  out->graph.times = times;
  out->method.graph = 0;
  out->method.time_slice_count = out->method.runtime_slice_count = 0; /* they cover all runs */
  out->profile = *whole;
  out->profile.graphs = &out->graph;
  out->profile.methods = &out->method;
  out->profile.graph_count = out->profile.method_count = 1;
  return &out->profile;
}

static size_t count_believed(const etr_node_groups *groups) {
  size_t count = 0;
  for (size_t i = 0; i < groups->count; i++)
    count += groups->rows[i].change.verdict >= ETR_VERDICT_FASTER;
  return count;
}

Test(compare, runs_of_one_recording_show_no_change) {
  static const struct {
    const char *record;
    size_t first[2], stride;
    etr_verdict execute;
  } cases[] = {{"add_mul", {0, 1}, 2, ETR_VERDICT_CANNOT_TELL},
               {"mv2_xnnpack", {0, 1}, 2, ETR_VERDICT_CANNOT_TELL},
               {"add_mul",
                {0, 10},
                1,
                ETR_VERDICT_CANNOT_TELL}}; /* the first half includes warm-up: 26.4 us, then 23.9 */
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    half halves[2];
    etr_profile *whole = open_fixture(cases[i].record, NULL);
    etr_comparison *c = compare(
        make_half(&halves[0], &arena, whole, cases[i].first[0], cases[i].stride),
        make_half(&halves[1], &arena, whole, cases[i].first[1], cases[i].stride));
    const etr_method_pair *m = &c->methods[0];
    cr_expect_eq(m->execute.verdict, cases[i].execute, "%s: %s", cases[i].record,
                 etr_verdict_name(m->execute.verdict));
    for (size_t k = 0; k < m->pair_count; k++)
      cr_expect_lt(m->pairs[k].change.verdict, ETR_VERDICT_FASTER, "%s, case %zu: %s: %g -> %g",
                   cases[i].record, i, m->pairs[k].new_name, m->pairs[k].change.base_p50,
                   m->pairs[k].change.new_p50);
    cr_expect_eq(count_believed(&m->ops) + count_believed(&m->modules) +
                     count_believed(&m->backends),
                 0, "%s, case %zu", cases[i].record, i);
    etr_comparison_close(c);
    etr_profile_close(whole);
    etr_arena_clear(&arena);
  }
}

/* A module is judged among modules, and once more with everything below it among such sums. If no
 * timed node is below it, these are one thing, which has one verdict. */
Test(compare, a_module_with_nothing_below_has_one_verdict) {
  etr_profile *base = open_fixture("turns_base", NULL);
  etr_profile *newer = open_fixture("turns_new", NULL);
  etr_comparison *c = compare(base, newer);
  size_t alone = 0, around = 0;
  for (size_t i = 0; i < c->methods[0].modules.count; i++) {
    const etr_node_group *row = &c->methods[0].modules.rows[i];
    const etr_node_group *tree = row->with_children;
    if (!tree)
      continue;
    bool is_alone = tree->base_nodes == row->base_nodes && tree->new_nodes == row->new_nodes;
    alone += is_alone;
    around += !is_alone;
    cr_expect_eq(tree == row, is_alone, "%s", row->key);
  }
  cr_expect_gt(alone, 0);
  cr_expect_gt(around, 0);
  etr_comparison_close(c);
  etr_profile_close(base);
  etr_profile_close(newer);
}

/* ---- Clocks ---- */

Test(compare, different_clocks_are_converted) {
  const etr_options slow = {.ticks_per_second = 1e6};
  etr_profile *base = open_fixture("add_mul", &slow), *newer = open_fixture("add_mul", NULL);
  etr_comparison *c = compare(base, newer);
  cr_expect_eq(c->base_scale, 1000);
  cr_expect_eq(c->methods[0].execute.base_p50, 1000 * c->methods[0].execute.new_p50);
  cr_expect_eq(c->methods[0].execute.verdict, ETR_VERDICT_FASTER); /* a thousand times */
  expect_to_add_up(c, &c->methods[0]);
  etr_comparison_close(c);
  etr_profile_close(newer);
  etr_profile_close(base);
}

/* XNNPACK counts whole microseconds, so a difference of one is no change. */
Test(compare, one_step_of_the_clock_is_no_change) {
  etr_arena arena = {0};
  half shifted;
  etr_profile *base = open_fixture("mv2_xnnpack", NULL);
  make_half(&shifted, &arena, base, 0, 1);
  for (size_t i = 0; i < shifted.graph.node_count; i++) {
    const etr_node_time *time = &shifted.graph.times[i];
    for (size_t k = 0; k < time->runs; k++)
      ((etr_run_ticks *)etr_for_foreign(time->each_run))[k].ticks += 1000;
  }
  etr_comparison *c = compare(base, &shifted.profile);
  for (size_t i = 0; i < c->methods[0].pair_count; i++) {
    const etr_change *change = &c->methods[0].pairs[i].change;
    cr_expect_lt(change->verdict, ETR_VERDICT_FASTER, "%s", c->methods[0].pairs[i].new_name);
  }
  etr_comparison_close(c);
  etr_profile_close(base);
  etr_arena_clear(&arena);
}

/* The times of a delegate's operators are known although the time of its call is not. */
Test(compare, operators_have_times_without_the_time_of_their_call) {
  etr_profile *profile = open_fixture("dynamic_xnnpack/etdump.etdp", NULL);
  etr_comparison *timed = compare(profile, profile);
  for (size_t i = 0; i < profile->block_count; i++)
    for (size_t k = 0; k < profile->blocks[i].event_count; k++) {
      etr_event *event = etr_for_foreign(&profile->blocks[i].events[k]);
      if (strcmp(event->name, "DELEGATE_CALL") == 0)
        event->sample_count = 0;
    }
  etr_comparison *untimed = compare(profile, profile);
  cr_assert(timed->method_count == 1 && untimed->method_count == 1);
  cr_expect(timed->methods[0].pair_count > 0 &&
            untimed->methods[0].pair_count == timed->methods[0].pair_count);
  etr_comparison_close(timed);
  etr_comparison_close(untimed);
  etr_profile_close(profile);
}
