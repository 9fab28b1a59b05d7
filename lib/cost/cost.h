/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.h - what operators compute and move: multiplications, bytes, rates of the hardware. Layer 3.
 */
#ifndef ETR_COST_H
#define ETR_COST_H

#include "base/base.h"
#include "inputs/record.h"

/* ---- Products of sizes that may be unknown, an example, or too large to count ---- */

/** A number that remembers how it came about: unknown stays unknown, whatever it is multiplied by or added to. */
typedef struct etr_amount {
  uint64_t count;
  bool is_unknown; /* a size is not known */
  bool from_hints; /* a size is the example that the export recorded */
  bool overflows;  /* it is beyond 2^63, and unknown for that */
} etr_amount;

static inline etr_amount etr_amount_of(uint64_t count) { return (etr_amount){.count = count}; }
static inline etr_amount etr_amount_unknown(void) { return (etr_amount){.is_unknown = true}; }

/** The count; ETR_UNKNOWN if it is not known. */
static inline uint64_t etr_amount_count(const etr_amount *amount) {
  return amount->is_unknown ? ETR_UNKNOWN : amount->count;
}

/* ---- How many multiply-accumulates an operator does ---- */

/** What an operator multiplies: the places of its two factors among its inputs. */
typedef struct etr_factors {
  bool are_known;
  uint8_t first, second;
} etr_factors;

/**
 * Multiply-accumulates of one call of an operator, by the formulas of torch/utils/flop_counter.py, which counts twice
 * as many FLOP: products of matrices, convolutions and attention; 0 of all else in ATen and in ExecuTorch's dialects.
 * Unknown of operators of others, and of those that are made of products in a way that shapes do not tell (LSTM,
 * einsum). Operators of delegates in program/METHOD have no ATen names: how they work says the graph. factors: what is
 * multiplied; may be NULL.
 */
etr_amount etr_macs_of(const etr_graph *graph, const etr_node *node, etr_factors *factors);

/** True of an operator that has a formula, or should have one: it multiplies matrices, and takes the time of what is
 * fused with it. */
bool etr_multiplies(const char *target);

/* ---- What a graph's nodes compute and move, by their shapes alone ---- */

/** Fills the peaks of a profile that is laid out, and the costs of `graphs`, which are the profile's. What a delegate
 * fused counts for the node that carries it. Warns of sizes whose product is too large to count. False: out of memory.
 */
bool etr_costs_find(etr_profile *profile, etr_graph *graphs, etr_arena *arena, etr_warnings *warnings);

/* ---- The peaks of a profile ---- */

/** Sets the peaks of a profile that has its costs: its peaks, and in place of those that were not given the best rates
 * of its timed nodes. */
void etr_effective_peaks_find(etr_profile *profile);

#endif
