/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_events.c - `etrecord-tb events`: what the ETDump recorded, joined.
 */
#include "command.h"

static etr_status write_events(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  etr_sink sink = message_stdout();
  etr_node_filter filter = command_filter(settings);
  etr_table_options options = command_table_options(settings);
  if (settings->format == FORMAT_JSON) return etr_emit_events_json(profile, &filter, settings->unit, &sink, error);
  if (settings->values) return etr_emit_values_table(profile, &filter, &options, &sink, error);
  return etr_emit_events_table(profile, &filter, &options, &sink, error);
}

exit_status command_events(const cli_settings *settings) { return command_run(settings, write_events); }
