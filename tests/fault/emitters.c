/* SPDX-License-Identifier: BSD-3-Clause
 *
 * emitters.c - the list.
 */
#include "emitters.h"

/* A file for each graph and one of the whole record, as the command writes them. */
static etr_status event_files(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  etr_status status = ETR_OK;
  for (size_t i = 0; i < profile->graph_count && status == ETR_OK; i++)
    status = etr_emit_events(profile, i, NULL, sink, error);
  return status == ETR_OK ? etr_emit_events(profile, ETR_WHOLE_RECORD, NULL, sink, error) : status;
}

static etr_status dot_files(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  etr_status status = ETR_OK;
  for (size_t i = 0; i < profile->graph_count && status == ETR_OK; i++)
    status = etr_emit_dot(profile, i, NULL, sink, error);
  return status;
}

/* That there is nothing to tell (no times, no nodes in a module) is no failure. */
static etr_status or_nothing(etr_status status) {
  return status == ETR_ERROR_CHOICE ? ETR_OK : status;
}

static etr_status part_of_dot(const etr_profile *profile, const etr_dot_options *options,
                              const etr_sink *sink, etr_error *error) {
  return profile->graph_count == 0 ? ETR_OK
                                   : or_nothing(etr_emit_dot(profile, 0, options, sink, error));
}

static etr_status dot_of_module(const etr_profile *profile, const etr_sink *sink,
                                etr_error *error) {
  const etr_graph *graph = profile->graphs;
  if (profile->graph_count == 0 || graph->module_count == 0)
    return ETR_OK;
  return part_of_dot(profile,
                     &(etr_dot_options){.focus = graph->modules[graph->module_count - 1].path},
                     sink, error);
}

static etr_status dot_of_top(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return part_of_dot(profile, &(etr_dot_options){.top = 3}, sink, error);
}

static etr_status dot_folded(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return part_of_dot(profile, &(etr_dot_options){.fold = true}, sink, error);
}

static etr_status trace(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return or_nothing(etr_emit_trace(profile, NULL, sink, error));
}

static etr_status compressed_trace(const etr_profile *profile, const etr_sink *sink,
                                   etr_error *error) {
  return or_nothing(etr_emit_trace(profile, &(etr_trace_options){.gzip = true}, sink, error));
}

static etr_status stacks(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return or_nothing(
      etr_emit_trace(profile, &(etr_trace_options){.format = ETR_TRACE_SPEEDSCOPE}, sink, error));
}

static etr_status folded_stacks(const etr_profile *profile, const etr_sink *sink,
                                etr_error *error) {
  return or_nothing(
      etr_emit_trace(profile, &(etr_trace_options){.format = ETR_TRACE_FOLDED}, sink, error));
}

static etr_status node_data(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return profile->graph_count == 0 ? ETR_OK
                                   : or_nothing(etr_emit_node_data(profile, 0, NULL, sink, error));
}

/* What runs where: text instead of numbers. */
static etr_status node_backends(const etr_profile *profile, const etr_sink *sink,
                                etr_error *error) {
  const etr_node_data_options options = {.statistic = ETR_NODE_BACKEND};
  return profile->graph_count == 0
             ? ETR_OK
             : or_nothing(etr_emit_node_data(profile, 0, &options, sink, error));
}

static etr_status report(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_report(profile, ETR_UNIT_MS, sink, error);
}

static etr_status nodes_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_nodes_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status nodes_table(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_nodes_table(profile, NULL, NULL, sink, error);
}

static etr_status nodes_in_format(const etr_profile *profile, etr_table_format format,
                                  const etr_sink *sink, etr_error *error) {
  return etr_emit_nodes_table(profile, NULL, &(etr_table_options){.format = format}, sink, error);
}

static etr_status nodes_csv(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return nodes_in_format(profile, ETR_TABLE_CSV, sink, error);
}

static etr_status nodes_tsv(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return nodes_in_format(profile, ETR_TABLE_TSV, sink, error);
}

static etr_status nodes_markdown(const etr_profile *profile, const etr_sink *sink,
                                 etr_error *error) {
  return nodes_in_format(profile, ETR_TABLE_MARKDOWN, sink, error);
}

static etr_status nodes_json_lines(const etr_profile *profile, const etr_sink *sink,
                                   etr_error *error) {
  return etr_emit_nodes_table(
      profile, NULL, &(etr_table_options){.format = ETR_TABLE_JSON_LINES, .columns = "node,avg"},
      sink, error);
}

/* As a terminal that knows colors, but no characters beyond ASCII, has it. */
static etr_status nodes_in_color(const etr_profile *profile, const etr_sink *sink,
                                 etr_error *error) {
  return etr_emit_nodes_table(
      profile, NULL, &(etr_table_options){.color = true, .ascii = true, .width = 40}, sink, error);
}

/* Only some nodes: the answer says so, and how much it is. */
static const etr_node_filter kernels = {.backend = "cpu", .op = "*"};

static etr_status some_nodes(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_nodes_table(profile, &kernels, NULL, sink, error);
}

