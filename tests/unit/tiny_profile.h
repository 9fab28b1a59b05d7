/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tiny_profile.h - builds small profiles by hand, with one graph and one method, for tests of code
 * that reads profiles.
 *
 *   tiny t = {0};
 *   uint32_t fc = tiny_module(&t, 0, "fc", "torch.nn.modules.linear.Linear");
 *   uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
 *   uint32_t y = tiny_node(&t, ETR_NODE_OP, "aten_linear_default", "aten.linear.default", fc);
 *   tiny_input(&t, y, x, 0);
 *   tiny_time(&t, y, 1500);
 *   const etr_profile *profile = tiny_profile(&t);
 *   ...
 *   tiny_clear(&t);
 */
#ifndef TINY_PROFILE_H
#define TINY_PROFILE_H

#include "base/arena.h"
#include "join/module_pattern.h"

enum { TINY_RUNS = 40 };

typedef struct tiny {
  etr_arena arena;
  etr_vec(etr_node) nodes;
  etr_vec(etr_module) modules;
  etr_vec(etr_subgraph) subgraphs;
  etr_vec(etr_node_time) times; /* empty, or one for each node */
  etr_block block;              /* of all runs; it has no events */
  etr_run runs[TINY_RUNS];      /* the first is a load */
  etr_graph graph;
  etr_method method;
  etr_profile profile;
} tiny;

/* Makes a value float32[1, 16]. */
static inline const etr_value *tiny_value(etr_arena *arena, const char *name) {
  static const etr_dim dims[] = {{.size = 1, .hint = -1}, {.size = 16, .hint = -1}};
  etr_value *value = etr_arena_alloc(arena, sizeof *value);
  *value = (etr_value){.name = name, .dtype = "float32", .dims = dims, .rank = 2};
  return value;
}

/* The root, module 0, is made automatically. */
static inline uint32_t tiny_module(tiny *t, uint32_t parent, const char *path, const char *type) {
  if (t->modules.count == 0)
    *etr_vec_push(&t->arena, &t->modules) = (etr_module){
        .path = "", .recorded = "", .type = "", .parent = ETR_NONE};
  *etr_vec_push(&t->arena, &t->modules) = (etr_module){
      .path = path, .recorded = path, .type = type, .parent = parent};
  return (uint32_t)t->modules.count - 1;
}

/* Adds a node. Strings are borrowed. Every node except the output node gets one output. */
static inline uint32_t tiny_node(tiny *t, etr_node_kind kind, const char *name, const char *target,
                                 uint32_t module) {
  etr_node *node = etr_vec_push(&t->arena, &t->nodes);
  *node = (etr_node){.name = name,
                     .target = target,
                     .op_type = target,
                     .kind = kind,
                     .subgraph = ETR_NONE,
                     .module = module};
  if (kind != ETR_NODE_OUTPUT) {
    node->outputs = tiny_value(&t->arena, name);
    node->output_count = 1;
  }
  if (kind >= ETR_NODE_PARAMETER)
    node->weight_name = target;
  return (uint32_t)t->nodes.count - 1;
}

static inline void tiny_input(tiny *t, uint32_t node, uint32_t producer, uint32_t output) {
  etr_node *user = &t->nodes.data[node];
  etr_edge *edges = etr_arena_alloc_array(&t->arena, user->input_count + 1, sizeof *edges);
  if (user->input_count)
    memcpy(edges, user->inputs, user->input_count * sizeof *edges);
  edges[user->input_count++] = (etr_edge){.node = producer, .output = output};
  user->inputs = edges;
}

/* Adds a subgraph. The caller sets .subgraph of the nodes inside it. */
static inline uint32_t tiny_subgraph(tiny *t, uint32_t owner, const char *name,
                                     etr_subgraph_kind kind) {
  *etr_vec_push(&t->arena, &t->subgraphs) = (etr_subgraph){.name = name,
                                                           .path = name,
                                                           .kind = kind,
                                                           .parent = t->nodes.data[owner].subgraph,
                                                           .owner = owner};
  return (uint32_t)t->subgraphs.count - 1;
}

