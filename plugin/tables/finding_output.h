/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_output.h - writes findings, as a summary and a comparison have them. Layer 5.
 */
#ifndef ETR_FINDING_OUTPUT_H
#define ETR_FINDING_OUTPUT_H

#include "output/table.h"
#include "views/findings.h"

/** Writes findings for people under a heading: at most options.findings, and how many more there
 * are. Writes nothing if there are none. */
void etr_findings_put_list(etr_answer *answer, const etr_findings *findings, const char *heading);

/** Writes findings with their evidence and with code before and after the change: one by its number
 * from 1 on, or all if `number` is SIZE_MAX. Returns false if there is no finding of this number.
 */
bool etr_findings_explain(etr_answer *answer, const etr_findings *findings, size_t number);

/** Adds the findings of a method to a table of etr_finding_fields. */
void etr_findings_add_rows(etr_table *table, const etr_method *method,
                           const etr_findings *findings);

/** Writes what a finding says into an open JSON object, but not which nodes it is about: with `all`
 * all of it, else what the dashboard shows. "saves" has times of each inference or, if "once", of
 * what is not spent in each. "shares_with" has indices of findings, from 0 on. */
void etr_finding_put_members(const etr_fields *fields, const etr_finding *finding, bool all);

/** Writes the key findings: a list of all of them. graph: whose nodes they name. */
void etr_field_put_findings(etr_answer *answer, const etr_findings *findings,
                            const etr_graph *graph);

#endif
