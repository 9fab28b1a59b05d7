/* SPDX-License-Identifier: BSD-3-Clause
 *
 * model_explorer.c - node data for Google's Model Explorer: one value for each node of a graph that
 * it shows.
 *
 * The format is that of Model Explorer's `GraphNodeData` as JSON (node_data_builder.py of
 * ai-edge-model-explorer). Without ids of graphs around it, the viewer applies it to the open
 * graph, whatever its name. Keys are ids of nodes. The adapter for exported programs uses the names
 * of torch's graph (pytorch_exported_program_adapter_impl.py), Arm's for ETRecords those of
 * ExecuTorch's FXOperatorGraph, which appends '_' (devtools/debug_format/et_schema.py); both show
 * the top level only. Arm's for programs (pte_adapter_model_explorer) numbers instructions,
 * METHOD_CHAIN_INSTRUCTION, and shows the operators of a delegate in a graph of their own,
 * FILE::INSTRUCTION, with numbers as ids.
 */
#include "base/system.h"
#include "output/fields.h"
#include "output/label.h"
#include "views/accuracy_view.h"
#include "views/heat.h"

#include <math.h>

typedef struct node_data {
  const etr_profile *profile;
  const etr_graph *graph;
  const etr_node_data_options *options;
  etr_node_adapter adapter; /* never ETR_ADAPTER_AUTO */
  etr_arena arena;
  uint32_t *number; /* per operator of a graph: how many operators of that graph are before it */
  double *nested_typical; /* as `nested`, in the typical run */
  double *nested;   /* per node: average time of all nodes in graphs that it contains, at any depth,
                       in ticks */
  bool *has_nested; /* per node: one of these was timed */
  const etr_node_accuracy *accuracy; /* per node; NULL: not needed */
  etr_map backends;                  /* backends in the order of their first occurrence */
  etr_writer writer;
  etr_jw json;
  etr_fields fields;
} node_data;

/* ---- Writing ---- */

static const char *instruction_id(node_data *d, size_t node) {
  const etr_node_time *time = &d->graph->times[node];
  return etr_arena_format(&d->arena, "%s_0_%d", d->graph->method, (int)time->instruction);
}

/* Writes the key of a node: the id that the adapter gives to it. Returns false if that key was
 * written already, or when out of memory. */
static bool put_key(node_data *d, etr_map *written_keys, size_t node) {
  const etr_node *graph_node = &d->graph->nodes[node];
  const char *key = d->adapter == ETR_ADAPTER_PT2 ? graph_node->name : NULL;
  if (d->adapter == ETR_ADAPTER_ETRECORD)
    key = etr_arena_format(&d->arena, "%s_", graph_node->name);
  if (d->adapter == ETR_ADAPTER_PTE)
    key = graph_node->subgraph == ETR_NONE ? instruction_id(d, node)
                                           : etr_arena_format(&d->arena, "%u", d->number[node]);
  if (key == NULL || etr_map_get(written_keys, etr_slice_of(key)) != ETR_NONE)
    return false;
  etr_map_set(written_keys, etr_slice_of(key), 0);
  etr_jw_key(&d->json, key);
  return true;
}

/* Writes the time of a node in the chosen statistic; a typical or average time includes that of its
 * nested nodes. */
static void put_time(node_data *d, size_t node) {
  const etr_node_time *time = &d->graph->times[node];
  const double ticks[] = {[ETR_NODE_TYPICAL] = time->typical + d->nested_typical[node],
                          [ETR_NODE_AVG] = time->avg + d->nested[node],
                          [ETR_NODE_P50] = time->per_run.p50,
                          [ETR_NODE_P90] = time->per_run.p90,
                          [ETR_NODE_MAX] = time->per_run.max};
  etr_field_ticks(&d->fields, "value", ticks[d->options->statistic]);
}

/* Writes a node's backend with the color that the backend has in this document, or "cpu" for a node
 * without a backend, which must be one that ran. */
static void put_backend(node_data *d, size_t node) {
  const etr_node_time *time = &d->graph->times[node];
  etr_field_text(&d->fields, "value", time->backend != NULL ? time->backend : "cpu");
  if (time->backend == NULL)
    return;
  etr_slice backend = etr_slice_of(time->backend);
  uint32_t number = etr_map_get(&d->backends, backend);
  if (number == ETR_NONE) {
    number = (uint32_t)d->backends.count;
    etr_map_set(&d->backends, backend, number);
  }
  etr_field_text(&d->fields, "bgColor", etr_delegate_color(number));
}

/* Returns true if a node is an operator with a value of the chosen statistic: an SNR, a known
 * backend, or a time of its own or, for typical and average times, of nested nodes. */
static bool has_value(const node_data *d, size_t node) {
  const etr_node_time *time = &d->graph->times[node];
  if (d->graph->nodes[node].kind != ETR_NODE_OP)
    return false;
  if (d->options->statistic == ETR_NODE_SNR)
    return d->accuracy != NULL && d->accuracy[node].gap != NULL;
  if (d->options->statistic == ETR_NODE_BACKEND)
    return time->backend != NULL || time->runs > 0;
  return time->runs > 0 || (d->options->statistic <= ETR_NODE_AVG && d->has_nested[node]);
}

