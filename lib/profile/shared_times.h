/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_times.h - operators and modules of runs that may be of several methods. Layer 3.
 */
#ifndef ETR_SHARED_TIMES_H
#define ETR_SHARED_TIMES_H

#include "inputs/method.h"
#include "runs/blocks.h"

/** Sets out->shared of a method of undecided runs, if all methods that they may be of give each of
 * their events an equal operator in a module of the same path. `index` is that of the method in the
 * blocks, which the joins change, and which are restored after each. Call it before the graphs get
 * their times. Returns false when out of memory. */
bool etr_shared_times_find(etr_method *out, uint32_t index, const etr_blocks *blocks,
                           const etr_method_inputs *methods, etr_arena *arena);

#endif
