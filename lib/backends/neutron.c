/* SPDX-License-Identifier: BSD-3-Clause
 *
 * neutron.c - kernels by their numbers, and the dump of them.
 */
#include "backends/decoder.h"

/* Returns the number of a kernel; -1 if it has none. */
static int64_t number_of(const etr_event_facts *event) {
  int64_t number;
  return etr_slice_to_int(etr_slice_of(event->name), &number) && number >= 0 ? number : -1;
}

/* Returns true for the dump, which has no handles and function code 0, and comes last. */
static bool is_dump(const etr_event_facts *event, int64_t highest) {
  const etr_bytes *code = event->metadata_count ? event->metadata : NULL;
  bool is_coded = code && code->size == 1 && code->data[0] == 0;
  return event->is_number && is_coded && event->handle_count == 0 && number_of(event) == highest;
}

/* Returns true if the metadata is not one byte, the function code. */
static bool has_long_code(const etr_event_facts *event) {
  for (size_t i = 0; i < event->metadata_count; i++)
    if (event->metadata[i].size > 1)
      return true;
  return false;
}

/* Returns true for an id that is not in the map. The map has all ids or, without a log of the
 * converter, none. */
static bool is_odd(const etr_event_facts *event, bool any_listed) {
  return !event->is_number || number_of(event) < 0 || has_long_code(event) ||
         (any_listed && !event->is_listed);
}

/* Returns the function code of a kernel: the metadata, one byte. -1 if it is anything else. */
static int code_of(const etr_event_facts *event) {
  if (!event->is_number || event->metadata_count == 0 || event->metadata[0].size != 1)
    return -1;
  return (unsigned char)event->metadata[0].data[0];
}

/* Returns whether the events of a call are Neutron's: no other backend numbers its events from 0
 * with a byte of metadata each. Kernels have function codes, and the dump behind them has 0. */
static bool is_own_call(const etr_event_facts *events, size_t count) {
  int64_t highest = -1, dump_number = -1;
  for (size_t i = 0; i < count; i++) {
    int code = code_of(&events[i]);
    if (code < 0 || (code == 0 && dump_number >= 0))
      return false;
    highest = ETR_MAX(highest, number_of(&events[i]));
    if (code == 0)
      dump_number = number_of(&events[i]);
  }
  return count > 1 && dump_number == highest && (size_t)highest + 1 == count;
}

static void read_dump(etr_event_meaning *out) {
  out->role = ETR_ROLE_CONTAINER;
  out->is_in_sums = out->is_odd = false;
  out->key = ETR_KEY_NONE;
  out->label = "profiling dump";
}

/* Interprets the events of a call: kernels by their number in the map, and the dump of the
 * profile, which has the highest number. Returns false when out of memory. */
static bool read_events(etr_event_meaning *out, const etr_event_facts *events, size_t count,
                        etr_arena *scratch) {
  int64_t highest = -1;
  bool map_lists_any = false;
  for (size_t i = 0; i < count; i++) {
    if (events[i].is_number)
      highest = ETR_MAX(highest, number_of(&events[i]));
    map_lists_any |= events[i].is_listed;
  }
  for (size_t i = 0; i < count; i++) {
    out[i].has_no_place = true; /* the device's clock */
    out[i].is_odd = is_odd(&events[i], map_lists_any);
    out[i].key = out[i].is_odd || !events[i].is_listed ? ETR_KEY_NONE : ETR_KEY_MAP;
    if (is_dump(&events[i], highest))
      read_dump(&out[i]);
    else if (!out[i].is_odd) {
      /* The number alone would mean nothing to people. */
      out[i].compute_unit = ETR_COMPUTE_UNIT_NPU;
      out[i].label = etr_arena_format(scratch, "kernel %s", events[i].name);
    }
  }
  return !etr_arena_failed(scratch);
}

const etr_decoder etr_neutron = {.id = "NeutronBackend",
                                 .label = "Neutron",
                                 .counts_cycles = true,
                                 .is_own_call = is_own_call,
                                 .read = read_events};
