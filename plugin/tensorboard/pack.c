/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pack.c - protobuf's wire format, written backwards.
 */
#include "tensorboard/pack.h"

typedef enum wire_type { VARINT = 0, FIXED_64 = 1, LENGTH_DELIMITED = 2, FIXED_32 = 5 } wire_type;

enum { VARINT_ROOM = 10 };

/* ---- Bytes ---- */

/* Doubles the memory. If that fails, the packed data are unchanged. */
static bool grow(etr_packer *packer) {
  size_t size = etr_packed_size(packer), before = (size_t)(packer->end - packer->memory),
         capacity = before;
  if (!etr_vec_grow(packer->arena, (void **)&packer->memory, &capacity, 1))
    return false;
  packer->end = packer->memory + capacity;
  packer->start = memmove(packer->end - size, packer->memory + before - size, size);
  return true;
}

/* Makes room in front of the packed data. */
static inline bool reserve(etr_packer *packer, size_t size) {
  while ((size_t)(packer->start - packer->memory) < size)
    if (!grow(packer))
      return false;
  return true;
}

/* Writes a varint that ends at `end`. Returns its start. */
static inline char *put_varint(char *end, uint64_t value) {
  if (value <= 0x7f) {
    *--end = (char)value;
    return end;
  }
  for (uint64_t rest = value; rest > 0; rest >>= 7)
    end--;
  char *start = end;
  for (; value > 0x7f; value >>= 7)
    *end++ = (char)(value | 0x80);
  *end = (char)value;
  return start;
}

static inline char *put_tag(char *end, const ProtobufCFieldDescriptor *field, wire_type type) {
  return put_varint(end, (uint64_t)field->id << 3 | type);
}

/* Writes the header of a nested message, or of bytes, in front of its start `end`. Returns the
 * start of the header. */
static inline char *put_header(char *end, const ProtobufCFieldDescriptor *field, size_t size) {
  return put_tag(put_varint(end, size), field, LENGTH_DELIMITED);
}

static inline char *put_bytes(char *end, const ProtobufCFieldDescriptor *field, etr_slice bytes) {
  if (bytes.size > 0)
    end = memcpy(end - bytes.size, bytes.data, bytes.size);
  return put_header(end, field, bytes.size);
}

void etr_pack_nested(etr_packer *packer, const ProtobufCFieldDescriptor *field, size_t behind) {
  size_t size = etr_packed_size(packer) - behind;
  if (reserve(packer, 2 * VARINT_ROOM))
    packer->start = put_header(packer->start, field, size);
}

void etr_pack_bytes(etr_packer *packer, const ProtobufCFieldDescriptor *field, etr_slice bytes) {
  if (reserve(packer, bytes.size + 2 * VARINT_ROOM))
    packer->start = put_bytes(packer->start, field, bytes);
}

void etr_pack_again(etr_packer *packer, etr_slice packed) {
  if (packed.size > 0 && reserve(packer, packed.size))
    packer->start = memcpy(packer->start - packed.size, packed.data, packed.size);
}

/* Writes the key and headers of a map's entry in front of its value. The value begins at `end` and
 * ends before the last `behind` bytes. */
static inline char *put_entry(const etr_packer *packer, char *end,
                              const ProtobufCFieldDescriptor *map, etr_slice key, size_t behind) {
  const ProtobufCMessageDescriptor
      *entry = map->descriptor; /* its fields are the key and the value */
  end = put_header(end, &entry->fields[1], (size_t)(packer->end - end) - behind);
  end = put_bytes(end, &entry->fields[0], key);
  return put_header(end, map, (size_t)(packer->end - end) - behind);
}

void etr_pack_entry(etr_packer *packer, const ProtobufCFieldDescriptor *map, etr_slice key,
                    size_t behind) {
  if (reserve(packer, key.size + 6 * VARINT_ROOM))
    packer->start = put_entry(packer, packer->start, map, key, behind);
}

void etr_pack_text_entry(etr_packer *packer, const ProtobufCFieldDescriptor *map, etr_slice key,
                         const ProtobufCFieldDescriptor *field, etr_slice text) {
  size_t behind = etr_packed_size(packer);
  if (reserve(packer, key.size + text.size + 8 * VARINT_ROOM))
    packer->start = put_entry(packer, put_bytes(packer->start, field, text), map, key, behind);
}

void etr_pack_int(etr_packer *packer, const ProtobufCFieldDescriptor *field, int64_t value) {
  if (value != 0 && reserve(packer, 2 * VARINT_ROOM))
    packer->start = put_tag(put_varint(packer->start, (uint64_t)value), field, VARINT);
}

/* ---- Numbers ---- */

typedef struct number {
  uint64_t bits;
  wire_type type;
} number;

