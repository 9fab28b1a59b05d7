/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs grouped into blocks.
 */
#include "runs/blocks.h"
#include "runs/runs.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct made_run {
  const char *name;
  const etr_dump_event *events;
  size_t event_count;
} made_run;

typedef struct made_dump {
  const made_run *runs;
  size_t count;
} made_dump;

#define EVENT(event, instruction, ticks)                                                           \
  {.name = event, .instruction_id = instruction, .duration_ticks = ticks}
#define UNTIMED(event, instruction)                                                                \
  {.name = event, .instruction_id = instruction, .is_untimed = true}
#define VALUE(event, instruction)                                                                  \
  {.name = event, .instruction_id = instruction, .is_debug = true} /* logged */
#define INSIDE(event, id, instruction, ticks)                                                      \
  {.name = event, .delegate_id = id, .instruction_id = instruction, .duration_ticks = ticks}       \
  /* a delegate */

#define RUN(run, ...)                                                                              \
  {run, (const etr_dump_event[]){__VA_ARGS__},                                                     \
   sizeof(const etr_dump_event[]){__VA_ARGS__} / sizeof(etr_dump_event)}
#define EMPTY_RUN(run) {run, NULL, 0}
#define LOAD RUN("D", EVENT("Program::load_method", -1, 9))
#define DUMP(...)                                                                                  \
  {(const made_run[]){__VA_ARGS__}, sizeof(const made_run[]){__VA_ARGS__} / sizeof(made_run)}

static void make_dump(etr_arena *arena, etr_map *names, etr_dump *out, const made_dump *made) {
  etr_dump_run *runs = etr_arena_alloc_array(arena, made->count, sizeof *runs);
  *out = (etr_dump){.runs = runs, .run_count = made->count};
  for (size_t i = 0; i < made->count; i++) {
    const made_run *run = &made->runs[i];
    etr_dump_event *events = etr_arena_alloc_array(arena, run->event_count, sizeof *events);
    for (size_t k = 0; k < run->event_count; k++) {
      events[k] = run->events[k];
      events[k].name = etr_intern(names, etr_slice_of(events[k].name));
      if (events[k].delegate_id)
        events[k].delegate_id = etr_intern(names, etr_slice_of(events[k].delegate_id));
      events[k].start_ticks = 100 * k;
    }
    runs[i] = (etr_dump_run){.name = etr_intern(names, etr_slice_of(run->name)),
                             .bundled_input_index = -1,
                             .events = events,
                             .event_count = run->event_count};
  }
}

/* Writes "NAME[RUNS] ROW=SAMPLES ..." for each block, joined by '|'. '!' marks a row that has only
 * logged values. */
static void describe(const etr_blocks *blocks, char *out, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < blocks->block_count; i++) {
    const etr_block *block = &blocks->blocks[i];
    used += (size_t)snprintf(out + used, size - used, "%s%s[", i ? "|" : "", block->name);
    for (size_t k = 0; k < block->run_count; k++)
      used += (size_t)snprintf(out + used, size - used, "%s%u", k ? "," : "", block->runs[k]);
    used += (size_t)snprintf(out + used, size - used, "]");
    for (size_t k = 0; k < block->event_count; k++) {
      const etr_event *e = &block->events[k];
      used += (size_t)snprintf(out + used, size - used, " %s@%d%s", e->name, e->instruction_id,
                               e->is_logged_only ? "!" : "");
      for (size_t s = 0; s < e->sample_count; s++)
        used += (size_t)snprintf(out + used, size - used, "%s%llu/%u", s ? "," : "=",
                                 (unsigned long long)e->durations[s], e->sample_runs[s]);
    }
  }
}

