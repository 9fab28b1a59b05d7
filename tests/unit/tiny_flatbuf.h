/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tiny_flatbuf.h - builds small FlatBuffers by hand, well-formed or not, from front to back: a
 * table's offsets are set after their targets were written.
 */
#ifndef TINY_FLATBUF_H
#define TINY_FLATBUF_H

#include "base/base.h"

typedef struct tiny_fb {
  uint8_t *bytes; /* `capacity` zeroed bytes, owned by the test */
  uint32_t capacity, size;
} tiny_fb;

/** Writes `width` bytes of a value at an offset, little-endian. */
static inline void tiny_set(tiny_fb *fb, uint32_t at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width && at + i < fb->capacity; i++)
    fb->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

/** Appends a number. Returns its offset. */
static inline uint32_t tiny_put(tiny_fb *fb, unsigned width, uint64_t value) {
  uint32_t at = fb->size;
  tiny_set(fb, at, width, value);
  fb->size = ETR_MIN(fb->size + width, fb->capacity);
  return at;
}

/** Appends the root offset, which is 0 for now, and the identifier. */
static inline void tiny_start(tiny_fb *fb, const char identifier[4]) {
  tiny_put(fb, 4, 0);
  for (int i = 0; i < 4; i++)
    tiny_put(fb, 1, (uint8_t)identifier[i]);
}

/** Appends a vtable and its zeroed table. places[i] is the offset of field i inside the table, 0 if
 * absent. */
static inline uint32_t tiny_table(tiny_fb *fb, const uint16_t *places, uint16_t count,
                                  uint16_t table_size) {
  uint32_t vtable = tiny_put(fb, 2, 4u + 2u * count);
  tiny_put(fb, 2, table_size);
  for (uint16_t i = 0; i < count; i++)
    tiny_put(fb, 2, places[i]);
  uint32_t table = tiny_put(fb, 4, fb->size - vtable);
  for (uint16_t i = 4; i < table_size; i++)
    tiny_put(fb, 1, 0);
  return table;
}

/** Appends a zeroed vector of `count` elements of `width` bytes. Element i is at + 4 + i * width.
 */
static inline uint32_t tiny_vector(tiny_fb *fb, uint32_t count, unsigned width) {
  uint32_t at = tiny_put(fb, 4, count);
  fb->size = ETR_MIN(fb->size + count * width, fb->capacity);
  return at;
}

static inline uint32_t tiny_string(tiny_fb *fb, const char *text) {
  uint32_t at = tiny_put(fb, 4, strlen(text));
  while (*text)
    tiny_put(fb, 1, (uint8_t)*text++);
  return at;
}

/** Stores the offset of `target` in a slot before it. */
static inline void tiny_point(tiny_fb *fb, uint32_t slot, uint32_t target) {
  tiny_set(fb, slot, 4, target - slot);
}

#endif
