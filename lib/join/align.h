/* SPDX-License-Identifier: BSD-3-Clause
 *
 * align.h - order-preserving alignment of the operators that ran with those that were expected.
 * Layer 3.
 */
#ifndef ETR_ALIGN_H
#define ETR_ALIGN_H

#include "base/arena.h"

/** One item of either sequence. */
typedef struct etr_align_item {
  uint16_t class_; /* only items of equal class are paired; an item of class 0 is never paired */
  uint16_t alternative; /* for items of the right sequence: another class with which it may be
                           paired; 0: none */
  int16_t weight;       /* score of pairing it */
  int16_t cost;         /* cost of leaving it unpaired */
} etr_align_item;

/** The largest table of scores, in cells, that is computed: beyond it both sequences are thousands
 * of items long, and nothing was found at which to divide them. */
#define ETR_ALIGN_MAX_CELLS ((size_t)4 << 20)

/** The partner of an item of the left sequence. */
typedef struct etr_align_pair {
  uint32_t partner; /* index in the right sequence; ETR_NONE: it has no partner */
  bool is_unsure;   /* it has another partner in other pairings with the same score */
} etr_align_pair;

/** Pairs items of `left` with items of `right` without changing their order. It maximizes the sum
 * of the weights of the paired right items minus the costs of the unpaired items of both sides.
 * Among several best pairings it chooses the one that pairs the earliest items of `left`, each with
 * the latest partner. Fills `out`, which has left_count entries. Returns false when out of memory
 * or if the sequences are too long; then all partners in `out` are ETR_NONE. */
bool etr_align(etr_align_pair *out, const etr_align_item *left, size_t left_count,
               const etr_align_item *right, size_t right_count, etr_arena *scratch);

/** One of two sequences of which all pairings are considered. */
typedef struct etr_align_side {
  const etr_align_item *items;
  const uint32_t *owners; /* of the right side: what each item stands for */
  size_t count;
  int16_t optional_cost; /* items of a cost up to this may be left out */
} etr_align_side;

/**
 * Considers all pairings that leave out only items whose cost allows it (optional_cost), and finds
 * the items of `left` that all of them pair with the same owner. Fills `only`, which has an entry
 * for each item of `left`: the owner, or ETR_NONE if several are possible or the item may be left
 * out. Sets *has_pairing to whether there is such a pairing at all; false, too, if the sequences
 * are too long. Returns false when out of memory.
 */
bool etr_align_only(uint32_t *only, bool *has_pairing, const etr_align_side *left,
                    const etr_align_side *right, etr_arena *scratch);

#endif
