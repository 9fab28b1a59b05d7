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

/** Spreads the bits of a number as splitmix64 does, so that sums of such numbers distinguish sets. */
static inline uint64_t etr_mixed(uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

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

#endif
