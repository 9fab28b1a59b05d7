/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_memory_plan.c - lifetimes of planned tensors, one rule a case, and plans that contradict themselves.
 *
 * Programs are those of tiny_plan.h. want has each planned tensor in the order of its first use: "VALUE:FIRST-LAST",
 * with 'i', 'o' or 's' for an input, an output or a state, "/VALUE" for what it is a view of, '!' if it is misplaced;
 * then "peak BYTES@INSTRUCTION".
 */
#include "tiny_plan.h"

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
     {"4@1+0;4@1+16;4@1+32;4@1+0", "add(0,1) add(1,2) add(2,3)", "0", "3", "0,48"},
     "0:0-0i 1:0-1 2:1-2 3:2-2o peak 32@0",
     NULL},
    {"an out argument stands there twice",
     {"4@1+0;4@1+16", "add(0,1,1)", "0", "1", "0,32"},
     "0:0-0i 1:0-0o peak 32@0",
     NULL},
    {"an input is there from the start, an output to the end",
     {"4@1+0;4@1+16;4@1+32", "add(1,2) add(0,1) sin(2,2)", "0,1", "1", "0,48"},
     "0:0-1i 1:0-2i 2:0-2 peak 48@0",
     NULL},
    {"a view has no instruction, and keeps what it views",
     {"4@1+0;4@1+16;4@1+16;4@1+0", "sin(0,1) sin(1,3) sin(2,3)", "0", "3", "0,32"},
     "0:0-0i 1:0-2 3:1-2o 2:2-2/1 peak 32@0",
     NULL},
    {"the instruction of a dynamic view",
     {"4@1+0;4@1+16;4@1+16", "sin(0,1) executorch_prim::et_view(1,2) sin(2,2)", "0", "2", "0,32"},
     "0:0-0i 1:0-2 2:1-2o/1 peak 32@0",
     NULL},
    {"in place", {"4@1+0;4@1+0", "relu_(0,0) sin(0,1)", "0", "1", "0,16"}, "0:0-1i 1:1-1o/0 peak 16@0", NULL},
    {"a part of a larger tensor, written in place",
     {"8@1+0;4@1+16", "copy(0,1)", "0", "1", "0,32"},
     "0:0-0i 1:0-0o/0 peak 32@0",
     NULL},
    {"a mutable buffer is read before it is written",
     {"4@1+0;4@1+16;4@1+32", "sin(0,2) add(1,2,2) copy_(1,2)", "0", "2", "0,48"},
     "0:0-0i 2:0-2o 1:0-2s peak 48@0",
     NULL},
    {"a mutable buffer with data",
     {"4@1+0 data;4@1+16", "sin(1,1) sin(1,0)", "", "1", "0,32"},
     "1:0-1o 0:0-1s peak 32@0",
     NULL},
    {"a kernel with a list of results",
     {"4@1+0;2@1+16;2@1+24;(1,2);(1,2)", "split(0,3,4) sin(1,1)", "0", "", "0,32"},
     "0:0-0i 1:0-1 2:0-0 peak 32@0",
     NULL},
    {"rows that a loop fills",
     {"4@1+0;4@1+16;1@1+32;1", "sin(0,2) executorch_prim::et_copy_index(1,2,3) jump(3,0)", "0", "1", "0,36"},
     "0:0-0i 2:0-1 1:1-2o peak 20@0",
     NULL},
    {"what a loop needs is there until it ends",
     {"4@1+0;4@1+16;4@1+32;1", "sin(0,1) sin(1,2) sin(2,2) jump(3,1)", "0", "", "0,48"},
     "0:0-0i 1:0-3 2:1-2 peak 32@0",
     NULL},
    {"a delegate writes what nothing wrote before",
     {"4@1+0;4@1+16;4@1+32", "!(0,1) !(0,1,2)", "0", "2", "0,48"},
     "0:0-1i 1:0-1 2:1-1o peak 48@1",
     NULL},
    {"the results of branches are moved",
     {"4@1+0;4@1+16;4@1+32", "sin(0,1) move(1,2)", "0", "2", "0,48"},
     "0:0-0i 1:0-1 2:1-1o peak 32@0",
     NULL},
    {"two buffers", {"4@1+0;4@2+0", "sin(0,1)", "0", "1", "0,16,16"}, "0:0-0i 1:0-0o peak 32@0", NULL},
    {"an input that nothing reads makes room at once",
     {"4@1+0;4@1+16;4@1+0", "sin(1,2)", "0,1", "2", "0,32"},
     "0:-1--1i 1:0-0i 2:0-0o peak 32@0",
     NULL},
    {"no instructions", {"4@1+0", "", "0", "0", "0,16"}, "0:-1--1i peak 0@-1", NULL},
    {"nothing is planned", {"4;4", "sin(0,1)", "0", "1", "0,0"}, "peak 0@-1", NULL},
    {"beyond the buffer",
     {"4@1+0;4@1+8", "sin(0,1)", "0", "", "0,20"},
     "0:0-0i 1:0-0! peak 16@0",
     "m: tensor \"value_1\" (instruction 0) takes 16 bytes from offset 8 on, beyond buffer 1 of 20"},
    {"the largest offset",
     {"4@1+0;4@1+18446744073709551615", "sin(0,1)", "0", "", "0,20"},
     "0:0-0i 1:0-0! peak 16@0",
     "beyond buffer 1 of 20"},
    {"a buffer that is not there",
     {"4@1+0;4@7+0", "sin(0,1)", "0", "", "0,16"},
     "0:0-0i 1:0-0! peak 16@0",
     "is planned into buffer 7, but there are 1"},
    {"a buffer of a negative size",
     {"4@1+0", "sin(0,0)", "", "", "0,-16"},
     "0:0-0! peak 0@-1",
     "beyond buffer 1 of -16"},
    {"sizes beyond 64 bits",
     {"4@1+0;4@1+16 wide", "sin(0,1)", "0", "", "0,32"},
     "0:0-0i 1:0-0! peak 16@0",
     "(instruction 0) has sizes or a number type that give no number of bytes"},
    {"two live tensors in one place",
     {"4@1+0;4@1+16;4@1+20", "sin(0,1) sin(0,2) sin(1,1)", "0", "", "0,64"},
     "0:0-1i 1:0-2 2:1-1 peak 48@1",
     "\"value_2\" (instruction 1) shares memory of buffer 1 with \"value_1\", which is needed until instruction 2"},
};

