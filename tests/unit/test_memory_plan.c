/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_memory_plan.c - lifetimes of planned tensors, one rule a case, and plans that contradict
 * themselves.
 *
 * Programs are those of tiny_plan.h. Wanted is each planned tensor in the order of its first use,
 * joined by ';': "VALUE: FIRST to LAST" instruction, or "never"; before the colon "input", "output"
 * or "state", "viewing VALUE", "misplaced"; then "peak BYTES at INSTRUCTION".
 */
#include "tiny_plan.h"
#include "views/memory_findings.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct plan_case {
  const char *title;
  tiny_plan plan;
  const char *want;
  const char *warning; /* part of the only one; NULL: there is none */
} plan_case;

static const plan_case cases[] = {
    {"from the first use to the last",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32;4 in 1 at 0",
      .instructions = "add(0,1) add(1,2) add(2,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = "0,48"},
     "0 input: 0 to 0; 1: 0 to 1; 2: 1 to 2; 3 output: 2 to 2; peak 32 at 0",
     NULL},
    {"an out argument is listed twice",
     {.values = "4 in 1 at 0;4 in 1 at 16",
      .instructions = "add(0,1,1)",
      .inputs = "0",
      .outputs = "1",
      .sizes = "0,32"},
     "0 input: 0 to 0; 1 output: 0 to 0; peak 32 at 0",
     NULL},
    {"an input is there from the start, an output to the end",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32",
      .instructions = "add(1,2) add(0,1) sin(2,2)",
      .inputs = "0,1",
      .outputs = "1",
      .sizes = "0,48"},
     "0 input: 0 to 1; 1 input: 0 to 2; 2: 0 to 2; peak 48 at 0",
     NULL},
    {"a view has no instruction, and keeps what it views",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 16;4 in 1 at 0",
      .instructions = "sin(0,1) sin(1,3) sin(2,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = "0,32"},
     "0 input: 0 to 0; 1: 0 to 2; 3 output: 1 to 2; 2 viewing 1: 2 to 2; peak 32 at 0",
     NULL},
    {"scratch is its kernel's, and no view of what was at its place",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32;2 in 1 at 16;4 in 1 at 0",
      .instructions = "sin(0,1) sin(1,2) conv(2,3,4)",
      .inputs = "0",
      .outputs = "4",
      .sizes = "0,48"},
     "0 input: 0 to 0; 1: 0 to 1; 2: 1 to 2; 3: 2 to 2; 4 output: 2 to 2; peak 40 at 2",
     NULL},
    {"the instruction of a dynamic view",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 16",
      .instructions = "sin(0,1) executorch_prim::et_view(1,2) sin(2,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = "0,32"},
     "0 input: 0 to 0; 1: 0 to 2; 2 output viewing 1: 1 to 2; peak 32 at 0",
     NULL},
    {"in place",
     {.values = "4 in 1 at 0;4 in 1 at 0",
      .instructions = "relu_(0,0) sin(0,1)",
      .inputs = "0",
      .outputs = "1",
      .sizes = "0,16"},
     "0 input: 0 to 1; 1 output viewing 0: 1 to 1; peak 16 at 0",
     NULL},
    {"a part of a larger tensor, written in place",
     {.values = "8 in 1 at 0;4 in 1 at 16",
      .instructions = "copy(0,1)",
      .inputs = "0",
      .outputs = "1",
      .sizes = "0,32"},
     "0 input: 0 to 0; 1 output viewing 0: 0 to 0; peak 32 at 0",
     NULL},
    {"a mutable buffer is read before it is written",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32",
      .instructions = "sin(0,2) add(1,2,2) copy_(1,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = "0,48"},
     "0 input: 0 to 0; 2 output: 0 to 2; 1 state: 0 to 2; peak 48 at 0",
     NULL},
    {"a mutable buffer with data",
     {.values = "4 in 1 at 0 data;4 in 1 at 16",
      .instructions = "sin(1,1) sin(1,0)",
      .inputs = "",
      .outputs = "1",
      .sizes = "0,32"},
     "1 output: 0 to 1; 0 state: 0 to 1; peak 32 at 0",
     NULL},
    {"a kernel with a list of results",
     {.values = "4 in 1 at 0;2 in 1 at 16;2 in 1 at 24;(1,2);(1,2)",
      .instructions = "split(0,3,4) sin(1,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,32"},
     "0 input: 0 to 0; 1: 0 to 1; 2: 0 to 0; peak 32 at 0",
     NULL},
    {"rows that a loop fills",
     {.values = "4 in 1 at 0;4 in 1 at 16;1 in 1 at 32;1",
      .instructions = "sin(0,2) executorch_prim::et_copy_index(1,2,3) jump(3,0)",
      .inputs = "0",
      .outputs = "1",
      .sizes = "0,36"},
     "0 input: 0 to 0; 2: 0 to 1; 1 output: 1 to 2; peak 20 at 0",
     NULL},
    {"what a loop needs is there until it ends",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32;1",
      .instructions = "sin(0,1) sin(1,2) sin(2,2) jump(3,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,48"},
     "0 input: 0 to 0; 1: 0 to 3; 2: 1 to 2; peak 32 at 0",
     NULL},
    {"loops in loops: each tensor until the outermost that began after it was made",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32;4 in 1 at 48;1",
      .instructions = "sin(0,1) sin(0,2) add(1,2,3) jump(4,2) jump(4,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,64"},
     "0 input: 0 to 4; 1: 0 to 4; 2: 1 to 3; 3: 2 to 2; peak 64 at 2",
     NULL},
    {"loops that no exporter makes",
     {.values = "4 in 1 at 0;4 in 1 at 16;1",
      .instructions = "sin(0,1) sin(1,1) jump(2,0) jump(2,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,32"},
     "0 input: 0 to 0; 1: 0 to 1; peak 32 at 0",
     "loops that overlap: tensors may live longer than is shown"},
    {"a delegate writes what nothing wrote before",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32",
      .instructions = "delegate(0,1) delegate(0,1,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = "0,48"},
     "0 input: 0 to 1; 1: 0 to 1; 2 output: 1 to 1; peak 48 at 1",
     NULL},
    {"the results of branches are moved",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32",
      .instructions = "sin(0,1) move(1,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = "0,48"},
     "0 input: 0 to 0; 1: 0 to 1; 2 output: 1 to 1; peak 32 at 0",
     NULL},
    {"two buffers",
     {.values = "4 in 1 at 0;4 in 2 at 0",
      .instructions = "sin(0,1)",
      .inputs = "0",
      .outputs = "1",
      .sizes = "0,16,16"},
     "0 input: 0 to 0; 1 output: 0 to 0; peak 32 at 0",
     NULL},
    {"an input that nothing reads makes room at once",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 0",
      .instructions = "sin(1,2)",
      .inputs = "0,1",
      .outputs = "2",
      .sizes = "0,32"},
     "0 input: never; 1 input: 0 to 0; 2 output: 0 to 0; peak 32 at 0",
     NULL},
    {"no instructions",
     {.values = "4 in 1 at 0", .instructions = "", .inputs = "0", .outputs = "0", .sizes = "0,16"},
     "0 input: never; peak 0",
     NULL},
    {"nothing is planned",
     {.values = "4;4", .instructions = "sin(0,1)", .inputs = "0", .outputs = "1", .sizes = "0,0"},
     "peak 0",
     NULL},
    {"beyond the buffer",
     {.values = "4 in 1 at 0;4 in 1 at 8",
      .instructions = "sin(0,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,20"},
     "0 input: 0 to 0; 1 misplaced: 0 to 0; peak 16 at 0",
     "m: tensor \"value_1\" (instruction 0) takes 16 bytes from offset 8 on, beyond buffer 1 of "
     "20"},
    {"the largest offset",
     {.values = "4 in 1 at 0;4 in 1 at 18446744073709551615",
      .instructions = "sin(0,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,20"},
     "0 input: 0 to 0; 1 misplaced: 0 to 0; peak 16 at 0",
     "beyond buffer 1 of 20"},
    {"a buffer that is not there",
     {.values = "4 in 1 at 0;4 in 7 at 0",
      .instructions = "sin(0,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,16"},
     "0 input: 0 to 0; 1 misplaced: 0 to 0; peak 16 at 0",
     "is planned into buffer 7, but there are 1"},
    {"a buffer of a negative size",
     {.values = "4 in 1 at 0",
      .instructions = "sin(0,0)",
      .inputs = "",
      .outputs = "",
      .sizes = "0,-16"},
     "0 misplaced: 0 to 0; peak 0",
     "beyond buffer 1 of -16"},
    {"sizes beyond 64 bits",
     {.values = "4 in 1 at 0;4 in 1 at 16 wide",
      .instructions = "sin(0,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,32"},
     "0 input: 0 to 0; 1 misplaced: 0 to 0; peak 16 at 0",
     "(instruction 0) has sizes or a number type that give no number of bytes"},
    {"two live tensors in one place",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 20",
      .instructions = "sin(0,1) sin(0,2) sin(1,1)",
      .inputs = "0",
      .outputs = "",
      .sizes = "0,64"},
     "0 input: 0 to 1; 1: 0 to 2; 2: 1 to 1; peak 48 at 1",
     "\"value_2\" (instruction 1) shares memory of buffer 1 with \"value_1\", which is needed "
     "until instruction 2"},
};