Test(blocks, runs_are_grouped_as_the_inspector_does) {
  const struct {
    made_dump dump;
    const char *blocks; /* TICKS/RUN of each sample */
  } cases[] = {
      {DUMP(RUN("Default", EVENT("init", -1, 5))), "Default[0] init@-1=5/0"},
      {DUMP(RUN("E", EVENT("a", 1, 5), EVENT("b", 2, 6)),
            RUN("E", EVENT("a", 1, 7), EVENT("b", 2, 8))),
       "E[0,1] a@1=5/0,7/1 b@2=6/0,8/1"},
      {DUMP(RUN("E", EVENT("a", 1, 5)), RUN("E", EVENT("b", 1, 5)), RUN("E", EVENT("a", 1, 6))),
       "E[0,2] a@1=5/0,6/2|E[1] b@1=5/1"},
      {DUMP(RUN("D", EVENT("a", 1, 5)), RUN("E", EVENT("a", 1, 5))), "D[0] a@1=5/0|E[1] a@1=5/1"},
      {DUMP(RUN("E", EVENT("a", 1, 5)), RUN("E", EVENT("a", 2, 5))), "E[0] a@1=5/0|E[1] a@2=5/1"},
      /* a loop: one row contains all its calls */
      {DUMP(RUN("E", EVENT("a", 1, 1), EVENT("b", 2, 2), EVENT("a", 1, 3), EVENT("b", 2, 4))),
       "E[0] a@1=1/0,3/0 b@2=2/0,4/0"},
      /* kernel and call of one instruction are adjacent; an event of a delegate is named by its id
       */
      {DUMP(RUN("E", EVENT("k", 1, 3), EVENT("x", 2, 1), EVENT("CALL", 1, 4))),
       "E[0] k@1=3/0 CALL@1=4/0 x@2=1/0"},
      {DUMP(RUN("E", INSIDE("d", "c1", 1, 3), INSIDE("d", "c2", 1, 4), EVENT("CALL", 1, 9))),
       "E[0] c1@1=3/0 c2@1=4/0 CALL@1=9/0"},
      /* a logged value of a timed event adds no row; without a timed event it is a row without
         samples */
      {DUMP(RUN("E", EVENT("k", 1, 3), VALUE("v", 1))), "E[0] k@1=3/0"},
      {DUMP(RUN("E", VALUE("v", 1), EVENT("k", 2, 3))), "E[0] v@1! k@2=3/0"},
      /* an event without a time keeps its row, and the run its block */
      {DUMP(RUN("E", UNTIMED("k", 1))), "E[0] k@1"},
      {DUMP(RUN("E", UNTIMED("k", 1), VALUE("v", 1))), "E[0] k@1"},
      {DUMP(RUN("E", EVENT("k", 1, 3)), RUN("E", UNTIMED("k", 1)), RUN("E", EVENT("k", 1, 5))),
       "E[0,1,2] k@1=3/0,5/2"},
      {DUMP(RUN("E", UNTIMED("k", 1), EVENT("k", 1, 4)),
            RUN("E", EVENT("k", 1, 6), UNTIMED("k", 1))),
       "E[0,1] k@1=4/0,6/1"},
      {DUMP(EMPTY_RUN("E"), EMPTY_RUN("E")), "E[0,1]"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_map names;
    etr_dump dump;
    etr_blocks blocks;
    char text[1024] = "";
    etr_map_init(&names, &arena);
    make_dump(&arena, &names, &dump, &cases[i].dump);
    cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, 2, NULL), ETR_OK);
    describe(&blocks, text, sizeof text);
    cr_expect_str_eq(text, cases[i].blocks, "case %zu gives %s", i, text);
    etr_arena_clear(&arena);
  }
}

