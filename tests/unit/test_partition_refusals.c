/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a partitioner takes, compared with what it took when the fixtures were exported.
 */
#include "base/base.h"
#include "etrecord.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct counts {
  size_t taken, refused_but_taken, left, left_without_reason;
} counts;

/* Operators that have no kernel, so that nothing says whether a delegate took them. */
static bool is_counted(const etr_node *node) {
  static const char *const others[] = {"_operator.", "aten.sym_", "higher_order.",
                                       "quantized_decomposed.", "control."};
  for (size_t i = 0; i < ETR_COUNT(others); i++)
    if (strncmp(node->target, others[i], strlen(others[i])) == 0)
      return false;
  return node->kind == ETR_NODE_OP && node->subgraph == ETR_NONE;
}

static void count_graph(counts *c, const etr_graph *graph, const char **reasons, bool is_verbose) {
  for (size_t i = 0; i < graph->node_count; i++) {
    if (!is_counted(&graph->nodes[i]))
      continue;
    bool is_taken = graph->times[i].delegate_instruction >= 0,
         is_left = !is_taken && graph->times[i].runs > 0;
    c->taken += is_taken;
    c->left += is_left;
    c->refused_but_taken += is_taken && reasons[i];
    c->left_without_reason += is_left && !reasons[i];
    if (is_verbose && ((is_taken && reasons[i]) || (is_left && !reasons[i])))
      fprintf(stderr, "  %s %s: %s\n", graph->nodes[i].name, graph->nodes[i].target,
              reasons[i] ? reasons[i] : "taken");
  }
}

static counts count_record(const char *path, bool is_verbose) {
  etr_inputs inputs;
  etr_profile *profile;
  counts c = {0};
  cr_assert_eq(etr_inputs_find(&inputs, path, NULL, NULL), ETR_OK, "%s", path);
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, NULL), ETR_OK, "%s", path);
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->graph == ETR_NONE || method->delegate_count == 0)
      continue;
    const etr_graph *graph = &profile->graphs[method->graph];
    const char **reasons = calloc(graph->node_count, sizeof *reasons);
    const char *known = etr_known_partitioner();
    if (graph->times && etr_partitioner_is_known(known, graph) &&
        etr_partition_refusals(reasons, known, graph, NULL))
      count_graph(&c, graph, reasons, is_verbose);
    free(reasons);
  }
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
  return c;
}

/* Nearly all that was taken is taken by the rules, and what was left has a reason. */
Test(partition_refusals, agree_with_records) {
  static const struct {
    const char *name;
    size_t refused_but_taken, left_without_reason;
  } cases[] = {{"llama_xnnpack", 0, 0},
               {"vit_xnnpack", 0, 0},
               {"unet_xnnpack", 0, 0},
               {"p_gates", 0, 0},
               {"p_convs", 0, 0},
               {"siamese_cos", 0, 0},
               {"n_reinplace", 0, 0},
               {"mv2_xnnpack", 0, 0},
               {"gru_both", 0, 0},
               {"lstm_xnnpack", 0, 0},
               {"n_tied_toedge", 0, 0},
               {"reshape_chain", 0, 0},
               {"spp", 0, 0},
               {"resnext_pre", 0, 0},
               /* its views with symbolic sizes are parts of linear layers; why one mm was left is
                  not recorded */
               {"attention_addmm", 26, 1}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char path[512];
    snprintf(path, sizeof path, FIXTURES "/%s", cases[i].name);
    counts c = count_record(path, getenv("VERBOSE") != NULL);
    cr_expect_gt(c.taken, 0, "%s", cases[i].name);
    cr_expect_eq(c.refused_but_taken, cases[i].refused_but_taken,
                 "%s: %zu of %zu taken are refused", cases[i].name, c.refused_but_taken, c.taken);
    cr_expect_eq(c.left_without_reason, cases[i].left_without_reason,
                 "%s: %zu of %zu left are taken", cases[i].name, c.left_without_reason, c.left);
  }
}

Test(partition_refusals, of_other_backends_are_not_known) {
  const char *reasons[1] = {"untouched"};
  const etr_graph graph = {.dialect = "edge", .schema_version = "5.4"};
  const etr_graph program = {.dialect = "program"};
  const etr_graph older = {.dialect = "edge", .schema_version = "5.3"};
  cr_expect(etr_partitioner_is_known(etr_known_partitioner(), &graph));
  cr_expect_not(etr_partitioner_is_known("QnnBackend", &graph));
  cr_expect_not(etr_partitioner_is_known(etr_known_partitioner(), &program));
  cr_expect_not(etr_partitioner_is_known(etr_known_partitioner(), &older));
  cr_expect(etr_partition_refusals(reasons, "QnnBackend", &graph, NULL));
  cr_expect_str_eq(reasons[0], "untouched");
}

/* PowConfig takes a square only if its exponent is a whole number. */
Test(partition_refusals, of_powers) {
  static const struct {
    const char *exponent, *reason; /* the beginning; NULL: it is taken */
  } cases[] = {{"2", NULL},
               {"2.0", "takes the power 2 only as a whole number"},
               {"3", "takes only the power 2"}};
  static const etr_dim dims[] = {{.size = 4, .hint = -1}};
  static const etr_value values[] = {{.name = "x", .dtype = "float32", .dims = dims, .rank = 1}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_argument arguments[] = {{"exponent", cases[i].exponent}};
    const etr_edge input = {.node = 0};
    const etr_node nodes[] = {{.name = "x",
                               .target = "x",
                               .kind = ETR_NODE_INPUT,
                               .subgraph = ETR_NONE,
                               .outputs = values,
                               .output_count = 1},
                              {.name = "pow",
                               .target = "aten.pow.Tensor_Scalar",
                               .kind = ETR_NODE_OP,
                               .subgraph = ETR_NONE,
                               .inputs = &input,
                               .input_count = 1,
                               .outputs = values,
                               .output_count = 1,
                               .arguments = arguments,
                               .argument_count = 1}};
    const etr_graph graph = {
        .dialect = "edge", .schema_version = "5.4", .nodes = nodes, .node_count = 2};
    const char *reasons[2] = {NULL};
    cr_assert(etr_partition_refusals(reasons, etr_known_partitioner(), &graph, NULL));
    bool is_as_expected = cases[i].reason ? reasons[1] && strncmp(reasons[1], cases[i].reason,
                                                                  strlen(cases[i].reason)) == 0
                                          : !reasons[1];
    cr_expect(is_as_expected, "%s: %s", cases[i].exponent, reasons[1] ? reasons[1] : "taken");
  }
}
