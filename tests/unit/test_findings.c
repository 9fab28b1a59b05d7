/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Findings on handmade profiles, each with one expensive part, and on a real record.
 */
#include "views/findings.h"
#include "views/kernel_ratio.h"
#include "views/steadiness.h"

#include "tiny_profile.h"

#include <criterion/criterion.h>
#include <math.h>

/* Ticks of the runs of a tiny profile, which are enough for a median. */
enum { EXECUTE = 7500000, RUNS = 3 };

/* Time of delegates and of the runtime, which findings about them are a part of. */
static const etr_part_time parts[] = {
    {.part = ETR_TIME_CALL_OVERHEAD, .backend = "SomeBackend", .ticks = EXECUTE},
    {.part = ETR_TIME_RUNTIME, .ticks = EXECUTE},
};

/* Returns the profile with its totals, on which shares are based. */
static const etr_profile *whole(tiny *t) {
  static const uint64_t execute[RUNS] = {2000000, 3000000, 2500000};
  tiny_profile(t);
  t->method.run_count = RUNS;
  t->method.execute_per_run = execute;
  t->method.execute_ticks = EXECUTE;
  t->method.execute = (etr_stats){.count = RUNS,
                                  .avg = EXECUTE / RUNS,
                                  .min = 2000000,
                                  .max = 3000000,
                                  .p50 = 2500000,
                                  .typical = 2500000};
  t->method.parts = parts;
  t->method.part_count = ETR_COUNT(parts);
  return &t->profile;
}

/* Gives the method the time slices of a block's events, which are as long in each run. Operators in
 * a delegate that add up to more than its call are shares of it. */
static void add_slices(tiny *t, const etr_block *block) {
  static const uint32_t runs[RUNS] = {0, 1, 2};
  static const double weights[RUNS] = {1, 1, 1};
  uint64_t call = 0, operators = 0;
  etr_vec(etr_time_slice) slices = {0};
  for (const etr_event *event = block->events; event < block->events + block->event_count;
       event++) {
    call += event->kind == ETR_EVENT_DELEGATE_CALL ? event->durations[0] : 0;
    operators += event->kind == ETR_EVENT_DELEGATE_OPERATOR ? event->durations[0] : 0;
  }
  for (size_t i = 0; i < block->event_count * RUNS; i++) {
    const etr_event *event = &block->events[i / RUNS];
    bool is_kernel = event->kind == ETR_EVENT_KERNEL;
    if (!is_kernel && event->kind != ETR_EVENT_DELEGATE_OPERATOR)
      continue;
    *etr_vec_push(&t->arena, &slices) = (etr_time_slice){
        .ticks = is_kernel || operators <= call ? event->durations[0]
                                                : event->durations[0] * call / operators,
        .event = event,
        .run = (uint32_t)(i % RUNS),
        .node = event->node_count ? event->nodes[0] : ETR_NONE,
        .part = event->node_count ? ETR_TIME_OPERATORS : ETR_TIME_UNPLACED};
  }
  t->method.time_slice_count = slices.count;
  for (size_t i = 0; i < block->event_count * RUNS; i++) {
    const etr_event *event = &block->events[i / RUNS];
    if (event->kind == ETR_EVENT_FRAMEWORK) /* the call of the kernel in front of it */
      *etr_vec_push(&t->arena, &slices) = (etr_time_slice){
          .ticks = event->durations[0] - ETR_MIN(event->durations[0], event[-1].durations[0]),
          .event = event,
          .run = (uint32_t)(i % RUNS),
          .node = event[-1].nodes[0],
          .part = ETR_TIME_RUNTIME};
  }
  t->method.runs = runs;
  t->profile.run_count = RUNS;
  t->method.typical = (etr_typical_run){weights, RUNS};
  t->method.time_slices = slices.data;
  t->method.runtime_slice_count = slices.count - t->method.time_slice_count;
}

/* Makes the profile, of which the method has one block with the slices of its events. */
static void with_block(tiny *t, const etr_block *block) {
  whole(t);
  add_slices(t, block);
  t->profile.blocks = block;
  t->profile.block_count = 1;
}

/* Returns the finding of a kind, or NULL. */
static const etr_finding *find(tiny *t, const etr_profile *profile, etr_finding_kind kind) {
  etr_findings found;
  const etr_finding *result = NULL;
  static const uint32_t blocks[] = {0};
  t->method.blocks = blocks;
  t->method.block_count = profile->block_count;
  cr_assert(etr_findings_make(&found, &t->arena, profile, &profile->methods[0], ETR_UNIT_MS));
  for (size_t i = 0; i < found.count; i++)
    if (found.list[i].kind == kind)
      result = &found.list[i];
  return result;
}

static uint32_t op(tiny *t, const char *name, const char *target, uint32_t input) {
  uint32_t node = tiny_node(t, ETR_NODE_OP, name, target, 0);
  if (input != ETR_NONE)
    tiny_input(t, node, input, 0);
  return node;
}

/* Adds a node inside a delegate of a backend. */
static uint32_t delegated(tiny *t, const char *name, int32_t instruction, const char *backend,
                          uint32_t input) {
  uint32_t node = op(t, name, "aten.linear.default", input);
  etr_node_time *time = tiny_time(t, node, 1000);
  time->delegate_instruction = instruction;
  time->backend = backend;
  return node;
}

static etr_event_kind kind_of(const char *name, const char *delegate_id) {
  if (delegate_id)
    return ETR_EVENT_DELEGATE_OPERATOR;
  if (strncmp(name, "native_call", 11) == 0)
    return ETR_EVENT_KERNEL;
  return strcmp(name, "DELEGATE_CALL") == 0 ? ETR_EVENT_DELEGATE_CALL : ETR_EVENT_FRAMEWORK;
}

/* Makes an event that takes ticks[0] in each run. */
static etr_event event_of(const char *name, int32_t instruction, const uint64_t *ticks,
                          const uint32_t *node, const char *delegate_id) {
  static const uint32_t runs[RUNS] = {0, 1, 2};
  return (etr_event){
      .name = name,
      .instruction_id = instruction,
      .delegate_id = delegate_id,
      .label = name,
      .kind = kind_of(name, delegate_id),
      .role = delegate_id ? ETR_ROLE_OPERATOR : ETR_ROLE_NONE,
      .is_in_sums = delegate_id != NULL,
      .nodes = node,
      .node_count = node != NULL,
      .is_inserted = !node &&
                     (strncmp(name, "Transpose", 9) == 0 || strncmp(name, "Convert", 7) == 0),
      .match = delegate_id && !node ? ETR_MATCH_DELEGATE
               : node               ? ETR_MATCH_HANDLE
                                    : ETR_MATCH_FRAMEWORK,
      .durations = ticks,
      .starts = ticks,
      .sample_runs = runs,
      .sample_count = RUNS,
      .stats = {.count = RUNS, .typical = (double)ticks[0], .p50 = (double)ticks[0]}};
}

/* Delegates a and b of two instructions, between them: one operator that ran, a view that did not,
 * and `beside`, which only reads a. */
static void make_between(tiny *t, const char *first, const char *second, const char *target,
                         uint64_t ticks, etr_delegate delegates[2]) {
  delegates[0] = (etr_delegate){.instruction_id = 0, .backend = first};
  delegates[1] = (etr_delegate){.instruction_id = 3, .backend = second};
  uint32_t x = tiny_node(t, ETR_NODE_INPUT, "x", "x", 0), a = delegated(t, "a", 0, first, x),
           between = op(t, "between", target, a),
           view = op(t, "view", "aten.alias.default", between),
           beside = op(t, "beside", "aten.sin.default", a), b = delegated(t, "b", 3, second, view);
  tiny_input(t, b, x, 0);
  tiny_time(t, between, ticks);
  tiny_time(t, beside, 500000);
  whole(t);
  t->graph.dialect = "edge";
  t->method.delegates = delegates;
  t->method.delegate_count = 2;
}

/* Padded before, the partitioner takes them. */
Test(findings, padded_pools_cut_delegates) {
  static const etr_argument one[] = {{.name = "padding", .value = "[1, 1]"}},
                            none[] = {{.name = "padding", .value = "[0, 0]"}};
  tiny t = {0};
  etr_delegate delegates[2];
  make_between(&t, "XnnpackBackend", "XnnpackBackend", "aten.avg_pool2d.default", 100000,
               delegates);
  for (size_t i = 0; i < t.nodes.count; i++)
    if (strcmp(t.nodes.data[i].name, "between") == 0) {
      t.nodes.data[i].arguments = one;
      t.nodes.data[i].argument_count = 1;
    }
  const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FALLBACK);
  cr_assert_not_null(finding);
  cr_expect_eq(finding->variant, ETR_VARIANT_PADDED);
  cr_expect_not_null(strstr(etr_finding_code_of(finding)->after, "pad(x"));
  cr_expect_not_null(strstr(finding->evidence, "count_include_pad"));
  for (size_t i = 0; i < t.nodes.count; i++)
    if (strcmp(t.nodes.data[i].name, "between") == 0)
      t.nodes.data[i].arguments = none;
  finding = find(&t, &t.profile, ETR_FINDING_FALLBACK);
  cr_assert_not_null(finding, "the partitioner takes it");
  cr_expect_neq(finding->variant, ETR_VARIANT_PADDED);
  tiny_clear(&t);
}

/* Torch adds them to pools of channels-last images. */
Test(findings, pools_of_channels_last_images_cut_delegates) {
  static const etr_dim sizes[] = {{.size = 1}, {.size = 8}, {.size = 1}, {.size = 1}};
  static const etr_value pooled = {
      .name = "p", .dtype = "float32", .dims = sizes, .rank = ETR_COUNT(sizes)};
  tiny t = {0};
  etr_delegate delegates[2];
  make_between(&t, "XnnpackBackend", "XnnpackBackend", "aten.as_strided_copy.default", 100000,
               delegates);
  cr_expect_null(find(&t, &t.profile, ETR_FINDING_FALLBACK));
  for (size_t i = 0; i < t.nodes.count; i++)
    if (strcmp(t.nodes.data[i].name, "between") == 0 || strcmp(t.nodes.data[i].name, "view") == 0) {
      t.nodes.data[i].target = "aten.as_strided_copy.default";
      t.nodes.data[i].outputs = &pooled;
    }
  const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FALLBACK);
  cr_assert_not_null(finding);
  cr_expect_str_eq(finding->fact, "1 as_strided_copy between them: write adaptive_avg_pool2d as "
                                  "mean((2, 3), keepdim=True)");
  cr_expect(strstr(finding->evidence, "of a channels-last image") &&
                !strstr(finding->evidence, "a tenth to half"), /* nothing is written instead */
            "%s", finding->evidence);
  cr_expect_eq(finding->variant, ETR_VARIANT_POOLS);
  cr_expect_not_null(etr_finding_code_of(finding));
  tiny_clear(&t);
}

Test(findings, operators_between_delegates_are_found) {
  static const struct {
    const char *first, *second; /* backends */
    const char *target;
    uint64_t ticks; /* of the kernel, in each run */
    bool found;
  } cases[] = {
      {"XnnpackBackend", "XnnpackBackend", "aten.sum.dim_IntList", 100000, true},
      {"XnnpackBackend", "VulkanBackend", "aten.sum.dim_IntList", 100000, false},
      {"XnnpackBackend", "XnnpackBackend", "aten.sum.dim_IntList", 20000, false}, /* below 1 % */
      /* Nothing does the same that XNNPACK takes: it stays, and so do two delegates. */
      {"XnnpackBackend", "XnnpackBackend", "aten.erf.default", 100000, false},
      {"VulkanBackend", "VulkanBackend", "aten.sum.dim_IntList", 100000, true},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    etr_delegate delegates[2];
    make_between(&t, cases[i].first, cases[i].second, cases[i].target, cases[i].ticks, delegates);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FALLBACK);
    cr_expect_eq(finding != NULL, cases[i].found, "case %zu", i);
    if (finding) {
      bool is_known = strcmp(cases[i].first, "XnnpackBackend") == 0;
      cr_expect(finding->node_count == 1 &&
                strcmp(t.nodes.data[finding->nodes[0]].name, "between") == 0);
      cr_expect_str_eq(finding->title, is_known ? "Join 2 XNNPACK delegates into one"
                                                : "Join 2 Vulkan delegates into one");
      cr_expect_str_eq(finding->fact, is_known ? "rewrite 1 sum and 1 alias between them"
                                               : "1 sum and 1 alias are between them");
      cr_expect_eq(strstr(finding->evidence, "no configuration: write it as a linear layer") !=
                       NULL,
                   is_known);
      cr_expect_eq(strstr(finding->evidence, "is not known here") != NULL, !is_known);
      cr_expect_eq(finding->sureness, ETR_POSSIBLE);
      /* What is written instead takes a tenth to half of its time; of other partitioners nothing is
       * known. */
      static const char known[] = "Could save 0.0500 ms to 0.0900 ms, 2.0 % to 3.6 % of "
                                  "the typical run; ",
                        unknown[] = "What it could save is not known: a part of 0.100 ms; ";
      const char *begin = is_known ? known : unknown;
      cr_expect(strncmp(finding->saving, begin, strlen(begin)) == 0, "%s", finding->saving);
      cr_expect_eq(isnan(finding->potential), !is_known);
    }
    tiny_clear(&t);
  }
}

/* What calling takes is what its phases say, not its time without nodes: that may be computing. Of
 * two calls that become one the longer one stays, so the shorter one is saved, and not their mean.
 */
Test(findings, overhead_of_merged_delegates_needs_operators) {
  static const uint64_t ticks[] = {11000, 11000, 11000};
  for (int has_operator = 0; has_operator <= 1; has_operator++) {
    tiny t = {0};
    etr_delegate delegates[2];
    make_between(&t, "XnnpackBackend", "XnnpackBackend", "aten.sum.dim_IntList", 100000, delegates);
    const char *name = has_operator ? "op" : NULL;
    const etr_event events[] = {
        event_of("DELEGATE_CALL", 0, ticks, NULL, NULL), event_of("op", 0, ticks, NULL, name),
        event_of("DELEGATE_CALL", 3, ticks, NULL, NULL), event_of("op", 3, ticks, NULL, name)};
    const etr_block block = {
        .name = "Execute", .run_count = RUNS, .method = 0, .events = events, .event_count = 4};
    etr_time_slice slices[4];
    for (size_t i = 0; i < ETR_COUNT(slices); i++)
      slices[i] = (etr_time_slice){.ticks = i < 2 ? 50000 : 20000,
                                   .event = &events[i < 2 ? 0 : 2],
                                   .run = i % 2,
                                   .node = ETR_NONE,
                                   .part = ETR_TIME_CALL_OVERHEAD};
    t.method.time_slices = slices;
    t.method.time_slice_count = ETR_COUNT(slices);
    t.profile.blocks = &block;
    t.profile.block_count = 1;
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FALLBACK);
    cr_assert_not_null(finding);
    cr_expect_float_eq(finding->potential, has_operator ? 110000 : 90000, 1e-6, "%f",
                       finding->potential);
    cr_expect_float_eq(finding->least, has_operator ? 70000 : 50000, 1e-6, "%f", finding->least);
    cr_expect_eq(strstr(finding->evidence, "0.0200 ms to 0.0500 ms each") != NULL, has_operator,
                 "%s", finding->evidence);
    tiny_clear(&t);
  }
}

