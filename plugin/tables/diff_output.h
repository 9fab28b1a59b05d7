/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_output.h - what the outputs of a comparison share: words, changes, numeric gaps. Layer 5.
 *
 * Texts are in the arena of the answer. They are "" when out of memory; the arena has failed then,
 * which the end of the answer reports.
 */
#ifndef ETR_DIFF_OUTPUT_H
#define ETR_DIFF_OUTPUT_H

#include "output/table.h"
#include "views/diff_view.h"
#include "views/findings.h"

/* ---- Words, for people ---- */

/** A comparison that is being written. */
typedef struct etr_diff_output {
  const etr_comparison *comparison;
  const etr_diff_filter *filter; /* may be NULL */
  etr_answer answer; /* its profile is the newer one, and times are in ticks of its clock */
} etr_diff_output;

/** Significant digits of times in tables of changes. There is one more than elsewhere, because
 * changes are small parts of times. */
enum { ETR_DIFF_TIME_DIGITS = ETR_TIME_DIGITS + 1 };
/** Returns a change in per cent of the base, "+12.3 %"; "" without a base. */
const char *etr_diff_percent(etr_diff_output *o, const etr_change *change);
/** Returns true if the interval of a change is known; one of its bounds may be open. */
bool etr_diff_has_interval(const etr_change *change);
/** Returns the interval for a cell, "-4.3 … +13.2 %"; "" if it is not known, or says nothing. */
const char *etr_diff_interval_text(etr_diff_output *o, const etr_change *change);
/** Returns the verdict on a method or a load: "12.3 % slower (between 10.1 and 14.5 %)", "likely 12
 * % slower (...)", "about 100 times faster", "cannot tell: +4.1 % (between -4.3 and +13.2 %)",
 * "only in the base", ... Per cents are of the base. */
const char *etr_diff_verdict_text(etr_diff_output *o, const etr_change *execute);
/** Returns the verdict without the interval, "likely 12 % slower" or "about 100 times faster".
 * Returns "" unless the verdict is that the time changed. */
const char *etr_diff_size_text(etr_diff_output *o, const etr_change *change);
/** Returns true if the sides may be two different models, so that one does not explain the other:
 * etr_method_pair.may_differ, or events of which fewer than a quarter have a partner. */
bool etr_diff_may_be_other_models(const etr_method_pair *method);
/** Returns what changed in a typical run, by the comparison's sums by operator, what changed most
 * first, in at most three clauses: "log1p and gt are gone (-345 us); what replaces them costs 32
 * us; calls and copies cost 28 us more; mul takes 11 us more". Changes below 2 % of the longer
 * inference, or 5 % of its change, are left out. Returns "" if nothing is worth a word, if the two
 * may be different models, or when out of memory. */
const char *etr_diff_changes_text(etr_diff_output *o, const etr_method_pair *method, etr_unit unit);
/** Returns whether both sides are recordings of one program that differ by more than is assumed. */
bool etr_diff_is_of_one_program(const etr_diff_output *o, const etr_change *change);

/** Returns what changed, as etr_diff_changes_text(), behind "The runs cannot tell whether it
 * changed (-2.1 … +3.4 %)" or "As long as before" if the verdict is that; "" if there is nothing
 * to say. Per cents are of the base. */
const char *etr_diff_sentence_text(etr_diff_output *o, const etr_method_pair *method,
                                   etr_unit unit);
/** Returns the verdict on a method; where it cannot tell, with the row that surely changed most:
 * "in all cannot tell: ...; aten_mm_default is 80 % slower (...)". */
const char *etr_diff_method_text(etr_diff_output *o, const etr_method_pair *method);
/** Returns why the data do not decide whether there is a change, or whether it exceeds the limit,
 * and what would help: "one recording a side: ...; record 5 on each side, in turns". Returns "" if
 * they decide both. */
const char *etr_diff_reason_text(etr_diff_output *o, const etr_change *change);
/** Returns the same for a method, or that both sides are the same recording. */
const char *etr_diff_method_reason_text(etr_diff_output *o, const etr_method_pair *method);
/** Returns the number of recordings and runs, "5 recordings with 50 runs on each side", "5 and 4
 * recordings with 50 and 40 runs"; "50 runs" if one side has none, "" if neither side has runs. */
const char *etr_diff_runs_text(etr_diff_output *o, const etr_change *change);
/** Returns the typical times of both sides, "26.66 → 0.41 ms", or of the only side that has one,
 * with as many digits as the interval supports. */
const char *etr_diff_times_text(etr_diff_output *o, const etr_change *change);

/** Returns the number of rows of each verdict: "51 faster, 13 cannot tell, 88 not timed on both
 * sides". */
const char *etr_diff_counts_text(etr_diff_output *o, const etr_diff_rows *rows);
/** Returns the verdict on a row of a table: "gone", "cannot tell", ... Static. */
const char *etr_diff_verdict_word(const etr_change *change);
/** Returns the part of a side's typical run, 0 to 1, that interruptions take; 0 if there are none,
 * or if the side lacks the method. */
double etr_diff_interrupted_share(const etr_diff_output *o, const etr_method_pair *method,
                                  bool is_newer);

/** Returns "without interruptions 33.0 → 6.87 ms" for the times of Method::execute, if one side
 * has interruptions that are known; else "". A side has "23.5 – 37.0" where its fastest run took
 * clearly less or more than its operators alone; if none has, the change follows, "-79 %". Nothing
 * judges this change. */
