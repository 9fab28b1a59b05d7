/* SPDX-License-Identifier: BSD-3-Clause
 *
 * differences.h - whether two methods are like with like. Layer 3.
 */
#ifndef ETR_DIFFERENCES_H
#define ETR_DIFFERENCES_H

#include "compare/compare_rows.h"

/** Fills may_differ and the differences of a method whose rows are filled; nothing if a side is missing. False: out of
 * memory. */
bool etr_differences_find(etr_method_pair *pair, const etr_method_side sides[ETR_SIDES], etr_arena *arena,
                          etr_arena *scratch);

#endif
