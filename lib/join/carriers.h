/* SPDX-License-Identifier: BSD-3-Clause
 *
 * carriers.h - which node carries the time of one that a delegate fused into it. Layer 3.
 */
#ifndef ETR_CARRIERS_H
#define ETR_CARRIERS_H

#include "join.h"

/**
 * Sets carried_by of each node that is in a delegate whose operators were timed, but has no time: the nearest timed node of the same delegate it
 * takes its first input from (batch norm, activation, quantize), or else that uses its result (dequantize). Nodes of a delegate without any timed
 * node stay as they are: nothing is known of them. False: out of memory.
 */
bool etr_find_carriers(const etr_method_join *join, etr_node_time *times, etr_arena *scratch);

#endif
