/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing_modules.h - finds which module of the newer side is which of the base. Layer 3.
 *
 * A layer that is put in front of others in a torch.nn.Sequential shifts the numbers of those behind it, so that the
 * same path is another module. Paths are compared level by level, from the model down. Children whose names end in no
 * digit are the same if their names are. Numbered children are the same if their names are, as long as no two of one
 * name have other weights or operators; if two do, all numbered children of that module are aligned in order, by what
 * is in them.
 */
#ifndef ETR_PAIRING_MODULES_H
#define ETR_PAIRING_MODULES_H

#include "compare/pairing_side.h"

/** The modules of a side's items. */
typedef struct etr_item_modules {
  uint32_t *number;  /* per item: equal on both sides for the same module */
  bool *has_partner; /* per item: its module is on both sides, and it is not the model itself */
} etr_item_modules;

/** Fills the modules of both sides, in the arena. False: out of memory. */
bool etr_pairing_find_modules(etr_item_modules out[ETR_SIDES], const etr_pairing_side *const sides[ETR_SIDES],
                              etr_arena *arena);

#endif
