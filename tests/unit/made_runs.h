/* SPDX-License-Identifier: BSD-3-Clause
 *
 * made_runs.h - the runs of one method with chosen times, as grouping.c would make them of a dump.
 */
#ifndef MADE_RUNS_H
#define MADE_RUNS_H

#include "random.h"
#include "runs/inferences.h"
#include "runs/runs.h"

#include <criterion/criterion.h>
#include <math.h>

/** What is special about a run. */
typedef enum run_work {
  THE_SAME_WORK, /* all operators get slower by the same factor */
  MORE_WORK, /* they get slower by different factors: norms hardly grow, products grow in proportion
              */
  ANOTHER_BRANCH, /* every second operator gets slower */
  LESS_MEMORY,    /* every fourth operator gets slower, each by another factor */
  ONE_OPERATOR,   /* only one operator gets slower, by twelve times the factor */
} run_work;

/** A run. */
typedef struct made_run {
  double factor; /* of its time to the usual time; 0: it has no time */
  run_work work;
  size_t operator_; /* of ONE_OPERATOR: its index */
  uint64_t bytes;   /* bytes that it logged; 0: none */
  bool has_other_events, is_load;
} made_run;

#define USUAL {.factor = 1}
#define UNTIMED {.factor = 0}
#define LOAD {.is_load = true}
#define SLOWER(times) {.factor = (times)}
#define PROMPT(times) {.factor = (times), .work = MORE_WORK}
#define BRANCH(times) {.factor = (times), .work = ANOTHER_BRANCH}
#define CONTENTION(times) {.factor = (times), .work = LESS_MEMORY}
#define STALL(index) {.factor = 1, .work = ONE_OPERATOR, .operator_ = (index)}
#define LOGGED(times, size) {.factor = (times), .bytes = (size)}
#define OTHER_EVENTS(times) {.factor = (times), .has_other_events = true}
#define TWO(run) run, run
#define THREE(run) run, run, run
#define FOUR(run) run, run, run, run

/** Initializes a made_series with the runs in their order. */
#define RUNS(...)                                                                                  \
  {(const made_run[]){__VA_ARGS__}, sizeof(const made_run[]){__VA_ARGS__} / sizeof(made_run)}
#define NO_RUNS {NULL, 0}

typedef struct made_series {
  const made_run *list;
  size_t count;
} made_series;

enum { MADE_RUNS_MOST = 512, MADE_RUNS_OPERATORS = 12 };

typedef struct made_runs {
  etr_run runs[MADE_RUNS_MOST];
  etr_block blocks[3]; /* inferences, those with other events, loads */
  uint32_t block_runs[3][MADE_RUNS_MOST];
  etr_event events[2][MADE_RUNS_OPERATORS +
                      1]; /* of the first two blocks: Method::execute, then operators */
  uint64_t durations[2][MADE_RUNS_OPERATORS][MADE_RUNS_MOST];
  etr_event load;
  etr_debug_value values[MADE_RUNS_MOST];
  size_t operators; /* number of operators in a run */
  double spread;    /* relative, of each operator in each run */
  uint64_t seed;
  etr_blocks all;
  etr_dump dump;
  etr_arena arena;
} made_runs;

/* Returns the usual time of an operator, in ticks. The times have no common divisor, so that the
 * clock step is one. */
static inline double made_runs_usual(size_t op) {
  return 10007 + 1301 * (double)op;
}

static inline void made_runs_begin(made_runs *t, size_t operators) {
  static const char *const names[MADE_RUNS_OPERATORS] = {
      "op0", "op1", "op2", "op3", "op4", "op5", "op6", "op7", "op8", "op9", "op10", "op11"};
  *t = (made_runs){.operators = operators, .spread = .02, .seed = 1};
  t->all = (etr_blocks){
      .runs = t->runs, .blocks = t->blocks, .block_count = 3, .ticks_per_second = 1e9};
  t->load = (etr_event){.name = "Program::load_method"};
  for (size_t b = 0; b < 2; b++) {
    t->events[b][0] = (etr_event){.name = b ? "Method::execute " : "Method::execute",
                                  .instruction_id = -1};
    for (size_t i = 0; i < operators; i++)
      t->events[b][i + 1] = (etr_event){.name = names[i],
                                        .label = names[i],
                                        .kind = ETR_EVENT_KERNEL,
                                        .instruction_id = (int32_t)i,
                                        .durations = t->durations[b][i],
                                        .sample_runs = t->block_runs[b]};
    t->blocks[b] = (etr_block){
        .runs = t->block_runs[b], .events = t->events[b], .event_count = operators + 1};
  }
  t->blocks[2] = (etr_block){
      .runs = t->block_runs[2], .events = &t->load, .event_count = 1, .method = ETR_NONE};
  t->dump.values = t->values;
}

static inline double made_runs_factor(const made_run *run, size_t op) {
  switch (run->work) {
  case MORE_WORK:
    return pow(run->factor, .2 + .13 * (double)(op % 7));
  case ANOTHER_BRANCH:
    return op % 2 ? 1 : run->factor;
  case LESS_MEMORY:
    return op % 4 ? 1 + .01 * (double)(op % 8) : run->factor * (1 + .1 * (double)(op % 8));
  case ONE_OPERATOR:
    return op == run->operator_ ? 12 * run->factor : 1;
  default:
    return run->factor;
  }
}

static inline void made_runs_add(made_runs *t, made_run run) {
  uint32_t i = (uint32_t)t->all.run_count++, b = run.is_load ? 2 : run.has_other_events;
  double ticks = run.factor > 0 ? 1000 : 0;
  cr_assert_lt(i, MADE_RUNS_MOST);
  for (size_t op = 0; b < 2 && op < t->operators; op++) {
    double noise = exp(t->spread * random_normal(&t->seed));
    double taken = run.factor > 0 ? round(made_runs_usual(op) * noise * made_runs_factor(&run, op))
                                  : 0;
    t->durations[b][op][t->blocks[b].run_count] = (uint64_t)taken;
    t->events[b][op + 1].sample_count++;
    ticks += taken;
  }
  if (b < 2 && t->operators == 0)
    ticks = round(100000 * run.factor);
  t->block_runs[b][t->blocks[b].run_count++] = i;
  t->runs[i] = (etr_run){.block = b,
                         .profile_events = 1,
                         .phase = ETR_NONE,
                         .execute_ticks = b < 2 ? (uint64_t)ticks : 0};
  if (run.bytes)
    t->values[t->dump.value_count++] = (etr_debug_value){.run = i, .byte_size = run.bytes};
  t->dump.run_count = t->all.run_count;
}

static inline void made_runs_add_all(made_runs *t, const made_series *series) {
  for (size_t i = 0; i < series->count; i++)
    made_runs_add(t, series->list[i]);
}

#endif
