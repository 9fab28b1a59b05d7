/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info_json.c - what is in the inputs, as JSON.
 */
#include "fields.h"

static size_t count_kind(const etr_graph *graph, etr_node_kind first, etr_node_kind last) {
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++) count += graph->nodes[i].kind >= first && graph->nodes[i].kind <= last;
  return count;
}

static void put_inputs(etr_fields *e) {
  etr_field_text(e, "etrecord", e->profile->etrecord);
  etr_field_list(e, "etdumps");
  for (size_t i = 0; i < e->profile->etdump_count; i++) etr_jw_string(e->json, e->profile->etdumps[i]);
  etr_jw_end(e->json);
  etr_field_text(e, "pte", e->profile->pte);
  etr_field_text(e, "export_graph_id", e->profile->export_graph_id);
  etr_field_flag(e, "reference_outputs", e->profile->has_reference_outputs);
  etr_field_flag(e, "representative_inputs", e->profile->has_representative_inputs);
}

/* Tensors and scalars that the runs logged. */
static void put_debug_values(etr_fields *e) {
  size_t tensors = 0, scalars = 0, outputs = 0, measured = 0, nan = 0, inf = 0;
  for (size_t i = 0; i < e->profile->debug_value_count; i++) {
    const etr_debug_value *value = &e->profile->debug_values[i];
    tensors += value->kind == ETR_DEBUG_TENSOR;
    scalars += value->kind != ETR_DEBUG_TENSOR;
    outputs += value->is_output;
    measured += value->stats != NULL;
    nan += value->stats && value->stats->nan_count > 0;
    inf += value->stats && value->stats->inf_count > 0;
  }
  etr_field_text(e, "debug_buffer", e->profile->debug_buffer);
  etr_jw_key(e->json, "debug_values");
  etr_jw_object(e->json);
  etr_field_count(e, "tensors", tensors);
  etr_field_count(e, "scalars", scalars);
  etr_field_count(e, "run_outputs", outputs);
  etr_field_count(e, "tensors_read", measured);
  etr_field_count(e, "tensors_with_nan", nan);
  etr_field_count(e, "tensors_with_inf", inf);
  etr_jw_end(e->json);
}

static void put_graphs(etr_fields *e) {
  etr_field_list(e, "entry_points");
  for (size_t i = 0; i < e->profile->graph_count; i++) {
    const etr_graph *graph = &e->profile->graphs[i];
    etr_jw_object(e->json);
    etr_field_text(e, "module", graph->module);
    etr_field_text(e, "method", graph->method);
    etr_field_text(e, "entry", graph->entry);
    etr_field_text(e, "dialect", graph->dialect[0] ? graph->dialect : NULL);
    etr_field_text(e, "schema_version", graph->schema_version[0] ? graph->schema_version : NULL);
    etr_field_count(e, "nodes", graph->node_count);
    etr_field_count(e, "operators", count_kind(graph, ETR_NODE_OP, ETR_NODE_OP));
    etr_field_count(e, "inputs", count_kind(graph, ETR_NODE_INPUT, ETR_NODE_INPUT));
    etr_field_count(e, "weights", count_kind(graph, ETR_NODE_PARAMETER, ETR_NODE_CONSTANT));
    etr_field_count(e, "subgraphs", graph->subgraph_count);
    etr_field_flag(e, "timed", graph->times != NULL && graph->profile_method != ETR_NONE && e->profile->methods[graph->profile_method].run_count > 0);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_delegates(etr_fields *e, const etr_method *method) {
  etr_field_list(e, "delegates");
  for (size_t i = 0; i < method->delegate_count; i++) {
    etr_jw_object(e->json);
    etr_field_count(e, "instruction_id", (uint64_t)method->delegates[i].instruction_id);
    etr_field_text(e, "backend", method->delegates[i].backend);
    etr_field_count(e, "nodes", method->delegates[i].handle_count);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_methods(etr_fields *e) {
  etr_field_list(e, "methods");
  for (size_t i = 0; i < e->profile->method_count; i++) {
    const etr_method *method = &e->profile->methods[i];
    etr_jw_object(e->json);
    etr_field_text(e, "method", method->name[0] ? method->name : NULL);
    etr_field_count(e, "runs", method->run_count);
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

static void put_runs(etr_fields *e) {
  etr_field_list(e, "runs");
  for (size_t i = 0; i < e->profile->run_count; i++) {
    const etr_run *run = &e->profile->runs[i];
    const etr_block *block = &e->profile->blocks[run->block];
    etr_jw_object(e->json);
    etr_field_text(e, "name", run->name);
    etr_field_text(e, "etdump", e->profile->etdumps[run->dump]);
    etr_field_text(e, "method",
                   block->method == ETR_NONE || !e->profile->methods[block->method].name[0] ? NULL : e->profile->methods[block->method].name);
    etr_field_text(e, "method_rule", block->method_rule);
    etr_field_count(e, "profile_events", run->profile_events);
    etr_field_count(e, "debug_events", run->debug_events);
    etr_field_count(e, "allocation_events", run->allocation_events);
    etr_field_ticks(e, "execute", (double)run->execute_ticks);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_warnings(etr_fields *e) {
  etr_field_list(e, "unknown_entries");
  for (size_t i = 0; i < e->profile->unknown_entry_count; i++) etr_jw_string(e->json, e->profile->unknown_entries[i]);
  etr_jw_end(e->json);
  etr_field_list(e, "warnings");
  for (size_t i = 0; i < e->profile->warning_count; i++) {
    const etr_warning *warning = &e->profile->warnings[i];
    etr_jw_object(e->json);
    etr_field_text(e, "file", warning->file[0] ? warning->file : NULL);
    etr_field_text(e, "entry", warning->entry[0] ? warning->entry : NULL);
    etr_field_text(e, "message", warning->message);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

etr_status etr_emit_info_json(const etr_profile *profile, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_fields e = {profile, unit, &json};
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&e, "schema", "etrecord-tb/info/1");
  etr_field_text(&e, "time_unit", etr_unit_name(unit));
  put_inputs(&e);
  put_debug_values(&e);
  put_graphs(&e);
  put_methods(&e);
  put_runs(&e);
  put_warnings(&e);
  etr_jw_end(&json);
  return etr_writer_finish(&writer, error);
}
