/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_throughput.c - how the time of a token grows with the number of tokens in the cache. The
 * slopes and intervals were computed with Python from the formula of Theil and Sen.
 */
#include "profile/throughput.h"
#include "views/throughput.h"

#include "base/method_parts.h"
#include "tiny_graph.h"

#include <math.h>

enum { RUNS = 12, MANY_RUNS = 40 };

/* Runs of one token each, one after the other. */
typedef struct token_runs {
  etr_arena arena;
  etr_run runs[MANY_RUNS];
  uint32_t numbers[MANY_RUNS];
  etr_block block;
  etr_method method;
  etr_profile profile;
} token_runs;

/* Fills the runs of a method that writes a buffer, or reads one only. The first runs have an ETDump
 * each, in which a sequence begins. */
static void make_runs(token_runs *t, const uint64_t *ticks, uint32_t count, uint32_t first_count,
                      bool has_cache) {
  *t = (token_runs){.block = {.method = 0}};
  const tiny_graph *g = tiny_graph_of(&t->arena,
                                      "ids input [i64:1x1];cache weight [64x4];"
                                      "e llama.custom_sdpa.default (ids) [1x4];o output (e)");
  g->nodes[tiny_node(g, "cache")].kind = ETR_NODE_BUFFER;
  g->nodes[tiny_node(g, "cache")].is_written = has_cache;
  for (uint32_t i = 0; i < count; i++) {
    t->numbers[i] = i;
    t->runs[i].execute_ticks = ticks[i];
    t->runs[i].dump = ETR_MIN(i, first_count);
  }
  t->method = (etr_method){.name = "forward",
                           .graph = 0,
                           .runs = t->numbers,
                           .run_count = count,
                           .execute_per_run = ticks};
  t->profile = (etr_profile){.ticks_per_second = 1e9,
                             .runs = t->runs,
                             .run_count = count,
                             .blocks = &t->block,
                             .block_count = 1,
                             .methods = &t->method,
                             .method_count = 1,
                             .graphs = &g->graph,
                             .graph_count = 1};
  cr_assert(etr_throughput_fill(&t->profile, t->runs, &t->method, &t->arena));
}

Test(throughput, the_time_of_a_token_grows_with_the_cache) {
  static const struct {
    const char *title;
    uint64_t ticks[RUNS]; /* of each run, in nanoseconds */
    double ms_per_1000, low, high;
    uint32_t first_count; /* runs of a sequence of their own */
  } cases[] = {
      {"exactly",
       {1000000, 1010000, 1020000, 1030000, 1040000, 1050000, 1060000, 1070000, 1080000, 1090000,
        1100000, 1110000},
       10,
       10,
       10,
       0},
      {"with noise",
       {999370, 1012748, 1028368, 1021950, 1046257, 1049160, 1052699, 1066139, 1074709, 1093182,
        1106370, 1109079},
       9.98002272727,
       8.85157142857,
       11.276,
       0},
      {"at few positions, with more ranks in the interval than pairs", /* all but the last at 0 */
       {1000000, 1010000, 1020000, 1030000, 1040000, 1050000, 1060000, 1070000, 1080000, 1090000,
        1100000, 1200000},
       150,
       100,
       200,
       RUNS - 2},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    token_runs t;
    make_runs(&t, cases[i].ticks, RUNS, cases[i].first_count, true);
    const etr_cache_growth *growth = t.profile.cache_growth;
    cr_assert_not_null(growth, "%s", cases[i].title);
    cr_expect_float_eq(growth->ms_per_1000, cases[i].ms_per_1000, 1e-9, "%s: %.12g", cases[i].title,
                       growth->ms_per_1000);
    cr_expect_float_eq(growth->low, cases[i].low, 1e-9, "%s: %.12g", cases[i].title, growth->low);
    cr_expect_float_eq(growth->high, cases[i].high, 1e-9, "%s: %.12g", cases[i].title,
                       growth->high);
    cr_expect_eq(growth->sequence_count, cases[i].first_count + 1);
    if (cases[i].first_count > 0) {
      cr_expect_eq(growth->curve_count, 2);
      cr_expect_eq(growth->curve[0].ms, (double)cases[i].ticks[5] / 1e6);
      cr_expect_eq(growth->curve[1].ms, (double)cases[i].ticks[RUNS - 1] / 1e6);
    } else {
      cr_expect_eq(growth->curve_count, RUNS);
      cr_expect_eq(growth->curve[3].ms, (double)cases[i].ticks[3] / 1e6);
    }
    etr_arena_clear(&t.arena);
    make_runs(&t, cases[i].ticks, RUNS, cases[i].first_count, false);
    cr_expect_null(t.profile.cache_growth, "%s: nothing is kept", cases[i].title);
    etr_arena_clear(&t.arena);
  }
}

