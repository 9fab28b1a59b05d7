/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loads.c - loads and first runs.
 */
#include "loads.h"

#include "stats.h"

bool etr_loads_make(etr_loads *out, etr_arena *arena, const etr_profile *profile) {
  etr_vec(etr_load) list = {0};
  size_t timed = 0;
  for (size_t i = 0; i < profile->block_count; i++) {
    const etr_block *block = &profile->blocks[i];
    for (size_t k = 0; block->method == ETR_NONE && k < block->event_count; k++) {
      etr_load *added = etr_vec_push(arena, &list);
      if (!added) return false;
      *added = (etr_load){block->name, block->events[k].name, block->events[k].stats};
    }
  }
  for (size_t i = 0; i < profile->method_count; i++) timed += profile->methods[i].run_count > 0;
  *out = (etr_loads){.list = list.data, .count = list.count, .timed_methods = timed};
  for (size_t i = 0; i < list.count; i++)
    if (!out->whole || list.data[i].stats.avg > out->whole->stats.avg) out->whole = &list.data[i];
  return true;
}

bool etr_first_run_of(etr_first_run *out, etr_arena *arena, const etr_method *method) {
  *out = (etr_first_run){.ticks = method->run_count ? (double)method->execute_per_run[0] : 0};
  if (method->run_count < 2) return true;
  size_t rest = method->run_count - 1;
  uint64_t *samples = etr_arena_alloc_array(arena, rest, sizeof *samples);
  if (!samples) return false;
  memcpy(samples, method->execute_per_run + 1, rest * sizeof *samples);
  out->rest = etr_stats_of(samples, rest);
  return true;
}
