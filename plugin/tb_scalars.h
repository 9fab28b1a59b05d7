/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_scalars.h - points of curves, for TensorBoard's time series tab. Layer 5.
 */
#ifndef ETR_TB_SCALARS_H
#define ETR_TB_SCALARS_H

#include "tensorboard.pb-c.h"

/** One point as an event, and all that the event points to. */
typedef struct etr_tb_point {
  Tensorboard__Event event;
  Tensorboard__Summary summary;
  Tensorboard__Summary__Value value, *values;
  Tensorboard__SummaryMetadata metadata;
  Tensorboard__SummaryMetadata__PluginData plugin;
  Tensorboard__TensorProto tensor;
  Tensorboard__TensorShapeProto shape;
  float number;
} etr_tb_point;

/** Fills a point, which must not be moved then. The tag is borrowed. Steps of a tag must increase, or TensorBoard drops points. */
void etr_tb_point_init(etr_tb_point *point, double wall_time, const char *tag, int64_t step, double value);

#endif
