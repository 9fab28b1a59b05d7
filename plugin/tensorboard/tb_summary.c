/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_summary.c - values as TensorFlow's events.
 */
#include "tb_summary.h"

void etr_tb_summary_init(etr_tb_summary *s, double wall_time, const char *tag, int64_t step, const char *plugin, Tensorboard__DataClass data_class) {
  tensorboard__tensor_shape_proto__init(&s->shape);
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
