/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flatbuf.c - bounds-checked reading of FlatBuffers. A table's vtable is checked once, when the
 * table is entered: the buffer does not change, so that the fields of a position which a getter
 * gave out can be read without checking it again.
 */
#include "formats/flatbuf.h"

enum {
  BUDGET_PER_BYTE = 16,
  VECTOR_COST = 8,
  TABLE_COST = 32, /* about what an ordinary small table takes with its vtable entry and the offset
                      that points to it */
  VTABLE_HEAD = 4, /* size of the vtable, size of the table */
};

static inline uint32_t load_u16(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
static inline uint32_t load_u32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Returns bytes as a little-endian number, whatever their alignment and this machine's byte order.
 * The cases are written out, because compilers make a single load of them, but not of a loop. */
static inline uint64_t load_bytes(const etr_fb *fb, uint64_t position, unsigned width) {
  const uint8_t *bytes = fb->data + position;
  switch (width) {
  case 1:
    return bytes[0];
  case 2:
    return load_u16(bytes);
  case 4:
    return load_u32(bytes);
  default:
    return load_u32(bytes) | (uint64_t)load_u32(bytes + 4) << 32;
  }
}

static bool is_inside(const etr_fb *fb, uint64_t position, uint64_t size) {
  return position <= fb->size && size <= fb->size - position;
}

void etr_fb_fail(etr_fb *fb, uint64_t offset, const char *message) {
  if (fb->message)
    return;
  fb->message = message;
  fb->offset = offset;
}

/* Fails because of an offset that points past the end of the buffer, as offsets do in a file that
 * is cut short. Returns 0, the position of nothing. */
static etr_fb_at fail_past_end(etr_fb *fb, uint64_t offset, const char *message) {
  fb->points_past_end |= !fb->message;
  etr_fb_fail(fb, offset, message);
  return 0;
}

/* Makes the reader fail. Returns 0, the position of nothing. */
static etr_fb_at fail(etr_fb *fb, uint64_t offset, const char *message) {
  etr_fb_fail(fb, offset, message);
  return 0;
}

/* Takes the cost of a visit from the budget. Returns false, and the reader has failed, if not
 * enough is left. */
static bool spend_budget(etr_fb *fb, uint64_t at, uint64_t cost) {
  if (cost > fb->budget)
    return fail(fb, at, "its shared tables would expand beyond all limits") != 0;
  fb->budget -= cost;
  return true;
}

void etr_fb_init(etr_fb *fb, const void *data, size_t size) {
  *fb = (etr_fb){
      .data = data,
      .size = size,
      .budget = (uint64_t)size * BUDGET_PER_BYTE,
  };
  if (size > INT32_MAX)
    etr_fb_fail(fb, 0, "larger than a FlatBuffer can be (2 GiB)");
}

bool etr_fb_has_identifier(const etr_fb *fb, const char identifier[4]) {
  return is_inside(fb, 4, 4) && memcmp(fb->data + 4, identifier, 4) == 0;
}

/* Returns the position to which the offset that is stored at `position` points. It counts from
 * where it is stored. Returns 0, and the reader has failed, if it is 0 or leads outside the buffer.
 */
static etr_fb_at follow_offset(etr_fb *fb, uint64_t position) {
  if (fb->message)
    return 0;
  if (!is_inside(fb, position, 4))
    return fail(fb, position, "an offset lies outside the buffer");
  uint64_t distance = load_bytes(fb, position, 4);
  if (distance == 0)
    return fail(fb, position, "an offset is 0");
  if (!is_inside(fb, position + distance, 4))
    return fail_past_end(fb, position, "an offset points past the end");
  return (etr_fb_at)(position + distance);
}

/* Checks that a table and its vtable are inside the buffer, and takes the visit from the budget.
 * Returns the table's position; 0 if it is absent (0), or if the reader has failed. */
static etr_fb_at enter_table(etr_fb *fb, etr_fb_at table) {
  if (table == 0 || !spend_budget(fb, table, TABLE_COST))
    return 0;
  int64_t vtable = (int64_t)table - (int32_t)(uint32_t)load_bytes(fb, table, 4);
  if (vtable < 0 || !is_inside(fb, (uint64_t)vtable, VTABLE_HEAD))
    return fail(fb, table, "a table's vtable lies outside the buffer");
  uint64_t vtable_size = load_bytes(fb, (uint64_t)vtable, 2);
  uint64_t table_size = load_bytes(fb, (uint64_t)vtable + 2, 2);
  if (vtable_size < VTABLE_HEAD || vtable_size % 2 || !is_inside(fb, (uint64_t)vtable, vtable_size))
    return fail(fb, (uint64_t)vtable, "a vtable's size is invalid");
  if (table_size < 4 || !is_inside(fb, table, table_size))
    return fail(fb, (uint64_t)vtable + 2, "a table's size is invalid");
  return table;
}

etr_fb_at etr_fb_root(etr_fb *fb) {
  return enter_table(fb, follow_offset(fb, 0));
}

/* Returns the position of a table's field of `width` bytes, by the table's vtable; 0 if the field
 * is absent, or if the reader has failed. A field starts in its table, but may end after it:
 * FlatBuffers' Python writer lets tables that differ only in size share a vtable. */
static uint64_t find_field(etr_fb *fb, etr_fb_at table, unsigned field, unsigned width) {
  if (table == 0 || fb->message)
    return 0;
  uint64_t vtable = (uint64_t)((int64_t)table - (int32_t)(uint32_t)load_bytes(fb, table, 4));
  uint64_t slot = VTABLE_HEAD + 2 * (uint64_t)field;
  if (slot + 2 > load_bytes(fb, vtable, 2))
    return 0;
  uint64_t offset = load_bytes(fb, vtable + slot, 2);
  if (offset == 0)
    return 0;
  if (offset < 4 || offset >= load_bytes(fb, vtable + 2, 2) ||
      !is_inside(fb, table + offset, width))
    return fail(fb, vtable + slot, "a field lies outside its table");
  return table + offset;
}

/* Returns the bits of a field of `width` bytes; `if_absent` if the field is absent or the reader
 * has failed. */
static uint64_t read_scalar(etr_fb *fb, etr_fb_at table, unsigned field, unsigned width,
                            uint64_t if_absent) {
  uint64_t at = find_field(fb, table, field, width);
  return at ? load_bytes(fb, at, width) : if_absent;
}

uint8_t etr_fb_u8(etr_fb *fb, etr_fb_at table, unsigned field, uint8_t if_absent) {
  return (uint8_t)read_scalar(fb, table, field, 1, if_absent);
}

uint32_t etr_fb_u32(etr_fb *fb, etr_fb_at table, unsigned field, uint32_t if_absent) {
  return (uint32_t)read_scalar(fb, table, field, 4, if_absent);
}

int32_t etr_fb_i32(etr_fb *fb, etr_fb_at table, unsigned field, int32_t if_absent) {
  return (int32_t)etr_fb_u32(fb, table, field, (uint32_t)if_absent);
}

uint64_t etr_fb_u64(etr_fb *fb, etr_fb_at table, unsigned field, uint64_t if_absent) {
  return read_scalar(fb, table, field, 8, if_absent);
}

int64_t etr_fb_i64(etr_fb *fb, etr_fb_at table, unsigned field, int64_t if_absent) {
  return (int64_t)read_scalar(fb, table, field, 8, (uint64_t)if_absent);
}

/* Returns the number in a scalar field, or `if_absent` if the field is absent or the reader has
 * failed. */
float etr_fb_f32(etr_fb *fb, etr_fb_at table, unsigned field, float if_absent) {
  uint64_t position = find_field(fb, table, field, 4);
  if (position == 0)
    return if_absent;
  uint32_t bits = (uint32_t)load_bytes(fb, position, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

etr_fb_at etr_fb_table(etr_fb *fb, etr_fb_at table, unsigned field) {
  uint64_t at = find_field(fb, table, field, 4);
  return at ? enter_table(fb, follow_offset(fb, at)) : 0;
}

/* Checks that a table's vector or string field is inside the buffer, and takes the visit and `cost`
 * for each element from the budget. Returns its position and sets *count; 0 and 0 if it is absent,
 * or if the reader has failed. */
static etr_fb_at enter_vector(etr_fb *fb, etr_fb_at table, unsigned field, size_t element_size,
                              size_t cost, uint32_t *count) {
  *count = 0;
  uint64_t position = find_field(fb, table, field, 4);
  etr_fb_at vector = position ? follow_offset(fb, position) : 0;
  if (vector == 0)
    return 0;
  uint64_t elements = load_bytes(fb, vector, 4);
  if (!is_inside(fb, (uint64_t)vector + 4, elements * element_size))
    return fail(fb, vector, "a string or vector does not fit into the buffer");
  if (!spend_budget(fb, vector, VECTOR_COST + elements * cost))
    return 0;
  *count = (uint32_t)elements;
  return vector;
}

etr_fb_at etr_fb_vector(etr_fb *fb, etr_fb_at table, unsigned field, size_t element_size,
                        uint32_t *count) {
  return enter_vector(fb, table, field, element_size, element_size, count);
}

/* Returns the bytes of a string field or of a vector of bytes, of which each takes `cost` from the
 * budget; an empty slice if it is absent, or if the reader has failed. */
static etr_slice read_bytes_field(etr_fb *fb, etr_fb_at table, unsigned field, size_t cost) {
  uint32_t count;
  etr_fb_at vector = enter_vector(fb, table, field, 1, cost, &count);
  return vector ? (etr_slice){(const char *)fb->data + vector + 4, count} : (etr_slice){0};
}

etr_slice etr_fb_string(etr_fb *fb, etr_fb_at table, unsigned field) {
  return read_bytes_field(fb, table, field, 1);
}

etr_slice etr_fb_bytes(etr_fb *fb, etr_fb_at table, unsigned field) {
  return read_bytes_field(fb, table, field, 0);
}

/* Returns the position of a vector's element, each of which has `width` bytes; 0 if the vector is
 * absent, or if the reader has failed, as it does for an index past the end. */
static uint64_t find_element(etr_fb *fb, etr_fb_at vector, uint32_t index, unsigned width) {
  if (vector == 0 || fb->message)
    return 0;
  if (index >= load_bytes(fb, vector, 4))
    return fail(fb, vector, "a vector is too short");
  return (uint64_t)vector + 4 + (uint64_t)index * width;
}

etr_fb_at etr_fb_table_at(etr_fb *fb, etr_fb_at vector, uint32_t index) {
  uint64_t at = find_element(fb, vector, index, 4);
  return at ? enter_table(fb, follow_offset(fb, at)) : 0;
}

int32_t etr_fb_i32_at(etr_fb *fb, etr_fb_at vector, uint32_t index) {
  uint64_t at = find_element(fb, vector, index, 4);
  return at ? (int32_t)(uint32_t)load_bytes(fb, at, 4) : 0;
}

int64_t etr_fb_i64_at(etr_fb *fb, etr_fb_at vector, uint32_t index) {
  uint64_t at = find_element(fb, vector, index, 8);
  return at ? (int64_t)load_bytes(fb, at, 8) : 0;
}
