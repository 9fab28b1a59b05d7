/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_logged_sizes.c - the number of tokens that a run read, by a value that one of its kernels
 * logged.
 */
#include "runs/fit.h"
#include "tiny_graph.h"

/* The node "e" computes the value that is logged: 2 x 7 x 16 of float32. */
Test(logged_sizes, tokens_are_counted_by_the_size_that_is_symbolic) {
  static const struct {
    const char *title, *nodes;
    int64_t tokens;
  } cases[] = {
      {"a sequence", "ids input [i64:1xs];e embedding (ids) #1 [2xsx16]", 7},
      {"sequences of a fixed batch", "ids input [i64:2xs];e embedding (ids) #1 [2xsx16]", 14},
      {"batch and sequence are symbolic", "ids input [i64:bxs];e embedding (ids) #1 [bxsx16]", -1},
      {"nothing is symbolic", "ids input [i64:1x7];e embedding (ids) #1 [2x7x16]", -1},
      {"the result has another symbol", "ids input [i64:1xs];e embedding (ids) #1 [2xtx16]", -1},
      {"the value is no result of the node", "ids input [i64:1xs];e embedding (ids) #1 [3xsx16]",
       -1},
      {"no tokens", "ids input [1xs];e embedding (ids) #1 [2xsx16]", -1},
  };
  static const int64_t sizes[] = {2, 7, 16};
  static const uint32_t handle = 1;
  static const etr_map_instruction instruction = {.id = 3, .handles = &handle, .handle_count = 1};
  static const etr_map_method map = {
      .name = "m", .instructions = &instruction, .instruction_count = 1};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(&arena, cases[i].nodes);
    const etr_handle_node node = {handle, tiny_node(g, "e")};
    const etr_method_inputs method = {
        .map = &map, .graph = &g->graph, .by_handle = &node, .by_handle_count = 1};
    etr_debug_value value = {.kind = ETR_DEBUG_TENSOR,
                             .instruction_id = 3,
                             .dtype = "float32",
                             .sizes = sizes,
                             .rank = ETR_COUNT(sizes)};
    cr_expect_eq(etr_logged_tokens(&method, &value), cases[i].tokens, "%s: %lld", cases[i].title,
                 (long long)etr_logged_tokens(&method, &value));
    value.is_output = true;
    cr_expect_eq(etr_logged_tokens(&method, &value), -1, "%s: an output", cases[i].title);
    etr_arena_clear(&arena);
  }
}
