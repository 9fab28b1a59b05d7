/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_steps.h - parts of a memory plan that follow from the program one by one: instructions, inputs and outputs,
 * delegates' blobs. Layer 3.
 */
#ifndef ETR_MEMORY_STEPS_H
#define ETR_MEMORY_STEPS_H

#include "memory/memory_source.h"

/* Each fills its part of the plan, in the arena. False: out of memory. */

bool etr_memory_steps_make(etr_memory_plan *plan, const etr_placement *placement, etr_arena *arena);
bool etr_memory_boundary_make(etr_memory_plan *plan, const etr_pte_method *program, const etr_value_name *names,
                              etr_arena *arena);
bool etr_memory_blobs_make(etr_memory_plan *plan, const etr_pte_method *program, const etr_pte_data *data,
                           etr_arena *arena, etr_arena *scratch);

#endif
