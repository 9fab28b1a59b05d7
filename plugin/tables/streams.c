/* SPDX-License-Identifier: BSD-3-Clause
 *
 * streams.c - tables handed over as Arrow streams.
 */
#include "output/arrow.h"

/* What an answer is about: a profile with a filter of its nodes, or a comparison. */
typedef struct question {
  const etr_profile *profile;
  const etr_node_filter *filter;
  const etr_comparison *comparison;
  const etr_diff_filter *diff_filter;
} question;

typedef etr_status asker(const question *q, const etr_table_options *options, const etr_sink *sink, etr_error *error);

/* JSON Lines has the rows and columns of the stream. */
static etr_status stream(asker *ask, question q, const etr_table_options *options, struct ArrowArrayStream *out,
                         etr_error *error) {
  etr_arrow *table = etr_arrow_new();
  *out = (struct ArrowArrayStream){0};
  if (!table) return etr_fail_memory(error);
  const etr_sink sink = etr_arrow_sink(table);
  etr_table_options as_lines = options ? *options : (etr_table_options){0};
  as_lines.format = ETR_TABLE_JSON_LINES;
  etr_status status = ask(&q, &as_lines, &sink, error);
  if (status == ETR_OK) return etr_arrow_hand_over(table, out, error);
  etr_arrow_free(table);
  return status;
}

static etr_status ask_events(const question *q, const etr_table_options *options, const etr_sink *sink,
                             etr_error *error) {
  return etr_emit_events_table(q->profile, q->filter, options, sink, error);
}

static etr_status ask_nodes(const question *q, const etr_table_options *options, const etr_sink *sink,
                            etr_error *error) {
  return etr_emit_nodes_table(q->profile, q->filter, options, sink, error);
}

static etr_status ask_summary(const question *q, const etr_table_options *options, const etr_sink *sink,
                              etr_error *error) {
  return etr_emit_summary_tables(q->profile, q->filter, options, sink, error);
}

static etr_status ask_source(const question *q, const etr_table_options *options, const etr_sink *sink,
                             etr_error *error) {
  return etr_emit_source_tables(q->profile, q->filter, NULL, options, sink, error);
}

static etr_status ask_delegation(const question *q, const etr_table_options *options, const etr_sink *sink,
                                 etr_error *error) {
  return etr_emit_delegation_tables(q->profile, q->filter, options, sink, error);
}

static etr_status ask_memory(const question *q, const etr_table_options *options, const etr_sink *sink,
                             etr_error *error) {
  return etr_emit_memory_tables(q->profile, q->filter, options, sink, error);
}

static etr_status ask_diff(const question *q, const etr_table_options *options, const etr_sink *sink,
                           etr_error *error) {
  return etr_emit_diff_tables(q->comparison, q->diff_filter, options, sink, error);
}

etr_status etr_stream_table(etr_answer_kind kind, const etr_profile *profile, const etr_node_filter *filter,
                            const etr_table_options *options, struct ArrowArrayStream *out, etr_error *error) {
  static asker *const askers[] = {
      [ETR_ANSWER_EVENTS] = ask_events, [ETR_ANSWER_NODES] = ask_nodes,           [ETR_ANSWER_SUMMARY] = ask_summary,
      [ETR_ANSWER_SOURCE] = ask_source, [ETR_ANSWER_DELEGATION] = ask_delegation, [ETR_ANSWER_MEMORY] = ask_memory};
  return stream(askers[kind], (question){.profile = profile, .filter = filter}, options, out, error);
}

etr_status etr_stream_events(const etr_profile *profile, const etr_node_filter *filter,
                             const etr_table_options *options, struct ArrowArrayStream *out, etr_error *error) {
  return etr_stream_table(ETR_ANSWER_EVENTS, profile, filter, options, out, error);
}

etr_status etr_stream_nodes(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                            struct ArrowArrayStream *out, etr_error *error) {
  return etr_stream_table(ETR_ANSWER_NODES, profile, filter, options, out, error);
}

etr_status etr_stream_diff(const etr_comparison *comparison, const etr_diff_filter *filter,
                           const etr_table_options *options, struct ArrowArrayStream *out, etr_error *error) {
  return stream(ask_diff, (question){.comparison = comparison, .diff_filter = filter}, options, out, error);
}
