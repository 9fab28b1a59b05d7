/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contents of a picture: open levels, sums, edges.
 */
#include "dot/dot_plan.h"
#include "fixture.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>

/* Builds layers of blocks of operators, in one chain. Each operator takes 1 tick and uses a weight.
 */
static void tower(tiny *t, int layers, int blocks, int ops) {
  uint32_t last = tiny_node(t, ETR_NODE_INPUT, "x", "x", 0);
  uint32_t weight = tiny_node(t, ETR_NODE_PARAMETER, "p_w", "w", 0);
  for (int i = 0; i < layers; i++) {
    uint32_t layer = tiny_module(t, 0, etr_arena_format(&t->arena, "layer%d", i), "");
    for (int j = 0; j < blocks; j++) {
      uint32_t block = tiny_module(t, layer, etr_arena_format(&t->arena, "layer%d.block%d", i, j),
                                   "");
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
  const etr_profile *profile = tiny_profile(t);
  const etr_graph *graph = &profile->graphs[0];
  cr_assert_eq(etr_scopes_build(&plan.scopes, &t->arena, graph), ETR_OK);
  cr_assert_eq(etr_dot_plan_build(&plan, &t->arena, profile, graph, &options, NULL), ETR_OK);
  return plan;
}

static etr_dot_plan plan_of(tiny *t, int depth) {
  return plan_for(t, (etr_dot_options){.depth = depth});
}

static size_t clusters(const etr_dot_plan *plan) {
  size_t count = 0;
  for (uint32_t i = 0; i < plan->scopes.count; i++)
    count += plan->cluster_of[i] == i;
  return count;
}

Test(dot_plan, levels_open_until_the_page_is_full) {
  static const struct {
    int layers, blocks, ops, depth;
    uint32_t levels;
    size_t boxes, clusters; /* boxes with input and output */
  } cases[] = {
      {3, 5, 10, 0, 2, 152, 18}, /* 150 operators: all open */
      {3, 5, 11, 0, 1, 17, 3},   /* one more each: down to the blocks */
      {30, 5, 2, 0, 0, 32, 0},   /* 150 blocks, input and output are too many */
      {29, 5, 2, 0, 1, 147, 29}, /* 145 are not */
      {2, 74, 2, 0, 1, 150, 2},  {3, 5, 11, 1, 1, 17, 3}, /* as asked */
      {3, 5, 11, 2, 2, 167, 18}, {3, 5, 11, 99, 2, 167, 18}, {3, 5, 11, -1, 2, 167, 18},
      {3, 5, 1, 1, 1, 17, 3}, /* blocks of one operator are neither clusters nor closed */
      {3, 5, 1, 2, 2, 17, 3},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    tower(&t, cases[i].layers, cases[i].blocks, cases[i].ops);
    etr_dot_plan plan = plan_of(&t, cases[i].depth);
    cr_expect_eq(plan.levels, cases[i].levels, "case %zu: %u levels", i, plan.levels);
    cr_expect_eq(plan.box_count, cases[i].boxes, "case %zu: %zu boxes", i, plan.box_count);
    cr_expect_eq(clusters(&plan), cases[i].clusters, "case %zu: %zu clusters", i, clusters(&plan));
    cr_expect_eq(plan.edge_count, cases[i].boxes - 1, "case %zu: a chain, %zu edges", i,
                 plan.edge_count);
    tiny_clear(&t);
  }
}

Test(dot_plan, every_node_is_in_one_box) {
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
    for (size_t i = 0; i < plan.edge_count; i++)
      uses += plan.edges[i].uses;
    cr_expect_eq(ticks, 240);
    cr_expect_eq(ops, 240);
    cr_expect_eq(drawn, 242);
    cr_expect_eq(uses, 2 * (plan.box_count - 2) + 1, "depth %d: inner edges are in the boxes",
                 depth);
    cr_expect_eq(plan.total.ticks, 240);
    tiny_clear(&t);
  }
}

Test(dot_plan, a_scope_has_the_sum_of_its_nodes) {
  tiny t = {0};
  tower(&t, 2, 2, 3);
  t.times.data[2].match = ETR_MATCH_ALIGNED;
  t.times.data[2].is_estimated = true;
  for (uint32_t i = 2; i < 8; i++)
    t.times.data[i].backend = "XnnpackBackend"; /* all of layer0, in two calls */
  t.times.data[7].delegate_instruction = 4;
  etr_dot_plan plan = plan_of(&t, 1);
  cr_assert_eq(plan.box_count, 6);
  cr_assert_eq(plan.delegate_count, 2);
  cr_expect_eq(plan.delegates[0].ops, 5);
  cr_expect_eq(plan.delegates[1].ops, 1);
  const etr_dot_sum *first = &plan.boxes[1].sum, *second = &plan.boxes[2].sum,
                    *third = &plan.boxes[3].sum;
  cr_expect(first->estimated && !second->estimated);
  cr_expect(first->delegated == 3 && !first->several_delegates && first->delegate == 0);
  cr_expect(second->delegated == 3 && second->several_delegates && second->delegate == 0);
  cr_expect(third->delegated == 0 && third->delegate == ETR_NONE);
  cr_expect_eq(plan.hottest, 3);
  tiny_clear(&t);
}

/* ---- Focus and top ---- */

static double colored_ticks(const etr_dot_plan *plan) {
  double ticks = 0;
  for (size_t i = 0; i < plan->box_count; i++)
    ticks += plan->boxes[i].is_context ? 0 : plan->boxes[i].sum.ticks;
  return ticks;
}

static bool is_within(const etr_graph *graph, uint32_t module, uint32_t around) {
  while (module != around && graph->modules[module].parent != ETR_NONE)
    module = graph->modules[module].parent;
  return module == around;
}

/* Opens a fixture with the averages of all runs: some guests ran in the first run only. */
static etr_profile *open_with_all_runs(const char *name) {
  const etr_options options = {.skip = ETR_SKIP_NONE, .statistic = ETR_STATISTIC_AVG};
  char path[512];
  etr_inputs inputs;
  etr_profile *profile = NULL;
  snprintf(path, sizeof path, FIXTURES "/%s", name);
  cr_assert_eq(etr_inputs_find(&inputs, path, NULL, NULL), ETR_OK);
  cr_assert_eq(etr_profile_open(&profile, &inputs, &options, NULL), ETR_OK);
  etr_inputs_clear(&inputs);
  return profile;
}

/* Returns the time of the record's nodes in a module, including the modules inside. */
static double time_in(const etr_graph *graph, uint32_t module) {
  double ticks = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->times[i].runs > 0 && is_within(graph, graph->nodes[i].module, module))
      ticks += graph->times[i].avg;
  return ticks;
}

