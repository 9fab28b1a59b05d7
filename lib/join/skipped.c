/* SPDX-License-Identifier: BSD-3-Clause
 *
 * skipped.c - which runs warm up, and blocks without them.
 */
#include "join/skipped.h"

#include "join/inferences.h"
#include "join/samples.h"

#define WARM_UP_FACTOR 1.5 /* a run that warms up takes more than this many times the median of those behind it */
enum { LEAST_BEHIND = 3 }; /* runs behind one that it takes to tell */

/* ---- Warm-up ---- */

/* A run among those of its series, sorted by time. */
typedef struct sorted_run {
  uint64_t ticks;
  uint32_t index;          /* in the series */
  uint32_t previous, next; /* of those that are left */
} sorted_run;

/* What is left of a series as leading runs are taken away, with its median: each costs a step, however many there are.
 */
typedef struct remainder {
  sorted_run *list;
  uint32_t *place; /* of each run of the series in the list */
  uint32_t middle; /* place of the lower median */
  size_t count;
} remainder;

static int by_ticks(const void *a, const void *b) {
  const sorted_run *x = a, *y = b;
  return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

static void begin(remainder *r, const etr_blocks *blocks, const etr_inference *series, size_t count) {
  for (uint32_t i = 0; i < count; i++)
    r->list[i] = (sorted_run){.ticks = blocks->runs[series[i].run].execute_ticks, .index = i};
  etr_sort(r->list, count, sizeof *r->list, by_ticks);
  for (uint32_t i = 0; i < count; i++) {
    r->list[i].previous = i ? i - 1 : ETR_NONE;
    r->list[i].next = i + 1 < count ? i + 1 : ETR_NONE;
    r->place[r->list[i].index] = i;
  }
  r->middle = (uint32_t)(count - 1) / 2;
  r->count = count;
}

static void take_away(remainder *r, uint32_t place) {
  const sorted_run *gone = &r->list[place];
  if (r->count % 2 == 0 && place <= r->middle)
    r->middle = r->list[r->middle].next;
  else if (r->count % 2 != 0 && place >= r->middle)
    r->middle = r->list[r->middle].previous;
  if (gone->previous != ETR_NONE) r->list[gone->previous].next = gone->next;
  if (gone->next != ETR_NONE) r->list[gone->next].previous = gone->previous;
  r->count--;
}

static double median_of(const remainder *r) {
  const sorted_run *middle = &r->list[r->middle];
  if (r->count % 2) return (double)middle->ticks;
  return ((double)middle->ticks + (double)r->list[middle->next].ticks) / 2;
}

static void skip_warm_up(const etr_blocks *blocks, remainder *r, const etr_inference *series, size_t count) {
  begin(r, blocks, series, count);
  for (size_t i = 0; i + LEAST_BEHIND < count; i++) {
    etr_run *run = &blocks->runs[series[i].run];
    take_away(r, r->place[i]);
    double median = median_of(r);
    if (median <= 0 || (double)run->execute_ticks <= WARM_UP_FACTOR * median) return;
    run->is_skipped = true;
  }
}

/* ---- All ---- */

static void skip_range(const etr_blocks *blocks, const etr_options *options) {
  for (size_t i = 0; i < blocks->run_count; i++) {
    const etr_block *block = &blocks->blocks[blocks->runs[i].block];
    bool is_inference = block->method != ETR_NONE && etr_block_counts(blocks, block);
    blocks->runs[i].is_skipped = is_inference && (i < options->first_run || i > options->last_run);
  }
}

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

static void skip_first(const etr_blocks *blocks, const etr_inference *list, size_t count, uint32_t most) {
  for (size_t i = 0, end; i < count; i = end) {
    end = etr_inferences_end_of_series(list, count, i);
    for (size_t k = i; k < end && k - i < most; k++) blocks->runs[list[k].run].is_skipped = true;
  }
}

static bool skip_leading(const etr_blocks *blocks, const etr_options *options, etr_arena *scratch) {
  size_t count;
  etr_inference *list = etr_inferences_list(blocks, scratch, &count);
  if (!list) return false;
  if (options->skip == ETR_SKIP_AUTO) return skip_all_warm_up(blocks, list, count, scratch);
  skip_first(blocks, list, count, options->skip_count);
  return true;
}

bool etr_skipped_find(etr_blocks *blocks, const etr_options *options) {
  etr_arena scratch = {0};
  bool good = true;
  if (options->skip == ETR_SKIP_RANGE)
    skip_range(blocks, options);
  else if (options->skip != ETR_SKIP_NONE)
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

static bool drop(const etr_blocks *blocks, uint32_t index, etr_arena *scratch) {
  etr_block *block = &blocks->blocks[index];
  bool any = false;
  for (size_t i = 0; i < block->run_count && !any; i++) any = blocks->runs[block->runs[i]].is_skipped;
  if (!any) return true;
  uint64_t *sorted = etr_arena_alloc_array(scratch, etr_samples_most(block, 1), sizeof *sorted);
  if (!sorted || !part_runs(block, blocks->runs, scratch)) return false;
  for (size_t i = 0; i < block->event_count; i++) drop_samples(&etr_block_rows(block)[i], blocks->runs);
  etr_samples_measure(block, sorted);
  blocks->starts[index] = etr_block_start(block);
  return true;
}

bool etr_skipped_drop(const etr_blocks *blocks, uint32_t method, etr_arena *scratch) {
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++)
    if (!drop(blocks, mine[i], scratch)) return false;
  return true;
}
