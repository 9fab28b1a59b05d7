/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_delegate_outputs.c - the results that leave a delegate, their number, and the logged tensors
 * that may be a result.
 */
#include "inputs/graph_values.h"
#include "join/delegate_outputs.h"
#include "tiny_graph.h"

/* The program calls the delegates 1 and 3; "s" has two results, and the first is unused. */
static const char graph_text[] = "x input;a neg (x) @1;b abs (a) @1;c exp (a) @1;n sin (b,c);"
                                 "s split (n) [2] [2] @3;t neg (s.1) @3;o output (t,s.1)";

/* Makes the placement of that graph; instructions 0 and 2 are kernels. */
static etr_placement place(etr_arena *arena, etr_method_inputs *method, const tiny_graph *g,
                           size_t in_program) {
  static const etr_pte_value values[8];
  etr_placement placement = {.method = method, .node_delegate = g->delegate_of};
  etr_pte_method *program = etr_arena_alloc(arena, sizeof *program);
  *program = (etr_pte_method){
      .instruction_count = in_program, .values = values, .value_count = ETR_COUNT(values)};
  *method = (etr_method_inputs){.graph = &g->graph, .program = program};
  for (int32_t id = 0; id < 4; id++) {
    *etr_vec_push(arena, &placement.instructions) = (etr_placed){.id = id,
                                                                 .is_delegate = id % 2 == 1};
    for (uint32_t node = 0; node < g->graph.node_count; node++)
      if (g->delegate_of[node] == id)
        *etr_vec_push(arena, &placement.delegate_nodes) = (etr_delegate_node){.instruction_id = id,
                                                                              .node = node};
  }
  return placement;
}

Test(delegate_outputs, used_results_leave_in_the_order_of_nodes) {
  static const struct {
    int32_t delegate;
    const char *want; /* names of results */
  } cases[] = {{0, ""}, {1, "b c "}, {2, ""}, {3, "s_1 t "}, {9, ""}};
  etr_arena arena = {0};
  etr_method_inputs method;
  etr_delegate_outputs outputs;
  const tiny_graph *g = tiny_graph_of(&arena, graph_text);
  const etr_placement placement = place(&arena, &method, g, 4);
  cr_assert(etr_delegate_outputs_find(&outputs, &placement, &arena));
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    size_t count;
    const etr_node_output *list = etr_outputs_of_delegate(&outputs, cases[i].delegate, &count,
                                                          &arena);
    const char *got = "";
    for (size_t k = 0; k < count; k++)
      got = etr_arena_format(&arena, "%s%s ", got,
                             g->nodes[list[k].node].outputs[list[k].output].name);
    cr_expect_str_eq(got, cases[i].want, "delegate %d: %s", cases[i].delegate, got);
  }
  etr_arena_clear(&arena);
}

Test(delegate_outputs, without_a_graph_nothing_leaves) {
  etr_arena arena = {0};
  etr_delegate_outputs outputs;
  size_t count = 7;
  const etr_method_inputs method = {.graph = NULL};
  const etr_placement placement = {.method = &method};
  cr_assert(etr_delegate_outputs_find(&outputs, &placement, &arena));
  cr_expect_null(etr_outputs_of_delegate(&outputs, 1, &count, &arena));
  cr_expect_eq(count, 0);
  etr_arena_clear(&arena);
}

/* Instructions of the handle map that the program does not have are ignored. */
Test(delegate_outputs, the_number_of_results_excludes_unknown_instructions) {
  static const struct {
    size_t in_program; /* instructions */
    uint32_t want[4];
  } cases[] = {{4, {0, 2, 0, 2}}, {3, {0, 2, 0}}, {1, {0}}, {0, {0}}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_method_inputs method;
    etr_uses uses;
    const tiny_graph *g = tiny_graph_of(&arena, graph_text);
    const etr_placement placement = place(&arena, &method, g, cases[i].in_program);
    cr_assert(etr_uses_of_placement(&uses, &placement, &arena));
    for (size_t k = 0; k < cases[i].in_program; k++)
      cr_expect_eq(uses.results_of[k], cases[i].want[k], "%zu instructions: %u results of %zu",
                   cases[i].in_program, uses.results_of[k], k);
    etr_arena_clear(&arena);
  }
}

Test(delegate_outputs, a_logged_tensor_fits_results_of_its_type_and_rank) {
  static const struct {
    const char *what;
    const char *logged_type; /* NULL: unknown */
    int64_t logged_sizes[2];
    int32_t logged_rank;
    const char *type;
    int64_t sizes[2];
    int32_t rank; /* -1: unknown */
    bool may_be;
  } cases[] = {
      {"the same", "float32", {2, 3}, 2, "float32", {2, 3}, 2, true},
      {"another type", "float32", {2, 3}, 2, "int8", {2, 3}, 2, false},
      {"an unknown type was logged", NULL, {2, 3}, 2, "int8", {2, 3}, 2, true},
      {"the result's type is unknown", "float32", {2, 3}, 2, NULL, {2, 3}, 2, true},
      {"the result's rank is unknown", "float32", {2, 3}, 2, "float32", {0}, -1, true},
      {"unknown rank, another type", "float32", {2, 3}, 2, "int8", {0}, -1, false},
      {"fewer dimensions", "float32", {2, 3}, 2, "float32", {2}, 1, false},
      {"more dimensions", "float32", {2}, 1, "float32", {2, 3}, 2, false},
      {"another first size", "float32", {2, 3}, 2, "float32", {4, 3}, 2, false},
      {"another last size", "float32", {2, 3}, 2, "float32", {2, 4}, 2, false},
      {"a symbolic size", "float32", {2, 3}, 2, "float32", {ETR_DIM_SYMBOLIC, 3}, 2, true},
      {"another size after a symbolic one",
       "float32",
       {2, 3},
       2,
       "float32",
       {ETR_DIM_SYMBOLIC, 4},
       2,
       false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_dim dims[2] = {{.size = cases[i].sizes[0]}, {.size = cases[i].sizes[1]}};
    const etr_debug_value value = {.kind = ETR_DEBUG_TENSOR,
                                   .dtype = cases[i].logged_type,
                                   .sizes = cases[i].logged_sizes,
                                   .rank = cases[i].logged_rank};
    const etr_debug_value number = {.kind = ETR_DEBUG_INT};
    const etr_value result = {.dtype = cases[i].type, .dims = dims, .rank = cases[i].rank};
    cr_expect_eq(etr_value_may_be(&value, &result), cases[i].may_be, "%s", cases[i].what);
    cr_expect_not(etr_value_may_be(&number, &result), "a number is no tensor");
  }
}
