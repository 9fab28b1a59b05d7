/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The nodes and graphs that a filter selects.
 */
#include "output/node_filter.h"

#include "tiny_profile.h"

#include <criterion/criterion.h>

Test(node_filter, globs_match_whole_names) {
  static const struct {
    const char *pattern, *text;
    bool match;
  } cases[] = {
      {"", "", true},
      {"", "a", false},
      {"*", "", true},
      {"*", "abc", true},
      {"a", "a", true},
      {"a", "b", false},
      {"a*", "abc", true},
      {"*c", "abc", true},
      {"a*c", "abc", true},
      {"a*c", "ac", true},
      {"a*c", "abcd", false},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"?", "", false},
      {"**", "abc", true},
      {"*b*b*", "abcb", true},
      {"*b*b*", "abc", false},
      {"aten.conv*", "aten.convolution.default", true},
      {"aten.conv", "aten.convolution", false},
      {"*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
       false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_eq(etr_glob(cases[i].pattern, cases[i].text), cases[i].match, "%s on %s",
                 cases[i].pattern, cases[i].text);
}

Test(node_filter, filters_select_nodes) {
  static const struct {
    etr_node_filter filter;
    bool taken[4]; /* a kernel in layers.0, one below it, a delegated node in layers.01, one without
                      time in the root */
  } cases[] = {
      {{0}, {true, true, true, true}},
      {{.module = "layers.0"}, {true, true, false, false}},
      {{.module = "layers"}, {true, true, true, false}},
      {{.module = ""}, {true, true, true, true}},
      {{.module = "layers.0."}, {false, false, false, false}},
      {{.op = "aten.*"}, {true, true, false, true}},
      {{.op = "aten.add.Tensor"}, {true, false, false, true}},
      {{.op = "add"}, {true, false, false, true}},
      {{.op = "mul"}, {false, true, true, false}},
      {{.op = "m?l"}, {false, true, true, false}},
      {{.op = "mu"}, {false, false, false, false}},
      {{.backend = "cpu"}, {true, true, false, false}},
      {{.backend = "Xnnpack*"}, {false, false, true, false}},
      {{.backend = "Vulkan*"}, {false, false, false, false}},
      {{.module = "layers.0", .op = "*.mul.*"}, {false, true, false, false}},
  };
  tiny t = {0};
  uint32_t layers = tiny_module(&t, 0, "layers", "L"),
           first = tiny_module(&t, layers, "layers.0", "L"),
           inner = tiny_module(&t, first, "layers.0.mlp", "M"),
           other = tiny_module(&t, layers, "layers.01", "L");
  tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "a", "aten.add.Tensor", first), 10);
  tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "b", "aten.mul.Tensor", inner), 10);
  tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "c", "_operator.mul", other), 10)
      ->backend = "XnnpackBackend";
  tiny_node(&t, ETR_NODE_OP, "d", "aten.add.Tensor", 0);
  const etr_profile *profile = tiny_profile(&t);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    size_t taken = 0;
    for (size_t k = 0; k < 4; k++) {
      cr_expect_eq(etr_filter_takes_node(&cases[i].filter, &profile->graphs[0], k),
                   cases[i].taken[k], "filter %zu, node %zu", i, k);
      taken += cases[i].taken[k];
    }
    cr_expect_eq(etr_count_nodes(profile, &cases[i].filter), taken, "filter %zu", i);
  }
  cr_expect(etr_filter_takes_node(NULL, &profile->graphs[0], 0));
  tiny_clear(&t);
}

/* Operators that a delegate inserts have no node, and are selected by the name that tables show. */
Test(node_filter, events_are_selected_by_their_own_name_too) {
  static const etr_event kernel = {.name = "native_call_add.out", .kind = ETR_EVENT_KERNEL},
                         inserted = {.name = "Transpose (ND, X32) #2",
                                     .backend = "XnnpackBackend",
                                     .kind = ETR_EVENT_DELEGATE_OPERATOR};
  static const struct {
    etr_node_filter filter;
    bool takes_kernel, takes_inserted;
  } cases[] = {
      {{.op = "Transpose*"}, false, true},
      {{.op = "add*"}, true, false},
      {{.op = "*"}, true, true},
      {{.op = "*", .backend = "Xnn*"}, false, true},
      {{.op = "*", .backend = "cpu"}, true, false},
      {{.op = "*", .module = "features"}, false, false},
      {{.op = "Transpose"}, false, false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    cr_expect_eq(etr_filter_takes_event(&cases[i].filter, NULL, NULL, &kernel),
                 cases[i].takes_kernel, "case %zu", i);
    cr_expect_eq(etr_filter_takes_event(&cases[i].filter, NULL, NULL, &inserted),
                 cases[i].takes_inserted, "case %zu", i);
  }
}

Test(node_filter, filters_select_graphs) {
  static const struct {
    etr_node_filter filter;
    bool taken;
  } cases[] = {
      {{0}, true},
      {{.method = "forward"}, true},
      {{.method = "forwar"}, false},
      {{.graph_module = "edge"}, true},
      {{.graph_module = "aten"}, false},
      {{.method = "forward", .graph_module = "edge"}, true},
      {{.method = "decode", .graph_module = "edge"}, false},
  };
  tiny t = {0};
  tiny_node(&t, ETR_NODE_OP, "a", "aten.add.Tensor", 0);
  const etr_profile *profile = tiny_profile(&t);
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_eq(etr_filter_takes_graph(&cases[i].filter, &profile->graphs[0]), cases[i].taken,
                 "filter %zu", i);
  cr_expect(etr_filter_takes_graph(NULL, &profile->graphs[0]));
  tiny_clear(&t);
}

Test(node_filter, filters_select_methods_and_their_blocks) {
  const etr_method methods[] = {
      {.name = "prefill"}, {.name = "decode"}, {.name = "constant", .computes_nothing = true}};
  const etr_profile profile = {.methods = methods, .method_count = ETR_COUNT(methods)};
  static const struct {
    const char *method; /* of the filter; NULL: there is none */
    bool takes_methods[3];
    bool takes_blocks[4]; /* of each method, and of none */
  } cases[] = {
      {NULL, {true, true, false}, {true, true, true, true}},
      {"decode", {false, true, false}, {false, true, false, false}},
      {"constant", {false, false, true}, {false, false, true, false}},
      {"other", {false}, {false}},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_node_filter filter = {.method = cases[i].method};
    for (uint32_t k = 0; k < ETR_COUNT(methods); k++)
      cr_expect_eq(etr_filter_takes_method(&filter, &methods[k]), cases[i].takes_methods[k],
                   "case %zu, method %u", i, k);
    for (uint32_t k = 0; k < 4; k++) {
      etr_block block = {.method = k < 3 ? k : ETR_NONE, .run_count = 1};
      cr_expect_eq(etr_filter_takes_block(&filter, &profile, &block), cases[i].takes_blocks[k],
                   "case %zu, block %u", i, k);
      block.run_count = 0;
      cr_expect(!etr_filter_takes_block(&filter, &profile, &block), "case %zu, block %u", i, k);
    }
  }
  cr_expect(etr_filter_takes_method(NULL, &methods[0]));
  cr_expect(!etr_filter_takes_method(NULL, &methods[2]));
  cr_expect(etr_filter_takes_block(NULL, &profile, &(etr_block){.run_count = 1}));
}
