/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_check.h - what contradicts itself in a memory plan. Layer 3.
 */
#ifndef ETR_MEMORY_CHECK_H
#define ETR_MEMORY_CHECK_H

#include "memory/memory_source.h"

/** Warnings about one method; of many of a kind the first few. */
typedef struct etr_memory_check {
  const etr_memory_source *source;
  const char *method;
  const etr_pte_method *program;
  size_t warned;
  bool is_cut; /* not all tensors were held against each other: there are too many */
} etr_memory_check;

/** Marks tensors that cannot be where, or as large as, the program says, with a warning for each. `buffer` is still the
 * number that the program has. */
void etr_memory_check_places(etr_memory_check *check, etr_planned_tensor *tensors, size_t count);

/** Warns of tensors that share memory while both are needed, views aside. False: out of memory. */
bool etr_memory_check_overlaps(etr_memory_check *check, const etr_planned_tensor *tensors, size_t count,
                               etr_arena *scratch);

/** Says how many warnings there were beyond those that are shown. */
void etr_memory_check_end(etr_memory_check *check);

#endif