/* ---- Results ---- */

static void describe(const etr_memory_plan *plan, char *text, size_t room) {
  FILE *out = fmemopen(text, room, "w");
  for (size_t i = 0; i < plan->tensor_count; i++) {
    const etr_planned_tensor *t = &plan->tensors[i];
    fprintf(out, "%u", t->value);
    if (t->role != ETR_TENSOR_ACTIVATION)
      fprintf(out, " %s", etr_tensor_role_name(t->role));
    if (t->view_of != ETR_NONE)
      fprintf(out, " viewing %u", plan->tensors[t->view_of].value);
    if (t->is_misplaced)
      fputs(" misplaced", out);
    if (t->first_instruction < 0 && t->last_instruction < 0)
      fputs(": never; ", out);
    else
      fprintf(out, ": %d to %d; ", t->first_instruction, t->last_instruction);
  }
  fprintf(out, "peak %llu", (unsigned long long)plan->peak_bytes);
  if (plan->peak_instruction >= 0)
    fprintf(out, " at %d", (int)plan->peak_instruction);
  fclose(out);
}

static void check(const plan_case *c) {
  etr_arena arena;
  char got[1024];
  etr_pte_method program;
  etr_arena_init(&arena);
  etr_warnings warnings = {.arena = &arena};
  tiny_plan_parse(&arena, &program, &c->plan);
  const etr_memory_plan *plan = tiny_plan_make(&arena, &program, &warnings);
  cr_assert(plan, "%s", c->title);
  describe(plan, got, sizeof got);
  cr_expect_str_eq(got, c->want, "%s: %s instead of %s", c->title, got, c->want);
  cr_expect_eq(warnings.list.count, c->warning != NULL, "%s: %zu warnings", c->title,
               warnings.list.count);
  if (c->warning && warnings.list.count)
    cr_expect(strstr(warnings.list.data[0].message, c->warning), "%s: %s", c->title,
              warnings.list.data[0].message);
  etr_arena_clear(&arena);
}

