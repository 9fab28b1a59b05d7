/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_curves.h - a method's times as curves and distributions, for TensorBoard's time series, histograms and hparams
 * tabs. Layer 5.
 *
 *   benchmark_ms/avg|max|min|p50|p90   of Method::execute: one point, which the hparams tab compares
 *   parts_us/PART                      per inference: nodes, delegate_only, framework, unexplained, which add up to
 *                                      Method::execute
 *   op_type_us/OPERATOR                per inference: the largest, and "other"; they add up to parts_us/nodes
 *   delegate_us/BACKEND                per inference: delegates' calls as a whole
 *   timeline_us/avg, cumulative        per instruction: its time, delegates as a whole; and the running sum
 *
 * If the record has several methods, tags end in "/METHOD". A part that never took any time has no curve, so a missing
 * curve means 0.
 */
#ifndef ETR_TB_CURVES_H
#define ETR_TB_CURVES_H

#include "base/arena.h"
#include "etrecord_tb.h"

enum {
  ETR_TB_MAX_POINTS = 1000
}; /* points of a curve over inferences: TensorBoard keeps no more. With more inferences, every n-th is shown */

typedef struct etr_tb_curve {
  const char *tag;
  const double *values;
  const int64_t *steps; /* ascending; NULL: 0, stride, 2 * stride, ... */
  int64_t stride;
  size_t count;
  bool is_distribution; /* one value for each inference, which is also shown as a histogram */
} etr_tb_curve;

typedef struct etr_tb_curves {
  const etr_tb_curve *list;
  size_t count;
} etr_tb_curves;

/** Builds all curves of a method; none if it never ran. Tags are unique. Returns false when out of memory. */
bool etr_tb_curves_build(etr_tb_curves *out, etr_arena *arena, const etr_profile *profile, const etr_method *method);

/** Builds curves of the memory that a method's program plans: live bytes over the instructions (if there are many, a
 * point is the largest value up to the next point), the peak, and the planned bytes. There are none without a plan.
 * Returns false when out of memory. */
bool etr_tb_memory_curves_build(etr_tb_curves *out, etr_arena *arena, const etr_profile *profile,
                                const etr_method *method);

#endif
