/* SPDX-License-Identifier: BSD-3-Clause
 *
 * packed.c - protobuf's wire format, as far as event files need it.
 */
#include "packed.h"

enum { FIRST_BYTES = 1024, VARINT = 0, FIXED_64 = 1, LENGTH_DELIMITED = 2 };

/* So many bytes more; NULL when out of memory. */
static uint8_t *room(etr_packed *packed, size_t size) {
  if (size > packed->capacity - packed->size) {
    size_t capacity = ETR_MAX(ETR_MAX(packed->capacity * 2, (size_t)FIRST_BYTES), packed->size + size);
    uint8_t *grown = etr_arena_alloc_raw(packed->arena, capacity);
    if (!grown) return NULL;
    if (packed->size) memcpy(grown, packed->data, packed->size);
    packed->data = grown;
    packed->capacity = capacity;
  }
  return packed->data + packed->size;
}

static void end_at(etr_packed *packed, const uint8_t *end) { packed->size = (size_t)(end - packed->data); }

static uint8_t *put_varint(uint8_t *to, uint64_t value) {
  for (; value > 0x7f; value >>= 7) *to++ = (uint8_t)(value | 0x80);
  *to++ = (uint8_t)value;
  return to;
}

static size_t varint_size(uint64_t value) {
  size_t size = 1;
  for (; value > 0x7f; value >>= 7) size++;
  return size;
}

size_t etr_packed_field_size(uint32_t field, size_t size) { return varint_size((uint64_t)field << 3) + varint_size(size) + size; }

uint8_t *etr_packed_put_header(uint8_t *to, uint32_t field, size_t size) {
  return put_varint(put_varint(to, (uint64_t)field << 3 | LENGTH_DELIMITED), size);
}

uint8_t *etr_packed_put_int(uint8_t *to, uint32_t field, int64_t value) {
  return put_varint(put_varint(to, (uint64_t)field << 3 | VARINT), (uint64_t)value);
}

static uint8_t *put_bytes(uint8_t *to, etr_slice bytes) {
  if (bytes.size) memcpy(to, bytes.data, bytes.size);
  return to + bytes.size;
}

void etr_packed_int(etr_packed *packed, uint32_t field, int64_t value) {
  uint8_t *to = room(packed, ETR_PACKED_HEADER_ROOM);
  if (to) end_at(packed, etr_packed_put_int(to, field, value));
}

static uint8_t *put_little_endian(uint8_t *to, uint64_t bits, int bytes) {
  for (int i = 0; i < bytes; i++) *to++ = (uint8_t)(bits >> 8 * i);
  return to;
}

void etr_packed_double(etr_packed *packed, uint32_t field, double value) {
  uint8_t *to = room(packed, ETR_PACKED_HEADER_ROOM);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (to) end_at(packed, put_little_endian(put_varint(to, (uint64_t)field << 3 | FIXED_64), bits, sizeof bits));
}

void etr_packed_float(etr_packed *packed, uint32_t field, float value) {
  uint8_t bytes[sizeof value];
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  (void)put_little_endian(bytes, bits, sizeof bits);
  etr_packed_field(packed, field, (etr_slice){(const char *)bytes, sizeof bytes});
}

void etr_packed_set_float(etr_packed *packed, size_t at, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (packed->size >= sizeof bits && at <= packed->size - sizeof bits) (void)put_little_endian(packed->data + at, bits, sizeof bits);
}

void etr_packed_header(etr_packed *packed, uint32_t field, size_t size) {
  uint8_t *to = room(packed, ETR_PACKED_HEADER_ROOM);
  if (to) end_at(packed, etr_packed_put_header(to, field, size));
}

void etr_packed_field(etr_packed *packed, uint32_t field, etr_slice bytes) {
  uint8_t *to = room(packed, bytes.size + ETR_PACKED_HEADER_ROOM);
  if (to) end_at(packed, put_bytes(etr_packed_put_header(to, field, bytes.size), bytes));
}

void etr_packed_bytes(etr_packed *packed, etr_slice bytes) {
  uint8_t *to = room(packed, bytes.size);
  if (to) end_at(packed, put_bytes(to, bytes));
}

void etr_packed_entry(etr_packed *packed, uint32_t map_field, uint32_t value_field, etr_slice key, etr_slice text) {
  enum { KEY = 1, VALUE = 2 }; /* of any map entry */
  uint8_t *to = room(packed, key.size + text.size + 4 * (size_t)ETR_PACKED_HEADER_ROOM);
  if (!to) return;
  size_t value_size = etr_packed_field_size(value_field, text.size);
  to = etr_packed_put_header(to, map_field, etr_packed_field_size(KEY, key.size) + etr_packed_field_size(VALUE, value_size));
  to = put_bytes(etr_packed_put_header(to, KEY, key.size), key);
  to = etr_packed_put_header(to, VALUE, value_size);
  end_at(packed, put_bytes(etr_packed_put_header(to, value_field, text.size), text));
}

etr_slice etr_packed_since(const etr_packed *packed, size_t start) {
  if (packed->size <= start) return (etr_slice){0}; /* nothing was packed, perhaps nothing at all: no arithmetic on a null pointer */
  return (etr_slice){(const char *)packed->data + start, packed->size - start};
}

etr_slice etr_packed_copy(const etr_packed *packed, size_t start) {
  etr_slice since = etr_packed_since(packed, start), bytes = {etr_arena_copy(packed->arena, since), since.size};
  return bytes.data ? bytes : (etr_slice){0};
}
