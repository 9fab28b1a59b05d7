/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing.h - lining up two sequences of nodes that are mostly the same. Layer 3.
 *
 * A list of passes, from the surest evidence to the weakest; each pairs what the ones before left over. Each costs a hash table and a longest
 * increasing subsequence, so the whole is O(n log n) whatever the input. etrecord_compare.h tells the rules.
 */
#ifndef ETR_PAIRING_H
#define ETR_PAIRING_H

#include "arena.h"
#include "etrecord_compare.h"

/** What is known of a node. Numbers stand for texts: the same text has the same number on both sides. */
typedef struct etr_pairing_item {
  uint32_t name, op, module, shape;
  uint32_t place; /* body of a control-flow operator that it is in */
} etr_pairing_item;

typedef struct etr_pairing_side {
  const etr_pairing_item *items; /* in order of execution */
  size_t count;
  uint32_t *partner;    /* out: place on the other side, ETR_NONE if none; room for count */
  etr_pair_rule *rules; /* out: likewise */
} etr_pairing_side;

/** Pairs the items of two sides. False: out of memory. */
bool etr_pair_items(etr_pairing_side *base, etr_pairing_side *newer);

#endif
