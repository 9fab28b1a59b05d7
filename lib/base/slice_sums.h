/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slice_sums.h - a method's time slices by group, and the sum that a group has in each run. Layer
 * 0.
 */
#ifndef ETR_SLICE_SUMS_H
#define ETR_SLICE_SUMS_H

#include "base/arena.h"

/** What a time slice adds to its group in a run. */
typedef struct etr_run_slice {
  uint64_t ticks;
  uint32_t run;
  uint32_t slice; /* index into the method's time slices */
} etr_run_slice;

typedef struct etr_slice_sums {
  etr_run_slice *slices; /* by group, in the order of the method's */
  size_t *end;           /* per group: where its slices end */
  /* Of the group that was summed last, in the order in which its runs came: */
  uint32_t *runs;  /* the runs in which it ran */
  uint64_t *ticks; /* its sum in each of them; the caller may sort them */
  size_t *sum_of;  /* per run of the method: index into `runs`, if the group ran in it */
  uint32_t *last;  /* per run of the method: number of the sum that was last made of it */
  uint32_t number; /* of the last sum; from 1 on */
} etr_slice_sums;

/** Sorts the time slices of a method by group, and makes room for the sums that etr_slice_sums_of()
 * makes of a group, all in the arena. group_of has the group of each time slice; those with
 * ETR_NONE are left out. Returns false when out of memory. */
bool etr_slice_sums_make(etr_slice_sums *out, etr_arena *arena, const etr_method *method,
                         const uint32_t *group_of, size_t group_count);

/** Returns the time slices of a group, and sets *count to their number. */
const etr_run_slice *etr_slice_sums_slices(const etr_slice_sums *sums, size_t group, size_t *count);

/** Sets sums->runs to the runs in which a group ran, and sums->ticks to the sum of its time slices
 * in each of them. Returns the number of these runs. */
size_t etr_slice_sums_of(etr_slice_sums *sums, size_t group);

#endif
