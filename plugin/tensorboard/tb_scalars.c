/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.c - points of curves as TensorFlow's events.
 */
#include "tb_scalars.h"

#include "tb_summary.h"

/* SummaryMetadata: plugin_data.plugin_name "scalars", data_class SCALAR. */
static const char metadata[] = "\x0a\x09\x0a\x07scalars\x20\x01";

void etr_tb_points_begin(etr_tb_points *points, const char *tag) {
  enum { TENSOR_SIZE = 10, DT_FLOAT = 1 };
  etr_packed *packed = &points->summary;
  size_t size = etr_packed_field_size(ETR_TB_VALUE_TAG, strlen(tag)) + etr_packed_field_size(ETR_TB_VALUE_TENSOR, TENSOR_SIZE) +
                etr_packed_field_size(ETR_TB_VALUE_METADATA, sizeof metadata - 1);
  packed->size = 0;
  etr_packed_header(packed, ETR_TB_EVENT_SUMMARY, etr_packed_field_size(ETR_TB_SUMMARY_VALUE, size));
  etr_packed_header(packed, ETR_TB_SUMMARY_VALUE, size);
  etr_packed_field(packed, ETR_TB_VALUE_TAG, etr_slice_of(tag));
  etr_packed_header(packed, ETR_TB_VALUE_TENSOR, TENSOR_SIZE);
  etr_packed_int(packed, ETR_TB_TENSOR_DTYPE, DT_FLOAT); /* TensorBoard drops curves of doubles */
  etr_packed_field(packed, ETR_TB_TENSOR_SHAPE, (etr_slice){0});
  etr_packed_float(packed, ETR_TB_TENSOR_FLOAT, 0);
  points->value_at = packed->size - sizeof(float);
  etr_packed_field(packed, ETR_TB_VALUE_METADATA, ETR_SLICE(metadata));
}

etr_slice etr_tb_point(etr_tb_points *points, double wall_time, int64_t step, double value) {
  etr_packed *event = &points->event;
  event->size = 0;
  if (wall_time != 0) etr_packed_double(event, ETR_TB_EVENT_WALL_TIME, wall_time);
  if (step != 0) etr_packed_int(event, ETR_TB_EVENT_STEP, step);
  size_t summary_at = event->size;
  etr_packed_bytes(event, etr_packed_since(&points->summary, 0));
  etr_packed_set_float(event, summary_at + points->value_at, (float)value);
  return etr_packed_since(event, 0);
}
