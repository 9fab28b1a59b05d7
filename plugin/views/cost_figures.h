/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost_figures.h - the figures of a cost in every output: counts, rates, and what limits them.
 * Layer 4.
 */
#ifndef ETR_COST_FIGURES_H
#define ETR_COST_FIGURES_H

#include "etrecord_tb.h"

/** Figures of a node or of a sum of nodes. NaN and NULL mean that a figure is not known or does not
 * exist. */
typedef struct etr_cost_figures {
  double macs, bytes, weight_bytes; /* per inference: whole numbers, also of operators that run in
                                       some inferences only */
  double gflops, gbs, intensity;
  double of_peak; /* the time that the peaks allow, divided by the time taken: at most 1; NaN also
                     where that exceeds 1 by more than the clock's error */
  bool exceeds_peak; /* the rate exceeds a peak by more than the clock's resolution explains, and is
                        not shown */
  const char *bound, *arithmetic;
  double unknown; /* number of nodes whose cost is not known */
  double hinted;  /* number of nodes with symbolic sizes, for which an example is taken */
} etr_cost_figures;

/** Returns the figures of the costs of some nodes. A rate above a peak by more than the clock
 * explains is not shown. */
etr_cost_figures etr_cost_figures_of(const etr_profile *profile, const etr_cost_sum *sum);

/** Returns the figures of a node. They are unknown if the node is not an operator, or was fused
 * into another node. */
etr_cost_figures etr_cost_figures_of_node(const etr_profile *profile, const etr_graph *graph,
                                          size_t node);

#endif