const char *etr_diff_uninterrupted_text(etr_diff_output *o, const etr_method_pair *method);
/** Returns the modes, step, drift or interruptions of a side's runs, "two modes: 41 runs at 1.05
 * ms, 9 at 8.40 ms", of which one typical time says too little, or by how much noisy runs differ;
 * "" if there are none, or if the side lacks the method. */
const char *etr_diff_steadiness_text(etr_diff_output *o, const etr_method_pair *method,
                                     bool is_newer);
/** Returns in what the sides differ, "The two sides differ in: input x float32[1] → float32[2],
 * backend cpu → XnnpackBackend"; "" if nothing differs. At most six differences are named. A
 * warning comes first if the two look like different models, or if that cannot be told. */
const char *etr_diff_unlike_text(etr_diff_output *o, const etr_method_pair *method);
/** Returns the number of excluded runs, "2 warm-up runs excluded on each side", or the one of the
 * side that has most if the method was timed on one side only; "" if all runs count. */
const char *etr_diff_left_out_text(etr_diff_output *o, const etr_method_pair *method);
/** Returns how many timed nodes were paired: "218 of the 219 timed nodes of both sides have a
 * counterpart". */
const char *etr_diff_paired_text(etr_diff_output *o, const etr_method_pair *method);
/** Returns the legend under the tables, which says what times and intervals are; "" if nothing was
 * timed on both sides.
 */
const char *etr_diff_legend(etr_diff_output *o);

/** Returns what people read for a sum: its key, with the backend of a kernel. */
const char *etr_diff_group_text(etr_diff_output *o, const etr_node_group *group);

/** Returns the odd recordings of both sides, one sentence each; "" if there are none. */
const char *etr_diff_odd_text(etr_diff_output *o, const etr_change *execute);

/** What a section is called. */
typedef struct etr_diff_names {
  const char *title; /* of its first column, for people */
  const char *list;  /* key of its list in JSON */
  const char *key;   /* key of what a row sums up, in JSON; NULL for nodes */
} etr_diff_names;

extern const etr_diff_names etr_diff_section_names[ETR_DIFF_SECTIONS];

/** Returns true if a section has rows to show. */
bool etr_diff_has_rows(const etr_diff_output *o, const etr_diff_rows *rows);

/** Returns a line that says how much of the change of Method::execute, in the typical run, the
 * first `shown` rows are, with times in the unit of the options. */
const char *etr_diff_adds_up_text(etr_diff_output *o, const etr_method_pair *method,
                                  const etr_diff_rows *rows, size_t shown);

/** Finds what to do next about the newer side of a method; nothing if that side is a document,
 * which lacks the events. Returns false when out of memory. */
bool etr_diff_findings(etr_findings *out, etr_diff_output *o, const etr_method_pair *method,
                       etr_unit unit);

/* ---- Changes ---- */

/** Writes the members of a change into an open JSON object, as in schema/diff.schema.json. */
void etr_diff_put_change(const etr_fields *fields, const etr_change *change);

/** Writes those members of a change that say how large and how sure it is. */
void etr_diff_put_verdict(const etr_fields *fields, const etr_change *change);

/** Tables for programs: ETR_IN_DATA together with the bit of a section, ETR_DIFF_BY_SECTION shifted
 * by its number, and the table of methods, which is ETR_DIFF_METHODS alone. */
enum { ETR_DIFF_BY_SECTION = ETR_IN_OWN << 2, ETR_DIFF_METHODS = ETR_IN_OWN << 10 };

/** Starts the table of a section for programs, or of methods with ETR_DIFF_SECTIONS, and refuses
 * unknown columns. */
void etr_diff_table_init(etr_table *table, etr_diff_output *o, etr_diff_section section);

/** Adds a change to the table for programs. `row` is NULL for a method itself. */
void etr_diff_table_add_change(etr_table *table, etr_diff_output *o, const etr_method_pair *method,
                               const etr_diff_row *row, const etr_change *change);

/** Writes the rows of a section for people: at most options.top of those that are news, which come
 * first, or all rows if that is 0. --columns does not replace the first column, the names. Returns
 * the number of rows written. */
size_t etr_diff_write_section(etr_diff_output *o, const etr_method_pair *method,
                              const etr_diff_rows *rows, etr_diff_section section);

/* ---- Parts ---- */

/** Writes what a method's typical run consists of on both sides, for people: rows in ticks that add
 * up to Method::execute, and below them the load, which happens once and is no part of that sum.
 * Returns false when out of memory. */
bool etr_diff_write_explanation(etr_diff_output *o, const etr_method_pair *method);

/** Lists the parts that either side of a method has, as rows of etr_balance_change_fields. Returns
 * false when out of memory. */
bool etr_part_rows_make(etr_rows *out, etr_diff_output *o, const etr_method_pair *method);

/* ---- Numeric gaps ---- */

/** Writes the numeric gaps of a method as text or Markdown: the values that differ, the worst
 * first, and where the difference starts. Writes nothing if neither side logged values. */
void etr_gap_write_section(etr_diff_output *o, const etr_method_pair *method);

/** Writes the gaps of all methods as one table for programs, which they have if only values are
 * asked for: of each method the worst gaps first, at most --top. */
void etr_gap_write_table(etr_diff_output *o);

/** Writes the key numeric_gap: a list of the values that both sides logged, each with how far they
 * are apart or why they could not be compared. */
void etr_field_put_gaps(const etr_fields *fields, const etr_method_pair *method);

#endif