static etr_status some_nodes_json(const etr_profile *profile, const etr_sink *sink,
                                  etr_error *error) {
  return etr_emit_nodes_json(profile, &kernels, ETR_UNIT_MS, sink, error);
}

static etr_status some_events(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_events_table(profile, &kernels, NULL, sink, error);
}

static etr_status summary_of_some(const etr_profile *profile, const etr_sink *sink,
                                  etr_error *error) {
  return etr_emit_summary_tables(profile, &kernels, NULL, sink, error);
}

static etr_status delegation_of_some(const etr_profile *profile, const etr_sink *sink,
                                     etr_error *error) {
  return etr_emit_delegation_tables(profile, &kernels, NULL, sink, error);
}

static etr_status values_table(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_values_table(profile, NULL, NULL, sink, error);
}

static etr_status events_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_events_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status events_table(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_events_table(profile, NULL, NULL, sink, error);
}

static etr_status summary_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_summary_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status summary_tables(const etr_profile *profile, const etr_sink *sink,
                                 etr_error *error) {
  return etr_emit_summary_tables(profile, NULL, NULL, sink, error);
}

static etr_status summary_in_format(const etr_profile *profile, etr_table_format format,
                                    const etr_sink *sink, etr_error *error) {
  return etr_emit_summary_tables(
      profile, NULL,
      &(etr_table_options){.format = format,
                           .by = format == ETR_TABLE_CSV ? ETR_SUM_BY_MODULE : ETR_SUM_BY_ALL},
      sink, error);
}

static etr_status summary_by(const etr_profile *profile, etr_sum_by by, const etr_sink *sink,
                             etr_error *error) {
  return etr_emit_summary_tables(
      profile, NULL, &(etr_table_options){.format = ETR_TABLE_CSV, .by = by}, sink, error);
}

static etr_status summary_findings(const etr_profile *profile, const etr_sink *sink,
                                   etr_error *error) {
  return summary_by(profile, ETR_SUM_BY_FINDING, sink, error);
}

static etr_status summary_methods(const etr_profile *profile, const etr_sink *sink,
                                  etr_error *error) {
  return summary_by(profile, ETR_SUM_BY_METHOD, sink, error);
}

static etr_status summary_parts(const etr_profile *profile, const etr_sink *sink,
                                etr_error *error) {
  return summary_by(profile, ETR_SUM_BY_PART, sink, error);
}

static etr_status summary_csv(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return summary_in_format(profile, ETR_TABLE_CSV, sink, error);
}

static etr_status summary_markdown(const etr_profile *profile, const etr_sink *sink,
                                   etr_error *error) {
  return summary_in_format(profile, ETR_TABLE_MARKDOWN, sink, error);
}

static etr_status summary_by_pattern(const etr_profile *profile, const etr_sink *sink,
                                     etr_error *error) {
  return etr_emit_summary_tables(profile, NULL, &(etr_table_options){.by = ETR_SUM_BY_PATTERN},
                                 sink, error);
}

static etr_status source_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_source_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status source_tables(const etr_profile *profile, const etr_sink *sink,
                                etr_error *error) {
  return etr_emit_source_tables(
      profile, NULL, &(etr_source_options){.read_files = true, .root = ".."}, NULL, sink, error);
}

static etr_status source_csv(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_source_tables(profile, NULL, NULL, &(etr_table_options){.format = ETR_TABLE_CSV},
                                sink, error);
}

static etr_status source_by_pattern(const etr_profile *profile, const etr_sink *sink,
                                    etr_error *error) {
  return etr_emit_source_tables(profile, NULL, &(etr_source_options){.by_pattern = true}, NULL,
                                sink, error);
}

static etr_status delegation_json(const etr_profile *profile, const etr_sink *sink,
                                  etr_error *error) {
  return etr_emit_delegation_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status delegation_tables(const etr_profile *profile, const etr_sink *sink,
                                    etr_error *error) {
  return etr_emit_delegation_tables(profile, NULL, NULL, sink, error);
}

static etr_status memory_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_memory_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status memory_tables(const etr_profile *profile, const etr_sink *sink,
                                etr_error *error) {
  return etr_emit_memory_tables(profile, NULL, NULL, sink, error);
}

static etr_status info_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_info_json(profile, ETR_UNIT_MS, sink, error);
}

static etr_status info_tables(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_info_tables(profile, NULL, sink, error);
}

/* A comparison with itself: nothing else is at hand. */
static etr_status diff_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  etr_comparison *comparison;
  etr_status status = etr_compare(&comparison, profile, profile, NULL, error);
  if (status == ETR_OK)
    status = etr_emit_diff_json(comparison, NULL, ETR_UNIT_MS, sink, error);
  etr_comparison_close(comparison);
  return status;
}

static etr_status diff_in_format(const etr_profile *profile, etr_table_format format,
                                 const etr_sink *sink, etr_error *error) {
  etr_comparison *comparison;
  etr_status status = etr_compare(&comparison, profile, profile, NULL, error);
  if (status == ETR_OK)
    status = etr_emit_diff_tables(
        comparison,
        &(etr_diff_filter){.by = format == ETR_TABLE_CSV ? ETR_DIFF_BY_NODE : ETR_DIFF_BY_ALL},
        &(etr_table_options){.format = format}, sink, error);
  etr_comparison_close(comparison);
  return status;
}