/* Writes "results": the values of the nodes of one graph, the top level (ETR_NONE) or a nested one,
 * by their keys. */
static void put_results(node_data *d, uint32_t subgraph) {
  etr_map written; /* keys; a graph may have two nodes of one name, of which the first is written */
  etr_map_init(&written, &d->arena);
  etr_jw_key(&d->json, "results");
  etr_jw_object(&d->json);
  for (size_t node = 0; node < d->graph->node_count; node++) {
    if (d->graph->nodes[node].subgraph != subgraph || !has_value(d, node) ||
        !put_key(d, &written, node))
      continue;
    etr_jw_object(&d->json);
    if (d->options->statistic == ETR_NODE_BACKEND)
      put_backend(d, node);
    else if (d->options->statistic == ETR_NODE_SNR)
      etr_field_number(&d->fields, "value", etr_accuracy_capped_snr(d->accuracy[node].gap));
    else
      put_time(d, node);
    etr_jw_end(&d->json);
  }
  etr_jw_end(&d->json);
}

/* Writes the node data of one graph: its name, the colors for the range of its values, and the
 * values. */
static void put_graph(node_data *d, uint32_t subgraph) {
  enum { STEPS = 5 };
  static const char *const names[] = {
      [ETR_NODE_TYPICAL] = "typical", [ETR_NODE_AVG] = "avg", [ETR_NODE_P50] = "p50",
      [ETR_NODE_P90] = "p90",         [ETR_NODE_MAX] = "max", [ETR_NODE_BACKEND] = "backend",
      [ETR_NODE_SNR] = "SNR"};
  bool is_backend = d->options->statistic == ETR_NODE_BACKEND;
  bool is_snr = d->options->statistic == ETR_NODE_SNR;
  const char *unit = is_snr ? "dB" : etr_unit_name(d->options->unit);
  etr_jw_object(&d->json);
  etr_field_text(&d->fields, "name",
                 etr_arena_format(&d->arena, "%s/%s %s%s%s", d->graph->module, d->graph->method,
                                  names[d->options->statistic], is_backend ? "" : " ",
                                  is_backend ? "" : unit));
  if (!is_backend) { /* the colors of DOT files, which follow the square root of the time; the
                        lowest SNR is hot */
    etr_field_begin_list(&d->fields, "gradient");
    for (int i = 0; i <= STEPS; i++) {
      etr_jw_object(&d->json);
      etr_field_number(&d->fields, "stop", (double)(i * i) / (double)(STEPS * STEPS));
      etr_field_text(&d->fields, "bgColor",
                     etr_heat_color((double)(is_snr ? STEPS - i : i) / (double)STEPS).text);
      etr_jw_end(&d->json);
    }
    etr_jw_end(&d->json);
  }
  put_results(d, subgraph);
  etr_jw_end(&d->json);
}

/* Returns true if no node of a subgraph has a value of the chosen statistic. */
static bool has_no_values(const node_data *d, uint32_t subgraph) {
  for (size_t i = 0; i < d->graph->node_count; i++)
    if (d->graph->nodes[i].subgraph == subgraph && has_value(d, i))
      return false;
  return true;
}

/* Writes the graphs that the adapter for programs makes, by their ids: the method, and each
 * delegate that it opens (is_numbered). A delegate's id contains the name of the program's file; a
 * program inside an ETRecord has none, so only its method is written. */
static void put_program(node_data *d) {
  const char *path = d->profile->pte;
  const char *file = path != NULL ? etr_last_part(path) : "";
  bool has_file = path != NULL &&
                  (d->profile->etrecord == NULL || strcmp(path, d->profile->etrecord) != 0);
  etr_jw_object(&d->json);
  etr_jw_key(&d->json, d->graph->method);
  put_graph(d, ETR_NONE);
  for (uint32_t index = 0; has_file && index < d->graph->subgraph_count; index++) {
    const etr_subgraph *subgraph = &d->graph->subgraphs[index];
    if (!subgraph->is_numbered || has_no_values(d, index))
      continue;
    const char *call = instruction_id(d, subgraph->owner);
    const char *id = call != NULL ? etr_arena_format(&d->arena, "%s::%s", file, call) : NULL;
    if (id == NULL)
      return;
    etr_jw_key(&d->json, id);
    put_graph(d, index);
  }
  etr_jw_end(&d->json);
}

/* ---- The emitter ---- */

/* Returns the adapter that shows a graph: the chosen one or, for ETR_ADAPTER_AUTO, the usual one
 * for the kind of graph. */
static etr_node_adapter choose_adapter(const etr_graph *graph, etr_node_adapter chosen) {
  if (chosen != ETR_ADAPTER_AUTO)
    return chosen;
  if (etr_is_program(graph))
    return ETR_ADAPTER_PTE;
  return strcmp(graph->module, "aten") == 0 ? ETR_ADAPTER_PT2 : ETR_ADAPTER_ETRECORD;
}

