/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.h - computes the costs of operators (multiply-accumulates, bytes read and written) and the
 * peaks. Layer 3.
 */
#ifndef ETR_COST_H
#define ETR_COST_H

#include "base/base.h"
#include "base/kept.h"
#include "inputs/record.h"

/* ---- Products of sizes that may be unknown, examples, or too large to count ---- */

/** A number and how reliable it is. An unknown number stays unknown, whatever it is multiplied by
 * or added to. */
typedef struct etr_amount {
  uint64_t count;
  bool is_unknown; /* a size is not known */
  bool from_hints; /* a size is the example that the export recorded */
  bool overflows;  /* it is larger than 2^63, and therefore unknown */
} etr_amount;

static inline etr_amount etr_amount_of(uint64_t count) {
  return (etr_amount){.count = count};
}
static inline etr_amount etr_amount_unknown(void) {
  return (etr_amount){.is_unknown = true};
}

/** Returns the count; ETR_UNKNOWN if it is unknown. */
static inline uint64_t etr_amount_count(const etr_amount *amount) {
  return amount->is_unknown ? ETR_UNKNOWN : amount->count;
}

/* ---- How many multiply-accumulates an operator does ---- */

/** What an operator multiplies: the indices of its two factors among its inputs. */
typedef struct etr_factors {
  bool are_known;
  uint8_t first, second;
} etr_factors;

/**
 * Returns the multiply-accumulates of one call of an operator, by the formulas of
 * torch/utils/flop_counter.py, which counts twice as many FLOP: products of matrices, convolutions
 * and attention; 0 for all other operators of ATen and of ExecuTorch's dialects. Unknown for
 * operators of other libraries, and for operators whose products do not follow from shapes (LSTM,
 * einsum). Operators of delegates in program/METHOD have no ATen names; etr_graph.works says how
 * they compute. Sets *factors (may be NULL) to what is multiplied.
 */
etr_amount etr_macs_of(const etr_graph *graph, const etr_node *node, etr_factors *factors);

/** Returns the multiply-accumulates of a graph's operators of which they are known; each counts
 * once, also in a loop. */
uint64_t etr_macs_of_graph(const etr_graph *graph);

/** Returns true for an operator that has a formula, or should have one: it multiplies matrices, and
 * its time includes that of operators fused with it. */
bool etr_multiplies(const char *target);

/* ---- The costs of a graph's nodes, by their shapes alone ---- */

/** What etr_costs_find() fills. */
typedef struct etr_cost_job {
  etr_profile *profile;
  etr_graph *graphs; /* those of the profile */
  etr_kept *kept; /* for the next ETDumps that group nodes in the same way; NULL: there are none */
  etr_arena *arena;
  etr_warnings *warnings;
} etr_cost_job;

/** Fills the costs of the graphs, and the peaks of the profile. Fused nodes count for the node into
 * which they were fused. Warns about sizes whose product is too large to count. Returns false when
 * out of memory. */
bool etr_costs_find(const etr_cost_job *job);

/* ---- The peaks of a profile ---- */

/** Sets the effective peaks of a profile that has its costs: the given peaks, where each one that
 * was not given is replaced by the best rate among its nodes that were timed well and are large
 * enough to show it; 0 if it has none. */
void etr_effective_peaks_find(etr_profile *profile);

#endif
