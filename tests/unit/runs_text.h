/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runs_text.h - runs of one method, written as text. A run is a number: its time as a multiple of the usual
 * time. Behind it may be
 *
 *   p  it does more work: operators get slower by different factors
 *   b  it does other work: every second operator gets slower
 *   o  only one operator gets slower: "o2" is the third
 *   !  it has other events
 *   /8 it logged 8 bytes
 *
 * "L" is a load, "0" a run without a time.
 */
#ifndef RUNS_TEXT_H
#define RUNS_TEXT_H

#include "random.h"
#include "runs/inferences.h"
#include "runs/run_phases.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { RUNS_TEXT_MOST = 512, RUNS_TEXT_OPERATORS = 12 };

typedef struct runs_text {
  etr_run runs[RUNS_TEXT_MOST];
  etr_block blocks[3]; /* inferences, those with other events, loads */
  uint32_t block_runs[3][RUNS_TEXT_MOST];
  etr_event events[2][RUNS_TEXT_OPERATORS + 1]; /* of the first two blocks: Method::execute, then operators */
  uint64_t durations[2][RUNS_TEXT_OPERATORS][RUNS_TEXT_MOST];
  etr_event load;
  etr_debug_value values[RUNS_TEXT_MOST];
  size_t operators; /* number of operators in a run */
  double spread;    /* relative, of each operator in each run */
  uint64_t seed;
  etr_blocks all;
  etr_dump dump;
  etr_arena arena;
} runs_text;

/* Returns the usual time of an operator, in ticks. The times have no common divisor, so that the clock step is one. */
static inline double runs_text_usual(size_t op) { return 10007 + 1301 * (double)op; }

static inline void runs_text_begin(runs_text *t, size_t operators) {
  static const char *const names[RUNS_TEXT_OPERATORS] = {"op0", "op1", "op2", "op3", "op4",  "op5",
                                                         "op6", "op7", "op8", "op9", "op10", "op11"};
  *t = (runs_text){.operators = operators, .spread = .02, .seed = 1};
  t->all = (etr_blocks){.runs = t->runs, .blocks = t->blocks, .block_count = 3, .ticks_per_second = 1e9};
  t->load = (etr_event){.name = "Program::load_method"};
  for (size_t b = 0; b < 2; b++) {
    t->events[b][0] = (etr_event){.name = b ? "Method::execute " : "Method::execute", .instruction_id = -1};
    for (size_t i = 0; i < operators; i++)
      t->events[b][i + 1] = (etr_event){.name = names[i],
                                        .label = names[i],
                                        .kind = ETR_EVENT_KERNEL,
                                        .instruction_id = (int32_t)i,
                                        .durations = t->durations[b][i],
                                        .sample_runs = t->block_runs[b]};
    t->blocks[b] = (etr_block){.runs = t->block_runs[b], .events = t->events[b], .event_count = operators + 1};
  }
  t->blocks[2] = (etr_block){.runs = t->block_runs[2], .events = &t->load, .event_count = 1, .method = ETR_NONE};
  t->dump.values = t->values;
}

static inline double runs_text_factor(const char *word, double times, size_t op) {
  if (strchr(word, 'p'))
    return pow(times, .2 + .13 * (double)(op % 7)); /* norms hardly grow, products grow in proportion */
  if (strchr(word, 'b')) return op % 2 ? 1 : times;
  if (strchr(word, 'o')) return op == (size_t)atoi(strchr(word, 'o') + 1) ? 12 * times : 1;
  return times;
}

static inline void runs_text_add(runs_text *t, const char *word) {
  const char *bytes = strchr(word, '/');
  uint32_t i = (uint32_t)t->all.run_count++, b = *word == 'L' ? 2 : strchr(word, '!') ? 1 : 0;
  double times = strtod(word, NULL), ticks = times > 0 ? 1000 : 0;
  cr_assert_lt(i, RUNS_TEXT_MOST);
  for (size_t op = 0; b < 2 && op < t->operators; op++) {
    double noise = exp(t->spread * random_normal(&t->seed));
    double taken = times > 0 ? round(runs_text_usual(op) * noise * runs_text_factor(word, times, op)) : 0;
    t->durations[b][op][t->blocks[b].run_count] = (uint64_t)taken;
    t->events[b][op + 1].sample_count++;
    ticks += taken;
  }
  if (b < 2 && t->operators == 0) ticks = round(100000 * times);
  t->block_runs[b][t->blocks[b].run_count++] = i;
  t->runs[i] = (etr_run){
      .block = b, .profile_events = 1, .phase = ETR_NONE, .execute_ticks = b < 2 ? (uint64_t)ticks : 0};
  if (bytes) t->values[t->dump.value_count++] = (etr_debug_value){.run = i, .byte_size = strtoull(bytes + 1, NULL, 10)};
  t->dump.run_count = t->all.run_count;
}

static inline void runs_text_add_all(runs_text *t, const char *text) {
  char *copy = strdup(text), *rest;
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) runs_text_add(t, word);
  free(copy);
}

#endif
