/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels.c - sums by the name of the kernel and its backend.
 */
#include "views/kernels.h"

#include "base/natural.h"
#include "base/writer.h"
#include "output/ranking.h"
#include "views/phases.h"
#include "views/run_stats.h"

/* Collects the time slices of a method into rows by kernel. */
typedef struct collector {
  etr_arena *arena;
  etr_map rows_of;   /* kernel and backend -> row */
  etr_map events_of; /* instruction, id and name of an event that was counted */
  etr_text key;
  etr_vec(etr_kernel_row) rows;
} collector;

/* Returns the number of the row of a slice's kernel and backend, which is added if it is new;
 * ETR_NONE when out of memory. */
static uint32_t find_or_add_kernel(collector *c, const etr_profile *profile,
                                   const etr_time_slice *slice) {
  const etr_event *event = slice->event;
  const char *name = etr_time_slice_kernel(slice), *backend = etr_time_slice_backend(slice);
  c->key.size = 0;
  etr_text_add(&c->key, etr_slice_of(name));
  etr_text_add(&c->key, (etr_slice){"", 1});
  etr_text_add(&c->key, etr_slice_of(etr_or_empty(backend)));
  etr_map_slot *slot = etr_map_at(&c->rows_of, (etr_slice){c->key.data, c->key.size});
  if (!slot)
    return ETR_NONE;
  if (slot->value != ETR_NONE)
    return slot->value;
  etr_kernel_row *new_row = etr_vec_push(c->arena, &c->rows);
  if (!new_row)
    return ETR_NONE;
  slot->value = (uint32_t)(c->rows.count - 1);
  *new_row = (etr_kernel_row){.kernel = name, .backend = backend, .number = slot->value};
  if (event->kind == ETR_EVENT_DELEGATE_OPERATOR)
    new_row->step = etr_clock_step(profile, event->backend, event->delegate_id);
  return slot->value;
}

/* Counts an event in a row once, in whatever blocks it is. Returns false when out of memory. */
static bool count_event_once(collector *c, uint32_t row, const etr_event *event) {
  c->key.size = 0;
  etr_text_add(&c->key, ETR_BYTES(event->instruction_id));
  etr_text_add(&c->key, etr_slice_of(event->name));
  etr_map_slot *slot = etr_map_at(&c->events_of, (etr_slice){c->key.data, c->key.size});
  if (!slot)
    return false;
  if (slot->value == ETR_NONE)
    c->rows.data[row].event_count++;
  slot->value = row;
  return true;
}

/* Sets rows[i] to the row of time slice i, or to ETR_NONE if it is not work of a kernel or
 * operator, and adds up the ticks of each row. Slices of one event mostly follow each other, so its
 * row is found once. Returns false when out of memory. */
static bool collect_rows(collector *c, const etr_profile *profile, const etr_method *method,
                         uint32_t *rows) {
  const etr_event *last_event = NULL;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    rows[i] = ETR_NONE;
    if (!etr_time_slice_is_work(slice))
      continue;
    bool is_same = i && slice->event == last_event && rows[i - 1] != ETR_NONE;
    rows[i] = is_same ? rows[i - 1] : find_or_add_kernel(c, profile, slice);
    if (rows[i] == ETR_NONE || (!is_same && !count_event_once(c, rows[i], slice->event)))
      return false;
    c->rows.data[rows[i]].ticks += slice->ticks;
    last_event = slice->event;
  }
  return true;
}

/* Compares rows for qsort(): by weight, the largest first, then by kernel and backend. */
static int by_weight(const void *a, const void *b) {
  const etr_kernel_row *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  int compared = etr_natural_compare(x->kernel, y->kernel);
  return compared ? compared : strcmp(etr_or_empty(x->backend), etr_or_empty(y->backend));
}

bool etr_kernels_make(etr_kernels *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method) {
  collector c = {.arena = arena, .key = {.arena = arena}};
  uint32_t *rows = etr_arena_alloc_raw_array(arena, method->time_slice_count, sizeof *rows);
  *out = (etr_kernels){0};
  etr_map_init(&c.rows_of, arena);
  etr_map_init(&c.events_of, arena);
  if (!rows || !collect_rows(&c, profile, method, rows))
    return false;
  const etr_stats *stats = etr_run_stats(arena, method, rows, c.rows.count);
  if (!stats)
    return false;
  for (size_t i = 0; i < c.rows.count; i++) {
    etr_kernel_row *row = &c.rows.data[i];
    const etr_times times = {stats[i].typical, etr_ticks_per_run(method, row->ticks), stats[i].p50};
    row->weight = etr_ranking_time(profile, times);
    out->summed_p50 += stats[i].p50;
  }
  etr_sort(c.rows.data, c.rows.count, sizeof *c.rows.data, by_weight);
  out->rows = c.rows.data;
  out->count = c.rows.count;
  out->stats = stats;
  return !etr_arena_failed(arena);
}
