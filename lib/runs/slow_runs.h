/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slow_runs.h - runs that take much longer than others, though they do the same work. Layer 3.
 */
#ifndef ETR_SLOW_RUNS_H
#define ETR_SLOW_RUNS_H

#include "runs/blocks.h"

/* ---- Runs that take much longer than others, though they do the same work ---- */

/** Finds the slow ones among a method's runs that count: its runs are of one kind, and its blocks hold their samples.
 * Their indices are in the arena. False: out of memory. */
bool etr_slow_runs_find(etr_slow_runs *out, const etr_method *method, const etr_blocks *blocks, etr_arena *arena);

/* ---- How much longer operators take in some runs than in others of the same method ---- */

/* Other work stretches operators unlike each other, and in each such run alike: a prompt of 60 tokens takes a linear
 * layer 60 times as long as one token, and a normalisation less. A slow clock or a neighbour stretches all operators
 * by about one factor; an interruption stretches one. */

typedef struct etr_operator_stretch {
  double alike;         /**< median over pairs of long runs of Spearman's correlation of their operators' stretches; 0:
                           there are too few operators or runs to tell */
  double width;         /**< of the operators' stretches: their 90 % point over their 10 % point; 1: too few to tell */
  double top_share;     /**< median over long runs: of what the run takes longer, the part that is in the operator with
                           most of it; 0 of a run that stretches all else about as much */
  const etr_event *top; /**< that operator, if it is the same in all long runs; NULL */
} etr_operator_stretch;

/** Compares evenly chosen ones of long runs and of short ones: indices into blocks->runs, ascending, of runs whose
 * samples are in their blocks. False: out of memory. */
bool etr_operator_stretch_of(etr_operator_stretch *out, const etr_blocks *blocks, const uint32_t *long_runs,
                             size_t long_count, const uint32_t *short_runs, size_t short_count);

#endif
