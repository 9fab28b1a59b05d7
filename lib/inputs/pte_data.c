/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_data.c - planned buffers and segments of a .pte.
 */
#include "inputs/pte.h"

/* Fields, in the order of the schema. */
enum {
  PROGRAM_SEGMENTS = 4,
  PROGRAM_CONSTANT_SEGMENT,
  PROGRAM_MUTABLE_SEGMENTS,
  PROGRAM_NAMED_DATA,
};
enum { PLAN_BUFFER_SIZES = 8, PLAN_BUFFER_DEVICES };
enum { DEVICE_BUFFER, DEVICE_TYPE, DEVICE_INDEX };
enum { SEGMENT_OFFSET, SEGMENT_SIZE };
enum { SUBSEGMENT_INDEX, SUBSEGMENT_OFFSETS };
enum { NAMED_KEY, NAMED_SEGMENT };

void etr_pte_buffers_read(etr_pte_buffers *out, etr_fb *fb, etr_arena *arena, etr_fb_at plan) {
  uint32_t count, device_count;
  etr_fb_at sizes = etr_fb_vector(fb, plan, PLAN_BUFFER_SIZES, sizeof(int64_t), &count);
  etr_fb_at devices = etr_fb_vector(fb, plan, PLAN_BUFFER_DEVICES, 4, &device_count);
  int64_t *list = etr_arena_alloc_array(arena, count, sizeof *list);
  etr_pte_device *places = etr_arena_alloc_array(arena, device_count, sizeof *places);
  *out = (etr_pte_buffers){0};
  if (!list || !places) return;
  for (uint32_t i = 0; i < count; i++) list[i] = etr_fb_i64_at(fb, sizes, i);
  for (uint32_t i = 0; i < device_count; i++) {
    etr_fb_at device = etr_fb_table_at(fb, devices, i);
    places[i] = (etr_pte_device){etr_fb_i32(fb, device, DEVICE_BUFFER, 0), etr_fb_u8(fb, device, DEVICE_TYPE, 0),
                                 etr_fb_u8(fb, device, DEVICE_INDEX, 0)};
  }
  *out = (etr_pte_buffers){list, count, places, device_count};
}

static void read_segments(etr_pte_data *out, etr_fb *fb, etr_arena *arena, etr_fb_at program) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, program, PROGRAM_SEGMENTS, 4, &count);
  out->segments = etr_arena_alloc_array(arena, count, sizeof *out->segments);
  for (uint32_t i = 0; out->segments && i < count; i++) {
    etr_fb_at segment = etr_fb_table_at(fb, vector, i);
    out->segments[i] = (etr_segment){.offset_bytes = etr_fb_u64(fb, segment, SEGMENT_OFFSET, 0),
                                     .size_bytes = etr_fb_u64(fb, segment, SEGMENT_SIZE, 0)};
  }
  out->segment_count = out->segments ? count : 0;
}

/* The segment's index, or ETR_NONE if there is no such segment; notes what it holds. */
static uint32_t note_segment(etr_pte_data *out, uint32_t index, etr_segment_kind kind) {
  if (index >= out->segment_count) return ETR_NONE;
  out->segments[index].kind = kind;
  return index;
}

static void read_mutable(etr_pte_data *out, etr_fb *fb, etr_arena *arena, etr_fb_at program) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, program, PROGRAM_MUTABLE_SEGMENTS, 4, &count);
  uint32_t *segments = etr_arena_alloc_array(arena, count, sizeof *segments);
  for (uint32_t i = 0; segments && i < count; i++)
    segments[i] = note_segment(out, etr_fb_u32(fb, etr_fb_table_at(fb, vector, i), SUBSEGMENT_INDEX, 0),
                               ETR_SEGMENT_MUTABLE);
  out->mutable_segments = segments;
  out->mutable_count = segments ? count : 0;
}

static void read_named(etr_pte_data *out, etr_fb *fb, etr_map *names, etr_fb_at program) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, program, PROGRAM_NAMED_DATA, 4, &count);
  for (uint32_t i = 0; i < count && !etr_fb_failed(fb); i++) {
    etr_fb_at table = etr_fb_table_at(fb, vector, i);
    uint32_t segment = note_segment(out, etr_fb_u32(fb, table, NAMED_SEGMENT, 0), ETR_SEGMENT_NAMED);
    if (segment != ETR_NONE && !out->segments[segment].name)
      out->segments[segment].name = etr_intern(names, etr_fb_string(fb, table, NAMED_KEY));
  }
}

void etr_pte_data_read(etr_pte_data *out, etr_fb *fb, etr_map *names, etr_arena *arena, etr_fb_at program) {
  *out = (etr_pte_data){.program_bytes = fb->size};
  read_segments(out, fb, arena, program);
  /* Constants are in a segment if that has places for any. */
  uint32_t count;
  etr_fb_at table = etr_fb_table(fb, program, PROGRAM_CONSTANT_SEGMENT);
  (void)etr_fb_vector(fb, table, SUBSEGMENT_OFFSETS, sizeof(uint64_t), &count);
  out->constant_segment = ETR_NONE;
  if (count != 0)
    out->constant_segment = note_segment(out, etr_fb_u32(fb, table, SUBSEGMENT_INDEX, 0), ETR_SEGMENT_CONSTANTS);
  read_mutable(out, fb, arena, program);
  read_named(out, fb, names, program);
}
