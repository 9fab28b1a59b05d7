/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_export.c - `etrecord-tb export`: values of nodes, for other viewers.
 */
#include "command.h"

typedef struct exported {
  const etr_profile *profile;
  size_t graph;
  etr_node_data_options options;
} exported;

static etr_status emit_node_data(void *context, const etr_sink *sink, etr_error *error) {
  const exported *data = context;
  return etr_emit_node_data(data->profile, data->graph, &data->options, sink, error);
}

static etr_status write_export(const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  exported data = {.profile = profile, .options = {.statistic = settings->statistic, .unit = settings->unit}};
  etr_status status = command_entry(&data.graph, profile, settings, error);
  return status == ETR_OK ? command_put(settings, emit_node_data, &data, error) : status;
}

exit_status command_export(const cli_settings *settings) {
  if (!settings->has_target) return message_usage("export", "--to says for which viewer: model-explorer");
  return command_run(settings, write_export);
}