/* Three delegates, and an operator that no delegate takes between the last two: only the first two
 * merge. */
Test(findings, delegates_that_others_cut_do_not_merge) {
  tiny t = {0};
  static const etr_delegate delegates[] = {{.instruction_id = 0, .backend = "XnnpackBackend"},
                                           {.instruction_id = 2, .backend = "XnnpackBackend"},
                                           {.instruction_id = 4, .backend = "XnnpackBackend"}};
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
           a = delegated(&t, "a", 0, "XnnpackBackend", x),
           sum = op(&t, "sum", "aten.sum.dim_IntList", a),
           b = delegated(&t, "b", 2, "XnnpackBackend", sum),
           other = op(&t, "other", "aten.linear.default", b),
           c = delegated(&t, "c", 4, "XnnpackBackend", other);
  tiny_time(&t, sum, 100000);
  t.times.data[other].delegate_instruction = 6; /* of another backend */
  t.times.data[other].backend = "VulkanBackend";
  cr_assert(c);
  whole(&t);
  const etr_delegate all[] = {
      delegates[0], delegates[1], delegates[2], {.instruction_id = 6, .backend = "VulkanBackend"}};
  t.graph.dialect = "edge";
  t.method.delegates = all;
  t.method.delegate_count = ETR_COUNT(all);
  const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FALLBACK);
  cr_assert_not_null(finding);
  cr_expect_str_eq(finding->title, "Join 3 XNNPACK delegates into 2");
  tiny_clear(&t);
}

/* The graph is of before a pass that removed the expand: it neither ran nor is a view. */
Test(findings, operators_that_are_not_in_the_program_are_not_between_delegates) {
  tiny t = {0};
  etr_delegate delegates[2];
  make_between(&t, "XnnpackBackend", "XnnpackBackend", "aten.sum.dim_IntList", 100000, delegates);
  t.nodes.data[3].target = "aten.expand_copy.default"; /* the view */
  const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FALLBACK);
  cr_assert_not_null(finding);
  cr_expect_str_eq(finding->fact, "rewrite 1 sum between them");
  tiny_clear(&t);
}

Test(findings, operators_not_between_delegates_are_not_found) {
  tiny t = {0};
  const etr_delegate delegates[] = {{.instruction_id = 0, .backend = "XnnpackBackend"}};
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
           a = delegated(&t, "a", 0, "XnnpackBackend", x),
           behind = op(&t, "behind", "aten.erf.default", a);
  tiny_time(&t, behind, 100000);
  whole(&t);
  t.method.delegates = delegates;
  t.method.delegate_count = 1;
  cr_expect_null(find(&t, &t.profile, ETR_FINDING_FALLBACK));
  tiny_clear(&t);
}

/* Gives a node one output and an argument `dim`. */
static void set_value(tiny *t, uint32_t node, const etr_dim *dims, int32_t rank, const char *dim) {
  etr_value *value = etr_arena_alloc(&t->arena, sizeof *value);
  etr_argument *argument = etr_arena_alloc(&t->arena, sizeof *argument);
  *value = (etr_value){.name = "v", .dtype = "float32", .dims = dims, .rank = rank};
  *argument = (etr_argument){.name = "dim", .value = dim};
  t->nodes.data[node].outputs = value;
  t->nodes.data[node].arguments = argument;
  t->nodes.data[node].argument_count = 1;
}

/* A kernel behind a delegate is rewritten if a rule for dimensions leaves it out. */
Test(findings, kernels_that_a_partitioner_takes_if_rewritten_are_found) {
  static const struct {
    const char *target, *dim, *title;
    int32_t rank; /* of the result */
    double least;
  } cases[] = {
      {"aten._softmax.default", "1", "Write 1 softmax over the last dimension", 4, NAN},
      {"aten._softmax.default", "-1", NULL, 4, 0}, /* taken */
      {"aten.mean.dim", "[2, 3]", "Keep the dimensions of 1 mean", 2, 500000 * (1 - 2 / 3.3)},
      {"aten.mean.dim", "[1]", NULL, 3, 0},     /* of no height and width */
      {"aten.erf.default", "[1]", NULL, 4, 0}}; /* nothing is known to write instead */
  static const etr_dim dims[] = {{.size = 1, .hint = -1},
                                 {.size = 8, .hint = -1},
                                 {.size = 16, .hint = -1},
                                 {.size = 32, .hint = -1}};
  const etr_delegate delegates[] = {{.instruction_id = 0, .backend = "XnnpackBackend"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             a = delegated(&t, "a", 0, "XnnpackBackend", x),
             behind = op(&t, "behind", cases[i].target, a);
    set_value(&t, a, dims, 4, "");
    set_value(&t, behind, dims, cases[i].rank, cases[i].dim);
    tiny_time(&t, behind, 500000);
    whole(&t);
    t.graph.dialect = "edge";
    t.method.delegates = delegates;
    t.method.delegate_count = 1;
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_REWRITE);
    cr_assert_eq(finding != NULL, cases[i].title != NULL, "case %zu", i);
    if (finding) {
      cr_expect_str_eq(finding->title, cases[i].title);
      cr_expect_eq(finding->effort, ETR_EFFORT_CHANGE_MODEL);
      cr_expect_eq(finding->sureness, ETR_LIKELY);
      cr_expect_not_null(etr_finding_code_of(finding));
      cr_expect_null(strstr(finding->fact, "..."), "%s", finding->fact);
      cr_expect_eq(isnan(finding->least), isnan(cases[i].least), "case %zu", i);
      cr_expect(!(fabs(finding->least - cases[i].least) > 1), "%f", finding->least);
      cr_expect(finding->potential <= 500000 && finding->potential > 400000, "%f",
                finding->potential);
      cr_expect_null(find(&t, &t.profile, ETR_FINDING_LESS_WORK));
    }
    tiny_clear(&t);
  }
}

Test(findings, work_on_constants_is_found) {
  tiny t = {0};
  uint32_t w = tiny_node(&t, ETR_NODE_PARAMETER, "p_w", "w", 0),
           cache = tiny_node(&t, ETR_NODE_BUFFER, "b", "b", 0),
           x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
           size = op(&t, "sym_size", "aten.sym_size.int", x),
           first = op(&t, "permute", "aten.permute_copy.default", w),
           second = op(&t, "permute_1", "aten.permute_copy.default", first),
           full = op(&t, "full", "aten.full.default", ETR_NONE),
           noise = op(&t, "rand", "aten.rand.default", ETR_NONE),
           expand = op(&t, "expand", "aten.expand_copy.default", w),
           cached = op(&t, "slice", "aten.slice_copy.Tensor", cache),
           mm = op(&t, "mm", "aten.mm.default", x);
  tiny_input(&t, expand, size, 0); /* depends on the input */
  tiny_input(&t, mm, second, 0);
  const uint32_t timed[] = {first, second, full, noise, expand, cached, mm};
  for (size_t i = 0; i < ETR_COUNT(timed); i++)
    tiny_time(&t, timed[i], 100000);
  whole(&t);
  t.nodes.data[cache].is_written = true;
  const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_CONSTANTS);
  cr_assert_not_null(finding);
  cr_expect_str_eq(finding->title, "Compute 3 constant operators at export");
  cr_expect(strstr(finding->fact, "constant_prop_pass at the export"));
  cr_expect_float_eq(finding->least, 300000, 1e-9);
  cr_expect_eq(finding->effort, ETR_EFFORT_RE_EXPORT);
  cr_expect_float_eq(finding->potential, 300000, 1e-9);
  cr_expect_eq(finding->sureness, ETR_SURE);
  t.nodes.data[cache].is_written = false;
  cr_expect_float_eq(find(&t, &t.profile, ETR_FINDING_CONSTANTS)->potential, 400000, 1e-9);
  /* The lowering makes a transpose of the operator of which it makes the product. */
  t.nodes.data[second].debug_handle = t.nodes.data[mm].debug_handle = 7;
  finding = find(&t, &t.profile, ETR_FINDING_CONSTANTS);
  cr_expect(strstr(finding->fact, "of 1, which the lowering makes"), "%s", finding->fact);
  cr_expect(strstr(etr_finding_code_of(finding)->after, "constant_prop_pass("));
  /* What folds these leaves `full`. */
  for (size_t i = 0; i < ETR_COUNT(timed); i++)
    t.nodes.data[timed[i]].debug_handle = 7;
  finding = find(&t, &t.profile, ETR_FINDING_CONSTANTS);
  cr_expect(strstr(finding->fact, "do_quant_fusion_and_const_prop"), "%s", finding->fact);
  cr_expect(strstr(etr_finding_code_of(finding)->after, "do_quant_fusion_and_const_prop"));
  cr_expect_float_eq(finding->potential, 300000, 1e-9);
  tiny_clear(&t);
}

/* XNNPACK takes a convolution whose weight is folded, and is faster, but not with transposed ones
 * in groups. */
Test(findings, convolutions_of_folded_weights_may_get_slower) {
  static const struct {
    const char *transposed, *groups;
    double potential;
    etr_sureness sureness;
  } cases[] = {
      {"false", "8", 998076.9, ETR_LIKELY},
      {"true", "1", 998076.9, ETR_LIKELY},
      {"true", "8", 300000, ETR_POSSIBLE},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_argument arguments[] = {{.name = "transposed", .value = cases[i].transposed},
                                      {.name = "groups", .value = cases[i].groups}};
    static const etr_delegate delegates[] = {{.instruction_id = 0, .backend = "XnnpackBackend"}};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             w = tiny_node(&t, ETR_NODE_PARAMETER, "p_w", "w", 0),
             folded = op(&t, "mul", "aten.mul.Tensor", w),
             conv = op(&t, "conv", "aten.convolution.default", x);
    tiny_input(&t, conv, folded, 0);
    t.nodes.data[conv].arguments = arguments;
    t.nodes.data[conv].argument_count = ETR_COUNT(arguments);
    tiny_time(&t, folded, 300000);
    tiny_time(&t, conv, 700000);
    const etr_profile *profile = whole(&t);
    t.method.delegates = delegates;
    t.method.delegate_count = ETR_COUNT(delegates);
    const etr_finding *finding = find(&t, profile, ETR_FINDING_CONSTANTS);
    cr_assert_not_null(finding, "case %zu", i);
    cr_expect_eq(finding->sureness, cases[i].sureness, "case %zu", i);
    cr_expect_float_eq(finding->potential, cases[i].potential, 10000, "case %zu: %f", i,
                       finding->potential);
    tiny_clear(&t);
  }
}

Test(findings, copies_are_found) {
  tiny t = {0};
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
           first = op(&t, "permute", "aten.permute_copy.default", x),
           second = op(&t, "permute_1", "aten.permute_copy.default", first),
           expand = op(&t, "expand", "aten.expand_copy.default", x),
           mul = op(&t, "mul", "aten.mul.Tensor", x);
  tiny_time(&t, first, 20000);
  tiny_time(&t, second, 40000);
  tiny_time(&t, expand, 500000);
  tiny_time(&t, mul, 500000);
  etr_findings found;
  const etr_profile *profile = whole(&t);
  t.graph.dialect = ""; /* nothing is known of partitioners */
  cr_assert(etr_findings_make(&found, &t.arena, profile, &profile->methods[0], ETR_UNIT_MS));
  cr_assert_eq(found.count, 2);
  cr_expect_str_eq(found.list[0].title, "Remove 1 expand_copy that changes nothing");
  cr_expect_eq(found.list[0].sureness, ETR_SURE);
  cr_expect_str_eq(found.list[1].title, "Avoid 2 permute_copy");
  cr_expect(found.list[1].nodes[0] == second && found.list[1].nodes[1] == first);
  cr_expect(isnan(found.list[1].potential));
  cr_expect_float_eq(found.list[1].cost, 60000, 1e-9);
  cr_expect(strstr(found.list[1].evidence, "1 read another one's result"), "%s",
            found.list[1].evidence);
  tiny_clear(&t);
}

/* Gives a node an argument. */
static void argue(tiny *t, uint32_t node, const etr_argument *argument) {
  t->nodes.data[node].arguments = argument;
  t->nodes.data[node].argument_count = 1;
}

Test(findings, quantization_that_cancels_is_found) {
  static const etr_argument half = {"scale", "0.5"}, other = {"scale", "0.25"};
  for (int cancels = 0; cancels <= 1; cancels++) {
    tiny t = {0};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             first = op(&t, "dq", "quantized_decomposed.dequantize_per_tensor.default", x),
             second = op(&t, "q", "quantized_decomposed.quantize_per_tensor.default", first);
    argue(&t, first, &half);
    argue(&t, second, cancels ? &half : &other);
    tiny_time(&t, first, 100000);
    tiny_time(&t, second, 200000);
    const etr_finding *finding = find(&t, whole(&t), ETR_FINDING_QUANTIZE_PAIRS);
    cr_expect_eq(finding != NULL, cancels);
    if (finding)
      cr_expect_float_eq(finding->potential, 300000, 1e-9);
    tiny_clear(&t);
  }
}

Test(findings, batch_norms_that_could_be_folded_are_found) {
  for (int is_read_twice = 0; is_read_twice <= 1; is_read_twice++) {
    tiny t = {0};
    uint32_t w = tiny_node(&t, ETR_NODE_PARAMETER, "p_w", "w", 0),
             x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             conv = op(&t, "conv", "aten.convolution.default", x),
             norm = op(&t, "bn", "aten._native_batch_norm_legit_no_training.default", conv),
             early = op(&t, "bn_1", "aten._native_batch_norm_legit_no_training.default", x);
    tiny_input(&t, conv, w, 0);
    if (is_read_twice)
      op(&t, "relu", "aten.relu.default", conv);
    tiny_time(&t, norm, 100000);
    tiny_time(&t, early, 100000);
    const etr_finding *finding = find(&t, whole(&t), ETR_FINDING_BATCH_NORM);
    cr_expect_eq(finding != NULL, !is_read_twice);
    if (finding)
      cr_expect(finding->node_count == 1 && finding->nodes[0] == norm);
    tiny_clear(&t);
  }
}

/* What a method that ran twice points at. */
typedef struct made_runs {
  double weights[RUNS];
  uint64_t execute[RUNS];
  etr_time_slice slices[RUNS];
} made_runs;

/* Lets the method run in 2.5 ms, of which a node takes 2.2 ms by an event. */
static void make_runs(tiny *t, made_runs *runs, uint32_t node, const etr_event *event) {
  for (uint32_t i = 0; i < RUNS; i++) {
    runs->weights[i] = 1;
    runs->execute[i] = 2500000;
    runs->slices[i] = (etr_time_slice){
        .ticks = 2200000, .event = event, .run = i, .node = node, .part = ETR_TIME_OPERATORS};
  }
  t->method.part_count = 0;
  t->method.typical = (etr_typical_run){runs->weights, RUNS};
  t->method.execute_per_run = runs->execute;
  t->method.time_slices = runs->slices;
  t->method.time_slice_count = RUNS;
  t->graph.dialect = "";
}

