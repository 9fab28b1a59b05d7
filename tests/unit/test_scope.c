/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tree of boxes: the box of each node, and the limits that every tree keeps.
 */
#include "tiny_profile.h"
#include "views/scope.h"

#include <criterion/criterion.h>
#include <stdio.h>

static etr_scopes build(tiny *t) {
  etr_scopes scopes;
  cr_assert_eq(etr_scopes_build(&scopes, &t->arena, &tiny_profile(t)->graphs[0]), ETR_OK);
  return scopes;
}

/* Returns the path of a node's box, such as "layers.0/attn"; "" at the top. */
static const char *scope_path(tiny *t, const etr_scopes *scopes, uint32_t node) {
  const char *path = "";
  for (uint32_t s = scopes->of_node[node]; s != ETR_NONE; s = scopes->list[s].parent)
    path = etr_arena_format(&t->arena, "%s%s%s", scopes->list[s].label, path[0] ? "/" : "", path);
  return path;
}

static void expect_scope(tiny *t, const etr_scopes *scopes, uint32_t node, const char *expected) {
  cr_expect_str_eq(scope_path(t, scopes, node), expected, "%s: is in '%s', not '%s'",
                   t->nodes.data[node].name, scope_path(t, scopes, node), expected);
}

static uint32_t op(tiny *t, uint32_t module) {
  return tiny_node(t, ETR_NODE_OP, etr_arena_format(&t->arena, "op_%zu", t->nodes.count),
                   "aten.add.Tensor", module);
}

static uint32_t format_module(tiny *t, uint32_t parent, const char *format, unsigned number) {
  char path[64];
  snprintf(path, sizeof path, format, number);
  return tiny_module(t, parent, etr_arena_copy(&t->arena, etr_slice_of(path)), "");
}

/* Counts the children of a box; ETR_NONE: of the top. */
static size_t count_children(const tiny *t, const etr_scopes *scopes, uint32_t box) {
  size_t count = 0;
  for (size_t i = 0; i < scopes->count; i++)
    count += scopes->list[i].parent == box;
  for (size_t i = 0; i < t->nodes.count; i++)
    count += t->nodes.data[i].kind < ETR_NODE_PARAMETER && scopes->of_node[i] == box;
  return count;
}

/* Checks the guarantees of scope.h. */
static void expect_sound(const tiny *t, const etr_scopes *scopes) {
  cr_expect_leq(count_children(t, scopes, ETR_NONE), 32, "%zu on top",
                count_children(t, scopes, ETR_NONE));
  for (uint32_t i = 0; i < scopes->count; i++) {
    const etr_scope *s = &scopes->list[i];
    cr_expect(s->parent == ETR_NONE
                  ? s->depth == 0
                  : s->parent < i && s->depth == scopes->list[s->parent].depth + 1,
              "order of %s", s->label);
    cr_expect_leq(count_children(t, scopes, i), 100, "%zu in %s", count_children(t, scopes, i),
                  s->label);
    for (uint32_t k = 0; k < i; k++)
      cr_expect(scopes->list[k].parent != s->parent || strcmp(scopes->list[k].label, s->label) != 0,
                "two boxes %s", s->label);
  }
  size_t on_top = 0, ops = 0;
  for (size_t i = 0; i < scopes->count; i++)
    on_top += scopes->list[i].parent == ETR_NONE ? scopes->list[i].op_count : 0;
  for (size_t i = 0; i < t->nodes.count; i++) {
    ops += t->nodes.data[i].kind == ETR_NODE_OP;
    on_top += t->nodes.data[i].kind == ETR_NODE_OP && scopes->of_node[i] == ETR_NONE;
  }
  cr_expect_eq(on_top, ops, "%zu of %zu operators counted", on_top, ops);
}

