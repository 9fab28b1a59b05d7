/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_histogram.c - distributions as TensorFlow's events.
 */
#include "tb_histogram.h"

/* Buckets of equal width from the least value to the largest; the last one takes both its ends. Values that are all the same get one bucket around
 * them. Gives how many buckets there are. */
static size_t fill(etr_tb_histogram *h, const double *values, size_t count) {
  double least = values[0], most = values[0];
  for (size_t i = 1; i < count; i++) {
    least = ETR_MIN(least, values[i]);
    most = ETR_MAX(most, values[i]);
  }
  double width = (most - least) / ETR_TB_BUCKETS;
  if (!(width > 0)) {
    h->buckets[0][0] = least - 0.5;
    h->buckets[0][1] = least + 0.5;
    h->buckets[0][2] = (double)count;
    return 1;
  }
  for (size_t i = 0; i < ETR_TB_BUCKETS; i++) {
    h->buckets[i][0] = least + (double)i * width;
    h->buckets[i][1] = i + 1 < ETR_TB_BUCKETS ? least + (double)(i + 1) * width : most;
    h->buckets[i][2] = 0;
  }
  for (size_t i = 0; i < count; i++) {
    size_t bucket = (size_t)((values[i] - least) / width);
    h->buckets[ETR_MIN(bucket, (size_t)ETR_TB_BUCKETS - 1)][2] += 1;
  }
  return ETR_TB_BUCKETS;
}

void etr_tb_histogram_init(etr_tb_histogram *h, double wall_time, const char *tag, const double *values, size_t count) {
  etr_tb_summary_init(&h->summary, wall_time, tag, 0, "histograms", TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  size_t buckets = fill(h, values, count);
  for (size_t i = 0; i < 2; i++) {
    tensorboard__tensor_shape_proto__dim__init(&h->dims[i]);
    h->dim_list[i] = &h->dims[i];
  }
  h->dims[0].size = (int64_t)buckets;
  h->dims[1].size = 3;
  h->summary.shape.n_dim = 2;
  h->summary.shape.dim = h->dim_list;
  h->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_DOUBLE;
  h->summary.tensor.n_double_val = buckets * 3;
  h->summary.tensor.double_val = &h->buckets[0][0];
}
