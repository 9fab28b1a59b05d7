/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.c - points of curves as TensorFlow's events.
 */
#include "tb_scalars.h"

/* A float, since TensorBoard drops curves of doubles. */
static void init_tensor(etr_tb_point *point, double value) {
  point->number = (float)value;
  tensorboard__tensor_shape_proto__init(&point->shape);
  tensorboard__tensor_proto__init(&point->tensor);
  point->tensor.dtype = TENSORBOARD__DATA_TYPE__DT_FLOAT;
  point->tensor.tensor_shape = &point->shape;
  point->tensor.n_float_val = 1;
  point->tensor.float_val = &point->number;
}

static void init_metadata(etr_tb_point *point) {
  tensorboard__summary_metadata__plugin_data__init(&point->plugin);
  point->plugin.plugin_name = (char *)(uintptr_t) "scalars";
  tensorboard__summary_metadata__init(&point->metadata);
  point->metadata.plugin_data = &point->plugin;
  point->metadata.data_class = TENSORBOARD__DATA_CLASS__DATA_CLASS_SCALAR;
}

void etr_tb_point_init(etr_tb_point *point, double wall_time, const char *tag, int64_t step, double value) {
  init_tensor(point, value);
  init_metadata(point);
  tensorboard__summary__value__init(&point->value);
  point->value.tag = (char *)(uintptr_t)tag;
  point->value.metadata = &point->metadata;
  point->value.value_case = TENSORBOARD__SUMMARY__VALUE__VALUE_TENSOR;
  point->value.tensor = &point->tensor;
  point->values = &point->value;
  tensorboard__summary__init(&point->summary);
  point->summary.n_value = 1;
  point->summary.value = &point->values;
  tensorboard__event__init(&point->event);
  point->event.wall_time = wall_time;
  point->event.step = step;
  point->event.what_case = TENSORBOARD__EVENT__WHAT_SUMMARY;
  point->event.summary = &point->summary;
}