Test(blocks, dumps_and_chosen_methods_separate_blocks) {
  etr_arena arena = {0};
  etr_map names;
  etr_dump dumps[2];
  etr_blocks blocks;
  char text[1024] = "";
  static const etr_method_choice choices[] = {{.run = 1, .method = "decode"}};
  static const etr_options options = {.choices = choices, .choice_count = 1};
  etr_map_init(&names, &arena);
  make_dump(&arena, &names, &dumps[0],
            &(made_dump)DUMP(RUN("E", EVENT("a", 1, 1)), RUN("E", EVENT("a", 1, 2))));
  make_dump(&arena, &names, &dumps[1], &(made_dump)DUMP(RUN("E", EVENT("a", 1, 3))));
  cr_assert_eq(etr_blocks_build(&blocks, &arena, dumps, 2, 2, NULL), ETR_OK);
  describe(&blocks, text, sizeof text);
  cr_expect_str_eq(text, "E[0,1,2] a@1=1/0,2/1,3/2");
  cr_expect_eq(blocks.runs[2].dump, 1);
  cr_expect_eq(blocks.runs[2].index_in_dump, 0);
  cr_assert_eq(etr_blocks_build(&blocks, &arena, dumps, 2, 2, &options), ETR_OK);
  describe(&blocks, text, sizeof text);
  cr_expect_str_eq(text, "E[0,2] a@1=1/0,3/2|E[1] a@1=2/1");
  etr_arena_clear(&arena);
}

Test(blocks, a_row_has_the_statistics_of_its_samples) {
  etr_arena arena = {0};
  etr_map names;
  etr_dump dump;
  etr_blocks blocks;
  etr_map_init(&names, &arena);
  make_dump(&arena, &names, &dump,
            &(made_dump)DUMP(RUN("E", EVENT("Method::execute", -1, 10), EVENT("a", 1, 40)),
                             RUN("E", EVENT("Method::execute", -1, 20), EVENT("a", 1, 20))));
  cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, 2, NULL), ETR_OK);
  cr_assert_eq(blocks.block_count, 1);
  const etr_stats *stats = &blocks.blocks[0].events[1].stats;
  cr_expect_eq(stats->count, 2);
  cr_expect_eq(stats->avg, 30);
  cr_expect_eq(stats->min, 20);
  cr_expect_eq(stats->max, 40);
  cr_expect_eq(blocks.runs[0].execute_ticks, 10);
  cr_expect_eq(blocks.runs[1].execute_ticks, 20);
  etr_arena_clear(&arena);
}

