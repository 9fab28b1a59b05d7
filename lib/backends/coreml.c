/* SPDX-License-Identifier: BSD-3-Clause
 *
 * coreml.c - operations by the delegate map, their times estimated, their compute units planned.
 */
#include "backends/coreml.h"

#include "formats/json.h"

/* ---- Compute units ---- */

static etr_compute_unit unit_of(etr_slice name) {
  static const struct {
    const char *name;
    etr_compute_unit unit;
  } units[] = {{"NE", ETR_COMPUTE_UNIT_NPU}, {"GPU", ETR_COMPUTE_UNIT_GPU}, {"CPU", ETR_COMPUTE_UNIT_CPU}};
  for (size_t i = 0; i < ETR_COUNT(units); i++)
    if (etr_slice_equal(name, etr_slice_of(units[i].name))) return units[i].unit;
  return ETR_COMPUTE_UNIT_NONE;
}

/* What the compute plan prefers; none where the metadata do not say. */
static etr_compute_unit preferred_unit(etr_bytes metadata, etr_arena *scratch) {
  etr_compute_unit unit = ETR_COMPUTE_UNIT_NONE;
  etr_slice key;
  etr_json *json = etr_json_open_memory((etr_slice){metadata.data, metadata.size}, NULL);
  if (!json) {
    etr_arena_fail(scratch);
    return unit;
  }
  etr_json_object(json);
  while (etr_json_key(json, &key))
    if (etr_slice_is(key, "preferredComputeUnit"))
      unit = unit_of(etr_json_string(json));
    else
      etr_json_skip(json);
  etr_json_end(json);
  if (etr_json_out_of_memory(json)) etr_arena_fail(scratch);
  if (etr_json_failed(json)) unit = ETR_COMPUTE_UNIT_NONE;
  etr_json_close(json);
  return unit;
}

static bool is_same(etr_bytes a, etr_bytes b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

/* None where runs differ: another load may have had another plan. */
static etr_compute_unit unit_of_event(const etr_event_facts *event, etr_arena *scratch) {
  etr_compute_unit unit = ETR_COMPUTE_UNIT_NONE;
  for (size_t i = 0; i < event->metadata_count; i++) {
    if (event->metadata[i].size == 0) return ETR_COMPUTE_UNIT_NONE;
    if (i > 0 && is_same(event->metadata[i], event->metadata[i - 1])) continue;
    etr_compute_unit here = preferred_unit(event->metadata[i], scratch);
    if (i > 0 && here != unit) return ETR_COMPUTE_UNIT_NONE;
    unit = here;
  }
  return unit;
}

/* ---- All ---- */

/* An operation that the map lacks was made by Core ML's own compiler. */
static bool read(etr_event_meaning *out, const etr_event_facts *events, size_t count, etr_arena *scratch) {
  for (size_t i = 0; i < count; i++) {
    out[i].key = events[i].is_listed && !events[i].is_number ? ETR_KEY_MAP : ETR_KEY_NONE;
    out[i].is_estimated = true;
    out[i].has_no_place = true; /* laid end to end in topological order */
    out[i].is_odd = events[i].is_number;
    out[i].compute_unit = unit_of_event(&events[i], scratch);
    out[i].is_unit_planned = out[i].compute_unit != ETR_COMPUTE_UNIT_NONE;
  }
  return !etr_arena_failed(scratch);
}

const etr_decoder etr_coreml = {.id = "CoreMLBackend", .read = read};
