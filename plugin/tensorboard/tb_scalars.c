/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.c - points of curves as TensorFlow's events.
 */
#include "tb_scalars.h"

/* Field numbers of tensorflow.Event, Summary, Summary.Value, TensorProto and SummaryMetadata. */
enum {
  EVENT_WALL_TIME = 1,
  EVENT_STEP = 2,
  EVENT_SUMMARY = 5,
  SUMMARY_VALUE = 1,
  VALUE_TAG = 1,
  VALUE_TENSOR = 8,
  VALUE_METADATA = 9,
  TENSOR_DTYPE = 1,
  TENSOR_SHAPE = 2,
  TENSOR_FLOAT = 5,
};

/* SummaryMetadata: plugin_data.plugin_name "scalars", data_class SCALAR. */
static const char metadata[] = "\x0a\x09\x0a\x07scalars\x20\x01";

void etr_tb_point_pack(etr_packed *packed, double wall_time, const char *tag, int64_t step, double value) {
  enum { TENSOR_SIZE = 10, DT_FLOAT = 1 };
  size_t size = etr_packed_field_size(VALUE_TAG, strlen(tag)) + etr_packed_field_size(VALUE_TENSOR, TENSOR_SIZE) +
                etr_packed_field_size(VALUE_METADATA, sizeof metadata - 1);
  packed->size = 0;
  if (wall_time != 0) etr_packed_double(packed, EVENT_WALL_TIME, wall_time);
  if (step != 0) etr_packed_int(packed, EVENT_STEP, step);
  etr_packed_header(packed, EVENT_SUMMARY, etr_packed_field_size(SUMMARY_VALUE, size));
  etr_packed_header(packed, SUMMARY_VALUE, size);
  etr_packed_field(packed, VALUE_TAG, etr_slice_of(tag));
  etr_packed_header(packed, VALUE_TENSOR, TENSOR_SIZE);
  etr_packed_int(packed, TENSOR_DTYPE, DT_FLOAT); /* TensorBoard drops curves of doubles */
  etr_packed_field(packed, TENSOR_SHAPE, (etr_slice){0});
  etr_packed_float(packed, TENSOR_FLOAT, (float)value);
  etr_packed_field(packed, VALUE_METADATA, ETR_SLICE(metadata));
}
