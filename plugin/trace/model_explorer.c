/* SPDX-License-Identifier: BSD-3-Clause
 *
 * model_explorer.c - node data for Google's Model Explorer: one value for each node of a graph that it shows.
 *
 * The format is that of Model Explorer's `GraphNodeData` as JSON (node_data_builder.py of ai-edge-model-explorer).
 * Without ids of graphs around it, the viewer applies it to the open graph, whatever its name. Keys are ids of nodes at
 * the top level of the graph. The adapter for exported programs uses the names of torch's graph
 * (pytorch_exported_program_adapter_impl.py), Arm's for ETRecords those of ExecuTorch's FXOperatorGraph, which appends
 * '_' (devtools/debug_format/et_schema.py).
 */
#include "output/fields.h"
#include "output/label.h"
#include "views/accuracy_view.h"
#include "views/heat.h"

#include <math.h>

typedef struct node_data {
  const etr_profile *profile;
  const etr_graph *graph;
  const etr_node_data_options *options;
  etr_arena arena;
  double *nested; /* per node: average time of all nodes in graphs that it contains, at any depth, in ticks */
  const etr_node_accuracy *accuracy; /* per node; NULL: not needed */
  etr_map backends;                  /* backends in the order of their first occurrence */
  etr_writer writer;
  etr_jw json;
  etr_fields fields;
} node_data;

/* ---- Writing ---- */

/* Writes the key of a node. Returns false when out of memory. */
static bool put_key(node_data *d, size_t node) {
  bool is_exported = strcmp(d->graph->module, "aten") == 0;
  bool is_pt2 = d->options->adapter == ETR_ADAPTER_PT2 || (d->options->adapter == ETR_ADAPTER_AUTO && is_exported);
  const char *key = etr_arena_format(&d->arena, "%s%s", d->graph->nodes[node].name, is_pt2 ? "" : "_");
  if (key != NULL) etr_jw_key(&d->json, key);
  return key != NULL;
}

static void put_time(node_data *d, size_t node) {
  const etr_node_time *time = &d->graph->times[node];
  bool is_avg = d->options->statistic == ETR_NODE_AVG;
  const double ticks[] = {[ETR_NODE_AVG] = time->avg + d->nested[node],
                          [ETR_NODE_P50] = time->per_run.p50,
                          [ETR_NODE_P90] = time->per_run.p90,
                          [ETR_NODE_MAX] = time->per_run.max};
  bool is_known = time->runs > 0 || (is_avg && d->nested[node] > 0);
  if (!is_known || !put_key(d, node)) return;
  etr_jw_object(&d->json);
  etr_field_ticks(&d->fields, "value", ticks[d->options->statistic]);
  etr_jw_end(&d->json);
}

/* Writes a node's backend, or "cpu" if it ran as a kernel. A node without a backend and without a time may not run at
 * all. */
static void put_backend(node_data *d, size_t node) {
  const etr_node_time *time = &d->graph->times[node];
  if ((time->backend == NULL && time->runs == 0) || !put_key(d, node)) return;
  etr_jw_object(&d->json);
  etr_field_text(&d->fields, "value", time->backend != NULL ? time->backend : "cpu");
  if (time->backend != NULL) {
    etr_slice backend = etr_slice_of(time->backend);
    uint32_t number = etr_map_get(&d->backends, backend);
    if (number == ETR_NONE) {
      number = (uint32_t)d->backends.count;
      etr_map_set(&d->backends, backend, number);
    }
    etr_field_text(&d->fields, "bgColor", etr_delegate_color(number));
  }
  etr_jw_end(&d->json);
}

static void put_snr(node_data *d, size_t node) {
  if (d->accuracy == NULL || d->accuracy[node].gap == NULL || !put_key(d, node)) return;
  etr_jw_object(&d->json);
  etr_field_number(&d->fields, "value", etr_accuracy_capped_snr(d->accuracy[node].gap));
  etr_jw_end(&d->json);
}

static void put_results(node_data *d) {
  etr_jw_key(&d->json, "results");
  etr_jw_object(&d->json);
  for (size_t i = 0; i < d->graph->node_count; i++) {
    if (d->graph->nodes[i].subgraph != ETR_NONE || d->graph->nodes[i].kind != ETR_NODE_OP) continue;
    if (d->options->statistic == ETR_NODE_BACKEND)
      put_backend(d, i);
    else if (d->options->statistic == ETR_NODE_SNR)
      put_snr(d, i);
    else
      put_time(d, i);
  }
  etr_jw_end(&d->json);
}