Test(scope, every_node_is_in_the_box_of_its_module) {
  tiny t = {0};
  uint32_t a = tiny_module(&t, 0, "a", ""), fc = tiny_module(&t, a, "a.fc", ""),
           b = tiny_module(&t, 0, "b", "");
  uint32_t weight = tiny_node(&t, ETR_NODE_PARAMETER, "p_a_fc_weight", "a.fc.weight", 0);
  uint32_t unused = tiny_node(&t, ETR_NODE_BUFFER, "b_unused", "unused", 0);
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
  uint32_t loose = op(&t, 0), in_b = op(&t, b), in_b_too = op(&t, b), in_a = op(&t, a),
           in_fc = op(&t, fc), also_fc = op(&t, fc);
  uint32_t output = tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
  tiny_input(&t, in_fc, weight, 0);
  tiny_input(&t, output, weight, 0);
  etr_scopes scopes = build(&t);
  expect_sound(&t, &scopes);
  expect_scope(&t, &scopes, x, "");
  expect_scope(&t, &scopes, loose, "");
  expect_scope(&t, &scopes, output, "");
  expect_scope(&t, &scopes, unused, "");
  expect_scope(&t, &scopes, in_b, "b");
  expect_scope(&t, &scopes, in_b_too, "b");
  expect_scope(&t, &scopes, in_a, "a");
  expect_scope(&t, &scopes, in_fc, "a/fc");
  expect_scope(&t, &scopes, also_fc, "a/fc");
  expect_scope(&t, &scopes, weight, "a/fc");
  tiny_clear(&t);
}

/* Each row: the path of a chain of modules below the root, and the box that an operator in the last
 * one is in. */
Test(scope, labels_extend_the_parents_path) {
  static const struct {
    const char *outer, *inner, *expected;
  } cases[] = {
      {"block", "block.layers.0", "block/layers.0"}, /* a list's member is joined to its name */
      {"block", "block.conv.0.1", "block/conv.0.1"},
      {"block", "other.path", "block/other.path"}, /* does not extend its parent's path */
      {"block", "blocks.x", "block/blocks.x"},
      {"block", "block", "block"}, /* adds nothing */
      {"block", "", "block"},
      {"", "inner", "inner"},                           /* a name that torch made up for the root */
      {"a/b\"c", "a/b\"c.\xC3\xA9", "a/b\"c/\xC3\xA9"}, /* the emitters clean names */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t outer = tiny_module(&t, 0, cases[i].outer, ""),
             inner = tiny_module(&t, outer, cases[i].inner, ""),
             other = tiny_module(&t, 0, "z", "");
    uint32_t node = op(&t, inner);
    op(&t, outer);
    op(&t, other);
    op(&t, other);
    etr_scopes scopes = build(&t);
    expect_sound(&t, &scopes);
    expect_scope(&t, &scopes, node, cases[i].expected);
    tiny_clear(&t);
  }
}

Test(scope, sequential_is_joined_to_its_members) {
  tiny t = {0};
  uint32_t block = tiny_module(&t, 0, "block", ""),
           conv = tiny_module(&t, block, "block.conv", "torch.nn.modules.container.Sequential");
  uint32_t c0 = tiny_module(&t, conv, "block.conv.0", ""),
           c00 = tiny_module(&t, c0, "block.conv.0.0", ""),
           c1 = tiny_module(&t, conv, "block.conv.1", "");
  uint32_t other = tiny_module(&t, 0, "other", "");
  uint32_t first = op(&t, c00), second = op(&t, c1), add = op(&t, block);
  for (int i = 0; i < 3; i++)
    op(&t, other);
  etr_scopes scopes = build(&t);
  expect_scope(&t, &scopes, first, "block/conv.0/0");
  expect_scope(&t, &scopes, second, "block/conv.1");
  expect_scope(&t, &scopes, add, "block");
  tiny_clear(&t);
}

/* A vision transformer, in which all modules are below "encoder". */
Test(scope, the_box_with_most_operators_is_dissolved) {
  tiny t = {0};
  uint32_t model = tiny_module(&t, 0, "model", ""),
           encoder = tiny_module(&t, model, "model.encoder", ""),
           head = tiny_module(&t, model, "head", "");
  uint32_t conv = op(&t, model), position = op(&t, encoder), deep = 0;
  for (unsigned i = 0; i < 12; i++) {
    uint32_t layer = format_module(&t, encoder, "model.encoder.layers.layer_%u", i);
    deep = op(&t, format_module(&t, layer, "model.encoder.layers.layer_%u.mlp", i));
    op(&t, layer);
  }
  uint32_t last = op(&t, head);
  op(&t, head);
  etr_scopes scopes = build(&t);
  expect_sound(&t, &scopes);
  expect_scope(&t, &scopes, conv, "");
  expect_scope(&t, &scopes, position, "");
  expect_scope(&t, &scopes, deep, "layer_11/mlp");
  expect_scope(&t, &scopes, last, "model.head");
  tiny_clear(&t);
}

