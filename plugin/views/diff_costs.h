/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_costs.h - what the nodes of a comparison compute and move, on both sides. Layer 4.
 */
#ifndef ETR_DIFF_COSTS_H
#define ETR_DIFF_COSTS_H

#include "views/diff_rows.h"

/** Fills base_cost and new_cost of rows, in the arena. Those of a side that is no profile, or has no graph, stay NULL.
 * False when out of memory. */
bool etr_diff_costs_add(etr_diff_rows *rows, etr_arena *arena, const etr_comparison *comparison,
                        const etr_method_pair *method, etr_diff_section section);

#endif
