/* SPDX-License-Identifier: BSD-3-Clause
 *
 * skipped.c - which runs warm up, and blocks without them.
 */
#include "runs/blocks.h"
#include "runs/inferences.h"
#include "runs/runs.h"

/* A run warms up if it takes more than WARM_UP_FACTOR times the median of the runs behind it, and more than LONG_FACTOR
 * times what four fifths of them take at most: a first run in the slow one of two modes is not longer than other slow
 * runs. */
static const double WARM_UP_FACTOR = 1.5, LONG_FACTOR = 1.2;
enum { LEAST_BEHIND = 3 }; /* runs behind one that it takes to tell */

/* ---- Warm-up ---- */

/* A run among those of its series, sorted by time. */
typedef struct sorted_run {
  uint64_t ticks;
  uint32_t index;          /* in the series */
  uint32_t previous, next; /* of those that are left */
} sorted_run;

/* The run of a given rank among those that are left: the smallest that so many tenths of them do not exceed. */
typedef struct ranked_run {
  uint32_t place;
  size_t rank; /* from 1 */
  size_t tenths;
} ranked_run;

/* What is left of a series as leading runs are taken away: each costs a step, however many there are. */
typedef struct remainder {
  sorted_run *list;
  uint32_t *place; /* of each run of the series in the list */
  ranked_run middle, long_one;
  size_t count;
} remainder;