Test(blocks, a_further_load_starts_a_new_block) {
  const struct {
    size_t method_count;
    made_dump dumps[2];
    const char *blocks;
  } cases[] = {
      {2,
       {DUMP(RUN("E", EVENT("a", 1, 1)), RUN("E", EVENT("a", 1, 2)), LOAD,
             RUN("E", EVENT("a", 1, 3)))},
       "E[0,1] a@1=1/0,2/1|D[2] Program::load_method@-1=9/2|E[3] a@1=3/3"},
      {2,
       {DUMP(LOAD, LOAD, RUN("E", EVENT("a", 1, 1)), RUN("E", EVENT("a", 1, 2)))},
       "D[0,1] Program::load_method@-1=9/0,9/1|E[2,3] a@1=1/2,2/3"},
      {1,
       {DUMP(RUN("E", EVENT("a", 1, 1)), LOAD, RUN("E", EVENT("a", 1, 3)))},
       "E[0,2] a@1=1/0,3/2|D[1] Program::load_method@-1=9/1"},
      {0,
       {DUMP(RUN("E", EVENT("a", 1, 1)), LOAD, RUN("E", EVENT("a", 1, 3)))},
       "E[0] a@1=1/0|D[1] Program::load_method@-1=9/1|E[2] a@1=3/2"},
      /* a run that also loads comes after its load */
      {2,
       {DUMP(RUN("E", EVENT("a", 1, 1)),
             RUN("E", EVENT("Program::load_method", -1, 9), EVENT("a", 1, 2)),
             RUN("E", EVENT("a", 1, 3)))},
       "E[0] a@1=1/0|E[1] Program::load_method@-1=9/1 a@1=2/1|E[2] a@1=3/2"},
      /* each dump counts its own loads */
      {2,
       {DUMP(RUN("E", EVENT("a", 1, 1)), LOAD, RUN("E", EVENT("a", 1, 2))),
        DUMP(LOAD, RUN("E", EVENT("a", 1, 3)), LOAD, RUN("E", EVENT("a", 1, 4)))},
       "E[0,4] a@1=1/0,3/4|D[1,3,5] Program::load_method@-1=9/1,9/3,9/5|E[2,6] a@1=2/2,4/6"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_map names;
    etr_dump dumps[2];
    etr_blocks blocks;
    char text[1024] = "";
    size_t count = cases[i].dumps[1].count ? 2 : 1;
    etr_map_init(&names, &arena);
    for (size_t d = 0; d < count; d++)
      make_dump(&arena, &names, &dumps[d], &cases[i].dumps[d]);
    cr_assert_eq(etr_blocks_build(&blocks, &arena, dumps, count, cases[i].method_count, NULL),
                 ETR_OK);
    describe(&blocks, text, sizeof text);
    cr_expect_str_eq(text, cases[i].blocks, "case %zu gives %s", i, text);
    etr_arena_clear(&arena);
  }
}

Test(blocks, excluded_runs_are_in_no_statistics) {
  etr_arena arena = {0};
  etr_map names;
  etr_dump dump;
  etr_blocks blocks;
  char text[1024] = "";
  static const uint32_t groups[] = {1, 0, 0, 2, 3, 4};
  etr_map_init(&names, &arena);
  make_dump(
      &arena, &names, &dump,
      &(made_dump)DUMP(RUN("E", EVENT("a", 1, 1), EVENT("a", 1, 2), EVENT("b", 2, 3)),
                       RUN("E", EVENT("b", 1, 9)), RUN("E", EVENT("a", 1, 4), EVENT("b", 2, 5)),
                       RUN("E", EVENT("a", 1, 6), EVENT("b", 2, 7)),
                       RUN("E", EVENT("a", 1, 8), EVENT("b", 2, 1)), RUN("E", EVENT("c", 1, 1))));
  cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, 2, NULL), ETR_OK);
  blocks.blocks[0].method = 7;
  cr_assert(etr_blocks_divide(&blocks, &arena, groups));
  describe(&blocks, text, sizeof text);
  cr_expect_str_eq(text,
                   "E[0] a@1=1/0,2/0 b@2=3/0|E[1] b@1=9/1|E[2] a@1=4/2 b@2=5/2|E[3] a@1=6/3 "
                   "b@2=7/3|E[4] a@1=8/4 "
                   "b@2=1/4|E[5] c@1=1/5",
                   "%s", text);
  for (size_t i = 0; i < 6; i++)
    cr_expect_eq(blocks.runs[i].block, i);
  cr_expect_eq(blocks.blocks[3].method, 7);
  cr_expect_eq(blocks.blocks[0].events[0].stats.avg, 1.5);
  cr_expect_eq(blocks.blocks[2].events[0].stats.count, 1);
  cr_expect_eq(blocks.blocks[2].events[1].stats.max, 5);
  etr_arena_clear(&arena);
}

/* Runs of one group stay together, whatever is between them. */
Test(blocks, a_block_is_divided_by_groups) {
  etr_arena arena = {0};
  etr_map names;
  etr_dump dump;
  etr_blocks blocks;
  char text[1024] = "";
  static const uint32_t groups[] = {1, 0, 1, 2, 0};
  etr_map_init(&names, &arena);
  make_dump(&arena, &names, &dump,
            &(made_dump)DUMP(RUN("E", EVENT("a", 1, 1)), RUN("E", EVENT("a", 1, 2)),
                             RUN("E", EVENT("a", 1, 3)), RUN("E", EVENT("a", 1, 4)),
                             RUN("E", EVENT("a", 1, 5))));
  cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, 2, NULL), ETR_OK);
  cr_assert(etr_blocks_divide(&blocks, &arena, groups));
  describe(&blocks, text, sizeof text);
  cr_expect_str_eq(text, "E[0,2] a@1=1/0,3/2|E[1,4] a@1=2/1,5/4|E[3] a@1=4/3", "%s", text);
  cr_expect_eq(blocks.blocks[0].events[0].stats.avg, 2);
  etr_arena_clear(&arena);
}
