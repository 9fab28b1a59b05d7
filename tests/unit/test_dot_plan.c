/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a picture shows: levels that are opened, sums, edges.
 */
#include "dot_plan.h"
#include "fixture.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>

/* Layers with blocks with operators, in one chain; each operator takes 1 tick, and uses a weight. */
static void tower(tiny *t, int layers, int blocks, int ops) {
  uint32_t last = tiny_node(t, ETR_NODE_INPUT, "x", "x", 0);
  uint32_t weight = tiny_node(t, ETR_NODE_PARAMETER, "p_w", "w", 0);
  for (int i = 0; i < layers; i++) {
    uint32_t layer = tiny_module(t, 0, etr_arena_format(&t->arena, "layer%d", i), "");
    for (int j = 0; j < blocks; j++) {
      uint32_t block = tiny_module(t, layer, etr_arena_format(&t->arena, "layer%d.block%d", i, j), "");
      for (int k = 0; k < ops; k++) {
        uint32_t op = tiny_node(t, ETR_NODE_OP, "add", "aten.add.Tensor", block);
        tiny_input(t, op, last, 0);
        tiny_input(t, op, last, 0);
        tiny_input(t, op, weight, 0);
        tiny_time(t, op, 1);
        last = op;
      }
    }
  }
  tiny_input(t, tiny_node(t, ETR_NODE_OUTPUT, "output", "output", 0), last, 0);
}

static etr_dot_plan plan_for(tiny *t, etr_dot_options options) {
  etr_dot_plan plan;
  etr_scopes scopes;
  const etr_graph *graph = &tiny_profile(t)->graphs[0];
  cr_assert_eq(etr_scopes_build(&scopes, &t->arena, graph), ETR_OK);
  cr_assert_eq(etr_dot_plan_build(&plan, &t->arena, graph, &scopes, &options, NULL), ETR_OK);
  return plan;
}

static etr_dot_plan plan_of(tiny *t, int depth) { return plan_for(t, (etr_dot_options){.depth = depth}); }

static size_t clusters(const etr_dot_plan *plan) {
  size_t count = 0;
  for (uint32_t i = 0; i < plan->scopes.count; i++) count += plan->cluster_of[i] == i;
  return count;
}

Test(dot_plan, levels) {
  static const struct {
    int layers, blocks, ops, depth;
    uint32_t levels;
    size_t boxes, clusters; /* boxes with input and output */
  } cases[] = {
      {3, 5, 10, 0, 2, 152, 18},                           /* 150 operators: all open */
      {3, 5, 11, 0, 1, 17, 3},                             /* one more each: down to the blocks */
      {30, 5, 2, 0, 0, 32, 0},                             /* 150 blocks, input and output are too many */
      {29, 5, 2, 0, 1, 147, 29},                           /* 145 are not */
      {2, 74, 2, 0, 1, 150, 2},   {3, 5, 11, 1, 1, 17, 3}, /* as asked */
      {3, 5, 11, 2, 2, 167, 18},  {3, 5, 11, 99, 2, 167, 18},
      {3, 5, 11, -1, 2, 167, 18}, {3, 5, 1, 1, 1, 17, 3}, /* blocks of one operator are neither clusters nor closed */
      {3, 5, 1, 2, 2, 17, 3},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    tower(&t, cases[i].layers, cases[i].blocks, cases[i].ops);
    etr_dot_plan plan = plan_of(&t, cases[i].depth);
    cr_expect_eq(plan.levels, cases[i].levels, "case %zu: %u levels", i, plan.levels);
    cr_expect_eq(plan.box_count, cases[i].boxes, "case %zu: %zu boxes", i, plan.box_count);
    cr_expect_eq(clusters(&plan), cases[i].clusters, "case %zu: %zu clusters", i, clusters(&plan));
    cr_expect_eq(plan.edge_count, cases[i].boxes - 1, "case %zu: a chain, %zu edges", i, plan.edge_count);
    tiny_clear(&t);
  }
}

Test(dot_plan, nothing_is_lost_or_counted_twice) {
  for (int depth = -1; depth < 4; depth++) {
    tiny t = {0};
    tower(&t, 4, 3, 20);
    etr_dot_plan plan = plan_of(&t, depth);
    double ticks = 0;
    uint32_t ops = 0, drawn = 0, uses = 0;
    for (size_t i = 0; i < plan.box_count; i++) {
      ticks += plan.boxes[i].sum.ticks;
      ops += plan.boxes[i].sum.ops;
      drawn += plan.boxes[i].sum.drawn;
    }
    for (size_t i = 0; i < plan.edge_count; i++) uses += plan.edges[i].uses;
    cr_expect_eq(ticks, 240);
    cr_expect_eq(ops, 240);
    cr_expect_eq(drawn, 242);
    cr_expect_eq(uses, 2 * (plan.box_count - 2) + 1, "depth %d: inner edges are in the boxes", depth);
    cr_expect_eq(plan.total.ticks, 240);
    tiny_clear(&t);
  }
}