/* What takes most of the time has a next step, also beside a finding that saves little. */
Test(findings, what_takes_most_has_a_next_step) {
  const etr_type_ratio *type = etr_best_type(ETR_VNNI_THERE, ETR_RATIO_CONVOLUTION);
  etr_ratio ratio;
  cr_assert(type && etr_ratio_of_delegate(&ratio, ETR_SLICE("convolution"), NULL));
  const etr_type_ratio *half = etr_type_named(ETR_VNNI_THERE, ETR_RATIO_CONVOLUTION, "fp16");
  cr_assert_not_null(half);
  const etr_type_ratio *old = etr_best_type(ETR_VNNI_AVX2, ETR_RATIO_CONVOLUTION);
  cr_assert(old && old->low != type->low);
  const struct {
    const char *backend, *dtype;
    etr_vnni vnni; /* the ratios were measured on processors that have it */
    etr_finding_kind kind;
    const char *title;
    double low, high; /* parts of its time; NaN: not known */
    double within;    /* of its time: ratios that follow from two have two digits */
    etr_sureness sureness;
  } cases[] = {
      {"XnnpackBackend", "float32", ETR_VNNI_UNKNOWN, ETR_FINDING_QUANTIZE,
       "Quantize 1 convolution to int8", etr_saved_at(type->low), etr_saved_at(type->high), 1e-6,
       ETR_RULE_OF_THUMB},
      {"XnnpackBackend", "float32", ETR_VNNI_THERE, ETR_FINDING_QUANTIZE,
       "Quantize 1 convolution to int8", etr_saved_at(type->low), etr_saved_at(type->high), 1e-6,
       ETR_LIKELY},
      {"XnnpackBackend", "float32", ETR_VNNI_LACKING, ETR_FINDING_QUANTIZE,
       "Quantize 1 convolution to int8", NAN, etr_saved_at(type->high), 1e-6, ETR_POSSIBLE},
      {"XnnpackBackend", "float32", ETR_VNNI_AVX2, ETR_FINDING_QUANTIZE,
       "Quantize 1 convolution to int8", etr_saved_at(old->low), etr_saved_at(old->high), 1e-6,
       ETR_LIKELY},
      {"XnnpackBackend", "float16", ETR_VNNI_UNKNOWN, ETR_FINDING_QUANTIZE,
       "Quantize 1 convolution to int8", etr_saved_at(type->low / half->high),
       etr_saved_at(type->high / half->low), 0.02, ETR_RULE_OF_THUMB},
      {"XnnpackBackend", "int8", ETR_VNNI_THERE, ETR_FINDING_LESS_WORK,
       "Use a smaller input, or fewer channels", NAN, NAN, 0, ETR_POSSIBLE},
      {"SomeBackend", "float32", ETR_VNNI_UNKNOWN, ETR_FINDING_LESS_WORK,
       "Use a smaller input, or fewer channels", NAN, NAN, 0, ETR_POSSIBLE},
      {NULL, "float32", ETR_VNNI_UNKNOWN, ETR_FINDING_DELEGATE, "Delegate 1 convolution to XNNPACK",
       etr_saved_at(ratio.low / 2), etr_saved_at(ratio.high), 1e-6, ETR_RULE_OF_THUMB},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             conv = op(&t, "conv", "aten.convolution.default", x),
             copy = op(&t, "permute", "aten.permute_copy.default", x);
    const etr_value value = {.name = "conv", .dtype = cases[i].dtype, .rank = -1};
    const etr_event event = {.name = "conv",
                             .backend = cases[i].backend,
                             .kind = cases[i].backend ? ETR_EVENT_DELEGATE_OPERATOR
                                                      : ETR_EVENT_KERNEL};
    made_runs runs;
    tiny_time(&t, conv, 2200000)->backend = cases[i].backend;
    tiny_time(&t, copy, 100000);
    etr_findings found;
    whole(&t);
    t.nodes.data[conv].outputs = &value;
    t.nodes.data[conv].output_count = 1;
    make_runs(&t, &runs, conv, &event);
    t.profile.vnni = cases[i].vnni;
    cr_assert(etr_findings_make(&found, &t.arena, &t.profile, &t.profile.methods[0], ETR_UNIT_MS));
    const etr_finding *lever = NULL;
    for (size_t k = 0; k < found.count; k++)
      if (found.list[k].kind == cases[i].kind)
        lever = &found.list[k];
    cr_assert_not_null(lever, "case %zu", i);
    cr_expect_eq(found.is_nothing_large, isnan(cases[i].high), "case %zu", i);
    cr_expect_str_eq(lever->title, cases[i].title);
    cr_expect(isnan(cases[i].low) ? isnan(lever->least)
                                  : fabs(lever->least / 2200000 - cases[i].low) < cases[i].within,
              "case %zu: %f", i, lever->least);
    cr_expect(isnan(cases[i].high)
                  ? isnan(lever->potential)
                  : fabs(lever->potential / 2200000 - cases[i].high) < cases[i].within,
              "case %zu: %f", i, lever->potential);
    cr_expect_eq(lever->sureness, cases[i].sureness, "case %zu", i);
    tiny_clear(&t);
  }
}

Test(findings, calls_that_exceed_their_operators_are_found) {
  static const struct {
    uint64_t kernel[RUNS], call[RUNS];
    bool found;
  } cases[] = {
      {{10000, 10000, 10000}, {60000, 60000, 60000}, true},
      {{60000, 60000, 60000}, {110000, 110000, 110000}, false}, /* the kernel takes longer */
      {{1000, 1000, 1000}, {10000, 10000, 10000}, false},       /* less than 1 % */
      {{60000, 60000, 60000}, {10000, 10000, 10000}, false},    /* cannot be */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t node = op(&t, "mul", "aten.mul.Tensor", ETR_NONE);
    tiny_time(&t, node, cases[i].kernel[0]);
    const etr_event events[] = {event_of("native_call_mul.out", 0, cases[i].kernel, &node, NULL),
                                event_of("OPERATOR_CALL", 0, cases[i].call, NULL, NULL)};
    const etr_block block = {
        .name = "Execute", .run_count = RUNS, .method = 0, .events = events, .event_count = 2};
    with_block(&t, &block);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_CALLS);
    cr_expect_eq(finding != NULL, cases[i].found, "case %zu", i);
    if (finding)
      cr_expect_float_eq(finding->cost, 50000, 1e-9);
    if (finding)
      cr_expect(finding->node_count == 1 && finding->nodes[0] == node);
    tiny_clear(&t);
  }
}

Test(findings, layout_conversions_are_found) {
  static const struct {
    const char *name;
    uint64_t call[RUNS];
    double cost; /* 0: not found */
  } cases[] = {
      {"Transpose (ND, X32) #1", {200000, 200000, 200000}, 90000},
      {"Convert (NC) #1", {200000, 200000, 200000}, 90000},
      {"Transpose (ND, X32) #1", {50000, 50000, 50000}, 45000}, /* events take 100000 and are scaled
                                                            to the call */
      {"Softmax (NC, F32) #1", {200000, 200000, 200000}, 0},
      {"7", {200000, 200000, 200000}, 0},
  };
  static const uint64_t ninety[] = {90000, 90000, 90000}, ten[] = {10000, 10000, 10000};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t node = op(&t, "linear", "aten.linear.default", ETR_NONE);
    tiny_time(&t, node, 10000);
    const etr_event events[] = {event_of(cases[i].name, 4, ninety, NULL, cases[i].name),
                                event_of("Transpose (ND, X32) #9", 4, ten, &node,
                                         "Transpose (ND, X32) #9"), /* has a node */
                                event_of("DELEGATE_CALL", 4, cases[i].call, NULL, NULL)};
    const etr_block block = {
        .name = "Execute", .run_count = RUNS, .method = 0, .events = events, .event_count = 3};
    with_block(&t, &block);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_LAYOUT);
    cr_expect_eq(finding != NULL, cases[i].cost > 0, "case %zu", i);
    if (finding) {
      cr_expect_float_eq(finding->cost, cases[i].cost, 1, "case %zu: %f", i, finding->cost);
      cr_expect(finding->instruction_count == 1 && finding->instructions[0] == 4);
    }
    tiny_clear(&t);
  }
}

/* Events with equal names are added up, whatever their ids. */
Test(findings, layout_conversions_of_one_name_are_added_up) {
  static const uint64_t ninety[] = {90000, 90000, 90000}, ten[] = {10000, 10000, 10000},
                        call[] = {400000, 400000, 400000};
  tiny t = {0};
  uint32_t node = op(&t, "linear", "aten.linear.default", ETR_NONE);
  tiny_time(&t, node, 10000);
  const etr_event events[] = {event_of("Transpose (ND, X32) #1", 4, ninety, NULL, "1"),
                              event_of("Convert (NC) #1", 4, ten, NULL, "2"),
                              event_of("Transpose (ND, X32) #1", 4, ninety, NULL, "3"),
                              event_of("Convert (NC) #1", 4, ten, NULL, "4"),
                              event_of("Fully Connected #1", 4, ten, &node, "5"),
                              event_of("DELEGATE_CALL", 4, call, NULL, NULL)};
  const etr_block block = {.name = "Execute",
                           .run_count = RUNS,
                           .method = 0,
                           .events = events,
                           .event_count = ETR_COUNT(events)};
  with_block(&t, &block);
  const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_LAYOUT);
  cr_assert_not_null(finding);
  cr_expect_float_eq(finding->cost, 200000, 1);
  cr_expect(strstr(finding->title, "1 Transpose, 1 Convert"), "%s", finding->title);
  cr_expect(strstr(finding->evidence,
                   "They take 0.200 ms. Longest inserted: Transpose (ND, X32) #1 of delegate 4, "
                   "0.180 ms (at the "
                   "start, before linear); Convert (NC) #1 of delegate 4, 0.0200 ms"),
            "%s", finding->evidence);
  tiny_clear(&t);
}

/* Without a graph channels-last inputs are advised for models of images, where a convolution is
 * transposed for: a Transpose counts only beside one. */
Test(findings, layout_advice_of_a_dump_needs_convolutions) {
  static const uint64_t ninety[] = {90000, 90000, 90000}, ten[] = {10000, 10000, 10000},
                        call[] = {200000, 200000, 200000};
  static const struct {
    const char *layer;
    const char *fact; /* NULL: not found */
  } cases[] = {
      {"Convolution (NHWC, F32) IGEMM #1",
       "if images: channels-last; in delegate 4, before Convolution at the start"},
      {"Fully Connected (NC, F32) GEMM #1", NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t input = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    uint32_t node = op(&t, "conv", "aten.conv.default", input);
    tiny_time(&t, node, 10000);
    /* A convolution in another call says nothing of this one. */
    const etr_event events[] = {event_of("Transpose (ND, X32) #1", 4, ninety, NULL, "1"),
                                event_of(cases[i].layer, 4, ten, NULL, "2"),
                                event_of("DELEGATE_CALL", 4, call, NULL, NULL),
                                event_of("Convolution (NHWC, F32) IGEMM #1", 5, ten, NULL, "1"),
                                event_of("DELEGATE_CALL", 5, call, NULL, NULL)};
    const etr_block block = {.name = "Execute",
                             .run_count = RUNS,
                             .method = 0,
                             .events = events,
                             .event_count = ETR_COUNT(events)};
    with_block(&t, &block);
    t.method.graph = ETR_NONE;
    t.profile.graph_count = 0;
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_LAYOUT);
    cr_assert_eq(finding != NULL, cases[i].fact != NULL, "case %zu", i);
    if (finding) {
      bool is_advised = strstr(cases[i].fact, "channels-last") != NULL;
      cr_expect_str_eq(finding->fact, cases[i].fact, "case %zu", i);
      cr_expect_eq(etr_finding_code_of(finding) != NULL, is_advised, "case %zu", i);
      cr_expect(strstr(finding->evidence, " Longest: "), "%s", finding->evidence);
    }
    tiny_clear(&t);
  }
}

/* Transposes are of inputs of the method, around operators with an input of few dimensions, or of
 * an unknown reason: only those of a known reason can be saved. */
Test(findings, layout_says_why_transposes_are_inserted) {
  static const struct {
    int32_t scale_rank;
    bool reads_input;
    const char *fact;
    double saved;      /* NaN: not known */
    const char *pools; /* dimensions of a mean that the model has; NULL: it has none */
  } cases[] = {
      {3, true, "2 around mul with an input of < 4 dimensions: make it (1, C, 1, 1)", 270000, NULL},
      {0, true, "2 around mul with an input of < 4 dimensions (2 at a number): make it (1, C",
       270000, NULL},
      {3, false, "2 around mul with an input of < 4 dimensions: make it (1, C, 1, 1)", 180000,
       NULL},
      {4, true, "use channels-last inputs; in the delegate, before convolution at the start", 90000,
       NULL},
      {4, true, "use channels-last inputs; in the delegate, before convolution at the start", 90000,
       "[2, 3]"},
      {4, true, "use channels-last inputs, and mean for adaptive_avg_pool2d; in the delegate",
       90000, "[-1, -2]"},
      {4, false, "in the delegate, before convolution at the start", NAN, NULL},
  };
  static const uint64_t ninety[] = {90000, 90000, 90000}, ten[] = {10000, 10000, 10000},
                        call[] = {400000, 400000, 400000};
  static const etr_dim sizes[] = {{.size = 1, .hint = -1},
                                  {.size = 1, .hint = -1},
                                  {.size = 1, .hint = -1},
                                  {.size = 8, .hint = -1}};
  static const etr_delegate delegate = {.instruction_id = 4, .backend = "XnnpackBackend"};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_value image = {.name = "x", .dtype = "float32", .dims = sizes, .rank = 4};
    const etr_value scale = {
        .name = "s", .dtype = "float32", .dims = sizes, .rank = cases[i].scale_rank};
    uint32_t x = tiny_node(&t, cases[i].reads_input ? ETR_NODE_INPUT : ETR_NODE_OP, "x",
                           "aten.relu.default", 0),
             s = tiny_node(&t, ETR_NODE_PARAMETER, "s", "s", 0),
             conv = op(&t, "conv", "aten.convolution.default", x),
             mul = op(&t, "mul", "aten.mul.Tensor", conv),
             last = op(&t, "last", "aten.convolution.default", mul);
    tiny_input(&t, mul, s, 0);
    t.nodes.data[s].outputs = &scale;
    t.nodes.data[x].outputs = t.nodes.data[conv].outputs = t.nodes.data[mul].outputs = &image;
    const etr_argument dims = {.name = "dim", .value = cases[i].pools};
    uint32_t pool = cases[i].pools ? op(&t, "pool", "aten.mean.dim", last) : last;
    t.nodes.data[pool].outputs = &image;
    t.nodes.data[pool].arguments = &dims;
    t.nodes.data[pool].argument_count = cases[i].pools != NULL;
    const uint32_t inside[] = {conv, mul, last};
    for (size_t k = 0; k < ETR_COUNT(inside); k++)
      tiny_time(&t, inside[k], 10000)->delegate_instruction = 4;
    const etr_event events[] = {event_of("Transpose (ND, X32) #1", 4, ninety, NULL, "1"),
                                event_of("Convolution (NHWC, F32) #1", 4, ten, &conv, "2"),
                                event_of("Transpose (ND, X32) #2", 4, ninety, NULL, "3"),
                                event_of("Multiply (ND) #1", 4, ten, &mul, "4"),
                                event_of("Transpose (ND, X32) #3", 4, ninety, NULL, "5"),
                                event_of("Convolution (NHWC, F32) #2", 4, ten, &last, "6"),
                                event_of("DELEGATE_CALL", 4, call, NULL, NULL)};
    const etr_block block = {.name = "Execute",
                             .run_count = RUNS,
                             .method = 0,
                             .events = events,
                             .event_count = ETR_COUNT(events)};
    whole(&t);
    t.graph.dialect = "edge";
    t.method.delegates = &delegate;
    t.method.delegate_count = 1;
    add_slices(&t, &block);
    t.profile.blocks = &block;
    t.profile.block_count = 1;
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_LAYOUT);
    cr_assert_not_null(finding, "case %zu", i);
    cr_expect_float_eq(finding->cost, 270000, 1, "case %zu: %f", i, finding->cost);
    cr_expect(isnan(cases[i].saved) ? isnan(finding->potential)
                                    : fabs(finding->potential - cases[i].saved) < 1,
              "case %zu: %f", i, finding->potential);
    cr_expect(strncmp(finding->fact, cases[i].fact, strlen(cases[i].fact)) == 0, "case %zu: %s", i,
              finding->fact);
    tiny_clear(&t);
  }
}

