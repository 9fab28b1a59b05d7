/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_report.c - `etrecord-tb report`: the dashboard as one HTML file.
 */
#include "command.h"

typedef struct reported {
  const etr_profile *profile;
  etr_unit unit;
} reported;

static etr_status emit_report(void *context, const etr_sink *sink, etr_error *error) {
  const reported *r = context;
  return etr_emit_report(r->profile, r->unit, sink, error);
}

static etr_status write_report(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  return command_put(settings, emit_report, &(reported){profile, settings->unit}, error);
}

exit_status command_report(const cli_settings *settings) {
  if (command_fills_terminal(settings)) return message_usage("report", "HTML is nothing for a terminal: give -o FILE");
  return command_run(settings, write_report);
}
