/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_info.c - `etrecord-tb info`: what is in the inputs.
 */
#include "command.h"

static etr_status write_info(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  etr_sink sink = message_stdout();
  etr_table_options options = command_table_options(settings);
  if (settings->format == FORMAT_JSON) return etr_emit_info_json(profile, settings->unit, &sink, error);
  return etr_emit_info_tables(profile, &options, &sink, error);
}

exit_status command_info(const cli_settings *settings) { return command_run(settings, write_info); }
