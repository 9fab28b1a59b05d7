/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slow_runs.c - finds slow runs, their distances, and the operator that makes them slow.
 */
#include "runs/slow_runs.h"

#include "base/stats.h"
#include "runs/inferences.h"

#include <math.h>

static const double LEAST_GAP =
    1.5; /* smallest ratio between slow runs and others: smaller ones are reported as outliers */
static const double LEAST_SHARE =
    .5; /* smallest share of a run's excess time for one operator to be its cause */

/* Lists the runs of a method with their series. Returns false if `list` is NULL, because memory ran
 * out. */
static bool list_series_of_runs(etr_inference *list, const etr_method *method,
                                const etr_blocks *blocks) {
  for (size_t i = 0; list && i < method->run_count; i++) {
    uint32_t run = method->runs[i];
    list[i] = (etr_inference){.series = blocks->runs[run].series, .run = run};
  }
  return list != NULL;
}

/* Lists the slow runs of a method, or with `wants_long` unset the others, as indices into the
 * profile's runs, with the ticks of each. */
static void list_runs_with_ticks(const etr_method *method, const bool *is_long, bool wants_long,
                                 uint32_t *runs, uint64_t *ticks) {
  size_t count = 0;
  for (size_t i = 0; i < method->run_count; i++) {
    if (is_long[i] != wants_long)
      continue;
    runs[count] = method->runs[i];
    ticks[count++] = method->execute_per_run[i];
  }
}

/* Sets how long the slow runs take, the median of the others, and how many ticks all slow runs
 * together take beyond that median each, by the ticks of the slow runs and, behind them, of the
 * others. Sorts both. */
static void set_slow_times(etr_slow_runs *out, uint64_t *ticks, const etr_long_runs *runs) {
  out->usual = etr_stats_of(ticks + runs->long_count, runs->short_count).p50;
  etr_stats stats = etr_stats_of(ticks, runs->long_count);
  out->p50 = stats.p50;
  out->least = stats.min;
  out->most = stats.max;
  for (size_t i = 0; i < runs->long_count; i++)
    out->excess_ticks += ticks[i] - (uint64_t)out->usual;
}

/* Sets what the slow runs have in common: a period, of so many runs, of which as many as the
 * longest group has are slow, or one operator that makes them slow. The operator decides the kind
 * if there are both. */
static void set_slow_kind(etr_slow_runs *out, const etr_long_runs *runs,
                          const etr_operator_stretch *stretch) {
  bool is_operator = stretch->top_share >= LEAST_SHARE;
  if (etr_long_runs_are_periodic(runs)) {
    out->period = runs->least_period;
    out->runs_of_period = runs->longest;
  }
  out->event = is_operator ? stretch->top : NULL;
  out->kind = out->period ? ETR_SLOW_RUNS_PERIODIC : ETR_SLOW_RUNS_ANY;
  if (is_operator)
    out->kind = ETR_SLOW_RUNS_OPERATOR;
}

/* Slow runs are those above the widest clear gap of LEAST_GAP or more. Leaves *out empty if no run
 * is slow, or if all slow runs are at the start of a series (no inner groups): these are warm-up,
 * or a step. Returns false when out of memory. */
bool etr_slow_runs_find(etr_slow_runs *out, const etr_method *method, const etr_blocks *blocks,
                        etr_arena *arena) {
  etr_arena scratch = {0};
  etr_inference *list = etr_arena_alloc_array(&scratch, method->run_count, sizeof *list);
  etr_long_runs runs;
  *out = (etr_slow_runs){0};
  bool good = list_series_of_runs(list, method, blocks) &&
              etr_long_runs_of(&runs, &(etr_gap){LEAST_GAP, INFINITY}, blocks, list,
                               method->run_count, &scratch);
  if (good && runs.is_long && runs.inner_groups > 0) {
    etr_operator_stretch stretch;
    uint32_t *slow = etr_arena_alloc_array(arena, runs.long_count, sizeof *slow);
    uint32_t *others = etr_arena_alloc_array(&scratch, runs.short_count, sizeof *others);
    uint64_t *ticks = etr_arena_alloc_array(&scratch, method->run_count, sizeof *ticks);
    good = slow && others && ticks;
    if (good) {
      list_runs_with_ticks(method, runs.is_long, true, slow, ticks);
      list_runs_with_ticks(method, runs.is_long, false, others, ticks + runs.long_count);
      good = etr_operator_stretch_of(&stretch, blocks, slow, runs.long_count, others,
                                     runs.short_count);
    }
    if (good) {
      set_slow_times(out, ticks, &runs);
      set_slow_kind(out, &runs, &stretch);
      out->runs = slow;
      out->run_count = runs.long_count;
    }
  }
  etr_arena_clear(&scratch);
  return good;
}

