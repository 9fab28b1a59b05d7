/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_plan.h - describes the memory of methods, as planned in the program. Layer 3.
 */
#ifndef ETR_MEMORY_PLAN_H
#define ETR_MEMORY_PLAN_H

#include "join/placement.h"

/** Fills the memory plans of `methods`, the profile's methods, one for each placement, and the
 * profile's program_memory. Does nothing without a program. Contradictions in a plan cause
 * warnings. Returns false when out of memory. */
bool etr_memory_plan_all(etr_profile *profile, etr_method *methods, const etr_placement *placements,
                         const etr_pte *pte, etr_warnings *warnings, etr_arena *arena);

#endif
