/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inferences.h - the runs of each method in which it was executed, in series. Layer 3.
 */
#ifndef ETR_INFERENCES_H
#define ETR_INFERENCES_H

#include "base/arena.h"
#include "runs/blocks.h"

/* ---- The runs of each method in which it was executed, in series ---- */

/** A run of a method. Sorts by all members. */
typedef struct etr_inference {
  uint32_t method, series, phase, run;
} etr_inference;
ETR_NO_PADDING(etr_inference, 4 * sizeof(uint32_t));

/** Fills the runs' `series`, once each block has its method; their phase is ETR_NONE from then on. False: out of
 * memory. */
bool etr_runs_number_series(const etr_blocks *blocks, etr_arena *scratch);

/** All inferences, with the phases that are known, by method, of a method by series, of a series by run. NULL: out of
 * memory. */
etr_inference *etr_inferences_list(const etr_blocks *blocks, etr_arena *arena, size_t *count);

/** Sorts inferences by method, then series, then phase where `phase` is filled, then run. */
int etr_inference_by_phase(const void *a, const void *b);

/** End of the inferences that have the method, or also the series, or also the phase, of list[first]. */
size_t etr_inferences_end_of_method(const etr_inference *list, size_t count, size_t first);
size_t etr_inferences_end_of_series(const etr_inference *list, size_t count, size_t first);
size_t etr_inferences_end_of_phase(const etr_inference *list, size_t count, size_t first);

/* ---- Runs of a method that take much longer than the others, and how they lie among them ---- */

/** The long runs of a method, which come in groups: a group is as many as stand behind each other in a series. */
typedef struct etr_long_runs {
  bool *is_long; /**< for each run of the list */
  size_t long_count, short_count;
  size_t group_count;
  size_t inner_groups;              /**< groups with short runs before them in their series */
  bool leads;                       /**< each series starts with a group */
  size_t shortest, longest;         /**< of the groups, in runs */
  size_t least_between;             /**< fewest short runs between two groups of a series; 0: no two are in one */
  size_t distances;                 /**< pairs of neighbouring groups of a series */
  size_t least_period, most_period; /**< runs from one group's first to the next one's */
} etr_long_runs;

/** Where to split, on the way from the widest gap between sorted times to narrower ones. */
typedef struct etr_gap {
  double least; /**< no narrower one is looked at */
  double below; /**< the last one that was; INFINITY at first */
} etr_gap;

/**
 * Splits the runs of one method, in order, at the next gap between their times, as a factor, with two runs or more on
 * each side and short runs that are not themselves spread wider than the gap. `is_long` is in the arena; NULL where
 * there is no such gap. False: out of memory.
 */
bool etr_long_runs_of(etr_long_runs *out, etr_gap *gap, const etr_blocks *blocks, const etr_inference *list,
                      size_t count, etr_arena *arena);

/** Fills all counts of runs whose `is_long` is filled. */
void etr_long_runs_count(etr_long_runs *runs, const etr_inference *list, size_t count);

/** True if three groups or more of as many runs each lie at equal distances, to a tenth. */
bool etr_long_runs_are_periodic(const etr_long_runs *runs);

#endif
