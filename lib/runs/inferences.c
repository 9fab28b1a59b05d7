/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inferences.c - runs of methods, between loads.
 */
#include "runs/inferences.h"

static int compare(uint32_t x, uint32_t y) { return (x > y) - (x < y); }

int etr_inference_by_run(const void *a, const void *b) {
  const etr_inference *x = a, *y = b;
  if (x->method != y->method) return compare(x->method, y->method);
  return x->series != y->series ? compare(x->series, y->series) : compare(x->run, y->run);
}

int etr_inference_by_phase(const void *a, const void *b) {
  const etr_inference *x = a, *y = b;
  bool differ = x->method == y->method && x->series == y->series && x->phase != y->phase;
  return differ ? compare(x->phase, y->phase) : etr_inference_by_run(a, b);
}

static bool loads(const etr_block *block) {
  bool any = block->method == ETR_NONE && block->event_count > 0;
  for (size_t i = 0; i < block->event_count && !any; i++) any = etr_is_load(block->events[i].name);
  return any;
}

bool etr_runs_number_series(const etr_blocks *blocks, etr_arena *scratch) {
  bool *block_loads = etr_arena_alloc_array(scratch, blocks->block_count, sizeof *block_loads);
  uint32_t series = 0;
  if (!block_loads) return false;
  for (size_t i = 0; i < blocks->block_count; i++) block_loads[i] = loads(&blocks->blocks[i]);
  for (size_t i = 0; i < blocks->run_count; i++) {
    etr_run *run = &blocks->runs[i];
    series += block_loads[run->block] || (i > 0 && run->dump != run[-1].dump);
    run->series = series;
    run->phase = ETR_NONE;
  }
  return true;
}

etr_inference *etr_inferences_list(const etr_blocks *blocks, etr_arena *arena, size_t *count) {
  etr_inference *list = etr_arena_alloc_array(arena, blocks->run_count, sizeof *list);
  *count = 0;
  for (uint32_t i = 0; list && i < blocks->run_count; i++) {
    const etr_run *run = &blocks->runs[i];
    const etr_block *block = &blocks->blocks[run->block];
    if (block->method != ETR_NONE && etr_block_counts(blocks, block))
      list[(*count)++] = (etr_inference){block->method, run->series, run->phase, i};
  }
  if (list) etr_sort(list, *count, sizeof *list, etr_inference_by_run);
  return list;
}

size_t etr_inferences_end_of_method(const etr_inference *list, size_t count, size_t first) {
  size_t end = first;
  while (end < count && list[end].method == list[first].method) end++;
  return end;
}

size_t etr_inferences_end_of_series(const etr_inference *list, size_t count, size_t first) {
  size_t end = first;
  while (end < count && list[end].method == list[first].method && list[end].series == list[first].series) end++;
  return end;
}

size_t etr_inferences_end_of_phase(const etr_inference *list, size_t count, size_t first) {
  size_t end = first, most = etr_inferences_end_of_series(list, count, first);
  while (end < most && list[end].phase == list[first].phase) end++;
  return end;
}
