/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.c - groups blocks by method, and moves runs between blocks.
 */
#include "runs/blocks.h"

#include "base/stats.h"

/* ---- By method ---- */

/* Sorts the indices of blocks by method with a counting sort; blocks without a method come last.
 * end[m] becomes the end of the blocks of method m. */
static void sort_blocks_by_method(const etr_blocks *blocks, uint32_t *by_method, size_t *end) {
  size_t last = blocks->method_count; /* for blocks without a method, whose method is ETR_NONE */
  for (size_t i = 0; i < blocks->block_count; i++)
    end[ETR_MIN(blocks->blocks[i].method, last) + 1]++;
  for (size_t i = 1; i <= last + 1; i++)
    end[i] += end[i - 1];
  for (size_t i = 0; i < blocks->block_count; i++)
    by_method[end[ETR_MIN(blocks->blocks[i].method, last)]++] = (uint32_t)i;
}

/* Numbers the included runs of each method from 0 on; all other runs get ETR_NONE. */
static void number_included_runs(const etr_blocks *blocks, uint32_t *index_of_run,
                                 uint32_t *next_index) {
  for (size_t i = 0; i < blocks->run_count; i++) {
    const etr_block *block = &blocks->blocks[blocks->runs[i].block];
    bool counts = block->method < blocks->method_count && etr_block_counts(blocks, block) &&
                  !blocks->runs[i].is_skipped;
    index_of_run[i] = counts ? next_index[block->method]++ : ETR_NONE;
  }
}

/* Operators in delegates are left out, because backends may have clocks of their own, or none. The
 * samples of the first run come first in each row. */
uint64_t etr_block_start(const etr_block *block) {
  uint32_t run = block->run_count ? block->runs[0] : ETR_NONE;
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    if (event->kind == ETR_EVENT_DELEGATE_OPERATOR)
      continue;
    for (size_t k = 0; k < event->sample_count && event->sample_runs[k] == run; k++)
      first = ETR_MIN(first, event->starts[k]);
  }
  return first;
}

/* Also fills index_of_run. Returns false when out of memory. */
bool etr_blocks_group(etr_blocks *blocks, size_t method_count, etr_arena *arena) {
  etr_arena scratch = {0};
  uint32_t *by_method = etr_arena_alloc_array(arena, blocks->block_count, sizeof *by_method);
  size_t *end = etr_arena_alloc_array(arena, method_count + 2, sizeof *end);
  uint32_t *index_of_run = etr_arena_alloc_array(arena, blocks->run_count, sizeof *index_of_run);
  uint32_t *next_index = etr_arena_alloc_array(&scratch, method_count, sizeof *next_index);
  uint64_t *starts = etr_arena_alloc_array(arena, blocks->block_count, sizeof *starts);
  bool good = by_method && end && index_of_run && next_index && starts;
  blocks->method_count = method_count;
  if (good)
    sort_blocks_by_method(blocks, by_method, end);
  if (good)
    number_included_runs(blocks, index_of_run, next_index);
  for (size_t i = 0; good && i < blocks->block_count; i++)
    starts[i] = etr_block_start(&blocks->blocks[i]);
  blocks->starts = starts;
  blocks->by_method = by_method;
  blocks->end_of_method = end;
  blocks->index_of_run = index_of_run;
  etr_arena_clear(&scratch);
  return good;
}

/* Returns NULL and sets *count to 0 if there is no such method. */
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

/* ---- What was executed in a block ---- */

bool etr_block_has_instructions(const etr_block *block) {
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

/* Returns the end of the events from `first` on that have its instruction id: grouping has moved
 * all events of an instruction to the first of them. */
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

/* A choice is for one run, or for the runs up to `last`. The last one that names the run wins. */
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
  size_t index = etr_samples_first(samples, row) + row->sample_count++;
  samples->durations[index] = sample.duration;
  samples->starts[index] = sample.start;
  samples->runs[index] = sample.run;
  if (row->metadata)
    samples->metadata[index] = sample.metadata;
}

static etr_sample sample_at(const etr_event *row, size_t index) {
  return (etr_sample){.duration = row->durations[index],
                      .start = row->starts[index],
                      .metadata = row->metadata ? row->metadata[index] : (etr_bytes){0},
                      .run = row->sample_runs[index]};
}