static int by_ticks(const void *a, const void *b) {
  const sorted_run *x = a, *y = b;
  return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

static size_t rank_of(size_t tenths, size_t count) { return (tenths * count + 9) / 10; }

static ranked_run ranked_run_of(size_t tenths, size_t count) {
  size_t rank = rank_of(tenths, count);
  return (ranked_run){.place = (uint32_t)(rank - 1), .rank = rank, .tenths = tenths};
}

/* Moves to the run that has the rank once another one is gone; `left` are left. */
static void move_rank(ranked_run *ranked, const remainder *r, uint32_t gone, size_t left) {
  size_t wanted = rank_of(ranked->tenths, left);
  if (gone < ranked->place) ranked->rank--;
  if (gone == ranked->place) {
    bool has_next = r->list[gone].next != ETR_NONE;
    ranked->place = has_next ? r->list[gone].next : r->list[gone].previous;
    if (!has_next) ranked->rank--;
  }
  for (; ranked->rank > wanted; ranked->rank--) ranked->place = r->list[ranked->place].previous;
  for (; ranked->rank < wanted; ranked->rank++) ranked->place = r->list[ranked->place].next;
}

static double median_of(const remainder *r) {
  const sorted_run *middle = &r->list[r->middle.place];
  if (r->count % 2) return (double)middle->ticks;
  return ((double)middle->ticks + (double)r->list[middle->next].ticks) / 2;
}

static void skip_warm_up(const etr_blocks *blocks, remainder *r, const etr_inference *series, size_t count) {
  /* All runs are in the list at first, sorted by their time. */
  for (uint32_t i = 0; i < count; i++)
    r->list[i] = (sorted_run){.ticks = blocks->runs[series[i].run].execute_ticks, .index = i};
  etr_sort(r->list, count, sizeof *r->list, by_ticks);
  for (uint32_t i = 0; i < count; i++) {
    r->list[i].previous = i ? i - 1 : ETR_NONE;
    r->list[i].next = i + 1 < count ? i + 1 : ETR_NONE;
    r->place[r->list[i].index] = i;
  }
  r->middle = ranked_run_of(5, count);
  r->long_one = ranked_run_of(8, count);
  r->count = count;
  for (size_t i = 0; i + LEAST_BEHIND < count; i++) {
    etr_run *run = &blocks->runs[series[i].run];
    /* The run leaves the list, and the ranks follow. */
    const sorted_run *gone = &r->list[r->place[i]];
    if (gone->previous != ETR_NONE) r->list[gone->previous].next = gone->next;
    if (gone->next != ETR_NONE) r->list[gone->next].previous = gone->previous;
    r->count--;
    move_rank(&r->middle, r, r->place[i], r->count);
    move_rank(&r->long_one, r, r->place[i], r->count);
    double ticks = (double)run->execute_ticks, median = median_of(r);
    bool is_longest = ticks > LONG_FACTOR * (double)r->list[r->long_one.place].ticks;
    if (median <= 0 || ticks <= WARM_UP_FACTOR * median || !is_longest) return;
    run->is_skipped = true;
  }
}

/* ---- All ---- */

/* Leading runs of each phase: what comes first is long for its own reasons, too, as a prompt is. */
static bool skip_all_warm_up(const etr_blocks *blocks, etr_inference *list, size_t count, etr_arena *scratch) {
  remainder r = {.list = etr_arena_alloc_array(scratch, count, sizeof *r.list),
                 .place = etr_arena_alloc_array(scratch, count, sizeof *r.place)};
  if (!r.list || !r.place) return false;
  etr_sort(list, count, sizeof *list, etr_inference_by_phase);
  for (size_t i = 0, end; i < count; i = end) {
    end = etr_inferences_end_of_phase(list, count, i);
    skip_warm_up(blocks, &r, list + i, end - i);
  }
  return true;
}

static bool skip_leading(const etr_blocks *blocks, const etr_options *options, etr_arena *scratch) {
  size_t count;
  etr_inference *list = etr_inferences_list(blocks, scratch, &count);
  if (!list) return false;
  if (options->skip == ETR_SKIP_AUTO) return skip_all_warm_up(blocks, list, count, scratch);
  for (size_t i = 0, end; i < count; i = end) {
    end = etr_inferences_end_of_series(list, count, i);
    for (size_t k = i; k < end && k - i < options->skip_count; k++) blocks->runs[list[k].run].is_skipped = true;
  }
  return true;
}

bool etr_skipped_find(etr_blocks *blocks, const etr_options *options) {
  etr_arena scratch = {0};
  bool good = true;
  if (options->skip == ETR_SKIP_RANGE) {
    /* Inferences outside of the range that the caller asked for are excluded. */
    for (size_t i = 0; i < blocks->run_count; i++) {
      const etr_block *block = &blocks->blocks[blocks->runs[i].block];
      bool is_inference = block->method != ETR_NONE && etr_block_counts(blocks, block);
      blocks->runs[i].is_skipped = is_inference && (i < options->first_run || i > options->last_run);
    }
  } else if (options->skip != ETR_SKIP_NONE)
    good = skip_leading(blocks, options, &scratch);
  etr_arena_clear(&scratch);
  return good;
}

/* ---- Blocks without them ---- */

static void drop_samples(etr_event *row, const etr_run *runs) {
  size_t count = row->sample_count;
  row->sample_count = 0;
  for (size_t i = 0; i < count; i++)
    if (!runs[row->sample_runs[i]].is_skipped) etr_samples_put(row, etr_samples_at(row, i));
}

/* Puts the skipped runs behind the others. */
static bool part_runs(etr_block *block, const etr_run *runs, etr_arena *scratch) {
  uint32_t *list = etr_unconst(block->runs);
  uint32_t *skipped = etr_arena_alloc_array(scratch, block->run_count, sizeof *skipped);
  size_t count = block->run_count;
  if (!skipped) return false;
  block->run_count = block->skipped_run_count = 0;
  for (size_t i = 0; i < count; i++)
    if (runs[list[i]].is_skipped)
      skipped[block->skipped_run_count++] = list[i];
    else
      list[block->run_count++] = list[i];
  memcpy(list + block->run_count, skipped, block->skipped_run_count * sizeof *skipped);
  return true;
}

bool etr_skipped_drop(const etr_blocks *blocks, uint32_t method, etr_arena *scratch) {
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++) {
    uint32_t index = mine[i];
    etr_block *block = &blocks->blocks[index];
    bool any = false;
    for (size_t k = 0; k < block->run_count && !any; k++) any = blocks->runs[block->runs[k]].is_skipped;
    if (!any) continue;
    uint64_t *sorted = etr_arena_alloc_array(scratch, etr_samples_most(block, 1), sizeof *sorted);
    if (!sorted || !part_runs(block, blocks->runs, scratch)) return false;
    for (size_t k = 0; k < block->event_count; k++) drop_samples(&etr_block_rows(block)[k], blocks->runs);
    etr_samples_measure(block, sorted);
    blocks->starts[index] = etr_block_start(block);
  }
  return true;
}