/* Gives the method one block without a graph: these events, and behind them the call of instruction
 * 4, for which `events` has room. */
static void only_events(tiny *t, etr_event *events, size_t count, etr_block *block,
                        const uint64_t *call) {
  events[count] = event_of("DELEGATE_CALL", 4, call, NULL, NULL);
  *block = (etr_block){.name = "Execute",
                       .run_count = RUNS,
                       .method = 0,
                       .events = events,
                       .event_count = count + 1};
  with_block(t, block);
  t->method.graph = ETR_NONE;
  t->profile.graph_count = 0;
}

/* Without a graph, convolutions may be depthwise with large filters, which get slower: linear
 * layers that take more than 40 % as long come first. Those of 1 x 1 are not depthwise. */
Test(findings, convolutions_of_a_dump_alone_may_be_depthwise) {
  static const struct {
    const char *convolution;
    uint64_t linear_ticks;
    bool is_first, may_be_depthwise;
  } cases[] = {{"Convolution (NHWC, F32) IGEMM #1", 500000, false, true},
               {"Convolution (NHWC, F32) IGEMM #1", 300000, true, true},
               {"Convolution (NHWC, F32) GEMM #1", 500000, true, false}};
  static const uint64_t convolution[] = {1000000, 1000000, 1000000},
                        call[] = {2000000, 2000000, 2000000};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    etr_block block;
    etr_findings found;
    static const uint32_t blocks[] = {0};
    const uint64_t ticks = cases[i].linear_ticks, linear[] = {ticks, ticks, ticks};
    etr_event events[3] = {event_of(cases[i].convolution, 4, convolution, NULL, "1"),
                           event_of("Fully Connected (NC, F32) GEMM #1", 4, linear, NULL, "2")};
    events[0].backend = events[1].backend = ETR_UNKNOWN_BACKEND;
    only_events(&t, events, 2, &block, call);
    t.method.blocks = blocks;
    t.method.block_count = 1;
    cr_assert(etr_findings_make(&found, &t.arena, &t.profile, &t.method, ETR_UNIT_MS));
    cr_assert(found.count >= 2 && found.list[1].kind == ETR_FINDING_QUANTIZE, "case %zu", i);
    const etr_finding *of_convolutions = &found.list[cases[i].is_first ? 0 : 1];
    cr_expect(strstr(of_convolutions->title, "Convolution"), "case %zu", i);
    cr_expect_eq(strstr(of_convolutions->fact, "unless depthwise") != NULL,
                 cases[i].may_be_depthwise, "case %zu", i);
    cr_expect_eq(of_convolutions->sureness == ETR_POSSIBLE, cases[i].may_be_depthwise);
    /* The code leaves them in float32, also that of linear layers, which quantizes all. */
    cr_expect_eq(of_convolutions->variant == ETR_VARIANT_DEPTHWISE, cases[i].may_be_depthwise);
    cr_expect_eq(found.list[cases[i].is_first ? 1 : 0].variant, ETR_VARIANT_DEPTHWISE);
    cr_expect_eq(strstr(of_convolutions->evidence, "which get slower in int8") != NULL,
                 cases[i].may_be_depthwise, "%s", of_convolutions->evidence);
    cr_expect_null(strstr(of_convolutions->evidence, "not counted"), "%s",
                   of_convolutions->evidence);
    tiny_clear(&t);
  }
}

/* Operators in floating point count if Converts are around them, and int8 operators around these.
 * Their Converts are in no other finding then. */
Test(findings, float_operators_between_int8_ones_are_found) {
  enum { MOST = 8 };
  static const struct {
    const char *names[MOST]; /* of 40000 ticks each */
    const char *title;       /* NULL: not found */
    double cost, least;
    const char *layout; /* title of that finding; NULL: there is none */
  } cases[] = {
      {{"Convolution (NHWC, QC8) IGEMM #1", "Convert (NC) #1", "Constant Pad (ND, X32) #1",
        "Convert (NC) #2", "Convolution (NHWC, QC8) DWConv #1"},
       "Let convolutions pad, not 1 Constant Pad",
       120000,
       80000,
       NULL},
      {{"Fully Connected (NC, QS8, QC8W) GEMM #1", "Convert (NC) #1", "Softmax (NC, F32) #1",
        "Add (ND) #1", "Convert (NC) #2", "Multiply (ND) #1", "Convolution (NHWC, QC8) #1",
        "Convert (NC) #3"},
       "Quantize 2 operators between int8 layers",
       160000,
       80000,
       "Avoid 1 Convert"},
      /* A quantizer leaves a convolution only if it is told to: nothing is to be done. */
      {{"Convolution (NHWC, QC8) IGEMM #1", "Convert (NC) #1", "Convolution (NHWC, F32) DWConv #1",
        "Convert (NC) #2", "Convolution (NHWC, QC8) IGEMM #2"},
       NULL,
       0,
       0,
       NULL},
      /* At the start it is no group, and at the end neither. */
      {{"Constant Pad (ND, X32) #1", "Convert (NC) #1", "Convolution (NHWC, QC8) #1",
        "Convert (NC) #2", "Softmax (NC, F32) #1", "Convert (NC) #3"},
       NULL,
       0,
       0,
       "Avoid 3 Convert"},
      /* Nothing says that this Add is in floating point. */
      {{"Convolution (NHWC, QC8) #1", "Convert (NC) #1", "Add (ND) #1", "Convert (NC) #2",
        "Convolution (NHWC, QC8) #2"},
       NULL,
       0,
       0,
       "Avoid 2 Convert"},
      /* Layers with dynamic quantization read and write floating point. */
      {{"Fully Connected (NC, QS8, QC8W) #1", "Convert (NC) #1", "Softmax (NC, F32) #1",
        "Convert (NC) #2", "Fully Connected (NC, QD8, F32, QC8W) #1"},
       NULL,
       0,
       0,
       "Avoid 2 Convert"},
  };
  static const uint64_t each[] = {40000, 40000, 40000}, call[] = {400000, 400000, 400000};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    etr_event events[MOST + 1];
    etr_block block;
    size_t count = 0;
    for (; count < MOST && cases[i].names[count]; count++)
      events[count] = event_of(cases[i].names[count], 4, each, NULL, cases[i].names[count]);
    only_events(&t, events, count, &block, call);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FLOAT_BESIDE);
    cr_assert_eq(finding != NULL, cases[i].title != NULL, "case %zu", i);
    if (finding) {
      cr_expect_str_eq(finding->title, cases[i].title, "case %zu", i);
      cr_expect_float_eq(finding->cost, cases[i].cost, 1, "case %zu: %f", i, finding->cost);
      cr_expect_float_eq(finding->potential, cases[i].cost, 1, "case %zu", i);
      cr_expect_float_eq(finding->least, cases[i].least, 1, "case %zu: %f", i, finding->least);
      cr_expect_eq(finding->effort, i ? ETR_EFFORT_RE_EXPORT : ETR_EFFORT_CHANGE_MODEL);
      cr_expect(finding->instruction_count == 1 && finding->instructions[0] == 4);
    }
    finding = find(&t, &t.profile, ETR_FINDING_LAYOUT);
    cr_assert_eq(finding != NULL, cases[i].layout != NULL, "case %zu", i);
    if (finding)
      cr_expect_str_eq(finding->title, cases[i].layout, "case %zu", i);
    tiny_clear(&t);
  }
}

/* Behind a Convert that the graph shows to dequantize, an operator without a type in its name is in
 * floating point. */
Test(findings, operators_behind_a_dequantize_are_in_float) {
  static const uint64_t each[] = {40000, 40000, 40000}, call[] = {400000, 400000, 400000};
  static const char *const targets[] = {
      "quantized_decomposed.dequantize_per_tensor.default",
      "quantized_decomposed.quantize_per_tensor.default",
  };
  for (size_t i = 0; i < ETR_COUNT(targets); i++) {
    tiny t = {0};
    uint32_t node = op(&t, "convert", targets[i], ETR_NONE);
    tiny_time(&t, node, 40000);
    static const char *const names[] = {"Convolution (NHWC, QC8) #1", "Convert (NC) #1",
                                        "Sigmoid (NC) #1", "Convert (NC) #2",
                                        "Convolution (NHWC, QC8) #2"};
    etr_event events[ETR_COUNT(names) + 1];
    for (size_t k = 0; k < ETR_COUNT(names); k++)
      events[k] = event_of(names[k], 4, each, k == 1 ? &node : NULL, names[k]);
    events[ETR_COUNT(names)] = event_of("DELEGATE_CALL", 4, call, NULL, NULL);
    const etr_block block = {.name = "Execute",
                             .run_count = RUNS,
                             .method = 0,
                             .events = events,
                             .event_count = ETR_COUNT(events)};
    with_block(&t, &block);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FLOAT_BESIDE);
    cr_expect_eq(finding != NULL, i == 0, "case %zu", i);
    tiny_clear(&t);
  }
}

/* Finds the layout of a call whose three operators have these names; NULL if there is none. The
 * caller clears the profile. */
static const etr_finding *layout_of(tiny *t, const char *const names[3]) {
  static const uint64_t each[] = {40000, 40000, 40000}, call[] = {400000, 400000, 400000};
  static etr_event events[4];
  static etr_block block;
  for (size_t i = 0; i < 3; i++)
    events[i] = event_of(names[i], 4, each, NULL, names[i]);
  only_events(t, events, 3, &block, call);
  return find(t, &t->profile, ETR_FINDING_LAYOUT);
}

/* Only Converts at the start or the end of a call are of inputs and outputs. */
Test(findings, inputs_are_quantized_where_the_converts_are) {
  static const char *const cases[][3] = {
      {"Convert (NC) #1", "Fully Connected (NC, QS8, QC8W) #1",
       "Fully Connected (NC, QS8, QC8W) #2"},
      {"Fully Connected (NC, QS8, QC8W) #1", "Convert (NC) #1",
       "Fully Connected (NC, QS8, QC8W) #2"},
      {"Fully Connected (NC, QS8, QC8W) #1", "Fully Connected (NC, QS8, QC8W) #2",
       "Convert (NC) #1"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_finding *finding = layout_of(&t, cases[i]);
    cr_assert_not_null(finding, "case %zu", i);
    bool is_border = i != 1;
    cr_expect_eq(strstr(finding->fact, "quantize inputs and outputs") != NULL, is_border,
                 "case %zu: %s", i, finding->fact);
    cr_expect_eq(strstr(finding->evidence, "quantize inputs and outputs") != NULL, is_border,
                 "case %zu: %s", i, finding->evidence);
    tiny_clear(&t);
  }
}

/* A pad of the input is slow in channels-last. */
Test(findings, channels_last_is_not_advised_before_a_pad) {
  static const char *const cases[][3] = {
      {"Transpose (ND, X32) #1", "Constant Pad (ND, X32) #1", "Convolution (NHWC, F32) #1"},
      {"Constant Pad (ND, X32) #1", "Transpose (ND, X8) #1", "Convolution (NHWC, QC8) #1"},
      {"Transpose (ND, X32) #1", "Convolution (NHWC, F32) #1", "Constant Pad (ND, X32) #1"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_finding *finding = layout_of(&t, cases[i]);
    cr_assert_not_null(finding, "case %zu", i);
    bool is_advised = i == 2;
    cr_expect_eq(strstr(finding->fact, "if images: channels-last") != NULL, is_advised,
                 "case %zu: %s", i, finding->fact);
    cr_expect_eq(strstr(finding->fact, "pad inside the first convolution") != NULL, !is_advised,
                 "case %zu: %s", i, finding->fact);
    cr_expect_eq(isnan(finding->potential), !is_advised, "case %zu", i);
    cr_expect_eq(etr_finding_code_of(finding) != NULL, is_advised, "case %zu", i);
    tiny_clear(&t);
  }
}

/* By names alone, a transpose beside arithmetic is most likely for an input of few dimensions, but
 * the first and the last of the delegate are at its border. */
Test(findings, transposes_beside_arithmetic_of_a_dump_alone) {
  static const struct {
    const char *const names[3];
    const char *fact;
    etr_finding_variant variant;
  } cases[] = {
      {{"Convolution (NHWC, F32) #1", "Transpose (ND, X32) #1", "Add (ND) #1"},
       "1 around Add likely with an input of < 4 dimensions: make it (1, C, 1, 1)",
       ETR_VARIANT_DIMS},
      {{"Multiply (ND) #1", "Transpose (ND, X32) #1", "Convolution (NHWC, F32) #1"},
       "1 around Multiply likely with an input of < 4 dimensions: make it (1, C, 1, 1)",
       ETR_VARIANT_DIMS},
      {{"Convolution (NHWC, F32) #1", "Add (ND) #1", "Transpose (ND, X32) #1"},
       "if images: channels-last; in delegate 4, after Add at the end",
       ETR_VARIANT_USUAL},
      {{"Transpose (ND, X32) #1", "Convolution (NHWC, F32) #1", "Mean (ND) Reduce2 #1"},
       "if images: channels-last, and mean for adaptive_avg_pool2d; in delegate 4",
       ETR_VARIANT_POOLS},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_finding *finding = layout_of(&t, cases[i].names);
    cr_assert_not_null(finding, "case %zu", i);
    cr_expect_str_eq(finding->fact, cases[i].fact, "case %zu", i);
    cr_expect_eq(finding->variant, cases[i].variant, "case %zu", i);
    cr_expect_not_null(etr_finding_code_of(finding), "case %zu", i);
    tiny_clear(&t);
  }
}

/* A delegate without any matched operator gives no finding, because the record may be missing. */
Test(findings, layout_of_an_unmatched_delegate_is_not_found) {
  static const uint64_t ninety[] = {90000, 90000, 90000}, call[] = {200000, 200000, 200000};
  tiny t = {0};
  tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
  const etr_event events[] = {
      event_of("Transpose (ND, X32) #1", 4, ninety, NULL, "Transpose (ND, X32) #1"),
      event_of("DELEGATE_CALL", 4, call, NULL, NULL)};
  const etr_block block = {
      .name = "Execute", .run_count = RUNS, .method = 0, .events = events, .event_count = 2};
  with_block(&t, &block);
  cr_expect_null(find(&t, &t.profile, ETR_FINDING_LAYOUT));
  tiny_clear(&t);
}

Test(findings, a_slow_first_run_is_found) {
  static const struct {
    uint64_t runs[4];
    size_t count;
    double cost; /* 0: not found */
  } cases[] = {
      {{400, 100, 120, 110}, 4, 290},
      {{120, 100, 120, 110}, 4, 0},
      {{400, 100}, 2, 0}, /* too few runs */
      {{100, 400, 100, 100}, 4, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    whole(&t);
    tiny_run(&t, cases[i].runs, cases[i].count);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FIRST_RUN);
    cr_expect_eq(finding != NULL, cases[i].cost > 0, "case %zu", i);
    if (finding)
      cr_expect(finding->cost == cases[i].cost && isnan(finding->share), "case %zu", i);
    tiny_clear(&t);
  }
}

/* Among runs that differ much a long first run may be one that was interrupted. */
Test(findings, a_slow_first_run_among_differing_ones_is_possible) {
  static const etr_noise_verdict verdicts[] = {ETR_NOISE_STEADY, ETR_NOISE_TWO_MODES};
  static const uint64_t runs[] = {400, 100, 120, 110};
  for (size_t i = 0; i < ETR_COUNT(verdicts); i++) {
    tiny t = {0};
    tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    whole(&t);
    tiny_run(&t, runs, ETR_COUNT(runs));
    t.method.noise.verdict = verdicts[i];
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FIRST_RUN);
    cr_assert_not_null(finding);
    cr_expect_str_eq(finding->title, "Run one inference before it matters");
    cr_expect_eq(finding->sureness, i ? ETR_POSSIBLE : ETR_LIKELY, "case %zu", i);
    tiny_clear(&t);
  }
}

/* A longer input would make the operators of a first run longer, too. */
Test(findings, a_first_run_warms_up_if_its_operators_take_as_long_as_usual) {
  static const struct {
    uint64_t operator_ticks[4];
    const char *title;
  } cases[] = {
      {{90, 80, 80, 80}, "Run one inference before it matters"},
      {{300, 80, 80, 80}, "See why the first run takes longer"},
      {{10, 10, 10, 10}, "See why the first run takes longer"}, /* most of the time is elsewhere */
  };
  static const uint64_t runs[] = {400, 100, 100, 100};
  static const uint32_t run_numbers[] = {1, 2, 3, 4}, blocks[] = {0};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    etr_event event = event_of("Convolution (NHWC, F32) #1", 4, cases[i].operator_ticks, NULL, "1");
    event.sample_runs = run_numbers;
    event.sample_count = ETR_COUNT(runs);
    event.stats.typical = (double)cases[i].operator_ticks[1];
    const etr_block block = {
        .name = "Execute", .run_count = 4, .method = 0, .events = &event, .event_count = 1};
    whole(&t);
    tiny_run(&t, runs, ETR_COUNT(runs));
    t.profile.blocks = &block;
    t.profile.block_count = 1;
    t.method.blocks = blocks;
    t.method.block_count = 1;
    t.method.graph = ETR_NONE;
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FIRST_RUN);
    cr_assert_not_null(finding, "case %zu", i);
    cr_expect_str_eq(finding->title, cases[i].title, "case %zu", i);
    cr_expect_eq(finding->sureness, i ? ETR_POSSIBLE : ETR_LIKELY, "case %zu", i);
    cr_expect_eq(finding->effort, ETR_EFFORT_CHANGE_APP);
    tiny_clear(&t);
  }
}

