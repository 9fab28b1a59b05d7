/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost_figures.h - what every output tells of a cost: counts, rates, what they are limited by. Layer 4.
 */
#ifndef ETR_COST_FIGURES_H
#define ETR_COST_FIGURES_H

#include "etrecord_tb.h"

/** NaN and NULL: not known, or there is none. */
typedef struct etr_cost_figures {
  double macs, bytes, weight_bytes; /* per inference */
  double gflops, gbs, intensity;
  double of_peak;    /* the time that the peaks allow as a part of the time taken; NaN also where it exceeds that */
  bool exceeds_peak; /* by more than reading the clock may: it is no rate then */
  const char *bound, *arithmetic;
  double unknown; /* nodes whose cost is not known */
  double hinted;  /* nodes whose sizes are examples */
} etr_cost_figures;

/** The figures of a sum. */
etr_cost_figures etr_cost_figures_of(const etr_profile *profile, const etr_cost_sum *sum);

/** The figures of a node; nothing is known of one that is no operator, and of one whose time another node carries. */
etr_cost_figures etr_cost_figures_of_node(const etr_profile *profile, const etr_graph *graph, size_t node);

#endif