static etr_status diff_tables(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return diff_in_format(profile, ETR_TABLE_TEXT, sink, error);
}

static etr_status diff_markdown(const etr_profile *profile, const etr_sink *sink,
                                etr_error *error) {
  return diff_in_format(profile, ETR_TABLE_MARKDOWN, sink, error);
}

static etr_status report_of_three(const etr_profile *profile, const etr_sink *sink,
                                  etr_error *error) {
  return etr_emit_report_of((const etr_profile *const[]){profile, profile, profile},
                            (const char *const[]){"a", "b", "c"}, 3, ETR_UNIT_MS, sink, error);
}

static etr_status diff_csv(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return diff_in_format(profile, ETR_TABLE_CSV, sink, error);
}

/* Records that are written: from the one that was read. */
static etr_status strip(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return profile->etrecord ? etr_record_strip(profile->etrecord, NULL, sink, error) : ETR_OK;
}

static etr_status strip_names(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  const etr_strip_options options = {.rename_modules = true};
  return profile->etrecord ? etr_record_strip(profile->etrecord, &options, sink, error) : ETR_OK;
}

static etr_status pack_program(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  const etr_part parts[] = {{.name = "delegate_map", .bytes = "{}", .size = 2},
                            {.name = "more/forward", .bytes = "{}", .size = 2},
                            {.kind = ETR_PART_PTE, .path = profile->pte}};
  const etr_pack_options options = {.record = profile->etrecord};
  size_t count = profile->pte && !profile->pte_entry ? 3 : 2;
  return profile->etrecord ? etr_record_pack(parts, count, &options, sink, error) : ETR_OK;
}

static etr_status validate(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  const etr_inputs inputs = {.etrecord = profile->etrecord,
                             .pte = profile->pte_entry ? NULL : profile->pte};
  etr_validation *validation;
  if (!profile->etrecord)
    return ETR_OK;
  etr_status status = etr_record_validate(&validation, &inputs, error);
  if (status == ETR_OK)
    status = etr_emit_validation_json(validation, sink, error);
  if (status == ETR_OK)
    status = etr_emit_validation_table(validation, NULL, sink, error);
  etr_validation_close(validation);
  return status;
}

const named_emitter emitters[] = {
    {"event files", event_files, false},
    {"DOT files", dot_files, false},
    {"DOT of a module", dot_of_module, false},
    {"DOT of a top", dot_of_top, false},
    {"DOT, folded", dot_folded, false},
    {"trace as JSON", trace, false},
    {"compressed trace", compressed_trace, false},
    {"stacks", stacks, false},
    {"folded stacks", folded_stacks, false},
    {"node data as JSON", node_data, false},
    {"backends of nodes as JSON", node_backends, false},
    {"report", report, false},
    {"report of three", report_of_three, false},
    {"dashboard as JSON", etr_emit_profile_json, false},
    {"nodes as JSON", nodes_json, false},
    {"nodes as table", nodes_table, false},
    {"nodes as CSV", nodes_csv, false},
    {"nodes as TSV", nodes_tsv, false},
    {"nodes as Markdown", nodes_markdown, false},
    {"nodes as JSON Lines", nodes_json_lines, false},
    {"nodes in color", nodes_in_color, false},
    {"some nodes", some_nodes, false},
    {"some nodes as JSON", some_nodes_json, false},
    {"some events", some_events, false},
    {"summary of some", summary_of_some, false},
    {"delegation of some", delegation_of_some, false},
    {"values as table", values_table, false},
    {"events as JSON", events_json, false},
    {"events as table", events_table, false},
    {"summary as JSON", summary_json, false},
    {"summary as tables", summary_tables, false},
    {"summary as CSV", summary_csv, false},
    {"findings as CSV", summary_findings, false},
    {"methods as CSV", summary_methods, false},
    {"parts as CSV", summary_parts, false},
    {"summary as Markdown", summary_markdown, false},
    {"summary by pattern", summary_by_pattern, false},
    {"source as JSON", source_json, false},
    {"source as tables", source_tables, false},
    {"source as CSV", source_csv, false},
    {"source by pattern", source_by_pattern, false},
    {"delegation as JSON", delegation_json, false},
    {"delegation as tables", delegation_tables, false},
    {"diff as JSON", diff_json, false},
    {"diff as tables", diff_tables, false},
    {"diff as Markdown", diff_markdown, false},
    {"diff as CSV", diff_csv, false},
    {"memory as JSON", memory_json, false},
    {"memory as tables", memory_tables, false},
    {"info as JSON", info_json, false},
    {"info as tables", info_tables, false},
    {"strip", strip, true},
    {"strip_names", strip_names, true},
    {"pack", pack_program, true},
    {"validate", validate, true},
    {NULL, NULL, false},
};
