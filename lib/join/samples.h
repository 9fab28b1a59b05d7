/* SPDX-License-Identifier: BSD-3-Clause
 *
 * samples.h - the occurrences that a block's rows hold. Layer 3.
 */
#ifndef ETR_SAMPLES_H
#define ETR_SAMPLES_H

#include "arena.h"

/** Adds an occurrence to a row that has room for it. */
void etr_samples_put(etr_event *row, uint64_t duration, uint64_t start, uint32_t run);

/** Moves the occurrences of one run to a row of the same event that has none. False: out of memory. */
bool etr_samples_move(etr_event *to, etr_event *from, uint32_t run, etr_arena *arena);

/** How many occurrences any row of the blocks has at most. */
size_t etr_samples_most(const etr_block *blocks, size_t count);

/** Fills the statistics of a block's rows. sorted: room for the occurrences of any of them. */
void etr_samples_measure(const etr_block *block, uint64_t *sorted);

#endif
