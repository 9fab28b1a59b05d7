/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backends.c - one row for each backend, and the questions that are asked of all of them.
 */
#include "backends/backends.h"

#include "backends/decoder.h"
#include "backends/operator.h"
#include "backends/xnnpack.h"

/* ---- Decoders: one row for each backend whose events need reading ---- */

static const etr_decoder *const decoders[] = {&etr_coreml, &etr_ethosu, &etr_neutron,
                                              &etr_qnn,    &etr_vgf,    &etr_vulkan};

const etr_decoder *etr_decoder_of(const char *id) {
  for (size_t i = 0; id && i < ETR_COUNT(decoders); i++)
    if (strcmp(decoders[i]->id, id) == 0)
      return decoders[i];
  return NULL;
}

const etr_decoder *etr_decoder_of_event(const char *name) {
  for (size_t i = 0; i < ETR_COUNT(decoders); i++)
    if (decoders[i]->is_own && decoders[i]->is_own(name))
      return decoders[i];
  return NULL;
}

const etr_decoder *etr_decoder_of_call(const etr_event_facts *events, size_t count) {
  for (size_t i = 0; i < ETR_COUNT(decoders); i++)
    if (decoders[i]->is_own_call && decoders[i]->is_own_call(events, count))
      return decoders[i];
  return NULL;
}

static const etr_backend *const backends[] = {&etr_xnnpack};

const etr_backend *etr_backend_of(const char *id) {
  for (size_t i = 0; id && i < ETR_COUNT(backends); i++)
    if (strcmp(backends[i]->id, id) == 0)
      return backends[i];
  return NULL;
}

const etr_backend *etr_backend_of_event(const char *delegate_id) {
  for (size_t i = 0; i < ETR_COUNT(backends); i++)
    if (backends[i]->class_of_event(delegate_id))
      return backends[i];
  return NULL;
}

/* Returns the step of the clock that times a backend's operators, in ticks; 0 if it is the clock of
 * the dump, or if backend is NULL. */
static double clock_step(const etr_backend *backend, double ticks_per_second) {
  return backend ? backend->clock_step_ns * ticks_per_second / 1e9 : 0;
}

uint64_t etr_backend_clock_hides(const etr_backend *backend, uint64_t operators,
                                 double ticks_per_second) {
  double ticks = (double)operators * clock_step(backend, ticks_per_second) / 2;
  return ticks < (double)UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

const char *etr_backend_label(const char *backend) {
  /* Backends whose events need no reading. */
  static const struct {
    const char *id, *label;
  } without_decoder[] = {
      {"OpenvinoBackend", "OpenVINO"}, {"CudaBackend", "CUDA"}, {"EnnBackend", "ENN"}};
  const etr_backend *known_backend = etr_backend_of(backend);
  const etr_decoder *decoder = etr_decoder_of(backend);
  if (known_backend)
    return known_backend->label;
  if (decoder)
    return decoder->label;
  for (size_t i = 0; i < ETR_COUNT(without_decoder); i++)
    if (strcmp(without_decoder[i].id, backend) == 0)
      return without_decoder[i].label;
  return NULL;
}

uint64_t etr_backend_payload_needed(etr_slice head, uint64_t size) {
  uint64_t needed = 0;
  for (size_t i = 0; i < ETR_COUNT(backends) && needed == 0; i++)
    needed = backends[i]->payload_needed(head, size);
  for (size_t i = 0; i < ETR_COUNT(decoders) && needed == 0; i++)
    if (decoders[i]->payload_needed)
      needed = decoders[i]->payload_needed(head, size);
  return needed;
}

etr_own_graph_reader etr_own_graph_reader_of(const char *id) {
  const etr_backend *backend = etr_backend_of(id);
  const etr_decoder *decoder = etr_decoder_of(id);
  if (backend)
    return backend->read_graph;
  return decoder ? decoder->read_graph : NULL;
}

double etr_clock_step(const etr_profile *profile, const char *backend, const char *delegate_id) {
  const etr_backend *timed_by = backend || !delegate_id ? etr_backend_of(backend)
                                                        : etr_backend_of_event(delegate_id);
  return clock_step(timed_by, profile->ticks_per_second);
}

/* Returns true if the times of an event are cycles: it is of a backend for microcontrollers, or a
 * kernel of their library Cortex-M. */
static bool is_in_cycles(const etr_event *event) {
  const etr_decoder *decoder = etr_decoder_of(event->backend);
  return (decoder && decoder->counts_cycles) ||
         etr_slice_starts(etr_slice_of(event->name), ETR_SLICE("native_call_cortex_m::"));
}

bool etr_events_count_cycles(const etr_block *blocks, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < blocks[i].event_count; k++)
      if (is_in_cycles(&blocks[i].events[k]))
        return true;
  return false;
}

/* ---- What partitioners take ---- */

const char *etr_known_partitioner(void) {
  for (size_t i = 0; i < ETR_COUNT(backends); i++)
    if (backends[i]->refuses)
      return backends[i]->id;
  return NULL;
}

/* Returns whether ExecuTorch 1.2 or an older version wrote the graph: torch.export numbers the
 * format that it writes from 5.0 to 5.3. Their partitioners took other operators. */
static bool is_older_than_rules(const etr_graph *graph) {
  const char *version = graph->schema_version ? graph->schema_version : "";
  return strncmp(version, "5.", 2) == 0 && version[2] >= '0' && version[2] <= '3' && !version[3];
}

bool etr_partitioner_is_known(const char *backend_id, const etr_graph *graph) {
  const etr_backend *backend = etr_backend_of(backend_id);
  return backend && backend->refuses && strcmp(graph->dialect, "edge") == 0 &&
         !is_older_than_rules(graph);
}

bool etr_partitioner_takes_kernel(const char *backend_id, const char *kernel) {
  const etr_backend *backend = etr_backend_of(backend_id);
  return backend && backend->has_rule && backend->has_rule(etr_operator_of_kernel(kernel), kernel);
}

bool etr_kernel_only_copies(const char *kernel) {
  return etr_operator_only_copies_named(etr_operator_of_kernel(kernel));
}

bool etr_partition_refusals(const char **reasons, const char *backend_id, const etr_graph *graph,
                            const bool *wanted) {
  const etr_backend *backend = etr_backend_of(backend_id);
  etr_arena scratch = {0};
  if (!etr_partitioner_is_known(backend_id, graph))
    return true;
  uint32_t *uses = etr_arena_alloc_array(&scratch, graph->node_count, sizeof *uses);
  for (size_t i = 0; uses && i < graph->node_count; i++)
    for (size_t k = 0; k < graph->nodes[i].input_count; k++)
      uses[graph->nodes[i].inputs[k].node]++;
  for (size_t i = 0; uses && i < graph->node_count; i++) {
    bool is_asked_for = graph->nodes[i].kind == ETR_NODE_OP && (!wanted || wanted[i]);
    reasons[i] = is_asked_for ? backend->refuses(graph, uses, &graph->nodes[i]) : NULL;
  }
  etr_arena_clear(&scratch);
  return uses != NULL;
}
