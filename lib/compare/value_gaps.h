/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_gaps.h - compares values that both sides of a comparison logged. Layer 3.
 */
#ifndef ETR_VALUE_GAPS_H
#define ETR_VALUE_GAPS_H

#include "accuracy/debug_data.h"
#include "compare/pairing.h"

/** Fills the gaps of a method pair, after its pairs were filled. Returns false when out of memory.
 */
bool etr_value_gaps_make(etr_method_pair *pair, const etr_comparison *comparison, etr_arena *arena);

#endif
