/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pack.c - protobuf's wire format, written backwards.
 */
#include "tensorboard/pack.h"

typedef enum wire_type { VARINT = 0, FIXED_64 = 1, LENGTH_DELIMITED = 2, FIXED_32 = 5 } wire_type;

enum { VARINT_ROOM = 10 };

/* ---- Bytes ---- */

/* Doubles the memory and moves the packed data to its new end. Returns false, and leaves the data
 * unchanged, when out of memory. */
static bool grow_memory(etr_packer *packer) {
  size_t size = etr_packed_size(packer);
  size_t old_capacity = (size_t)(packer->end - packer->memory);
  size_t capacity = old_capacity;
  if (!etr_vec_grow(packer->arena, (void **)&packer->memory, &capacity, 1))
    return false;
  packer->end = packer->memory + capacity;
  packer->start = memmove(packer->end - size, packer->memory + old_capacity - size, size);
  return true;
}

/* Makes room for `size` bytes in front of the packed data. Returns false when out of memory. */
static inline bool reserve_front(etr_packer *packer, size_t size) {
  while ((size_t)(packer->start - packer->memory) < size)
    if (!grow_memory(packer))
      return false;
  return true;
}

/* Writes an integer as a varint, seven bits a byte, in front of `end`. Returns where it begins. */
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

/* Writes the header of a field and its bytes in front of `end`. Returns where they begin. */
static inline char *put_bytes(char *end, const ProtobufCFieldDescriptor *field, etr_slice bytes) {
  if (bytes.size > 0)
    end = memcpy(end - bytes.size, bytes.data, bytes.size);
  return put_header(end, field, bytes.size);
}

void etr_pack_nested(etr_packer *packer, const ProtobufCFieldDescriptor *field, size_t behind) {
  size_t size = etr_packed_size(packer) - behind;
  if (reserve_front(packer, 2 * VARINT_ROOM))
    packer->start = put_header(packer->start, field, size);
}

void etr_pack_bytes(etr_packer *packer, const ProtobufCFieldDescriptor *field, etr_slice bytes) {
  if (reserve_front(packer, bytes.size + 2 * VARINT_ROOM))
    packer->start = put_bytes(packer->start, field, bytes);
}

void etr_pack_copy(etr_packer *packer, etr_slice packed) {
  if (packed.size > 0 && reserve_front(packer, packed.size))
    packer->start = memcpy(packer->start - packed.size, packed.data, packed.size);
}

/* Writes the headers of a map's entry and its key in front of its value, which begins at `end` and
 * was packed since the packer had size_before bytes. Returns where the entry begins. */
static inline char *put_entry(const etr_packer *packer, char *end,
                              const ProtobufCFieldDescriptor *map_field, etr_slice key,
                              size_t size_before) {
  const ProtobufCMessageDescriptor
      *entry = map_field->descriptor; /* its fields are the key and the value */
  end = put_header(end, &entry->fields[1], (size_t)(packer->end - end) - size_before);
  end = put_bytes(end, &entry->fields[0], key);
  return put_header(end, map_field, (size_t)(packer->end - end) - size_before);
}

void etr_pack_entry(etr_packer *packer, const ProtobufCFieldDescriptor *map, etr_slice key,
                    size_t behind) {
  if (reserve_front(packer, key.size + 6 * VARINT_ROOM))
    packer->start = put_entry(packer, packer->start, map, key, behind);
}

void etr_pack_text_entry(etr_packer *packer, const ProtobufCFieldDescriptor *map, etr_slice key,
                         const ProtobufCFieldDescriptor *field, etr_slice text) {
  size_t behind = etr_packed_size(packer);
  if (reserve_front(packer, key.size + text.size + 8 * VARINT_ROOM))
    packer->start = put_entry(packer, put_bytes(packer->start, field, text), map, key, behind);
}

void etr_pack_int(etr_packer *packer, const ProtobufCFieldDescriptor *field, int64_t value) {
  if (value != 0 && reserve_front(packer, 2 * VARINT_ROOM))
    packer->start = put_tag(put_varint(packer->start, (uint64_t)value), field, VARINT);
}

/* ---- Numbers ---- */

typedef struct number {
  uint64_t bits;
  wire_type type;
} number;

/* Reads the number of a field from a message: its bits, and whether it is packed as a varint, in 4
 * bytes or in 8. */