/* A box without boxes whose nodes would only be seen in buckets has its name on top, unless it is
 * all that there is. */
Test(scope, a_box_full_of_nodes_is_dissolved_if_it_is_alone) {
  static const struct {
    unsigned steps;
    bool has_head;
    const char *last;
  } cases[] = {{30, true, ""},
               {31, true, "gru"},
               {200, true, "gru/ops.0150-0199"},
               {31, false, ""},
               {32, false, "ops.0024-0031"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t gru = tiny_module(&t, 0, "gru", "GRU"), last = 0;
    for (unsigned k = 0; k < cases[i].steps; k++)
      last = op(&t, gru);
    if (cases[i].has_head)
      op(&t, tiny_module(&t, 0, "head", "Linear"));
    tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
    etr_scopes scopes = build(&t);
    expect_sound(&t, &scopes);
    expect_scope(&t, &scopes, last, cases[i].last);
    tiny_clear(&t);
  }
}

/* Stage 2 holds most operators, but is one of several: all have a box, to be compared. */
Test(scope, one_of_several_alike_is_not_dissolved) {
  static const unsigned layers[] = {2, 2, 14, 2};
  tiny t = {0};
  uint32_t stages = tiny_module(&t, 0, "stages", "Sequential"), first[ETR_COUNT(layers)];
  for (unsigned i = 0; i < ETR_COUNT(layers); i++) {
    uint32_t stage = tiny_module(&t, stages, etr_arena_format(&t.arena, "stages.%u", i), "Stage");
    for (unsigned k = 0; k < layers[i]; k++) {
      uint32_t layer = tiny_module(
          &t, stage, etr_arena_format(&t.arena, "stages.%u.blocks.%u", i, k), "Block");
      uint32_t node = op(&t, layer);
      if (k == 0)
        first[i] = node;
      for (unsigned more = 0; more < 4; more++)
        op(&t, layer);
    }
  }
  etr_scopes scopes = build(&t);
  expect_sound(&t, &scopes);
  expect_scope(&t, &scopes, first[1], "stages.1/blocks.0");
  expect_scope(&t, &scopes, first[2], "stages.2/blocks.0");
  tiny_clear(&t);
}

/* Dissolving stops before the top has more than 30 boxes. Buckets are made if no box can be
 * dissolved. */
/* Members of a list keep the same part of their path, including members with unique names. */
Test(scope, labels_of_siblings_differ) {
  static const struct {
    const char *path, *expected;
  } cases[] = {
      {"enc.layers.0", "enc.layers.0"},
      {"enc.layers.1", "enc.layers.1"},
      {"enc.layers.2", "enc.layers.2"},
      {"dec.layers.0", "dec.layers.0"},
      {"enc.blocks.block_0", "block_0"},
      {"enc.blocks.block_1", "block_1"},
      {"enc.ln", "enc.ln"},
      {"dec.ln", "dec.ln"},
      {"enc.transformer_block_9", "block_9"},
      {"enc.transformer_block_10", "block_10"},
      {"enc.one_conv_stage_1", "one_conv_stage_1"},
      {"enc.other_conv_stage_1", "other_conv_stage_1"},
      {"enc.head", "enc.head"},
      {"plain", "plain"},
      {"..", ".."},
      {"a.7", "a.7"},
  };
  tiny t = {0};
  uint32_t nodes[ETR_COUNT(cases)];
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint32_t module = tiny_module(&t, 0, cases[i].path, "");
    nodes[i] = op(&t, module);
    op(&t, module);
    op(&t, module);
  }
  etr_scopes scopes = build(&t);
  expect_sound(&t, &scopes);
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_scope(&t, &scopes, nodes[i], cases[i].expected);
  tiny_clear(&t);
}

