/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_time.c - typical times of a side and of each recording, medians, and sums of items by what
 * they have in common.
 */
#include "compare/compare_side.h"

#include "base/module_path.h"
#include "base/stats.h"

#include <math.h>

enum { MIDDLE_FROM = 10 }; /* the middle 80 % leave out one tenth of the runs at either end */

/* ---- Sorted ticks ---- */

static int by_ticks(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Sorted ticks, preceded by a number of runs that took no time. */
typedef struct sorted_ticks {
  const uint64_t *ticks;
  size_t zeros, count; /* count: with the zeros */
} sorted_ticks;

static double tick_at(const sorted_ticks *sorted, size_t index) {
  return index < sorted->zeros ? 0 : (double)sorted->ticks[index - sorted->zeros];
}

/* Returns the median, in ticks; for an even number, the mean of the two in the middle. */
static double median_of(const sorted_ticks *sorted) {
  double lower = tick_at(sorted, (sorted->count - 1) / 2),
         upper = tick_at(sorted, sorted->count / 2);
  return (lower + upper) / 2;
}

/* ---- Which runs ---- */

/* Chooses the runs whose mean is the typical time: once with all recordings (true), because each
 * has a typical time of its own, and once without odd recordings (false), for the typical time of
 * all. The weights are in the order of the runs (NULL). Returns false when out of memory. */
static bool choose_typical_runs(etr_side_runs *out, const uint64_t *ticks, etr_arena *arena) {
  const etr_typical_runs runs = {ticks, out->recording_of, NULL, out->run_count, out->run_count};
  etr_typical_choice each;
  if (!etr_typical_choose(&each, &runs, ETR_TYPICAL_ALL, arena))
    return false;
  out->each = each.typical;
  return etr_typical_choose(&out->choice, &runs, ETR_TYPICAL_NOT_ODD, arena);
}

/* Recordings are numbered in the order of their runs, so the last run has the highest number.
 * Returns false when out of memory. */
bool etr_side_runs_of(etr_side_runs *out, const uint64_t *ticks, const uint32_t *recording_of,
                      size_t run_count, etr_arena *arena) {
  *out = (etr_side_runs){.recording_of = recording_of, .run_count = run_count};
  if (run_count)
    out->recording_count = recording_of[run_count - 1] + 1;
  out->sums = etr_arena_alloc_array(arena, out->recording_count, sizeof *out->sums);
  return out->sums && choose_typical_runs(out, ticks, arena);
}

/* ---- Times ---- */

/* Sets `offset` and `spread`: the mean of the logarithms of the recordings' typical times, less the
 * logarithm of the typical time, and their standard deviation. The recordings' times are in
 * runs->sums. Both are NaN if a time is 0, and are not set for a single recording. */
static void set_offset_and_spread(etr_side_time *time, const etr_side_runs *runs) {
  etr_moments found = {0};
  if (runs->recording_count < 2)
    return;
  for (size_t i = 0; i < runs->recording_count; i++)
    etr_moments_add(&found, log(runs->sums[i]));
  bool has_zero = !isfinite(found.mean) || !(time->typical > 0);
  time->offset = has_zero ? NAN : found.mean - log(time->typical);
  time->spread = has_zero ? NAN : sqrt(found.squares / (double)(runs->recording_count - 1));
}

void etr_side_time_set_steady(etr_side_time *time) {
  time->steady = time->p50;
  time->rounding = time->step / 2;
}

/* Computes the time of something, in ticks, from its ticks in the `count` runs in which it
 * occurred, which are sorted. The median is over `ran_in` runs, of which those without ticks count
 * as 0; low and high are over all runs of the method. `typical` is its typical time. */
static etr_side_time make_side_time(uint64_t *ticks, size_t count, const etr_side_runs *runs,
                                    double typical, size_t ran_in, double step) {
  etr_side_time time = {0};
  if (count == 0)
    return time;
  etr_sort(ticks, count, sizeof *ticks, by_ticks);
  const sorted_ticks over_all_runs = {ticks, runs->run_count - count, runs->run_count},
                     over_own_runs = {ticks, ran_in - count, ran_in};
  size_t left_out = over_all_runs.count / MIDDLE_FROM;
  for (size_t i = 0; i < count; i++)
    time.total += (double)ticks[i];
  time.runs = ran_in;
  time.typical = typical;
  time.p50 = median_of(&over_own_runs);
  time.low = tick_at(&over_all_runs, left_out);
  time.high = tick_at(&over_all_runs, over_all_runs.count - 1 - left_out);
  time.step = step;
  etr_side_time_set_steady(&time);
  set_offset_and_spread(&time, runs);
  return time;
}

/* Sets the sum of each recording, from which its typical time is computed, to 0. */
static void clear_recording_sums(const etr_side_runs *runs) {
  for (size_t i = 0; i < runs->recording_count; i++)
    runs->sums[i] = 0;
}

/* Adds the ticks of a run to the sum of its recording, with the run's weight in the typical time.
 */
static void add_to_recording_sum(const etr_side_runs *runs, uint32_t run, uint64_t ticks) {
  uint32_t recording = runs->recording_of[run];
  runs->sums[recording] = etr_typical_add(runs->sums[recording], &runs->each, run, ticks);
}

/* Divides the sum of each recording in runs->sums by its total weight, which makes it the
 * recording's typical time. All recordings, odd ones included, have equal parts of the divisor of
 * all. */
static void divide_recording_sums(const etr_side_runs *runs) {
  double divisor = runs->each.divisor / (double)ETR_MAX(runs->recording_count, (size_t)1);
  for (size_t i = 0; i < runs->recording_count; i++)
    runs->sums[i] /= divisor;
}

/* ticks[i] is the time of run i. Returns false when out of memory. */
bool etr_side_time_of_ticks(etr_side_time *out, const uint64_t *ticks, const etr_side_runs *runs,
                            double step, etr_arena *scratch) {
  uint64_t *sorted = etr_arena_alloc_array(scratch, runs->run_count, sizeof *sorted);
  *out = (etr_side_time){0};
  if (!sorted)
    return false;
  clear_recording_sums(runs);
  for (uint32_t i = 0; i < runs->run_count; i++) {
    sorted[i] = ticks[i];
    add_to_recording_sum(runs, i, ticks[i]);
  }
  divide_recording_sums(runs);
  *out = make_side_time(sorted, runs->run_count, runs, runs->choice.ticks, runs->run_count, step);
  out->recordings = runs->recording_count;
  return true;
}

/* ---- Sums ---- */

/* Prepares for sums over the same runs. Returns false when out of memory. */
bool etr_run_sums_init(etr_run_sums *s, const etr_side_runs *runs, etr_arena *scratch) {
  *s = (etr_run_sums){.scratch = scratch, .of = runs};
  s->ticks = etr_arena_alloc_array(scratch, runs->run_count, sizeof *s->ticks);
  s->rounds = etr_arena_alloc_array(scratch, runs->run_count, sizeof *s->rounds);
  s->rounds_of_recordings = etr_arena_alloc_array(scratch, runs->recording_count,
                                                  sizeof *s->rounds_of_recordings);
  return s->ticks && s->rounds && s->rounds_of_recordings;
}

void etr_run_sums_begin(etr_run_sums *s) {
  s->round++;
  s->runs.count = 0;
}

/* Starts the sum of a run, to which nothing was added yet in this round: its ticks are those of an
 * earlier round. Returns false when out of memory. */
static bool start_sum_of_run(etr_run_sums *s, uint32_t run) {
  uint32_t *added = etr_vec_push(s->scratch, &s->runs);
  if (!added)
    return false;
  *added = run;
  s->rounds[run] = s->round;
  s->ticks[run] = 0;
  return true;
}

/* Adds the ticks of some runs to the sum. Returns false when out of memory. */
bool etr_run_sums_add(etr_run_sums *s, const etr_run_ticks *each_run, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t run = each_run[i].run;
    if (s->rounds[run] != s->round && !start_sum_of_run(s, run))
      return false;
    s->ticks[run] += each_run[i].ticks;
  }
  return true;
}

