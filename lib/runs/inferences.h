/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inferences.h - lists the inferences of each method, in series. Layer 3.
 */
#ifndef ETR_INFERENCES_H
#define ETR_INFERENCES_H

#include "base/arena.h"
#include "runs/blocks.h"

/* ---- The inferences of each method, in series ---- */

/** A run in which a method was executed. Inferences are sorted by all members, in this order. */
typedef struct etr_inference {
  uint32_t method, series, phase, run;
} etr_inference;
ETR_NO_PADDING(etr_inference, 4 * sizeof(uint32_t));

/** Fills `series` of the runs, once each block has its method, and sets their phase to ETR_NONE.
 * Returns false when out of memory. */
bool etr_runs_number_series(const etr_blocks *blocks, etr_arena *scratch);

/** Returns all inferences, with the phases that are known, sorted by method, then series, then run,
 * in the arena. Returns NULL when out of memory. */
etr_inference *etr_inferences_list(const etr_blocks *blocks, etr_arena *arena, size_t *count);

/** Compares two inferences by method, then series, then phase, then run. */
int etr_inference_by_phase(const void *a, const void *b);

/** Return the end of the inferences that have the method of list[first]; the second function also
 * compares the series, the third also the phase. */
size_t etr_inferences_end_of_method(const etr_inference *list, size_t count, size_t first);
size_t etr_inferences_end_of_series(const etr_inference *list, size_t count, size_t first);
size_t etr_inferences_end_of_phase(const etr_inference *list, size_t count, size_t first);

/* ---- Runs of a method that take much longer than the others, and how they are distributed ---- */

/** The long runs of a method. A group is a maximal sequence of consecutive long runs in a series.
 */
typedef struct etr_long_runs {
  bool *is_long; /**< for each run of the list */
  size_t long_count, short_count;
  size_t group_count;
  size_t inner_groups;      /**< groups with short runs before them in their series */
  bool leads;               /**< each series starts with a group */
  size_t shortest, longest; /**< lengths of the shortest and the longest group, in runs */
  size_t least_between; /**< fewest short runs between two groups of a series; 0: no series has two
                           groups */
  size_t distances;     /**< pairs of neighboring groups of a series */
  size_t least_period, most_period; /**< smallest and largest distance, in runs, from the first run
                                       of a group to that of the next */
} etr_long_runs;

/** State of a search for gaps between sorted times, from the widest gap to narrower ones. */
typedef struct etr_gap {
  double least; /**< narrower gaps are not considered */
  double below; /**< width of the last gap that was considered; INFINITY at first */
} etr_gap;

/**
 * Splits the runs of one method, in order, into short and long ones at the next gap between their
 * times. The width of a gap is a factor. At least two runs must be on each side, and the short runs
 * must not be spread wider than the gap. Fills `out` with `is_long` in the arena, NULL if there is
 * no such gap. Returns false when out of memory.
 */
bool etr_long_runs_of(etr_long_runs *out, etr_gap *gap, const etr_blocks *blocks,
                      const etr_inference *list, size_t count, etr_arena *arena);

/** Fills all counts from `is_long`. */
void etr_long_runs_count(etr_long_runs *runs, const etr_inference *list, size_t count);

/** Returns true if there are at least three groups of equal length whose distances are equal to
 * within a tenth. */
bool etr_long_runs_are_periodic(const etr_long_runs *runs);

#endif