Test(dot_plan, sums_of_scopes) {
  tiny t = {0};
  tower(&t, 2, 2, 3);
  t.times.data[2].match = ETR_MATCH_ALIGNED;
  for (uint32_t i = 2; i < 8; i++) t.times.data[i].backend = "XnnpackBackend"; /* all of layer0, in two calls */
  t.times.data[7].delegate_instruction = 4;
  etr_dot_plan plan = plan_of(&t, 1);
  cr_assert_eq(plan.box_count, 6);
  cr_assert_eq(plan.delegate_count, 2);
  cr_expect_eq(plan.delegates[0].ops, 5);
  cr_expect_eq(plan.delegates[1].ops, 1);
  const etr_dot_sum *first = &plan.boxes[1].sum, *second = &plan.boxes[2].sum, *third = &plan.boxes[3].sum;
  cr_expect(first->estimated && !second->estimated);
  cr_expect(first->delegated == 3 && !first->several_delegates && first->delegate == 0);
  cr_expect(second->delegated == 3 && second->several_delegates && second->delegate == 0);
  cr_expect(third->delegated == 0 && third->delegate == ETR_NONE);
  cr_expect_eq(plan.hottest, 3);
  tiny_clear(&t);
}

/* ---- Focus and top ---- */

static double coloured_ticks(const etr_dot_plan *plan) {
  double ticks = 0;
  for (size_t i = 0; i < plan->box_count; i++) ticks += plan->boxes[i].is_context ? 0 : plan->boxes[i].sum.ticks;
  return ticks;
}

static bool is_within(const etr_graph *graph, uint32_t module, uint32_t around) {
  while (module != around && graph->modules[module].parent != ETR_NONE) module = graph->modules[module].parent;
  return module == around;
}

/* Time of the nodes that the record has in a module or below it. */
static double time_in(const etr_graph *graph, uint32_t module) {
  double ticks = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->times[i].runs > 0 && is_within(graph, graph->nodes[i].module, module)) ticks += graph->times[i].avg;
  return ticks;
}

