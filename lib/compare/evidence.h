/* SPDX-License-Identifier: BSD-3-Clause
 *
 * evidence.h - what speaks for two nodes being the same, and what forbids it. Layer 3.
 */
#ifndef ETR_EVIDENCE_H
#define ETR_EVIDENCE_H

#include "compare/pairing.h"

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