Test(memory_plan, planned_tensors_have_sizes_and_lifetimes) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check(&cases[i]);
}

/* ---- The instructions that use a tensor ---- */

static const struct users_case {
  const char *title;
  tiny_plan plan;
  const char *want; /* of each tensor its value and the instructions that use it */
} users_cases[] = {
    {"what reads and what writes it, each once",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32",
      .instructions = "add(0,0,1) relu_(1,1) add(0,1,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = "0,48"},
     "0: 0 2; 1: 0 1 2; 2: 2; "},
    {"a use of a view is one of what it views",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 16;4 in 1 at 0",
      .instructions = "sin(0,1) sin(2,3) sin(1,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = "0,32"},
     "0: 0; 1: 0 1 2; 2:; 3: 1 2; "},
    {"in a loop, and not at all",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32;1",
      .instructions = "sin(1,2) jump(3,0)",
      .inputs = "0,1",
      .outputs = "2",
      .sizes = "0,48"},
     "0:; 1: 0; 2: 0; "},
};

Test(memory_plan, a_tensor_lists_its_users) {
  for (size_t i = 0; i < sizeof users_cases / sizeof *users_cases; i++) {
    etr_arena arena;
    char got[256];
    etr_pte_method program;
    etr_arena_init(&arena);
    etr_warnings warnings = {.arena = &arena};
    tiny_plan_parse(&arena, &program, &users_cases[i].plan);
    const etr_memory_plan *plan = tiny_plan_make(&arena, &program, &warnings);
    FILE *out = fmemopen(got, sizeof got, "w");
    cr_assert(plan && out, "%s", users_cases[i].title);
    for (size_t k = 0; k < plan->tensor_count; k++) {
      fprintf(out, "%u:", plan->tensors[k].value);
      for (size_t u = 0; u < plan->tensors[k].user_count; u++)
        fprintf(out, " %u", plan->tensors[k].users[u]);
      fputs("; ", out);
    }
    fclose(out);
    cr_expect_str_eq(got, users_cases[i].want, "%s: %s", users_cases[i].title, got);
    etr_arena_clear(&arena);
  }
}

Test(memory_plan, many_contradictions_are_counted) {
  etr_arena arena;
  etr_pte_method program;
  etr_arena_init(&arena);
  etr_warnings warnings = {.arena = &arena};
  const tiny_plan c = {
      .values = "4 in 2 at 0;4 in 2 at 0;4 in 2 at 0;4 in 2 at 0;4 in 2 at 0;4 in 2 at 0;4 in 2 at "
                "0;4 in 2 at 0;4 in 2 at 0;4 in 2 at 0",
      .instructions = "cat(0,1,2,3,4,5,6,7,8,9)",
      .inputs = "",
      .outputs = "",
      .sizes = "0,16"};
  tiny_plan_parse(&arena, &program, &c);
  cr_assert(tiny_plan_make(&arena, &program, &warnings));
  cr_assert_eq(warnings.list.count, 9);
  cr_expect_str_eq(warnings.list.data[8].message, "m: 2 more contradictions in the memory plan");
  etr_arena_clear(&arena);
}

