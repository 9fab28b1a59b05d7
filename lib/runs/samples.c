/* SPDX-License-Identifier: BSD-3-Clause
 *
 * samples.c - occurrences of rows: runs in order, repetitions within a run behind each other.
 */
#include "runs/samples.h"

#include "base/stats.h"

void etr_samples_put(etr_event *row, etr_sample sample) {
  uint64_t *durations = etr_unconst(row->durations), *starts = etr_unconst(row->starts);
  uint32_t *runs = etr_unconst(row->sample_runs);
  etr_bytes *metadata = etr_unconst(row->metadata);
  size_t at = row->sample_count++;
  durations[at] = sample.duration;
  starts[at] = sample.start;
  runs[at] = sample.run;
  if (metadata) metadata[at] = sample.metadata;
}

etr_sample etr_samples_at(const etr_event *row, size_t index) {
  return (etr_sample){.duration = row->durations[index],
                      .start = row->starts[index],
                      .metadata = row->metadata ? row->metadata[index] : (etr_bytes){0},
                      .run = row->sample_runs[index]};
}

size_t etr_samples_most(const etr_block *blocks, size_t count) {
  size_t most = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < blocks[i].event_count; k++) most = ETR_MAX(most, blocks[i].events[k].sample_count);
  return most;
}

void etr_samples_measure(const etr_block *block, uint64_t *sorted) {
  for (size_t i = 0; i < block->event_count; i++) {
    etr_event *row = &etr_block_rows(block)[i];
    if (row->sample_count) memcpy(sorted, row->durations, row->sample_count * sizeof *sorted);
    row->stats = etr_stats_of(sorted, row->sample_count);
  }
}

/* ---- Runs taken out of their blocks ---- */

/* Moves the occurrences of one run to a row of the same event that has none. */
static bool move_samples(etr_event *to, etr_event *from, uint32_t run, etr_arena *arena) {
  size_t count = from->sample_count, moving = 0;
  for (size_t i = 0; i < count; i++) moving += from->sample_runs[i] == run;
  to->durations = etr_arena_alloc_array(arena, moving, sizeof *to->durations);
  to->starts = etr_arena_alloc_array(arena, moving, sizeof *to->starts);
  to->sample_runs = etr_arena_alloc_array(arena, moving, sizeof *to->sample_runs);
  if (from->metadata) to->metadata = etr_arena_alloc_array(arena, moving, sizeof *to->metadata);
  if (etr_arena_failed(arena)) return false;
  to->sample_count = from->sample_count = 0;
  for (size_t i = 0; i < count; i++) etr_samples_put(from->sample_runs[i] == run ? to : from, etr_samples_at(from, i));
  return true;
}

/* Moves one run of several from one block to a new one. */
static bool move_run(etr_block *to, etr_block *from, uint32_t run, etr_arena *arena, uint64_t *sorted) {
  uint32_t *runs = etr_arena_alloc(arena, sizeof *runs), *left = etr_unconst(from->runs);
  etr_event *events = etr_arena_alloc_array(arena, from->event_count, sizeof *events);
  size_t count = from->run_count;
  if (!runs || !events) return false;
  *runs = run;
  *to = *from;
  to->runs = runs;
  to->events = events;
  to->run_count = 1;
  from->run_count = 0;
  for (size_t i = 0; i < count; i++)
    if (left[i] != run) left[from->run_count++] = left[i];
  for (size_t i = 0; i < from->event_count; i++) {
    events[i] = from->events[i];
    if (!move_samples(&events[i], &etr_block_rows(from)[i], run, arena)) return false;
  }
  etr_samples_measure(to, sorted);
  etr_samples_measure(from, sorted);
  return true;
}

static int by_first_run(const void *a, const void *b) {
  const etr_block *x = a, *y = b;
  return (x->runs[0] > y->runs[0]) - (x->runs[0] < y->runs[0]);
}

bool etr_blocks_set_apart(etr_blocks *blocks, etr_arena *arena, const uint32_t *runs, size_t count) {
  etr_arena scratch = {0};
  uint64_t *sorted = etr_arena_alloc_array(&scratch, etr_samples_most(blocks->blocks, blocks->block_count),
                                           sizeof *sorted);
  etr_block *all = etr_arena_alloc_array(arena, blocks->block_count + count, sizeof *all);
  size_t all_count = blocks->block_count;
  bool good = sorted && all;
  if (good && all_count) memcpy(all, blocks->blocks, all_count * sizeof *all);
  for (size_t i = 0; good && i < count; i++) {
    etr_block *from = &all[blocks->runs[runs[i]].block];
    if (from->run_count > 1) good = move_run(&all[all_count++], from, runs[i], arena, sorted);
  }
  etr_arena_clear(&scratch);
  if (!good) return false;
  etr_sort(all, all_count, sizeof *all, by_first_run);
  for (uint32_t i = 0; i < all_count; i++)
    for (size_t k = 0; k < all[i].run_count; k++) blocks->runs[all[i].runs[k]].block = i;
  blocks->blocks = all;
  blocks->block_count = all_count;
  return true;
}
