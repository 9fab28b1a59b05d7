/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.c - groups blocks by method, and moves runs between blocks.
 */
#include "runs/blocks.h"

#include "base/stats.h"

/* ---- By method ---- */

static void group_blocks(const etr_blocks *blocks, uint32_t *by_method, size_t *end) {
  size_t last = blocks->method_count; /* blocks without a method */
  for (size_t i = 0; i < blocks->block_count; i++)
    end[ETR_MIN(blocks->blocks[i].method, last) + 1]++;
  for (size_t i = 1; i <= last + 1; i++)
    end[i] += end[i - 1];
  for (size_t i = 0; i < blocks->block_count; i++)
    by_method[end[ETR_MIN(blocks->blocks[i].method, last)]++] = (uint32_t)i;
}

static void place_runs(const etr_blocks *blocks, uint32_t *places, uint32_t *next) {
  for (size_t i = 0; i < blocks->run_count; i++) {
    const etr_block *block = &blocks->blocks[blocks->runs[i].block];
    bool counts = block->method < blocks->method_count && etr_block_counts(blocks, block) &&
                  !blocks->runs[i].is_skipped;
    places[i] = counts ? next[block->method]++ : ETR_NONE;
  }
}

uint64_t etr_block_start(const etr_block *block) {
  uint32_t run = block->run_count ? block->runs[0] : ETR_NONE;
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *e = &block->events[i];
    bool is_placed =
        e->kind != ETR_EVENT_DELEGATE_OPERATOR; /* backends may have clocks of their own, or none */
    for (size_t k = 0; is_placed && k < e->sample_count && e->sample_runs[k] == run; k++)
      first = ETR_MIN(first, e->starts[k]);
  }
  return first;
}

bool etr_blocks_group(etr_blocks *blocks, size_t method_count, etr_arena *arena) {
  etr_arena scratch = {0};
  uint32_t *by_method = etr_arena_alloc_array(arena, blocks->block_count, sizeof *by_method);
  size_t *end = etr_arena_alloc_array(arena, method_count + 2, sizeof *end);
  uint32_t *places = etr_arena_alloc_array(arena, blocks->run_count, sizeof *places);
  uint32_t *next = etr_arena_alloc_array(&scratch, method_count, sizeof *next);
  uint64_t *starts = etr_arena_alloc_array(arena, blocks->block_count, sizeof *starts);
  bool good = by_method && end && places && next && starts;
  blocks->method_count = method_count;
  if (good)
    group_blocks(blocks, by_method, end);
  if (good)
    place_runs(blocks, places, next);
  for (size_t i = 0; good && i < blocks->block_count; i++)
    starts[i] = etr_block_start(&blocks->blocks[i]);
  blocks->starts = starts;
  blocks->by_method = by_method;
  blocks->end_of_method = end;
  blocks->place_of_run = places;
  etr_arena_clear(&scratch);
  return good;
}

const uint32_t *etr_blocks_of_method(const etr_blocks *blocks, uint32_t method, size_t *count) {
  *count = 0;
  if (method >= blocks->method_count)
    return NULL;
  size_t first = method ? blocks->end_of_method[method - 1] : 0;
  *count = blocks->end_of_method[method] - first;
  return blocks->by_method + first;
}

bool etr_block_counts(const etr_blocks *blocks, const etr_block *block) {
  return block->event_count > 0 && block->run_count > 0 &&
         blocks->runs[block->runs[0]].profile_events > 0;
}

/* ---- What ran in a block ---- */

bool etr_block_ran(const etr_block *block) {
  for (size_t i = 0; i < block->event_count; i++)
    if (block->events[i].instruction_id >= 0)
      return true;
  return false;
}

bool etr_block_executed(const etr_block *block) {
  for (size_t i = 0; i < block->event_count; i++)
    if (block->events[i].instruction_id >= 0 || etr_is_execute(block->events[i].name))
      return true;
  return false;
}

