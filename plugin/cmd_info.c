/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_info.c - `etrecord-tb info`: what is in the inputs.
 */
#include "command.h"

exit_status command_info(const cli_settings *settings) {
  etr_profile *profile;
  etr_error error = {.offset = ETR_NO_OFFSET};
  exit_status opened = command_open(&profile, settings);
  if (opened != EXIT_DONE) return opened;
  etr_sink sink = message_stdout();
  etr_table_options options = command_table_options(settings);
  etr_status status = settings->format == FORMAT_JSON ? etr_emit_info_json(profile, settings->unit, &sink, &error) : etr_emit_info_tables(profile, &options, &sink, &error);
  exit_status result = message_written(status, &error);
  etr_profile_close(profile);
  return result;
}
