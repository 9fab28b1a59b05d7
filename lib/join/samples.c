/* SPDX-License-Identifier: BSD-3-Clause
 *
 * samples.c - occurrences of rows: runs in order, repetitions within a run behind each other.
 */
#include "samples.h"

#include "blocks.h"
#include "stats.h"

void etr_samples_put(etr_event *row, uint64_t duration, uint64_t start, uint32_t run) {
  size_t at = row->sample_count++;
  ((uint64_t *)row->durations)[at] = duration;
  ((uint64_t *)row->starts)[at] = start;
  ((uint32_t *)row->sample_runs)[at] = run;
}

bool etr_samples_move(etr_event *to, etr_event *from, uint32_t run, etr_arena *arena) {
  size_t count = from->sample_count, moving = 0;
  for (size_t i = 0; i < count; i++) moving += from->sample_runs[i] == run;
  to->durations = etr_arena_alloc_array(arena, moving, sizeof *to->durations);
  to->starts = etr_arena_alloc_array(arena, moving, sizeof *to->starts);
  to->sample_runs = etr_arena_alloc_array(arena, moving, sizeof *to->sample_runs);
  if (!to->durations || !to->starts || !to->sample_runs) return false;
  to->sample_count = from->sample_count = 0;
  for (size_t i = 0; i < count; i++)
    etr_samples_put(from->sample_runs[i] == run ? to : from, from->durations[i], from->starts[i], from->sample_runs[i]);
  return true;
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
