/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_payload.c - finding and loading payloads.
 */
#include "inputs/pte_payload.h"

#include "backends/backends.h"

/* Fields, in the order of the schema. */
enum { PROGRAM_INLINE_DATA = 3, PROGRAM_SEGMENTS };
enum { DELEGATE_PROCESSED = 1 };
enum { REFERENCE_LOCATION, REFERENCE_INDEX };
enum { INLINE_DATA };
enum { SEGMENT_OFFSET, SEGMENT_SIZE };

enum { LOCATION_INLINE, LOCATION_SEGMENT };

const char etr_pte_beyond_limit[] =
    "the delegates' payloads exceed the bytes left to read; raise this limit with --max-bytes";

void etr_pte_payloads_init(etr_pte_payloads *p, etr_fb_at program) {
  etr_map_init(&p->places, p->arena);
  p->inline_data = etr_fb_vector(p->fb, program, PROGRAM_INLINE_DATA, 4, &p->inline_count);
  p->segments = etr_fb_vector(p->fb, program, PROGRAM_SEGMENTS, 4, &p->segment_count);
}

/* Where a payload lies in the file; size 0: nowhere. */
typedef struct payload_place {
  uint64_t at, size;
} payload_place;
ETR_NO_PADDING(payload_place, 2 * sizeof(uint64_t));

static payload_place inline_place(etr_pte_payloads *p, uint32_t index) {
  if (index >= p->inline_count) return (payload_place){0};
  etr_slice bytes = etr_fb_bytes(p->fb, etr_fb_table_at(p->fb, p->inline_data, index), INLINE_DATA);
  return bytes.size ? (payload_place){(uint64_t)(bytes.data - p->bytes.data), bytes.size} : (payload_place){0};
}

static uint64_t size_of_file(const etr_pte_payloads *p) { return p->file ? p->file->size : p->bytes.size; }

static payload_place segment_place(etr_pte_payloads *p, uint32_t index) {
  uint64_t file_size = size_of_file(p);
  if (index >= p->segment_count || p->segment_base == 0 || p->segment_base > file_size) return (payload_place){0};
  etr_fb_at segment = etr_fb_table_at(p->fb, p->segments, index);
  uint64_t offset = etr_fb_u64(p->fb, segment, SEGMENT_OFFSET, 0), size = etr_fb_u64(p->fb, segment, SEGMENT_SIZE, 0);
  uint64_t room = file_size - p->segment_base;
  if (offset > room || size > room - offset) return (payload_place){0};
  return (payload_place){p->segment_base + offset, size};
}

static payload_place place_of(etr_pte_payloads *p, etr_fb_at reference) {
  if (reference == 0) return (payload_place){0};
  uint32_t index = etr_fb_u32(p->fb, reference, REFERENCE_INDEX, 0);
  switch (etr_fb_u8(p->fb, reference, REFERENCE_LOCATION, LOCATION_INLINE)) {
  case LOCATION_INLINE: return inline_place(p, index);
  case LOCATION_SEGMENT: return segment_place(p, index);
  default: return (payload_place){0};
  }
}

/* Reads from the file as much of a payload as is of use. */
static etr_slice load_payload(etr_pte_payloads *p, payload_place place) {
  char head[ETR_PAYLOAD_HEAD_BYTES];
  size_t head_size = (size_t)ETR_MIN(place.size, (uint64_t)sizeof head);
  if (!etr_seekable_read(p->file, place.at, head, head_size)) return (etr_slice){0};
  uint64_t needed = etr_backend_payload_needed((etr_slice){head, head_size}, place.size);
  if (needed > p->left) etr_fb_fail(p->fb, ETR_NO_OFFSET, etr_pte_beyond_limit);
  char *payload = needed && !etr_fb_failed(p->fb) ? etr_arena_alloc_raw(p->arena, (size_t)needed) : NULL;
  if (!payload || !etr_seekable_read(p->file, place.at, payload, (size_t)needed)) return (etr_slice){0};
  p->left -= needed;
  return (etr_slice){payload, (size_t)needed};
}

etr_slice etr_pte_payload(etr_pte_payloads *p, etr_fb_at delegate) {
  payload_place place = place_of(p, etr_fb_table(p->fb, delegate, DELEGATE_PROCESSED));
  if (place.size == 0) return (etr_slice){0};
  etr_map_slot *slot = etr_map_at(&p->places, (etr_slice){(const char *)&place, sizeof place});
  if (!slot || slot->value != ETR_NONE) return slot ? p->list.data[slot->value] : (etr_slice){0};
  bool is_loaded = !p->file || place.at + place.size <= p->bytes.size;
  etr_slice payload = is_loaded ? (etr_slice){p->bytes.data + place.at, (size_t)place.size} : load_payload(p, place);
  etr_slice *added = etr_vec_push(p->arena, &p->list);
  if (!added) return (etr_slice){0};
  slot->value = (uint32_t)(p->list.count - 1);
  p->total += payload.size;
  if (p->total > size_of_file(p)) etr_fb_fail(p->fb, delegate, "the delegates' payloads overlap");
  return *added = payload;
}

etr_pte_payload_place etr_pte_payload_where(etr_pte_payloads *p, etr_fb_at delegate) {
  etr_fb_at reference = etr_fb_table(p->fb, delegate, DELEGATE_PROCESSED);
  payload_place place = place_of(p, reference);
  bool in_segment = reference && etr_fb_u8(p->fb, reference, REFERENCE_LOCATION, LOCATION_INLINE) == LOCATION_SEGMENT;
  uint32_t segment = in_segment && place.size ? etr_fb_u32(p->fb, reference, REFERENCE_INDEX, 0) : ETR_NONE;
  return (etr_pte_payload_place){place.at, place.size, segment};
}