Test(throughput, positions_of_a_curve_are_whole) {
  token_runs t;
  uint64_t ticks[MANY_RUNS];
  for (uint32_t i = 0; i < MANY_RUNS; i++)
    ticks[i] = 1000000 + i * 1000;
  make_runs(&t, ticks, MANY_RUNS, 0, true);
  const etr_cache_growth *growth = t.profile.cache_growth;
  cr_assert_not_null(growth);
  cr_expect_lt(growth->curve_count, MANY_RUNS, "some points are of two positions");
  for (size_t i = 0; i < growth->curve_count; i++)
    cr_expect_eq(growth->curve[i].position, floor(growth->curve[i].position));
  etr_arena_clear(&t.arena);
}

Test(throughput, growth_of_runs_that_drift_is_doubted) {
  etr_arena arena = {0};
  etr_cache_growth growth = {.ms_per_1000 = 10, .low = 8, .high = 12, .sequence_count = 3};
  cr_expect_null(strstr(etr_cache_growth_text(&arena, &growth), "or the device got slower"));
  growth.has_drift = true;
  cr_expect_not_null(strstr(etr_cache_growth_text(&arena, &growth), "or the device got slower"));
  etr_arena_clear(&arena);
}

/* Weights of runs are fractions, whose sum is not exact: one token a run is one. */
Test(throughput, one_token_a_run_is_exact) {
  token_runs t;
  uint64_t ticks[RUNS];
  double weights[RUNS] = {0.1, 0.1, 0.1}; /* they add up to more than 0.3 */
  for (uint32_t i = 0; i < RUNS; i++)
    ticks[i] = 1000000;
  make_runs(&t, ticks, RUNS, 0, true);
  t.method.execute.typical = 1000000;
  t.method.typical = (etr_typical_run){.weights = weights, .divisor = 0.3};
  cr_assert(etr_throughput_fill(&t.profile, t.runs, &t.method, &t.arena));
  cr_expect(t.method.throughput->tokens_per_run == 1, "%.17g", t.method.throughput->tokens_per_run);
  weights[0] = 0.05;
  cr_assert(etr_throughput_fill(&t.profile, t.runs, &t.method, &t.arena));
  cr_expect_float_eq(t.method.throughput->tokens_per_run, 0.25 / 0.3, 1e-12);
  etr_arena_clear(&t.arena);
}

/* Nothing makes later tokens cheaper, and runs that differ too much have any slope by chance. */
Test(throughput, only_growth_of_steady_runs_is_stated) {
  static const struct {
    etr_cache_growth growth;
    const char *text;
  } cases[] = {
      {{.ms_per_1000 = 10, .low = 8, .high = 12, .sequence_count = 3},
       "a token takes 10 ms longer for each 1,000 positions in the cache (between 8 and 12)"},
      {{.ms_per_1000 = 1, .low = -1, .high = 3, .sequence_count = 3},
       "a token does not take longer at later positions in the cache"},
      {{.ms_per_1000 = -24, .low = -49, .high = -4, .sequence_count = 1, .has_drift = true},
       "a token does not take longer at later positions in the cache"},
      {{.ms_per_1000 = 10, .low = 8, .high = 12, .sequence_count = 3, .is_noisy = true},
       "the runs differ too much to tell whether later tokens take longer"},
      {{.ms_per_1000 = -24, .low = -49, .high = -4, .sequence_count = 3, .is_noisy = true},
       "the runs differ too much to tell whether later tokens take longer"},
  };
  etr_arena arena = {0};
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_str_eq(etr_cache_growth_text(&arena, &cases[i].growth), cases[i].text);
  etr_arena_clear(&arena);
}

