/* SPDX-License-Identifier: BSD-3-Clause
 *
 * findings.h - the findings about a method's times, the largest possible saving first. Layer 4.
 */
#ifndef ETR_FINDINGS_H
#define ETR_FINDINGS_H

#include "views/finding.h"

typedef struct etr_findings {
  const etr_finding *list; /* about accuracy, then the largest known saving first, then what was
                              spent once, then unknown savings */
  size_t count;
  const etr_delegate_facts
      *delegates; /* of each of the method's delegates; NULL if it never ran or has no graph */
} etr_findings;

/** The findings of one method, for a caller that shows them in several places. */
typedef struct etr_method_findings {
  const etr_method *method;
  etr_findings findings;
} etr_method_findings;

/** Finds what to do about one method; unit is that of the evidence. None for a method without
 * times. False when out of memory. */
bool etr_findings_make(etr_findings *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, etr_unit unit);

/** Returns a kind as written in JSON: "fallback", "not_delegated", ... Static. */
const char *etr_finding_kind_name(etr_finding_kind kind);

/** Returns "sure", "likely" or "possible". Static. */
const char *etr_sureness_name(etr_sureness sureness);

#endif
