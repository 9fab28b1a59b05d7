/* SPDX-License-Identifier: BSD-3-Clause
 *
 * payloads.c - payloads by the place of their bytes.
 */
#include "backends/payloads.h"

void etr_payloads_init(etr_payloads *payloads, etr_arena *arena) {
  *payloads = (etr_payloads){.arena = arena};
  etr_map_init(&payloads->by_place, arena);
  etr_map_init(&payloads->shown, arena);
}

static const etr_payload *read(etr_arena *arena, const etr_backend *backend, etr_slice bytes) {
  etr_payload *payload = etr_arena_alloc(arena, sizeof *payload);
  if (!payload || !backend->read_payload(payload, arena, bytes)) return NULL;
  for (size_t i = 0; i < payload->count; i++) payload->class_counts[payload->operators[i].class_]++;
  return payload;
}

const etr_payload *etr_payloads_read(etr_payloads *payloads, const etr_backend *backend, etr_slice bytes) {
  const struct {
    etr_slice bytes;
    const etr_backend *backend;
  } key = {bytes, backend};
  ETR_NO_PADDING(key, sizeof bytes + sizeof backend);
  if (bytes.size == 0) return NULL;
  etr_map_slot *slot = etr_map_at(&payloads->by_place, (etr_slice){(const char *)&key, sizeof key});
  if (!slot || slot->value != ETR_NONE) return slot ? payloads->list.data[slot->value] : NULL;
  const etr_payload **added = etr_vec_push(payloads->arena, &payloads->list);
  if (!added) return NULL;
  slot->value = (uint32_t)(payloads->list.count - 1);
  return *added = read(payloads->arena, backend, bytes);
}

/* Layers that are alike share the payloads of what has no weights: a few operators each. */
enum { MOST_REPEATED = 1 << 14 };

bool etr_payloads_show(etr_payloads *payloads, const etr_payload *payload) {
  etr_map_slot *slot = etr_map_at(&payloads->shown, (etr_slice){(const char *)&payload, sizeof payload});
  if (!slot) return false;
  bool is_new = slot->value == ETR_NONE, fits = is_new || payload->count <= MOST_REPEATED - payloads->repeated;
  slot->value = 1;
  if (!is_new && fits) payloads->repeated += payload->count;
  if (!fits) payloads->hidden++;
  return fits;
}
