/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_gaps.h - the same logged value on both sides of a comparison. Layer 3.
 */
#ifndef ETR_VALUE_GAPS_H
#define ETR_VALUE_GAPS_H

#include "compare/pairing.h"
#include "values/debug_data.h"

/** Fills the gaps of a method pair, whose pairs are filled. False: out of memory. */
bool etr_value_gaps_make(etr_method_pair *pair, const etr_comparison *comparison, etr_arena *arena);

#endif
