/* SPDX-License-Identifier: BSD-3-Clause
 *
 * findings.h - the findings about a method, ranked. Layer 4.
 */
#ifndef ETR_FINDINGS_H
#define ETR_FINDINGS_H

#include "views/finding.h"
#include "views/groups.h"

typedef struct etr_findings {
  const etr_finding *list; /* about accuracy; about the model, by the middle of the saving times how
                              sure it is; about timing; what was spent once */
  size_t count;
  size_t advice; /* index of the finding that advises to measure again, because interruptions or
                    differing runs make the times unsure; SIZE_MAX: they do not */
  bool is_nothing_large;  /* no change of the model is known to save ETR_FINDING_MUCH */
  const char *times_note; /* that times of findings have more in them than the rows; NULL if not */
  const etr_delegate_facts
      *delegates;    /* of each of the method's delegates; NULL if it never ran or has no graph */
  etr_groups groups; /* where the method's time goes, all of it */
} etr_findings;

/** The findings of one method, for a caller that shows them in several places. */
typedef struct etr_method_findings {
  const etr_method *method;
  etr_findings findings;
} etr_method_findings;

/** Returns that there are no findings, or that no change is known to save much; NULL if one is.
 * Static. */
const char *etr_findings_note(const etr_findings *findings);

/** Finds where the time of one method goes, and what to do about it, ranked. unit: of the times in
 * texts. A method without times has no findings. Returns false when out of memory. */
bool etr_findings_make(etr_findings *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, etr_unit unit);

/** Returns a kind as written in JSON: "fallback", "not_delegated", ... Static. */
const char *etr_finding_kind_name(etr_finding_kind kind);

/** Returns the section that says how to do what a kind advises: the address of
 * "docs/findings.md#quantize". Static. */
const char *etr_finding_docs(etr_finding_kind kind);

/** Returns "sure", "likely", "rule_of_thumb" or "possible". Static. */
const char *etr_sureness_name(etr_sureness sureness);

/** Returns "sure", "likely", "rule of thumb" or "possible", for people. Static. */
const char *etr_sureness_text(etr_sureness sureness);

/** Returns "link_flag", "re_export", "change_model", "change_app" or "record_again". Static. */
const char *etr_effort_name(etr_effort effort);

/** Returns what it takes to do what a finding advises, for people: "link flag", "re-export", ...;
 * "change the app" if the model is loaded or run in another way; "" if the files at hand, or one
 * more of the same export, already show what it is about. Static. */
const char *etr_finding_effort_text(const etr_finding *finding);

/** Code that has the fault that a kind of finding is about, and code that has not. */
typedef struct etr_finding_code {
  const char *before, *after;
} etr_finding_code;

/** Returns the code that a finding is about, as docs/findings.md has it; NULL if there is none.
 * Static. */
const etr_finding_code *etr_finding_code_of(const etr_finding *finding);

/** Follows what the runs are like, where they differ much. */
#define ETR_TIMES_NOT_SURE ": measure again, times of inferences are not sure"

/** Returns true for advice on how to measure, and not on the model. */
bool etr_finding_is_timing(etr_finding_kind kind);

/** Returns true for a lever: the next step for what takes most of the time. It rests on measured
 * ratios between kernels, and not on something that is wrong with the model. */
bool etr_finding_is_lever(etr_finding_kind kind);

#endif
