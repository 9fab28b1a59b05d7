/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_plan.h - the memory of a method, as its program plans it. Layer 3.
 */
#ifndef ETR_MEMORY_PLAN_H
#define ETR_MEMORY_PLAN_H

#include "place/placement.h"

/** Gives `methods`, which are the profile's, one for each of the placements, their plans, and the profile what the
 * program holds besides; nothing without a program. What contradicts itself is a warning. False: out of memory. */
bool etr_memory_plan_all(etr_profile *profile, etr_method *methods, const etr_placement *placements, const etr_pte *pte,
                         etr_warnings *warnings, etr_arena *arena);

#endif
