/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels.h - time by the kernels and operators that ran, on graph nodes or not. Layer 4.
 */
#ifndef ETR_KERNELS_H
#define ETR_KERNELS_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** The time of all kernels, or operators of delegates, with one name. */
typedef struct etr_kernel_row {
  const char *kernel;  /* as in etr_event.kernel */
  const char *backend; /* NULL: it runs outside delegates; "unknown" as in etr_part_time */
  uint64_t ticks;      /* over all runs */
  size_t event_count;  /* number of distinct events: instructions and ids of delegates */
  uint32_t number;     /* index into the statistics */
  double weight;       /* kernels are ranked by this */
  double step;         /* step of the clock that timed it, in ticks; 0: one tick */
} etr_kernel_row;

/** Kernels, the longest first. They add up to the parts operators, operators_unplaced and inserted.
 */
typedef struct etr_kernels {
  const etr_kernel_row *rows;
  size_t count;
  const etr_stats *stats; /* by etr_kernel_row.number */
  double summed_p50;
} etr_kernels;

/** Adds up the time slices of a method by kernel. Returns false when out of memory. */
bool etr_kernels_make(etr_kernels *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method);

#endif
