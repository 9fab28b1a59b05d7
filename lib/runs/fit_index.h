/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fit_index.h - which of many methods a block can be, told by one of its rows. Layer 3.
 */
#ifndef ETR_FIT_INDEX_H
#define ETR_FIT_INDEX_H

#include "method/method.h"
#include "runs/blocks.h"

/** For each instruction id and what it runs there, the methods that have it. */
typedef struct etr_fit_index etr_fit_index;

/** The instructions of all methods, by what they run. NULL when out of memory. */
etr_fit_index *etr_fit_index_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count);

/**
 * The methods that one row of the block does not speak against, ascending: of the row for which they are fewest. Every
 * method beside these has a row against it. NULL if no row tells, or when out of memory (scratch failed). The list
 * lives in scratch.
 */
const uint32_t *etr_fit_index_find(const etr_fit_index *index, const etr_block *block, etr_arena *scratch,
                                   size_t *count);

/** True of a method whose instructions are not all known: an unknown kernel does not speak against it. */
bool etr_fit_is_partial(const etr_method_inputs *inputs);

#endif
