/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_rows.h - the rows of a method's comparison: pairs of nodes, sums of the same key. Layer 3.
 */
#ifndef ETR_COMPARE_ROWS_H
#define ETR_COMPARE_ROWS_H

#include "compare/compare_change.h"
#include "compare/compare_side.h"
#include "compare/pairing.h"

/** A method on one side. */
typedef struct etr_method_side {
  const etr_method *method;        /* NULL where it is missing */
  const etr_side_method *compared; /* empty then */
} etr_method_side;

/** What the rows of one method need. */
typedef struct etr_rows {
  double base_scale; /* as in etr_comparison */
  const etr_compare_options *options;
  etr_arena *arena; /* of the comparison */
  etr_arena *scratch;
} etr_rows;

/** A time of one side as changes take it; of NULL, which is not there. */
etr_measure etr_side_measure(const etr_method_side *side, const etr_side_time *time);

/** Fills the pairs of a method, and what is counted of them. False: out of memory. */
bool etr_rows_pair(etr_rows *rows, etr_method_pair *method, const etr_method_side sides[ETR_SIDES]);

/** Fills its sums by operator, module and backend. False: out of memory. */
bool etr_rows_add_up(etr_rows *rows, etr_method_pair *method, const etr_method_side sides[ETR_SIDES]);

#endif
