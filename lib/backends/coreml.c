/* SPDX-License-Identifier: BSD-3-Clause
 *
 * coreml.c - operations by the delegate map, their times estimated.
 */
#include "backends/coreml.h"

#include "formats/json.h"

/* False: it is no JSON object, or its estimated cost, by which the times are shared out, is no share. */
static bool is_promised(etr_bytes metadata, etr_arena *scratch) {
  etr_slice key;
  double cost = 0;
  if (metadata.size == 0) return true;
  etr_json *json = etr_json_open_memory((etr_slice){metadata.data, metadata.size}, NULL);
  if (!json) {
    etr_arena_fail(scratch);
    return false;
  }
  etr_json_object(json);
  while (etr_json_key(json, &key))
    if (etr_slice_is(key, "estimatedCost"))
      cost = etr_json_number(json);
    else
      etr_json_skip(json);
  etr_json_end(json);
  bool good = !etr_json_failed(json) && cost >= 0 && cost <= 1;
  if (etr_json_out_of_memory(json)) etr_arena_fail(scratch);
  etr_json_close(json);
  return good;
}

/* OUTPUT:OPERATOR. */
static bool is_operation(const etr_event_facts *event) { return !event->is_number && strchr(event->name, ':'); }

/* An operation that the map lacks was made by Core ML's own compiler. */
static bool read(etr_event_meaning *out, const etr_event_facts *events, size_t count, etr_arena *scratch) {
  for (size_t i = 0; i < count; i++) {
    out[i].is_odd = !is_operation(&events[i]) || !is_promised(events[i].metadata, scratch);
    out[i].key = events[i].is_listed && !out[i].is_odd ? ETR_KEY_MAP : ETR_KEY_NONE;
    out[i].is_estimated = true;
    out[i].has_no_place = true; /* laid end to end in topological order */
  }
  return !etr_arena_failed(scratch);
}

const etr_decoder etr_coreml = {.id = "CoreMLBackend", .read = read};
