/* SPDX-License-Identifier: BSD-3-Clause
 *
 * neutron.c - kernels by their numbers, and the dump of them.
 */
#include "backends/decoder.h"

/* Returns the number that is the id of a kernel's event; -1 if the id is no number. */
static int64_t kernel_number_of(const etr_event_facts *event) {
  int64_t number;
  return etr_slice_to_int(etr_slice_of(event->name), &number) && number >= 0 ? number : -1;
}

/* Returns true for the event of writing the profile itself, which comes after the kernels: its
 * number is the highest of the call, its function code 0, and it has no debug handles. */
static bool is_profiling_dump(const etr_event_facts *event, int64_t highest) {
  const etr_bytes *code = event->metadata_count ? event->metadata : NULL;
  bool has_code_0 = code && code->size == 1 && code->data[0] == 0;
  return event->is_number && has_code_0 && event->handle_count == 0 &&
         kernel_number_of(event) == highest;
}

/* Returns true if metadata of an event have more than the one byte of a function code. */
static bool has_long_code(const etr_event_facts *event) {
  for (size_t i = 0; i < event->metadata_count; i++)
    if (event->metadata[i].size > 1)
      return true;
  return false;
}

/* Returns true for an event that Neutron does not write: it has no number, metadata that are no
 * function code, or an id that the delegate map lacks. The map has all ids or, without a log of the
 * converter, none (map_lists_any is false then). */
static bool is_unexpected_event(const etr_event_facts *event, bool map_lists_any) {
  return !event->is_number || kernel_number_of(event) < 0 || has_long_code(event) ||
         (map_lists_any && !event->is_listed);
}

/* Returns the function code of a kernel, the one byte of its metadata; -1 if it has no number or
 * other metadata. */
static int function_code_of(const etr_event_facts *event) {
  if (!event->is_number || event->metadata_count == 0 || event->metadata[0].size != 1)
    return -1;
  return (unsigned char)event->metadata[0].data[0];
}

/* Returns whether the events of a call are Neutron's: no other backend numbers its events from 0
 * with one byte of metadata each. The byte of a kernel is its function code, which is not 0. Only
 * the event with the highest number, that of writing the profile (the dump), has 0. */
static bool is_own_call(const etr_event_facts *events, size_t count) {
  int64_t highest = -1, dump_number = -1;
  for (size_t i = 0; i < count; i++) {
    int code = function_code_of(&events[i]);
    if (code < 0 || (code == 0 && dump_number >= 0))
      return false;
    highest = ETR_MAX(highest, kernel_number_of(&events[i]));
    if (code == 0)
      dump_number = kernel_number_of(&events[i]);
  }
  return count > 1 && dump_number == highest && (size_t)highest + 1 == count;
}

/* Gives the event of writing the profile its meaning: its time is in no sum, and it has no node. */
static void set_profiling_dump(etr_event_meaning *out) {
  out->role = ETR_ROLE_CONTAINER;
  out->is_in_sums = out->is_unexpected = false;
  out->key = ETR_KEY_NONE;
  out->label = "profiling dump";
}

/* Gives the events of a call their meaning: kernels, which the delegate map finds by their numbers,
 * and the event of writing the profile, which has the highest number. Returns false when out of
 * memory. */
static bool interpret_events(etr_event_meaning *out, const etr_event_facts *events, size_t count,
                             etr_arena *scratch) {
  int64_t highest = -1;
  bool map_lists_any = false;
  for (size_t i = 0; i < count; i++) {
    if (events[i].is_number)
      highest = ETR_MAX(highest, kernel_number_of(&events[i]));
    map_lists_any |= events[i].is_listed;
  }
  for (size_t i = 0; i < count; i++) {
    out[i].has_no_place = true; /* starts are of the device's clock, not of the dump's */
    out[i].is_unexpected = is_unexpected_event(&events[i], map_lists_any);
    out[i].key = out[i].is_unexpected || !events[i].is_listed ? ETR_KEY_NONE : ETR_KEY_MAP;
    if (is_profiling_dump(&events[i], highest))
      set_profiling_dump(&out[i]);
    else if (!out[i].is_unexpected) {
      /* The number alone would mean nothing to people. */
      out[i].compute_unit = ETR_COMPUTE_UNIT_NPU;
      out[i].label = etr_arena_format(scratch, "kernel %s", events[i].name);
    }
  }
  return !etr_arena_failed(scratch);
}

const etr_decoder etr_neutron = {
    .id = "NeutronBackend",
    .label = "Neutron",
    .counts_cycles = true,
    .is_own_call = is_own_call,
    .read = interpret_events,
};
