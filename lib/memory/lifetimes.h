/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lifetimes.h - from which instruction to which a program needs each of its planned tensors. Layer 3.
 *
 * As exir/memory_planning.py has it: from the first instruction that reads or writes a tensor to the last that does;
 * inputs from the start, outputs to the end, mutable buffers all the time. Memory planning gives a static view no
 * instruction, but the place of what it views (exir/passes/replace_view_copy_with_view_pass.py): the use of one is use
 * of the other. A program's instructions stand in a row; one that jumps back makes a loop, in which whatever was there
 * before is needed until its end.
 */
#ifndef ETR_LIFETIMES_H
#define ETR_LIFETIMES_H

#include "place/placement.h"

/* ---- From which instruction to which a program needs each of its planned tensors ---- */

/** The planned tensors of a method. */
typedef struct etr_lifetimes {
  etr_vec(etr_planned_tensor) tensors; /* in the order of their first use; node and name are not filled, and `buffer`
                                          is the number that the program has */
  uint32_t *tensor_of_value;           /* per value: index into tensors; ETR_NONE: not planned, or never used */
  bool is_cut; /* the program has too long lists of tensors, or too many loops, to follow all: lives may be too short */
} etr_lifetimes;

/** Finds them; what lives on is in the arena. False: out of memory. */
bool etr_lifetimes_find(etr_lifetimes *out, const etr_placement *placement, etr_arena *arena, etr_arena *scratch);

/* ---- Which instructions of a program have to run before which, whatever the order ---- */

/* Told by values and by memory. A value's: a tensor is written before it is read, and read before it is written
 * again. Memory's: the same of all tensors that are in one another's place on purpose, as views and what is changed
 * in place are; not of two that memory planning put in one place at different times, as another order has another
 * plan. In uncertainty, instructions keep their order: those that use a state, calls of one delegate, random numbers,
 * operators whose arguments are not known here to be read only, and, with all others, operators that give no tensor. */

/**
 * Fills `tensors` and `needs` of the steps of a plan whose has_needs is set, or clears that where they cannot be told.
 * The plan has its tensors, and `steps`, which are its own. What lives on is in the arena. False: out of memory.
 */
bool etr_step_needs_find(etr_memory_plan *plan, etr_memory_step *steps, const etr_placement *placement,
                         const etr_lifetimes *lives, etr_arena *arena, etr_arena *scratch);

#endif