/* Runs are noisy if the method's are, or those of one of its phases. */
Test(throughput, growth_knows_noisy_runs) {
  static const struct {
    etr_noise_verdict of_method, of_phase;
    bool is_noisy, has_drift;
  } cases[] = {
      {ETR_NOISE_STEADY, ETR_NOISE_STEADY, false, false},
      {ETR_NOISE_NOISY, ETR_NOISE_STEADY, true, false},
      {ETR_NOISE_TWO_MODES, ETR_NOISE_STEADY, true, false},
      {ETR_NOISE_DRIFT, ETR_NOISE_STEADY, false, true},
      {ETR_NOISE_STEADY, ETR_NOISE_NOISY, true, false},
      {ETR_NOISE_STEADY, ETR_NOISE_STEP, false, true},
  };
  uint64_t ticks[RUNS];
  for (uint32_t i = 0; i < RUNS; i++)
    ticks[i] = 1000000 + i * 1000;
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    token_runs t;
    make_runs(&t, ticks, RUNS, 0, true);
    etr_run_phase phase = {.noise = {.verdict = cases[i].of_phase}};
    t.method.noise.verdict = cases[i].of_method;
    t.method.run_phases = &phase;
    t.method.run_phase_count = 1;
    t.profile.cache_growth = NULL;
    cr_assert(etr_throughput_fill(&t.profile, t.runs, &t.method, &t.arena));
    cr_assert_not_null(t.profile.cache_growth);
    cr_expect_eq(t.profile.cache_growth->is_noisy, cases[i].is_noisy, "case %zu", i);
    cr_expect_eq(t.profile.cache_growth->has_drift, cases[i].has_drift, "case %zu", i);
    etr_arena_clear(&t.arena);
  }
}

Test(throughput, static_shapes_compute_the_same_at_all_positions) {
  static const struct {
    const char *operator_; /* reads the cache */
    bool is_measured;
  } cases[] = {
      {"aten.add.Tensor (cache) [64x4]", false},
      {"aten.add.Tensor (cache) [sx4]", true},
      {"llama.update_cache.default (cache) [64x4]", false},
      {"llama.sdpa_with_kv_cache.default (cache) [64x4]", true},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_run runs[RUNS] = {0};
    uint32_t numbers[RUNS];
    uint64_t ticks[RUNS];
    etr_block block = {.method = 0};
    const char *text = etr_arena_format(
        &arena, "ids input [i64:1x1];cache weight [64x4];e %s;o output (e)", cases[i].operator_);
    const tiny_graph *g = tiny_graph_of(&arena, text);
    g->nodes[tiny_node(g, "cache")].kind = ETR_NODE_BUFFER;
    g->nodes[tiny_node(g, "cache")].is_written = true;
    for (uint32_t k = 0; k < RUNS; k++) {
      numbers[k] = k;
      runs[k].execute_ticks = ticks[k] = 1000000 + 1000 * k;
    }
    etr_method method = {
        .name = "forward", .runs = numbers, .run_count = RUNS, .execute_per_run = ticks};
    etr_profile profile = {.ticks_per_second = 1e9,
                           .runs = runs,
                           .run_count = RUNS,
                           .blocks = &block,
                           .block_count = 1,
                           .methods = &method,
                           .method_count = 1,
                           .graphs = &g->graph,
                           .graph_count = 1};
    cr_assert(etr_throughput_fill(&profile, runs, &method, &arena));
    cr_expect_eq(profile.cache_growth != NULL, cases[i].is_measured, "%s", cases[i].operator_);
    etr_arena_clear(&arena);
  }
}

/* Returns the first position of runs of one token, "d", between prompts of four tokens, "p"; a
 * blank begins the next recording. -1: no positions are known. */
