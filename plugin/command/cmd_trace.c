/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_trace.c - `etrecord-tb trace`: the runs on a time line.
 */
#include "command.h"

#include <string.h>

typedef struct traced {
  const etr_profile *profile;
  etr_trace_options options;
} traced;

static etr_status emit_trace(void *context, const etr_sink *sink, etr_error *error) {
  const traced *trace = context;
  return etr_emit_trace(trace->profile, &trace->options, sink, error);
}

static etr_status write_trace(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  const char *ending = settings->output ? strrchr(settings->output, '.') : NULL;
  traced trace = {profile, {.method = settings->method, .gzip = ending && strcmp(ending, ".gz") == 0}};
  return command_put(settings, emit_trace, &trace, error);
}

exit_status command_trace(const cli_settings *settings) { return command_run(settings, write_trace); }
