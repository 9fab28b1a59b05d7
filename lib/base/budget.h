/* SPDX-License-Identifier: BSD-3-Clause
 *
 * budget.h - limits how much one profile may read and hold. Layer 0.
 *
 * A small file can describe a lot of data, by compression, shared tables and repeated lists. Every
 * reader therefore takes what it is about to read from one budget, and stops with the budget's
 * message if nothing is left. The defaults are beyond real models.
 */
#ifndef ETR_BUDGET_H
#define ETR_BUDGET_H

#include "base/base.h"

typedef enum etr_resource {
  ETR_BYTES,  /* bytes of files, and of decompressed entries of a record */
  ETR_NODES,  /* nodes of all graphs */
  ETR_EVENTS, /* events of all ETDumps */
  ETR_RESOURCES,
} etr_resource;

typedef struct etr_budget {
  uint64_t limits[ETR_RESOURCES], left[ETR_RESOURCES];
  char message[96]; /* why something was refused; "" if nothing was */
} etr_budget;

/** Sets the limit of a resource; 0: the default. */
void etr_budget_set(etr_budget *budget, etr_resource resource, uint64_t limit);

/** Sets the default limits of all resources; etr_budget_set() takes 0 for the default. */
void etr_budget_init(etr_budget *budget);

/**
 * Takes `count` of a resource. Returns NULL if that much was left; otherwise one line that names
 * the option which raises the limit, and which lives as long as the budget. A budget of NULL has no
 * limits.
 */
const char *etr_budget_take(etr_budget *budget, etr_resource resource, uint64_t count);

/** Returns true after something was refused; nothing that was read can be used then. */
static inline bool etr_budget_refused(const etr_budget *budget) {
  return budget && budget->message[0];
}

#endif
