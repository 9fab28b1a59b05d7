/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_summary.c - `etrecord-tb summary`: where the time goes.
 */
#include "command.h"

static etr_status write_summary(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  etr_sink sink = message_stdout();
  etr_table_options options = command_table_options(settings);
  if (settings->format == FORMAT_JSON) return etr_emit_summary_json(profile, settings->method, settings->unit, &sink, error);
  return etr_emit_summary_tables(profile, settings->method, &options, &sink, error);
}

exit_status command_summary(const cli_settings *settings) { return command_run(settings, write_summary); }
