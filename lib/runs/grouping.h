/* SPDX-License-Identifier: BSD-3-Clause
 *
 * grouping.h - runs grouped into event blocks, as ExecuTorch's Inspector groups them. Layer 3.
 * After executorch/devtools/inspector/_inspector.py: InstructionEvent, EventSignature, RunSignature.
 *
 * Within a run, events of one instruction (and delegate id) stand together at the place of the first; equal ones become
 * one row. Unlike the Inspector, a row keeps every occurrence of a loop, not only the last. Runs with the same name,
 * rows and bundled input are a block.
 */
#ifndef ETR_GROUPING_H
#define ETR_GROUPING_H

#include "inputs/dump.h"
#include "runs/blocks.h"

/**
 * Groups the runs of all dumps. Equal runs are still not in one block
 *   - if the options choose different methods for them;
 *   - if a load stands between them that came when a method of the dump had run already: it may have brought another.
 *     Not so if method_count, how many methods there are to run, is 1; nor are loads themselves kept apart.
 *
 * All names must be interned in one map, so that equal texts are equal pointers. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_blocks_build(etr_blocks *out, etr_arena *arena, const etr_dump *dumps, size_t dump_count,
                            size_t method_count, const etr_options *options);

#endif
