/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_summary.c - fills TensorFlow's events with values.
 */
#include "tensorboard/tb_summary.h"

void etr_tb_summary_init(etr_tb_summary *s, double wall_time, const char *tag, int64_t step, const char *plugin,
                         Tensorboard__DataClass data_class) {
  for (size_t i = 0; i < ETR_COUNT(s->dims); i++) {
    tensorboard__tensor_shape_proto__dim__init(&s->dims[i]);
    s->dim_list[i] = &s->dims[i];
  }
  tensorboard__tensor_shape_proto__init(&s->shape);
  s->shape.dim = s->dim_list;
  tensorboard__tensor_proto__init(&s->tensor);
  s->tensor.tensor_shape = &s->shape;
  tensorboard__summary_metadata__plugin_data__init(&s->plugin);
  s->plugin.plugin_name = (char *)(uintptr_t)plugin;
  tensorboard__summary_metadata__init(&s->metadata);
  s->metadata.plugin_data = &s->plugin;
  s->metadata.data_class = data_class;
  tensorboard__summary__value__init(&s->value);
  s->value.tag = (char *)(uintptr_t)tag;
  s->value.metadata = &s->metadata;
  s->value.value_case = TENSORBOARD__SUMMARY__VALUE__VALUE_TENSOR;
  s->value.tensor = &s->tensor;
  s->values = &s->value;
  tensorboard__summary__init(&s->summary);
  s->summary.n_value = 1;
  s->summary.value = &s->values;
  tensorboard__event__init(&s->event);
  s->event.wall_time = wall_time;
  s->event.step = step;
  s->event.what_case = TENSORBOARD__EVENT__WHAT_SUMMARY;
  s->event.summary = &s->summary;
}

void etr_tb_point_init(etr_tb_point *p, double wall_time, const char *tag) {
  etr_tb_summary_init(&p->summary, wall_time, tag, 0, "scalars", TENSORBOARD__DATA_CLASS__DATA_CLASS_SCALAR);
  p->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_FLOAT; /* TensorBoard drops curves of doubles */
  p->summary.tensor.n_float_val = 1;
  p->summary.tensor.float_val = &p->point;
}

/* Fills buckets of equal width from the least value to the largest; the last bucket includes both its ends. Equal
 * values get one bucket around them. Returns the number of buckets. */
static size_t fill(etr_tb_histogram *h, const double *values, size_t count) {
  double least = values[0], most = values[0];
  for (size_t i = 1; i < count; i++) {
    least = ETR_MIN(least, values[i]);
    most = ETR_MAX(most, values[i]);
  }
  double width = (most - least) / (double)ETR_TB_BUCKETS;
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
  h->summary.shape.n_dim = 2;
  h->summary.dims[0].size = (int64_t)buckets;
  h->summary.dims[1].size = 3;
  h->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_DOUBLE;
  h->summary.tensor.n_double_val = buckets * 3;
  h->summary.tensor.double_val = &h->buckets[0][0];
}

void etr_tb_document_init(etr_tb_document *d, double wall_time, const char *tag, const char *content, etr_slice json) {
  etr_tb_summary_init(&d->summary, wall_time, tag, 0, ETR_TB_DASHBOARD,
                      TENSORBOARD__DATA_CLASS__DATA_CLASS_BLOB_SEQUENCE);
  d->blob = (ProtobufCBinaryData){json.size, (uint8_t *)(uintptr_t)json.data};
  d->summary.plugin.content = (ProtobufCBinaryData){strlen(content), (uint8_t *)(uintptr_t)content};
  d->summary.shape.n_dim = 1;
  d->summary.dims[0].size = 1;
  d->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  d->summary.tensor.n_string_val = 1;
  d->summary.tensor.string_val = &d->blob;
}