size_t etr_samples_most(const etr_block *blocks, size_t count) {
  size_t largest = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < blocks[i].event_count; k++)
      largest = ETR_MAX(largest, blocks[i].events[k].sample_count);
  return largest;
}

void etr_samples_measure(const etr_blocks *blocks, const etr_block *block, uint64_t *sorted) {
  for (size_t i = 0; i < block->event_count; i++) {
    etr_event *row = &etr_block_rows(blocks, block)[i];
    if (row->sample_count)
      memcpy(sorted, row->durations, row->sample_count * sizeof *sorted);
    row->stats = etr_stats_of(sorted, row->sample_count);
  }
}

/* ---- Removing runs from a block, and moving them into new blocks ---- */

/* Returns true if a run is to be removed from its block. */
static bool is_leaving(const etr_blocks *blocks, uint32_t run, const etr_leaving *leaving) {
  return leaving->groups ? leaving->groups[run] == leaving->group : blocks->runs[run].is_skipped;
}

/* Moves the samples of removed runs behind those of the others; sample_count then counts the others
 * only. `moved` is working memory for the samples of the row. */
static void move_samples_of_leaving_runs(const etr_blocks *blocks, etr_event *row,
                                         const etr_leaving *leaving, etr_sample *moved) {
  size_t count = row->sample_count, left = 0;
  row->sample_count = 0;
  for (size_t i = 0; i < count; i++)
    if (is_leaving(blocks, row->sample_runs[i], leaving))
      moved[left++] = sample_at(row, i);
    else
      etr_samples_put(&blocks->samples, row, sample_at(row, i));
  for (size_t i = 0; i < left; i++)
    etr_samples_put(&blocks->samples, row, moved[i]);
  row->sample_count = count - left;
  row->excluded_count = leaving->groups ? 0 : left;
}

bool etr_block_remove_runs(const etr_blocks *blocks, etr_block *block, etr_leaving leaving) {
  etr_arena scratch = {0};
  size_t most_samples = etr_samples_most(block, 1), count = block->run_count, leaving_count = 0;
  uint32_t *list = blocks->run_lists + (block->runs - blocks->run_lists);
  uint32_t *moved = etr_arena_alloc_array(&scratch, count, sizeof *moved);
  etr_sample *samples = etr_arena_alloc_raw_array(&scratch, most_samples, sizeof *samples);
  uint64_t *sorted = etr_arena_alloc_raw_array(&scratch, most_samples, sizeof *sorted);
  bool good = moved && samples && sorted;
  if (good) {
    block->run_count = 0;
    for (size_t i = 0; i < count; i++)
      if (is_leaving(blocks, list[i], &leaving))
        moved[leaving_count++] = list[i];
      else
        list[block->run_count++] = list[i];
    memcpy(list + block->run_count, moved, leaving_count * sizeof *moved);
    for (size_t i = 0; i < block->event_count; i++)
      move_samples_of_leaving_runs(blocks, &etr_block_rows(blocks, block)[i], &leaving, samples);
    etr_samples_measure(blocks, block, sorted);
  }
  etr_arena_clear(&scratch);
  return good;
}

/* Moves the runs of the group that `leaving` names, which must not be all of a block's runs, to a
 * new block. Its rows are copies, behind the rows of all other blocks; its runs and samples stay
 * where etr_block_remove_runs() moved them, behind those of the old block. `sorted` is working
 * memory. Returns false when out of memory. */
static bool move_group_to_new_block(etr_blocks *blocks, etr_block *to, etr_block *from,
                                    etr_leaving leaving, uint64_t *sorted) {
  etr_event *rows = blocks->rows + blocks->row_count;
  size_t run_count = from->run_count, *sample_counts = NULL;
  etr_arena scratch = {0};
  sample_counts = etr_arena_alloc_array(&scratch, from->event_count, sizeof *sample_counts);
  for (size_t i = 0; sample_counts && i < from->event_count; i++)
    sample_counts[i] = from->events[i].sample_count;
  bool good = sample_counts && etr_block_remove_runs(blocks, from, leaving);
  if (good) {
    blocks->row_count += from->event_count;
    *to = *from;
    memcpy(rows, from->events, from->event_count * sizeof *rows);
    to->runs = from->runs + from->run_count;
    to->run_count = run_count - from->run_count;
    to->events = rows;
  }
  for (size_t i = 0; good && i < from->event_count; i++) {
    size_t kept = from->events[i].sample_count;
    rows[i].durations += kept;
    rows[i].starts += kept;
    rows[i].sample_runs += kept;
    if (rows[i].metadata)
      rows[i].metadata += kept;
    rows[i].sample_count = sample_counts[i] - kept;
  }
  if (good)
    etr_samples_measure(blocks, to, sorted);
  etr_arena_clear(&scratch);
  return good;
}

