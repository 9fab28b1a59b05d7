/* SPDX-License-Identifier: BSD-3-Clause
 *
 * skipped.c - finds warm-up and other excluded runs, and removes them from blocks.
 */
#include "runs/blocks.h"
#include "runs/inferences.h"
#include "runs/runs.h"

/* ---- Warm-up ---- */

/* A run in the list of its series, sorted by time. */
typedef struct sorted_run {
  uint64_t ticks;
  uint32_t index;          /* index in the series */
  uint32_t previous, next; /* neighbors among the remaining runs */
} sorted_run;

/* A quantile of the remaining runs: the shortest run that is at least as long as `tenths` tenths of
 * them. */
typedef struct ranked_run {
  uint32_t position; /* in the sorted list of all runs */
  size_t rank;       /* rank of the run among the remaining ones, from 1 */
  size_t tenths;
} ranked_run;

/* The remaining runs of a series while leading runs are removed. Removing one takes a constant
 * number of steps. */
typedef struct remainder {
  sorted_run *list;
  uint32_t *position; /* position in the list of each run of the series */
  ranked_run middle, long_one;
  size_t count;
} remainder;

static int by_ticks(const void *a, const void *b) {
  const sorted_run *x = a, *y = b;
  return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/* Returns the rank, from 1, of a quantile of `count` runs. */
static size_t rank_of_quantile(size_t tenths, size_t count) {
  return (tenths * count + 9) / 10;
}

/* Returns a quantile of all `count` runs, none of which was removed yet. */
static ranked_run quantile_of_all(size_t tenths, size_t count) {
  size_t rank = rank_of_quantile(tenths, count);
  return (ranked_run){.position = (uint32_t)(rank - 1), .rank = rank, .tenths = tenths};
}

/* Updates a quantile after the run at position `removed` was removed from the linked list. `count`
 * is the number of remaining runs. The rank changes by one at most, so this takes few steps. */
static void update_quantile(ranked_run *ranked, const remainder *remaining, uint32_t removed,
                            size_t count) {
  size_t wanted = rank_of_quantile(ranked->tenths, count);
  if (removed < ranked->position)
    ranked->rank--;
  if (removed == ranked->position) {
    bool has_next = remaining->list[removed].next != ETR_NONE;
    ranked->position = has_next ? remaining->list[removed].next : remaining->list[removed].previous;
    if (!has_next)
      ranked->rank--;
  }
  for (; ranked->rank > wanted; ranked->rank--)
    ranked->position = remaining->list[ranked->position].previous;
  for (; ranked->rank < wanted; ranked->rank++)
    ranked->position = remaining->list[ranked->position].next;
}

/* Returns the median of the remaining runs, in ticks. */
static double median_of(const remainder *r) {
  const sorted_run *middle = &r->list[r->middle.position];
  if (r->count % 2)
    return (double)middle->ticks;
  return ((double)middle->ticks + (double)r->list[middle->next].ticks) / 2;
}

/* Lists all runs of a series in `remaining`, sorted and linked by time, with the quantiles by which
 * warm-up is recognized: the median, and the run that 80 % are not longer than. */
static void list_runs_by_time(remainder *remaining, const etr_blocks *blocks,
                              const etr_inference *series, size_t count) {
  for (uint32_t i = 0; i < count; i++)
    remaining->list[i] = (sorted_run){.ticks = blocks->runs[series[i].run].execute_ticks,
                                      .index = i};
  etr_sort(remaining->list, count, sizeof *remaining->list, by_ticks);
  for (uint32_t i = 0; i < count; i++) {
    remaining->list[i].previous = i ? i - 1 : ETR_NONE;
    remaining->list[i].next = i + 1 < count ? i + 1 : ETR_NONE;
    remaining->position[remaining->list[i].index] = i;
  }
  remaining->middle = quantile_of_all(5, count);
  remaining->long_one = quantile_of_all(8, count);
  remaining->count = count;
}

/* Removes run i of the series from the remaining runs and updates their quantiles. */
static void remove_leading_run(remainder *remaining, size_t i) {
  uint32_t position = remaining->position[i];
  const sorted_run *removed = &remaining->list[position];
  if (removed->previous != ETR_NONE)
    remaining->list[removed->previous].next = removed->next;
  if (removed->next != ETR_NONE)
    remaining->list[removed->next].previous = removed->previous;
  remaining->count--;
  update_quantile(&remaining->middle, remaining, position, remaining->count);
  update_quantile(&remaining->long_one, remaining, position, remaining->count);
}

/* Excludes the first runs of a series, one after the other, as long as each is warm-up: longer than
 * the median of the runs behind it by a factor, and longer than most of these (80 %) by another. At
 * least ETR_WARM_UP_LEAST_BEHIND runs must be behind it. `remaining` is working memory. */
static void skip_warm_up(const etr_blocks *blocks, remainder *remaining,
                         const etr_inference *series, size_t count) {
  list_runs_by_time(remaining, blocks, series, count);
  for (size_t i = 0; i + ETR_WARM_UP_LEAST_BEHIND < count; i++) {
    etr_run *run = &blocks->runs[series[i].run];
    remove_leading_run(remaining, i);
    double ticks = (double)run->execute_ticks, median = median_of(remaining),
           long_ticks = (double)remaining->list[remaining->long_one.position].ticks;
    bool is_above_median = median > 0 && ticks > ETR_WARM_UP_FACTOR * median;
    bool is_above_long_runs = ticks > ETR_WARM_UP_LONG_FACTOR * long_ticks;
    if (!is_above_median || !is_above_long_runs)
      return;
    run->is_skipped = true;
  }
}

/* ---- All ---- */

/* Excludes warm-up among the leading runs of each phase of each series. Phases are separate because
 * a first run may also be long for other reasons, as a prompt is. So may those of a method whose
 * work follows the input, which are kept. Sorts `list`. Returns false when out of memory. */
static bool skip_warm_up_of_all(const etr_blocks *blocks, const etr_method_inputs *inputs,
                                etr_inference *list, size_t count, etr_arena *scratch) {
  remainder r = {.list = etr_arena_alloc_array(scratch, count, sizeof *r.list),
                 .position = etr_arena_alloc_array(scratch, count, sizeof *r.position)};
  if (!r.list || !r.position)
    return false;
  etr_sort(list, count, sizeof *list, etr_inference_by_phase);
  for (size_t i = 0, end; i < count; i = end) {
    end = etr_inferences_end_of_phase(list, count, i);
    if (!inputs || inputs[list[i].method].varies != ETR_WORK_FOLLOWS_INPUT)
      skip_warm_up(blocks, &r, list + i, end - i);
  }
  return true;
}

/* Excludes warm-up, or as many leading runs of each series as the user wants. Returns false when
 * out of memory. */
static bool skip_leading(const etr_blocks *blocks, const etr_method_inputs *inputs,
                         const etr_options *options, etr_arena *scratch) {
  size_t count;
  etr_inference *list = etr_inferences_list(blocks, scratch, &count);
  if (!list)
    return false;
  if (options->skip == ETR_SKIP_AUTO)
    return skip_warm_up_of_all(blocks, inputs, list, count, scratch);
  for (size_t i = 0, end; i < count; i = end) {
    end = etr_inferences_end_of_series(list, count, i);
    for (size_t k = i; k < end && k - i < options->skip_count; k++)
      blocks->runs[list[k].run].is_skipped = true;
  }
  return true;
}

bool etr_skipped_find(etr_blocks *blocks, const etr_method_inputs *inputs,
                      const etr_options *options) {
  etr_arena scratch = {0};
  bool good = true;
  if (options->skip == ETR_SKIP_RANGE) {
    /* Inferences outside of the range that the caller asked for are excluded. */
    for (size_t i = 0; i < blocks->run_count; i++) {
      const etr_block *block = &blocks->blocks[blocks->runs[i].block];
      bool is_inference = block->method != ETR_NONE && etr_block_counts(blocks, block);
      blocks->runs[i].is_skipped = is_inference &&
                                   (i < options->first_run || i > options->last_run);
    }
  } else if (options->skip != ETR_SKIP_NONE)
    good = skip_leading(blocks, inputs, options, &scratch);
  etr_arena_clear(&scratch);
  return good;
}

/* ---- Removing excluded runs from blocks ---- */

/* Each block that has excluded runs counts them in skipped_run_count, and starts with its first
 * included run. {0} names no groups: then the excluded runs leave. Returns false when out of
 * memory. */
bool etr_skipped_drop(const etr_blocks *blocks, uint32_t method) {
  size_t count;
  const uint32_t *block_indices = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++) {
    uint32_t index = block_indices[i];
    etr_block *block = &blocks->blocks[index];
    bool has_skipped = false;
    for (size_t k = 0; k < block->run_count && !has_skipped; k++)
      has_skipped = blocks->runs[block->runs[k]].is_skipped;
    if (!has_skipped)
      continue;
    block->skipped_run_count = block->run_count;
    if (!etr_block_remove_runs(blocks, block, (etr_leaving){0}))
      return false;
    block->skipped_run_count -= block->run_count;
    blocks->starts[index] = etr_block_start(block);
  }
  return true;
}
