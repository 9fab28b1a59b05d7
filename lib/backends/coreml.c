/* SPDX-License-Identifier: BSD-3-Clause
 *
 * coreml.c - operations by the delegate map, their times estimated.
 */
#include "backends/coreml.h"

/* An operation that the map lacks was made by Core ML's own compiler. */
static bool read(etr_event_meaning *out, const etr_event_facts *events, size_t count, etr_arena *scratch) {
  (void)scratch;
  for (size_t i = 0; i < count; i++) {
    out[i].key = events[i].is_listed && !events[i].is_number ? ETR_KEY_MAP : ETR_KEY_NONE;
    out[i].is_estimated = true;
    out[i].has_no_place = true; /* laid end to end in topological order */
    out[i].is_odd = events[i].is_number;
  }
  return true;
}

const etr_decoder etr_coreml = {.id = "CoreMLBackend", .read = read};