/* ---- A table of the operators' times in chosen runs ---- */

enum {
  MOST_LONG = 16,      /* this makes 120 pairs; more add no information */
  MOST_SHORT = 255,    /* their median is exact enough */
  LEAST_OPERATORS = 5, /* the ranks of fewer agree by chance */
  LEAST_STEPS = 2, /* least time of an operator, in steps of its clock: with fewer, rounding alone
                      looks like a stretch */
};
static const double SHORTEST =
    .25; /* an operator that does not run counts as this much of its usual time */
static const double TOP_FACTOR =
    2; /* smallest ratio of the top operator's stretch to that of all other operators */

/* The key that identifies an operator across blocks; compared as bytes. Texts are interned. */
typedef struct operator_key {
  const char *name, *delegate_id;
  int64_t instruction_id;
} operator_key;
ETR_NO_PADDING(operator_key, 2 * sizeof(char *) + sizeof(int64_t));

/* An operator with its column of the table. */
typedef struct column {
  const etr_event *event; /* its event in the first block that has it */
  uint64_t *ticks;        /* one for each chosen run */
  double usual;           /* median over the short runs */
  bool is_measured;       /* its clock is fine enough to measure its stretch */
} column;

/* The times of all operators (columns) in the chosen runs (rows). */
typedef struct table {
  const etr_blocks *blocks;
  etr_arena scratch;
  uint32_t runs[MOST_LONG + MOST_SHORT]; /* ascending */
  bool is_long[MOST_LONG + MOST_SHORT];
  size_t run_count, long_count;
  etr_vec(column) columns;
  etr_map numbers;
  double *room; /* working memory for as many numbers as there are columns, runs or pairs */
} table;

/* ---- Filling the table ---- */

/* Returns true for an event whose time is that of one operator: not a counter, and no container,
 * whose time is that of the events in it. */
static bool is_timed_operator(const etr_event *event) {
  bool takes_time = event->unit == ETR_EVENT_UNIT_TIME && event->role != ETR_ROLE_COUNTER &&
                    event->role != ETR_ROLE_CONTAINER;
  return takes_time &&
         (event->kind == ETR_EVENT_KERNEL || event->kind == ETR_EVENT_DELEGATE_OPERATOR);
}

/* Returns the column of an operator, added if it is new; NULL when out of memory. */
static column *find_or_add_column(table *t, const etr_event *event) {
  operator_key key = {event->name, event->delegate_id, event->instruction_id};
  uint32_t number = etr_map_number(&t->numbers, ETR_BYTES(key));
  if (number < t->columns.count)
    return &t->columns.data[number];
  column *added = number == ETR_NONE ? NULL : etr_vec_push(&t->scratch, &t->columns);
  if (!added)
    return NULL;
  *added = (column){
      .event = event,
      .ticks = etr_arena_alloc_array(&t->scratch, t->run_count, sizeof *added->ticks)};
  return added->ticks ? added : NULL;
}

/* Adds the ticks of an operator's event in the chosen runs to its column. Samples and chosen runs
 * are both sorted by run. Returns false when out of memory. */
static bool add_event_to_column(table *t, const etr_event *event) {
  column *c = find_or_add_column(t, event);
  for (size_t i = 0, k = 0; c && i < event->sample_count; i++) {
    while (k < t->run_count && t->runs[k] < event->sample_runs[i])
      k++;
    if (k == t->run_count)
      break;
    if (t->runs[k] == event->sample_runs[i])
      c->ticks[k] += event->durations[i];
  }
  return c != NULL;
}