/* What a cluster has beyond its module's time is what it says of quantizers. */
Test(dot_plan, clusters_have_the_times_of_their_modules) {
  static const char *const names[] = {"quantized_xnnpack", "mv2_xnnpack", "vit_xnnpack", "llama_xnnpack"};
  bool any_guests = false;
  for (size_t i = 0; i < ETR_COUNT(names); i++) {
    etr_profile *profile = open_fixture(names[i]);
    const etr_graph *graph = &profile->graphs[profile->methods[0].graph];
    etr_arena arena = {0};
    etr_dot_plan plan;
    etr_scopes scopes;
    cr_assert_eq(etr_scopes_build(&scopes, &arena, graph), ETR_OK);
    cr_assert_eq(etr_dot_plan_build(&plan, &arena, graph, &scopes, NULL, NULL), ETR_OK);
    for (size_t k = 0; k < plan.scopes.count; k++) {
      const etr_dot_sum *sum = &plan.scope_sums[k];
      if (plan.scopes.list[k].module == ETR_NONE) continue;
      double own = time_in(graph, plan.scopes.list[k].module);
      any_guests |= sum->guest_ticks > 0;
      cr_expect_float_eq(sum->ticks - sum->guest_ticks, own, 1e-6 * own + 1e-6, "%s: %s", names[i], plan.scopes.list[k].label);
    }
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
  cr_expect(any_guests);
}

Test(dot_plan, focus) {
  static const struct {
    const char *focus;
    int depth;
    size_t boxes, clusters, context;
    double ticks;
  } cases[] = {
      {"layer1", 0, 3 * 4 + 2, 4, 2, 12},   /* its blocks with their operators, the layers before and behind */
      {"layer1", 1, 3 + 2, 1, 2, 12},       /* depth counts from the module */
      {"layer1.block0", 0, 4 + 2, 2, 2, 4}, /* layer1 is a frame; before it layer0, behind it layer1.block1 */
      {"layer1.block1", 0, 4 + 2, 2, 2, 4}, /* neighbours inside layer1 */
      {"layer0.block0", 0, 4 + 2, 2, 2, 4}, /* the input is a neighbour, too */
      {"", 0, 3 * 3 * 4 + 2, 12, 2, 36},    /* all operators; input and output are around them */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    tower(&t, 3, 3, 4);
    etr_dot_plan plan = plan_for(&t, (etr_dot_options){.focus = cases[i].focus, .depth = cases[i].depth});
    size_t context = 0;
    for (size_t k = 0; k < plan.box_count; k++) context += plan.boxes[k].is_context;
    cr_expect_eq(plan.box_count, cases[i].boxes, "%s: %zu boxes", cases[i].focus, plan.box_count);
    cr_expect_eq(clusters(&plan), cases[i].clusters, "%s: %zu clusters", cases[i].focus, clusters(&plan));
    cr_expect_eq(context, cases[i].context, "%s: %zu around it", cases[i].focus, context);
    cr_expect_eq(coloured_ticks(&plan), cases[i].ticks, "%s: %g ticks", cases[i].focus, coloured_ticks(&plan));
    cr_expect_eq(plan.edge_count, cases[i].boxes - 1, "%s: a chain, %zu edges", cases[i].focus, plan.edge_count);
    cr_expect_eq(plan.total.ticks, 36);
    tiny_clear(&t);
  }
}

Test(dot_plan, a_large_module_in_focus_is_opened_at_least_once) {
  tiny t = {0};
  tower(&t, 2, 20, 10);
  etr_dot_plan plan = plan_for(&t, (etr_dot_options){.focus = "layer1"});
  cr_expect_eq(plan.levels, 1);
  cr_expect_eq(plan.box_count, 20 + 2); /* its blocks, the other layer, the output */
  tiny_clear(&t);
}

Test(dot_plan, top) {
  tiny t = {0};
  tower(&t, 3, 3, 6);
  uint32_t hot[] = {2 + 18 + 6 + 2, 2 + 18 + 6 + 3}; /* layer1.block1: third and fourth of six */
  tiny_time(&t, hot[0], 50);
  tiny_time(&t, hot[1], 90);
  etr_dot_plan plan = plan_for(&t, (etr_dot_options){.top = 2});
  /* x, layer0, block0, two in a row, the two, two in a row, block2, layer2, output */
  cr_assert_eq(plan.box_count, 10);
  cr_expect_eq(clusters(&plan), 2);
  cr_expect_eq(plan.edge_count, 9);
  double ticks = 0;
  for (size_t i = 0; i < plan.box_count; i++) ticks += plan.boxes[i].sum.ticks;
  cr_expect_eq(ticks, 52 + 140, "nothing is lost: %g", ticks);
  cr_expect_eq(coloured_ticks(&plan), 140);
  cr_expect_eq(plan.hottest, 90);
  cr_expect_eq(plan.choice.top_ticks, 140);
  cr_expect_eq(plan.boxes[4].rank, 2);
  cr_expect_eq(plan.boxes[5].rank, 1);
  cr_expect(etr_dot_is_run(&plan.boxes[3]) && plan.boxes[3].sum.ops == 2 && plan.boxes[3].is_context);
  cr_expect(!etr_dot_is_run(&plan.boxes[4]) && !etr_dot_is_run(&plan.boxes[1]));
  tiny_clear(&t);
}

Test(dot_plan, top_of_more_than_there_is_draws_all) {
  tiny t = {0};
  tower(&t, 2, 2, 3);
  etr_dot_plan plan = plan_for(&t, (etr_dot_options){.top = 1000});
  cr_expect_eq(plan.choice.top, 12);
  cr_expect_eq(plan.box_count, 14);
  cr_expect_not(plan.has_closed);
  tiny_clear(&t);
}

Test(dot_plan, top_within_a_focus) {
  tiny t = {0};
  tower(&t, 3, 3, 6);
  tiny_time(&t, 2, 500); /* layer0: not in focus */
  etr_dot_plan plan = plan_for(&t, (etr_dot_options){.focus = "layer1", .top = 1});
  cr_expect_eq(plan.choice.top_ticks, 1);
  cr_expect_eq(plan.choice.rank[2 + 18], 1, "of equal ones the first");
  cr_expect_eq(plan.box_count, 1 + 1 + 1 + 2 + 1); /* layer0, the node, the rest of its block, two blocks, layer2 */
  tiny_clear(&t);
}

Test(dot_plan, nothing_to_choose) {
  tiny t = {0};
  etr_dot_plan plan;
  etr_scopes scopes;
  etr_error error;
  tower(&t, 2, 2, 3);
  const etr_graph *graph = &tiny_profile(&t)->graphs[0];
  cr_assert_eq(etr_scopes_build(&scopes, &t.arena, graph), ETR_OK);
  cr_expect_eq(etr_dot_plan_build(&plan, &t.arena, graph, &scopes, &(etr_dot_options){.focus = "layer"}, &error), ETR_ERROR_CHOICE);
  cr_expect_str_eq(error.message, "edge/forward has no node in a module layer; there are: layer0 layer1 layer0.block0 layer0.block1 layer1.block0 "
                                  "layer1.block1");
  t.times.count = 0;
  graph = &tiny_profile(&t)->graphs[0];
  cr_expect_eq(etr_dot_plan_build(&plan, &t.arena, graph, &scopes, &(etr_dot_options){.top = 1}, &error), ETR_ERROR_CHOICE);
  cr_expect_str_eq(error.message, "no node of edge/forward was timed: there is no top to draw");
  tiny_clear(&t);
}
