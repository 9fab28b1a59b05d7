/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flatbuf.h - bounds-checked reading of FlatBuffers, with no schema compiler. Layer 1.
 *
 * Every access is checked against the buffer; a bad offset makes the reader fail (sticky) and reads as the default.
 * Tables may be shared, so a small file can describe a huge tree: each table, vector and string that is visited costs
 * some of a budget proportional to the buffer's size, and running out is an error too. Field numbers are the
 * declaration order in the schema (a union takes two: type, then value). Format: https://flatbuffers.dev/internals
 */
#ifndef ETR_FLATBUF_H
#define ETR_FLATBUF_H

#include "base/base.h"

typedef struct etr_fb {
  const uint8_t *data;
  size_t size;
  uint64_t budget;      /* bytes' worth of visits left */
  const char *message;  /* NULL until something is wrong; static text */
  uint64_t offset;      /* of what is wrong */
  bool points_past_end; /* what is wrong is an offset past the end: the end may be missing */
} etr_fb;

/** Position of a table, vector or string inside the buffer; 0: absent. Every getter accepts 0 and gives the default. */
typedef uint32_t etr_fb_at;

/**
 * Starts reading a buffer of at most 2 GiB. The budget is 16 times the buffer's size; a visit to a table costs 32, to a
 * vector or string 8 and its bytes (the bytes of etr_fb_bytes() are free). Enough for any file whose tables are not
 * shared absurdly.
 */
void etr_fb_init(etr_fb *fb, const void *data, size_t size);

/** True if the four bytes at offset 4 are the identifier. Does not fail the reader. */
bool etr_fb_has_identifier(const etr_fb *fb, const char identifier[4]);

/** The root table. */
etr_fb_at etr_fb_root(etr_fb *fb);

/** Scalars: the field, or the default if it is absent. */
uint8_t etr_fb_u8(etr_fb *fb, etr_fb_at table, unsigned field, uint8_t if_absent);
int32_t etr_fb_i32(etr_fb *fb, etr_fb_at table, unsigned field, int32_t if_absent);
uint32_t etr_fb_u32(etr_fb *fb, etr_fb_at table, unsigned field, uint32_t if_absent);
int64_t etr_fb_i64(etr_fb *fb, etr_fb_at table, unsigned field, int64_t if_absent);
uint64_t etr_fb_u64(etr_fb *fb, etr_fb_at table, unsigned field, uint64_t if_absent);
float etr_fb_f32(etr_fb *fb, etr_fb_at table, unsigned field, float if_absent);

/** A table field; 0 if absent. */
etr_fb_at etr_fb_table(etr_fb *fb, etr_fb_at table, unsigned field);

/** A string field; data NULL if absent. Points into the buffer. */
etr_slice etr_fb_string(etr_fb *fb, etr_fb_at table, unsigned field);

/** A vector whose elements take element_size bytes (4 for tables and strings). *count is 0 if absent. */
etr_fb_at etr_fb_vector(etr_fb *fb, etr_fb_at table, unsigned field, size_t element_size, uint32_t *count);

/** Element of a vector of tables; index < count. */
etr_fb_at etr_fb_table_at(etr_fb *fb, etr_fb_at vector, uint32_t index);
/** Element of a vector of scalars. */
int32_t etr_fb_i32_at(etr_fb *fb, etr_fb_at vector, uint32_t index);
int64_t etr_fb_i64_at(etr_fb *fb, etr_fb_at vector, uint32_t index);
/** All bytes of a vector of bytes. */
etr_slice etr_fb_bytes(etr_fb *fb, etr_fb_at table, unsigned field);

static inline bool etr_fb_failed(const etr_fb *fb) { return fb->message != NULL; }
/** Makes the reader fail: for callers that find a value senseless. The first failure stays. */
void etr_fb_fail(etr_fb *fb, uint64_t offset, const char *message);

#endif
