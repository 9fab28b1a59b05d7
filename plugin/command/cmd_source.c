/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_source.c - `etrecord-tb source`: the model's own lines with their time.
 */
#include "command.h"

static etr_status write_source(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  etr_sink sink = message_stdout();
  etr_node_filter filter = command_filter(settings);
  etr_table_options options = command_table_options(settings);
  etr_source_options source = {.read_files = true, .root = settings->source_root};
  if (settings->format == FORMAT_JSON) return etr_emit_source_json(profile, &filter, settings->unit, &sink, error);
  return etr_emit_source_tables(profile, &filter, &source, &options, &sink, error);
}

exit_status command_source(const cli_settings *settings) { return command_run(settings, write_source); }