/* Reads a number from a message and how it is packed. */
static inline number read_number(const ProtobufCFieldDescriptor *field, const void *at) {
  uint64_t bits;
  uint32_t half;
  switch (field->type) {
  case PROTOBUF_C_TYPE_FLOAT:
    memcpy(&half, at, sizeof half);
    return (number){half, FIXED_32};
  case PROTOBUF_C_TYPE_DOUBLE:
    memcpy(&bits, at, sizeof bits);
    return (number){bits, FIXED_64};
  case PROTOBUF_C_TYPE_INT64:
    return (number){*(const uint64_t *)at, VARINT};
  default:
    return (number){(uint64_t)(int64_t)*(const int32_t *)at, VARINT};
  }
}

/* Returns true if a number is zero. -0.0 is zero, too. */
static inline bool is_zero(number value) {
  switch (value.type) {
  case FIXED_32:
    return (uint32_t)value.bits << 1 == 0;
  case FIXED_64:
    return value.bits << 1 == 0;
  default:
    return value.bits == 0;
  }
}

/* Writes a number in front of `end` and returns where it begins. */
static char *put_number(char *end, number value) {
  if (value.type == VARINT)
    return put_varint(end, value.bits);
  size_t size = value.type == FIXED_32 ? sizeof(uint32_t) : sizeof(uint64_t);
  for (size_t i = size; i-- > 0;)
    *--end = (char)(value.bits >> 8 * i);
  return end;
}

/* ---- Fields ---- */

/* Returns the size of an element of a repeated field. */
static size_t element_size(const ProtobufCFieldDescriptor *field) {
  switch (field->type) {
  case PROTOBUF_C_TYPE_STRING:
    return sizeof(char *);
  case PROTOBUF_C_TYPE_BYTES:
    return sizeof(ProtobufCBinaryData);
  case PROTOBUF_C_TYPE_MESSAGE:
    return sizeof(ProtobufCMessage *);
  case PROTOBUF_C_TYPE_INT64:
    return sizeof(int64_t);
  case PROTOBUF_C_TYPE_DOUBLE:
    return sizeof(double);
  default:
    return sizeof(int32_t);
  }
}

static inline etr_slice read_bytes(const ProtobufCFieldDescriptor *field, const void *at) {
  const ProtobufCBinaryData *bytes = at;
  if (field->type == PROTOBUF_C_TYPE_BYTES)
    return (etr_slice){(const char *)bytes->data, bytes->len};
  const char *text = *(const char *const *)at;
  return text ? etr_slice_of(text) : (etr_slice){0};
}

/* Packs a value. keeps_default: also packs 0 and an empty text, as in lists and oneofs. */
static inline void put_value(etr_packer *packer, const ProtobufCFieldDescriptor *field,
                             const void *at, bool keeps_default) {
  size_t behind = etr_packed_size(packer);
  const ProtobufCMessage *message;
  etr_slice bytes;
  number value;
  switch (field->type) {
  case PROTOBUF_C_TYPE_MESSAGE:
    message = *(const ProtobufCMessage *const *)at;
    if (!message)
      return;
    etr_pack(packer, message);
    etr_pack_nested(packer, field, behind);
    return;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_BYTES:
    bytes = read_bytes(field, at);
    if (bytes.size > 0 || keeps_default)
      etr_pack_bytes(packer, field, bytes);
    return;
  default:
    value = read_number(field, at);
    if ((keeps_default || !is_zero(value)) && reserve(packer, 2 * VARINT_ROOM))
      packer->start = put_tag(put_number(packer->start, value), field, value.type);
  }
}

/* Packs a repeated field, from its last element to its first. */
static void put_list(etr_packer *packer, const ProtobufCFieldDescriptor *field, const char *list,
                     size_t count) {
  size_t each = element_size(field), behind = etr_packed_size(packer);
  bool is_packed = field->flags & PROTOBUF_C_FIELD_FLAG_PACKED;
  for (size_t i = count; i-- > 0;)
    if (!is_packed)
      put_value(packer, field, list + i * each, true);
    else if (reserve(packer, VARINT_ROOM))
      packer->start = put_number(packer->start, read_number(field, list + i * each));
  if (is_packed)
    etr_pack_nested(packer, field, behind);
}

void etr_pack(etr_packer *packer, const ProtobufCMessage *message) {
  for (unsigned i = message->descriptor->n_fields; i-- > 0;) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    const void *at = (const char *)message + field->offset;
    const void
        *quantifier = (const char *)message +
                      field->quantifier_offset; /* count of a list, or field number of a oneof */
    bool is_list = field->label == PROTOBUF_C_LABEL_REPEATED,
         is_oneof = field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;
    if (is_list ? *(const size_t *)quantifier == 0
                : is_oneof && *(const uint32_t *)quantifier != field->id)
      continue;
    if (is_list)
      put_list(packer, field, *(const char *const *)at, *(const size_t *)quantifier);
    else
      put_value(packer, field, at, is_oneof);
  }
}
