/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_allocations.c - allocations by allocator. Ids count from 1 (runtime/core/event_tracer.h, track_allocator).
 */
#include "inputs/dump_allocations.h"

/* Fields, in the order of the schema. */
enum { RUN_ALLOCATORS = 2 };
enum { ALLOCATOR_NAME };
enum { ALLOCATION_ALLOCATOR, ALLOCATION_SIZE };

void etr_allocations_start(etr_allocation_reader *reader, etr_map *names) {
  *reader = (etr_allocation_reader){.names = names};
  etr_map_init(&reader->places, names->arena);
}

static const char *name_of(etr_allocation_reader *reader, etr_fb *fb, etr_fb_at run, int32_t id) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, run, RUN_ALLOCATORS, 4, &count);
  if (id < 1 || (uint32_t)id > count) return "";
  etr_slice name = etr_fb_string(fb, etr_fb_table_at(fb, vector, (uint32_t)id - 1), ALLOCATOR_NAME);
  return name.size ? etr_intern(reader->names, name) : "";
}

static etr_allocations *list_of(etr_allocation_reader *reader, etr_fb *fb, etr_fb_at run, int32_t id) {
  etr_map_slot *slot = etr_map_at(&reader->places, (etr_slice){(const char *)&id, sizeof id});
  if (!slot) return NULL;
  if (slot->value != ETR_NONE) return &reader->list.data[slot->value];
  etr_allocations *added = etr_vec_push(reader->names->arena, &reader->list);
  if (!added) return NULL;
  slot->value = (uint32_t)(reader->list.count - 1);
  added->allocator = name_of(reader, fb, run, id);
  return added;
}

void etr_allocations_add(etr_allocation_reader *reader, etr_fb *fb, etr_fb_at run, etr_fb_at event) {
  etr_allocations *all = list_of(reader, fb, run, etr_fb_i32(fb, event, ALLOCATION_ALLOCATOR, 0));
  uint64_t bytes = etr_fb_u64(fb, event, ALLOCATION_SIZE, 0);
  if (!all) return;
  all->count++;
  all->total_bytes = etr_add_up_to_most(all->total_bytes, bytes);
  all->largest_bytes = ETR_MAX(all->largest_bytes, bytes);
}
