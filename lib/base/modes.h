/* SPDX-License-Identifier: BSD-3-Clause
 *
 * modes.h - whether times are of two modes, as of a clock that switches between two speeds. Layer 0.
 */
#ifndef ETR_MODES_H
#define ETR_MODES_H

#include "base/base.h"

typedef struct etr_modes {
  bool are_two;
  size_t fast_count, slow_count;
  double fast_median, slow_median;
  size_t switches;   /**< how often a run is of another mode than the one before it; 1 is a step, and no modes */
  bool in_stretches; /**< switches are at most half as many as chance would make: modes last for several runs */
} etr_modes;

/** The fewest times that show two modes. */
enum { ETR_MODES_LEAST_SAMPLES = 20 };

/** Tells whether times, in the order of their runs and above 0, are of two modes. `step`: of their clock; times that
 * are one step apart are no modes. `sorted`: the same times, ascending. */
etr_modes etr_modes_of(const double *times, const double *sorted, size_t count, double step);

#endif
