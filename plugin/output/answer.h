/* SPDX-License-Identifier: BSD-3-Clause
 *
 * answer.h - the frame of every table and document: its profile, its options, its sink. Layer 4.
 */
#ifndef ETR_ANSWER_H
#define ETR_ANSWER_H

#include "base/arena.h"
#include "output/arrow.h"
#include "output/fields.h"

typedef struct etr_answer {
  const etr_profile *profile;       /* NULL: the answer is not about a profile and has no times */
  const etr_node_filter *filter;    /* may be NULL */
  const etr_table_options *options; /* never NULL */
  etr_arena arena; /* memory of everything that the answer makes; freed by etr_answer_end() */
  etr_writer writer;
  etr_jw json;         /* only used by documents */
  etr_fields fields;   /* only used by documents */
  etr_arrow *arrow;    /* takes the rows of tables instead of the output; NULL: they are written */
  const char *problem; /* reason why the options were refused; NULL: they were not */
} etr_answer;

/** Returns options whose unit is decided: text and Markdown are in cycles where the profile's clock
 * counts them, its rate is not known and nobody chose a unit. What programs read stays in the given
 * unit. profile and options may be NULL; NULL options stand for zeroed ones. */
etr_table_options etr_answer_options(const etr_profile *profile, const etr_table_options *options);

/** Begins an answer made of tables. options may be NULL, which stands for zeroed options; its unit
 * is the one of etr_answer_options(). The sink may be one of etr_arrow_sink(). All arguments are
 * borrowed until etr_answer_end(). */
void etr_answer_begin(etr_answer *answer, const etr_profile *profile, const etr_node_filter *filter,
                      const etr_table_options *options, const etr_sink *sink);

/** Begins a JSON document: an object with "schema": "etrecord-tb/NAME" and, if it is about a
 * profile, "time_unit". name includes the version: "summary/1". */
void etr_answer_begin_document(etr_answer *answer, const etr_profile *profile,
                               const etr_node_filter *filter, etr_unit unit, const etr_sink *sink,
                               const char *name);

/** Begins a JSON document as etr_answer_begin_document(), with the key "stat": the statistic by
 * which its rows are ranked. */
void etr_answer_begin_ranked_document(etr_answer *answer, const etr_profile *profile,
                                      const etr_node_filter *filter, etr_unit unit,
                                      const etr_sink *sink, const char *name);

/** Writes the key "filter" and the text of the filter, as "module features.1"; null if nodes of all
 * modules, operators and backends are shown. */
void etr_answer_put_filter(etr_answer *answer);

/** Writes the key "methods" and an array to which `put` adds each method that the filter takes.
 * Stops and returns false when `put` returns false, which means out of memory. */
bool etr_answer_put_methods(etr_answer *answer,
                            bool (*put)(etr_answer *answer, const etr_method *method));

/** Return the width in columns of a line that contains names, which may be ETR_ANY_WIDTH, and of a
 * line of running text. */
size_t etr_answer_width(const etr_answer *answer);
size_t etr_answer_text_width(const etr_answer *answer);

/** Refuses the options: the output that follows is dropped, and etr_answer_end() fails with `text`,
 * which must be in the arena or static. */
void etr_answer_refuse(etr_answer *answer, const char *text);

/** Refuses a breakdown by pattern if medians rank, because patterns add up averages. */
void etr_answer_refuse_patterns(etr_answer *answer);

/** Ends the document, if the answer is one, flushes the output and frees everything. Pass
 * `has_memory` = false if memory ran out on the way; true will do if only the answer's arena can
 * have failed, which is noticed here. Errors: ETR_ERROR_OPTION (etr_answer_refuse() was called),
 * ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_answer_end(etr_answer *answer, bool has_memory, etr_error *error);

#endif
