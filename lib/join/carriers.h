/* SPDX-License-Identifier: BSD-3-Clause
 *
 * carriers.h - finds the node into which a delegate fused another. Layer 3.
 */
#ifndef ETR_CARRIERS_H
#define ETR_CARRIERS_H

#include "base/arena.h"
#include "join/placement.h"

/* ---- Finding the node into which a delegate fused another, and whose time includes it ---- */

/**
 * Sets carried_by of each node that a delegate fused into another: to the nearest timed node of the
 * same delegate from which its first input comes (batch norm, activation, quantize), or else to the
 * first that uses its result (dequantize). It does so only if there is evidence of the fusion: the
 * delegate's payload has no operator for the node; or, without a payload, no event of the delegate
 * is left as which the node could have run. Returns false when out of memory.
 */
bool etr_find_carriers(const etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                       etr_node_time *times, etr_arena *scratch);

#endif
