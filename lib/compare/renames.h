/* SPDX-License-Identifier: BSD-3-Clause
 *
 * renames.h - what modules of the base are called on the newer side. Layer 3.
 *
 * A layer that is inserted gives later modules of a list other numbers. The nodes that were paired
 * show which module is which: the partner of a module is the one that has most partners of its
 * nodes, and no two modules have the same partner.
 */
#ifndef ETR_RENAMES_H
#define ETR_RENAMES_H

#include "base/writer.h"

/** Names of the base, each with its name on the newer side. */
typedef struct etr_renames {
  etr_arena *arena; /* borrowed */
  etr_map votes;    /* "base\nnewer" -> how many paired nodes say so */
  etr_map partners; /* of the base: name -> index in names */
  etr_map taken;    /* of the newer side: names that are a partner */
  etr_vec(const char *) names;
  etr_text key; /* the vote that is being counted, or the name that is being made */
} etr_renames;

void etr_renames_init(etr_renames *renames, etr_arena *arena);

/** Adds a pair of nodes that are in modules, or patterns of modules, of these names. Their parents
 * are paired, too. Modules of different depth have no partners. Returns false when out of memory.
 */
bool etr_renames_add(etr_renames *renames, const char *base, const char *newer);

/** Finds the partners, after the last pair was added: from the outermost modules inwards, and each
 * in the partner of its parent, so that sums with everything below them still contain each other.
 * Those with most pairs come first, of equally many those that keep their name. Returns false when
 * out of memory. */
bool etr_renames_find(etr_renames *renames);

/** Returns the name on the newer side of a name of the base. A name without partner stays as it is
 * within its parent's, or if another one has that on the newer side it gets " (base)". Returns ""
 * when out of memory. */
const char *etr_renames_of(etr_renames *renames, const char *base);

#endif