Test(findings, a_first_run_is_compared_with_its_own_recording) {
  static const struct {
    uint64_t runs[3][4]; /* by ETDump */
    double cost;         /* 0: not found */
    const char *fact;
  } cases[] = {
      {{{300, 200, 200, 200}, {110, 100, 100, 100}, {120, 100, 100, 100}}, 0, NULL},
      {{{300, 200, 200, 200}, {100, 100, 100, 100}, {180, 100, 100, 100}},
       80,
       "the first runs take 1.5 times as long: a longer input, or warming up"},
      {{{900, 100, 100, 100}, {300, 300, 300, 300}, {160, 100, 100, 100}},
       60,
       "the first runs take 1.6 times as long: a longer input, or warming up"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    whole(&t);
    tiny_run(&t, &cases[i].runs[0][0], 12);
    for (uint32_t run = 0; run < 12; run++)
      t.runs[run + 1].dump = run / 4;
    t.method.graph = ETR_NONE;
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_FIRST_RUN);
    cr_expect_eq(finding != NULL, cases[i].cost > 0, "case %zu", i);
    if (finding) {
      cr_expect_float_eq(finding->cost, cases[i].cost, 1e-9, "case %zu: %g", i, finding->cost);
      cr_expect_str_eq(finding->fact, cases[i].fact, "case %zu", i);
      cr_expect(strstr(finding->evidence, "The first runs of 3 recordings take "), "%s",
                finding->evidence);
    }
    tiny_clear(&t);
  }
}

/* Returns the finding about forty runs of 1 ms with this noise and these slow runs. */
static const etr_finding *of_runs(tiny *t, etr_noise noise, etr_slow_runs slow,
                                  etr_finding_kind kind) {
  static uint64_t ticks[TINY_RUNS - 1];
  tiny_node(t, ETR_NODE_INPUT, "x", "x", 0);
  whole(t);
  for (uint32_t i = 0; i < ETR_COUNT(ticks); i++)
    ticks[i] = 1000000 + 200000 * (i >= 25);
  tiny_run(t, ticks, ETR_COUNT(ticks));
  t->method.execute = (etr_stats){.count = ETR_COUNT(ticks), .p50 = 1e6, .typical = 1e6};
  t->method.noise = noise;
  t->method.slow_runs = slow;
  return find(t, &t->profile, kind);
}

Test(findings, unsteady_runs_are_found) {
  static const uint32_t numbers[] = {3, 17}, many[30] = {1, 2, 3, 4, 5, 6, 7, 8};
  static const etr_event linear = {.label = "linear"};
  static const struct {
    etr_noise noise;
    etr_slow_runs
        slow; /* members in order: kind, runs, usual, p50, least, most, excess, period, operator */
    etr_finding_kind kind;
    const char *title; /* NULL: not found */
    double cost, slope;
  } cases[] = {
      {{.verdict = ETR_NOISE_NOISY}, {0}, ETR_FINDING_DRIFT, NULL, 0, 0},
      {{.verdict = ETR_NOISE_DRIFT, .change = .3, .start = 1e6, .over_runs = 31, .stretches = 1},
       {0},
       ETR_FINDING_DRIFT,
       "Cool the device, or fix its clock: runs get 30 % slower over 31 runs",
       150000,
       10000},
      {{.verdict = ETR_NOISE_DRIFT,
        .change = -.3,
        .start = 1e6,
        .over_runs = 31,
        .stretches = 2,
        .is_unsure = true},
       {0},
       ETR_FINDING_DRIFT,
       "Let the device warm up before measuring: runs may get 30 % faster over 31 runs, and anew "
       "in "
       "each of 2 stretches",
       150000,
       -10000},
      {{.verdict = ETR_NOISE_STEP, .change = .2, .from_run = 26},
       {0},
       ETR_FINDING_STEP,
       "Find what changed at run 26: runs are 20 % slower from there on",
       200000 * 14 / 39.0,
       NAN},
      {{.verdict = ETR_NOISE_TWO_MODES, .run_count = 39, .modes = {{30, 1e6}, {9, 8e6}}},
       {0},
       ETR_FINDING_MODES,
       "Fix the clock and the cores: 9 of 39 runs take 8.00 ms, the others 1.00 ms",
       7e6 * 9 / 39,
       NAN},
      {{.verdict = ETR_NOISE_FEW_RUNS},
       {ETR_SLOW_RUNS_ANY, numbers, 2, 1e6, 4e6, 3.1e6, 5.8e6, 7000000, 0, 0, NULL},
       ETR_FINDING_SLOW_RUNS,
       "Measure again without other load: 2 of 39 runs take 3.1-5.8 times as long as the others",
       7e6 / 39,
       NAN},
      {{.verdict = ETR_NOISE_FEW_RUNS},
       {ETR_SLOW_RUNS_PERIODIC, numbers, 2, 1e6, 3.5e6, 3.5e6, 3.5e6, 7000000, 8, 1, NULL},
       ETR_FINDING_PERIODIC,
       "Measure again without other load: every 8th run takes 3.5 times as long as the others",
       7e6 / 39,
       NAN},
      {{.verdict = ETR_NOISE_FEW_RUNS},
       {ETR_SLOW_RUNS_PERIODIC, numbers, 2, 1e6, 3.5e6, 3.5e6, 3.5e6, 7000000, 8, 2, NULL},
       ETR_FINDING_PERIODIC,
       "Measure again without other load: 2 of every 8 runs take 3.5 times as long as the others",
       7e6 / 39,
       NAN},
      {{.verdict = ETR_NOISE_FEW_RUNS},
       {ETR_SLOW_RUNS_OPERATOR, numbers, 2, 1e6, 3.5e6, 3.5e6, 3.5e6, 7000000, 0, 0, &linear},
       ETR_FINDING_SLOW_OPERATOR,
       "Find what interrupts one operator: 2 of 39 runs take 3.5 times as long, by linear",
       7e6 / 39,
       NAN},
      {{.verdict = ETR_NOISE_FEW_RUNS},
       {ETR_SLOW_RUNS_OPERATOR, numbers, 2, 1e6, 3.5e6, 3.5e6, 3.5e6, 7000000, 3, 1, NULL},
       ETR_FINDING_SLOW_OPERATOR,
       "Measure again without other load: every 3rd run takes 3.5 times as long, by one operator "
       "at a time",
       7e6 / 39,
       NAN},
      {{.verdict = ETR_NOISE_FEW_RUNS}, /* the majority is no exception */
       {ETR_SLOW_RUNS_OPERATOR, many, 30, 1e6, 3.5e6, 3.5e6, 3.5e6, 7000000, 0, 0, NULL},
       ETR_FINDING_SLOW_OPERATOR,
       "Measure again without other load: all but 9 of 39 runs take 3.5 times as long, by one "
       "operator at a time",
       7e6 / 39,
       NAN},
      {{.verdict = ETR_NOISE_FEW_RUNS}, /* less than 1 % */
       {ETR_SLOW_RUNS_ANY, numbers, 2, 1e6, 1.1e6, 1.1e6, 1.1e6, 200000, 0, 0, NULL},
       ETR_FINDING_SLOW_RUNS,
       NULL,
       0,
       0},
      /* two modes are preferred to slow runs in general, and periodic slow runs to two modes */
      {{.verdict = ETR_NOISE_TWO_MODES, .run_count = 39, .modes = {{30, 1e6}, {9, 8e6}}},
       {ETR_SLOW_RUNS_ANY, numbers, 2, 1e6, 4e6, 3.1e6, 5.8e6, 7000000, 0, 0, NULL},
       ETR_FINDING_SLOW_RUNS,
       NULL,
       0,
       0},
      {{.verdict = ETR_NOISE_TWO_MODES, .run_count = 39, .modes = {{30, 1e6}, {9, 8e6}}},
       {ETR_SLOW_RUNS_PERIODIC, numbers, 2, 1e6, 3.5e6, 3.5e6, 3.5e6, 7000000, 8, 1, NULL},
       ETR_FINDING_MODES,
       NULL,
       0,
       0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_finding *finding = of_runs(&t, cases[i].noise, cases[i].slow, cases[i].kind);
    cr_assert_eq(finding != NULL, cases[i].title != NULL, "case %zu", i);
    if (finding) {
      cr_expect_str_eq(etr_arena_format(&t.arena, "%s: %s", finding->title, finding->fact),
                       cases[i].title);
      cr_expect_float_eq(finding->cost, cases[i].cost, 1, "case %zu: %f", i, finding->cost);
      cr_expect_float_eq(finding->share, ETR_MIN(finding->cost / 1e6, 1), 1e-9, "case %zu", i);
      cr_expect(isnan(cases[i].slope) ? isnan(finding->slope)
                                      : fabs(finding->slope - cases[i].slope) < 1,
                "case %zu", i);
      cr_expect(finding->evidence && finding->evidence[0], "%s", finding->title);
    }
    tiny_clear(&t);
  }
}

/* Runs that may be of several methods differ because these do: no finding is about the device. */
Test(findings, runs_of_several_methods_are_not_unsteady) {
  static const etr_noise_verdict verdicts[] = {ETR_NOISE_TWO_MODES, ETR_NOISE_STEP, ETR_NOISE_DRIFT,
                                               ETR_NOISE_NOISY};
  static const uint32_t numbers[] = {3, 17}, methods[] = {0, 1};
  for (size_t i = 0; i < ETR_COUNT(verdicts); i++)
    for (size_t count = 0; count <= 2; count += 2) {
      tiny t = {0};
      const etr_noise noise = {.verdict = verdicts[i],
                               .run_count = 39,
                               .modes = {{30, 1e6}, {9, 8e6}},
                               .change = .3,
                               .start = 1e6,
                               .over_runs = 31,
                               .from_run = 26,
                               .stretches = 1};
      const etr_slow_runs slow = {ETR_SLOW_RUNS_ANY, numbers, 2, 1e6, 4e6, 3.1e6, 5.8e6,
                                  7000000,           0,       0, NULL};
      of_runs(&t, noise, slow, ETR_FINDING_MODES);
      t.block.candidates = methods;
      t.block.candidate_count = count;
      etr_findings found;
      cr_assert(etr_findings_make(&found, &t.arena, &t.profile, &t.method, ETR_UNIT_MS));
      bool is_about_runs = false;
      for (size_t k = 0; k < found.count; k++)
        is_about_runs |= etr_finding_is_timing(found.list[k].kind);
      cr_expect_eq(is_about_runs, count == 0, "verdict %zu, %zu candidates", i, count);
      tiny_clear(&t);
    }
}

/* Each phase is judged separately and named. */
Test(findings, an_unsteady_phase_is_named) {
  static const etr_run_phase phases[] = {{.name = "prefill", .run_count = 3},
                                         {.name = "decode",
                                          .run_count = 36,
                                          .execute = {.typical = 1e6, .p50 = 1e6},
                                          .noise = {.verdict = ETR_NOISE_DRIFT,
                                                    .change = .2,
                                                    .start = 9e5,
                                                    .over_runs = 12,
                                                    .stretches = 3}}};
  tiny t = {0};
  tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
  whole(&t);
  for (size_t i = 0; i < TINY_RUNS; i++)
    t.runs[i].phase = 1;
  t.method.run_phases = phases;
  t.method.run_phase_count = t.method.mixed_phase_count = 2;
  const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_DRIFT);
  cr_assert(finding);
  cr_expect_str_eq(finding->title, "Look at what grows from run to run");
  cr_expect_str_eq(finding->fact,
                   "decode runs get 20 % slower over 12 runs, and anew in each of 3 stretches");
  cr_expect_float_eq(finding->share, .09, 1e-9);
  tiny_clear(&t);
}