Test(memory_plan, a_value_has_the_bytes_of_its_type_and_sizes) {
  const etr_dim dims[] = {{.size = 3, .hint = -1},
                          {.size = ETR_DIM_SYMBOLIC, .symbol = "s0", .hint = 5}};
  const etr_dim unknown[] = {{.size = ETR_DIM_SYMBOLIC, .symbol = "s0", .hint = -1}};
  uint64_t bytes = 7;
  cr_expect(etr_value_bytes(&(etr_value){.dtype = "float16", .dims = dims, .rank = 2}, &bytes));
  cr_expect_eq(bytes, 30);
  cr_expect(etr_value_bytes(&(etr_value){.dtype = "complex64", .rank = 0}, &bytes));
  cr_expect_eq(bytes, 8);
  cr_expect_not(
      etr_value_bytes(&(etr_value){.dtype = "float32", .dims = unknown, .rank = 1}, &bytes));
  cr_expect_not(etr_value_bytes(&(etr_value){.dtype = "float32", .rank = -1}, &bytes));
  cr_expect_not(etr_value_bytes(&(etr_value){.dtype = "quint4x2", .rank = 0}, &bytes));
  cr_expect_not(etr_value_bytes(&(etr_value){.rank = 0}, &bytes));
  cr_expect_eq(bytes, 8, "untouched where it is not known");
}

/* ---- Methods that compute nothing ---- */

Test(memory_plan, returned_values_are_a_text) {
  static const double numbers[] = {0.5, -2, 1e10}, flags[] = {1, 0};
  static const int32_t items[] = {5, 6}, outputs[] = {0, 1, 2, 3, 4, -1};
  static const etr_pte_value values[] = {
      {.kind = ETR_PTE_VALUE_DOUBLE_LIST, .numbers = numbers, .number_count = 3},
      {.kind = ETR_PTE_VALUE_BOOL_LIST, .numbers = flags, .number_count = 2},
      {.kind = ETR_PTE_VALUE_INT_LIST, .items = items, .item_count = 2},
      {.kind = ETR_PTE_VALUE_DOUBLE, .scalar.real = 1.5},
      {.kind = ETR_PTE_VALUE_BOOL, .scalar.integer = 1},
      {.kind = ETR_PTE_VALUE_INT, .scalar.integer = 2048},
      {.kind = ETR_PTE_VALUE_INT, .scalar.integer = -1},
  };
  const etr_pte_method program = {.name = "m",
                                  .values = values,
                                  .value_count = ETR_COUNT(values),
                                  .outputs = outputs,
                                  .output_count = ETR_COUNT(outputs)};
  etr_arena arena;
  etr_arena_init(&arena);
  etr_warnings warnings = {.arena = &arena};
  const etr_memory_plan *plan = tiny_plan_make(&arena, &program, &warnings);
  cr_assert(plan);
  cr_expect_str_eq(plan->returned,
                   "[0.5, -2, 10000000000], [true, false], [2048, -1], 1.5, true, None", "%s",
                   plan->returned);
  etr_arena_clear(&arena);
}

/* ---- All methods of a program ---- */

/* Methods that share the memory of their states share all of it. They do not if most of what ends
 * with a run is there, too. */
Test(memory_plan, shared_states_are_planned_once) {
  const etr_planned_buffer buffers[] = {{.id = 1, .size_bytes = 100}, {.id = 2, .size_bytes = 64}};
  static const struct {
    uint64_t beside; /* bytes of an activation that is in the states' buffer; 50 are in the other */
    double planned;
  } shared[] = {{0, 164}, {8, 164}, {51, 2 * 164}};
  for (size_t i = 0; i < ETR_COUNT(shared); i++) {
    const etr_planned_tensor tensors[] = {
        {.role = ETR_TENSOR_ACTIVATION, .buffer = 0, .size_bytes = 50},
        {.role = ETR_TENSOR_STATE, .buffer = 1, .size_bytes = 13},
        {.role = ETR_TENSOR_ACTIVATION, .buffer = 1, .size_bytes = shared[i].beside}};
    const etr_memory_plan plan = {.buffers = buffers,
                                  .buffer_count = ETR_COUNT(buffers),
                                  .tensors = tensors,
                                  .tensor_count = ETR_COUNT(tensors),
                                  .planned_bytes = 164};
    const etr_method methods[] = {{.memory = &plan}, {.memory = &plan}, {.memory = NULL}};
    const etr_profile profile = {.methods = methods, .method_count = ETR_COUNT(methods)};
    cr_expect_eq(etr_planned_bytes(&profile), shared[i].planned, "case %zu", i);
  }
}
