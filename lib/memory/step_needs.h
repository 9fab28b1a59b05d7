/* SPDX-License-Identifier: BSD-3-Clause
 *
 * step_needs.h - which instructions of a program have to run before which, whatever the order. Layer 3.
 *
 * Told by values and by memory. A value's: a tensor is written before it is read, and read before it is written again.
 * Memory's: the same of all tensors that are in one another's place on purpose, as views and what is changed in place
 * are; not of two that memory planning put in one place at different times, as another order has another plan. In
 * doubt, instructions keep their order: those that use a state, calls of one delegate, random numbers, operators whose
 * arguments are not known here to be read only, and, with all others, operators that give no tensor.
 */
#ifndef ETR_STEP_NEEDS_H
#define ETR_STEP_NEEDS_H

#include "memory/lifetimes.h"

/**
 * Fills `tensors` and `needs` of the steps of a plan whose has_needs is set, or clears that where they cannot be told.
 * The plan has its tensors and steps. What lives on is in the arena. False: out of memory.
 */
bool etr_step_needs_find(etr_memory_plan *plan, const etr_placement *placement, const etr_lifetimes *lives,
                         etr_arena *arena, etr_arena *scratch);

#endif
