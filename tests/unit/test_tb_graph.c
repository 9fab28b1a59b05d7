/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The GraphDef for TensorBoard, which is decoded and checked.
 */
#include "tensorboard.pb-c.h"
#include "tensorboard/tb_view.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>

static Tensorboard__GraphDef *build(tiny *t) {
  etr_scopes scopes;
  etr_tb_view view;
  const etr_profile *profile = tiny_profile(t);
  cr_assert_eq(etr_scopes_build(&scopes, &t->arena, &profile->graphs[0]), ETR_OK);
  cr_assert_eq(etr_tb_view_build(&view, &t->arena, profile, &profile->graphs[0], &scopes), ETR_OK);
  etr_packer packer = {.arena = &t->arena};
  etr_tb_graph_pack(&packer, &view);
  etr_slice bytes = etr_packed(&packer);
  Tensorboard__GraphDef *graph = tensorboard__graph_def__unpack(NULL, bytes.size,
                                                                (const uint8_t *)bytes.data);
  cr_assert_not_null(graph);
  cr_assert_eq(graph->n_node, profile->graphs[0].node_count);
  return graph;
}

static void clear(tiny *t, Tensorboard__GraphDef *graph) {
  tensorboard__graph_def__free_unpacked(graph, NULL);
  tiny_clear(t);
}

static const Tensorboard__AttrValue *find_attr(const Tensorboard__NodeDef *node, const char *key) {
  for (size_t i = 0; i < node->n_attr; i++)
    if (strcmp(node->attr[i]->key, key) == 0)
      return node->attr[i]->value;
  return NULL;
}

/* Checks an attribute; expected is NULL if it must be missing. */
static void expect_attr(const Tensorboard__NodeDef *node, const char *key, const char *expected) {
  const Tensorboard__AttrValue *value = find_attr(node, key);
  if (!expected || !value) {
    cr_expect(!expected && !value, "%s of %s", key, node->name);
    return;
  }
  size_t size = strlen(expected);
  cr_expect(value->s.len == size && memcmp(value->s.data, expected, size) == 0,
            "%s of %s is '%.*s'", key, node->name, (int)value->s.len, value->s.data);
}

static void expect_inputs(const Tensorboard__NodeDef *node, const char *const *expected) {
  size_t count = 0;
  for (; expected[count]; count++) {
    cr_assert_lt(count, node->n_input, "%s", node->name);
    cr_expect_str_eq(node->input[count], expected[count]);
  }
  cr_expect_eq(node->n_input, count);
}

static etr_source source = {.file = "/home/me/modeling.py",
                            .line = 42,
                            .function = "forward",
                            .code = "x = self.fc1(\"x\")"};

static const etr_argument arguments[] = {{"stride", "[1, \"s77\"]"},
                                         {"dtype", "\"float32\""},
                                         {"mode", "\"a'b\\u0007\""},
                                         {"a/b \xC3\xA9", "1e-05"}};

