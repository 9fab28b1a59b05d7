/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_rows.h - events on the nodes of the program, where there is no Edge graph. Layer 3.
 */
#ifndef ETR_PROGRAM_ROWS_H
#define ETR_PROGRAM_ROWS_H

#include "place/placement.h"

/**
 * Gives the rows of a method's blocks their nodes of placement->program_graph, if there is one: kernels their
 * instruction; what ran in a delegate its operator of the payload, which the row knows (delegates.h). Of a delegate
 * whose payload cannot be read the call is all that there is: its node has what operators and computing took, or, where
 * no event tells anything of its inside, the whole call. What has no node stays the delegate's own. False: out of
 * memory.
 */
bool etr_program_rows(const etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena);

#endif
