/* SPDX-License-Identifier: BSD-3-Clause
 *
 * samples.h - the samples of a block's rows: when each occurrence of an event started, what it took, in which run.
 * Layer 3.
 */
#ifndef ETR_SAMPLES_H
#define ETR_SAMPLES_H

#include "runs/blocks.h"

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