Test(findings, a_long_load_is_found) {
  static const struct {
    double load;
    bool found;
  } cases[] = {{24000000, false}, {26000000, true}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_event events[] = {
        {.name = "Method::init",
         .instruction_id = -1,
         .stats = {.count = 1, .typical = 1, .avg = 1}},
        {.name = "Program::load_method",
         .instruction_id = -1,
         .stats = {.count = 1, .typical = cases[i].load, .avg = cases[i].load}}};
    const etr_block block = {
        .name = "Default", .method = ETR_NONE, .events = events, .event_count = 2};
    tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    whole(&t);
    t.profile.blocks = &block;
    t.profile.block_count = 1;
    t.profile.load = &events[1];
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_LOAD);
    cr_expect_eq(finding != NULL, cases[i].found, "case %zu", i);
    if (finding)
      cr_expect_float_eq(finding->cost, cases[i].load, 1e-9);
    tiny_clear(&t);
  }
}

/* With two methods it is unknown which of them was loaded. */
Test(findings, a_load_of_several_methods_is_not_assigned) {
  tiny t = {0};
  const etr_event events[] = {{.name = "Program::load_method",
                               .instruction_id = -1,
                               .stats = {.count = 1, .typical = 1e9, .avg = 1e9}}};
  const etr_block block = {
      .name = "Default", .method = ETR_NONE, .events = events, .event_count = 1};
  tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
  whole(&t);
  const etr_method methods[] = {t.method, t.method};
  t.profile.blocks = &block;
  t.profile.block_count = 1;
  t.profile.methods = methods;
  t.profile.method_count = 2;
  cr_expect_null(find(&t, &t.profile, ETR_FINDING_LOAD));
  tiny_clear(&t);
}

Test(findings, no_finding_without_times) {
  tiny t = {0};
  tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
  etr_findings found;
  tiny_profile(&t);
  t.method.run_count = 0;
  cr_assert(etr_findings_make(&found, &t.arena, &t.profile, &t.method, ETR_UNIT_MS));
  cr_expect_eq(found.count, 0);
  tiny_clear(&t);
}

/* A table in floating point that has much of a decoder's weights takes memory, but no time. */
Test(findings, a_large_embedding_in_floating_point_is_found) {
  static const etr_dim large[] = {{.size = 64, .hint = -1}, {.size = 16, .hint = -1}};
  static const etr_dim small[] = {{.size = 16, .hint = -1}, {.size = 16, .hint = -1}};
  static const struct {
    const char *dtype;
    const etr_dim *dims;
    bool found;
  } cases[] = {{"float32", large, true}, {"int8", large, false}, {"float32", small, false}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    etr_value tokens = {.name = "tokens", .dtype = "int64", .dims = small, .rank = 2};
    etr_value table = {.name = "table", .dtype = cases[i].dtype, .dims = cases[i].dims, .rank = 2};
    etr_value weight = {.name = "weight", .dtype = "float32", .dims = large, .rank = 2};
    uint32_t input = tiny_node(&t, ETR_NODE_INPUT, "tokens", "tokens", 0);
    uint32_t of_table = tiny_node(&t, ETR_NODE_PARAMETER, "table", "table", 0);
    uint32_t of_weight = tiny_node(&t, ETR_NODE_PARAMETER, "weight", "weight", 0);
    uint32_t lookup = tiny_node(&t, ETR_NODE_OP, "embedding", "aten.embedding.default", 0);
    uint32_t softmax = tiny_node(&t, ETR_NODE_OP, "softmax", "aten._softmax.default", 0);
    t.nodes.data[input].outputs = &tokens;
    t.nodes.data[of_table].outputs = &table;
    t.nodes.data[of_weight].outputs = &weight;
    tiny_input(&t, lookup, of_table, 0);
    tiny_input(&t, lookup, input, 0);
    tiny_input(&t, softmax, lookup, 0);
    tiny_time(&t, lookup, 1000);
    tiny_time(&t, softmax, 1000);
    whole(&t);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_EMBEDDING);
    cr_expect_eq(finding != NULL, cases[i].found, "case %zu", i);
    if (finding) {
      cr_expect_eq(finding->nodes[0], lookup);
      cr_expect_str_eq(finding->saving, "It saves memory, not time; possible: if it is not tied to "
                                        "a layer that multiplies.");
    }
    tiny_clear(&t);
  }
}

/* An output layer of many rows, whose logits are scaled, could compute one of them; of few rows
 * only one that takes much is worth a finding. */
Test(findings, an_output_layer_of_many_rows_is_found) {
  static const struct {
    int64_t rows, returned; /* how many rows the layer computes, and the method returns */
    uint64_t ticks;         /* of 2,500,000 */
    const char *title;
    etr_sureness sureness;
  } cases[] = {
      {64, 64, 100000, "Compute the logits of the last token only", ETR_POSSIBLE},
      {64, 1, 100000, "Compute the logits of the last token only", ETR_LIKELY},
      {64, 64, 10000, NULL, ETR_POSSIBLE},
      {2, 2, 100000, NULL, ETR_POSSIBLE},
      {2, 2, 700000, "Compute the logits of the last token only", ETR_POSSIBLE},
      {1, 1, 100000, NULL, ETR_POSSIBLE},
      {1, 1, 700000, "Quantize the output layer", ETR_POSSIBLE},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_dim dims[] = {{.size = cases[i].rows, .hint = -1}, {.size = 16, .hint = -1}};
    const etr_dim of_returned[] = {{.size = cases[i].returned, .hint = -1},
                                   {.size = 16, .hint = -1}};
    static const etr_dim of_table[] = {{.size = 16, .hint = -1}, {.size = 8, .hint = -1}};
    etr_value logits = {.name = "logits", .dtype = "float32", .dims = dims, .rank = 2};
    etr_value returned = {.name = "out", .dtype = "float32", .dims = of_returned, .rank = 2};
    etr_value numbers = {.name = "table", .dtype = "float32", .dims = of_table, .rank = 2};
    uint32_t table = tiny_node(&t, ETR_NODE_PARAMETER, "table", "table", 0);
    uint32_t lookup = op(&t, "embedding", "aten.embedding.default", table);
    uint32_t softmax = op(&t, "softmax", "aten._softmax.default", lookup);
    uint32_t layer = op(&t, "linear", "aten.linear.default", softmax);
    uint32_t scaled = op(&t, "div", "aten.div.Tensor", layer); /* by a number */
    uint32_t slice = op(&t, "slice", "aten.slice_copy.Tensor", scaled);
    uint32_t output = tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
    tiny_input(&t, output, slice, 0);
    t.nodes.data[table].outputs = &numbers;
    t.nodes.data[layer].outputs = &logits;
    t.nodes.data[slice].outputs = &returned;
    tiny_time(&t, layer, cases[i].ticks);
    tiny_time(&t, output, 0);
    whole(&t);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_OUTPUT_LAYER);
    cr_expect_eq(finding != NULL, cases[i].title != NULL, "case %zu", i);
    if (finding) {
      double rows = (double)cases[i].rows, ticks = (double)cases[i].ticks;
      cr_expect_str_eq(finding->title, cases[i].title, "case %zu", i);
      cr_expect_eq(finding->sureness, cases[i].sureness, "case %zu", i);
      /* The slice to the last token does nothing for one. */
      bool has_slice = strstr(etr_finding_code_of(finding)->after, "[:, -1:]") != NULL;
      cr_expect_eq(has_slice, rows > 1, "case %zu", i);
      cr_expect_eq(finding->effort, rows > 1 ? ETR_EFFORT_CHANGE_MODEL : ETR_EFFORT_RE_EXPORT);
      cr_expect(rows == 1 || fabs(finding->potential - ticks * (1 - 1 / rows)) < 1, "case %zu: %g",
                i, finding->potential);
    }
    tiny_clear(&t);
  }
}

/* The caches of keys and values are written; what else is a buffer is not. */
Test(findings, buffers_that_inferences_write_are_known) {
  etr_inputs inputs;
  etr_profile *profile;
  size_t written = 0;
  cr_assert_eq(etr_inputs_find(&inputs, FIXTURES "/decoder_cache", NULL, NULL), ETR_OK);
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, NULL), ETR_OK);
  const etr_graph *graph = &profile->graphs[profile->methods[0].graph];
  for (size_t i = 0; i < graph->node_count; i++) {
    cr_expect(!graph->nodes[i].is_written || graph->nodes[i].kind == ETR_NODE_BUFFER);
    written += graph->nodes[i].is_written;
  }
  cr_expect_eq(written, 2);
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
}

/* Makes what scaled_dot_product_attention has behind its scores: where(not(any(not(eq(scores,
 * -inf)))), 0, softmax(scores)). compared: the target of eq. Returns the last node. */
static uint32_t checked_softmax(tiny *t, uint32_t scores, const char *compared) {
  uint32_t softmax = op(t, "softmax", "aten._softmax.default", scores),
           equal = op(t, "eq", compared, scores),
           some = op(t, "not", "aten.logical_not.default", equal),
           any = op(t, "any", "aten.any.dim", some),
           none = op(t, "not_1", "aten.logical_not.default", any),
           zeros = op(t, "full_like", "aten.full_like.default", softmax),
           where = op(t, "where", "aten.where.self", none);
  tiny_input(t, where, zeros, 0);
  tiny_input(t, where, softmax, 0);
  return where;
}

Test(findings, softmaxes_that_look_for_masked_rows_are_found) {
  static const char *const compared[] = {"aten.eq.Scalar", "aten.lt.Scalar"};
  for (size_t i = 0; i < ETR_COUNT(compared); i++) {
    tiny t = {0};
    uint32_t q = tiny_node(&t, ETR_NODE_INPUT, "q", "q", 0),
             k = tiny_node(&t, ETR_NODE_INPUT, "k", "k", 0),
             scaled = op(&t, "mul", "aten.mul.Scalar", q),
             scores = op(&t, "bmm", "aten.bmm.default", scaled),
             where = checked_softmax(&t, scores, compared[i]);
    tiny_input(&t, scores, k, 0);
    for (uint32_t node = scaled; node <= where; node++)
      tiny_time(&t, node, 10000);
    const etr_finding *finding = find(&t, whole(&t), ETR_FINDING_SOFTMAX_CHECK);
    cr_expect_eq(finding != NULL, i == 0, "%s", compared[i]);
    if (finding) {
      cr_expect_str_eq(finding->title, "Write 1 attention with a plain softmax");
      cr_expect_eq(finding->node_count, 7);            /* all but the product and the softmax */
      cr_expect_float_eq(finding->least, 56000, 1e-9); /* a fifth less */
      cr_expect_float_eq(finding->potential, 70000, 1e-9);
    }
    tiny_clear(&t);
  }
}

/* A convolution at a third of the rate of five that compute as much is slow, unless its filters see
 * far fewer channels, as those of an image. */
Test(findings, convolutions_are_slow_beside_others_of_as_many_channels) {
  enum { ALIKE = 5 };
  static const struct {
    int64_t channels;
    bool is_found;
  } cases[] = {{64, true}, {8, true}, {3, false}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_dim usual[] = {{.size = 64, .hint = -1},
                             {.size = 64, .hint = -1},
                             {.size = 3, .hint = -1},
                             {.size = 3, .hint = -1}},
                  others[] = {{.size = 64, .hint = -1},
                              {.size = cases[i].channels, .hint = -1},
                              {.size = 3, .hint = -1},
                              {.size = 3, .hint = -1}};
    const etr_value of_usual = {.name = "w", .dtype = "float32", .dims = usual, .rank = 4},
                    of_others = {.name = "w", .dtype = "float32", .dims = others, .rank = 4};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0), last = x;
    etr_cost costs[2 * ALIKE + 3] = {0};
    for (size_t k = 0; k <= ALIKE; k++) {
      uint32_t w = tiny_node(&t, ETR_NODE_PARAMETER, "p_w", "w", 0);
      last = op(&t, "conv", "aten.convolution.default", x);
      t.nodes.data[w].outputs = k < ALIKE ? &of_usual : &of_others;
      t.nodes.data[w].output_count = 1;
      tiny_input(&t, last, w, 0);
      tiny_time(&t, last, k < ALIKE ? 1000000 : 3000000)->carried_by = ETR_NONE;
      costs[last] = (etr_cost){
          .macs = 1000000, .read_bytes = 100000, .written_bytes = 100000, .executions = 2};
    }
    whole(&t);
    t.graph.costs = costs;
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_SLOW_RATE);
    cr_expect_eq(finding != NULL, cases[i].is_found, "case %zu", i);
    if (finding) {
      cr_expect_str_eq(finding->title, "See why 1 convolution is slow");
      cr_expect(finding->node_count == 1 && finding->nodes[0] == last);
    }
    tiny_clear(&t);
  }
}

/* Of an attention whose keys are repeated, what else its rewriting leaves out is counted with it,
 * once: the check for masked rows, which scales the keys behind the repeat, and expands to their
 * own shape. */
Test(findings, an_attention_is_rewritten_as_a_whole) {
  static const struct {
    const char *before; /* the repeat */
    double copied, expanded;
  } cases[] = {{"aten.unsqueeze_copy.default", 20000, 10000},
               {"aten.expand_copy.default", 10000, 20000}};
  static const etr_dim two[] = {{.size = 2, .hint = -1}, {.size = 8, .hint = -1}},
                       eight[] = {{.size = 8, .hint = -1}, {.size = 8, .hint = -1}};
  const etr_value narrow = {.name = "k", .dtype = "float32", .dims = two, .rank = 2},
                  wide = {.name = "heads", .dtype = "float32", .dims = eight, .rank = 2};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t q = tiny_node(&t, ETR_NODE_INPUT, "q", "q", 0),
             k = tiny_node(&t, ETR_NODE_INPUT, "k", "k", 0),
             shaped = op(&t, "before", cases[i].before, k),
             heads = op(&t, "expand", "aten.expand_copy.default", shaped),
             scaled = op(&t, "mul", "aten.mul.Scalar", q),
             scaled_keys = op(&t, "mul_1", "aten.mul.Scalar", heads),
             same = op(&t, "expand_1", "aten.expand_copy.default", scaled_keys),
             scores = op(&t, "bmm", "aten.bmm.default", scaled),
             where = checked_softmax(&t, scores, "aten.eq.Scalar");
    tiny_input(&t, scores, same, 0);
    t.nodes.data[k].outputs = t.nodes.data[shaped].outputs = &narrow;
    t.nodes.data[heads].outputs = t.nodes.data[scaled_keys].outputs = &wide;
    t.nodes.data[same].outputs = &wide;
    for (uint32_t node = shaped; node <= where; node++)
      tiny_time(&t, node, 10000);
    const etr_finding *finding = find(&t, whole(&t), ETR_FINDING_REPEATED_HEADS);
    cr_assert_not_null(finding);
    cr_expect_str_eq(finding->title, "Rewrite 1 attention to repeat nothing");
    cr_expect_eq(finding->node_count, 12); /* all but the softmax */
    /* The repeat and a copy before it, of which a quarter may stay; the product, as much less; the
     * expands; the check, of which a fifth may stay. */
    cr_expect_float_eq(finding->least, 0.75 * cases[i].copied + cases[i].expanded + 0.8 * 80000,
                       1e-6, "%f", finding->least);
    cr_expect_float_eq(finding->potential,
                       cases[i].copied + 0.75 * 10000 + cases[i].expanded + 80000, 1e-6, "%f",
                       finding->potential);
    tiny_clear(&t);
  }
}

