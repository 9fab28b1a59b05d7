/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.h - runs with the same rows, by method, and what ran in them. Layer 3.
 *
 * grouping.h makes them, methods.h tells the method of each. Memory is the profile's.
 */
#ifndef ETR_BLOCKS_H
#define ETR_BLOCKS_H

#include "base/arena.h"

/* ---- Runs with the same rows, by method, and what ran in them ---- */

/** The runs of all dumps and their blocks, indexed as in etr_profile. */
typedef struct etr_blocks {
  etr_run *runs; /* of all dumps, in order */
  size_t run_count;
  etr_block *blocks; /* in the order of their first run; methods, handles and nodes are not filled */
  size_t block_count;
  double ticks_per_second;
  const uint32_t *by_method;    /* indices of blocks by method, ascending within each; those of no method last */
  const size_t *end_of_method;  /* per method: where its blocks end there */
  size_t method_count;          /* 0: etr_blocks_group() was not called */
  uint64_t *starts;             /* per block: etr_block_start() */
  const uint32_t *place_of_run; /* per run: its place among those of its method that count; ETR_NONE */
  size_t foreign_run_count;     /* inferences that fit no method */
} etr_blocks;

/** Fills what is known by method, and `starts`, once each block has its method. False: out of memory. */
bool etr_blocks_group(etr_blocks *blocks, size_t method_count, etr_arena *arena);

/** The blocks of a method, as indices, ascending; lent. Call etr_blocks_group() first. */
const uint32_t *etr_blocks_of_method(const etr_blocks *blocks, uint32_t method, size_t *count);

/** True of a block with runs that are its method's: they have events that took time. Those skipped are its runs, too,
 * until etr_skipped_drop(). */
bool etr_block_counts(const etr_blocks *blocks, const etr_block *block);

/** Ticks at which the first event of a block's first run started; UINT64_MAX without runs. */
uint64_t etr_block_start(const etr_block *block);

/** The method that the options choose for a run, by the last choice that names it; NULL: none does. */
const char *etr_chosen_method(const etr_options *options, size_t run);

/** True of Method::init, Method::execute, Program::load_method: whatever instruction id they carry is not theirs. */
bool etr_is_framework(const char *event_name);

/** True of the event that marks the load of a method. */
bool etr_is_load(const char *event_name);

/** True of the event that times a whole inference. */
bool etr_is_execute(const char *event_name);

/** True if an instruction ran in the block: a load has none. */
bool etr_block_ran(const etr_block *block);

/** True if a method was executed in the block, though it may have had no instruction to run. */
bool etr_block_executed(const etr_block *block);

/** True of a delegate's call and of the operators inside. */
static inline bool etr_event_is_in_delegate(const etr_event *event) { return event->kind >= ETR_EVENT_DELEGATE_CALL; }

/** Drops const from the lists of a block and of its rows, for those that fill them in: blocks are built from writable
 * memory, and are const to a profile's readers only. */
static inline void *etr_unconst(const void *list) { return (void *)(uintptr_t)list; }

/** The rows of a block, for those that fill them in. */
static inline etr_event *etr_block_rows(const etr_block *block) { return etr_unconst(block->events); }

/* ---- The samples of a block's rows: when each occurrence of an event started, what it took, in which run ---- */

/** One occurrence of an event. */
typedef struct etr_sample {
  uint64_t duration, start; /* ticks */
  etr_bytes metadata;
  uint32_t run;
} etr_sample;

/** Adds a sample to a row that has room for it. */
void etr_samples_put(etr_event *row, etr_sample sample);

/** A row's sample. */
etr_sample etr_samples_at(const etr_event *row, size_t index);

/** Most samples that any row of the blocks has. */
size_t etr_samples_most(const etr_block *blocks, size_t count);

/** Fills the statistics of a block's rows. sorted: room for etr_samples_most(). */
void etr_samples_measure(const etr_block *block, uint64_t *sorted);

/**
 * Gives each of these runs a block of its own, with the method that its block had: they are of another method than the
 * equal runs beside them. A run that is alone in its block keeps that one. Blocks stay in the order of their first run.
 * False: out of memory.
 */
bool etr_blocks_set_apart(etr_blocks *blocks, etr_arena *arena, const uint32_t *runs, size_t count);

#endif