Test(tb_graph, a_node_has_its_attributes) {
  tiny t = {0};
  uint32_t fc = tiny_module(&t, 0, "fc", "torch.nn.modules.linear.Linear");
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
           weight = tiny_node(&t, ETR_NODE_PARAMETER, "p_fc_weight", "fc.weight", 0);
  uint32_t linear = tiny_node(&t, ETR_NODE_OP, "aten_linear_default", "aten.linear.default", fc);
  uint32_t relu = tiny_node(&t, ETR_NODE_OP, "aten_relu_default", "aten.relu.default", 0);
  uint32_t output = tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
  tiny_input(&t, linear, x, 0);
  tiny_input(&t, linear, weight, 0);
  tiny_input(&t, relu, linear, 0);
  tiny_input(&t, output, relu, 0);
  t.nodes.data[linear].debug_handle = 17;
  t.nodes.data[linear].source = &source;
  t.nodes.data[linear].arguments = arguments;
  t.nodes.data[linear].argument_count = ETR_COUNT(arguments);
  etr_node_time *time = tiny_time(&t, linear, 437);
  time->backend = "XnnpackBackend";
  time->delegate_instruction = 3;
  time->match = ETR_MATCH_ALIGNED;
  time->confidence = 0.95;
  time->runs_as = "Fully Connected (NC, F32) GEMM #1";
  time->per_run.max = 1234567;
  tiny_time(&t, relu, 1000)->calls = 5;
  Tensorboard__GraphDef *graph = build(&t);

  const Tensorboard__NodeDef *node = graph->node[linear];
  cr_expect_str_eq(node->name, "fc-aten_linear_default");
  cr_expect_str_eq(node->op, "linear");
  cr_expect_str_eq(node->device, "/device:XNNPACK:0");
  expect_inputs(node, (const char *const[]){"x", "fc-aten_linear_default/weight", NULL});
  static const struct {
    const char *key, *value;
  } attrs[] = {{"_XlaCluster", "delegate 3: XnnpackBackend"},
               {"arg.a_b__", "1e-05"},
               {"arg.dtype", "float32"},
               {"arg.mode", "a`b/u0007"},
               {"arg.stride", "[1, s77]"},
               {"avg_us", "0.437"},
               {"calls", "1"},
               {"debug_handle", "17"},
               {"fx_node", "aten_linear_default"},
               {"in0", "f32[1,16]"},
               {"in1", "f32[1,16]"},
               {"in2", NULL},
               {"match", "aligned (estimated, confidence 95 %)"},
               {"max_us", "1234.567"},
               {"module", "fc"},
               {"module_type", "torch.nn.modules.linear.Linear"},
               {"out0", "f32[1,16]"},
               {"p50_us", "0.437"},
               {"runs_as", "Fully Connected (NC, F32) GEMM #1"},
               {"source", "modeling.py:42 in forward: x = self.fc1(`x`)"},
               {"target", "aten.linear.default"},
               {"typical_us", "0.437"},
               {"weight", NULL}};
  for (size_t i = 0; i < ETR_COUNT(attrs); i++)
    expect_attr(node, attrs[i].key, attrs[i].value);
  /* The shapes come first, other attributes in order. */
  for (size_t i = 2; i < node->n_attr; i++)
    cr_expect_lt(strcmp(node->attr[i - 1]->key, node->attr[i]->key), 0, "order of %s",
                 node->attr[i]->key);

  node = graph->node[relu];
  cr_expect_str_eq(node->device, "/device:CPU:0");
  expect_attr(node, "_XlaCluster", NULL);
  expect_attr(node, "debug_handle", NULL);
  expect_attr(node, "module", NULL);
  expect_attr(node, "calls", "2.50");

  node = graph->node[weight];
  cr_expect_str_eq(node->op, "Const");
  cr_expect_str_eq(node->device, "");
  expect_attr(node, "weight", "fc.weight");
  expect_attr(node, "avg_us", NULL);
  cr_expect_str_eq(graph->node[x]->op, "Placeholder");
  cr_expect_str_eq(graph->node[output]->op, "Output");
  clear(&t, graph);
}

Test(tb_graph, a_graph_without_times_has_no_time_attributes) {
  tiny t = {0};
  uint32_t add = tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", 0);
  Tensorboard__GraphDef *graph = build(&t);
  cr_expect_str_eq(graph->node[add]->device, "");
  expect_attr(graph->node[add], "avg_us", NULL);
  expect_attr(graph->node[add], "match", NULL);
  clear(&t, graph);
}

Test(tb_graph, shapes_are_on_every_node) {
  static const etr_dim dims[] = {{.size = ETR_DIM_SYMBOLIC, .symbol = "s77", .hint = 4},
                                 {.size = 0, .hint = -1},
                                 {.size = 3, .hint = -1}};
  static const etr_value values[] = {{.name = "a", .dtype = "float32", .dims = dims, .rank = 3},
                                     {.name = "b", .dtype = "int64", .rank = 0},
                                     {.name = "c", .dtype = "int", .rank = -1}};
  tiny t = {0};
  uint32_t split = tiny_node(&t, ETR_NODE_OP, "split", "aten.split.Tensor", 0),
           output = tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
  t.nodes.data[split].outputs = values;
  t.nodes.data[split].output_count = ETR_COUNT(values);
  Tensorboard__GraphDef *graph = build(&t);
  const Tensorboard__AttrValue__ListValue *list = find_attr(graph->node[split], "_output_shapes")
                                                      ->list;
  cr_assert_eq(list->n_shape, 3);
  cr_assert_eq(list->shape[0]->n_dim, 3);
  cr_expect_eq(list->shape[0]->dim[0]->size, -1);
  cr_expect_eq(list->shape[0]->dim[1]->size, 0);
  cr_expect_eq(list->shape[0]->dim[2]->size, 3);
  cr_expect(list->shape[1]->n_dim == 0 && !list->shape[1]->unknown_rank);
  cr_expect(list->shape[2]->unknown_rank);
  expect_attr(graph->node[split], "out0", "f32[s77,0,3]");
  expect_attr(graph->node[split], "out1", "i64[]");
  expect_attr(graph->node[split], "out2", "int");
  cr_expect_eq(find_attr(graph->node[output], "_output_shapes")->list->n_shape, 0);
  clear(&t, graph);
}

