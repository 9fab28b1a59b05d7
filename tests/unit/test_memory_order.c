/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_memory_order.c - which instructions must run before others, and orders that need less
 * memory, compared with all orders.
 *
 * Programs are those of tiny_plan.h. The memory that an order needs is that of a program planned in
 * this order: each tensor then has its own place, so that none is mistaken for a view of another.
 */
#include "open_fixture.h"
#include "order/order_moves.h"
#include "random.h"
#include "tiny_plan.h"

/* ---- Needs ---- */

typedef struct needs_case {
  const char *title;
  tiny_plan plan;
  const char *want; /* "2 needs 0,1; " for each instruction that needs others; or "unknown" */
} needs_case;

#define FOUR "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32;4 in 1 at 48"
#define SIZE "0,4096"

static const needs_case needs_cases[] = {
    {"written, then read",
     {.values = FOUR,
      .instructions = "sin(0,1) sin(1,2) sin(0,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = SIZE},
     "1 needs 0; "},
    {"both results",
     {.values = FOUR,
      .instructions = "sin(0,1) sin(0,2) add(1,2,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = SIZE},
     "2 needs 0,1; "},
    {"read, then written",
     {.values = FOUR,
      .instructions = "sin(0,1) sin(1,2) sin(0,1)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "1 needs 0; 2 needs 0,1; "},
    {"tensors that are in one place at different times",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32;4 in 1 at 16;4 in 1 at 48",
      .instructions = "sin(0,1) sin(1,2) sin(0,3) sin(3,4)",
      .inputs = "0",
      .outputs = "4",
      .sizes = SIZE},
     "1 needs 0; 3 needs 2; "},
    {"a view is read",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 16;4 in 1 at 32",
      .instructions = "sin(0,1) sin(2,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = SIZE},
     "1 needs 0; "},
    {"a view is read before what it views is changed",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 16;4 in 1 at 32;4 in 1 at 64",
      .instructions = "sin(0,1) sin(2,3) relu_(1,1) sin(1,4)",
      .inputs = "0",
      .outputs = "4",
      .sizes = SIZE},
     "1 needs 0; 2 needs 0,1; 3 needs 2; "},
    {"a dynamic view reads only",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 16;4 in 1 at 32;4 in 1 at 48",
      .instructions = "sin(0,1) sin(1,3) executorch_prim::et_view(1,2) sin(2,4)",
      .inputs = "0",
      .outputs = "4",
      .sizes = SIZE},
     "1 needs 0; 2 needs 0; 3 needs 0,2; "},
    {"in place",
     {.values = FOUR,
      .instructions = "sin(0,1) sin(1,2) relu_(1,1) sin(1,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = SIZE},
     "1 needs 0; 2 needs 0,1; 3 needs 2; "},
    {"a mutable buffer keeps its order",
     {.values = "4 in 1 at 0 data;4 in 1 at 16;4 in 1 at 32",
      .instructions = "sin(0,1) sin(0,2)",
      .inputs = "",
      .outputs = "1",
      .sizes = SIZE},
     "1 needs 0; "},
    {"one that is read before it is written",
     {.values = FOUR,
      .instructions = "sin(1,2) sin(1,3) mul_(1,0)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "1 needs 0; 2 needs 1; "},
    {"a new value is written back to its buffer: nobody can move that",
     {.values = FOUR,
      .instructions = "sin(0,2) sin(0,3) copy_(1,2) sin(0,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = SIZE},
     "2 needs 0,1; 3 needs 2,1; "},
    {"an operator that is not known",
     {.values = FOUR,
      .instructions = "sin(0,1) sin(1,2) my::update(1,3)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "1 needs 0; 2 needs 0,1; "},
    {"two of them",
     {.values = FOUR,
      .instructions = "my::a(0,1) my::b(2,3)",
      .inputs = "",
      .outputs = "3",
      .sizes = SIZE},
     "1 needs 0; "},
    {"random numbers",
     {.values = FOUR,
      .instructions = "rand(0) sin(3,1) randn(2)",
      .inputs = "3",
      .outputs = "1",
      .sizes = SIZE},
     "2 needs 0; "},
    {"a batch norm changes its statistics",
     {.values = FOUR,
      .instructions = "sin(0,1) native_batch_norm(0,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "1 needs 0; "},
    {"one that does not train",
     {.values = FOUR,
      .instructions = "sin(0,1) _native_batch_norm_legit_no_training(0,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     ""},
    {"no tensor comes of it",
     {.values = FOUR ";none",
      .instructions = "sin(0,1) sym_size(0,4) sin(0,2) item(2,4) sin(0,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = SIZE},
     "1 needs 0; 2 needs 1; 3 needs 1,2; 4 needs 3; "},
    {"calls of one delegate",
     {.values = FOUR ";4 in 1 at 64;4 in 1 at 80",
      .instructions = "delegate(0,1) delegate(2,3) delegate_1(4,5)",
      .inputs = "0,2,4",
      .outputs = "3",
      .sizes = SIZE},
     "1 needs 0; "},
    {"delegates that may write whatever they are given",
     {.values = FOUR,
      .instructions = "delegate(0,1) delegate_1(0,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "1 needs 0; "},
    {"what is outside the plan",
     {.values = "4;4 in 1 at 0;4",
      .instructions = "sin(0,1) sin(1,2) relu_(0,0)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "1 needs 0; 2 needs 1,0; "},
    {"constants",
     {.values = "4;4 in 1 at 0;4 in 1 at 16",
      .instructions = "sin(0,1) sin(0,2)",
      .inputs = "",
      .outputs = "1",
      .sizes = SIZE},
     ""},
    {"a list",
     {.values = "4 in 1 at 0;4 in 1 at 16;4 in 1 at 32;(1,0);4 in 1 at 48",
      .instructions = "sin(0,1) cat(3,2) sin(0,4)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "1 needs 0; "},
    {"a jump",
     {.values = FOUR,
      .instructions = "sin(0,1) jump(1,0)",
      .inputs = "0",
      .outputs = "1",
      .sizes = SIZE},
     "unknown"},
    {"a move",
     {.values = FOUR,
      .instructions = "sin(0,1) move(1,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "unknown"},
    {"an argument that is not there",
     {.values = FOUR,
      .instructions = "sin(0,1) sin(-1,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "unknown"},
    {"an operator without a name",
     {.values = FOUR,
      .instructions = "sin(0,1) unnamed(0,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "unknown"},
    {"a delegate that is not there",
     {.values = FOUR,
      .instructions = "sin(0,1) delegate_7(0,2)",
      .inputs = "0",
      .outputs = "2",
      .sizes = SIZE},
     "unknown"},
    {"a plan that contradicts itself",
     {.values = "4 in 1 at 0;4 in 1 at 8",
      .instructions = "sin(0,1)",
      .inputs = "0",
      .outputs = "1",
      .sizes = SIZE},
     "unknown"},
    {"beyond the buffer",
     {.values = "4 in 1 at 0;4 in 1 at 4090",
      .instructions = "sin(0,1)",
      .inputs = "0",
      .outputs = "1",
      .sizes = SIZE},
     "unknown"},
    {"nothing",
     {.values = "4 in 1 at 0", .instructions = "", .inputs = "0", .outputs = "0", .sizes = SIZE},
     ""},
};

static void describe_needs(const etr_memory_plan *plan, char *text, size_t room) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < plan->instruction_count; i++) {
    if (plan->steps[i].need_count)
      used += (size_t)snprintf(text + used, room - used, "%zu", i);
    for (size_t k = 0; k < plan->steps[i].need_count; k++)
      used += (size_t)snprintf(text + used, room - used, "%s%u", k ? "," : " needs ",
                               (unsigned)plan->steps[i].needs[k]);
    if (plan->steps[i].need_count)
      used += (size_t)snprintf(text + used, room - used, "; ");
  }
  if (!plan->has_needs)
    (void)snprintf(text + used, room - used, "unknown");
}

Test(memory_order, each_instruction_needs_its_predecessors) {
  for (size_t i = 0; i < ETR_COUNT(needs_cases); i++) {
    const needs_case *c = &needs_cases[i];
    char got[256];
    etr_arena arena;
    etr_pte_method program;
    etr_arena_init(&arena);
    etr_warnings warnings = {.arena = &arena};
    tiny_plan_parse(&arena, &program, &c->plan);
    const etr_memory_plan *plan = tiny_plan_make(&arena, &program, &warnings);
    cr_assert(plan, "%s", c->title);
    describe_needs(plan, got, sizeof got);
    cr_expect_str_eq(got, c->want, "%s: \"%s\" instead of \"%s\"", c->title, got, c->want);
    etr_arena_clear(&arena);
  }
}

/* ---- All orders ---- */

enum { MOST = 8 };

typedef struct every_order {
  const etr_pte_method *program;
  const etr_memory_plan *plan;
  uint32_t order[MOST], used;
  bool has_run[MOST];
  uint64_t least;
} every_order;

/* Returns the peak of a program whose instructions run in an order. */
static uint64_t peak_of(const etr_pte_method *program, const uint32_t *order) {
  etr_instruction instructions[MOST];
  etr_pte_method written = *program;
  etr_arena arena;
  etr_arena_init(&arena);
  etr_warnings warnings = {.arena = &arena};
  for (size_t i = 0; i < program->instruction_count; i++)
    instructions[i] = program->instructions[order[i]];
  written.instructions = instructions;
  const etr_memory_plan *plan = tiny_plan_make(&arena, &written, &warnings);
  cr_assert(plan);
  uint64_t peak = plan->peak_bytes;
  etr_arena_clear(&arena);
  return peak;
}

static bool may_run(const every_order *e, uint32_t step) {
  for (size_t k = 0; k < e->plan->steps[step].need_count; k++)
    if (!e->has_run[e->plan->steps[step].needs[k]])
      return false;
  return !e->has_run[step];
}

static void try_all(every_order *e) {
  if (e->used == e->plan->instruction_count)
    e->least = ETR_MIN(e->least, peak_of(e->program, e->order));
  for (uint32_t i = 0; i < e->plan->instruction_count; i++) {
    if (!may_run(e, i))
      continue;
    e->order[e->used++] = i;
    e->has_run[i] = true;
    try_all(e);
    e->has_run[i] = false;
    e->used--;
  }
}

/* Compares the found order with all orders. Returns whether one has a lower peak. */
static bool compare(const char *title, const etr_pte_method *program, const etr_memory_plan *plan,
                    etr_arena *arena) {
  etr_order_problem problem;
  etr_memory_order order;
  uint32_t place[MOST];
  uint64_t peak = plan->peak_bytes, given_up;
  every_order every = {.program = program, .plan = plan, .least = UINT64_MAX};
  cr_assert(plan->has_needs && plan->instruction_count <= MOST, "%s", title);
  try_all(&every);
  cr_assert(etr_order_problem_init(&problem, plan, arena), "%s", title);
  const uint32_t *found = etr_order_find(&problem, &peak);
  cr_expect_eq(peak, every.least, "%s: %d instead of %d", title, (int)peak, (int)every.least);
  cr_expect_eq(found != NULL, peak < plan->peak_bytes, "%s", title);
  cr_assert_eq(etr_memory_order_find(&order, plan, arena), found != NULL, "%s", title);
  if (!found)
    return false;
  cr_expect(etr_order_is_valid(&problem, found, place) &&
                etr_order_is_valid(&problem, order.steps, place),
            "%s", title);
  cr_expect_eq(peak_of(program, found), peak, "%s", title);
  cr_expect_eq(peak_of(program, order.steps), order.peak_bytes, "%s", title);
  given_up = order.peak_bytes - peak;
  cr_expect(given_up <= (plan->peak_bytes - peak) / 32 && order.move_count > 0, "%s", title);
  return true;
}

/* ---- Orders ---- */

typedef struct order_case {
  const char *title;
  tiny_plan plan;
  const char *want; /* "peak BYTES: FIRST-LAST>AFTER ..."; "": no order has a lower peak */
} order_case;

static const order_case order_cases[] = {
    {"branches are made, then reduced",
     {.values = "1 in 1 at 0;8 in 1 at 16;8 in 1 at 48;8 in 1 at 80;1 in 1 at 112;1 in 1 at 116;1 "
                "in 1 at 120",
      .instructions = "sin(0,1) sin(0,2) sin(0,3) sum(1,4) sum(2,5) sum(3,6)",
      .inputs = "0",
      .outputs = "4,5,6",
      .sizes = SIZE},
     "peak 44: 3-3>0 4-4>1 "},
    {"a chain",
     {.values = FOUR,
      .instructions = "sin(0,1) sin(1,2) sin(2,3)",
      .inputs = "0",
      .outputs = "3",
      .sizes = SIZE},
     ""},
    {"two branches of two instructions each, made in turns",
     {.values = "1 in 1 at 0;4 in 1 at 16;4 in 1 at 32;8 in 1 at 48;8 in 1 at 80;1 in 1 at 112;1 "
                "in 1 at 116",
      .instructions = "sin(0,1) sin(0,2) up(1,3) up(2,4) sum(3,5) sum(4,6)",
      .inputs = "0",
      .outputs = "5,6",
      .sizes = SIZE},
     "peak 52: 2-2>0 4-4>2 "},
    {"a large one is made long before it is used",
     {.values = "1 in 1 at 0;64 in 1 at 16;4 in 1 at 272;4 in 1 at 288;4 in 1 at 304",
      .instructions = "up(0,1) sin(0,2) mul(2,0,3) sum(3,1,4)",
      .inputs = "0",
      .outputs = "4",
      .sizes = SIZE},
     "peak 288: 0-0>2 "},
    {"an input dies early",
     {.values = "64 in 1 at 0;64 in 1 at 256;64 in 1 at 512;1 in 1 at 768;1 in 1 at 772",
      .instructions = "sin(1,2) sum(2,3) sum(0,4)",
      .inputs = "0,1",
      .outputs = "3,4",
      .sizes = SIZE},
     "peak 516: 2-2>start "},
    {"a state is always there",
     {.values = "64 in 1 at 0 data;64 in 1 at 256;1 in 1 at 512;1 in 1 at 516",
      .instructions = "sin(3,1) sum(1,2) sum(0,2)",
      .inputs = "3",
      .outputs = "2",
      .sizes = SIZE},
     ""},
    {"a view keeps what it views",
     {.values = "1 in 1 at 0;8 in 1 at 16;8 in 1 at 16;8 in 1 at 48;1 in 1 at 112;1 in 1 at 116",
      .instructions = "sin(0,1) sin(0,3) sum(2,4) sum(3,5)",
      .inputs = "0",
      .outputs = "4,5",
      .sizes = SIZE},
     "peak 40: 2-2>0 "},
    {"an output is a view",
     {.values = "1 in 1 at 0;8 in 1 at 16;8 in 1 at 16;8 in 1 at 48;1 in 1 at 80",
      .instructions = "sin(0,1) sin(0,3) sum(3,4)",
      .inputs = "0",
      .outputs = "2,4",
      .sizes = SIZE},
     "peak 40: 0-0>2 "},
    {"an order would change results",
     {.values = "1 in 1 at 0;8 in 1 at 16;8 in 1 at 48;1 in 1 at 80;1 in 1 at 84",
      .instructions = "rand(1) rand(2) my::sum(1,3) my::sum(2,4)",
      .inputs = "",
      .outputs = "3,4",
      .sizes = SIZE},
     ""},
    {"an input that nothing uses takes no memory",
     {.values = "64 in 1 at 0;1 in 1 at 256;32 in 1 at 272;1 in 1 at 400",
      .instructions = "up(1,2) sin(1,3)",
      .inputs = "0,1",
      .outputs = "2,3",
      .sizes = SIZE},
     ""},
};

static void describe_order(const etr_memory_order *order, char *text, size_t room) {
  size_t used = (size_t)snprintf(text, room, "peak %d: ", (int)order->peak_bytes);
  for (size_t i = 0; i < order->move_count; i++) {
    const etr_order_move *move = &order->moves[i];
    used += (size_t)snprintf(text + used, room - used, "%d-%d>", (int)move->first, (int)move->last);
    used += (size_t)snprintf(text + used, room - used, move->after < 0 ? "start " : "%d ",
                             (int)move->after);
  }
}

Test(memory_order, an_order_with_a_lower_peak_is_found) {
  for (size_t i = 0; i < ETR_COUNT(order_cases); i++) {
    const order_case *c = &order_cases[i];
    char got[256] = "";
    etr_arena arena;
    etr_pte_method program;
    etr_memory_order order;
    etr_arena_init(&arena);
    etr_warnings warnings = {.arena = &arena};
    tiny_plan_parse(&arena, &program, &c->plan);
    const etr_memory_plan *plan = tiny_plan_make(&arena, &program, &warnings);
    cr_assert(plan, "%s", c->title);
    (void)compare(c->title, &program, plan, &arena);
    if (etr_memory_order_find(&order, plan, &arena))
      describe_order(&order, got, sizeof got);
    cr_expect_str_eq(got, c->want, "%s: \"%s\" instead of \"%s\"", c->title, got, c->want);
    etr_arena_clear(&arena);
  }
}

/* ---- Random programs ---- */

static uint32_t choose(uint64_t *seed, uint32_t count) {
  return (uint32_t)(random_real(seed) * count);
}

/* Instruction i reads one or two of the values before it and writes value i + 1. The last value is
 * an output, and sometimes another one. Few values are changed in place or are views. */
static void write_program(uint64_t *seed, uint32_t count, char *values, char *instructions,
                          char *outputs) {
  values += sprintf(values, "%u in 1 at 0", 1 + choose(seed, 4));
  for (uint32_t i = 0; i < count; i++) {
    uint32_t a = choose(seed, i + 1), b = choose(seed, i + 1), kind = choose(seed, 8);
    uint32_t large = kind < 3 ? 40 : 8;
    values += sprintf(values, ";%u in 1 at %u", 1 + choose(seed, large), (i + 1) * 256);
    if (kind == 7 && i > 0)
      instructions += sprintf(instructions, "%sadd_(%u,%u,%u)", i ? " " : "", a, b, a);
    else
      instructions += sprintf(instructions, "%sadd(%u,%u,%u)", i ? " " : "", a, kind % 2 ? a : b,
                              i + 1);
  }
  sprintf(outputs, choose(seed, 3) ? "%u" : "%u,1", count);
}

Test(memory_order, orders_of_random_programs_agree_with_all_orders) {
  enum { PROGRAMS = 400 };
  uint64_t seed = 18;
  size_t lower = 0;
  for (uint32_t i = 0; i < PROGRAMS; i++) {
    char values[256], instructions[256], outputs[16], title[32];
    etr_arena arena;
    etr_pte_method program;
    etr_arena_init(&arena);
    etr_warnings warnings = {.arena = &arena};
    write_program(&seed, 2 + i % 6, values, instructions, outputs);
    snprintf(title, sizeof title, "program %u", (unsigned)i);
    tiny_plan_parse(&arena, &program, &(tiny_plan){values, instructions, "0", outputs, SIZE});
    const etr_memory_plan *plan = tiny_plan_make(&arena, &program, &warnings);
    cr_assert(plan, "%s", title);
    lower += compare(title, &program, plan, &arena);
    etr_arena_clear(&arena);
  }
  cr_expect(lower > PROGRAMS / 10, "%zu", lower);
}

/* ---- Memory planning ---- */

/* ExecuTorch planned these programs, versions 1.0 to 1.5. */
Test(memory_order, planned_bytes_are_those_of_executorch) {
  static const char *const names[] = {
      "add_mul",       "attention_addmm",       "debug_portable", "gru_both",
      "llama_xnnpack", "lstm_xnnpack",          "multi_method",   "mv2_portable",
      "n_reinplace",   "old_1_0_1_two_methods", "prefill_decode", "quantized_xnnpack",
      "vit_xnnpack"};
  for (size_t i = 0; i < ETR_COUNT(names); i++) {
    etr_profile *profile = open_fixture(names[i], NULL);
    for (size_t k = 0; k < profile->method_count; k++) {
      const etr_memory_plan *plan = profile->methods[k].memory;
      etr_arena arena;
      etr_order_problem problem;
      if (!plan || plan->tensor_count == 0)
        continue;
      etr_arena_init(&arena);
      cr_assert(plan->has_needs && etr_order_problem_init(&problem, plan, &arena), "%s", names[i]);
      uint32_t *order = etr_arena_alloc_array(&arena, problem.count, sizeof *order);
      for (uint32_t n = 0; n < problem.count; n++)
        order[n] = n;
      cr_expect_eq(etr_order_planned_bytes(&problem, order), plan->planned_bytes, "%s", names[i]);
      etr_arena_clear(&arena);
    }
    etr_profile_close(profile);
  }
}

Test(memory_order, what_another_algorithm_planned_is_not_predicted) {
  static const tiny_plan reused = {.values = "4 in 1 at 16;4 in 1 at 0;4 in 1 at 16;4 in 1 at 0",
                                   .instructions = "sin(0,1) sin(1,2) sin(2,3)",
                                   .inputs = "0",
                                   .outputs = "3",
                                   .sizes = NULL};
  static const struct {
    const char *sizes;
    uint64_t planned;
  } cases[] = {{"0,32", 32}, {"0,96", 96}, {"0,48", ETR_UNKNOWN}, {"0,4096", ETR_UNKNOWN}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena;
    etr_pte_method program;
    etr_order_problem problem;
    tiny_plan text = reused;
    text.sizes = cases[i].sizes;
    etr_arena_init(&arena);
    etr_warnings warnings = {.arena = &arena};
    tiny_plan_parse(&arena, &program, &text);
    const etr_memory_plan *plan = tiny_plan_make(&arena, &program, &warnings);
    cr_assert(plan && etr_order_problem_init(&problem, plan, &arena));
    cr_expect_eq(
        etr_order_planned_bytes(&problem, (const uint32_t[]){0, 1, 2}), cases[i].planned,
        "%s: %llu", cases[i].sizes,
        (unsigned long long)etr_order_planned_bytes(&problem, (const uint32_t[]){0, 1, 2}));
    etr_arena_clear(&arena);
  }
}
