/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ethosu.c - events by their names.
 */
#include "backends/decoder.h"

static const etr_known_event known_events[] = {
    {"EthosUBackend::execute()", .role = ETR_ROLE_CONTAINER},
    {"+EthosUBackend::execute()handles.input.memcpy()", .role = ETR_ROLE_PHASE,
     .phase = ETR_PHASE_COPY_IN},
    {"+EthosUBackend::execute()NPU", ETR_ROLE_PHASE, ETR_PHASE_COMPUTE, ETR_COMPUTE_UNIT_NPU},
};

/* Gives an event its meaning by its name. Names of parts of execute() begin with '+': an unknown
 * part is the phase "other". What another unknown event encloses is not known, so that its time is
 * in no sum. */
static void interpret_event(etr_event_meaning *out, const etr_event_facts *event) {
  static const etr_known_event part = {.role = ETR_ROLE_PHASE, .phase = ETR_PHASE_OTHER};
  static const etr_known_event unknown = {.role = ETR_ROLE_CONTAINER};
  const etr_known_event *known_event = etr_known_event_find(known_events, ETR_COUNT(known_events),
                                                            event->name);
  bool is_part = event->name[0] == '+';
  out->is_unexpected = !known_event;
  if (known_event)
    etr_known_event_fill(out, known_event);
  else
    etr_known_event_fill(out, is_part ? &part : &unknown);
}

/* Gives each event of a call its meaning. Never fails. */
static bool interpret_events(etr_event_meaning *out, const etr_event_facts *events, size_t count,
                             etr_arena *scratch) {
  (void)scratch;
  for (size_t i = 0; i < count; i++)
    interpret_event(&out[i], &events[i]);
  return true;
}

static bool is_own(const char *name) {
  return etr_known_event_find(known_events, ETR_COUNT(known_events), name) != NULL;
}

const etr_decoder etr_ethosu = {
    .id = "EthosUBackend",
    .label = "Ethos-U",
    .mark = "EthosUBackend::",
    .counts_cycles = true,
    .is_own = is_own,
    .read = interpret_events,
};
