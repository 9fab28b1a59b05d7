/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info_json.c - what is in the inputs, as JSON.
 */
#include "json_writer.h"

typedef struct emitter {
  const etr_profile *profile;
  etr_unit unit;
  etr_jw *json;
} emitter;

static void put_text(emitter *e, const char *key, const char *text) {
  etr_jw_key(e->json, key);
  etr_jw_string(e->json, text);
}

static void put_count(emitter *e, const char *key, uint64_t count) {
  etr_jw_key(e->json, key);
  etr_jw_uint(e->json, count);
}

static void put_ticks(emitter *e, const char *key, double ticks) {
  etr_jw_key(e->json, key);
  etr_jw_double(e->json, etr_ticks_to_unit(e->profile, ticks, e->unit));
}

static void put_flag(emitter *e, const char *key, bool value) {
  etr_jw_key(e->json, key);
  etr_jw_bool(e->json, value);
}

static void begin_list(emitter *e, const char *key) {
  etr_jw_key(e->json, key);
  etr_jw_array(e->json);
}

static size_t count_kind(const etr_graph *graph, etr_node_kind first, etr_node_kind last) {
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++) count += graph->nodes[i].kind >= first && graph->nodes[i].kind <= last;
  return count;
}

static void put_inputs(emitter *e) {
  put_text(e, "etrecord", e->profile->etrecord);
  begin_list(e, "etdumps");
  for (size_t i = 0; i < e->profile->etdump_count; i++) etr_jw_string(e->json, e->profile->etdumps[i]);
  etr_jw_end(e->json);
  put_text(e, "pte", e->profile->pte);
  put_text(e, "export_graph_id", e->profile->export_graph_id);
  put_flag(e, "reference_outputs", e->profile->has_reference_outputs);
  put_flag(e, "representative_inputs", e->profile->has_representative_inputs);
}

static void put_graphs(emitter *e) {
  begin_list(e, "entry_points");
  for (size_t i = 0; i < e->profile->graph_count; i++) {
    const etr_graph *graph = &e->profile->graphs[i];
    etr_jw_object(e->json);
    put_text(e, "module", graph->module);
    put_text(e, "method", graph->method);
    put_text(e, "entry", graph->entry);
    put_text(e, "dialect", graph->dialect[0] ? graph->dialect : NULL);
    put_text(e, "schema_version", graph->schema_version[0] ? graph->schema_version : NULL);
    put_count(e, "nodes", graph->node_count);
    put_count(e, "operators", count_kind(graph, ETR_NODE_OP, ETR_NODE_OP));
    put_count(e, "inputs", count_kind(graph, ETR_NODE_INPUT, ETR_NODE_INPUT));
    put_count(e, "weights", count_kind(graph, ETR_NODE_PARAMETER, ETR_NODE_CONSTANT));
    put_count(e, "subgraphs", graph->subgraph_count);
    put_flag(e, "timed", graph->times != NULL && graph->profile_method != ETR_NONE && e->profile->methods[graph->profile_method].run_count > 0);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_delegates(emitter *e, const etr_method *method) {
  begin_list(e, "delegates");
  for (size_t i = 0; i < method->delegate_count; i++) {
    etr_jw_object(e->json);
    put_count(e, "instruction_id", (uint64_t)method->delegates[i].instruction_id);
    put_text(e, "backend", method->delegates[i].backend);
    put_count(e, "nodes", method->delegates[i].handle_count);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_methods(emitter *e) {
  begin_list(e, "methods");
  for (size_t i = 0; i < e->profile->method_count; i++) {
    const etr_method *method = &e->profile->methods[i];
    etr_jw_object(e->json);
    put_text(e, "method", method->name);
    put_count(e, "runs", method->run_count);
    etr_jw_key(e->json, "execute_avg");
    if (method->execute.count)
      etr_jw_double(e->json, etr_ticks_to_unit(e->profile, method->execute.avg, e->unit));
    else
      etr_jw_null(e->json);
    put_delegates(e, method);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_runs(emitter *e) {
  begin_list(e, "runs");
  for (size_t i = 0; i < e->profile->run_count; i++) {
    const etr_run *run = &e->profile->runs[i];
    const etr_block *block = &e->profile->blocks[run->block];
    etr_jw_object(e->json);
    put_text(e, "name", run->name);
    put_text(e, "etdump", e->profile->etdumps[run->dump]);
    put_text(e, "method", block->method == ETR_NONE ? NULL : e->profile->methods[block->method].name);
    put_text(e, "method_rule", block->method_rule);
    put_count(e, "profile_events", run->profile_events);
    put_count(e, "debug_events", run->debug_events);
    put_count(e, "allocation_events", run->allocation_events);
    put_ticks(e, "execute", (double)run->execute_ticks);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_warnings(emitter *e) {
  begin_list(e, "unknown_entries");
  for (size_t i = 0; i < e->profile->unknown_entry_count; i++) etr_jw_string(e->json, e->profile->unknown_entries[i]);
  etr_jw_end(e->json);
  begin_list(e, "warnings");
  for (size_t i = 0; i < e->profile->warning_count; i++) {
    const etr_warning *warning = &e->profile->warnings[i];
    etr_jw_object(e->json);
    put_text(e, "file", warning->file[0] ? warning->file : NULL);
    put_text(e, "entry", warning->entry[0] ? warning->entry : NULL);
    put_text(e, "message", warning->message);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

etr_status etr_emit_info_json(const etr_profile *profile, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_jw json;
  emitter e = {profile, unit, &json};
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  put_text(&e, "schema", "etrecord-tb/info/1");
  put_text(&e, "time_unit", etr_unit_name(unit));
  put_inputs(&e);
  put_graphs(&e);
  put_methods(&e);
  put_runs(&e);
  put_warnings(&e);
  etr_jw_end(&json);
  return etr_writer_finish(&writer, error);
}
