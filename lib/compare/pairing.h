/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing.h - pairs the nodes of two sequences that are mostly the same, and the values that both
 * logged. Layer 3.
 *
 * Modules are paired first (evidence.h). Then a list of passes pairs the nodes, from the surest
 * evidence to the weakest: each pass pairs nodes that earlier passes left over, unless the evidence
 * contradicts. A pass uses a hash table and a longest increasing subsequence, so that the total
 * time is O(n log n) for any input. etrecord_compare.h has the rules.
 */
#ifndef ETR_PAIRING_H
#define ETR_PAIRING_H

#include "compare/evidence.h"

/** Pairs the items of two sides: fills `partner` and `rules` of both. Returns false when out of
 * memory. */
bool etr_pair_items(etr_pairing_side *base, etr_pairing_side *newer);

/** Fills the gaps of a method pair, after its pairs were filled. Returns false when out of memory.
 */
bool etr_value_gaps_make(etr_method_pair *pair, const etr_comparison *comparison, etr_arena *arena);

#endif
