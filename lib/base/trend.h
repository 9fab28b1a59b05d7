/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trend.h - whether a series of samples rises or falls, and by how much: Theil and Sen's slope, the median of the
 * slopes between any two samples, and the test of Mann and Kendall. A few samples far out change neither. Layer 0.
 */
#ifndef ETR_TREND_H
#define ETR_TREND_H

#include "base/arena.h"

/** A sample; those of one segment stand together, and only they are compared with each other. */
typedef struct etr_trend_sample {
  uint32_t segment;
  double value;
} etr_trend_sample;

typedef struct etr_trend {
  double slope;   /**< per place in a segment */
  double z;       /**< of Mann and Kendall: beyond 3.29 by chance in one of 1000 series without a trend; 0: no pairs */
  double level;   /**< of the first place in a segment, on the line */
  double spread;  /**< how far samples lie from the line: a standard deviation, but robust */
  size_t longest; /**< samples in the longest segment */
} etr_trend;

/**
 * The trend within the segments, which all start at place 0. `from`: the part of each segment to begin with, 0 for all
 * of it. Where samples are many, medians of neighbours stand for them, and not all segments are looked at, so that it
 * takes about as long as sorting them. False when out of memory.
 */
bool etr_trend_of(etr_trend *out, etr_arena *scratch, const etr_trend_sample *samples, size_t count, double from);

#endif
