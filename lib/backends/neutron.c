/* SPDX-License-Identifier: BSD-3-Clause
 *
 * neutron.c - kernels by their numbers, and the dump of them.
 */
#include "backends/neutron.h"

/* A kernel's number; -1 if it has none. */
static int64_t number_of(const etr_event_facts *event) {
  int64_t number;
  return etr_slice_to_int(etr_slice_of(event->name), &number) && number >= 0 ? number : -1;
}

/* The dump has no handles and function code 0, and comes last. */
static bool is_dump(const etr_event_facts *event, int64_t highest) {
  bool is_coded = event->metadata.size == 1 && event->metadata.data[0] == 0;
  return event->is_number && is_coded && event->handle_count == 0 && number_of(event) == highest;
}

static bool read(etr_event_meaning *out, const etr_event_facts *events, size_t count, etr_arena *scratch) {
  int64_t highest = -1;
  (void)scratch;
  for (size_t i = 0; i < count; i++)
    if (events[i].is_number) highest = ETR_MAX(highest, number_of(&events[i]));
  for (size_t i = 0; i < count; i++) {
    out[i].has_no_place = true; /* the device's clock */
    out[i].is_odd = !events[i].is_number;
    out[i].key = out[i].is_odd || !events[i].is_listed ? ETR_KEY_NONE : ETR_KEY_MAP;
    if (!is_dump(&events[i], highest)) continue;
    out[i].role = ETR_ROLE_CONTAINER;
    out[i].is_in_sums = false;
    out[i].key = ETR_KEY_NONE;
  }
  return true;
}

const etr_decoder etr_neutron = {.id = "NeutronBackend", .read = read};