/* Returns the first run of a block that is of another group than the block's first run; ETR_NONE if
 * all are of one group. */
static uint32_t first_run_of_another_group(const etr_block *block, const uint32_t *groups) {
  for (size_t i = 1; i < block->run_count; i++)
    if (groups[block->runs[i]] != groups[block->runs[0]])
      return block->runs[i];
  return ETR_NONE;
}

/* Sets *count to the number of groups of a block's runs, at least 1. Returns false when out of
 * memory. */
static bool count_groups(size_t *count, const etr_block *block, const uint32_t *groups) {
  etr_arena scratch = {0};
  etr_map seen;
  etr_map_init(&seen, &scratch);
  for (size_t i = 0; i < block->run_count; i++)
    etr_map_number(&seen, ETR_BYTES(groups[block->runs[i]]));
  *count = ETR_MAX(seen.count, (size_t)1);
  bool good = !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good;
}

/* Copies the blocks into a list with room for those that dividing adds, and returns it; NULL when
 * out of memory. Copies the rows, too, and changes blocks->rows. */
static etr_block *copy_blocks_with_room(etr_blocks *blocks, etr_arena *arena,
                                        const uint32_t *groups) {
  size_t row_count = blocks->row_count, block_count = blocks->block_count;
  for (size_t i = 0; i < blocks->block_count; i++) {
    size_t count;
    if (!count_groups(&count, &blocks->blocks[i], groups))
      return NULL;
    block_count += count - 1;
    row_count += (count - 1) * blocks->blocks[i].event_count;
  }
  etr_block *grown = etr_arena_alloc_array(arena, block_count, sizeof *grown);
  etr_event *rows = etr_arena_alloc_array(arena, row_count, sizeof *rows);
  if (etr_arena_failed(arena))
    return NULL;
  if (blocks->row_count)
    memcpy(rows, blocks->rows, blocks->row_count * sizeof *rows);
  if (blocks->block_count)
    memcpy(grown, blocks->blocks, blocks->block_count * sizeof *grown);
  for (size_t i = 0; i < blocks->block_count; i++)
    grown[i].events = rows + (grown[i].events - blocks->rows);
  blocks->rows = rows;
  return grown;
}

static int by_first_run(const void *a, const void *b) {
  const etr_block *x = a, *y = b;
  return (x->runs[0] > y->runs[0]) - (x->runs[0] < y->runs[0]);
}

/* The group of a block's first run stays in the block; each other group is moved to a new one.
 * Returns false when out of memory. */
bool etr_blocks_divide(etr_blocks *blocks, etr_arena *arena, const uint32_t *groups) {
  etr_arena scratch = {0};
  uint64_t *sorted = etr_arena_alloc_array(
      &scratch, etr_samples_most(blocks->blocks, blocks->block_count), sizeof *sorted);
  etr_block *divided = sorted ? copy_blocks_with_room(blocks, arena, groups) : NULL;
  size_t count = blocks->block_count;
  bool good = divided != NULL;
  for (size_t i = 0; good && i < blocks->block_count; i++) {
    while (good) {
      uint32_t other = first_run_of_another_group(&divided[i], groups);
      if (other == ETR_NONE)
        break;
      const etr_leaving leaving = {groups, groups[other]};
      good = move_group_to_new_block(blocks, &divided[count++], &divided[i], leaving, sorted);
    }
  }
  etr_arena_clear(&scratch);
  if (!good)
    return false;
  etr_sort(divided, count, sizeof *divided, by_first_run);
  for (uint32_t i = 0; i < count; i++)
    for (size_t k = 0; k < divided[i].run_count; k++)
      blocks->runs[divided[i].runs[k]].block = i;
  blocks->blocks = divided;
  blocks->block_count = count;
  return true;
}
