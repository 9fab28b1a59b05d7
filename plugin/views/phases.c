/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phases.c - delegates' time by phase and by compute unit.
 */
#include "views/phases.h"

#include "base/writer.h"

enum {
  MOST_PARTS = ETR_PHASES > ETR_COMPUTE_UNITS ? ETR_PHASES : ETR_COMPUTE_UNITS,
  NO_PART = MOST_PARTS
};

/* ---- Sums ---- */

typedef struct backend_time {
  const char *backend;
  uint64_t ticks[MOST_PARTS];
  double typical[MOST_PARTS];
  bool is_planned;
} backend_time;

/* The times of all backends. */
typedef struct backend_times {
  etr_vec(backend_time) list;
  etr_map places; /* of backends, in the list */
  size_t last;    /* found last: neighbors mostly have the same backend */
} backend_times;

/* Returns the times of a backend, which are added if it is new; NULL when out of memory. */
static backend_time *find_time(backend_times *times, etr_arena *arena, const char *backend) {
  if (times->last < times->list.count && times->list.data[times->last].backend == backend)
    return &times->list.data[times->last];
  etr_map_slot *slot = etr_map_at(&times->places, etr_slice_of(etr_or_empty(backend)));
  if (!slot)
    return NULL;
  if (slot->value == ETR_NONE) {
    backend_time *added = etr_vec_push(arena, &times->list);
    if (!added)
      return NULL;
    added->backend = backend;
    slot->value = (uint32_t)(times->list.count - 1);
  }
  times->last = slot->value;
  return &times->list.data[times->last];
}

/* Sums time slices by backend and part. part_of() returns the part to which a time slice belongs,
 * or NO_PART to leave it out. Returns false when out of memory. */
static bool sum_by_backend(backend_times *times, etr_arena *arena, const etr_method *method,
                           size_t (*part_of)(const etr_time_slice *)) {
  etr_map_init(&times->places, arena);
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &method->time_slices[i];
    size_t part = part_of(time_slice);
    if (part == NO_PART)
      continue;
    backend_time *time = find_time(times, arena, time_slice->event->backend);
    if (!time)
      return false;
    time->ticks[part] += time_slice->ticks;
    time->typical[part] += method->typical.weights[time_slice->run] * (double)time_slice->ticks /
                           method->typical.divisor;
    time->is_planned |= time_slice->event->is_unit_planned;
  }
  return true;
}

/* Adds a part, unless it took no time. Returns false when out of memory. */
static bool add_part(etr_delegate_parts *out, etr_arena *arena, etr_delegate_part part) {
  etr_delegate_part *added = part.ticks ? etr_vec_push(arena, &out->list) : NULL;
  if (added)
    *added = part;
  return added || !part.ticks;
}

/* ---- Phases ---- */

/* Returns the phase of a time slice in a delegate that is on no node; NO_PART for others. */
static size_t phase_of(const etr_time_slice *time_slice) {
  bool is_on_no_node = etr_time_slice_is_in_delegate(time_slice) &&
                       time_slice->part != ETR_TIME_OPERATORS;
  return is_on_no_node ? (size_t)time_slice->phase : NO_PART;
}

/* Names of phases for people. */
static const char *const phase_texts[ETR_PHASES] = {
    "", "copying in", "computing, on no node", "waiting", "copying out", "other"};

bool etr_delegate_phases_make(etr_delegate_parts *out, etr_arena *arena, const etr_method *method) {
  backend_times times = {0};
  *out = (etr_delegate_parts){0};
  if (!sum_by_backend(&times, arena, method, phase_of))
    return false;
  for (size_t i = 0; i < times.list.count; i++)
    for (etr_phase phase = ETR_PHASE_NONE; phase <= ETR_PHASE_OTHER; phase++) {
      uint64_t ticks = times.list.data[i].ticks[phase];
      if (!add_part(out, arena,
                    (etr_delegate_part){.backend = times.list.data[i].backend,
                                        .name = etr_phase_name(phase),
                                        .text = phase_texts[phase],
                                        .ticks = ticks,
                                        .typical = times.list.data[i].typical[phase]}))
        return false;
      out->is_informative |= ticks && phase != ETR_PHASE_OTHER;
    }
  return true;
}

/* ---- Compute units ---- */

/* Returns the compute unit of a time slice in a delegate; NO_PART for others. */
static size_t unit_of(const etr_time_slice *time_slice) {
  return etr_time_slice_is_in_delegate(time_slice) ? (size_t)time_slice->compute_unit : NO_PART;
}

/* Returns the name of a compute unit for people. is_planned: the backend says where it means to run
 * operators, and not where they ran. */
static const char *unit_text(etr_compute_unit unit, bool is_planned) {
  static const char *const texts[ETR_COMPUTE_UNITS][2] = {{"not recorded", "not recorded"},
                                                          {"NPU", "NPU (planned)"},
                                                          {"GPU", "GPU (planned)"},
                                                          {"CPU", "CPU (planned)"}};
  return texts[unit][is_planned];
}

/* Adds the time of a backend on a compute unit, unless that is 0. Time on a known unit makes the
 * list informative: the balance does not show that. Returns false when out of memory. */
static bool add_unit(etr_delegate_parts *out, etr_arena *arena, const backend_time *time,
                     etr_compute_unit unit) {
  out->is_informative |= time->ticks[unit] && unit != ETR_COMPUTE_UNIT_NONE;
  return add_part(
      out, arena,
      (etr_delegate_part){.backend = time->backend,
                          .name = etr_compute_unit_name(unit),
                          .text = unit_text(unit, time->is_planned),
                          .ticks = time->ticks[unit],
                          .typical = time->typical[unit],
                          .is_planned = time->is_planned && unit != ETR_COMPUTE_UNIT_NONE});
}

bool etr_compute_units_make(etr_delegate_parts *out, etr_arena *arena, const etr_method *method) {
  backend_times times = {0};
  *out = (etr_delegate_parts){0};
  if (!sum_by_backend(&times, arena, method, unit_of))
    return false;
  for (size_t i = 0; i < times.list.count; i++) {
    for (etr_compute_unit unit = ETR_COMPUTE_UNIT_NPU; unit <= ETR_COMPUTE_UNIT_CPU; unit++)
      if (!add_unit(out, arena, &times.list.data[i], unit))
        return false;
    if (!add_unit(out, arena, &times.list.data[i], ETR_COMPUTE_UNIT_NONE))
      return false;
  }
  return true;
}

const char *etr_compute_units_text(etr_arena *arena, unsigned compute_units) {
  etr_text text;
  etr_writer writer;
  bool any = false;
  if (!compute_units)
    return NULL;
  etr_text_begin(&text, arena, &writer);
  for (etr_compute_unit unit = ETR_COMPUTE_UNIT_NPU; unit <= ETR_COMPUTE_UNIT_CPU; unit++) {
    if (!(compute_units >> unit & 1))
      continue;
    etr_putf(&writer, "%s%s", any ? ", " : "", etr_compute_unit_name(unit));
    any = true;
  }
  return etr_text_end(&text, &writer);
}
