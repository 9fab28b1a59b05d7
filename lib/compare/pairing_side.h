/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing_side.h - what is known of the nodes that are to be paired. Layer 3.
 */
#ifndef ETR_PAIRING_SIDE_H
#define ETR_PAIRING_SIDE_H

#include "base/arena.h"
#include "etrecord_compare.h"

/** The sides of a comparison. */
enum { ETR_BASE, ETR_NEWER, ETR_SIDES };

/** What is known of a node. Numbers stand for texts: the same text has the same number on both sides. */
typedef struct etr_pairing_item {
  uint32_t name, op, module, shape;
  uint32_t place;            /* body of a control-flow operator that it is in */
  uint32_t source;           /* its line's text; 0: unknown */
  bool only_moves;           /* its result is what it reads, moved, converted or quantized */
  const uint32_t *producers; /* as in etr_side_item */
  size_t producer_count;
} etr_pairing_item;

/** The items of one side, and what pairing finds. The caller owns the lists. */
typedef struct etr_pairing_side {
  const etr_pairing_item *items; /* in order of execution */
  size_t count;
  uint32_t *partner;    /* out: place on the other side, ETR_NONE if none; room for count */
  etr_pair_rule *rules; /* out: likewise */
} etr_pairing_side;

#endif