/* Returns ETR_ERROR_CHOICE for a graph that the adapter does not show, or none of whose nodes has a
 * value of the chosen statistic (for an SNR, if nothing of the profile was compared), else ETR_OK.
 */
static etr_status check_graph(const etr_profile *profile, const etr_graph *graph,
                              const etr_node_data_options *options, etr_error *error) {
  if (etr_is_program(graph) != (choose_adapter(graph, options->adapter) == ETR_ADAPTER_PTE))
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "this adapter does not show %s/%s: %s", graph->module, graph->method,
                    etr_is_program(graph) ? "use --adapter pte"
                                          : "it shows entry points of program only");
  if (options->statistic == ETR_NODE_SNR)
    return profile->accuracy != NULL && profile->accuracy->ranked_count > 0
               ? ETR_OK
               : etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                          "no value of %s/%s was compared with a reference: give one with "
                          "--reference FILE, for a "
                          "record with a debug buffer",
                          graph->module, graph->method);
  for (size_t i = 0; graph->times != NULL && i < graph->node_count; i++)
    if (graph->times[i].runs > 0 ||
        (options->statistic == ETR_NODE_BACKEND && graph->times[i].backend != NULL))
      return ETR_OK;
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET, "no node of %s/%s %s",
                  graph->module, graph->method,
                  options->statistic == ETR_NODE_BACKEND ? "is known to run in a backend"
                                                         : "was timed");
}

/* Numbers the operators of each subgraph from 0, as the adapter for programs does. When out of
 * memory, the arena has failed. */
static void number_operators_by_subgraph(node_data *d) {
  uint32_t *counts = etr_arena_alloc_array(&d->arena, d->graph->subgraph_count, sizeof *counts);
  d->number = etr_arena_alloc_array(&d->arena, d->graph->node_count, sizeof *d->number);
  for (size_t i = 0; counts != NULL && d->number != NULL && i < d->graph->node_count; i++) {
    const etr_node *node = &d->graph->nodes[i];
    if (node->subgraph != ETR_NONE && node->kind == ETR_NODE_OP)
      d->number[i] = counts[node->subgraph]++;
  }
}

/* Sums, per node, the average and typical times in ticks of all nodes inside its subgraphs at any
 * depth. When out of memory, the arena has failed. */
static void sum_nested_times(node_data *d) {
  d->nested = etr_arena_alloc_array(&d->arena, d->graph->node_count, sizeof *d->nested);
  d->nested_typical = etr_arena_alloc_array(&d->arena, d->graph->node_count,
                                            sizeof *d->nested_typical);
  d->has_nested = etr_arena_alloc_array(&d->arena, d->graph->node_count, sizeof *d->has_nested);
  if (d->nested == NULL || d->nested_typical == NULL || d->has_nested == NULL)
    return;
  const etr_graph *graph = d->graph;
  /* From the end, because a node comes before the nodes of its subgraphs. */
  for (size_t i = graph->node_count; i-- > 0;) {
    uint32_t subgraph = graph->nodes[i].subgraph;
    uint32_t owner = subgraph != ETR_NONE ? graph->subgraphs[subgraph].owner : ETR_NONE;
    if (owner >= i) /* it is at the top level */
      continue;
    const etr_node_time *time = &graph->times[i];
    d->nested[owner] += d->nested[i] + time->avg;
    d->nested_typical[owner] += d->nested_typical[i] + time->typical;
    d->has_nested[owner] |= d->has_nested[i] || time->runs > 0;
  }
}

etr_status etr_emit_node_data(const etr_profile *profile, size_t graph,
                              const etr_node_data_options *options, const etr_sink *sink,
                              etr_error *error) {
  static const etr_node_data_options defaults = {0};
  node_data d = {.profile = profile,
                 .graph = &profile->graphs[graph],
                 .options = options != NULL ? options : &defaults};
  ETR_TRY(check_graph(profile, d.graph, d.options, error));
  d.adapter = choose_adapter(d.graph, d.options->adapter);
  etr_arena_init(&d.arena);
  etr_map_init(&d.backends, &d.arena);
  number_operators_by_subgraph(&d);
  sum_nested_times(&d);
  if (d.options->statistic == ETR_NODE_SNR)
    d.accuracy = etr_accuracy_of_nodes(&d.arena, profile, d.graph);
  etr_writer_init(&d.writer, sink);
  etr_jw_init(&d.json, &d.writer, ETR_JW_DOCUMENT);
  d.fields = (etr_fields){profile, d.options->unit, &d.json};
  if (!etr_arena_failed(&d.arena) && d.adapter == ETR_ADAPTER_PTE)
    put_program(&d);
  if (!etr_arena_failed(&d.arena) && d.adapter != ETR_ADAPTER_PTE)
    put_graph(&d, ETR_NONE);
  if (etr_arena_failed(&d.arena))
    d.writer.status = ETR_ERROR_MEMORY;
  etr_arena_clear(&d.arena);
  return etr_writer_finish(&d.writer, error);
}
