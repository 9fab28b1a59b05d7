/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inferences.h - the runs of each method in which it was executed, in series. Layer 3.
 */
#ifndef ETR_INFERENCES_H
#define ETR_INFERENCES_H

#include "runs/blocks.h"

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

/** For sorting them so; of a series by phase before run where `phase` is filled. */
int etr_inference_by_run(const void *a, const void *b);
int etr_inference_by_phase(const void *a, const void *b);

/** End of the inferences that have the method, or also the series, or also the phase, of list[first]. */
size_t etr_inferences_end_of_method(const etr_inference *list, size_t count, size_t first);
size_t etr_inferences_end_of_series(const etr_inference *list, size_t count, size_t first);
size_t etr_inferences_end_of_phase(const etr_inference *list, size_t count, size_t first);

#endif
