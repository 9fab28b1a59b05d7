/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info_costs.h - what the methods compute and move, by module. Layer 5.
 */
#ifndef ETR_INFO_COSTS_H
#define ETR_INFO_COSTS_H

#include "output/sheet.h"

/** Rows of all methods that have an Edge graph, by method, then module. brief: only those that most of the cost is in,
 * most first: for people. */
etr_rows etr_info_costs(etr_answer *answer, bool brief);

#endif
