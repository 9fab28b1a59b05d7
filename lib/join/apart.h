/* SPDX-License-Identifier: BSD-3-Clause
 *
 * apart.h - runs that turn out to be of another method than the equal runs beside them. Layer 3.
 */
#ifndef ETR_APART_H
#define ETR_APART_H

#include "blocks.h"

/**
 * Gives each of these runs a block of its own, with the method that its block had. A run that is alone in its block
 * keeps that one. Blocks stay in the order of their first run. False: out of memory.
 */
bool etr_blocks_set_apart(etr_blocks *blocks, etr_arena *arena, const uint32_t *runs, size_t count);

#endif
