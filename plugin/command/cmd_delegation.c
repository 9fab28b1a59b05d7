/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_delegation.c - `etrecord-tb delegation`: what is delegated.
 */
#include "command.h"

static etr_status write_delegation(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  etr_sink sink = message_stdout();
  etr_node_filter filter = command_filter(settings);
  etr_table_options options = command_table_options(settings);
  if (settings->format == FORMAT_JSON) return etr_emit_delegation_json(profile, &filter, settings->unit, &sink, error);
  return etr_emit_delegation_tables(profile, &filter, &options, &sink, error);
}

exit_status command_delegation(const cli_settings *settings) { return command_run(settings, write_delegation); }
