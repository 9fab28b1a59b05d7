/* SPDX-License-Identifier: BSD-3-Clause
 *
 * evidence.h - the evidence that two nodes are the same, and the contradictions that forbid it.
 * Layer 3.
 */
#ifndef ETR_EVIDENCE_H
#define ETR_EVIDENCE_H

#include "base/arena.h"
#include "etrecord_compare.h"

/* ---- The nodes that are to be paired ---- */

/** The sides of a comparison. */
enum { ETR_BASE, ETR_NEWER, ETR_SIDES };

/** What is known about a node. Texts are replaced by numbers; equal texts have the same number on
 * both sides. */
typedef struct etr_pairing_item {
  const char *path; /* path of its module; NULL at the top level and for events */
  uint32_t name, shape;
  uint32_t op; /* kind of operator; names that different lowerings give to one kind have the same
                  number */
  uint32_t target; /* its exact name */
  uint32_t weight; /* for a layer: shape of the weight that it reads; 0: it reads none, or the shape
                      is unknown */
  uint32_t state;  /* for other operators: shape of the cache, mask or table that it reads; 0: it
                      reads none,  or the shape is unknown */
  uint32_t weight_rank; /* number of dimensions of the weight */
  uint32_t dims;   /* dimensions of its first output, without the type; 0: unknown or symbolic */
  uint32_t rank;   /* number of dimensions of its first output */
  uint32_t body;   /* body of a control-flow operator that it is in */
  uint32_t source; /* text of its source line; 0: unknown */
  bool only_moves; /* it only moves, converts or quantizes what it reads */
  const uint32_t *producers; /* as in etr_side_item */
  size_t producer_count;
} etr_pairing_item;

/** The items of one side, and the pairs that were found. The caller owns the lists. */
typedef struct etr_pairing_side {
  const etr_pairing_item *items; /* in order of execution */
  size_t count;
  uint32_t *partner; /* out: per item, its index on the other side; ETR_NONE if it has no partner */
  etr_pair_rule *rules;  /* out: per item, the rule that paired it */
  bool has_other_inputs; /* the method's inputs have other shapes than on the other side, or their
                            shapes are unknown */
} etr_pairing_side;

/** Keeps the longest increasing subsequence of `partner`, which are the pairs that keep the order
 * of both sides, and sets all other entries to ETR_NONE. Takes O(n log n) time. Both scratch arrays
 * must have room for count numbers. */
void etr_keep_increasing(uint32_t *partner, size_t count, uint32_t *const scratch[2]);

/* ---- Pairs the modules of both sides ---- */

/* A layer that is inserted into a torch.nn.Sequential shifts the numbers of the layers after it, so
 * that the same path means another module. Paths are therefore compared level by level, from the
 * top down. Children whose names do not end in a digit are the same if their names are equal.
 * Numbered children are the same if their names are equal, too, unless two children with one name
 * have different weights or operators: then all numbered children of their parent are aligned in
 * order, by what they contain. */

/** The modules of the items of one side. */
typedef struct etr_item_modules {
  uint32_t *
      number; /* per item: number of its module, which is equal on both sides for the same module */
  bool *has_partner; /* per item: its module is on both sides and is not the top level */
} etr_item_modules;

/** Fills the modules of both sides, in the arena. Returns false when out of memory. */
bool etr_pairing_find_modules(etr_item_modules out[ETR_SIDES],
                              const etr_pairing_side *const sides[ETR_SIDES], etr_arena *arena);

/* ---- The evidence that two nodes are the same, and the contradictions that forbid it ---- */

/** Hashes of the operators around each item, which are comparable between both sides. Operators
 * that only move data are skipped. */
typedef struct etr_flow {
  uint64_t *producers, *consumers; /* per item: the operators next to it */
  uint64_t *around; /* per item: the operators around it, three deep in both directions */
} etr_flow;

/** What is derived from the items of a side. */
typedef struct etr_evidence {
  const etr_pairing_side *of;
  etr_flow flow;
  bool has_flow;
  etr_item_modules modules;
  bool *is_resized; /* per item: its shapes follow from a known difference between the sides, so
                       they are no evidence */
  uint64_t *reads;  /* per item: hash of the dimensions of what it reads; 0: unknown */
  bool *alone_in_module; /* per item: it is the only one with its operator in its module */
  bool *alone_on_line;   /* per item: it is the only one with its operator on its source line in its
                            module */
} etr_evidence;

/** Collects the evidence of both sides, in the arena. Returns false when out of memory. */
bool etr_evidence_find(etr_evidence out[ETR_SIDES], const etr_pairing_side *const sides[ETR_SIDES],
                       etr_arena *arena);

/** Returns true if two items of the same kind of operator cannot be the same node, by their shapes,
 * modules, source lines and data flow. `base` and `newer` are their indices on these sides. */
bool etr_evidence_contradicts(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer);

#endif
