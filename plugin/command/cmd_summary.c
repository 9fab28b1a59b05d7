/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_summary.c - `etrecord-tb summary`: where the time goes.
 */
#include "command.h"

/* Rows of each of its tables where --top does not say: it is to be read on one screen. */
enum { ROWS = 10 };

static etr_status write_summary(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  etr_sink sink = message_stdout();
  etr_node_filter filter = command_filter(settings);
  etr_table_options options = command_table_options(settings);
  if (settings->top == TOP_DEFAULT && (settings->format == FORMAT_TEXT || settings->format == FORMAT_MARKDOWN)) options.top = ROWS;
  options.depth = (int)settings->depth;
  if (settings->format == FORMAT_JSON) return etr_emit_summary_json(profile, &filter, settings->unit, &sink, error);
  return etr_emit_summary_tables(profile, &filter, &options, &sink, error);
}

exit_status command_summary(const cli_settings *settings) { return command_run(settings, write_summary); }