/* Gives a convolution the arguments that decide whether it can be split. groups: "8". */
static void set_convolution(tiny *t, uint32_t conv, const char *padding, const char *dilation,
                            const char *groups) {
  etr_argument *arguments = etr_arena_alloc_array(&t->arena, 4, sizeof *arguments);
  arguments[0] = (etr_argument){.name = "padding", .value = padding};
  arguments[1] = (etr_argument){.name = "dilation", .value = dilation};
  arguments[2] = (etr_argument){.name = "transposed", .value = "false"};
  arguments[3] = (etr_argument){.name = "groups", .value = groups};
  t->nodes.data[conv].arguments = arguments;
  t->nodes.data[conv].argument_count = 4;
}

/* A depthwise convolution is split if its filter is too large for fast kernels, and a quarter of it
 * is not, and if the code can split it. */
Test(findings, wide_depthwise_convolutions_are_found) {
  static const struct {
    int64_t channels, rows, columns;
    const char *runs_as;
    bool is_found;
  } cases[] = {
      {1, 7, 7, "Convolution (NHWC, F32) IGEMM #1", true},
      {1, 9, 9, "Convolution (NHWC, F32) IGEMM #1", true},
      {1, 13, 3, "Convolution (NHWC, F32) IGEMM #1", true},
      {1, 5, 5, "Convolution (NHWC, F32) IGEMM #1", false},   /* a fast kernel takes it */
      {1, 11, 11, "Convolution (NHWC, F32) IGEMM #1", false}, /* a quarter has 36 weights */
      {1, 7, 7, "Convolution (NHWC, F32) DWConv #1", false},
      {1, 7, 7, "Convolution (NHWC, QC8) IGEMM #1", false}, /* nothing was measured of int8 */
      {4, 7, 7, "Convolution (NHWC, F32) IGEMM #1", false}, /* not depthwise */
      {1, 8, 8, "Convolution (NHWC, F32) IGEMM #1", false}, /* its parts differ in size */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    const etr_dim sizes[] = {{.size = 8, .hint = -1},
                             {.size = cases[i].channels, .hint = -1},
                             {.size = cases[i].rows, .hint = -1},
                             {.size = cases[i].columns, .hint = -1}};
    const etr_value filter = {.name = "w", .dtype = "float32", .dims = sizes, .rank = 4};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             w = tiny_node(&t, ETR_NODE_PARAMETER, "w", "w", 0),
             conv = op(&t, "conv", "aten.convolution.default", x);
    tiny_input(&t, conv, w, 0);
    t.nodes.data[w].outputs = &filter;
    set_convolution(&t, conv, "[3, 3]", "[1, 1]", "8");
    tiny_time(&t, conv, 700000)->runs_as = cases[i].runs_as;
    const etr_profile *profile = whole(&t);
    t.graph.dialect = "edge";
    const etr_finding *finding = find(&t, profile, ETR_FINDING_SPLIT_DEPTHWISE);
    cr_expect_eq(finding != NULL, cases[i].is_found, "case %zu", i);
    if (finding) {
      cr_expect_eq(finding->node_count, 1);
      cr_expect_float_eq(finding->least, 700000 * (1 - 1 / 3.0), 1);
      cr_expect_float_eq(finding->potential, 700000 * (1 - 1 / 14.0), 1);
      cr_expect_eq(finding->sureness, ETR_RULE_OF_THUMB);
    }
    tiny_clear(&t);
  }
}

/* The code of the finding splits no convolution with a channel multiplier, without padding or with
 * dilation. A batch norm behind one is to be folded first. */
Test(findings, depthwise_convolutions_that_no_code_splits_are_not_found) {
  static const struct {
    const char *padding, *dilation, *groups;
    bool is_found, has_norm;
  } cases[] = {{"[3, 3]", "[1, 1]", "8", true, false},  {"[3, 3]", "[1, 1]", "8", true, true},
               {"[1, 1]", "[1, 1]", "8", true, false},  {"[3, 3]", "[1, 1]", "4", false, false},
               {"[0, 0]", "[1, 1]", "8", false, false}, {"[3, 0]", "[1, 1]", "8", false, false},
               {"[6, 6]", "[2, 2]", "8", false, false}};
  static const etr_dim sizes[] = {{.size = 8, .hint = -1},
                                  {.size = 1, .hint = -1},
                                  {.size = 7, .hint = -1},
                                  {.size = 7, .hint = -1}};
  static const etr_value filter = {.name = "w", .dtype = "float32", .dims = sizes, .rank = 4};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             w = tiny_node(&t, ETR_NODE_PARAMETER, "w", "w", 0),
             conv = op(&t, "conv", "aten.convolution.default", x);
    tiny_input(&t, conv, w, 0);
    t.nodes.data[w].outputs = &filter;
    if (cases[i].has_norm)
      op(&t, "norm", "aten._native_batch_norm_legit_no_training.default", conv);
    set_convolution(&t, conv, cases[i].padding, cases[i].dilation, cases[i].groups);
    tiny_time(&t, conv, 700000)->runs_as = "Convolution (NHWC, F32) IGEMM #1";
    const etr_profile *profile = whole(&t);
    t.graph.dialect = "edge";
    const etr_finding *finding = find(&t, profile, ETR_FINDING_SPLIT_DEPTHWISE);
    cr_expect_eq(finding != NULL, cases[i].is_found, "case %zu", i);
    cr_expect(!finding ||
                  (strstr(finding->evidence, "fuse_conv_bn_eval") != NULL) == cases[i].has_norm,
              "case %zu: %s", i, finding ? finding->evidence : "");
    tiny_clear(&t);
  }
}

/* The size of one filter is not said of all. */
Test(findings, wide_depthwise_convolutions_of_two_sizes_name_none) {
  for (int64_t second = 7; second <= 9; second += 2) {
    tiny t = {0};
    const int64_t rows[] = {7, second};
    etr_dim sizes[2][4];
    etr_value filters[2];
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    for (int i = 0; i < 2; i++) {
      const int64_t filter[] = {8, 1, rows[i], rows[i]};
      for (int k = 0; k < 4; k++)
        sizes[i][k] = (etr_dim){.size = filter[k], .hint = -1};
      filters[i] = (etr_value){.name = "w", .dtype = "float32", .dims = sizes[i], .rank = 4};
      uint32_t w = tiny_node(&t, ETR_NODE_PARAMETER, i ? "w1" : "w0", "w", 0),
               conv = op(&t, i ? "conv1" : "conv0", "aten.convolution.default", x);
      tiny_input(&t, conv, w, 0);
      t.nodes.data[w].outputs = &filters[i];
      set_convolution(&t, conv, "[3, 3]", "[1, 1]", "8");
      tiny_time(&t, conv, 700000)->runs_as = "Convolution (NHWC, F32) IGEMM #1";
    }
    const etr_profile *profile = whole(&t);
    t.graph.dialect = "edge";
    const etr_finding *finding = find(&t, profile, ETR_FINDING_SPLIT_DEPTHWISE);
    cr_assert(finding && finding->node_count == 2);
    cr_expect_eq(strstr(finding->fact, "7 x 7") != NULL, second == 7, "%s", finding->fact);
    cr_expect_null(strstr(finding->fact, "9 x 9"), "%s", finding->fact);
    /* The number of one kernel is not said of all, and the ratio is that of one size. */
    cr_expect_null(strstr(finding->evidence, "#1"), "%s", finding->evidence);
    cr_expect(strstr(finding->evidence, "7 x 7"), "%s", finding->evidence);
    tiny_clear(&t);
  }
}

/* Keys that were copied for each head are advice; keys that something computed are none. */
Test(findings, repeated_keys_are_found) {
  static const struct {
    const char *target; /* of what the product reads */
    bool is_found;
  } cases[] = {{"aten.expand_copy.default", true}, {"aten.linear.default", false}};
  static const etr_dim two[] = {{.size = 2, .hint = -1}, {.size = 8, .hint = -1}},
                       eight[] = {{.size = 8, .hint = -1}, {.size = 8, .hint = -1}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    etr_value narrow = {.name = "k", .dtype = "float32", .dims = two, .rank = 2};
    etr_value wide = {.name = "heads", .dtype = "float32", .dims = eight, .rank = 2};
    uint32_t q = tiny_node(&t, ETR_NODE_INPUT, "q", "q", 0),
             k = tiny_node(&t, ETR_NODE_INPUT, "k", "k", 0),
             heads = op(&t, "heads", cases[i].target, k),
             product = op(&t, "bmm", "aten.bmm.default", q);
    t.nodes.data[k].outputs = &narrow;
    t.nodes.data[heads].outputs = &wide;
    tiny_input(&t, product, heads, 0);
    tiny_time(&t, heads, 500000);
    tiny_time(&t, product, 500000);
    const etr_finding *finding = find(&t, whole(&t), ETR_FINDING_REPEATED_HEADS);
    cr_expect_eq(finding != NULL, cases[i].is_found, "%s", cases[i].target);
    if (finding) { /* of four heads, one fourth may stay */
      cr_expect_eq(finding->node_count, 2);
      cr_expect_float_eq(finding->least, 0.75 * 500000, 1, "%f", finding->least);
      cr_expect_float_eq(finding->potential, 500000 + 0.75 * 500000, 1, "%f", finding->potential);
      cr_expect_not_null(strstr(finding->evidence, "what is still copied is 4 times smaller"));
    }
    tiny_clear(&t);
  }
}

/* Keys behind more copies than are looked at are not known to be repeated. */
Test(findings, keys_behind_many_copies_are_not_repeated) {
  static const etr_dim two[] = {{.size = 2, .hint = -1}, {.size = 8, .hint = -1}};
  tiny t = {0};
  etr_value narrow = {.name = "k", .dtype = "float32", .dims = two, .rank = 2};
  uint32_t q = tiny_node(&t, ETR_NODE_INPUT, "q", "q", 0);
  uint32_t last = tiny_node(&t, ETR_NODE_INPUT, "k", "k", 0);
  t.nodes.data[last].outputs = &narrow;
  for (int i = 0; i < 20; i++) {
    last = op(&t, "view", "aten.view_copy.default", last);
    t.nodes.data[last].outputs = &narrow;
  }
  uint32_t product = op(&t, "bmm", "aten.bmm.default", q);
  tiny_input(&t, product, last, 0);
  tiny_time(&t, product, 1000000);
  cr_expect_null(find(&t, whole(&t), ETR_FINDING_REPEATED_HEADS));
  tiny_clear(&t);
}

/* What to write in place of copies that move data depends on the model: no code fits all of them.
 */
Test(findings, what_depends_on_the_model_has_no_code) {
  const etr_finding moves = {.kind = ETR_FINDING_COPIES, .variant = ETR_VARIANT_MOVES},
                    left = {.kind = ETR_FINDING_NOT_DELEGATED, .variant = ETR_VARIANT_LEFT};
  cr_expect_null(etr_finding_code_of(&moves));
  cr_expect_null(etr_finding_code_of(&left));
}

/* "Measure again" is above the note, and may promise more than 10 %: the note leaves it out. */
Test(findings, the_note_does_not_contradict_measuring_again) {
  const etr_finding change = {.kind = ETR_FINDING_COPIES}, again = {.kind = ETR_FINDING_SLOW_RUNS};
  const etr_findings none = {.is_nothing_large = true},
                     usual = {.list = &change, .count = 1, .is_nothing_large = true},
                     unsure = {.list = &again, .count = 1, .is_nothing_large = true},
                     large = {.list = &change, .count = 1};
  cr_expect_str_eq(etr_findings_note(&none), "nothing stands out");
  cr_expect_str_eq(etr_findings_note(&usual), "no change above is known to save 10 % or more");
  cr_expect_str_eq(etr_findings_note(&unsure),
                   "but for measuring again, no change above is known to save 10 % or more");
  cr_expect_null(etr_findings_note(&large));
}

/* Code names nothing that it does not make: a quantizer for int8, a configuration for 8da4w. */
Test(findings, code_is_that_of_the_advice) {
  static const struct {
    etr_finding_kind kind;
    etr_finding_variant variant;
    const char *has, *has_not;
  } cases[] = {
      {ETR_FINDING_QUANTIZE, ETR_VARIANT_USUAL, "quantizer = ", "quantize_("},
      {ETR_FINDING_QUANTIZE, ETR_VARIANT_8DA4W, "in_features % 32 == 0)", "quantizer"},
      {ETR_FINDING_COPIES, ETR_VARIANT_USUAL, "after = x", "WithoutExpands"},
      {ETR_FINDING_COPIES, ETR_VARIANT_EXPORT, "WithoutExpands()]", "after = x"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_finding finding = {.kind = cases[i].kind, .variant = cases[i].variant};
    const etr_finding_code *code = etr_finding_code_of(&finding);
    cr_assert_not_null(code);
    cr_expect(strstr(code->after, cases[i].has), "case %zu: %s", i, code->after);
    cr_expect_not(strstr(code->after, cases[i].has_not), "case %zu: %s", i, code->after);
  }
}

/* Runs that differ by more than a quarter, or that take one of two times, leave nothing sure. */
Test(findings, nothing_is_sure_of_runs_that_differ) {
  static const struct {
    etr_noise_verdict verdict;
    double p90; /* the median is 2500000, and p10 as far below it as p90 is above */
    bool is_sure;
  } cases[] = {{ETR_NOISE_NOISY, 2600000, true},
               {ETR_NOISE_NOISY, 3500000, false},
               {ETR_NOISE_FEW_RUNS, 3500000, false},
               {ETR_NOISE_STEADY, 3500000, true},
               {ETR_NOISE_TWO_MODES, 2600000, false}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t w = tiny_node(&t, ETR_NODE_PARAMETER, "p_w", "w", 0);
    tiny_time(&t, op(&t, "permute", "aten.permute_copy.default", w), 100000);
    whole(&t);
    t.method.noise.verdict = cases[i].verdict;
    t.method.execute.count = 10;
    t.method.execute.p90 = cases[i].p90;
    t.method.execute.p10 = 5000000 - cases[i].p90;
    cr_expect_eq(etr_runs_differ_much(&t.method), !cases[i].is_sure, "case %zu", i);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_CONSTANTS);
    cr_assert_not_null(finding);
    cr_expect_eq(finding->sureness, cases[i].is_sure ? ETR_SURE : ETR_LIKELY, "case %zu", i);
    tiny_clear(&t);
  }
}

/* One run has no median: only three or more operators alike show whether the longest of them was
 * interrupted. */
Test(findings, of_one_run_an_operator_without_equals_is_not_sure) {
  static const struct {
    size_t equals; /* operators of 100000 ticks like the longest, of 600000 */
    double least;
  } cases[] = {{0, 0}, {1, 0}, {2, 350000}, {3, 450000}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t w = tiny_node(&t, ETR_NODE_PARAMETER, "p_w", "w", 0);
    tiny_time(&t, op(&t, "full", "aten.full.default", ETR_NONE), 50000);
    for (size_t k = 0; k <= cases[i].equals; k++)
      tiny_time(&t, op(&t, "permute", "aten.permute_copy.default", w), k ? 100000 : 600000);
    whole(&t);
    t.method.run_count = 1;
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_CONSTANTS);
    cr_assert_not_null(finding);
    double times = finding->potential / (650000 + 100000 * (double)cases[i].equals);
    bool is_right = cases[i].least > 0 ? fabs(finding->least - cases[i].least * times) < 1
                                       : isnan(finding->least);
    cr_expect(is_right, "case %zu: %f", i, finding->least);
    cr_expect_eq(finding->sureness, ETR_POSSIBLE);
    tiny_clear(&t);
  }
}

