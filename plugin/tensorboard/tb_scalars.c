/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.c - points of curves as TensorFlow's events.
 */
#include "tb_scalars.h"

void etr_tb_point_init(etr_tb_point *point, double wall_time, const char *tag, int64_t step, double value) {
  etr_tb_summary_init(&point->summary, wall_time, tag, step, "scalars", TENSORBOARD__DATA_CLASS__DATA_CLASS_SCALAR);
  point->number = (float)value; /* TensorBoard drops curves of doubles */
  point->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_FLOAT;
  point->summary.tensor.n_float_val = 1;
  point->summary.tensor.float_val = &point->number;
}
