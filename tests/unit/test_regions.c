/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_regions.c - nodes from regions get the lines and modules of their ancestors, if it is sure
 * which these are.
 */
#include "inputs/regions.h"

#include <criterion/criterion.h>

enum { NONE = ETR_NONE };

#define OP(text, operator, in, of, frame)                                                          \
  {.name = (text),                                                                                 \
   .target = (operator),                                                                           \
   .kind = ETR_NODE_OP,                                                                            \
   .subgraph = (in),                                                                               \
   .module = (of),                                                                                 \
   .source = (frame),                                                                              \
   .frames = (frame),                                                                              \
   .frame_count = 1}
#define BODY(of) {.kind = ETR_SUBGRAPH_BODY, .parent = NONE, .owner = (of)}

static const etr_source mm_line = {.file = "m.py", .line = 3};
static const etr_source cos_line = {.file = "m.py", .line = 7};
static const etr_source generated = {.file = "<eval_with_key>.1", .line = 5};

static const etr_node exported_nodes[] = {
    OP("mm", "higher_order.wrap_with_autocast", NONE, 0, &generated),
    OP("mm", "aten.mm.default", 0, 2, &mm_line),
    OP("getitem", "_operator.getitem", 0, 1, &mm_line),
    OP("twice", "aten.sin.default", 0, 1, &mm_line),
    OP("lost", "aten.sin.default", 0, 0, &generated),
    OP("no_grad", "higher_order.wrap_with_set_grad_enabled", NONE, 0, &generated),
    OP("cos", "aten.cos.default", 1, 1, &cos_line),
    OP("twice", "aten.sin.default", 1, 1, &cos_line),
    OP("cond", "higher_order.cond", NONE, 0, &generated),
    OP("exp", "aten.exp.default", 2, 1, &cos_line),
    OP("sin", "aten.sin.default", NONE, 1, &cos_line),
};
static const etr_subgraph exported_bodies[] = {BODY(0), BODY(5), BODY(8)};
static const etr_module exported_modules[] = {
    {.path = "", .recorded = "", .type = "M", .parent = NONE},
    {.path = "a", .recorded = "a", .type = "A", .parent = 0},
    {.path = "a.b", .recorded = "a.b", .type = "B", .parent = 1},
};
static const etr_graph exported = {.nodes = exported_nodes,
                                   .node_count = ETR_COUNT(exported_nodes),
                                   .subgraphs = exported_bodies,
                                   .subgraph_count = ETR_COUNT(exported_bodies),
                                   .modules = exported_modules,
                                   .module_count = ETR_COUNT(exported_modules)};

/* Of each case: the ancestor, whether the node has a frame of its own, and the line and module that
 * it gets; line 0: it has none. */
static const struct {
  etr_region_ancestor from;
  bool has_own;
  int64_t line;
  const char *module;
} cases[] = {
    {{"mm", "aten.mm.default"}, false, 3, "a.b"},
    {{"mm", NULL}, false, 3, "a.b"},
    {{"mm", "aten.add.Tensor"}, false, 0, "own"},
    {{"mm", "aten.mm.default"}, true, 7, "a.b"},
    {{"getitem", "<built-in function getitem>"}, false, 3, "a"},
    {{"cos", "aten.cos.default"}, false, 7, "a"},
    {{"twice", "aten.sin.default"}, false, 0, "own"}, /* in two regions */
    {{"lost", "aten.sin.default"}, false, 0, "own"},  /* has neither */
    {{"exp", "aten.exp.default"}, false, 0, "own"},   /* in no region, but in a cond */
    {{"sin", "aten.sin.default"}, false, 0, "own"},   /* in no region */
    {{"none", "aten.sin.default"}, false, 0, "own"},
};

Test(regions, sure_ancestors_give_lines_and_modules) {
  etr_arena arena = {0};
  etr_map strings;
  etr_node nodes[ETR_COUNT(cases)] = {0};
  etr_region_nodes regions = {.nodes = nodes};
  etr_graph graph = {.nodes = nodes, .node_count = ETR_COUNT(cases)};
  etr_map_init(&strings, &arena);
  cr_assert(etr_module_tree_init(&regions.modules, &arena));
  uint32_t own = etr_module_tree_add(&regions.modules, &strings, ETR_SLICE("k,own,O"));
  for (uint32_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_source *frame = cases[i].has_own ? &cos_line : &generated;
    nodes[i] = (etr_node){.module = own, .frames = frame, .frame_count = 1};
    nodes[i].source = cases[i].has_own ? frame : NULL;
    *etr_vec_push(&arena, &regions.list) = (etr_region_node){i, cases[i].from};
  }
  cr_assert(etr_regions_resolve(&graph, &regions, &exported, &strings));
  cr_assert_eq(graph.module_count, 4, "each module is added once");
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    cr_expect_eq(nodes[i].source ? nodes[i].source->line : 0, cases[i].line, "case %zu", i);
    cr_expect_str_eq(graph.modules[nodes[i].module].path, cases[i].module, "case %zu", i);
  }
  etr_arena_clear(&arena);
}

/* A damaged exported program leaves all as it is. */
Test(regions, an_empty_program_changes_nothing) {
  etr_arena arena = {0};
  etr_map strings;
  etr_node node = {.frames = &generated, .frame_count = 1};
  etr_region_nodes regions = {.nodes = &node};
  etr_graph graph = {.nodes = &node, .node_count = 1};
  etr_map_init(&strings, &arena);
  cr_assert(etr_module_tree_init(&regions.modules, &arena));
  *etr_vec_push(&arena, &regions.list) = (etr_region_node){0, {"mm", "aten.mm.default"}};
  cr_assert(etr_regions_resolve(&graph, &regions, &(etr_graph){0}, &strings));
  cr_expect_eq(node.frames, &generated);
  cr_expect_eq(graph.module_count, 1);
  etr_arena_clear(&arena);
}