/* A call more takes what calls take in the record; without any, what is assumed. */
Test(findings, a_new_delegate_costs_what_calls_take) {
  static const uint64_t ticks[] = {11000, 11000, 11000};
  double potential[2];
  for (int has_calls = 0; has_calls <= 1; has_calls++) {
    tiny t = {0};
    const etr_delegate delegates[] = {{.instruction_id = 0, .backend = "XnnpackBackend"}};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    if (has_calls)
      delegated(&t, "a", 0, "XnnpackBackend", x);
    uint32_t erf = op(&t, "erf", "aten.erf.default", x),
             gelu = op(&t, "gelu", "aten.gelu.default", erf);
    uint32_t again = op(&t, "erf_1", "aten.erf.default", gelu);
    tiny_time(&t, gelu, 500000);
    tiny_time(&t, op(&t, "gelu_1", "aten.gelu.default", again), 500000);
    whole(&t);
    t.graph.dialect = "edge";
    const etr_event events[] = {event_of("DELEGATE_CALL", 0, ticks, NULL, NULL),
                                event_of("op", 0, ticks, NULL, "op")};
    const etr_block block = {
        .name = "Execute", .run_count = RUNS, .method = 0, .events = events, .event_count = 2};
    etr_time_slice slices[] = {
        {.ticks = 40000, .event = events, .node = ETR_NONE, .part = ETR_TIME_CALL_OVERHEAD},
        {.ticks = 40000, .event = events, .node = ETR_NONE, .part = ETR_TIME_CALL_OVERHEAD}};
    slices[1].run = 1;
    if (has_calls) {
      t.method.delegates = delegates;
      t.method.delegate_count = 1;
      t.method.time_slices = slices;
      t.method.time_slice_count = 2;
      t.profile.blocks = &block;
      t.profile.block_count = 1;
    }
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_NOT_DELEGATED);
    cr_assert_not_null(finding);
    potential[has_calls] = finding->potential;
    cr_expect(strstr(finding->caveat, has_calls ? "less 0.0400 ms" : "less 0.0050 ms"), "%s",
              finding->caveat);
    tiny_clear(&t);
  }
  cr_expect_lt(potential[1], potential[0]);
}

/* Why a partitioner refuses operators is not cut: it is in the evidence as a whole. */
Test(findings, reasons_of_a_partitioner_are_not_cut) {
  static const etr_dim dims[] = {{.size = 1, .hint = -1},
                                 {.size = 8, .hint = -1},
                                 {.size = 16, .hint = -1},
                                 {.size = 32, .hint = -1}};
  static const char *const targets[] = {"aten._softmax.default", "aten.mean.dim"};
  for (size_t i = 0; i < ETR_COUNT(targets); i++) {
    tiny t = {0};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0), node = op(&t, "node", targets[i], x);
    const etr_event event = {.name = "op", .kernel = "op", .kind = ETR_EVENT_KERNEL};
    made_runs runs;
    set_value(&t, x, dims, 4, "");
    set_value(&t, node, dims, 3, "1");
    tiny_time(&t, node, 2200000);
    whole(&t);
    make_runs(&t, &runs, node, &event);
    t.graph.dialect = "edge";
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_LESS_WORK);
    cr_assert_not_null(finding);
    cr_expect_null(strstr(finding->fact, "..."), "%s", finding->fact);
    cr_expect(strstr(finding->fact, "; XNNPACK"), "%s", finding->fact);
    cr_expect(strstr(finding->evidence, i ? "weights 1/n" : "permute before it"), "%s",
              finding->evidence);
    tiny_clear(&t);
  }
}

/* Large depthwise convolutions in int8 are slower than in float32, which is the advice then. */
Test(findings, depthwise_convolutions_in_int8_may_be_slow) {
  for (int is_depthwise = 0; is_depthwise <= 1; is_depthwise++) {
    tiny t = {0};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             w = tiny_node(&t, ETR_NODE_PARAMETER, "p_w", "w", 0),
             conv = op(&t, "conv", "aten.convolution.default", x);
    tiny_input(&t, conv, w, 0);
    const etr_dim dims[] = {{.size = 16, .hint = -1},
                            {.size = is_depthwise ? 1 : 16, .hint = -1},
                            {.size = 7, .hint = -1},
                            {.size = 7, .hint = -1}};
    const etr_value value = {.name = "w", .dtype = "int8", .dims = dims, .rank = 4};
    const etr_event event = {
        .name = "conv", .backend = "XnnpackBackend", .kind = ETR_EVENT_DELEGATE_OPERATOR};
    made_runs runs;
    tiny_time(&t, conv, 2200000)->backend = "XnnpackBackend";
    etr_findings found;
    whole(&t);
    t.nodes.data[w].outputs = &value;
    make_runs(&t, &runs, conv, &event);
    cr_assert(etr_findings_make(&found, &t.arena, &t.profile, &t.profile.methods[0], ETR_UNIT_MS));
    cr_assert_eq(found.count, 1);
    cr_expect_eq(found.list[0].kind, is_depthwise ? ETR_FINDING_QUANTIZE : ETR_FINDING_LESS_WORK);
    cr_expect_eq(strstr(found.list[0].title, "in float32") != NULL, is_depthwise, "%s",
                 found.list[0].title);
    tiny_clear(&t);
  }
}

/* Quantizers do not see the layers inside of an LSTM, and torchao's sees torch.nn.Linear alone,
 * whose inputs groups of 32 must divide. */
Test(findings, layers_that_quantizers_do_not_see_are_possible_only) {
  static const struct {
    const char *type, *title;
    etr_finding_variant variant;
    etr_effort effort;
    int64_t inputs;
  } cases[] = {{"torch.nn.modules.rnn.LSTM", "Quantize 1 linear layer to int8", ETR_VARIANT_LAYERS,
                ETR_EFFORT_CHANGE_MODEL, 64},
               {"torch.nn.modules.linear.Linear", "Quantize 1 linear layer to 8da4w",
                ETR_VARIANT_8DA4W, ETR_EFFORT_RE_EXPORT, 64},
               {"torch.nn.modules.linear.Linear", "Quantize 1 linear layer to int8",
                ETR_VARIANT_USUAL, ETR_EFFORT_RE_EXPORT, 680},
               {"torch.nn.modules.activation.MultiheadAttention", "Quantize 1 linear layer to int8",
                ETR_VARIANT_USUAL, ETR_EFFORT_RE_EXPORT, 64}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t module = tiny_module(&t, 0, "l", cases[i].type),
             x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             layer = tiny_node(&t, ETR_NODE_OP, "linear", "aten.linear.default", module);
    tiny_input(&t, layer, x, 0);
    const etr_dim dims[] = {{.size = 1, .hint = -1}, {.size = cases[i].inputs, .hint = -1}};
    const etr_value row = {.name = "x", .dtype = "float32", .dims = dims, .rank = 2};
    const etr_event event = {
        .name = "linear", .backend = "XnnpackBackend", .kind = ETR_EVENT_DELEGATE_OPERATOR};
    made_runs runs;
    tiny_time(&t, layer, 2200000)->backend = "XnnpackBackend";
    etr_findings found;
    whole(&t);
    t.nodes.data[x].outputs = &row;
    t.nodes.data[x].output_count = 1;
    make_runs(&t, &runs, layer, &event);
    cr_assert(etr_findings_make(&found, &t.arena, &t.profile, &t.profile.methods[0], ETR_UNIT_MS));
    cr_assert_eq(found.count, 1, "case %zu: %zu", i, found.count);
    cr_expect_str_eq(found.list[0].title, cases[i].title);
    cr_expect_eq(found.list[0].variant, cases[i].variant, "case %zu", i);
    cr_expect_eq(found.list[0].effort, cases[i].effort, "case %zu", i);
    tiny_clear(&t);
  }
}

/* The code that quantizes linear layers leaves large depthwise convolutions beside them as they
 * are.
 */
Test(findings, depthwise_convolutions_beside_layers_stay_as_they_are) {
  static const struct {
    int64_t filter;       /* rows and columns */
    int64_t channels;     /* that one filter sees */
    uint64_t small_ticks; /* of a depthwise convolution of 3 x 3 beside it */
    etr_finding_variant variant;
  } cases[] = {{7, 1, 100000, ETR_VARIANT_DEPTHWISE},
               {7, 16, 100000, ETR_VARIANT_USUAL},
               {5, 1, 100000, ETR_VARIANT_DEPTHWISE},
               {3, 1, 100000, ETR_VARIANT_USUAL}};
  enum { NODES = 3 };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
             large = tiny_node(&t, ETR_NODE_PARAMETER, "p_large", "large", 0),
             small = tiny_node(&t, ETR_NODE_PARAMETER, "p_small", "small", 0);
    const uint32_t nodes[NODES] = {op(&t, "linear", "aten.linear.default", x),
                                   op(&t, "conv", "aten.convolution.default", x),
                                   op(&t, "conv_1", "aten.convolution.default", x)};
    const uint64_t ticks[NODES] = {1000000, 600000, cases[i].small_ticks};
    tiny_input(&t, nodes[1], large, 0);
    tiny_input(&t, nodes[2], small, 0);
    const etr_dim rows[] = {{.size = 64, .hint = -1}, {.size = 680, .hint = -1}},
                  of_large[] = {{.size = 16, .hint = -1},
                                {.size = cases[i].channels, .hint = -1},
                                {.size = cases[i].filter, .hint = -1},
                                {.size = cases[i].filter, .hint = -1}},
                  of_small[] = {{.size = 16, .hint = -1},
                                {.size = 1, .hint = -1},
                                {.size = 3, .hint = -1},
                                {.size = 3, .hint = -1}};
    const etr_value row = {.name = "x", .dtype = "float32", .dims = rows, .rank = 2},
                    large_value = {.name = "w", .dtype = "float32", .dims = of_large, .rank = 4},
                    small_value = {.name = "w", .dtype = "float32", .dims = of_small, .rank = 4};
    const etr_event event = {
        .name = "op", .backend = "XnnpackBackend", .kind = ETR_EVENT_DELEGATE_OPERATOR};
    made_runs runs;
    etr_time_slice slices[NODES * RUNS];
    for (size_t k = 0; k < NODES; k++)
      tiny_time(&t, nodes[k], ticks[k])->backend = "XnnpackBackend";
    whole(&t);
    t.nodes.data[x].outputs = &row;
    t.nodes.data[x].output_count = 1;
    t.nodes.data[large].outputs = &large_value;
    t.nodes.data[small].outputs = &small_value;
    t.nodes.data[large].output_count = t.nodes.data[small].output_count = 1;
    make_runs(&t, &runs, nodes[0], &event);
    for (uint32_t k = 0; k < NODES * RUNS; k++)
      slices[k] = (etr_time_slice){.ticks = ticks[k / RUNS],
                                   .event = &event,
                                   .run = k % RUNS,
                                   .node = nodes[k / RUNS],
                                   .part = ETR_TIME_OPERATORS};
    t.method.time_slices = slices;
    t.method.time_slice_count = NODES * RUNS;
    etr_findings found;
    const etr_finding *finding = NULL;
    cr_assert(etr_findings_make(&found, &t.arena, &t.profile, &t.profile.methods[0], ETR_UNIT_MS));
    for (size_t k = 0; k < found.count; k++)
      if (strcmp(found.list[k].title, "Quantize 1 linear layer to int8") == 0)
        finding = &found.list[k];
    cr_assert_not_null(finding, "case %zu", i);
    cr_expect_eq(finding->variant, cases[i].variant, "case %zu: %s", i, finding->evidence);
    bool is_left = cases[i].variant == ETR_VARIANT_DEPTHWISE;
    cr_expect_eq(strstr(finding->fact, "large depthwise stays float32") != NULL, is_left,
                 "case %zu", i);
    cr_expect_eq(strstr(finding->evidence, "Not counted: 1 depthwise convolution ") != NULL,
                 is_left, "case %zu: %s", i, finding->evidence);
    tiny_clear(&t);
  }
}

Test(findings, a_fixture_has_its_findings) {
  etr_inputs inputs;
  etr_profile *profile;
  etr_findings found;
  etr_arena arena = {0};
  cr_assert_eq(etr_inputs_find(&inputs, FIXTURES "/quantized_xnnpack", NULL, NULL), ETR_OK);
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, NULL), ETR_OK);
  cr_assert(etr_findings_make(&found, &arena, profile, &profile->methods[0], ETR_UNIT_MS));
  cr_assert_eq(found.count, 4);
  cr_expect_eq(found.list[0].kind, ETR_FINDING_FALLBACK);
  cr_expect_str_eq(found.list[0].title, "Join 4 XNNPACK delegates into 3");
  cr_expect_eq(found.list[1].kind, ETR_FINDING_LAYOUT);
  cr_expect_str_eq(found.list[1].title, "Avoid 7 Transpose, 2 Convert");
  cr_expect_lt(found.list[1].share, 0.14,
               "the first run makes it 26 %% of the average, but not of the median");
  /* erf takes a quarter, and nothing makes it faster: the fact says why. */
  cr_expect_eq(found.list[2].kind, ETR_FINDING_LESS_WORK);
  cr_expect(strstr(found.list[2].fact, "XNNPACK: no configuration"), "%s", found.list[2].fact);
  cr_expect_eq(found.list[3].kind, ETR_FINDING_FIRST_RUN);
  cr_expect(found.list[1].overlap_count == 0 && found.list[3].is_once);
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
  etr_arena_clear(&arena);
}

Test(findings, a_single_slow_run_is_found) {
  static const struct {
    uint64_t ticks[4]; /* of each run */
    double median;
    bool found;
  } cases[] = {
      {{10000, 10000, 900000, 10000}, 10000, true},
      {{900000, 10000, 10000, 10000}, 10000, false}, /* the first run is cold */
      {{10000, 10000, 90000, 10000}, 10000, false},  /* nine times */
      {{1, 1, 20000, 1}, 1, false},                  /* less than 1 % of the whole */
      {{0, 0, 900000, 0}, 0, false},                 /* shorter than a step of the clock */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    etr_run_ticks runs[4];
    uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0), a = op(&t, "a", "aten.add.Tensor", x);
    etr_node_time *time = tiny_time(&t, a, 10000);
    for (uint32_t run = 0; run < 4; run++)
      runs[run] = (etr_run_ticks){run, cases[i].ticks[run]};
    time->each_run = runs;
    time->runs = 4;
    time->per_run.p50 = cases[i].median;
    whole(&t);
    const etr_finding *finding = find(&t, &t.profile, ETR_FINDING_OUTLIER);
    cr_expect_eq(finding != NULL, cases[i].found, "case %zu", i);
    if (finding) {
      cr_expect_eq(finding->node_count, 1);
      cr_expect_float_eq(finding->cost, 890000, 1e-6);
      cr_expect(isnan(finding->share));
      cr_expect(strstr(finding->evidence, "a took 0.900 ms in run 3"), "%s", finding->evidence);
    }
    tiny_clear(&t);
  }
}
