/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slow_runs.h - finds runs that take much longer than others although they do the same work.
 * Layer 3.
 */
#ifndef ETR_SLOW_RUNS_H
#define ETR_SLOW_RUNS_H

#include "runs/blocks.h"

/* ---- Slow runs: they take much longer than others although they do the same work ---- */

/** Finds the slow runs among a method's included runs, which must be of one kind and have their
 * samples in the method's blocks. The indices of the slow runs are in the arena. Returns false when
 * out of memory. */
bool etr_slow_runs_find(etr_slow_runs *out, const etr_method *method, const etr_blocks *blocks,
                        etr_arena *arena);

/* ---- How much longer operators take in some runs than in others of the same method ---- */

/* The stretch of an operator is the factor by which it takes longer in a long run than in short
 * runs. Different work stretches operators by different factors, which are the same in each such
 * run: with a prompt of 60 tokens a linear layer takes 60 times as long as with one token, and a
 * normalization less. A slow clock or a neighboring process stretches all operators by about the
 * same factor; an interruption stretches only one. */

/** The factor from which on an operator counts as one that longer inputs stretch. */
#define ETR_STRETCHED 1.5

typedef struct etr_operator_stretch {
  double alike; /**< how alike the long runs are: median, over pairs of long runs, of Spearman's
                   correlation of their    operators' stretches; 0: there are too few operators or
                   runs */
  double width; /**< how much operators differ: 90th percentile of the operators' stretches divided
                   by their 10th; 1: there are too few */
  double reach; /**< part of the operators' usual time that is of those that take at least
                   ETR_STRETCHED times as long in the long runs, by their median */
  double top_share; /**< share of one operator: median, over long runs, of the largest part of the
                       excess time that is in one operator; a run that stretches all other operators
                       about as much counts as 0 */
  const etr_event *top; /**< that operator, if it is the same in all long runs; NULL */
} etr_operator_stretch;

/** Compares long runs with short runs, using evenly spaced samples of both. long_runs and
 * short_runs are indices into blocks->runs, ascending; their samples must be in their blocks.
 * Returns false when out of memory. */
bool etr_operator_stretch_of(etr_operator_stretch *out, const etr_blocks *blocks,
                             const uint32_t *long_runs, size_t long_count,
                             const uint32_t *short_runs, size_t short_count);

#endif
