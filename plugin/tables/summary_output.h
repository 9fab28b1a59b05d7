/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_output.h - parts of documents about a summary, delegation and memory that other documents
 * contain too. Layer 5.
 */
#ifndef ETR_SUMMARY_OUTPUT_H
#define ETR_SUMMARY_OUTPUT_H

#include "tables/sums.h"
#include "views/summary.h"

/** Writes "load", as in schema/summary.schema.json. Returns false when out of memory. */
bool etr_summary_put_load_list(const etr_fields *fields, etr_arena *arena);

/** Writes "by_pattern", as in schema/summary.schema.json. Times are those of the own nodes of a
 * pattern's modules, with totals of everything inside these in an object of their own. */
void etr_summary_put_patterns(const etr_fields *fields, const etr_method *method,
                              const etr_module_patterns *patterns);

/** Writes "answer" and "groups" into an open object: the sentence that says where the time goes,
 * and the rows that add up to it, which are `groups`. The sentence has the unit that suits the
 * method, as the screen has, unless the answer is in cycles; numbers have the unit of `f`.
 * has_filters: each part and row has the options that select its nodes, which is for documents that
 * have nodes of the method. Returns false when out of memory. */
bool etr_summary_put_first_screen(const etr_fields *fields, etr_arena *arena,
                                  const etr_method *method, const etr_groups *groups,
                                  bool has_filters);

/** Writes "typical" and, of ticks over all runs of a method, "avg" per run and "share" in
 * Method::execute, by the statistic that ranks. */
void etr_summary_put_time(const etr_fields *fields, const etr_method *method, uint64_t ticks,
                          double typical);

/** Writes an element of `methods` in schema/delegation.schema.json without its delegates. Returns
 * false when out of memory. */
bool etr_delegation_put_object(const etr_fields *fields, etr_arena *arena,
                               const etr_method *method);

/** Writes "delegates" into an open object, as in schema/delegation.schema.json: the delegates that
 * the filter selects; NULL selects all. Times are averages, or those of the typical run. Returns
 * false when out of memory. */
bool etr_delegates_put_list(const etr_fields *fields, etr_arena *arena, const etr_method *method,
                            const etr_node_filter *filter, bool is_average);

/** Writes into an open object what was compared with what: the members of
 * schema/accuracy.schema.json from "reference" to "text". */
void etr_accuracy_put_head(const etr_fields *fields, etr_arena *arena,
                           const etr_accuracy *accuracy);

/** Writes the members own_program, inputs, output_snr_db and ranked_by of a comparison of values
 * into an open object. */
void etr_accuracy_put_facts(const etr_fields *fields, const etr_accuracy *accuracy);

/** Returns what a kind of content is, for people: "constants of kernels". Static. */
const char *etr_content_title(etr_content kind);

/** Lists the processed bytes of a program's delegates, most bytes first, as rows of
 * etr_delegate_size_fields. When out of memory, the arena has failed. */
etr_rows etr_delegate_sizes_list(etr_arena *arena, const etr_profile *profile);

/** Writes a method's memory for the dashboard as a JSON value, which is null without a program.
 * When out of memory, the arena has failed. */
void etr_memory_put_document(const etr_fields *fields, etr_arena *arena, const etr_method *method);

#endif
