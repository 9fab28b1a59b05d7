/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_rules.h - the rules behind memory_findings.h. Layer 4.
 */
#ifndef ETR_MEMORY_RULES_H
#define ETR_MEMORY_RULES_H

#include "views/memory_findings.h"

/** What the rules work on, and what they found. */
typedef struct etr_memory_finder {
  const etr_profile *profile;
  const etr_method *method;
  const etr_memory_plan *plan; /* NULL: no program tells */
  etr_arena *arena;
  etr_vec(etr_memory_finding) found;
} etr_memory_finder;

/** Adds a finding, unless it has too few bytes, or too small a part of `of`. NULL then, or when out of memory. */
etr_memory_finding *etr_memory_finder_add(etr_memory_finder *finder, etr_memory_finding_kind kind, uint64_t bytes,
                                          uint64_t of);

/* Each rule adds its findings. Out of memory shows on the arena. */
void etr_memory_find_in_place(etr_memory_finder *finder);
void etr_memory_find_order(etr_memory_finder *finder);
void etr_memory_find_stored_twice(etr_memory_finder *finder);
void etr_memory_find_float_beside(etr_memory_finder *finder);

#endif