static inline number read_number(const ProtobufCFieldDescriptor *field, const void *value) {
  uint64_t bits_64;
  uint32_t bits_32;
  switch (field->type) {
  case PROTOBUF_C_TYPE_FLOAT:
    memcpy(&bits_32, value, sizeof bits_32);
    return (number){bits_32, FIXED_32};
  case PROTOBUF_C_TYPE_DOUBLE:
    memcpy(&bits_64, value, sizeof bits_64);
    return (number){bits_64, FIXED_64};
  case PROTOBUF_C_TYPE_INT64:
    return (number){*(const uint64_t *)value, VARINT};
  default:
    return (number){(uint64_t)(int64_t)*(const int32_t *)value, VARINT};
  }
}

/* Returns true if a number is its type's zero, which is not packed. -0.0 is zero, too: the shift
 * drops its sign. */
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

/* Writes a number in front of `end`, without a tag, and returns where it begins. */
static char *put_number(char *end, number value) {
  if (value.type == VARINT)
    return put_varint(end, value.bits);
  size_t size = value.type == FIXED_32 ? sizeof(uint32_t) : sizeof(uint64_t);
  for (size_t i = size; i-- > 0;)
    *--end = (char)(value.bits >> 8 * i);
  return end;
}

/* ---- Fields ---- */

/* Returns the bytes that an element of a repeated field takes in protobuf-c's array. */
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

/* Returns the bytes of a field of type bytes or string in a message; none for a text that is NULL.
 * */
static inline etr_slice read_bytes(const ProtobufCFieldDescriptor *field, const void *value) {
  const ProtobufCBinaryData *bytes = value;
  if (field->type == PROTOBUF_C_TYPE_BYTES)
    return (etr_slice){(const char *)bytes->data, bytes->len};
  const char *text = *(const char *const *)value;
  return text ? etr_slice_of(text) : (etr_slice){0};
}

/* Packs the value of a field. A NULL message is left out, and so is 0 or an empty text unless
 * keeps_default is set, as for lists and oneofs. When out of memory nothing is packed. */
static inline void put_value(etr_packer *packer, const ProtobufCFieldDescriptor *field,
                             const void *member, bool keeps_default) {
  size_t size_before = etr_packed_size(packer);
  const ProtobufCMessage *message;
  etr_slice bytes;
  number value;
  switch (field->type) {
  case PROTOBUF_C_TYPE_MESSAGE:
    message = *(const ProtobufCMessage *const *)member;
    if (!message)
      return;
    etr_pack(packer, message);
    etr_pack_nested(packer, field, size_before);
    return;
  case PROTOBUF_C_TYPE_STRING:
  case PROTOBUF_C_TYPE_BYTES:
    bytes = read_bytes(field, member);
    if (bytes.size > 0 || keeps_default)
      etr_pack_bytes(packer, field, bytes);
    return;
  default:
    value = read_number(field, member);
    if ((keeps_default || !is_zero(value)) && reserve_front(packer, 2 * VARINT_ROOM))
      packer->start = put_tag(put_number(packer->start, value), field, value.type);
  }
}

/* Packs a repeated field from its last element to its first; numbers share one tag if the field is
 * packed. In a list also 0 and empty texts are packed (true), since each element counts. */
static void put_list(etr_packer *packer, const ProtobufCFieldDescriptor *field, const char *list,
                     size_t count) {
  size_t element_bytes = element_size(field);
  size_t size_before = etr_packed_size(packer);
  bool is_packed = field->flags & PROTOBUF_C_FIELD_FLAG_PACKED;
  for (size_t i = count; i-- > 0;)
    if (!is_packed)
      put_value(packer, field, list + i * element_bytes, true);
    else if (reserve_front(packer, VARINT_ROOM))
      packer->start = put_number(packer->start, read_number(field, list + i * element_bytes));
  if (is_packed)
    etr_pack_nested(packer, field, size_before);
}

void etr_pack(etr_packer *packer, const ProtobufCMessage *message) {
  for (unsigned i = message->descriptor->n_fields; i-- > 0;) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    const void *member = (const char *)message + field->offset;
    const void
        *quantifier = (const char *)message +
                      field->quantifier_offset; /* count of a list, or field number of a oneof */
    bool is_list = field->label == PROTOBUF_C_LABEL_REPEATED;
    bool is_oneof = field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;
    if (is_list ? *(const size_t *)quantifier == 0
                : is_oneof && *(const uint32_t *)quantifier != field->id)
      continue;
    if (is_list)
      put_list(packer, field, *(const char *const *)member, *(const size_t *)quantifier);
    else
      put_value(packer, field, member, is_oneof);
  }
}
