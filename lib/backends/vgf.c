/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vgf.c - events by their names.
 */
#include "backends/decoder.h"

static const etr_known_event known[] = {
    {"VGF_EXECUTE", .role = ETR_ROLE_CONTAINER},
    {"VGF_COPY_INPUTS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COPY_IN},
    {"VGF_DISPATCH_AND_WAIT", .role = ETR_ROLE_CONTAINER},
    {"VGF_QUEUE_SUBMIT_AND_WAIT_FENCE", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COMPUTE},
    {"VGF_TIMESTAMP_QUERY_READBACK", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_OTHER},
    {"VGF_NEURAL_STATISTICS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_OTHER},
    {"VGF_COPY_OUTPUTS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COPY_OUT},
};

/* It is not known what encloses an event with another name, so its time is not part of any sum. */
static bool read(etr_event_meaning *out, const etr_event_facts *events, size_t count, etr_arena *scratch) {
  static const etr_known_event unknown = {.role = ETR_ROLE_CONTAINER};
  (void)scratch;
  for (size_t i = 0; i < count; i++) {
    const etr_known_event *event = etr_known_event_find(known, ETR_COUNT(known), events[i].name);
    out[i].is_odd = !event;
    etr_known_event_tell(&out[i], event ? event : &unknown);
  }
  return true;
}

static bool is_own(const char *name) { return etr_known_event_find(known, ETR_COUNT(known), name) != NULL; }

const etr_decoder etr_vgf = {.id = "VgfBackend", .is_own = is_own, .read = read};