static void put_document(node_data *d) {
  enum { STEPS = 5 };
  static const char *const names[] = {[ETR_NODE_AVG] = "avg", [ETR_NODE_P50] = "p50",         [ETR_NODE_P90] = "p90",
                                      [ETR_NODE_MAX] = "max", [ETR_NODE_BACKEND] = "backend", [ETR_NODE_SNR] = "SNR"};
  bool is_backend = d->options->statistic == ETR_NODE_BACKEND, is_snr = d->options->statistic == ETR_NODE_SNR;
  const char *unit = is_snr ? "dB" : etr_unit_name(d->options->unit);
  etr_jw_object(&d->json);
  etr_field_text(&d->fields, "name",
                 etr_arena_format(&d->arena, "%s/%s %s%s%s", d->graph->module, d->graph->method,
                                  names[d->options->statistic], is_backend ? "" : " ", is_backend ? "" : unit));
  if (!is_backend) { /* the colours of DOT files, which follow the square root of the time; the lowest SNR is hot */
    etr_field_list(&d->fields, "gradient");
    for (int i = 0; i <= STEPS; i++) {
      etr_jw_object(&d->json);
      etr_field_number(&d->fields, "stop", (double)(i * i) / (double)(STEPS * STEPS));
      etr_field_text(&d->fields, "bgColor", etr_heat_color((double)(is_snr ? STEPS - i : i) / (double)STEPS).text);
      etr_jw_end(&d->json);
    }
    etr_jw_end(&d->json);
  }
  put_results(d);
  etr_jw_end(&d->json);
}

/* ---- The emitter ---- */

static etr_status check_graph(const etr_profile *profile, const etr_graph *graph, const etr_node_data_options *options,
                              etr_error *error) {
  if (etr_is_program(graph))
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "Model Explorer cannot show %s/%s; choose an entry point of edge or aten", graph->module,
                    graph->method);
  if (options->statistic == ETR_NODE_SNR)
    return profile->accuracy != NULL && profile->accuracy->ranked_count > 0
               ? ETR_OK
               : etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                          "no value of %s/%s was compared with a reference: give one with --reference FILE, for a record with a "
                          "debug buffer", graph->module, graph->method);
  for (size_t i = 0; graph->times != NULL && i < graph->node_count; i++)
    if (graph->times[i].runs > 0 || (options->statistic == ETR_NODE_BACKEND && graph->times[i].backend != NULL))
      return ETR_OK;
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET, "no node of %s/%s %s", graph->module,
                  graph->method, options->statistic == ETR_NODE_BACKEND ? "is known to run in a backend" : "was timed");
}

etr_status etr_emit_node_data(const etr_profile *profile, size_t graph, const etr_node_data_options *options,
                              const etr_sink *sink, etr_error *error) {
  static const etr_node_data_options defaults = {0};
  node_data d = {
      .profile = profile, .graph = &profile->graphs[graph], .options = options != NULL ? options : &defaults};
  ETR_TRY(check_graph(profile, d.graph, d.options, error));
  etr_arena_init(&d.arena);
  etr_map_init(&d.backends, &d.arena);
  d.nested = etr_arena_alloc_array(&d.arena, d.graph->node_count, sizeof *d.nested);
  for (size_t i = d.graph->node_count; d.nested != NULL && i-- > 0;) { /* a node comes before the nodes of its graphs */
    uint32_t subgraph = d.graph->nodes[i].subgraph;
    uint32_t owner = subgraph != ETR_NONE ? d.graph->subgraphs[subgraph].owner : ETR_NONE;
    if (owner < i) d.nested[owner] += d.nested[i] + d.graph->times[i].avg;
  }
  if (d.options->statistic == ETR_NODE_SNR) d.accuracy = etr_accuracy_of_nodes(&d.arena, profile, d.graph);
  etr_writer_init(&d.writer, sink);
  etr_jw_init(&d.json, &d.writer);
  d.fields = (etr_fields){profile, d.options->unit, &d.json};
  if (!etr_arena_failed(&d.arena)) put_document(&d);
  if (etr_arena_failed(&d.arena)) d.writer.status = ETR_ERROR_MEMORY;
  etr_arena_clear(&d.arena);
  return etr_writer_finish(&d.writer, error);
}
