/* SPDX-License-Identifier: BSD-3-Clause
 *
 * apart.c - runs taken out of their blocks.
 */
#include "apart.h"

#include "samples.h"

/* Moves one run of several from one block to a new one. */
static bool move_run(etr_block *to, etr_block *from, uint32_t run, etr_arena *arena, uint64_t *sorted) {
  uint32_t *runs = etr_arena_alloc(arena, sizeof *runs), *left = (uint32_t *)from->runs;
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
    if (!etr_samples_move(&events[i], &etr_block_rows(from)[i], run, arena)) return false;
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
  bool good = sorted && all;
  if (good && blocks->block_count) memcpy(all, blocks->blocks, blocks->block_count * sizeof *all);
  for (size_t i = 0; good && i < count; i++) {
    etr_block *from = &all[blocks->runs[runs[i]].block];
    if (from->run_count > 1) good = move_run(&all[blocks->block_count++], from, runs[i], arena, sorted);
  }
  etr_arena_clear(&scratch);
  if (!good) return false;
  etr_sort(all, blocks->block_count, sizeof *all, by_first_run);
  for (uint32_t i = 0; i < blocks->block_count; i++)
    for (size_t k = 0; k < all[i].run_count; k++) blocks->runs[all[i].runs[k]].block = i;
  blocks->blocks = all;
  return true;
}
