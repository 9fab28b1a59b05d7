/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_explained.h - from a base to a newer record: what the change of a method's time consists of. Layer 4.
 */
#ifndef ETR_DIFF_EXPLAINED_H
#define ETR_DIFF_EXPLAINED_H

#include "views/balance.h"
#include "views/diff_rows.h"

typedef enum etr_explained_kind {
  ETR_EXPLAINED_CHANGED, /* a sum of nodes, or events, on both sides */
  ETR_EXPLAINED_GONE,    /* only in the base */
  ETR_EXPLAINED_NEW,
  ETR_EXPLAINED_DELEGATES, /* beyond their nodes */
  ETR_EXPLAINED_FRAMEWORK,
  ETR_EXPLAINED_UNEXPLAINED,
  ETR_EXPLAINED_REST, /* where events are compared: what is in none of them */
  ETR_EXPLAINED_LOAD, /* once, before the inferences */
  ETR_EXPLAINED_KINDS
} etr_explained_kind;

/** One part of the time on both sides: averages in ticks of the newer profile, NaN where it is missing. */
typedef struct etr_explained {
  etr_explained_kind kind;
  const etr_node_group *group; /* NULL of what is no sum of nodes */
  const etr_change *change;    /* medians, and whether they changed; NULL of ETR_EXPLAINED_REST */
  double base, newer;
} etr_explained;

/** The averages of all rows but the load add up to Method::execute, on both sides. */
typedef struct etr_explanation {
  etr_diff_section by; /* what nodes are added up by */
  const etr_explained *rows;
  size_t count;
  size_t groups; /* the first of them: sums of nodes, largest change first */
} etr_explanation;

/** Explains a method that was timed on both sides. False when out of memory. */
bool etr_explanation_make(etr_explanation *out, etr_arena *arena, const etr_comparison *comparison,
                          const etr_method_pair *method, const etr_diff_filter *filter);

/** A part of the balance on both sides, per inference, likewise. */
typedef struct etr_balance_change {
  const etr_balance_part *part; /* of the newer side, whose words are those of both */
  double base, newer;
} etr_balance_change;

/** The parts of the balance; of a side without runs, NaN. */
void etr_diff_balance(etr_balance_change out[ETR_BALANCE_PARTS], etr_balance_part parts[ETR_BALANCE_PARTS],
                      const etr_comparison *comparison, const etr_method_pair *method);

/** "changed", "gone", "new", "delegate_only", "framework", "unexplained", "rest", "load". Static. */
const char *etr_explained_kind_name(etr_explained_kind kind);

#endif
