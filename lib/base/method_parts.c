/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_parts.c - the parts of a method's time.
 */
#include "base/method_parts.h"

const char *etr_time_part_name(etr_time_part part) {
  static const char *const names[] = {"operators",       "operators_unplaced", "inserted",
                                      "delegate_phases", "opaque_delegates",   "call_overhead",
                                      "runtime",         "unexplained"};
  return (size_t)part < ETR_COUNT(names) ? names[part] : "unexplained";
}

bool etr_time_slice_is_work(const etr_time_slice *slice) {
  return slice->part == ETR_TIME_OPERATORS || slice->part == ETR_TIME_UNPLACED ||
         slice->part == ETR_TIME_INSERTED;
}

const char *etr_time_slice_kernel(const etr_time_slice *slice) {
  return slice->event->kernel ? slice->event->kernel : slice->event->label;
}

const char *etr_time_slice_backend(const etr_time_slice *slice) {
  if (!slice->event || slice->event->kind < ETR_EVENT_DELEGATE_CALL)
    return NULL;
  return slice->event->backend ? slice->event->backend : ETR_UNKNOWN_BACKEND;
}

uint64_t etr_method_part_ticks(const etr_method *method, etr_time_part part) {
  uint64_t ticks = 0;
  for (size_t i = 0; i < method->part_count; i++)
    if (method->parts[i].part == part)
      ticks += method->parts[i].ticks;
  return ticks;
}

etr_shared_times etr_times_of_method(const etr_profile *profile, const etr_method *method) {
  if (method->shared)
    return *method->shared;
  return (etr_shared_times){method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph],
                            method};
}

/* Estimated ticks are part of the operators, and what the clock hides is part of the call overhead.
 */
bool etr_method_adds_up(const etr_method *m) {
  uint64_t left = m->execute_ticks;
  for (size_t i = 0; i < m->part_count; i++) {
    if (m->parts[i].ticks > left)
      return false;
    left -= m->parts[i].ticks;
  }
  return left == 0 && m->estimated_ticks <= etr_method_part_ticks(m, ETR_TIME_OPERATORS) &&
         m->clock_hidden_ticks <= etr_method_part_ticks(m, ETR_TIME_CALL_OVERHEAD);
}

size_t etr_loaded_method_count(const etr_profile *profile) {
  size_t named = 0, unnamed = 0;
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->run_count == 0 || method->computes_nothing)
      continue;
    if (method->name[0])
      named++;
    else
      unnamed++;
  }
  return named > 0 ? named : unnamed;
}
