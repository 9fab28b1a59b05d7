/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_fit_index.c - the methods that the index excludes, compared with checking every method, on
 * many methods and blocks of few operators and instructions.
 */
#include "join_text.h"
#include "runs/fit.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { METHODS = 60, BLOCKS = 400, MOST_INSTRUCTIONS = 4 };

static const char *const operators[] = {"add", "mul", "relu"};

static uint32_t random_below(uint32_t limit) {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  return (state >> 16) % limit;
}

static const etr_pte_method *program_of(etr_arena *arena, size_t count) {
  static const char *const kernels[] = {"aten::add", "aten::mul", "aten::relu"};
  etr_pte_method *program = etr_arena_alloc(arena, sizeof *program);
  etr_instruction *list = etr_arena_alloc_array(arena, MOST_INSTRUCTIONS, sizeof *list);
  for (size_t i = 0; i < count; i++) {
    list[i] = (etr_instruction){
        .kind = (etr_instruction_kind)random_below(ETR_INSTRUCTION_FREE + 1),
        .delegate = -1,
        .jump_target = -1};
    if (list[i].kind == ETR_INSTRUCTION_KERNEL)
      list[i].op = kernels[random_below(3)];
  }
  *program = (etr_pte_method){.instructions = list, .instruction_count = count};
  return program;
}

/* Methods that have a program, a map and a graph, a map, a graph, or nothing, each with and without
 * a body. */
static etr_method_inputs random_method(etr_arena *arena) {
  uint32_t known = random_below(8), count = random_below(MOST_INSTRUCTIONS + 1);
  char nodes[256] = "=1;", map[256] = "";
  if (known == 0)
    return (etr_method_inputs){.name = "m", .program = program_of(arena, count)};
  if (random_below(6) == 0)
    snprintf(nodes, sizeof nodes, ".b aten.mul.Tensor 9;=1;");
  for (uint32_t i = 0; i < count; i++) {
    size_t used = strlen(nodes), used_by_map = strlen(map);
    snprintf(nodes + used, sizeof nodes - used, "n%u aten.%s.default %u;", i,
             operators[random_below(3)], 1 + random_below(3));
    snprintf(map + used_by_map, sizeof map - used_by_map, "%u: %shandle %u;", i,
             random_below(3) ? "" : "XnnpackBackend of ", 1 + random_below(3));
  }
  const method_text text = {"m", nodes, map};
  return (etr_method_inputs){.name = "m",
                             .graph = known == 1 ? NULL : make_graph(arena, nodes),
                             .map = known == 2 ? NULL : make_map(arena, &text)};
}

static void random_run(char *out, size_t size) {
  size_t used = 0;
  for (uint32_t i = 0, count = 1 + random_below(4); i < count; i++) {
    uint32_t what = random_below(9), instruction = random_below(MOST_INSTRUCTIONS + 1);
    if (what < 5)
      used += (size_t)snprintf(out + used, size - used, "native_call_%s.out@%u 1;",
                               operators[random_below(3)], instruction);
    if (what == 5)
      used += (size_t)snprintf(out + used, size - used, "DELEGATE_CALL@%u 1;", instruction);
    if (what == 6)
      used += (size_t)snprintf(out + used, size - used, "Add (ND) #1#%u 1;", instruction);
    if (what == 7)
      used += (size_t)snprintf(out + used, size - used, "OPERATOR_CALL@%u 1;", instruction);
    if (what == 8)
      used += (size_t)snprintf(out + used, size - used, "native_call_copy_@%u 1;", instruction);
  }
  snprintf(out + used, size - used, "Method::execute 9");
}

static bool in_list(const uint32_t *list, size_t count, uint32_t method) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == method)
      return true;
  return false;
}

/* Returns the number of methods that the index excluded. */
static size_t compare(const etr_fit_index *index, const etr_block *block,
                      etr_fitter *const *fitters, etr_fitter *together, const char *run) {
  etr_arena scratch = {0};
  size_t count = 0, left_out = 0;
  etr_fits alone, all;
  etr_fit best = {.against = UINT32_MAX};
  const uint32_t *list = etr_fit_index_find(index, block, &scratch, &count);
  for (size_t i = 1; i < count; i++)
    cr_expect_lt(list[i - 1], list[i], "%s", run);
  for (uint32_t i = 0; i < METHODS; i++) {
    cr_assert(etr_fitter_fit(fitters[i], block, &alone));
    if (etr_fit_compare(&alone.list->fit, &best, NULL) < 0)
      best = alone.list->fit;
    if (!list || in_list(list, count, i))
      continue;
    cr_expect_gt(alone.list->fit.against, 0, "method %u is excluded: %s", i, run);
    left_out++;
  }
  cr_assert(etr_fitter_fit(together, block, &all));
  cr_expect_eq(etr_fit_compare(&all.list[all.best].fit, &best, NULL), 0, "%s", run);
  etr_arena_clear(&scratch);
  return left_out;
}

Test(fit_index, methods_that_no_row_allows_are_excluded) {
  etr_arena arena = {0};
  etr_map names;
  etr_method_inputs inputs[METHODS];
  etr_fitter *fitters[METHODS];
  size_t left_out = 0;
  etr_map_init(&names, &arena);
  for (size_t i = 0; i < METHODS; i++) {
    inputs[i] = random_method(&arena);
    cr_assert(etr_method_index_nodes(&inputs[i], &arena));
  }
  for (size_t i = 0; i < METHODS; i++)
    fitters[i] = etr_fitter_new(&arena, &inputs[i], 1, 0);
  const etr_fit_index *index = etr_fit_index_new(&arena, inputs, METHODS);
  etr_fitter *together = etr_fitter_new(&arena, inputs, METHODS, 0);
  for (size_t i = 0; i < BLOCKS; i++) {
    char run[512];
    etr_blocks blocks;
    random_run(run, sizeof run);
    etr_dump dump = make_dump(&arena, &names, run);
    cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, METHODS, NULL), ETR_OK);
    left_out += compare(index, &blocks.blocks[0], fitters, together, run);
  }
  cr_expect(left_out > METHODS * BLOCKS / 4 && left_out < METHODS * BLOCKS, "%zu", left_out);
  etr_arena_clear(&arena);
}
