/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fit.h - how well a block of runs fits each method. Layer 3.
 *
 * With the .pte each row is held against the method's instruction list: it fits or it does not. Without it a row speaks
 * for a method (its operator is at a node of the instruction's handles, its delegate id is in the delegate map) or
 * against it (an unknown delegate, another operator). Methods that look alike so far may differ inside their delegates:
 * what ran there is counted by class and compared with the payload in the .pte, or else with the nodes of the
 * delegate's handles.
 */
#ifndef ETR_FIT_H
#define ETR_FIT_H

#include "blocks.h"
#include "join.h"

typedef struct etr_fit {
  uint32_t against, agreeing; /* rows */
  uint32_t strange;           /* operators of delegates more than these have */
  uint32_t missing;           /* instructions, and operators of delegates, that no row has */
  bool exact;                 /* held against the .pte's instruction list */
} etr_fit;

/** What tells two fits apart; the first that differs decides. */
typedef enum etr_fit_part {
  ETR_FIT_AGAINST,
  ETR_FIT_STRANGE,
  ETR_FIT_MISSING,
  ETR_FIT_PARTS, /* nothing does */
} etr_fit_part;

/** What is known of the methods, prepared for many blocks. */
typedef struct etr_fitter etr_fitter;

/** In the arena; NULL when out of memory. The joins must live as long. Their instructions and nodes need not be found
 * yet. */
etr_fitter *etr_fitter_new(etr_arena *arena, const etr_method_join *joins, size_t count);

/** Fills fits, one for each method. False: out of memory. */
bool etr_fitter_fit(etr_fitter *fitter, const etr_block *block, etr_fit *fits);

/** < 0: a fits better than b. decided_by (may be NULL): what told. */
int etr_fit_compare(const etr_fit *a, const etr_fit *b, etr_fit_part *decided_by);

/** False: the method is another model's, as it disagrees with as much as it agrees with. */
bool etr_fit_is_any(const etr_fit *fit);

#endif
