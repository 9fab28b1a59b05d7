/* SPDX-License-Identifier: BSD-3-Clause
 *
 * streams.c - tables handed over as Arrow streams.
 */
#include "output/arrow.h"

/* Begins an Arrow table, sets *sink to the sink that fills it, and *as_lines to the options with
 * the format JSON Lines, which has the rows and columns of a stream. Returns NULL when out of
 * memory. */
static etr_arrow *begin_stream(etr_sink *sink, etr_table_options *as_lines,
                               const etr_table_options *options) {
  etr_arrow *table = etr_arrow_new();
  if (table)
    *sink = etr_arrow_sink(table);
  *as_lines = options ? *options : (etr_table_options){0};
  as_lines->format = ETR_TABLE_JSON_LINES;
  return table;
}

/* Hands the table over as a stream or, if the answer that filled it failed with `status`, frees it
 * and returns that status. */
static etr_status finish_stream(etr_arrow *table, etr_status status, struct ArrowArrayStream *out,
                                etr_error *error) {
  if (status == ETR_OK)
    return etr_arrow_hand_over(table, out, error);
  etr_arrow_free(table);
  return status;
}

/* Calls etr_emit_source_tables() without its source options, so that all emitters have one type. */
static etr_status emit_source(const etr_profile *profile, const etr_node_filter *filter,
                              const etr_table_options *options, const etr_sink *sink,
                              etr_error *error) {
  return etr_emit_source_tables(profile, filter, NULL, options, sink, error);
}

etr_status etr_stream_table(etr_answer_kind kind, const etr_profile *profile,
                            const etr_node_filter *filter, const etr_table_options *options,
                            struct ArrowArrayStream *out, etr_error *error) {
  static etr_status (*const emitters[])(
      const etr_profile *, const etr_node_filter *, const etr_table_options *, const etr_sink *,
      etr_error *) = {[ETR_ANSWER_EVENTS] = etr_emit_events_table,
                      [ETR_ANSWER_NODES] = etr_emit_nodes_table,
                      [ETR_ANSWER_SUMMARY] = etr_emit_summary_tables,
                      [ETR_ANSWER_SOURCE] = emit_source,
                      [ETR_ANSWER_DELEGATION] = etr_emit_delegation_tables,
                      [ETR_ANSWER_MEMORY] = etr_emit_memory_tables};
  etr_sink sink;
  etr_table_options as_lines;
  *out = (struct ArrowArrayStream){0};
  etr_arrow *table = begin_stream(&sink, &as_lines, options);
  if (!table)
    return etr_fail_memory(error);
  return finish_stream(table, emitters[kind](profile, filter, &as_lines, &sink, error), out, error);
}

etr_status etr_stream_events(const etr_profile *profile, const etr_node_filter *filter,
                             const etr_table_options *options, struct ArrowArrayStream *out,
                             etr_error *error) {
  return etr_stream_table(ETR_ANSWER_EVENTS, profile, filter, options, out, error);
}

etr_status etr_stream_nodes(const etr_profile *profile, const etr_node_filter *filter,
                            const etr_table_options *options, struct ArrowArrayStream *out,
                            etr_error *error) {
  return etr_stream_table(ETR_ANSWER_NODES, profile, filter, options, out, error);
}

etr_status etr_stream_diff(const etr_comparison *comparison, const etr_diff_filter *filter,
                           const etr_table_options *options, struct ArrowArrayStream *out,
                           etr_error *error) {
  etr_sink sink;
  etr_table_options as_lines;
  *out = (struct ArrowArrayStream){0};
  etr_arrow *table = begin_stream(&sink, &as_lines, options);
  if (!table)
    return etr_fail_memory(error);
  return finish_stream(table, etr_emit_diff_tables(comparison, filter, &as_lines, &sink, error),
                       out, error);
}
