/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodes_json.c - every node of every graph with its times, as JSON.
 */
#include "logged.h"
#include "node_filter.h"

static void put_nulls(etr_fields *e, const char *const *keys, size_t count) {
  for (size_t i = 0; i < count; i++) {
    etr_jw_key(e->json, keys[i]);
    etr_jw_null(e->json);
  }
}

/* Names of the values used: for a producer with one output, its name. */
static void put_inputs(etr_fields *e, const etr_graph *graph, const etr_node *node) {
  etr_jw_key(e->json, "inputs");
  etr_jw_array(e->json);
  for (size_t i = 0; i < node->input_count; i++) etr_jw_string(e->json, graph->nodes[node->inputs[i].node].outputs[node->inputs[i].output].name);
  etr_jw_end(e->json);
}

static void put_arguments(etr_fields *e, const etr_node *node) {
  etr_jw_key(e->json, "arguments");
  etr_jw_object(e->json);
  for (size_t i = 0; i < node->argument_count; i++) {
    etr_jw_key(e->json, node->arguments[i].name);
    etr_jw_json(e->json, node->arguments[i].value);
  }
  etr_jw_end(e->json);
}

static void put_outputs(etr_fields *e, const etr_node *node) {
  etr_jw_key(e->json, "outputs");
  etr_jw_array(e->json);
  for (size_t i = 0; i < node->output_count; i++) {
    const etr_value *value = &node->outputs[i];
    etr_jw_object(e->json);
    etr_field_text(e, "name", value->name);
    etr_field_text(e, "dtype", value->dtype);
    etr_jw_key(e->json, "shape");
    if (value->rank < 0)
      etr_jw_null(e->json);
    else {
      etr_jw_array(e->json);
      for (int32_t k = 0; k < value->rank; k++)
        if (value->dims[k].symbol)
          etr_jw_string(e->json, value->dims[k].symbol);
        else
          etr_jw_int(e->json, value->dims[k].size);
      etr_jw_end(e->json);
    }
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_source(etr_fields *e, const etr_source *source) {
  etr_jw_key(e->json, "source");
  if (!source) {
    etr_jw_null(e->json);
    return;
  }
  etr_jw_object(e->json);
  etr_field_text(e, "file", source->file);
  etr_jw_key(e->json, "line");
  etr_jw_int(e->json, source->line);
  etr_field_text(e, "function", source->function);
  etr_field_text(e, "code", source->code);
  etr_jw_end(e->json);
}

static void put_time(etr_fields *e, const etr_graph *graph, const etr_node_time *time) {
  static const char *const untimed[] = {"match", "confidence", "avg", "p50", "p90", "min", "max", "calls"};
  etr_field_text(e, "backend", time ? time->backend : NULL);
  etr_jw_key(e->json, "delegate_instruction");
  if (time && time->delegate_instruction >= 0)
    etr_jw_int(e->json, time->delegate_instruction);
  else
    etr_jw_null(e->json);
  etr_field_text(e, "runs_as", time ? time->runs_as : NULL);
  etr_field_text(e, "carried_by", time && time->carried_by != ETR_NONE ? graph->nodes[time->carried_by].name : NULL);
  if (!time || time->runs == 0) {
    put_nulls(e, untimed, ETR_COUNT(untimed));
    return;
  }
  etr_field_text(e, "match", etr_match_name(time->match));
  etr_field_number(e, "confidence", time->confidence);
  etr_field_ticks(e, "avg", time->avg);
  etr_field_ticks(e, "p50", time->per_run.p50);
  etr_field_ticks(e, "p90", time->per_run.p90);
  etr_field_ticks(e, "min", time->per_run.min);
  etr_field_ticks(e, "max", time->per_run.max);
  etr_jw_key(e->json, "calls");
  etr_jw_double(e->json, (double)time->calls / (double)e->profile->methods[graph->profile_method].run_count);
}

static void put_values(etr_fields *e, const etr_logged_nodes *values, size_t node) {
  etr_field_list(e, "values");
  for (size_t i = etr_logged_first_of(values, (uint32_t)node); i < values->count && values->rows[i]->value->node == node; i++) {
    const etr_logged *row = values->rows[i];
    etr_jw_object(e->json);
    etr_field_count(e, "runs", row->run_count);
    etr_field_logged(e, row->value, row->is_measured ? &row->stats : NULL);
    etr_jw_end(e->json);
  }
  etr_jw_end(e->json);
}

static void put_node(etr_fields *e, const etr_graph *graph, const etr_logged_nodes *values, size_t index) {
  const etr_node *node = &graph->nodes[index];
  const etr_module *module = &graph->modules[node->module];
  etr_jw_object(e->json);
  etr_field_text(e, "name", node->name);
  etr_field_text(e, "kind", etr_node_kind_name(node->kind));
  etr_field_text(e, "target", node->target);
  put_inputs(e, graph, node);
  put_arguments(e, node);
  put_outputs(e, node);
  etr_field_text(e, "subgraph", node->subgraph == ETR_NONE ? NULL : graph->subgraphs[node->subgraph].path);
  etr_field_text(e, "module", module->recorded);
  etr_field_text(e, "module_type", module->type[0] ? module->type : NULL);
  etr_jw_key(e->json, "debug_handle");
  if (node->debug_handle)
    etr_jw_uint(e->json, node->debug_handle);
  else
    etr_jw_null(e->json);
  put_source(e, node->source);
  etr_field_text(e, "weight", node->weight_name);
  etr_field_text(e, "aten_node", node->aten_node);
  if (node->edge_nodes) {
    etr_field_list(e, "edge_nodes");
    for (size_t i = 0; i < node->edge_node_count; i++) etr_jw_string(e->json, node->edge_nodes[i]);
    etr_jw_end(e->json);
  }
  put_time(e, graph, graph->times ? &graph->times[index] : NULL);
  put_values(e, values, index);
  etr_jw_end(e->json);
}

etr_status etr_emit_nodes_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_fields e = {profile, unit, &json};
  etr_arena arena = {0};
  etr_logged_list list = {0};
  bool good = etr_logged_merge(&list, &arena, profile);
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&e, "schema", "etrecord-tb/nodes/1");
  etr_field_text(&e, "time_unit", etr_unit_name(unit));
  etr_jw_key(&json, "graphs");
  etr_jw_array(&json);
  for (size_t i = 0; good && i < profile->graph_count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    etr_logged_nodes values;
    if (!etr_filter_takes_graph(filter, graph)) continue;
    if (!etr_logged_of_graph(&values, &arena, &list, profile, graph)) break;
    etr_jw_object(&json);
    etr_field_text(&e, "module", graph->module);
    etr_field_text(&e, "method", graph->method);
    etr_field_text(&e, "entry", graph->entry);
    etr_field_text(&e, "dialect", graph->dialect[0] ? graph->dialect : NULL);
    etr_jw_key(&json, "nodes");
    etr_jw_array(&json);
    for (size_t k = 0; k < graph->node_count; k++)
      if (etr_filter_takes_node(filter, graph, k)) put_node(&e, graph, &values, k);
    etr_jw_end(&json);
    etr_jw_end(&json);
  }
  etr_jw_end(&json);
  etr_jw_end(&json);
  return etr_writer_finish_with(&writer, &arena, error);
}
