/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_aten_nodes.c - nodes of the same name in several bodies are distinguished.
 */

#include "fixture.h"
#include "join/attribute.h"
#include "views/balance.h"

enum { NONE = ETR_NONE };

#define OP(text, in, from)                                                                         \
  {.name = (text), .kind = ETR_NODE_OP, .subgraph = (in), .aten_node = (from)}
#define BODY(of) {.kind = ETR_SUBGRAPH_BODY, .parent = NONE, .owner = (of)}

/* The graph has two conds in a row, each with a sin in both branches, and a sin outside. */
static const etr_node aten_nodes[] = {
    OP("sin", NONE, NULL), OP("cond", NONE, NULL),   OP("sin", 0, NULL), OP("sin", 1, NULL),
    OP("cos", 1, NULL),    OP("cond_1", NONE, NULL), OP("sin", 2, NULL), OP("sin", 3, NULL),
};
static const etr_subgraph aten_bodies[] = {BODY(1), BODY(1), BODY(5), BODY(5)};
static const etr_graph aten = {
    .nodes = aten_nodes, .node_count = 8, .subgraphs = aten_bodies, .subgraph_count = 4};

Test(aten_nodes, names_are_matched_within_each_body) {
  static const etr_subgraph bodies[] = {
      BODY(1), BODY(1), {.kind = ETR_SUBGRAPH_LOWERED, .parent = 1, .owner = 4},
      BODY(6), BODY(6), BODY(9)};
  static const etr_node nodes[] = {
      OP("s", NONE, "sin"), OP("c", NONE, "cond"),  OP("s", 0, "sin"),       OP("s", 1, "sin"),
      OP("call", 1, NULL),  OP("x", 2, "cos"),      OP("d", NONE, "cond_1"), OP("s", 3, "sin"),
      OP("s", 4, "sin"),    OP("lost", NONE, NULL), OP("s", 5, "sin"),       OP("n", 0, "cos"),
  };
  static const etr_graph edge = {.nodes = nodes,
                                 .node_count = ETR_COUNT(nodes),
                                 .subgraphs = bodies,
                                 .subgraph_count = ETR_COUNT(bodies)};
  static const uint32_t want[ETR_COUNT(nodes)] = {0, 1, 2, 3, NONE, 4, 5, 6, 7, NONE, NONE, NONE};
  etr_arena arena = {0};
  uint32_t got[ETR_COUNT(nodes)];
  cr_assert(etr_find_aten_nodes(got, &edge, &aten));
  for (size_t i = 0; i < ETR_COUNT(nodes); i++)
    cr_expect_eq(got[i], want[i], "node %zu is %u", i, got[i]);
  etr_arena_clear(&arena);
}

/* Bodies that the ATen graph does not have match nothing. */
Test(aten_nodes, bodies_without_a_partner_match_nothing) {
  static const etr_subgraph bodies[] = {BODY(0), BODY(0), BODY(0)};
  static const etr_node nodes[] = {OP("c", NONE, "cond"), OP("s", 1, "sin"), OP("s", 2, "sin")};
  static const etr_graph edge = {
      .nodes = nodes, .node_count = 3, .subgraphs = bodies, .subgraph_count = 3};
  etr_arena arena = {0};
  uint32_t got[3];
  cr_assert(etr_find_aten_nodes(got, &edge, &aten));
  cr_expect_eq(got[1], 3);
  cr_expect_eq(got[2], NONE);
  etr_arena_clear(&arena);
}

static uint64_t ticks_of(const etr_graph *graph, const char *path, const char *name) {
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    const char *where = n->subgraph == ETR_NONE ? "" : graph->subgraphs[n->subgraph].path;
    if (n->kind == ETR_NODE_OP && strcmp(n->name, name) == 0 && strcmp(where, path) == 0)
      return graph->times[i].total_ticks;
  }
  cr_assert_fail("there is no %s/%s", path, name);
  return 0;
}

static const etr_graph *graph_of(const etr_profile *profile, const char *module) {
  for (size_t i = 0; i < profile->graph_count; i++)
    if (strcmp(profile->graphs[i].module, module) == 0)
      return &profile->graphs[i];
  cr_assert_fail("there is no graph %s", module);
  return NULL;
}

Test(aten_nodes, a_real_cond_has_its_times_on_aten_nodes) {
  static const char *const pairs[][4] = {
      {"", "aten_sin_default", "", "sin"},
      {"submodule_0", "aten_sin_default", "true_graph_0", "sin"},
      {"submodule_1", "aten_sin_default", "false_graph_0", "sin"},
      {"submodule_1", "aten_slice_copy_tensor_1", "false_graph_0", "slice_2"},
      {"", "aten_mul_tensor_1", "", "mul_1"},
      {"submodule_1", "aten_mul_tensor", "false_graph_0", "mul_1"},
  };
  etr_profile *profile = open_fixture("p_cond_names");
  const etr_graph *edge = graph_of(profile, "edge"), *from = graph_of(profile, "aten");
  uint64_t sum = 0;
  for (size_t i = 0; i < ETR_COUNT(pairs); i++) {
    uint64_t ticks = ticks_of(edge, pairs[i][0], pairs[i][1]);
    cr_expect_gt(ticks, 0);
    cr_expect_eq(ticks_of(from, pairs[i][2], pairs[i][3]), ticks, "%s/%s", pairs[i][2],
                 pairs[i][3]);
  }
  for (size_t i = 0; i < from->node_count; i++)
    sum += from->times[i].total_ticks;
  cr_expect_eq(sum, etr_broad_part_ticks(&profile->methods[0], ETR_BROAD_NODES));
  etr_profile_close(profile);
}
