/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names for TensorBoard's graph tab, and the texts that it can show.
 */
#include "tensorboard/tb_names.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>
#include <regex.h>
#include <stdio.h>

static const char **build(tiny *t) {
  etr_scopes scopes;
  const etr_graph *graph = &tiny_profile(t)->graphs[0];
  cr_assert_eq(etr_scopes_build(&scopes, &t->arena, graph), ETR_OK);
  const char **names = etr_tb_names(&t->arena, graph, &scopes);
  cr_assert_not_null(names);
  for (size_t i = 0; i < graph->node_count; i++)
    for (size_t k = 0; k < i; k++)
      cr_expect_str_neq(names[i], names[k]);
  return names;
}

static uint32_t op(tiny *t, const char *target, uint32_t module) {
  return tiny_node(t, ETR_NODE_OP, "node", target, module);
}

Test(tb_names, modules_are_boxes_and_nodes_are_leaves) {
  tiny t = {0};
  uint32_t a = tiny_module(&t, 0, "a", ""), fc = tiny_module(&t, a, "a.fc", ""),
           norm = tiny_module(&t, a, "a.norm", ""), b = tiny_module(&t, 0, "b", "");
  uint32_t weight = tiny_node(&t, ETR_NODE_PARAMETER, "p_a_fc_weight", "a.fc.weight", 0),
           bias = tiny_node(&t, ETR_NODE_PARAMETER, "p_a_fc_bias", "a.fc.bias", 0);
  uint32_t unused = tiny_node(&t, ETR_NODE_BUFFER, "b_old", "old.mean", 0);
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
  uint32_t linear = op(&t, "aten.linear.default", fc);
  uint32_t mean = op(&t, "aten.mean.dim", norm), div = op(&t, "aten.div.Tensor", norm),
           again = op(&t, "aten.div.Scalar", norm);
  uint32_t plus = op(&t, "_operator.add", a), in_b = op(&t, "aten.add.Tensor", b),
           on_top = op(&t, "higher_order.cond", 0), b_like = op(&t, "aten.b.default", 0);
  for (int i = 0; i < 3; i++)
    op(&t, "aten.relu.default", b);
  uint32_t output = tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
  tiny_input(&t, linear, x, 0);
  tiny_input(&t, linear, weight, 0);
  tiny_input(&t, linear, bias, 0);
  tiny_input(&t, plus, bias, 0);
  const char **names = build(&t);
  const struct {
    uint32_t node;
    const char *name;
  } cases[] = {
      {weight, "a/fc-node/weight"},
      {bias, "a/fc-node/bias"},
      {unused, "old.mean"},
      {x, "x"},
      {linear, "a/fc-node"}, /* alone in its module */
      {mean, "a/norm/mean-node"},
      {div, "a/norm/div-node"},
      {again, "a/norm/div-node_1_"},
      {plus, "a/add-node"},
      {in_b, "b/add-node"},
      {on_top, "cond-node"},
      {b_like, "b-node"},
      {output, "output"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_str_eq(names[cases[i].node], cases[i].name, "%s, not %s", names[cases[i].node],
                     cases[i].name);
  tiny_clear(&t);
}

/* "0" alone is no useful name. */
Test(tb_names, a_numbered_module_names_its_operator) {
  tiny t = {0};
  uint32_t conv = tiny_module(&t, 0, "conv", ""), c0 = tiny_module(&t, conv, "conv.0", ""),
           list = tiny_module(&t, c0, "conv.0.0", "");
  uint32_t first = op(&t, "aten.convolution.default", list),
           second = op(&t, "aten.relu.default", tiny_module(&t, c0, "conv.0.1", ""));
  uint32_t bare = op(&t, "aten.linear.default", tiny_module(&t, conv, "conv.1", ""));
  for (int i = 0; i < 4; i++)
    op(&t, "aten.add.Tensor", 0);
  const char **names = build(&t);
  cr_expect_str_eq(names[first], "conv.0/0_convolution-node");
  cr_expect_str_eq(names[second], "conv.0/1_relu-node");
  cr_expect_str_eq(names[bare], "conv.1-node");
  tiny_clear(&t);
}

/* A module is folded only if it contains one operator, because a leaf cannot be a box. */
Test(tb_names, a_module_with_a_nested_graph_is_not_folded) {
  tiny t = {0};
  uint32_t a = tiny_module(&t, 0, "a", ""), z = tiny_module(&t, 0, "z", "");
  uint32_t cond = tiny_node(&t, ETR_NODE_OP, "cond", "higher_order.cond", a);
  uint32_t branch = tiny_subgraph(&t, cond, "true_graph_0", ETR_SUBGRAPH_BODY),
           argument = tiny_node(&t, ETR_NODE_INPUT, "arg", "arg", 0);
  t.nodes.data[argument].subgraph = branch;
  op(&t, "aten.add.Tensor", z);
  op(&t, "aten.add.Tensor", z);
  const char **names = build(&t);
  cr_expect_str_eq(names[cond], "a/cond");
  cr_expect_str_eq(names[argument], "a/true_graph_0.cond/arg");
  tiny_clear(&t);
}

/* The page draws five siblings x1 ... x5 as one series. */
Test(tb_names, equal_siblings_are_not_drawn_as_a_series) {
  for (unsigned count = 4; count <= 5; count++) {
    tiny t = {0};
    uint32_t a = tiny_module(&t, 0, "a", "");
    static const char *const nodes[] = {"linear_1", "linear_2", "linear_3", "linear_4", "linear_5"};
    uint32_t first = (uint32_t)t.nodes.count;
    for (unsigned i = 0; i < count; i++)
      tiny_node(&t, ETR_NODE_OP, nodes[i], "aten.linear.default", a);
    for (int i = 0; i < 6; i++)
      op(&t, "aten.relu.default", tiny_module(&t, 0, "rest", ""));
    const char **names = build(&t);
    cr_expect_str_eq(names[first], count < 5 ? "a/linear_1" : "a/linear_1_");
    tiny_clear(&t);
  }
}

/* The search of the page takes a regular expression, in which '.' also matches '/'. */
static bool finds(const char *pattern, const char *name) {
  regex_t regex;
  cr_assert_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
  bool found = regexec(&regex, name, 0, NULL, 0) == 0;
  regfree(&regex);
  return found;
}

/* Nodes are found although boxes were dissolved, joined, shortened or put into buckets. */
Test(tb_names, nodes_are_found_by_module_and_name) {
  static const char *const formats[] = {"encoder.layers.encoder_layer_%u", "layers.%u",
                                        "model.decoder.blocks.%u", "h%u"};
  for (size_t f = 0; f < ETR_COUNT(formats); f++) {
    for (unsigned count = 2; count <= 80; count += 39) {
      tiny t = {0};
      const char *modules[80];
      uint32_t nodes[80];
      for (unsigned i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, formats[f], i);
        uint32_t block = tiny_module(&t, 0, etr_arena_copy(&t.arena, etr_slice_of(path)), "");
        modules[i] = etr_arena_format(&t.arena, "%s.mlp.fc", path);
        uint32_t mlp = tiny_module(&t, block, etr_arena_format(&t.arena, "%s.mlp", path), ""),
                 fc = tiny_module(&t, mlp, modules[i], "");
        tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", block);
        nodes[i] = tiny_node(&t, ETR_NODE_OP,
                             etr_arena_format(&t.arena, "aten_linear_default_%u", i),
                             "aten.linear.default", fc);
        tiny_node(&t, ETR_NODE_OP, "mul", "aten.mul.Tensor", mlp);
      }
      const char **names = build(&t);
      for (unsigned i = 0; i < count; i++)
        cr_expect(finds(modules[i], names[nodes[i]]) &&
                      finds(t.nodes.data[nodes[i]].name, names[nodes[i]]),
                  "%s by %s", names[nodes[i]], modules[i]);
      tiny_clear(&t);
    }
  }
}

/* The visible beginning of a closed box differs from its siblings. */
Test(tb_names, names_begin_with_the_visible_part) {
  enum { SHOWN = 13, COUNT = 12 };
  tiny t = {0};
  uint32_t nodes[COUNT];
  for (unsigned i = 0; i < COUNT; i++) {
    uint32_t module = tiny_module(
        &t, 0, etr_arena_format(&t.arena, "encoder.layers.encoder_layer_%u", i), "");
    nodes[i] = op(&t, "aten.add.Tensor", module);
    op(&t, "aten.mul.Tensor", module);
  }
  const char **names = build(&t);
  cr_expect_str_eq(names[nodes[2]], "layer_2-encoder.layers.encoder_layer_2/add-node");
  for (unsigned i = 1; i < COUNT; i++)
    cr_expect_neq(strncmp(names[nodes[i - 1]], names[nodes[i]], SHOWN), 0, "%s, %s",
                  names[nodes[i - 1]], names[nodes[i]]);
  tiny_clear(&t);
}

Test(tb_names, hostile_names_are_replaced) {
  tiny t = {0};
  char long_name[500];
  memset(long_name, 'n', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = '\0';
  const char *const paths[] = {
      "^top",   "__function_library__", "a/b", "a:b", "\xC3\xA9", "\n\"'\\", " ", "L['x']y",
      long_name};
  for (size_t i = 0; i < ETR_COUNT(paths); i++) {
    uint32_t module = tiny_module(&t, 0, paths[i], "");
    op(&t, "", module);
    op(&t, paths[i], module);
    tiny_node(&t, ETR_NODE_INPUT, paths[i], "", 0);
    tiny_node(&t, ETR_NODE_CONSTANT, paths[i], paths[i], 0);
  }
  const char **names = build(&t);
  for (size_t i = 0; i < t.nodes.count; i++) {
    cr_expect_lt(strlen(names[i]), 2000);
    cr_expect_null(strpbrk(names[i], "\"'\\:\n"), "%s", names[i]);
    cr_expect(names[i][0] != '^' && names[i][0] != '/' && !strstr(names[i], "//") &&
                  strncmp(names[i], "__function", 10) != 0,
              "%s", names[i]);
    for (const char *c = names[i]; *c; c++)
      cr_expect(*c >= ' ' && *c < 0x7f, "%s", names[i]);
  }
  tiny_clear(&t);
}

Test(tb_text, attributes_are_cleaned) {
  static const struct {
    const char *text, *clean;
  } cases[] = {
      {"", ""},
      {"plain [1, 2]", "plain [1, 2]"},
      {"say \"it's\" \\n", "say `it`s` /n"},
      {"two\nlines\tand", "two | lines and"},
      {"\xC2\xB5s \xCE\xBCs \xC3\xA9 \xF0\x9F\x98\x80.", "us us ? ?."},
      {"\xC3", "?"},
  };
  char room[ETR_TB_TEXT_ROOM];
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_slice clean = etr_tb_clean_text(room, etr_slice_of(cases[i].text));
    cr_expect_eq(clean.size, strlen(cases[i].clean));
    cr_expect_str_eq(clean.data, cases[i].clean);
  }
}

Test(tb_text, long_attributes_are_cut) {
  for (size_t size = ETR_TB_TEXT_ROOM - 20; size < ETR_TB_TEXT_ROOM + 20; size++) {
    char text[ETR_TB_TEXT_ROOM + 20], room[ETR_TB_TEXT_ROOM];
    memset(text, '\n', size);
    text[size] = '\0';
    etr_slice got = etr_tb_clean_text(room, etr_slice_of(text));
    cr_expect(got.size < ETR_TB_TEXT_ROOM && strlen(got.data) == got.size &&
              etr_slice_ends(got, ETR_SLICE("...")));
    memset(text, 'x', size);
    got = etr_tb_clean_text(room, etr_slice_of(text));
    cr_expect(got.size < ETR_TB_TEXT_ROOM && strlen(got.data) == got.size &&
              (got.size == size || etr_slice_ends(got, ETR_SLICE("..."))));
  }
}

/* Names contain only those special characters of selectors that the page escapes. */
Test(tb_text, names_have_no_selector_characters) {
  static const struct {
    const char *name, *clean;
  } cases[] = {{"layers.0", "layers.0"},
               {"Convolution (NHWC, F32) IGEMM #1", "Convolution_(NHWC,_F32)_IGEMM__1"},
               {"a+b~c>d*e=f", "a_b_c_d_e_f"},
               {"^x", "_x"},
               {"__function_library__x", "-_function_library__x"},
               {"\xC3\xA9t\xC3\xA9", "_t_"},
               {"", "_"}};
  char clean[ETR_TB_NAME_ROOM];
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    (void)etr_tb_clean_name(clean, etr_slice_of(cases[i].name));
    cr_expect_str_eq(clean, cases[i].clean);
  }
}

Test(tb_text, operators_are_cleaned) {
  static const struct {
    const char *op, *clean;
  } cases[] = {{"linear", "linear"},
               {"constant_pad_nd", "constant_pad_nd"},
               {"ConstantPadNd", "constantPadNd"},
               {"MySummary", "Mysummary"},
               {"Summary2", "Summary2"},
               {"NoOp", "noOp"},
               {"aten::add", "aten__add"},
               {"", "_"}};
  char clean[ETR_TB_NAME_ROOM];
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    (void)etr_tb_clean_op(clean, etr_slice_of(cases[i].op));
    cr_expect_str_eq(clean, cases[i].clean);
  }
}
