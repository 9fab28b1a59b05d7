/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flatbuf.h - reads FlatBuffers with checked bounds, without a schema compiler. Layer 1.
 *
 * Every access is checked against the buffer. An offset outside makes the reader fail, which is
 * sticky, and reads as the default. Tables may be shared, so a small file can describe a huge tree.
 * Each visit to a table, vector or string therefore takes some of a budget that is proportional to
 * the buffer's size, and an empty budget is an error. Fields are numbered in the order of their
 * declaration in the schema; a union takes two numbers, type and value. Format:
 * https://flatbuffers.dev/internals
 */
#ifndef ETR_FLATBUF_H
#define ETR_FLATBUF_H

#include "base/base.h"

typedef struct etr_fb {
  const uint8_t *data;
  size_t size;
  uint64_t budget;      /* what is left of the budget, in bytes */
  const char *message;  /* NULL until something is wrong; static text */
  uint64_t offset;      /* byte offset of what is wrong */
  bool points_past_end; /* the error is an offset past the end, so the end of the file may be
                           missing */
} etr_fb;

/** Position of a table, vector or string inside the buffer; 0: absent. Every getter accepts 0 and
 * returns the default. */
typedef uint32_t etr_fb_at;

/**
 * Starts reading a buffer of at most 2 GiB. The budget is 16 times the buffer's size; a visit to a
 * table takes 32, and a visit to a vector or string takes 8 and its size in bytes, except for
 * etr_fb_bytes(), which takes 8. This is enough for any file that does not share tables
 * excessively.
 */
void etr_fb_init(etr_fb *fb, const void *data, size_t size);

/** Returns true if the four bytes at offset 4 are the identifier. Never makes the reader fail. */
bool etr_fb_has_identifier(const etr_fb *fb, const char identifier[4]);

/** Returns the root table; 0 if the reader has failed. */
etr_fb_at etr_fb_root(etr_fb *fb);

/** Return a scalar field, or if_absent if the field is absent. */
uint8_t etr_fb_u8(etr_fb *fb, etr_fb_at table, unsigned field, uint8_t if_absent);
int32_t etr_fb_i32(etr_fb *fb, etr_fb_at table, unsigned field, int32_t if_absent);
uint32_t etr_fb_u32(etr_fb *fb, etr_fb_at table, unsigned field, uint32_t if_absent);
int64_t etr_fb_i64(etr_fb *fb, etr_fb_at table, unsigned field, int64_t if_absent);
uint64_t etr_fb_u64(etr_fb *fb, etr_fb_at table, unsigned field, uint64_t if_absent);
float etr_fb_f32(etr_fb *fb, etr_fb_at table, unsigned field, float if_absent);

/** Returns the table that a field of a table refers to; 0 if it is absent. */
etr_fb_at etr_fb_table(etr_fb *fb, etr_fb_at table, unsigned field);

/** Returns a string field, which points into the buffer; its data is NULL if the field is absent.
 */
etr_slice etr_fb_string(etr_fb *fb, etr_fb_at table, unsigned field);

/** Returns a vector whose elements take element_size bytes (4 for tables and strings). *count is 0
 * if it is absent. */
etr_fb_at etr_fb_vector(etr_fb *fb, etr_fb_at table, unsigned field, size_t element_size,
                        uint32_t *count);

/** Returns an element of a vector of tables; index < count. */
etr_fb_at etr_fb_table_at(etr_fb *fb, etr_fb_at vector, uint32_t index);
/** Return an element of a vector of scalars; index < count. */
int32_t etr_fb_i32_at(etr_fb *fb, etr_fb_at vector, uint32_t index);
int64_t etr_fb_i64_at(etr_fb *fb, etr_fb_at vector, uint32_t index);
/** Returns the bytes of a field that is a vector of bytes; empty if it is absent. */
etr_slice etr_fb_bytes(etr_fb *fb, etr_fb_at table, unsigned field);

static inline bool etr_fb_failed(const etr_fb *fb) {
  return fb->message != NULL;
}
/** Makes the reader fail, for callers that find an invalid value. The first failure stays. */
void etr_fb_fail(etr_fb *fb, uint64_t offset, const char *message);

#endif