/* x -> dq -> conv (a) -> q -> dq -> relu (b) -> q; a dequantizer that two modules use, and one
 * before an operator at the top level. */
Test(scope, quantizers_are_in_the_box_of_their_operator) {
  static const char q[] = "quantized_decomposed.quantize_per_tensor.default",
                    dq[] = "quantized_decomposed.dequantize_per_tensor.default";
  tiny t = {0};
  uint32_t a = tiny_module(&t, 0, "a", ""), b = tiny_module(&t, 0, "b", "");
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
  const struct {
    const char *target;
    uint32_t module;
    int inputs[2]; /* index behind x; -1: x, -2: none */
    const char *expected;
  } cases[] = {
      {q, 0, {-1, -2}, "a"},
      {dq, 0, {0, -2}, "a"},
      {"aten.conv.default", a, {1, -2}, "a"},
      {q, 0, {2, -2}, "a"},
      {dq, 0, {3, -2}, "b"},
      {"aten.relu.default", b, {4, -2}, "b"},
      {q, 0, {5, -2}, "b"},
      {dq, 0, {6, -2}, ""},
      {"aten.add.Tensor", a, {7, 2}, "a"},
      {"aten.mul.Tensor", b, {7, 5}, "b"},
      {dq, 0, {3, -2}, ""},
      {"aten.sin.default", 0, {10, -2}, ""},
      {q, 0, {11, -2}, ""},
      {dq, 0, {12, -2}, ""},
  };
  uint32_t nodes[ETR_COUNT(cases)];
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    nodes[i] = tiny_node(&t, ETR_NODE_OP, etr_arena_format(&t.arena, "n%zu", i), cases[i].target,
                         cases[i].module);
    for (size_t k = 0; k < 2; k++)
      if (cases[i].inputs[k] >= -1)
        tiny_input(&t, nodes[i], cases[i].inputs[k] < 0 ? x : nodes[cases[i].inputs[k]], 0);
  }
  etr_scopes scopes = build(&t);
  expect_sound(&t, &scopes);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    expect_scope(&t, &scopes, nodes[i], cases[i].expected);
    cr_expect_eq(scopes.is_guest[nodes[i]], cases[i].module == 0 && cases[i].expected[0] != '\0',
                 "n%zu", i);
  }
  tiny_clear(&t);
}