/* Adds the times of the operators of a block to the table. The call of a delegate that logs no
 * operators is added as one operator. Returns false when out of memory. */
static bool add_operators_of_block(table *t, const etr_block *block) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    bool has_operators = false;
    end = etr_block_instruction_end(block, i);
    for (size_t k = i; k < end; k++)
      has_operators |= is_timed_operator(&block->events[k]);
    for (size_t k = i; k < end; k++) {
      const etr_event *event = &block->events[k];
      bool stands_for_all = !has_operators && event->kind == ETR_EVENT_DELEGATE_CALL;
      if ((stands_for_all || is_timed_operator(event)) && !add_event_to_column(t, event))
        return false;
    }
  }
  return true;
}

/* Adds the times of the operators of all blocks that the chosen runs are in to the table. Returns
 * false when out of memory. */
static bool add_operators_of_runs(table *t) {
  etr_map added;
  etr_map_init(&added, &t->scratch);
  for (size_t i = 0; i < t->run_count; i++) {
    uint32_t block = t->blocks->runs[t->runs[i]].block;
    size_t count_before = added.count;
    uint32_t number = etr_map_number(&added, ETR_BYTES(block));
    bool is_new = number == count_before;
    if (number == ETR_NONE || (is_new && !add_operators_of_block(t, &t->blocks->blocks[block])))
      return false;
  }
  return true;
}

/* ---- The usual times of operators ---- */

/* Returns the step of the clock of kernels, or with `in_delegate` of operators in delegates, in
 * ticks: the greatest common divisor of all their times. */
static uint64_t clock_step_of(const table *t, bool in_delegate) {
  uint64_t step = 0;
  for (size_t i = 0; i < t->columns.count && step != 1; i++)
    for (size_t k = 0;
         etr_event_is_in_delegate(t->columns.data[i].event) == in_delegate && k < t->run_count; k++)
      step = etr_common_divisor(step, t->columns.data[i].ticks[k]);
  return step;
}

/* Sets the usual time of each operator, in ticks: the median of the runs that are not long. One
 * that is too short for its clock counts as not measured; kernels have one clock (false), and
 * operators in delegates another (true). */
static void measure_usual_times(table *t) {
  const double steps[] = {(double)clock_step_of(t, false), (double)clock_step_of(t, true)};
  for (size_t i = 0; i < t->columns.count; i++) {
    column *c = &t->columns.data[i];
    size_t count = 0;
    for (size_t k = 0; k < t->run_count; k++)
      if (!t->is_long[k])
        t->room[count++] = (double)c->ticks[k];
    etr_sort(t->room, count, sizeof *t->room, etr_by_double);
    c->usual = etr_median_of_sorted(t->room, count);
    c->is_measured = c->usual > 0 &&
                     c->usual >= LEAST_STEPS * steps[etr_event_is_in_delegate(c->event)];
  }
}

/* Returns the logarithm of how many times as long as usual an operator took in a run of the table.
 */
static double log_stretch(const column *c, size_t run) {
  return log(ETR_MAX((double)c->ticks[run] / c->usual, SHORTEST));
}

/* ---- How alike the long runs are ---- */

/* The stretch of an operator, to be sorted; `column` counts the measured operators only. */
typedef struct ranked {
  double value;
  size_t column;
} ranked;

static int by_value(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  return (x->value > y->value) - (x->value < y->value);
}

/* Computes the ranks of the operators' stretches in a run, minus their mean and scaled so that
 * their squares add up to 1: the product of two such lists is Spearman's correlation. Equal
 * stretches share a rank. If all are equal, all results are 0. Returns false when out of memory. */
