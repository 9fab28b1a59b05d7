/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing.h - lining up two sequences of nodes that are mostly the same. Layer 3.
 *
 * First it is found which module is which (evidence.h). Then a list of passes, from the surest evidence to the
 * weakest, pairs the nodes: each pass pairs what the ones before left over, unless the evidence contradicts. A pass
 * costs a hash table and a longest increasing subsequence, so the whole is O(n log n) whatever the input.
 * etrecord_compare.h has the rules.
 */
#ifndef ETR_PAIRING_H
#define ETR_PAIRING_H

#include "compare/evidence.h"

/** Pairs the items of two sides. False: out of memory. */
bool etr_pair_items(etr_pairing_side *base, etr_pairing_side *newer);

#endif
