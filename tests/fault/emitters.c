/* SPDX-License-Identifier: BSD-3-Clause
 *
 * emitters.c - the list.
 */
#include "emitters.h"

/* A file for each graph, as the command writes it. */
static etr_status event_files(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  etr_status status = ETR_OK;
  for (size_t i = 0; i < profile->graph_count && status == ETR_OK; i++) status = etr_emit_events(profile, i, NULL, sink, error);
  return status;
}

static etr_status dot_files(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  etr_status status = ETR_OK;
  for (size_t i = 0; i < profile->graph_count && status == ETR_OK; i++) status = etr_emit_dot(profile, i, NULL, sink, error);
  return status;
}

static etr_status nodes_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_nodes_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status nodes_table(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_nodes_table(profile, NULL, NULL, sink, error);
}

static etr_status events_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_events_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status events_table(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_events_table(profile, NULL, NULL, sink, error);
}

static etr_status summary_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_summary_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status summary_tables(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_summary_tables(profile, NULL, NULL, sink, error);
}

static etr_status delegation_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_delegation_json(profile, NULL, ETR_UNIT_MS, sink, error);
}

static etr_status delegation_tables(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_delegation_tables(profile, NULL, NULL, sink, error);
}

static etr_status info_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_info_json(profile, ETR_UNIT_MS, sink, error);
}

static etr_status info_tables(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_info_tables(profile, NULL, sink, error);
}

const named_emitter emitters[] = {
    {"event files", event_files},
    {"DOT files", dot_files},
    {"nodes as JSON", nodes_json},
    {"nodes as table", nodes_table},
    {"events as JSON", events_json},
    {"events as table", events_table},
    {"summary as JSON", summary_json},
    {"summary as tables", summary_tables},
    {"delegation as JSON", delegation_json},
    {"delegation as tables", delegation_tables},
    {"info as JSON", info_json},
    {"info as tables", info_tables},
    {NULL, NULL},
};