/* Computes the time of the current sum over the runs to which something was added. The median, and
 * the numbers of runs and recordings, are over these too, or over all with `with_zeros`. Returns
 * false when out of memory. */
bool etr_run_sums_end(etr_run_sums *s, etr_side_time *out, bool with_zeros, double step) {
  const etr_side_runs *all_runs = s->of;
  double sum = 0;
  size_t recordings = 0;
  *out = (etr_side_time){0};
  s->sorted.count = 0;
  clear_recording_sums(all_runs);
  for (size_t i = 0; i < s->runs.count; i++) {
    uint32_t run = s->runs.data[i];
    uint64_t *added = etr_vec_push(s->scratch, &s->sorted);
    if (!added)
      return false;
    *added = s->ticks[run];
    sum = etr_typical_add(sum, &all_runs->choice.typical, run, s->ticks[run]);
    add_to_recording_sum(all_runs, run, s->ticks[run]);
    if (s->rounds_of_recordings[all_runs->recording_of[run]] != s->round)
      recordings++;
    s->rounds_of_recordings[all_runs->recording_of[run]] = s->round;
  }
  divide_recording_sums(all_runs);
  *out = make_side_time(s->sorted.data, s->sorted.count, all_runs,
                        etr_typical_of(sum, &all_runs->choice.typical),
                        with_zeros ? all_runs->run_count : s->sorted.count, step);
  if (out->runs)
    out->recordings = with_zeros ? all_runs->recording_count : recordings;
  return true;
}

/* ---- Items of a side by what they have in common ---- */

/* Returns the key of the group that an item is in, such as its operator; for trees the path of its
 * module, which contains the keys of the modules around it. Returns NULL by backend for an item
 * that did not run, because it is not known where it would have. */