/* A cluster's time exceeds that of its module only by the quantizers that its label mentions. */
Test(dot_plan, clusters_have_the_times_of_their_modules) {
  static const char *const names[] = {"quantized_xnnpack", "mv2_xnnpack", "vit_xnnpack",
                                      "llama_xnnpack"};
  bool any_guests = false;
  for (size_t i = 0; i < ETR_COUNT(names); i++) {
    etr_profile *profile = open_with_all_runs(names[i]);
    const etr_graph *graph = &profile->graphs[profile->methods[0].graph];
    etr_arena arena = {0};
    etr_dot_plan plan;
    cr_assert_eq(etr_scopes_build(&plan.scopes, &arena, graph), ETR_OK);
    cr_assert_eq(etr_dot_plan_build(&plan, &arena, profile, graph, NULL, NULL), ETR_OK);
    for (size_t k = 0; k < plan.scopes.count; k++) {
      const etr_dot_sum *sum = &plan.scope_sums[k];
      if (plan.scopes.list[k].module == ETR_NONE)
        continue;
      double own = time_in(graph, plan.scopes.list[k].module);
      any_guests |= sum->guest_ticks > 0;
      cr_expect_float_eq(sum->ticks - sum->guest_ticks, own, 1e-6 * own + 1e-6, "%s: %s", names[i],
                         plan.scopes.list[k].label);
    }
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
  cr_expect(any_guests);
}

Test(dot_plan, a_focus_opens_its_module_only) {
  static const struct {
    const char *focus;
    int depth;
    size_t boxes, clusters, context;
    double ticks;
  } cases[] = {
      {"layer1", 0, 3 * 4 + 2, 4, 2,
       12}, /* its blocks with their operators, the layers before and behind */
      {"layer1", 1, 3 + 2, 1, 2, 12}, /* depth counts from the module */
      {"layer1.block0", 0, 4 + 2, 2, 2,
       4}, /* layer1 is a frame; before it layer0, behind it layer1.block1 */
      {"layer1.block1", 0, 4 + 2, 2, 2, 4}, /* neighbors inside layer1 */
      {"layer0.block0", 0, 4 + 2, 2, 2, 4}, /* the input is a neighbor, too */
      {"", 0, 3 * 3 * 4 + 2, 12, 2, 36},    /* all operators; input and output are around them */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    tower(&t, 3, 3, 4);
    etr_dot_plan plan = plan_for(
        &t, (etr_dot_options){.focus = cases[i].focus, .depth = cases[i].depth});
    size_t context = 0;
    for (size_t k = 0; k < plan.box_count; k++)
      context += plan.boxes[k].is_context;
    cr_expect_eq(plan.box_count, cases[i].boxes, "%s: %zu boxes", cases[i].focus, plan.box_count);
    cr_expect_eq(clusters(&plan), cases[i].clusters, "%s: %zu clusters", cases[i].focus,
                 clusters(&plan));
    cr_expect_eq(context, cases[i].context, "%s: %zu around it", cases[i].focus, context);
    cr_expect_eq(colored_ticks(&plan), cases[i].ticks, "%s: %g ticks", cases[i].focus,
                 colored_ticks(&plan));
    cr_expect_eq(plan.edge_count, cases[i].boxes - 1, "%s: a chain, %zu edges", cases[i].focus,
                 plan.edge_count);
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

Test(dot_plan, top_opens_the_way_to_the_slowest_nodes) {
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
  for (size_t i = 0; i < plan.box_count; i++)
    ticks += plan.boxes[i].sum.ticks;
  cr_expect_eq(ticks, 52 + 140, "nothing is missing: %g", ticks);
  cr_expect_eq(colored_ticks(&plan), 140);
  cr_expect_eq(plan.hottest, 90);
  cr_expect_eq(plan.choice.top_ticks, 140);
  cr_expect_eq(plan.boxes[4].rank, 2);
  cr_expect_eq(plan.boxes[5].rank, 1);
  cr_expect(etr_dot_is_run(&plan.boxes[3]) && plan.boxes[3].sum.ops == 2 &&
            plan.boxes[3].is_context);
  cr_expect(!etr_dot_is_run(&plan.boxes[4]) && !etr_dot_is_run(&plan.boxes[1]));
  tiny_clear(&t);
}

Test(dot_plan, a_top_above_the_node_count_draws_all) {
  tiny t = {0};
  tower(&t, 2, 2, 3);
  etr_dot_plan plan = plan_for(&t, (etr_dot_options){.top = 1000});
  cr_expect_eq(plan.choice.top, 12);
  cr_expect_eq(plan.box_count, 14);
  cr_expect_not(plan.has_closed);
  tiny_clear(&t);
}

Test(dot_plan, top_is_limited_to_the_focus) {
  tiny t = {0};
  tower(&t, 3, 3, 6);
  tiny_time(&t, 2, 500); /* layer0: not in focus */
  etr_dot_plan plan = plan_for(&t, (etr_dot_options){.focus = "layer1", .top = 1});
  cr_expect_eq(plan.choice.top_ticks, 1);
  cr_expect_eq(plan.choice.rank[2 + 18], 1, "of equal ones the first");
  cr_expect_eq(plan.box_count,
               1 + 1 + 1 + 2 + 1); /* layer0, the node, the rest of its block, two blocks, layer2 */
  tiny_clear(&t);
}

Test(dot_plan, an_unknown_focus_is_refused) {
  tiny t = {0};
  etr_dot_plan plan;
  etr_error error;
  tower(&t, 2, 2, 3);
  const etr_profile *profile = tiny_profile(&t);
  const etr_graph *graph = &profile->graphs[0];
  cr_assert_eq(etr_scopes_build(&plan.scopes, &t.arena, graph), ETR_OK);
  cr_expect_eq(etr_dot_plan_build(&plan, &t.arena, profile, graph,
                                  &(etr_dot_options){.focus = "layer"}, &error),
               ETR_ERROR_CHOICE);
  cr_expect_str_eq(error.message, "edge/forward has no node in module layer; there are: layer0 "
                                  "layer1 layer0.block0 layer0.block1 layer1.block0 "
                                  "layer1.block1");
  t.times.count = 0;
  profile = tiny_profile(&t);
  graph = &profile->graphs[0];
  cr_expect_eq(
      etr_dot_plan_build(&plan, &t.arena, profile, graph, &(etr_dot_options){.top = 1}, &error),
      ETR_ERROR_CHOICE);
  cr_expect_str_eq(error.message, "no node of edge/forward was timed: there is nothing to rank");
  tiny_clear(&t);
}

/* ---- Folding ---- */

static double ticks_of_boxes(const etr_dot_plan *plan) {
  double ticks = 0;
  for (size_t i = 0; i < plan->box_count; i++)
    ticks += plan->boxes[i].sum.ticks;
  return ticks;
}

static etr_dot_plan folded_plan(tiny *t, etr_dot_options options) {
  etr_dot_plan plan;
  const etr_profile *profile = tiny_profile(t);
  const etr_graph *graph = &profile->graphs[0];
  options.fold = true;
  cr_assert_eq(etr_scopes_build_to_fold(&plan.scopes, &t->arena, graph), ETR_OK);
  cr_assert_eq(etr_dot_plan_build(&plan, &t->arena, profile, graph, &options, NULL), ETR_OK);
  return plan;
}

static uint32_t copies_of(const etr_dot_plan *plan, const char *label) {
  for (uint32_t i = 0; i < plan->scopes.count; i++)
    if (strcmp(plan->scopes.list[i].label, label) == 0)
      return etr_dot_copies(&plan->fold, i);
  return 0;
}

static size_t edges_to_next(const etr_dot_plan *plan, uint32_t *uses) {
  size_t count = 0;
  *uses = 0;
  for (size_t i = 0; i < plan->edge_count; i++) {
    count += plan->edges[i].is_next;
    *uses += plan->edges[i].is_next ? plan->edges[i].uses : 0;
  }
  return count;
}

/* The folded layer is drawn once, with the time of all layers. Values between layers are one edge
 * from its end to its beginning. */
Test(dot_plan, equal_layers_are_folded_into_one) {
  static const struct {
    int layers, blocks, ops, depth;
    size_t boxes, clusters; /* boxes with input and output */
    uint32_t uses;          /* of values between layers */
    size_t next;
  } cases[] = {
      {12, 1, 3, 99, 5, 2, 22, 1}, /* all open: a layer, its block */
      {12, 2, 3, 99, 8, 3, 22, 1}, /* blocks that contain only operators are not folded */
      {40, 2, 3, 1, 4, 1, 78, 1},  /* the requested depth */
      {40, 2, 3, -1, 8, 3, 78, 1},
      {12, 2, 3, 0, 4, 1, 22, 1}, /* for a page, what is in a layer stays closed */
      {40, 30, 50, 0, 32, 1, 78, 1},
      {40, 50, 50, 0, 3, 0, 0,
       0}, /* more than fit on it: the layer stays closed, too, without an edge to itself */
      {1, 2, 3, 0, 8, 2, 0, 0}, /* nothing is equal, so nothing is folded */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t uses;
    tower(&t, cases[i].layers, cases[i].blocks, cases[i].ops);
    etr_dot_plan plan = folded_plan(&t, (etr_dot_options){.depth = cases[i].depth});
    size_t next = edges_to_next(&plan, &uses);
    int operators = cases[i].layers * cases[i].blocks * cases[i].ops;
    cr_expect_eq(plan.box_count, cases[i].boxes, "case %zu: %zu boxes", i, plan.box_count);
    cr_expect_eq(clusters(&plan), cases[i].clusters, "case %zu: %zu clusters", i, clusters(&plan));
    cr_expect(next == cases[i].next && uses == cases[i].uses, "case %zu: %zu, %u", i, next, uses);
    cr_expect_eq(ticks_of_boxes(&plan), plan.total.ticks, "case %zu", i);
    cr_expect_eq(plan.total.ticks, operators);
    tiny_clear(&t);
  }
}

static void take_other(tiny *t) {
  t->nodes.data[8].target = "aten.mul.Tensor";
}
static void read_other(tiny *t) {
  ((etr_edge *)etr_for_foreign(t->nodes.data[8].inputs))[1].node = 0;
}
static void run_elsewhere(tiny *t) {
  t->times.data[8].backend = "XnnpackBackend";
}
static void give_other(tiny *t) {
  ((etr_value *)etr_for_foreign(t->nodes.data[8].outputs))->dtype = "float16";
}

/* If one layer of a pattern differs in a node, that layer is drawn separately. */
Test(dot_plan, layers_that_differ_are_not_folded) {
  static void (*const changes[])(tiny *t) = {NULL, take_other, read_other, run_elsewhere,
                                             give_other};
  for (size_t i = 0; i < ETR_COUNT(changes); i++) {
    tiny t = {0};
    tower(&t, 4, 1, 3); /* node 8 is the first of layer2's... of the third layer */
    if (changes[i])
      changes[i](&t);
    etr_dot_plan plan = folded_plan(&t, (etr_dot_options){.depth = 99});
    cr_expect_eq(copies_of(&plan, "layer0"), changes[i] ? 3 : 4, "change %zu: %u", i,
                 copies_of(&plan, "layer0"));
    cr_expect_eq(plan.folded, changes[i] ? 6 : 9, "change %zu: %u", i, plan.folded);
    cr_expect_eq(ticks_of_boxes(&plan), 12);
    tiny_clear(&t);
  }
}

/* Weights are no part of a block: one that several layers share lies in the first of them. */
Test(dot_plan, layers_with_shared_weights_are_folded) {
  tiny t = {0};
  tower(&t, 4, 1, 3);
  for (int i = 0; i < 2; i++)
    tiny_node(&t, i == 0 ? ETR_NODE_PARAMETER : ETR_NODE_BUFFER, "w", "w", t.nodes.data[2].module);
  etr_dot_plan plan = folded_plan(&t, (etr_dot_options){.depth = 99});
  cr_expect_eq(copies_of(&plan, "layer0"), 4, "%u", copies_of(&plan, "layer0"));
  cr_expect_eq(plan.folded, 9);
  tiny_clear(&t);
}

/* A node among the slowest is drawn separately, and so is a module in focus, even if it is one of
 * several equal ones.
 */
Test(dot_plan, folding_keeps_focus_and_top) {
  tiny t = {0};
  tower(&t, 6, 1, 3);
  t.times.data[8].avg = 100;
  t.times.data[8].typical = 100;
  etr_dot_plan plan = folded_plan(&t, (etr_dot_options){.top = 1});
  cr_expect_eq(copies_of(&plan, "layer0"), 5, "%u", copies_of(&plan, "layer0"));
  cr_expect_eq(ticks_of_boxes(&plan), 117);
  plan = folded_plan(&t, (etr_dot_options){.focus = "layer3"});
  for (size_t i = 0, focused = 0; i < plan.box_count; i++) {
    focused += plan.boxes[i].sum.focused;
    if (i + 1 == plan.box_count)
      cr_expect_eq(focused, 3);
  }
  tiny_clear(&t);
}

static double of_first_cluster(const etr_dot_plan *plan, const char *label, uint32_t *copies) {
  for (uint32_t i = 0; i < plan->scopes.count; i++) {
    if (strcmp(plan->scopes.list[i].label, label) != 0)
      continue;
    *copies = etr_dot_copies(&plan->fold, i);
    return plan->fold.median[i];
  }
  return 0;
}

/* Makes an unrolled loop of `steps` steps after one another: each computes with what the one before
 * gave, beginning with an input, by the operators of `letters`. The fifth step is another one if
 * `differs` is set. */
static void unrolled(tiny *t, int steps, const char *letters, bool differs) {
  uint32_t module = tiny_module(t, 0, "loop", "Loop"),
           state = tiny_node(t, ETR_NODE_INPUT, "x", "x", 0), first = state;
  for (int step = 0; step < steps; step++)
    for (const char *at = letters; *at; at++) {
      bool is_other = differs && step == 4 && at == letters;
      const char *target = etr_arena_format(&t->arena, "aten.%c.Tensor", is_other ? 'z' : *at);
      uint32_t node = tiny_node(t, ETR_NODE_OP, etr_arena_format(&t->arena, "n%zu", t->nodes.count),
                                target, module);
      tiny_input(t, node, state, 0);
      if (at == letters)
        tiny_input(t, node, first, 0); /* besides the step before, something that all steps read */
      tiny_time(t, node, step + 1);
      state = node;
    }
  tiny_input(t, tiny_node(t, ETR_NODE_OUTPUT, "output", "output", 0), state, 0);
}

/* Steps of unrolled loops are folded like layers. */
Test(dot_plan, equal_steps_are_folded_into_one) {
  static const struct {
    int steps;
    const char *letters;
    bool differs;
    uint32_t copies, folded;
    double median;
  } cases[] = {
      {8, "abc", false, 7, 18, 15}, /* the first step reads one value twice, and is another one */
      {9, "abcd", true, 3, 20, 12},
      /* four steps before the other one, and four after it */
      {3, "abc", false, 0, 0, 0},  /* the first step aside, they
                                      are two */
      {20, "ab", false, 0, 0, 0},  /* too short */
      {20, "aaa", false, 0, 0, 0}, /* the period is one operator */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t copies = 0;
    unrolled(&t, cases[i].steps, cases[i].letters, cases[i].differs);
    etr_dot_plan plan = folded_plan(&t, (etr_dot_options){.depth = 99});
    double median = of_first_cluster(&plan, "step 1", &copies);
    cr_expect_eq(copies, cases[i].copies, "case %zu: %u", i, copies);
    cr_expect_eq(plan.folded, cases[i].folded, "case %zu: %u", i, plan.folded);
    cr_expect_eq(median, cases[i].median, "case %zu: %f", i, median);
    cr_expect_float_eq(ticks_of_boxes(&plan), plan.total.ticks, 1e-9);
    tiny_clear(&t);
  }
}

/* Adds an operator that reads a node and, unless it is ETR_NONE, another one, and takes a tick. */
static uint32_t step_op(tiny *t, const char *target, uint32_t module, uint32_t read,
                        uint32_t other) {
  uint32_t node = tiny_node(t, ETR_NODE_OP, etr_arena_format(&t->arena, "n%zu", t->nodes.count),
                            target, module);
  tiny_input(t, node, read, 0);
  if (other != ETR_NONE)
    tiny_input(t, node, other, 0);
  tiny_time(t, node, 1);
  return node;
}

/* A loop cuts its input before the first step. The cuts are of one operator, which is no step and
 * has no period: each belongs to the step that alone reads it. */
Test(dot_plan, equal_steps_have_their_part_of_the_input) {
  enum { STEPS = 12 };
  static const struct {
    bool is_read_later, is_read_twice; /* a cut also after the loop; each by two steps */
    uint32_t copies, folded;
  } cases[] = {{false, false, STEPS, (STEPS - 1) * 5},
               {true, false, STEPS, (STEPS - 1) * 4},
               {false, true, STEPS, (STEPS - 1) * 3}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t copies = 0, module = tiny_module(&t, 0, "loop", "Loop"), slices[STEPS], cuts[STEPS],
             x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             state = step_op(&t, "aten.full.default", module, x, ETR_NONE);
    for (int k = 0; k < STEPS; k++)
      slices[k] = step_op(&t, "aten.slice_copy.Tensor", module, x, ETR_NONE);
    for (int k = 0; k < STEPS; k++)
      cuts[k] = step_op(&t, "aten.squeeze_copy.dims", module, slices[k], ETR_NONE);
    for (int k = 0; k < STEPS; k++) {
      uint32_t read = cuts[cases[i].is_read_twice ? k / 2 : k];
      state = step_op(&t, "aten.add.Tensor", module, read, state);
      state = step_op(&t, "aten.sigmoid.default", module, state, ETR_NONE);
      state = step_op(&t, "aten.mul.Tensor", module, state, ETR_NONE);
    }
    state = step_op(&t, "aten.cat.default", module, state,
                    cases[i].is_read_later ? slices[STEPS - 1] : ETR_NONE);
    tiny_input(&t, tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0), state, 0);
    etr_dot_plan plan = folded_plan(&t, (etr_dot_options){.depth = 99});
    (void)of_first_cluster(&plan, "step 1", &copies);
    cr_expect_eq(copies, cases[i].copies, "case %zu: %u", i, copies);
    cr_expect_eq(plan.folded, cases[i].folded, "case %zu: %u", i, plan.folded);
    cr_expect_float_eq(ticks_of_boxes(&plan), plan.total.ticks, 1e-9);
    tiny_clear(&t);
  }
}

/* Whole models. */
Test(dot_plan, folded_fixtures_have_all_their_time) {
  static const struct {
    const char *record, *label;
    uint32_t copies;
    size_t most_boxes;
  } cases[] = {{"vit_xnnpack", "layer_0", 12, 20},
               {"llama_portable", "layers.0", 32, 16},
               {"llama_xnnpack", "layers.0", 16, 16},
               {"p_gru", "step 1", 4, 45},
               {"lstm_xnnpack", "step 1", 5, 50}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_dot_plan plan;
    uint32_t copies = 0;
    etr_profile *profile = open_fixture(cases[i].record);
    const etr_graph *graph = &profile->graphs[0];
    cr_assert_eq(etr_scopes_build_to_fold(&plan.scopes, &arena, graph), ETR_OK);
    cr_assert_eq(
        etr_dot_plan_build(&plan, &arena, profile, graph, &(etr_dot_options){.fold = true}, NULL),
        ETR_OK);
    double median = of_first_cluster(&plan, cases[i].label, &copies);
    cr_expect_eq(copies, cases[i].copies, "%s: %u", cases[i].record, copies);
    cr_expect_leq(plan.box_count, cases[i].most_boxes, "%s: %zu", cases[i].record, plan.box_count);
    cr_expect_float_eq(ticks_of_boxes(&plan), plan.total.ticks, 1e-6 * plan.total.ticks);
    cr_expect(median > 0 && median * copies < plan.total.ticks);
    etr_arena_clear(&arena);
    etr_profile_close(profile);
  }
}
