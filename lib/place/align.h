/* SPDX-License-Identifier: BSD-3-Clause
 *
 * align.h - order-preserving alignment of what ran with what was to run. Layer 3.
 */
#ifndef ETR_ALIGN_H
#define ETR_ALIGN_H

#include "base/arena.h"

/** One item of either sequence. */
typedef struct etr_align_item {
  uint16_t class_;      /* only equal classes are paired; 0 with nothing */
  uint16_t alternative; /* of the right sequence: another class it is paired with; 0: none */
  int16_t weight;       /* what pairing it is worth */
  int16_t cost;         /* what leaving it out costs */
} etr_align_item;

/** More cells than this are not aligned: both sequences thousands long and nothing to divide them at. */
#define ETR_ALIGN_MAX_CELLS ((size_t)4 << 20)

/** The partner of an item of the left sequence. */
typedef struct etr_align_pair {
  uint32_t partner; /* ETR_NONE: it has none */
  bool is_unsure;   /* other pairings are as good, in which it has another */
} etr_align_pair;

/**
 * Pairs items of `left` with items of `right` in order, so that the sum of the pairs' weights (the right one's) less
 * the costs of what is left out on either side is greatest. Of several best pairings the one that pairs earliest is
 * taken. False when out of memory or too long; then out is all ETR_NONE.
 */
bool etr_align(etr_align_pair *out, const etr_align_item *left, size_t left_count, const etr_align_item *right,
               size_t right_count, etr_arena *scratch);

#endif
