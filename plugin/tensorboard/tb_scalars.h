/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.h - points of curves, for TensorBoard's time series tab. Layer 5.
 */
#ifndef ETR_TB_SCALARS_H
#define ETR_TB_SCALARS_H

#include "packed.h"

/** The points of a curve: thousands, of which only step and value differ. Zeroed but for the arenas of both. */
typedef struct etr_tb_points {
  etr_packed summary; /* a Summary field, with the last value */
  size_t value_at;    /* where in it the value stands */
  etr_packed event;   /* the last point */
} etr_tb_points;

/** Begins a curve. */
void etr_tb_points_begin(etr_tb_points *points, const char *tag);

/** A point as a TensorFlow event; borrowed until the next one. Steps of a tag must increase, or TensorBoard drops values. */
etr_slice etr_tb_point(etr_tb_points *points, double wall_time, int64_t step, double value);

#endif
