/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.h - runs grouped into event blocks, as ExecuTorch's Inspector groups them. Layer 3.
 * After executorch/devtools/inspector/_inspector.py: InstructionEvent, EventSignature, RunSignature.
 *
 * Within a run, events of one instruction (and delegate id) stand together at the place of the first; equal ones become
 * one row. Unlike the Inspector, a row keeps every occurrence of a loop, not only the last. Runs with the same name,
 * rows and bundled input are a block.
 */
#ifndef ETR_BLOCKS_H
#define ETR_BLOCKS_H

#include "dump.h"

typedef struct etr_blocks {
  etr_run *runs; /* of all dumps, in order */
  size_t run_count;
  etr_block *blocks; /* in the order of their first run; methods, handles and nodes are not filled */
  size_t block_count;
  double ticks_per_second;
} etr_blocks;

/**
 * Groups the runs of all dumps. Equal runs are still not in one block
 *   - if the options choose different methods for them;
 *   - if a load stands between them that came when something of the dump had run already: it may have brought another
 *     method. Not so if method_count, how many methods are known, is 1; nor are loads themselves kept apart.
 *
 * All names must be interned in one map, so that equal texts are equal pointers. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_blocks_build(etr_blocks *out, etr_arena *arena, const etr_dump *dumps, size_t dump_count,
                            size_t method_count, const etr_options *options);

/** The method that the options choose for a run, by the last choice that names it; NULL: none does. */
const char *etr_chosen_method(const etr_options *options, size_t run);

/** True of the event that marks the load of a method. */
bool etr_is_load(const char *event_name);

/** True if an instruction ran in the block: a load has none. */
bool etr_block_ran(const etr_block *block);

/** End of the rows that have the same instruction as this one: they stand together. */
size_t etr_block_end_of_instruction(const etr_block *block, size_t row);

/** The rows of a block, for those that fill them in: blocks are built from writable memory. */
static inline etr_event *etr_block_rows(const etr_block *block) { return (etr_event *)block->events; }

#endif
