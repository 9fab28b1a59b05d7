/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lifetimes.h - finds the lifetimes of a program's planned tensors, in instructions. Layer 3.
 *
 * Lifetimes are defined as in exir/memory_planning.py: from the first instruction that reads or
 * writes a tensor to the last one; inputs live from the start, outputs to the end, mutable buffers
 * always. A static view has no instruction but the memory of the tensor that it views
 * (exir/passes/replace_view_copy_with_view_pass.py), so a use of one is a use of the other. An
 * instruction that jumps back makes a loop: tensors that exist before the loop and are used in it
 * live until its end.
 */
#ifndef ETR_LIFETIMES_H
#define ETR_LIFETIMES_H

#include "join/placement.h"

/* ---- The lifetimes of planned tensors ---- */

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

/** Finds the lifetimes; the result lives in `arena`. Returns false when out of memory. */
bool etr_lifetimes_find(etr_lifetimes *out, const etr_placement *placement, etr_arena *arena,
                        etr_arena *scratch);

/* ---- The order of instructions: which must run before which in any valid order ---- */

/* The order follows from values and from memory. A tensor must be written before it is read, and
 * read before it is written again. The same holds for tensors that share memory on purpose: views,
 * and tensors changed in place. It does not hold for two tensors that memory planning put in one
 * location at different times, because another order has another plan. Where this is uncertain,
 * instructions keep their order: those that use a state, calls of one delegate, random numbers,
 * operators whose arguments are not known to be read only, and, relative to all instructions,
 * operators without a tensor as result. */

/** Compares pointers to tensors by their last instructions, for sorting. */
int etr_by_last_instruction(const void *a, const void *b);

/**
 * Fills `tensors` and `needs` of the steps of a plan whose has_needs is set, or clears has_needs if
 * they cannot be determined. The plan must have its tensors; `steps` are the plan's steps,
 * writable. The lists live in `arena`. Returns false when out of memory.
 */
bool etr_step_needs_find(etr_memory_plan *plan, etr_memory_step *steps,
                         const etr_placement *placement, const etr_lifetimes *lives,
                         etr_arena *arena, etr_arena *scratch);

#endif
