/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.h - blocks of runs with the same rows, sorted by method. Layer 3.
 *
 * grouping.c makes the blocks, and methods.c decides the method of each (both in runs.h). The
 * profile owns the memory.
 */
#ifndef ETR_BLOCKS_H
#define ETR_BLOCKS_H

#include "base/arena.h"

/* ---- Blocks of runs with the same rows, by method ---- */

/** The samples of the rows of all blocks. A sample has the same index in all lists, and the lists
 * of a row are parts of these. */
typedef struct etr_samples {
  uint64_t *durations, *starts;
  uint32_t *runs;
  etr_bytes *metadata; /* filled for rows that have metadata */
} etr_samples;

/** Which methods a recording ran, by the record.json beside it: the first `runs` times, then the
 * next. Nothing in it is checked against the dumps. */
enum { ETR_MOST_RECORDED = 16 };
typedef struct etr_recorded_runs {
  const char *methods[ETR_MOST_RECORDED];
  size_t method_count; /* 0: not known */
  uint32_t runs;       /* of each method */
} etr_recorded_runs;

/** The runs of all dumps and their blocks, indexed as in etr_profile. Blocks and rows have
 * read-only lists, as readers of a profile get them; whoever fills them in writes to the lists
 * here, of which they are parts. */
typedef struct etr_blocks {
  etr_run *runs; /* runs of all dumps, in order */
  size_t run_count;
  etr_block
      *blocks; /* in the order of their first runs; methods, handles and nodes are filled later */
  size_t block_count;
  uint32_t *run_lists; /* the runs of all blocks, one block after the other */
  etr_event *rows;     /* the rows of all blocks */
  size_t row_count;
  etr_samples samples;
  double ticks_per_second;
  const etr_recorded_runs *recorded; /* what record.json says of each dump; NULL: not known */
  const uint32_t *by_method; /* indices of blocks sorted by method, then ascending; blocks without a
                                method come last */
  const size_t *end_of_method;  /* per method: end of its blocks in by_method */
  size_t method_count;          /* 0: etr_blocks_group() was not called */
  uint64_t *starts;             /* per block: etr_block_start() */
  const uint32_t *index_of_run; /* per run: its index among the included runs of its method;
                                   ETR_NONE: it is excluded or has no method */
  size_t foreign_run_count;     /* inferences that match no method */
} etr_blocks;

/** Fills by_method, end_of_method, method_count and `starts`, once each block has its method.
 * Returns false when out of memory. */
bool etr_blocks_group(etr_blocks *blocks, size_t method_count, etr_arena *arena);

/** Returns the indices of a method's blocks, ascending, and sets *count. `blocks` owns the list.
 * Call etr_blocks_group() first. */
const uint32_t *etr_blocks_of_method(const etr_blocks *blocks, uint32_t method, size_t *count);

/** Returns whether the block has runs that count for its method: runs with events that took time.
 * Excluded runs count too until etr_skipped_drop(). */
bool etr_block_counts(const etr_blocks *blocks, const etr_block *block);

/** Returns the time at which the first event of a block's first run started, in ticks; UINT64_MAX
 * without runs. */
uint64_t etr_block_start(const etr_block *block);

/** Returns the method that the options choose for a run, by the last choice that names the run;
 * NULL: none does. */
const char *etr_chosen_method(const etr_options *options, size_t run);

/** Returns true for Method::init, Method::execute and Program::load_method, whose instruction ids
 * are meaningless. */
bool etr_is_framework(const char *event_name);

/** Returns true for the event that marks the load of a method. */
bool etr_is_load(const char *event_name);

/** Returns true for the event that times a whole inference. */
bool etr_is_execute(const char *event_name);

/** Returns true if an instruction was executed in the block. A load has no instructions. */
bool etr_block_has_instructions(const etr_block *block);

/** Returns true if a method was executed in the block, even if it had no instruction to run. */
bool etr_block_executed(const etr_block *block);

/** Returns true for a delegate call and for the operators inside a delegate. */
static inline bool etr_event_is_in_delegate(const etr_event *event) {
  return event->kind >= ETR_EVENT_DELEGATE_CALL;
}

/** Returns the rows of a block, for code that fills them in. */
static inline etr_event *etr_block_rows(const etr_blocks *blocks, const etr_block *block) {
  return blocks->rows + (block->events - blocks->rows);
}

/* ---- The samples of a block's rows: start, duration and run of each occurrence of an event ----
 */

/** One occurrence of an event. */
typedef struct etr_sample {
  uint64_t duration, start; /* ticks */
  etr_bytes metadata;
  uint32_t run;
} etr_sample;

/** Returns the index of a row's first sample among all samples. */
static inline size_t etr_samples_first(const etr_samples *samples, const etr_event *row) {
  return (size_t)(row->durations - samples->durations);
}

/** Appends a sample to a row that has room for it. */
void etr_samples_put(const etr_samples *samples, etr_event *row, etr_sample sample);

/** Returns the largest number of samples of any row of the blocks: how much working memory
 * etr_samples_measure() needs. */
size_t etr_samples_most(const etr_block *blocks, size_t count);

/** Fills the statistics of a block's rows. `sorted` is working memory for etr_samples_most()
 * entries. */
void etr_samples_measure(const etr_blocks *blocks, const etr_block *block, uint64_t *sorted);

/** Which runs are removed from a block. */
typedef struct etr_leaving {
  const uint32_t *groups; /* per run of the profile: the number of its group; NULL: the excluded
                             runs are removed */
  uint32_t group;         /* the runs of this group are removed */
} etr_leaving;

/** Removes the runs that `leaving` names and their samples from a block: moves them behind the
 * others, in the lists of the block and of its rows, which then end before them. Measures the rows
 * again. Returns false when out of memory. */
bool etr_block_remove_runs(const etr_blocks *blocks, etr_block *block, etr_leaving leaving);

/**
 * Divides each block into one block for each group of its runs, because equal runs may be of
 * different methods. `groups` has the number of each run's group. The new blocks have the method of
 * the old one. Blocks stay in the order of their first runs. Returns false when out of memory.
 */
bool etr_blocks_divide(etr_blocks *blocks, etr_arena *arena, const uint32_t *groups);

#endif
