/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phase_pattern.h - whether long runs among short ones are a kind of their own, or come by chance. Layer 3.
 */
#ifndef ETR_PHASE_PATTERN_H
#define ETR_PHASE_PATTERN_H

#include "base/base.h"

/** A method's run, in order; those of one series stand together. */
typedef struct etr_pattern_run {
  uint32_t series;
  bool is_long;
} etr_pattern_run;

/** How long runs are spread: in groups, each followed by a stretch of short ones. */
typedef struct etr_phase_pattern {
  size_t long_runs, short_runs;
  size_t inner_groups;      /* groups with short runs before them in their series */
  bool leads;               /* each series starts with a long one */
  size_t shortest, longest; /* stretch between two groups; 0 where there is none */
  size_t longest_last;      /* stretch behind the last group of a series */
  size_t shortest_last;
} etr_phase_pattern;

etr_phase_pattern etr_phase_pattern_of(const etr_pattern_run *runs, size_t count);

/** True if such a pattern does not come about by chance. `width`: the longest of the long runs over their shortest;
 * `gap`: that over the longest of the short ones. */
bool etr_phase_pattern_is_plausible(const etr_phase_pattern *pattern, double width, double gap);

#endif
