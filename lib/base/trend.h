/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trend.h - whether a series of times jumps once or changes steadily: one step against a line, by least squares.
 * Layer 0.
 */
#ifndef ETR_TREND_H
#define ETR_TREND_H

#include "base/arena.h"

/** A sample of a series. Samples of one segment stand together, in the order of their places. */
typedef struct etr_trend_sample {
  double value;     /**< natural logarithm of a time, so that a change is a factor */
  uint32_t segment; /**< each segment has a level of its own; a slope is common to all */
  uint32_t place;   /**< in its segment, from 0 */
} etr_trend_sample;

typedef enum etr_trend_kind {
  ETR_TREND_NONE,
  ETR_TREND_STEP, /**< one level up to a sample, another from it on; only of a series with one segment */
  ETR_TREND_DRIFT,
} etr_trend_kind;

typedef struct etr_trend {
  etr_trend_kind kind; /**< all else is 0 where there is none */
  double change;       /**< of a step its size; of a drift the change from place 0 to place `span` */
  size_t at;           /**< of a step: index of the first sample behind it */
  size_t span;         /**< of a drift: the last place of the longest segment */
  double level;        /**< of a drift: the value at place 0, on average over the segments */
  bool is_unsure;      /**< samples that wander slowly would look the same */
} etr_trend;

/** Finds the trend of a series. Takes linear time and allocates nothing. */
etr_trend etr_trend_of(const etr_trend_sample *samples, size_t count);

#endif
