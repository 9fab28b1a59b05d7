/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.h - what a graph's nodes compute and move, by their shapes alone. Layer 3.
 */
#ifndef ETR_COST_H
#define ETR_COST_H

#include "inputs/record.h"

/** Fills the roofs of a profile that is laid out, and the costs of `graphs`, which are the profile's. What a delegate
 * fused counts for the node that carries it. Warns of sizes whose product is too large to count. False: out of memory.
 */
bool etr_costs_find(etr_profile *profile, etr_graph *graphs, etr_arena *arena, etr_warnings *warnings);

#endif
