/* SPDX-License-Identifier: BSD-3-Clause
 *
 * carriers.h - which node carries the time of one that a delegate fused into it. Layer 3.
 */
#ifndef ETR_CARRIERS_H
#define ETR_CARRIERS_H

#include "place/placement.h"

/**
 * Sets carried_by of each node that a delegate fused into another: the nearest timed node of the same delegate it takes
 * its first input from (batch norm, activation, quantize), or else the first that uses its result (dequantize). Only
 * where the fusion is shown: the delegate's payload has no operator for the node; or, without a payload, none of the
 * delegate's events is left that it could have run as. False: out of memory.
 */
bool etr_find_carriers(const etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_node_time *times,
                       etr_arena *scratch);

#endif