size_t etr_block_instruction_end(const etr_block *block, size_t first) {
  size_t end = first + 1;
  while (end < block->event_count &&
         block->events[end].instruction_id == block->events[first].instruction_id)
    end++;
  return end;
}

/* ---- Events and options ---- */

bool etr_is_framework(const char *event_name) {
  return strncmp(event_name, "Method::", 8) == 0 || strncmp(event_name, "Program::", 9) == 0;
}

bool etr_is_load(const char *event_name) {
  return strcmp(event_name, "Program::load_method") == 0;
}

bool etr_is_execute(const char *event_name) {
  return strcmp(event_name, "Method::execute") == 0;
}

const char *etr_chosen_method(const etr_options *options, size_t run) {
  for (size_t i = options ? options->choice_count : 0; i-- > 0;) {
    const etr_method_choice *choice = &options->choices[i];
    if (run == choice->run || (run > choice->run && run <= choice->last))
      return choice->method;
  }
  return NULL;
}

/* ---- Samples of rows: runs in order, repetitions within a run one after the other ---- */

void etr_samples_put(const etr_samples *samples, etr_event *row, etr_sample sample) {
  size_t at = etr_samples_first(samples, row) + row->sample_count++;
  samples->durations[at] = sample.duration;
  samples->starts[at] = sample.start;
  samples->runs[at] = sample.run;
  if (row->metadata)
    samples->metadata[at] = sample.metadata;
}

static etr_sample sample_at(const etr_event *row, size_t index) {
  return (etr_sample){.duration = row->durations[index],
                      .start = row->starts[index],
                      .metadata = row->metadata ? row->metadata[index] : (etr_bytes){0},
                      .run = row->sample_runs[index]};
}

size_t etr_samples_most(const etr_block *blocks, size_t count) {
  size_t most = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < blocks[i].event_count; k++)
      most = ETR_MAX(most, blocks[i].events[k].sample_count);
  return most;
}

void etr_samples_measure(const etr_blocks *blocks, const etr_block *block, uint64_t *sorted) {
  for (size_t i = 0; i < block->event_count; i++) {
    etr_event *row = &etr_block_rows(blocks, block)[i];
    if (row->sample_count)
      memcpy(sorted, row->durations, row->sample_count * sizeof *sorted);
    row->stats = etr_stats_of(sorted, row->sample_count);
  }
}

/* ---- Moving runs behind the others, and into new blocks ---- */

/* Returns whether a run is the chosen one, or with ETR_NONE whether it is excluded. */
static bool leaves(const etr_blocks *blocks, uint32_t run, uint32_t chosen) {
  return chosen == ETR_NONE ? blocks->runs[run].is_skipped : run == chosen;
}

static void part_samples(const etr_blocks *blocks, etr_event *row, uint32_t chosen,
                         etr_sample *leaving) {
  size_t count = row->sample_count, left = 0;
  row->sample_count = 0;
  for (size_t i = 0; i < count; i++)
    if (leaves(blocks, row->sample_runs[i], chosen))
      leaving[left++] = sample_at(row, i);
    else
      etr_samples_put(&blocks->samples, row, sample_at(row, i));
  for (size_t i = 0; i < left; i++)
    etr_samples_put(&blocks->samples, row, leaving[i]);
  row->sample_count = count - left;
}

