/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoders.c - one row for each backend whose events need reading.
 */
#include "backends/decoder.h"
#include "backends/vulkan.h"

static const etr_decoder *const decoders[] = {&etr_coreml, &etr_ethosu, &etr_neutron, &etr_qnn, &etr_vgf, &etr_vulkan};

const etr_decoder *etr_decoder_of(const char *id) {
  for (size_t i = 0; id && i < ETR_COUNT(decoders); i++)
    if (strcmp(decoders[i]->id, id) == 0) return decoders[i];
  return NULL;
}

uint64_t etr_decoder_payload_needed(etr_slice head, uint64_t size) {
  uint64_t needed = 0;
  for (size_t i = 0; i < ETR_COUNT(decoders) && needed == 0; i++)
    if (decoders[i]->payload_needed) needed = decoders[i]->payload_needed(head, size);
  return needed;
}

const etr_decoder *etr_decoder_of_event(const char *name) {
  for (size_t i = 0; i < ETR_COUNT(decoders); i++)
    if (decoders[i]->is_own && decoders[i]->is_own(name)) return decoders[i];
  return NULL;
}

const etr_known_event *etr_known_event_find(const etr_known_event *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return &list[i];
  return NULL;
}

void etr_known_event_tell(etr_event_meaning *out, const etr_known_event *event) {
  out->role = event->role;
  out->phase = event->phase;
  out->compute_unit = event->compute_unit;
  out->is_in_sums = event->role == ETR_ROLE_PHASE;
}
