/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_program_graph.c - the values that instructions of real programs with jumps read, compared by
 * hand with ExecuTorch's emitter (exir/emit/_emitter.py).
 *
 * Wanted of a node: the values that it reads, joined by ','; behind '|' those that it may read
 * instead of these.
 */
#include "open_fixture.h"

#include <string.h>

static const struct {
  const char *fixture, *node, *want;
} cases[] = {
    {"control_flow", "instruction_2", "value_5|"},              /* a jump reads its condition */
    {"control_flow", "instruction_7", "|"},                     /* it always jumps */
    {"control_flow", "instruction_10", "value_16_16|value_16"}, /* the result of the inner cond */
    {"control_flow", "instruction_13", "value_11|"},            /* what is before both branches */
    {"control_flow", "instruction_18",
     "value_14_23,value_31|value_14"}, /* the result of the outer cond */
    {"control_flow_map", "instruction_1",
     "value_0|value_3"}, /* the counter, as the pass before left it */
    {"control_flow_map", "instruction_5",
     "value_10|value_3"},                              /* of the result a piece is written */
    {"control_flow_map", "instruction_6", "|value_3"}, /* the counter counts itself */
    {"control_flow_map", "instruction_7", "value_3,value_4|"}, /* in this pass */
    {"control_flow_map", "instruction_8", "value_13|"},
    {"control_flow_map", "output", "value_2|"},
    {"attention_addmm", "instruction_1", "value_5|"}, /* a size that the program computes */
};

static void put_values(const etr_graph *graph, const etr_edge *edges, size_t count, char *out) {
  for (size_t i = 0; i < count; i++) {
    if (i)
      strcat(out, ",");
    strcat(out, graph->nodes[edges[i].node].outputs[edges[i].output].name);
  }
}

static const etr_graph *program_of(const etr_profile *profile) {
  for (size_t i = 0; i < profile->graph_count; i++)
    if (strcmp(profile->graphs[i].dialect, "program") == 0)
      return &profile->graphs[i];
  return NULL;
}

Test(program_graph, readers_have_all_writers) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    etr_profile *profile = open_fixture(cases[i].fixture, NULL);
    const etr_graph *graph = program_of(profile);
    cr_assert_not_null(graph, "%s", cases[i].fixture);
    size_t at = 0;
    while (at < graph->node_count && strcmp(graph->nodes[at].name, cases[i].node) != 0)
      at++;
    cr_assert_lt(at, graph->node_count, "%s", cases[i].node);
    const etr_node *node = &graph->nodes[at];
    char got[512] = "";
    put_values(graph, node->inputs, node->input_count, got);
    strcat(got, "|");
    put_values(graph, node->inputs + node->input_count, node->other_input_count, got);
    cr_expect_str_eq(got, cases[i].want, "%s %s: %s", cases[i].fixture, cases[i].node, got);
    etr_profile_close(profile);
  }
}

Test(program_graph, jumps_say_when_and_where) {
  static const struct {
    const char *fixture, *node, *if_not, *go_to;
  } jumps[] = {{"control_flow", "instruction_4", "\"value_15\"", "\"instruction_8\""},
               {"control_flow", "instruction_7", "false", "\"instruction_10\""},
               {"control_flow_map", "instruction_8", "\"value_13\"", "\"instruction_1\""}};
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
    etr_profile *profile = open_fixture(jumps[i].fixture, NULL);
    const etr_graph *graph = program_of(profile);
    for (size_t k = 0; k < graph->node_count; k++) {
      if (strcmp(graph->nodes[k].name, jumps[i].node) != 0)
        continue;
      cr_expect_str_eq(etr_node_argument(&graph->nodes[k], "if_not"), jumps[i].if_not);
      cr_expect_str_eq(etr_node_argument(&graph->nodes[k], "go_to"), jumps[i].go_to);
    }
    etr_profile_close(profile);
  }
}

/* Where a payload cannot be read, the operators that its events name are a chain inside the call:
 * those of truth_backend.json, in its order. */
Test(program_graph, operators_that_only_events_name_are_inside_the_call) {
  static const struct {
    const char *fixture, *call;
    size_t count;
    const char *name, *edge_node; /* of the third operator, or the last one if there are fewer */
  } calls[] = {
      {"b_coreml", "delegate_0", 14, "linear_0_cast_fp16:linear", "aten_linear_default"},
      {"b_qnn", "delegate_0", 13, "aten_relu_default:OpId_25 (cycles)", "aten_relu_default"},
      {"b_qnn", "delegate_2", 1, "aten_linear_default:OpId_22 (cycles)", "aten_linear_default"}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    etr_profile *profile = open_fixture(calls[i].fixture, NULL);
    const etr_graph *graph = program_of(profile);
    const etr_node *before = NULL, *looked_at = NULL;
    size_t count = 0;
    for (size_t k = 0; k < graph->node_count; k++) {
      const etr_node *node = &graph->nodes[k];
      bool is_inside = node->subgraph != ETR_NONE &&
                       strcmp(graph->subgraphs[node->subgraph].name, calls[i].call) == 0;
      if (!is_inside)
        continue;
      if (before)
        cr_expect(node->input_count == 1 && &graph->nodes[node->inputs[0].node] == before, "%s",
                  node->name);
      before = node;
      count++;
      if (count <= 3)
        looked_at = node;
    }
    cr_expect_eq(count, calls[i].count, "%s %s: %zu", calls[i].fixture, calls[i].call, count);
    cr_assert(looked_at && looked_at->edge_node_count == 1);
    cr_expect_str_eq(looked_at->name, calls[i].name);
    cr_expect_str_eq(looked_at->edge_nodes[0], calls[i].edge_node);
    etr_profile_close(profile);
  }
}
