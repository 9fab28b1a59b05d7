/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_plan.h - describes the memory of methods, as planned in the program, with the lifetimes
 * of tensors. Layer 3.
 *
 * Lifetimes are defined as in exir/memory_planning.py: from the first instruction that reads or
 * writes a tensor to the last one; inputs live from the start, outputs to the end, mutable buffers
 * always. A static view has no instruction but the memory of the tensor that it views
 * (exir/passes/replace_view_copy_with_view_pass.py), so a use of one is a use of the other. An
 * instruction that jumps back makes a loop: tensors that exist before the loop and are used in it
 * live until its end.
 */
#ifndef ETR_MEMORY_PLAN_H
#define ETR_MEMORY_PLAN_H

#include "join/placement.h"

/** Fills the memory plans of `methods`, the profile's methods, one for each placement, and the
 * profile's program_memory. Does nothing without a program. Contradictions in a plan cause
 * warnings. Returns false when out of memory. */
bool etr_memory_plan_all(etr_profile *profile, etr_method *methods, const etr_placement *placements,
                         const etr_pte *pte, etr_warnings *warnings, etr_arena *arena);

/* ---- The lifetimes of planned tensors, in instructions ---- */

/** The planned tensors of a method. */
typedef struct etr_lifetimes {
  etr_vec(
      etr_planned_tensor) tensors; /* in the order of their first use; node and name are not filled,
                                      and `buffer` is the program's number of the buffer */
  uint32_t
      *tensor_of_value; /* per value: index into tensors; ETR_NONE: not planned, or never used */
  bool is_cut; /* lists of tensors are too long to follow, or loops overlap without being nested:
                  some lifetimes may be too short */
} etr_lifetimes;

/** Finds from which to which instruction each planned tensor of a method is needed; the result
 * lives in `arena`. Returns false when out of memory. */
bool etr_lifetimes_find(etr_lifetimes *out, const etr_placement *placement, etr_arena *arena,
                        etr_arena *scratch);

/** Compares pointers to tensors by their last instructions, for sorting. */
int etr_by_last_instruction(const void *a, const void *b);

#endif
