/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Node data for Model Explorer: the nodes that have a value, and the sums of values.
 */
#include "base/writer.h"
#include "etrecord_tb.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>

static bool append(void *context, const void *data, size_t size) {
  etr_put(context, (etr_slice){data, size});
  return true;
}

static const char *emit(const etr_profile *profile, etr_node_data_options options,
                        etr_arena *arena) {
  etr_text text;
  etr_writer writer;
  etr_error error;
  etr_text_begin(&text, arena, &writer);
  cr_assert_eq(etr_emit_node_data(profile, 0, &options, &(etr_sink){append, &writer}, &error),
               ETR_OK, "%s", error.message);
  return etr_text_end(&text, &writer);
}

static void expect_results(const char *json, const char *results) {
  const char *at = strstr(json, "\"results\":");
  cr_assert_not_null(at);
  cr_expect_str_eq(at + strlen("\"results\":"), results);
}

/* x -> cond { add, cond { mul } } -> sub -> relu; all but relu were timed. */
static void build(tiny *t) {
  uint32_t x = tiny_node(t, ETR_NODE_INPUT, "x", "x", 0);
  uint32_t cond = tiny_node(t, ETR_NODE_OP, "cond", "higher_order.cond", 0);
  uint32_t outer = tiny_subgraph(t, cond, "true_graph_0", ETR_SUBGRAPH_BODY);
  uint32_t add = tiny_node(t, ETR_NODE_OP, "add", "aten.add.Tensor", 0);
  t->nodes.data[add].subgraph = outer;
  uint32_t inner_cond = tiny_node(t, ETR_NODE_OP, "cond", "higher_order.cond", 0);
  t->nodes.data[inner_cond].subgraph = outer;
  uint32_t inner = tiny_subgraph(t, inner_cond, "true_graph_0", ETR_SUBGRAPH_BODY);
  uint32_t mul = tiny_node(t, ETR_NODE_OP, "mul", "aten.mul.Tensor", 0);
  t->nodes.data[mul].subgraph = inner;
  uint32_t sub = tiny_node(t, ETR_NODE_OP, "say \"sub\"", "aten.sub.Tensor", 0);
  uint32_t relu = tiny_node(t, ETR_NODE_OP, "relu", "aten.relu.default", 0);
  tiny_input(t, cond, x, 0);
  tiny_input(t, sub, cond, 0);
  tiny_input(t, relu, sub, 0);
  tiny_time(t, add, 1000000);
  tiny_time(t, mul, 2000000);
  tiny_time(t, sub, 500000)->backend = "VulkanBackend";
}

/* A damaged or forged graph may have them. */
Test(model_explorer, no_key_comes_twice) {
  tiny t = {0};
  tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "sub", "aten.sub.Tensor", 0), 1000000);
  tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "sub", "aten.sub.Tensor", 0), 2000000);
  const etr_profile *profile = tiny_profile(&t);
  expect_results(emit(profile, (etr_node_data_options){0}, &t.arena),
                 "{\"sub_\":{\"value\":1}}}\n");
  tiny_clear(&t);
}

Test(model_explorer, timed_nodes_have_values) {
  tiny t = {0};
  build(&t);
  const etr_profile *profile = tiny_profile(&t);
  expect_results(emit(profile, (etr_node_data_options){0}, &t.arena),
                 "{\"cond_\":{\"value\":3},\"say \\\"sub\\\"_\":{\"value\":0.5}}}\n");
  expect_results(emit(profile, (etr_node_data_options){.unit = ETR_UNIT_US}, &t.arena),
                 "{\"cond_\":{\"value\":3000},\"say \\\"sub\\\"_\":{\"value\":500}}}\n");
  expect_results(emit(profile, (etr_node_data_options){.statistic = ETR_NODE_P90}, &t.arena),
                 "{\"say \\\"sub\\\"_\":{\"value\":0.5}}}\n");
  expect_results(emit(profile, (etr_node_data_options){.statistic = ETR_NODE_BACKEND}, &t.arena),
                 "{\"say \\\"sub\\\"_\":{\"value\":\"VulkanBackend\",\"bgColor\":\"#0072b2\"}}}\n");
  expect_results(emit(profile, (etr_node_data_options){.adapter = ETR_ADAPTER_PT2}, &t.arena),
                 "{\"cond\":{\"value\":3},\"say \\\"sub\\\"\":{\"value\":0.5}}}\n");
  t.graph.module = "aten"; /* shown as a .pt2 */
  expect_results(emit(profile, (etr_node_data_options){.statistic = ETR_NODE_P90}, &t.arena),
                 "{\"say \\\"sub\\\"\":{\"value\":0.5}}}\n");
  tiny_clear(&t);
}

Test(model_explorer, one_run_is_enough) {
  tiny t = {0};
  tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", 0), 1000000)->runs = 1;
  expect_results(emit(tiny_profile(&t), (etr_node_data_options){0}, &t.arena),
                 "{\"add_\":{\"value\":1}}}\n");
  tiny_clear(&t);
}

Test(model_explorer, a_graph_without_times_is_refused) {
  tiny t = {0};
  etr_error error;
  const etr_sink nowhere = {NULL, NULL};
  tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", 0);
  cr_expect_eq(etr_emit_node_data(tiny_profile(&t), 0, NULL, &nowhere, &error), ETR_ERROR_CHOICE);
  cr_expect_str_eq(error.message, "no node of edge/forward was timed");
  (void)tiny_profile(&t);
  t.graph.dialect = "program";
  cr_expect_eq(etr_emit_node_data(&t.profile, 0, NULL, &nowhere, &error), ETR_ERROR_CHOICE);
  tiny_clear(&t);
}