Test(scope, many_layers_are_put_into_buckets) {
  static const struct {
    const char *layer;
    unsigned layers;
    const char *in_last;
  } cases[] = {
      {"layers.%u", 20, "layers.19"},
      {"layers.%u", 32, "layers.24-31/layers.31"},
      {"layers.%u", 300, "layers.285-299/layers.299"},
      {"layers.%u", 2000, "layers.1875-1999/layers.1995-1999/layers.1999"},
      {"part_%u_", 40, "modules.0032-0039/part_39_"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t last = 0;
    for (unsigned k = 0; k < cases[i].layers; k++) {
      uint32_t layer = format_module(&t, 0, cases[i].layer, k);
      for (int n = 0; n < 3; n++)
        last = op(&t, layer);
    }
    tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
    etr_scopes scopes = build(&t);
    expect_sound(&t, &scopes);
    expect_scope(&t, &scopes, last, cases[i].in_last);
    tiny_clear(&t);
  }
}

/* Members of a list are recognized by their names, even if other modules run between them. */
Test(scope, members_of_interleaved_lists_are_recognized) {
  tiny t = {0};
  uint32_t down = 0, up = 0;
  for (unsigned i = 0; i < 20; i++) {
    down = format_module(&t, 0, "down.%u", i);
    up = format_module(&t, 0, "up.%u", i);
    for (int n = 0; n < 2; n++) {
      op(&t, down);
      op(&t, up);
    }
  }
  etr_scopes scopes = build(&t);
  expect_sound(&t, &scopes);
  expect_scope(&t, &scopes, 0, "down.0-6/down.0");
  expect_scope(&t, &scopes, (uint32_t)t.nodes.count - 1, "up.14-19/up.19");
  tiny_clear(&t);
}

Test(scope, nodes_without_modules_have_boxes) {
  static const struct {
    unsigned ops;
    const char *first, *last;
  } cases[] = {{31, "", ""},
               {32, "ops.0000-0007", "ops.0024-0031"},
               {130, "ops.0000-0008", "ops.0126-0129"},
               {5000, "ops.0000-0312/ops.0000-0062", "ops.4695-4999/ops.4939-4999"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    for (unsigned k = 0; k < cases[i].ops; k++)
      op(&t, 0);
    uint32_t output = tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
    etr_scopes scopes = build(&t);
    expect_sound(&t, &scopes);
    expect_scope(&t, &scopes, 0, cases[i].first);
    expect_scope(&t, &scopes, cases[i].ops - 1, cases[i].last);
    expect_scope(&t, &scopes, output, "");
    tiny_clear(&t);
  }
}

Test(scope, many_inputs_share_a_box) {
  static const struct {
    unsigned inputs;
    const char *last;
  } cases[] = {{4, ""}, {5, "inputs"}, {150, "inputs/inputs.0100-0149"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    for (unsigned k = 0; k < cases[i].inputs; k++)
      tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    op(&t, 0);
    etr_scopes scopes = build(&t);
    expect_sound(&t, &scopes);
    expect_scope(&t, &scopes, cases[i].inputs - 1, cases[i].last);
    tiny_clear(&t);
  }
}

Test(scope, nested_graphs_are_in_the_box_of_their_owner) {
  tiny t = {0};
  uint32_t a = tiny_module(&t, 0, "a", ""), fc = tiny_module(&t, a, "a.fc", ""),
           other = tiny_module(&t, 0, "other", "");
  uint32_t before = op(&t, a), cond = tiny_node(&t, ETR_NODE_OP, "cond", "higher_order.cond", a);
  uint32_t branch = tiny_subgraph(&t, cond, "true_graph_0", ETR_SUBGRAPH_BODY);
  uint32_t argument = tiny_node(&t, ETR_NODE_INPUT, "arg0", "arg0", 0);
  uint32_t plain = op(&t, a), deeper = op(&t, fc), foreign = op(&t, other),
           inner = tiny_node(&t, ETR_NODE_OP, "cond_1", "higher_order.cond", fc);
  for (uint32_t i = argument; i <= inner; i++)
    t.nodes.data[i].subgraph = branch;
  uint32_t innermost = tiny_subgraph(&t, inner, "false_graph_0", ETR_SUBGRAPH_BODY),
           nested = op(&t, fc);
  t.nodes.data[nested].subgraph = innermost;
  for (int i = 0; i < 8; i++)
    op(&t, other);
  etr_scopes scopes = build(&t);
  expect_sound(&t, &scopes);
  expect_scope(&t, &scopes, before, "a");
  expect_scope(&t, &scopes, cond, "a");
  expect_scope(&t, &scopes, argument, "a/true_graph_0.cond");
  expect_scope(&t, &scopes, plain, "a/true_graph_0.cond");
  expect_scope(&t, &scopes, deeper, "a/true_graph_0.cond/fc");
  expect_scope(&t, &scopes, foreign, "a/true_graph_0.cond");
  expect_scope(&t, &scopes, nested, "a/true_graph_0.cond/fc/false_graph_0.cond_1");
  tiny_clear(&t);
}

/* Module stacks that no model has: extremely deep, or with equal names only. */
Test(scope, hostile_modules_end) {
  tiny t = {0};
  uint32_t module = 0;
  for (unsigned i = 0; i < 5000; i++) {
    module = tiny_module(&t, module, i % 2 ? "x" : "y", "");
    op(&t, module);
  }
  for (unsigned i = 0; i < 3000; i++)
    op(&t, tiny_module(&t, 0, "same", ""));
  etr_scopes scopes = build(&t);
  cr_expect_leq(count_children(&t, &scopes, ETR_NONE), 32);
  for (size_t i = 0; i < scopes.count; i++)
    cr_expect_leq(scopes.list[i].depth, 40);
  tiny_clear(&t);
}
