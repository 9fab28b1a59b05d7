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

#endif