static bool rank_stretches(table *t, size_t run, double *ranks, size_t count) {
  ranked *list = etr_arena_alloc_array(&t->scratch, count, sizeof *list);
  double squares = 0;
  if (!list)
    return false;
  for (size_t i = 0, k = 0; i < t->columns.count; i++)
    if (t->columns.data[i].is_measured) {
      list[k] = (ranked){log_stretch(&t->columns.data[i], run), k};
      k++;
    }
  etr_sort(list, count, sizeof *list, by_value);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i; end < count && list[end].value <= list[i].value;)
      end++;
    for (size_t k = i; k < end; k++)
      ranks[list[k].column] = (double)(i + end) / 2 - (double)count / 2;
  }
  for (size_t i = 0; i < count; i++)
    squares += ranks[i] * ranks[i];
  for (size_t i = 0; i < count; i++)
    ranks[i] = squares > 0 ? ranks[i] / sqrt(squares) : 0;
  return true;
}

/* Returns the inner product of two lists. */
static double inner_product(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Sets *alike to the median, over all pairs of long runs, of Spearman's correlation of the
 * operators' stretches: it is high if the same operators are slow in all of them. `count` is the
 * number of measured operators. Returns false when out of memory. */
static bool measure_alike(table *t, double *alike, size_t count) {
  double *ranks = etr_arena_alloc_array(&t->scratch, t->long_count * count, sizeof *ranks);
  double pairs[MOST_LONG * (MOST_LONG - 1) / 2];
  size_t ranked_count = 0, pair_count = 0;
  if (!ranks)
    return false;
  for (size_t run = 0; run < t->run_count; run++)
    if (t->is_long[run] && !rank_stretches(t, run, ranks + count * ranked_count++, count))
      return false;
  for (size_t i = 0; i < ranked_count; i++)
    for (size_t k = i + 1; k < ranked_count; k++)
      pairs[pair_count++] = inner_product(ranks + count * i, ranks + count * k, count);
  etr_sort(pairs, pair_count, sizeof *pairs, etr_by_double);
  *alike = etr_median_of_sorted(pairs, pair_count);
  return true;
}

/* Sets how much the stretches differ between operators (the ratio of the 90th to the 10th
 * percentile), and which part of the usual time is stretched. Each operator counts with its median
 * stretch. */
static void measure_width_and_reach(table *t, etr_operator_stretch *out) {
  double stretches[MOST_LONG], stretched = 0, usual = 0;
  size_t operators = 0;
  for (size_t i = 0; i < t->columns.count; i++) {
    size_t count = 0;
    if (!t->columns.data[i].is_measured)
      continue;
    for (size_t run = 0; run < t->run_count; run++)
      if (t->is_long[run])
        stretches[count++] = log_stretch(&t->columns.data[i], run);
    etr_sort(stretches, count, sizeof *stretches, etr_by_double);
    double median = etr_median_of_sorted(stretches, count);
    t->room[operators++] = median;
    usual += t->columns.data[i].usual;
    stretched += exp(median) >= ETR_STRETCHED ? t->columns.data[i].usual : 0;
  }
  etr_sort(t->room, operators, sizeof *t->room, etr_by_double);
  out->width = exp(etr_percentile_of_sorted(t->room, operators, 90) -
                   etr_percentile_of_sorted(t->room, operators, 10));
  out->reach = usual > 0 ? stretched / usual : 0;
}

/* ---- The operator with the largest share of the excess time ---- */

/* Sets *top to the operator with the most excess time in a run (beyond its usual time), and returns
 * its share of the run's excess over `usual`, the median of the short runs in ticks. Returns 0
 * unless the operator takes longer by a factor that is TOP_FACTOR times that of the rest of the
 * run. */
static double share_of_top_operator(const table *t, size_t run, double usual,
                                    const etr_event **top) {
  double ticks = (double)t->blocks->runs[t->runs[run]].execute_ticks, most_excess = 0,
         own_ticks = 0, own_usual = 0;
  for (size_t i = 0; i < t->columns.count; i++) {
    const column *c = &t->columns.data[i];
    double excess = (double)c->ticks[run] - c->usual;
    if (excess <= most_excess)
      continue;
    most_excess = excess;
    own_ticks = (double)c->ticks[run];
    own_usual = c->usual;
    *top = c->event;
  }
  double rest = ticks - own_ticks, rest_usual = usual - own_usual;
  bool is_dominant = most_excess > 0 &&
                     own_ticks * ETR_MAX(rest_usual, 0) >= TOP_FACTOR * own_usual * rest;
  return is_dominant && ticks > usual ? ETR_MIN(most_excess / (ticks - usual), 1) : 0;
}

/* Sets out->top to the operator with the most excess time in all long runs, NULL if it is not the
 * same one or has less than half of it; and out->top_share to the median of its shares. */
static void find_top_operator(table *t, etr_operator_stretch *out) {
  double shares[MOST_LONG];
  size_t shorts = 0, count = 0;
  bool is_same = true;
  for (size_t i = 0; i < t->run_count; i++)
    if (!t->is_long[i])
      t->room[shorts++] = (double)t->blocks->runs[t->runs[i]].execute_ticks;
  etr_sort(t->room, shorts, sizeof *t->room, etr_by_double);
  double usual = etr_median_of_sorted(t->room, shorts);
  for (size_t i = 0; i < t->run_count; i++) {
    const etr_event *top = NULL;
    if (!t->is_long[i])
      continue;
    shares[count] = share_of_top_operator(t, i, usual, &top);
    if (count == 0)
      out->top = top;
    is_same &= top == out->top && shares[count] >= .5;
    count++;
  }
  etr_sort(shares, count, sizeof *shares, etr_by_double);
  out->top_share = etr_median_of_sorted(shares, count);
  if (!is_same)
    out->top = NULL;
}

/* ---- Together ---- */

/* Measures from the table what the long runs have in common, as far as there are enough operators.
 * Returns false when out of memory. */
static bool measure_table(table *t, etr_operator_stretch *out) {
  size_t room_size = ETR_MAX(t->columns.count, (size_t)(MOST_LONG + MOST_SHORT)), count = 0;
  t->room = etr_arena_alloc_array(&t->scratch, room_size, sizeof *t->room);
  if (!t->room)
    return false;
  measure_usual_times(t);
  if (t->columns.count > 1)
    find_top_operator(t, out); /* a single operator always has all of the time */
  for (size_t i = 0; i < t->columns.count; i++)
    count += t->columns.data[i].is_measured;
  if (count < LEAST_OPERATORS)
    return true;
  measure_width_and_reach(t, out);
  return measure_alike(t, &out->alike, count);
}

/* Chooses evenly spaced runs of both kinds for the table, at most MOST_LONG and MOST_SHORT, in the
 * order in which they ran. More runs add no information. */
static void choose_runs_of_table(table *t, const uint32_t *long_runs, size_t long_count,
                                 const uint32_t *short_runs, size_t short_count) {
  size_t longs = ETR_MIN(long_count, (size_t)MOST_LONG),
         shorts = ETR_MIN(short_count, (size_t)MOST_SHORT);
  for (size_t i = 0, k = 0; i < longs || k < shorts;) {
    uint32_t next_long = i < longs ? long_runs[i * long_count / longs] : ETR_NONE;
    uint32_t next_short = k < shorts ? short_runs[k * short_count / shorts] : ETR_NONE;
    t->is_long[t->run_count] = next_long < next_short;
    t->runs[t->run_count++] = ETR_MIN(next_long, next_short);
    if (next_long < next_short)
      i++;
    else
      k++;
  }
  t->long_count = longs;
}

/* Fills a table of times of operators in some of the runs, and measures it. With too few operators
 * nothing is alike (0), and the width is 1: no difference. */
bool etr_operator_stretch_of(etr_operator_stretch *out, const etr_blocks *blocks,
                             const uint32_t *long_runs, size_t long_count,
                             const uint32_t *short_runs, size_t short_count) {
  table t = {.blocks = blocks};
  *out = (etr_operator_stretch){.width = 1};
  choose_runs_of_table(&t, long_runs, long_count, short_runs, short_count);
  etr_map_init(&t.numbers, &t.scratch);
  bool good = add_operators_of_runs(&t) && measure_table(&t, out) && !etr_arena_failed(&t.scratch);
  etr_arena_clear(&t.scratch);
  return good;
}
