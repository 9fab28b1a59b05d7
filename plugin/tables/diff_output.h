/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_output.h - what the outputs of a comparison share: words, changes, numeric gaps. Layer 5.
 *
 * Texts are in the answer's arena, and "" when out of memory, which the arena tells at the end.
 */
#ifndef ETR_DIFF_OUTPUT_H
#define ETR_DIFF_OUTPUT_H

#include "output/table.h"
#include "views/diff_view.h"
#include "views/findings.h"

/* ---- Words, for people ---- */

/** What is written, and how. */
typedef struct etr_diff_output {
  const etr_comparison *comparison;
  const etr_diff_filter *filter; /* may be NULL */
  etr_answer answer;             /* about the newer profile, whose clock times are in */
} etr_diff_output;

/** Significant digits of times in tables of changes: one more than elsewhere, as changes are small parts of times. */
enum { ETR_DIFF_TIME_DIGITS = ETR_TIME_DIGITS + 1 };
/** "+12.3 %" of the base; "" without a base. */
const char *etr_diff_percent(etr_diff_output *o, const etr_change *change);
/** True if the interval of a change is known; one of its bounds may still be open. */
bool etr_diff_has_interval(const etr_change *change);
/** True if the interval holds a limit above 0, so that it cannot be told whether the change is above it. */
bool etr_diff_straddles(const etr_change *change, double limit);
/** "-4.3 … +13.2 %": the interval as a cell; "" where it is not known. */
const char *etr_diff_interval_text(etr_diff_output *o, const etr_change *change);
/** "12.3 % slower (between 10.1 and 14.5 %)", "cannot tell: +4.1 % (between -4.3 and +13.2 %)", "only in the base",
 * ...: of a method or load. */
const char *etr_diff_verdict_text(etr_diff_output *o, const etr_change *execute);
/** Why a change, or whether it is above the limit, cannot be told, and what would help: "one recording a side: ...;
 * record 5 on each side, in turns"; "" if both can. */
const char *etr_diff_reason_text(etr_diff_output *o, const etr_change *change);
/** "5 recordings and 50 runs a side"; "" if neither side has runs. */
const char *etr_diff_runs_text(etr_diff_output *o, const etr_change *change);
/** "26.66 -> 0.41 ms", as far as the sides have them, with as many digits as the interval supports. */
const char *etr_diff_medians_text(etr_diff_output *o, const etr_change *change);

/** "51 faster, 13 that cannot be told, 88 not timed on both sides". */
const char *etr_diff_counts_text(etr_diff_output *o, const etr_diff_rows *rows);
/** "gone", "cannot tell", ...: of a row of a table. Static. */
const char *etr_diff_verdict_word(const etr_change *change);
/** The modes, step or drift of a side's runs: "two modes: 41 runs at 1.05 ms, 9 at 8.40 ms"; "" if there are none, or
 * no such method. */
const char *etr_diff_steadiness_text(etr_diff_output *o, const etr_profile *profile, uint32_t method);
/** "not the same: input x float32[1] → float32[2], backend cpu → XnnpackBackend"; "" if nothing differs. */
const char *etr_diff_unlike_text(etr_diff_output *o, const etr_method_pair *method);
/** "0 and 2 more runs left out as warm-up"; "" if all count. */
const char *etr_diff_left_out_text(etr_diff_output *o, const etr_method_pair *method);
/** "218 of 219 timed nodes of both sides line up". */
const char *etr_diff_lined_up_text(etr_diff_output *o, const etr_method_pair *method);
/** What times and intervals are: the legend under tables; "" if nothing was timed on both sides. */
const char *etr_diff_legend(etr_diff_output *o);

/** Title of a section: "node", "operator". Static. */
const char *etr_diff_section_title(etr_diff_section section);

/** True if there is something to show. */
bool etr_diff_has_rows(const etr_diff_output *o, const etr_diff_rows *rows);

/** What the first `shown` rows are of the change of Method::execute's median, in one line. */
const char *etr_diff_adds_up_text(etr_diff_output *o, const etr_method_pair *method, const etr_diff_rows *rows,
                                  size_t shown);

/** Finds what to do next about the newer side of a method; nothing if that side is a document, which lacks the events.
 * Returns false when out of memory. */
bool etr_diff_findings(etr_findings *out, etr_diff_output *o, const etr_method_pair *method, etr_unit unit);

/* ---- Changes ---- */

/** Writes a change's members into an open JSON object: see schema/diff.schema.json. */
void etr_diff_put_change(const etr_fields *fields, const etr_change *change);

/** Starts the table that programs get. */
void etr_diff_table_init(etr_table *table, etr_diff_output *o);

/** Adds a change to it. method is NULL for loads, row for a method itself; part: "execute", "node", "by_op", "load". */
void etr_diff_table_add(etr_table *table, etr_diff_output *o, const etr_method_pair *method, const char *part,
                        const etr_diff_row *row, const etr_change *change);

/** Writes a section's rows for people: the news, at most options.top; all rows if that is 0. Returns how many. */
size_t etr_diff_write_section(etr_diff_output *o, const etr_method_pair *method, const etr_diff_rows *rows,
                              etr_diff_section section);

/* ---- Explanations ---- */

/** Writes what the change of a method consists of for people: medians, and what they do not add up to. */
void etr_diff_write_explanation(etr_diff_output *o, const etr_method_pair *method, const etr_explanation *explanation);

/** Writes the key explained: decimals that add up exactly. */
void etr_diff_put_explanation(etr_diff_output *o, const etr_explanation *explanation);

/* ---- Numeric gaps ---- */

/** Writes the section of a method as text or Markdown: what differs, the worst first, and where it starts. Nothing if
 * neither side logged values. */
void etr_gap_put_section(etr_diff_output *o, const etr_method_pair *method);

/** Writes all methods' gaps as one table: what CSV and TSV have where only values are asked for. */
void etr_gap_write_table(etr_diff_output *o);

/** Writes the key numeric_gap. */
void etr_field_gaps(const etr_fields *fields, const etr_method_pair *method);

#endif
