/* SPDX-License-Identifier: BSD-3-Clause
 *
 * skipped.h - inferences whose times do not count: warm-up, or what the caller left out. Layer 3.
 */
#ifndef ETR_SKIPPED_H
#define ETR_SKIPPED_H

#include "runs/blocks.h"

/** Sets is_skipped of the runs that the options leave out. Call it once each block has its method, and each run its
 * series and phase. False: out of memory. */
bool etr_skipped_find(etr_blocks *blocks, const etr_options *options);

/** Takes skipped runs and their samples out of a method's blocks, and measures these anew. Call it once their events
 * have nodes, which all runs help to find. False: out of memory. */
bool etr_skipped_drop(const etr_blocks *blocks, uint32_t method, etr_arena *scratch);

#endif
