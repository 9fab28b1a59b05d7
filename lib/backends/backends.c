/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backends.c - one row for each backend.
 */
#include "backends/backends.h"

#include "backends/decoder.h"
#include "backends/xnnpack.h"

static const etr_backend *const backends[] = {&etr_xnnpack};

const etr_backend *etr_backend_of(const char *id) {
  for (size_t i = 0; id && i < ETR_COUNT(backends); i++)
    if (strcmp(backends[i]->id, id) == 0) return backends[i];
  return NULL;
}

const etr_backend *etr_backend_of_event(const char *delegate_id) {
  for (size_t i = 0; i < ETR_COUNT(backends); i++)
    if (backends[i]->class_of_event(delegate_id)) return backends[i];
  return NULL;
}

double etr_backend_clock_step(const etr_backend *backend, double ticks_per_second) {
  return backend ? backend->clock_step_ns * ticks_per_second / 1e9 : 0;
}

uint64_t etr_backend_clock_hides(const etr_backend *backend, uint64_t operators, double ticks_per_second) {
  double ticks = (double)operators * etr_backend_clock_step(backend, ticks_per_second) / 2;
  return ticks < (double)UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

uint64_t etr_backend_payload_needed(etr_slice head, uint64_t size) {
  uint64_t needed = 0;
  for (size_t i = 0; i < ETR_COUNT(backends) && needed == 0; i++) needed = backends[i]->payload_needed(head, size);
  return needed ? needed : etr_decoder_payload_needed(head, size);
}

etr_own_graph_reader etr_own_graph_reader_of(const char *id) {
  const etr_backend *backend = etr_backend_of(id);
  const etr_decoder *decoder = etr_decoder_of(id);
  if (backend) return backend->read_graph;
  return decoder ? decoder->read_graph : NULL;
}

double etr_clock_step(const etr_profile *profile, const char *backend, const char *delegate_id) {
  const etr_backend *timed_by = backend || !delegate_id ? etr_backend_of(backend) : etr_backend_of_event(delegate_id);
  return etr_backend_clock_step(timed_by, profile->ticks_per_second);
}
