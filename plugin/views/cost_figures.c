/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost_figures.c - figures of sums and nodes.
 */
#include "views/cost_figures.h"

#include <math.h>

/* Returns a part of a peak; the clock's error can make it a little more than 1. */
static double at_most_1(double part) {
  return part > 1 ? 1 : part;
}

etr_cost_figures etr_cost_figures_of(const etr_profile *profile, const etr_cost_sum *sum) {
  etr_bound bound;
  double of_peak = etr_cost_of_peak(sum, &profile->effective_peaks, &bound);
  bool exceeds = of_peak > 1 + ETR_RATE_MOST_ERROR;
  /* A peak that is the best rate of this record is none for operators in a cache, which are often
   * faster than large ones. */
  bool is_given = bound != ETR_BOUND_UNKNOWN;
  return (etr_cost_figures){
      .macs = round(etr_cost_macs(sum)),
      .bytes = round(etr_cost_bytes(sum)),
      .weight_bytes = sum->unknown_bytes ? NAN : round(sum->weight_bytes),
      .gflops = etr_cost_gflops(sum),
      .gbs = etr_cost_gbs(sum),
      .intensity = etr_cost_intensity(sum),
      .of_peak = exceeds ? NAN : at_most_1(of_peak),
      .exceeds_peak = exceeds && is_given,
      .bound = etr_bound_name(bound),
      .arithmetic = etr_cost_arithmetic(sum),
      .unknown = (double)(sum->unknown_macs > sum->unknown_bytes ? sum->unknown_macs
                                                                 : sum->unknown_bytes),
      .hinted = (double)sum->hinted,
  };
}

/* Returns true for an operator whose cost is its own: it was not fused into another one. */
static bool has_cost(const etr_graph *graph, size_t node) {
  if (!graph->costs || graph->nodes[node].kind != ETR_NODE_OP)
    return false;
  return !graph->times || graph->times[node].carried_by == ETR_NONE;
}

etr_cost_figures etr_cost_figures_of_node(const etr_profile *profile, const etr_graph *graph,
                                          size_t node) {
  etr_cost_sum sum = {0};
  if (!has_cost(graph, node))
    return (etr_cost_figures){NAN, NAN, NAN, NAN, NAN, NAN, NAN, .unknown = NAN, .hinted = NAN};
  etr_cost_add(&sum, profile, graph, node);
  return etr_cost_figures_of(profile, &sum);
}
