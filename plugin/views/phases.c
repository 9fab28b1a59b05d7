/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phases.c - delegates' own time by phase.
 */
#include "views/phases.h"

#define PHASES ((size_t)ETR_PHASE_OTHER + 1)

typedef struct backend_time {
  const char *backend;
  uint64_t ticks[PHASES];
} backend_time;

typedef etr_vec(backend_time) backend_times;

static bool is_same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static backend_time *time_of(backend_times *times, etr_arena *arena, const char *backend) {
  for (size_t i = 0; i < times->count; i++)
    if (is_same(times->data[i].backend, backend)) return &times->data[i];
  backend_time *added = etr_vec_push(arena, times);
  if (added) added->backend = backend;
  return added;
}

static bool sum_up(backend_times *times, etr_arena *arena, const etr_method *method) {
  for (size_t i = 0; i < method->portion_count; i++) {
    const etr_portion *portion = &method->portions[i];
    if (portion->kind != ETR_PORTION_DELEGATE) continue;
    backend_time *time = time_of(times, arena, portion->event->backend);
    if (!time) return false;
    time->ticks[portion->phase] += portion->ticks;
  }
  return true;
}

bool etr_phase_times_make(etr_phase_times *out, etr_arena *arena, const etr_method *method) {
  backend_times times = {0};
  *out = (etr_phase_times){0};
  if (!sum_up(&times, arena, method)) return false;
  for (size_t i = 0; i < times.count; i++)
    for (etr_phase phase = ETR_PHASE_NONE; phase <= ETR_PHASE_OTHER; phase++) {
      if (times.data[i].ticks[phase] == 0) continue;
      etr_phase_time *added = etr_vec_push(arena, &out->list);
      if (!added) return false;
      *added = (etr_phase_time){times.data[i].backend, phase, times.data[i].ticks[phase]};
      out->tells |= phase != ETR_PHASE_OTHER;
    }
  return true;
}

const char *etr_phase_text(etr_phase phase) {
  static const char *const texts[PHASES] = {"", "copying in", "computing", "waiting", "copying out", "other"};
  return (size_t)phase < ETR_COUNT(texts) ? texts[phase] : "";
}
