/* SPDX-License-Identifier: BSD-3-Clause
 *
 * noise_verdict.h - judges how steady the runs of one recording are: spread, outliers, two modes, a
 * step, a drift. Layer 3.
 */
#ifndef ETR_NOISE_VERDICT_H
#define ETR_NOISE_VERDICT_H

#include "base/arena.h"

/** The time of a run. */
typedef struct etr_noise_sample {
  uint64_t ticks;   /**< 0: the run has no time, and is not judged */
  uint32_t run;     /**< index into etr_profile.runs */
  uint32_t stretch; /**< number of the stretch: its runs follow each other, with no other kind of
                       run between them */
  uint32_t series;  /**< as in etr_run.series; a stretch never continues in another series */
} etr_noise_sample;

/** Judges runs of one kind, in their order; `sorted` has their ticks, ascending. Returns false when
 * out of memory. */
bool etr_noise_of(etr_noise *out, etr_arena *scratch, const etr_noise_sample *samples,
                  const uint64_t *sorted, size_t count);

/** Judges only spread and outliers, for runs of several kinds. Each time is divided by the median
 * of its kind. Changes the times. */
etr_noise etr_noise_of_parts(double *times, size_t count);

/* ---- Whether a series of times jumps once or changes steadily, by comparing a step and a line by
 * least squares ---- */

/** A sample of a series. The samples of one segment follow each other, in the order of `position`.
 */
typedef struct etr_trend_sample {
  double value;      /**< natural logarithm of a time, so that a change is a factor */
  uint32_t segment;  /**< each segment has a level of its own; a slope is common to all */
  uint32_t position; /**< position in its segment, from 0 */
} etr_trend_sample;

typedef enum etr_trend_kind {
  ETR_TREND_NONE,
  ETR_TREND_STEP, /**< one level before a sample, another from it on; only for a series with one
                     segment */
  ETR_TREND_DRIFT,
} etr_trend_kind;

typedef struct etr_trend {
  etr_trend_kind kind; /**< if ETR_TREND_NONE, all other members are 0 */
  double change;  /**< for a step: its size; for a drift: the change from position 0 to position
                     `span` */
  size_t at;      /**< for a step: index of the first sample after it */
  size_t span;    /**< for a drift: the last position of the longest segment */
  double level;   /**< for a drift: the value at position 0, averaged over the segments */
  bool is_unsure; /**< samples that wander slowly would look the same */
} etr_trend;

/** Returns the trend of a series. Takes linear time and allocates nothing. */
etr_trend etr_trend_of(const etr_trend_sample *samples, size_t count);

#endif
