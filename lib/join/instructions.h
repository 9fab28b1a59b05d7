/* SPDX-License-Identifier: BSD-3-Clause
 *
 * instructions.h - the instructions of a method, from whatever knows them. Layer 3.
 */
#ifndef ETR_INSTRUCTIONS_H
#define ETR_INSTRUCTIONS_H

#include "blocks.h"
#include "join.h"

/** Fills a join's instructions from its program, its maps and the method's blocks. False: out of memory. */
bool etr_instructions_collect(etr_method_join *join, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                              etr_arena *scratch);

#endif
