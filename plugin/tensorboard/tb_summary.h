/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_summary.h - one value under a tag as a TensorFlow event: what points of curves and pages of text have in common. Layer 5.
 */
#ifndef ETR_TB_SUMMARY_H
#define ETR_TB_SUMMARY_H

#include "tensorboard.pb-c.h"

/* Field numbers of tensorflow.Event, Summary, Summary.Value and TensorProto, for events that are packed by hand. */
enum {
  ETR_TB_EVENT_WALL_TIME = 1,
  ETR_TB_EVENT_STEP = 2,
  ETR_TB_EVENT_SUMMARY = 5,
  ETR_TB_SUMMARY_VALUE = 1,
  ETR_TB_VALUE_TAG = 1,
  ETR_TB_VALUE_TENSOR = 8,
  ETR_TB_VALUE_METADATA = 9,
  ETR_TB_TENSOR_DTYPE = 1,
  ETR_TB_TENSOR_SHAPE = 2,
  ETR_TB_TENSOR_FLOAT = 5,
  ETR_TB_TENSOR_STRING = 8,
};

#include <stdint.h>

/** The event, and all that it points to. */
typedef struct etr_tb_summary {
  Tensorboard__Event event;
  Tensorboard__Summary summary;
  Tensorboard__Summary__Value value, *values;
  Tensorboard__SummaryMetadata metadata;
  Tensorboard__SummaryMetadata__PluginData plugin;
  Tensorboard__TensorProto tensor; /* rank 0; its type and value are the caller's */
  Tensorboard__TensorShapeProto shape;
} etr_tb_summary;

/** Fills it; it must not be moved then. Tag and plugin name are borrowed. Steps of a tag must increase, or TensorBoard drops values. */
void etr_tb_summary_init(etr_tb_summary *summary, double wall_time, const char *tag, int64_t step, const char *plugin,
                         Tensorboard__DataClass data_class);

#endif
