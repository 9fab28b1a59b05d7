/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side.c - one side of a comparison, from a profile.
 */
#include "compare/compare_side.h"

#include <stdlib.h>

etr_side_box *etr_side_box_new(etr_error *error) {
  etr_side_box *box = calloc(1, sizeof *box);
  if (!box)
    (void)etr_fail_memory(error);
  return box;
}

void etr_side_close(etr_side *side) {
  if (!side)
    return;
  etr_side_box *box = (etr_side_box *)side;
  etr_arena_clear(&box->arena);
  free(box);
}

/* ---- Loads ---- */

typedef struct load {
  const char *name;
  etr_vec(etr_side_sample) samples;
} load;

typedef struct loads {
  etr_vec(load) list;
  etr_map index;
  etr_arena scratch;
} loads;

/* Durations by event name, of the blocks in which nothing ran. */
static bool collect_loads(loads *out, const etr_profile *profile) {
  for (size_t i = 0; i < profile->block_count; i++) {
    const etr_block *block = &profile->blocks[i];
    for (size_t k = 0; block->method == ETR_NONE && k < block->event_count; k++) {
      const etr_event *e = &block->events[k];
      uint32_t known = etr_map_get(&out->index, etr_slice_of(e->name));
      if (known == ETR_NONE) {
        known = (uint32_t)out->list.count;
        load *added = etr_vec_push(&out->scratch, &out->list);
        if (!added || !etr_map_set(&out->index, etr_slice_of(e->name), known))
          return false;
        added->name = e->name;
      }
      load *to = &out->list.data[known];
      for (size_t j = 0; j < e->sample_count; j++) {
        etr_side_sample *sample = etr_vec_push(&out->scratch, &to->samples);
        if (sample == NULL)
          return false;
        *sample = (etr_side_sample){profile->runs[e->sample_runs[j]].dump, e->durations[j]};
      }
    }
  }
  return true;
}

static bool make_loads(etr_side_box *box) {
  loads found = {0};
  etr_map_init(&found.index, &found.scratch);
  bool good = collect_loads(&found, box->side.profile);
  etr_side_load *list = etr_arena_alloc_array(&box->arena, found.list.count, sizeof *list);
  good = good && list;
  for (size_t i = 0; good && i < found.list.count; i++) {
    const load *timed = &found.list.data[i];
    if (timed->samples.count == 0)
      continue; /* its times are invalid */
    list[box->side.load_count++] = (etr_side_load){
        .name = timed->name,
        .time = etr_side_time_of(timed->samples.data, timed->samples.count, 1)};
  }
  box->side.loads = list;
  etr_arena_clear(&found.scratch);
  return good;
}

/* ---- Together ---- */

static bool make_methods(etr_side_box *box, bool only_clocks) {
  const etr_profile *profile = box->side.profile;
  etr_side_method *methods = etr_arena_alloc_array(&box->arena, profile->method_count,
                                                   sizeof *methods);
  bool good = methods != NULL;
  for (uint32_t i = 0; good && i < profile->method_count; i++)
    good = only_clocks ? etr_side_list_clocks(&methods[i], profile, i, &box->arena)
                       : etr_side_list(&methods[i], profile, i, false, &box->arena);
  box->side.methods = methods;
  return good;
}

static etr_status open_side(etr_side **out, const etr_profile *profile, bool only_clocks,
                            etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  etr_side_box *box = etr_side_box_new(error);
  if (!box)
    return ETR_ERROR_MEMORY;
  box->side.profile = profile;
  if (!make_methods(box, only_clocks) || (!only_clocks && !make_loads(box))) {
    etr_side_close(&box->side);
    return etr_fail_memory(error);
  }
  *out = &box->side;
  return ETR_OK;
}

etr_status etr_side_open(etr_side **out, const etr_profile *profile, etr_error *error) {
  return open_side(out, profile, false, error);
}

etr_status etr_side_open_clocks(etr_side **out, const etr_profile *profile, etr_error *error) {
  return open_side(out, profile, true, error);
}
