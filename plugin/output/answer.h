/* SPDX-License-Identifier: BSD-3-Clause
 *
 * answer.h - the frame of every table and document: what it is about, its options, its sink. Layer 4.
 */
#ifndef ETR_ANSWER_H
#define ETR_ANSWER_H

#include "base/arena.h"
#include "output/fields.h"

typedef struct etr_answer {
  const etr_profile *profile;       /* NULL: it is about none, and has no times */
  const etr_node_filter *filter;    /* may be NULL */
  const etr_table_options *options; /* never NULL */
  etr_arena arena;                  /* for everything made; freed by etr_answer_end() */
  etr_writer writer;
  etr_jw json;         /* of documents */
  etr_fields fields;   /* of documents */
  const char *problem; /* why the options cannot be met; NULL: they can */
} etr_answer;

/** Starts tables. options NULL: the defaults, all zero. All arguments are borrowed until etr_answer_end(). */
void etr_answer_begin(etr_answer *answer, const etr_profile *profile, const etr_node_filter *filter,
                      const etr_table_options *options, const etr_sink *sink);

/** Starts a JSON document: an object with "schema": "etrecord-tb/NAME" and, if it is about a profile, "time_unit".
 * name: with its version, "summary/1". */
void etr_answer_begin_document(etr_answer *answer, const etr_profile *profile, const etr_node_filter *filter,
                               etr_unit unit, const etr_sink *sink, const char *name);

/** Starts one whose rows are ranked: with "stat", too. */
void etr_answer_begin_ranked(etr_answer *answer, const etr_profile *profile, const etr_node_filter *filter,
                             etr_unit unit, const etr_sink *sink, const char *name);

/** Writes the key "filter" and what the filter asks for; null for everything. */
void etr_answer_put_filter(etr_answer *answer);

/** Writes the key "methods" and what `put` writes of each method that the filter takes, until that is false. False: it
 * was. */
bool etr_answer_put_methods(etr_answer *answer, bool (*put)(etr_answer *answer, const etr_method *method));

/** Columns of a line that holds names, or ETR_ANY_WIDTH; of a line of running text. */
size_t etr_answer_width(const etr_answer *answer);
size_t etr_answer_text_width(const etr_answer *answer);

/** Refuses the options; whatever is written from now on is dropped. text, the error's message, must be in the arena or
 * static. */
void etr_answer_refuse(etr_answer *answer, const char *text);

/** Refuses patterns where medians rank: patterns add up averages. */
void etr_answer_refuse_patterns(etr_answer *answer);

/** Ends the document, if it is one, flushes the output and frees everything. good false: something ran out of memory.
 * Errors: ETR_ERROR_OPTION (etr_answer_refuse()), ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_answer_end(etr_answer *answer, bool good, etr_error *error);

#endif
