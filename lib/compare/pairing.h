/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing.h - lining up two sequences of nodes that are mostly the same. Layer 3.
 *
 * A list of passes, from the surest evidence to the weakest; each pairs what the ones before left over, unless the
 * evidence contradicts. Each costs a hash table and a longest increasing subsequence, so the whole is O(n log n)
 * whatever the input. etrecord_compare.h tells the rules.
 */
#ifndef ETR_PAIRING_H
#define ETR_PAIRING_H

#include "compare/pairing_side.h"

/** Pairs the items of two sides. False: out of memory. */
bool etr_pair_items(etr_pairing_side *base, etr_pairing_side *newer);

#endif
