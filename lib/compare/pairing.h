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

#include "base/arena.h"
#include "etrecord_compare.h"

/* ---- What is known of the nodes that are to be paired ---- */

/** The sides of a comparison. */
enum { ETR_BASE, ETR_NEWER, ETR_SIDES };

/** What is known of a node. Numbers stand for texts: the same text has the same number on both sides. */
typedef struct etr_pairing_item {
  const char *path; /* of its module; NULL: of the model itself, and of events */
  uint32_t name, shape;
  uint32_t op;               /* kind of operator: the same for the names that lowerings give to it */
  uint32_t target;           /* its exact name */
  uint32_t weight;           /* of a layer, shape of the weight that it reads; 0: it reads none, or that is unknown */
  uint32_t state;            /* of another operator, shape of the cache, mask or table that it reads; 0 likewise */
  uint32_t weight_rank;      /* dimensions of the weight */
  uint32_t dims;             /* dimensions of its first output, without the type; 0: unknown, or symbolic */
  uint32_t rank;             /* how many these are */
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
  uint32_t *partner;     /* out: place on the other side, ETR_NONE if none; room for count */
  etr_pair_rule *rules;  /* out: likewise */
  bool has_other_inputs; /* the method's inputs have other shapes than on the other side, or they are unknown */
} etr_pairing_side;

/** Pairs the items of two sides. False: out of memory. */
bool etr_pair_items(etr_pairing_side *base, etr_pairing_side *newer);

/** Keeps the longest part of `partner` that increases, and sets the others to ETR_NONE, in O(n log n): the pairs that
 * keep the order of both sides. Both scratch arrays have room for count numbers. */
void etr_keep_increasing(uint32_t *partner, size_t count, uint32_t *const scratch[2]);

#endif
