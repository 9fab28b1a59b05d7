/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend.c - the backends there are, and shapes that they have in common with the graph.
 */
#include "backend.h"

#include "xnnpack.h"

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

uint64_t etr_backend_clock_hides(const etr_backend *backend, uint64_t operators, double ticks_per_second) {
  double ticks = backend ? (double)operators * backend->clock_step_ns / 2 * ticks_per_second / 1e9 : 0;
  return ticks < (double)UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

uint64_t etr_backend_payload_needed(etr_slice head, uint64_t size) {
  uint64_t needed = 0;
  for (size_t i = 0; i < ETR_COUNT(backends) && needed == 0; i++) needed = backends[i]->payload_needed(head, size);
  return needed;
}

/* Spreads a number's bits (the finaliser of splitmix64), so that sums of them tell sets apart. */
static uint64_t spread(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t etr_shape_mark(const int64_t *sizes, size_t count) {
  uint64_t mark = 1;
  for (size_t i = 0; i < count; i++)
    if (sizes[i] != 1) mark += spread((uint64_t)sizes[i]);
  return mark ? mark : 1;
}

enum { MOST_DIMS = 64 }; /* that PyTorch has */

uint64_t etr_value_shape_mark(const etr_value *value) {
  uint64_t mark = 1;
  if (value->rank < 0 || value->rank > MOST_DIMS) return 0;
  for (int32_t i = 0; i < value->rank; i++) {
    if (value->dims[i].size == ETR_DIM_SYMBOLIC) return 0;
    if (value->dims[i].size != 1) mark += spread((uint64_t)value->dims[i].size);
  }
  return mark ? mark : 1;
}
