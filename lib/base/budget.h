/* SPDX-License-Identifier: BSD-3-Clause
 *
 * budget.h - how much one profile may read and hold, and what of it is left. Layer 0.
 *
 * Few bytes can say much: deflate, tables that are shared, lists that repeat. So whoever reads takes what it is about
 * to read from one budget, and stops with the message that it gets where nothing is left. The defaults are beyond real
 * models.
 */
#ifndef ETR_BUDGET_H
#define ETR_BUDGET_H

#include "base/base.h"

typedef enum etr_resource {
  ETR_BYTES,  /* of files, and of entries of a record, decompressed */
  ETR_NODES,  /* of all graphs */
  ETR_EVENTS, /* of all ETDumps */
  ETR_RESOURCES,
} etr_resource;

typedef struct etr_budget {
  uint64_t limits[ETR_RESOURCES], left[ETR_RESOURCES];
  char message[96]; /* why something was refused; "": nothing was */
} etr_budget;

/** Sets what there is of a resource; 0: the default. */
void etr_budget_set(etr_budget *budget, etr_resource resource, uint64_t limit);

/** The defaults of all. */
void etr_budget_init(etr_budget *budget);

/**
 * Takes so much of a resource. NULL if there was as much; otherwise one line that names the option which raises the
 * limit, and lives as long as the budget. A budget of NULL has enough of everything.
 */
const char *etr_budget_take(etr_budget *budget, etr_resource resource, uint64_t count);

/** True once something was refused: then nothing that was read is of use. */
static inline bool etr_budget_refused(const etr_budget *budget) { return budget && budget->message[0]; }

#endif
