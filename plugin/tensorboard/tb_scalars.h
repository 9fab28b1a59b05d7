/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.h - points of curves, for TensorBoard's time series tab. Layer 5.
 */
#ifndef ETR_TB_SCALARS_H
#define ETR_TB_SCALARS_H

#include "tb_summary.h"

/** One point. */
typedef struct etr_tb_point {
  etr_tb_summary summary;
  float number;
} etr_tb_point;

/** Fills a point, which must not be moved then. The tag is borrowed. */
void etr_tb_point_init(etr_tb_point *point, double wall_time, const char *tag, int64_t step, double value);

#endif
