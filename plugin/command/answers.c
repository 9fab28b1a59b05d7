/* SPDX-License-Identifier: BSD-3-Clause
 *
 * answers.c - the commands that hand a profile to one emitter.
 */
#include "command/command.h"

#include <string.h>

/* ---- Tables and documents ---- */

etr_status command_info_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                             const etr_sink *sink, etr_error *error) {
  (void)filter;
  return etr_emit_info_json(profile, unit, sink, error);
}

etr_status command_info_tables(const etr_profile *profile, const etr_node_filter *filter,
                               const etr_table_options *options, const etr_sink *sink, etr_error *error) {
  (void)filter;
  return etr_emit_info_tables(profile, options, sink, error);
}

etr_status command_print(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                         etr_error *error) {
  const etr_node_filter filter = command_filter(settings);
  const etr_table_options options = command_table_options(settings);
  const table_emitter table = settings->values ? etr_emit_values_table : settings->command->table;
  if (settings->format == FORMAT_JSON) return settings->command->json(profile, &filter, settings->unit, sink, error);
  return table(profile, &filter, &options, sink, error);
}

etr_status command_source(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                          etr_error *error) {
  const etr_node_filter filter = command_filter(settings);
  const etr_table_options options = command_table_options(settings);
  const etr_source_options source = {
      .read_files = true, .root = settings->source_root, .by_pattern = settings->has_by && settings->by == 1};
  if (settings->format == FORMAT_JSON) return etr_emit_source_json(profile, &filter, settings->unit, sink, error);
  return etr_emit_source_tables(profile, &filter, &source, &options, sink, error);
}

/* ---- Files for viewers ---- */

etr_status command_trace(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                         etr_error *error) {
  const etr_trace_options options = {.method = settings->method,
                                     .gzip = strcmp(command_extension(settings), ".gz") == 0};
  return etr_emit_trace(profile, &options, sink, error);
}

exit_status command_check_export(const cli_settings *settings) {
  return settings->has_target ? EXIT_DONE : message_usage("export", "export needs a viewer: --to model-explorer");
}

etr_status command_export(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                          etr_error *error) {
  const etr_node_data_options options = {
      .statistic = settings->statistic, .unit = settings->unit, .adapter = settings->adapter};
  size_t graph;
  etr_status status = command_entry(&graph, profile, settings, error);
  return status == ETR_OK ? etr_emit_node_data(profile, graph, &options, sink, error) : status;
}

/* ---- Reports ---- */

exit_status command_check_report(const cli_settings *settings) {
  if (!command_fills_terminal(settings)) return EXIT_DONE;
  return message_usage("report", "refusing to write HTML to a terminal; use -o FILE");
}

etr_status command_report(const etr_profile *profile, const cli_settings *settings, const etr_sink *sink,
                          etr_error *error) {
  return etr_emit_report(profile, settings->unit, sink, error);
}

typedef struct two_records {
  const etr_profile *base, *newer;
  etr_unit unit;
} two_records;

static etr_status emit_two(void *context, const etr_sink *sink, etr_error *error) {
  const two_records *two = context;
  return etr_emit_report_of_two(two->base, two->newer, two->unit, sink, error);
}

exit_status command_report_two(const etr_profile *base, const etr_profile *newer, const cli_settings *settings) {
  return command_put(settings, emit_two, &(two_records){base, newer, settings->unit});
}