bool etr_block_part(const etr_blocks *blocks, etr_block *block, uint32_t run) {
  etr_arena scratch = {0};
  size_t most = etr_samples_most(block, 1), count = block->run_count, left = 0;
  uint32_t *list = blocks->run_lists + (block->runs - blocks->run_lists);
  uint32_t *leaving = etr_arena_alloc_array(&scratch, count, sizeof *leaving);
  etr_sample *samples = etr_arena_alloc_raw_array(&scratch, most, sizeof *samples);
  uint64_t *sorted = etr_arena_alloc_raw_array(&scratch, most, sizeof *sorted);
  bool good = leaving && samples && sorted;
  if (good) {
    block->run_count = 0;
    for (size_t i = 0; i < count; i++)
      if (leaves(blocks, list[i], run))
        leaving[left++] = list[i];
      else
        list[block->run_count++] = list[i];
    memcpy(list + block->run_count, leaving, left * sizeof *leaving);
    for (size_t i = 0; i < block->event_count; i++)
      part_samples(blocks, &etr_block_rows(blocks, block)[i], run, samples);
    etr_samples_measure(blocks, block, sorted);
  }
  etr_arena_clear(&scratch);
  return good;
}

/* Moves one of several runs from a block to a new block, whose rows follow those of all other
 * blocks. */
static bool move_run(etr_blocks *blocks, etr_block *to, etr_block *from, uint32_t run,
                     uint64_t *sorted) {
  etr_event *rows = blocks->rows + blocks->row_count;
  blocks->row_count += from->event_count;
  memcpy(rows, from->events, from->event_count * sizeof *rows);
  *to = *from;
  if (!etr_block_part(blocks, from, run))
    return false;
  to->runs = from->runs + from->run_count;
  to->run_count = 1;
  to->events = rows;
  for (size_t i = 0; i < from->event_count; i++) {
    size_t kept = from->events[i].sample_count;
    rows[i].durations += kept;
    rows[i].starts += kept;
    rows[i].sample_runs += kept;
    if (rows[i].metadata)
      rows[i].metadata += kept;
    rows[i].sample_count -= kept;
  }
  etr_samples_measure(blocks, to, sorted);
  return true;
}

/* Makes room behind the rows of all blocks for those of the blocks of the given runs. */
static bool grow_rows(etr_blocks *blocks, etr_block *all, const uint32_t *runs, size_t count,
                      etr_arena *arena) {
  size_t row_count = blocks->row_count;
  for (size_t i = 0; i < count; i++)
    row_count += all[blocks->runs[runs[i]].block].event_count;
  etr_event *rows = etr_arena_alloc_array(arena, row_count, sizeof *rows);
  if (!rows)
    return false;
  if (blocks->row_count)
    memcpy(rows, blocks->rows, blocks->row_count * sizeof *rows);
  for (size_t i = 0; i < blocks->block_count; i++)
    all[i].events = rows + (all[i].events - blocks->rows);
  blocks->rows = rows;
  return true;
}

static int by_first_run(const void *a, const void *b) {
  const etr_block *x = a, *y = b;
  return (x->runs[0] > y->runs[0]) - (x->runs[0] < y->runs[0]);
}

bool etr_blocks_set_apart(etr_blocks *blocks, etr_arena *arena, const uint32_t *runs,
                          size_t count) {
  etr_arena scratch = {0};
  uint64_t *sorted = etr_arena_alloc_array(
      &scratch, etr_samples_most(blocks->blocks, blocks->block_count), sizeof *sorted);
  etr_block *all = etr_arena_alloc_array(arena, blocks->block_count + count, sizeof *all);
  size_t all_count = blocks->block_count;
  if (all && all_count)
    memcpy(all, blocks->blocks, all_count * sizeof *all);
  bool good = sorted && all && grow_rows(blocks, all, runs, count, arena);
  for (size_t i = 0; good && i < count; i++) {
    etr_block *from = &all[blocks->runs[runs[i]].block];
    if (from->run_count > 1)
      good = move_run(blocks, &all[all_count++], from, runs[i], sorted);
  }
  etr_arena_clear(&scratch);
  if (!good)
    return false;
  etr_sort(all, all_count, sizeof *all, by_first_run);
  for (uint32_t i = 0; i < all_count; i++)
    for (size_t k = 0; k < all[i].run_count; k++)
      blocks->runs[all[i].runs[k]].block = i;
  blocks->blocks = all;
  blocks->block_count = all_count;
  return true;
}
