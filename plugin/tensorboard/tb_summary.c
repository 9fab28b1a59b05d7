/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_summary.c - fills TensorFlow's events with values.
 */
#include "tensorboard/tb_summary.h"

#include "tensorboard/tb_tags.h"

#include <math.h>

void etr_tb_summary_init(etr_tb_summary *s, double wall_time, const char *tag, int64_t step,
                         const char *plugin, Tensorboard__DataClass data_class) {
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

/* Describes a tag. TensorBoard reads metadata in the first value of a tag only. */
static void describe(etr_tb_summary *s) {
  s->metadata.summary_description = etr_for_foreign(etr_tb_description(s->value.tag));
}

void etr_tb_point_init(etr_tb_point *p, double wall_time, const char *tag) {
  p->is_used = false;
  etr_tb_summary_init(&p->summary, wall_time, tag, 0, "scalars",
                      TENSORBOARD__DATA_CLASS__DATA_CLASS_SCALAR);
  describe(&p->summary);
  p->summary.value.value_case = TENSORBOARD__SUMMARY__VALUE__VALUE_SIMPLE_VALUE;
}

bool etr_tb_point_set(etr_tb_point *p, int64_t step, double value) {
  if (!isfinite((float)value))
    return false;
  if (p->is_used)
    p->summary.value.metadata = NULL;
  p->is_used = true;
  p->summary.event.step = step;
  p->summary.value.simple_value = (float)value;
  return true;
}

void etr_tb_histogram_init(etr_tb_histogram *h, double wall_time, const char *tag, int64_t step,
                           const etr_tb_spread *spread) {
  double width = (spread->most - spread->least) / (double)spread->buckets;
  etr_tb_summary_init(&h->summary, wall_time, tag, step, "histograms",
                      TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  describe(&h->summary);
  tensorboard__histogram_proto__init(&h->histo);
  h->histo.min = spread->least;
  h->histo.max = spread->most;
  h->histo.n_bucket_limit = h->histo.n_bucket = spread->buckets;
  h->histo.bucket_limit = h->limits;
  h->histo.bucket = h->counts;
  for (size_t i = 0; i < spread->buckets; i++) {
    double middle = spread->least + ((double)i + 0.5) * width;
    h->limits[i] = i + 1 < spread->buckets ? spread->least + (double)(i + 1) * width : spread->most;
    h->counts[i] = spread->counts[i];
    h->histo.num += spread->counts[i];
    h->histo.sum += spread->counts[i] * middle;
    h->histo.sum_squares += spread->counts[i] * middle * middle;
  }
  h->summary.value.value_case = TENSORBOARD__SUMMARY__VALUE__VALUE_HISTO;
  h->summary.value.histo = &h->histo;
}

void etr_tb_layout_init(etr_tb_layout *l, double wall_time, etr_slice packed) {
  etr_tb_summary_init(&l->summary, wall_time, ETR_TB_LAYOUT, 0, "custom_scalars",
                      TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  l->packed = (ProtobufCBinaryData){packed.size, (uint8_t *)(uintptr_t)packed.data};
  l->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  l->summary.tensor.n_string_val = 1;
  l->summary.tensor.string_val = &l->packed;
}

void etr_tb_document_init(etr_tb_document *d, double wall_time, const char *tag,
                          const char *content, etr_slice json) {
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