/* Adds two equally long runs of the method. */
static inline etr_node_time *tiny_time(tiny *t, uint32_t node, uint64_t ticks) {
  while (t->times.count < t->nodes.count)
    *etr_vec_push(&t->arena, &t->times) = (etr_node_time){.delegate_instruction = -1};
  etr_node_time *time = &t->times.data[node];
  double each = (double)ticks;
  etr_run_ticks *runs = etr_arena_alloc_array(&t->arena, 2, sizeof *runs);
  runs[0] = (etr_run_ticks){0, ticks};
  runs[1] = (etr_run_ticks){1, ticks};
  *time = (etr_node_time){.total_ticks = 2 * ticks,
                          .runs = 2,
                          .calls = 2,
                          .avg = each,
                          .typical = each,
                          .per_run = {.count = 2,
                                      .typical = each,
                                      .avg = each,
                                      .min = each,
                                      .max = each,
                                      .p10 = each,
                                      .p50 = each,
                                      .p90 = each},
                          .each_run = runs,
                          .match = ETR_MATCH_HANDLE,
                          .delegate_instruction = -1,
                          .runs_as = "native_call_tiny.out",
                          .first_start_ticks = 1000 * (uint64_t)node};
  return time;
}

/* Sets the runs of the method. */
static inline void tiny_run(tiny *t, const uint64_t *ticks, size_t count) {
  uint32_t *runs = etr_arena_alloc_array(&t->arena, TINY_RUNS, sizeof *runs);
  double *weights = etr_arena_alloc_array(&t->arena, TINY_RUNS, sizeof *weights);
  for (uint32_t i = 0; i < TINY_RUNS; i++)
    t->runs[i] = (etr_run){.phase = ETR_NONE,
                           .execute_ticks = i > 0 && i <= count ? ticks[i - 1] : 0};
  for (uint32_t i = 0; i < TINY_RUNS; i++)
    runs[i] = i + 1;
  for (uint32_t i = 0; i < count; i++)
    weights[i] = 1;
  t->method.typical = (etr_typical_run){weights, (double)count};
  t->method.is_execute_logged = true;
  t->method.runs = runs;
  t->method.run_count = count;
  t->method.execute_per_run = ticks;
}

/* Returns the profile of everything built so far. It is valid until the next call of a function
 * above. */
static inline const etr_profile *tiny_profile(tiny *t) {
  static const uint64_t execute[] = {2000000, 3000000};
  static const char *const etdumps[] = {"0.etdp", "1.etdp", "2.etdp"};
  if (t->modules.count == 0)
    *etr_vec_push(&t->arena, &t->modules) = (etr_module){
        .path = "", .recorded = "", .type = "", .parent = ETR_NONE};
  etr_map strings;
  etr_map_init(&strings, &t->arena);
  (void)etr_module_patterns_set(t->modules.data, t->modules.count, &strings, &t->arena);
  bool timed = t->times.count > 0;
  while (timed && t->times.count < t->nodes.count)
    *etr_vec_push(&t->arena, &t->times) = (etr_node_time){.delegate_instruction = -1};
  t->graph = (etr_graph){.module = "edge",
                         .method = "forward",
                         .entry = "edge_dialect_exported_program/forward",
                         .dialect = "edge",
                         .schema_version = "5.4",
                         .nodes = t->nodes.data,
                         .node_count = t->nodes.count,
                         .modules = t->modules.data,
                         .module_count = t->modules.count,
                         .subgraphs = t->subgraphs.data,
                         .subgraph_count = t->subgraphs.count,
                         .profile_method = timed ? 0 : ETR_NONE,
                         .times = timed ? t->times.data : NULL};
  t->method = (etr_method){.name = "forward", .graph = 0};
  t->profile = (etr_profile){.ticks_per_second = 1e9,
                             .graphs = &t->graph,
                             .graph_count = 1,
                             .methods = &t->method,
                             .method_count = 1,
                             .blocks = &t->block,
                             .block_count = 1,
                             .runs = t->runs,
                             .run_count = TINY_RUNS,
                             .etdumps = etdumps,
                             .etdump_count = ETR_COUNT(etdumps)};
  tiny_run(t, execute, 2);
  return &t->profile;
}

static inline void tiny_clear(tiny *t) {
  etr_arena_clear(&t->arena);
}

#endif