static double first_position(const char *order, const char *cache) {
  enum { MOST = 64 };
  etr_arena arena = {0};
  etr_run runs[MOST] = {0};
  uint32_t numbers[2][MOST];
  uint64_t ticks[MOST];
  etr_graph graphs[2];
  etr_block blocks[2] = {{.method = 0}, {.method = 1}};
  etr_method methods[2] = {{.name = "prefill"}, {.name = "decode", .graph = 1}};
  uint32_t dump = 0, count = 0;
  for (int i = 0; i < 2; i++) {
    const tiny_graph *g = tiny_graph_of(&arena,
                                        etr_arena_format(&arena,
                                                         "ids input [i64:1x%d];cache weight %s;"
                                                         "e llama.custom_sdpa.default (ids) [1x4];"
                                                         "o output (e)",
                                                         i ? 1 : 4, cache));
    g->nodes[tiny_node(g, "cache")].kind = ETR_NODE_BUFFER;
    g->nodes[tiny_node(g, "cache")].is_written = true;
    graphs[i] = g->graph;
    methods[i].runs = numbers[i];
    methods[i].execute_per_run = ticks;
  }
  for (const char *at = order; *at; at++) {
    if (*at == ' ') {
      dump++;
      continue;
    }
    uint32_t method = *at == 'd';
    ticks[count] = 1000 + count;
    runs[count].execute_ticks = ticks[count];
    runs[count].block = method;
    runs[count].dump = dump;
    numbers[method][methods[method].run_count++] = count;
    count++;
  }
  etr_profile profile = {.ticks_per_second = 1e9,
                         .runs = runs,
                         .run_count = count,
                         .blocks = blocks,
                         .block_count = 2,
                         .methods = methods,
                         .method_count = 2,
                         .graphs = graphs,
                         .graph_count = 2};
  cr_assert(etr_throughput_fill(&profile, runs, methods, &arena));
  double first = profile.cache_growth ? profile.cache_growth->curve[0].position : -1;
  etr_arena_clear(&arena);
  return first;
}

Test(throughput, positions_are_of_one_sequence_that_the_cache_holds) {
  static const struct {
    const char *title, *order, *cache;
    double first;
  } cases[] = {
      {"a prompt and its tokens", "pdddddddddddd", "[1x16x4]", 4},
      {"a prompt in two parts", "ppdddddddddddd", "[1x32x4]", 8},
      {"each prompt begins anew", "pddddddddpdddddddd", "[1x16x4]", 4},
      {"a token more than the cache has positions", "pddddddddddddd", "[1x16x4]", -1},
      {"more prompts than the cache has positions", "pppppdddddddddddd", "[1x16x4]", -1},
      {"each method as often as the other", "ppppppppppppdddddddddddd", "[1x999x4]", -1},
      {"tokens first", "ddddddddddddpppppppppppp", "[1x999x4]", -1},
      {"another recording, of tokens", "ppppppppppdddddddddd pdddddddddd", "[1x99x4]", 4},
      {"a recording without, behind it", "pdddddddddd ppppppppppdddddddddd", "[1x99x4]", 4},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    double first = first_position(cases[i].order, cases[i].cache);
    cr_expect_float_eq(first, cases[i].first, 1e-9, "%s: %g", cases[i].title, first);
  }
}

Test(throughput, runs_of_an_unknown_method_load_no_further_one) {
  static const struct {
    const char *names[3]; /* of the methods that ran; the first NULL ends them */
    size_t unknown, loaded;
  } cases[] = {
      {{"prefill", "decode"}, 0, 2},
      {{"prefill", "decode"}, 1, 2},
      {{NULL}, 1, 1}, /* an ETDump alone */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_method methods[4] = {{.name = "idle"}};
    size_t count = 1;
    for (size_t k = 0; cases[i].names[k]; k++)
      methods[count++] = (etr_method){.name = cases[i].names[k], .run_count = 2};
    for (size_t k = 0; k < cases[i].unknown; k++)
      methods[count++] = (etr_method){.name = "", .run_count = 2};
    etr_profile profile = {.methods = methods, .method_count = count};
    cr_expect_eq(etr_loaded_method_count(&profile), cases[i].loaded, "case %zu", i);
  }
}
