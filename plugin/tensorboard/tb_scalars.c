/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.c - points of curves as TensorFlow's events.
 */
#include "tb_scalars.h"

#include "tb_summary.h"

/* SummaryMetadata: plugin_data.plugin_name "scalars", data_class SCALAR. */
static const char metadata[] = "\x0a\x09\x0a\x07scalars\x20\x01";

void etr_tb_point_pack(etr_packed *packed, double wall_time, const char *tag, int64_t step, double value) {
  enum { TENSOR_SIZE = 10, DT_FLOAT = 1 };
  size_t size = etr_packed_field_size(ETR_TB_VALUE_TAG, strlen(tag)) + etr_packed_field_size(ETR_TB_VALUE_TENSOR, TENSOR_SIZE) +
                etr_packed_field_size(ETR_TB_VALUE_METADATA, sizeof metadata - 1);
  packed->size = 0;
  if (wall_time != 0) etr_packed_double(packed, ETR_TB_EVENT_WALL_TIME, wall_time);
  if (step != 0) etr_packed_int(packed, ETR_TB_EVENT_STEP, step);
  etr_packed_header(packed, ETR_TB_EVENT_SUMMARY, etr_packed_field_size(ETR_TB_SUMMARY_VALUE, size));
  etr_packed_header(packed, ETR_TB_SUMMARY_VALUE, size);
  etr_packed_field(packed, ETR_TB_VALUE_TAG, etr_slice_of(tag));
  etr_packed_header(packed, ETR_TB_VALUE_TENSOR, TENSOR_SIZE);
  etr_packed_int(packed, ETR_TB_TENSOR_DTYPE, DT_FLOAT); /* TensorBoard drops curves of doubles */
  etr_packed_field(packed, ETR_TB_TENSOR_SHAPE, (etr_slice){0});
  etr_packed_float(packed, ETR_TB_TENSOR_FLOAT, (float)value);
  etr_packed_field(packed, ETR_TB_VALUE_METADATA, ETR_SLICE(metadata));
}