static const char *key_of_group(const etr_side_item *item, etr_side_by by) {
  if (by == ETR_SIDE_OP)
    return item->op;
  if (by == ETR_SIDE_MODULE || by == ETR_SIDE_MODULE_TREE)
    return item->module;
  if (by == ETR_SIDE_PATTERN || by == ETR_SIDE_PATTERN_OP || by == ETR_SIDE_PATTERN_TREE)
    return item->pattern;
  if (by == ETR_SIDE_SOURCE)
    return item->line;
  if (item->time.runs == 0)
    return NULL;
  return item->backend ? item->backend : "cpu";
}

/* The list has the order of etr_side_by. */
etr_side_sums *etr_side_sums_of(etr_side_method *method, etr_side_by by) {
  etr_side_sums *const sums[ETR_SIDE_BY] = {
      &method->ops,     &method->modules,     &method->patterns,     &method->backends,
      &method->sources, &method->pattern_ops, &method->module_trees, &method->pattern_trees};
  return sums[by];
}

typedef etr_vec(etr_side_sum) sum_rows;

/* An item in a group. */
typedef struct membership {
  uint32_t group, item;
} membership;

/* Items that are being grouped. */
typedef struct grouper {
  etr_side_by by;
  etr_arena *arena, *scratch;
  etr_map index; /* key -> row */
  sum_rows rows;
  etr_vec(membership) members;
} grouper;

/* Adds an item to the group of a key, or if `op` is not NULL, of the key and that operator. The
 * group is added if it is new. Returns false when out of memory. */
static bool add_to_group(grouper *g, etr_slice key, const char *op, uint32_t item) {
  const char *both = op ? etr_arena_format(g->scratch, "%s\n%.*s", op, (int)key.size, key.data)
                        : NULL;
  if (op && !both)
    return false;
  etr_map_slot *slot = etr_map_at(&g->index, both ? etr_slice_of(both) : key);
  membership *added = etr_vec_push(g->scratch, &g->members);
  if (!slot || !added)
    return false;
  if (slot->value == ETR_NONE) {
    etr_side_sum *row = etr_vec_push(g->arena, &g->rows);
    if (!row)
      return false;
    row->key = etr_arena_text(g->arena, key);
    row->op = op;
    slot->value = (uint32_t)(g->rows.count - 1);
  }
  *added = (membership){slot->value, item};
  return true;
}

/* Adds an item to its group, or for trees to the groups of all modules around it. Returns false
 * when out of memory. */
static bool add_to_all_groups(grouper *g, const etr_side_item *items, uint32_t item) {
  const char *key = key_of_group(&items[item], g->by);
  bool is_tree = g->by == ETR_SIDE_MODULE_TREE || g->by == ETR_SIDE_PATTERN_TREE;
  if (!key)
    return true;
  if (!is_tree)
    return add_to_group(g, etr_slice_of(key), g->by == ETR_SIDE_PATTERN_OP ? items[item].op : NULL,
                        item);
  for (size_t level = 0, end = 0; etr_next_module_around(key, &level, &end);)
    if (!add_to_group(g, (etr_slice){key, end}, NULL, item))
      return false;
  return true;
}

/* Adds the time of an item to the sum of its group, unless it never ran. Errors of clocks are
 * independent, so the squares of their steps are added; the root is taken at the end. */
static void add_item_time(etr_side_sum *sum, const etr_side_item *item) {
  if (item->time.runs == 0)
    return;
  sum->timed++;
  sum->time.total += item->time.total;
  sum->time.typical += item->time.typical;
  sum->time.steady += item->time.steady;
  sum->time.rounding += item->time.rounding;
  sum->time.step += item->time.step * item->time.step;
}

/* Adds each item to its groups, then sorts the items by group (a counting sort, which keeps their
 * order). Returns false when out of memory. */
bool etr_side_group(etr_side_groups *out, const etr_side_item *items, size_t count, etr_side_by by,
                    etr_arena *arena, etr_arena *scratch) {
  grouper g = {.by = by, .arena = arena, .scratch = scratch};
  etr_map_init(&g.index, scratch);
  for (uint32_t i = 0; i < count; i++)
    if (!add_to_all_groups(&g, items, i))
      return false;
  size_t rows = g.rows.count, members = g.members.count;
  uint32_t *first = etr_arena_alloc_array(scratch, rows + 2, sizeof *first);
  uint32_t *sorted = etr_arena_alloc_array(scratch, members, sizeof *sorted);
  if (etr_arena_failed(scratch))
    return false;
  /* first[g + 2] counts group g. Added up, first[g + 1] is where g starts, and after its items were
   * placed, where g ends. So at last first[g] is where g starts. */
  for (size_t i = 0; i < members; i++) {
    const membership *member = &g.members.data[i];
    add_item_time(&g.rows.data[member->group], &items[member->item]);
    first[member->group + 2]++;
  }
  for (size_t row = 2; row < rows + 2; row++)
    first[row] += first[row - 1];
  for (size_t i = 0; i < members; i++) {
    const membership *member = &g.members.data[i];
    sorted[first[member->group + 1]++] = member->item;
  }
  for (size_t row = 0; row < rows; row++)
    g.rows.data[row].time.step = sqrt(g.rows.data[row].time.step);
  *out = (etr_side_groups){g.rows.data, rows, first, sorted};
  return true;
}