/* The page shows one edge for neighboring inputs from one node. Each row has the inputs of cat,
 * and the written ones.
 */
Test(tb_graph, neighboring_inputs_of_one_node_are_separated) {
  static const struct {
    etr_edge edges[6];
    size_t count;
    const char *expected[7];
  } cases[] = {
      {{{0, 0}, {1, 0}}, 2, {"x", "split"}},
      {{{1, 0}, {1, 1}, {0, 0}}, 3, {"split", "x", "split:1"}},
      {{{1, 0}, {1, 1}, {1, 2}, {0, 0}, {2, 0}}, 5, {"split", "x", "split:1", "relu", "split:2"}},
      {{{1, 0}, {1, 1}}, 2, {"split", "split:1"}}, /* there is no other input to put between them */
      {{{0, 0}, {0, 0}}, 2, {"x", "x"}},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
    tiny_node(&t, ETR_NODE_OP, "split", "aten.split.Tensor", 0);
    tiny_node(&t, ETR_NODE_OP, "relu", "aten.relu.default", 0);
    uint32_t cat = tiny_node(&t, ETR_NODE_OP, "cat", "aten.cat.default", 0);
    for (size_t k = 0; k < cases[i].count; k++)
      tiny_input(&t, cat, cases[i].edges[k].node, cases[i].edges[k].output);
    Tensorboard__GraphDef *graph = build(&t);
    expect_inputs(graph->node[cat], cases[i].expected);
    clear(&t, graph);
  }
}

Test(tb_graph, nested_graphs_are_below_their_owner) {
  tiny t = {0};
  uint32_t call = tiny_node(&t, ETR_NODE_OP, "executorch_call_delegate",
                            "higher_order.executorch_call_delegate", 0);
  uint32_t lowered = tiny_subgraph(&t, call, "lowered_module_0", ETR_SUBGRAPH_LOWERED);
  t.subgraphs.data[lowered].backend = "QnnBackend";
  uint32_t argument = tiny_node(&t, ETR_NODE_INPUT, "arg", "arg", 0),
           add = tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", 0);
  t.nodes.data[argument].subgraph = t.nodes.data[add].subgraph = lowered;
  Tensorboard__GraphDef *graph = build(&t);
  expect_inputs(graph->node[argument], (const char *const[]){"^executorch_call_delegate", NULL});
  cr_expect_str_eq(graph->node[add]->device, "/device:QNN:0");
  expect_attr(graph->node[add], "_XlaCluster", "delegate: QnnBackend");
  clear(&t, graph);
}

Test(tb_graph, a_backend_has_its_device) {
  static const struct {
    const char *backend, *device;
  } cases[] = {{"XnnpackBackend", "/device:XNNPACK:0"},
               {"CoreMLBackend", "/device:COREML:0"},
               {"VulkanBackend", "/device:VULKAN:0"},
               {"my:backend/2", "/device:MY_BACKEND_2:0"},
               {"", "/device:DELEGATE:0"},
               {"Backend", "/device:BACKEND:0"},
               {"\xC3\xA9", "/device:__:0"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    uint32_t add = tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", 0);
    tiny_time(&t, add, 1)->backend = cases[i].backend;
    Tensorboard__GraphDef *graph = build(&t);
    cr_expect_str_eq(graph->node[add]->device, cases[i].device);
    clear(&t, graph);
  }
}

/* More inputs than attributes are written for, long texts, and more bytes than one piece. */
Test(tb_graph, large_graphs_are_written_in_pieces) {
  tiny t = {0};
  char *code = etr_arena_alloc(&t.arena, 5000);
  memset(code, 'c', 4999);
  etr_source long_source = {.file = code, .line = 1, .function = code, .code = code};
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0), node = 0;
  for (int i = 0; i < 300; i++) {
    node = tiny_node(&t, ETR_NODE_OP, code, code, 0);
    t.nodes.data[node].source = &long_source;
    for (int k = 0; k < 30; k++)
      tiny_input(&t, node, x, 0);
  }
  Tensorboard__GraphDef *graph = build(&t);
  cr_expect_eq(graph->node[node]->n_input, 30);
  for (size_t i = 0; i < graph->node[node]->n_attr; i++)
    if (graph->node[node]->attr[i]->value->value_case == TENSORBOARD__ATTR_VALUE__VALUE_S)
      cr_expect_lt(graph->node[node]->attr[i]->value->s.len, 1024);
  clear(&t, graph);
}
