/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_histogram.h - distributions, for TensorBoard's histograms tab. Layer 5.
 */
#ifndef ETR_TB_HISTOGRAM_H
#define ETR_TB_HISTOGRAM_H

#include "arena.h"
#include "tb_summary.h"

enum { ETR_TB_BUCKETS = 30 }; /* as many as TensorFlow's own writers make */

/** One distribution. */
typedef struct etr_tb_histogram {
  etr_tb_summary summary;
  Tensorboard__TensorShapeProto__Dim dims[2], *dim_list[2];
  double buckets[ETR_TB_BUCKETS][3]; /* from, to, how many */
} etr_tb_histogram;

/** Fills it from finite values, at least one; it must not be moved then. The tag is borrowed. */
void etr_tb_histogram_init(etr_tb_histogram *histogram, double wall_time, const char *tag, const double *values, size_t count);

#endif
