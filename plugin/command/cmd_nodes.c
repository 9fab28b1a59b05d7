/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_nodes.c - `etrecord-tb nodes`: nodes with their times.
 */
#include "command.h"

static etr_status write_nodes(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  etr_sink sink = message_stdout();
  etr_node_filter filter = command_filter(settings);
  etr_table_options options = command_table_options(settings);
  if (settings->format == FORMAT_JSON) return etr_emit_nodes_json(profile, &filter, settings->unit, &sink, error);
  if (settings->values) return etr_emit_values_table(profile, &filter, &options, &sink, error);
  return etr_emit_nodes_table(profile, &filter, &options, &sink, error);
}

exit_status command_nodes(const cli_settings *settings) { return command_run(settings, write_nodes); }