/* ---- What came of it ---- */

static void describe(const etr_memory_plan *plan, char *text, size_t room) {
  size_t used = 0;
  for (size_t i = 0; i < plan->tensor_count; i++) {
    const etr_planned_tensor *t = &plan->tensors[i];
    used += (size_t)snprintf(text + used, room - used, "%u:%d-%d%.*s", t->value, t->first_instruction,
                             t->last_instruction, t->role != ETR_TENSOR_ACTIVATION, etr_tensor_role_name(t->role));
    if (t->view_of != ETR_NONE)
      used += (size_t)snprintf(text + used, room - used, "/%u", plan->tensors[t->view_of].value);
    used += (size_t)snprintf(text + used, room - used, "%s ", t->is_misplaced ? "!" : "");
  }
  (void)snprintf(text + used, room - used, "peak %llu@%d", (unsigned long long)plan->peak_bytes,
                 (int)plan->peak_instruction);
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
  cr_expect_eq(warnings.list.count, c->warning != NULL, "%s: %zu warnings", c->title, warnings.list.count);
  if (c->warning && warnings.list.count)
    cr_expect(strstr(warnings.list.data[0].message, c->warning), "%s: %s", c->title, warnings.list.data[0].message);
  etr_arena_clear(&arena);
}

Test(memory_plan, rules) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

Test(memory_plan, many_contradictions_are_counted) {
  etr_arena arena;
  etr_pte_method program;
  etr_arena_init(&arena);
  etr_warnings warnings = {.arena = &arena};
  const tiny_plan c = {.values = "4@2+0;4@2+0;4@2+0;4@2+0;4@2+0;4@2+0;4@2+0;4@2+0;4@2+0;4@2+0",
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

Test(memory_plan, bytes_of_a_value) {
  const etr_dim dims[] = {{.size = 3, .hint = -1}, {.size = ETR_DIM_SYMBOLIC, .symbol = "s0", .hint = 5}};
  const etr_dim unknown[] = {{.size = ETR_DIM_SYMBOLIC, .symbol = "s0", .hint = -1}};
  uint64_t bytes = 7;
  cr_expect(etr_value_bytes(&(etr_value){.dtype = "float16", .dims = dims, .rank = 2}, &bytes));
  cr_expect_eq(bytes, 30);
  cr_expect(etr_value_bytes(&(etr_value){.dtype = "complex64", .rank = 0}, &bytes));
  cr_expect_eq(bytes, 8);
  cr_expect_not(etr_value_bytes(&(etr_value){.dtype = "float32", .dims = unknown, .rank = 1}, &bytes));
  cr_expect_not(etr_value_bytes(&(etr_value){.dtype = "float32", .rank = -1}, &bytes));
  cr_expect_not(etr_value_bytes(&(etr_value){.dtype = "quint4x2", .rank = 0}, &bytes));
  cr_expect_not(etr_value_bytes(&(etr_value){.rank = 0}, &bytes));
  cr_expect_eq(bytes, 8, "untouched where it is not known");
}
