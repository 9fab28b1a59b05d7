/* SPDX-License-Identifier: BSD-3-Clause
 *
 * evidence.h - what speaks for two nodes being the same, and what forbids it. Layer 3.
 */
#ifndef ETR_EVIDENCE_H
#define ETR_EVIDENCE_H

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

/** Keeps the longest part of `partner` that increases, and sets the others to ETR_NONE, in O(n log n): the pairs that
 * keep the order of both sides. Both scratch arrays have room for count numbers. */
void etr_keep_increasing(uint32_t *partner, size_t count, uint32_t *const scratch[2]);

/* ---- Finds which module of the newer side is which of the base ---- */

/* A layer that is put in front of others in a torch.nn.Sequential shifts the numbers of those behind it, so that the
 * same path is another module. Paths are compared level by level, from the model down. Children whose names end in no
 * digit are the same if their names are. Numbered children are the same if their names are, as long as no two of one
 * name have other weights or operators; if two do, all numbered children of that module are aligned in order, by what
 * is in them. */

/** The modules of a side's items. */
typedef struct etr_item_modules {
  uint32_t *number;  /* per item: equal on both sides for the same module */
  bool *has_partner; /* per item: its module is on both sides, and it is not the model itself */
} etr_item_modules;

/** Fills the modules of both sides, in the arena. False: out of memory. */
bool etr_pairing_find_modules(etr_item_modules out[ETR_SIDES], const etr_pairing_side *const sides[ETR_SIDES],
                              etr_arena *arena);

/* ---- What speaks for two nodes being the same, and what forbids it ---- */

/** The operators around the items of a side, as numbers that are the same on both sides. Those that only move data are
 * looked through. */
typedef struct etr_flow {
  uint64_t *producers, *consumers; /* per item: next to it */
  uint64_t *around;                /* three deep, both ways */
} etr_flow;

/** What is known of a side, beyond what its items say themselves. */
typedef struct etr_evidence {
  const etr_pairing_side *of;
  etr_flow flow;
  bool has_flow;
  etr_item_modules modules;
  bool *is_resized;      /* per item: its shapes follow from what differs between the sides, so that they say nothing */
  uint64_t *reads;       /* per item: dimensions of what it reads; 0: unknown */
  bool *alone_in_module; /* per item: the only one of its operator */
  bool *alone_on_line;   /* likewise, of its source line in its module */
} etr_evidence;

/** Gathers the evidence of both sides, in the arena. False: out of memory. */
bool etr_evidence_find(etr_evidence out[ETR_SIDES], const etr_pairing_side *const sides[ETR_SIDES], etr_arena *arena);

/** True if two items with the same operator cannot be the same node. */
bool etr_evidence_contradicts(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer);

#endif
