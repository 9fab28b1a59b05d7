/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pieces.c - protobuf bytes that grow in an arena.
 */
#include "pieces.h"

/* Pieces start small: many a message is a few dozen bytes. */
enum { FIRST_PIECE_BYTES = 256, PIECE_BYTES = 64 * 1024, LENGTH_DELIMITED = 2 };

/* So many bytes more, in a row; NULL when out of memory. */
static uint8_t *grow(etr_pieces *pieces, size_t size) {
  if (pieces->list.count == 0 || size > pieces->room) {
    size_t room = ETR_MAX(size, pieces->list.count == 0 ? FIRST_PIECE_BYTES : ETR_MIN((size_t)PIECE_BYTES, pieces->size * 2));
    char *data = etr_arena_alloc(pieces->arena, room);
    etr_slice *piece = data ? etr_vec_push(pieces->arena, &pieces->list) : NULL;
    if (!piece) return NULL;
    *piece = (etr_slice){data, 0};
    pieces->room = room;
  }
  etr_slice *last = &pieces->list.data[pieces->list.count - 1];
  uint8_t *at = (uint8_t *)(uintptr_t)(last->data + last->size);
  last->size += size;
  pieces->room -= size;
  pieces->size += size;
  return at;
}

static size_t put_varint(uint8_t *to, uint64_t value) {
  size_t used = 0;
  for (; value > 0x7f; value >>= 7) to[used++] = (uint8_t)(value | 0x80);
  to[used++] = (uint8_t)value;
  return used;
}

void etr_pieces_field(etr_pieces *pieces, uint32_t field, size_t size) {
  uint8_t header[20];
  size_t used = put_varint(header, (uint64_t)field << 3 | LENGTH_DELIMITED);
  used += put_varint(header + used, size);
  uint8_t *at = grow(pieces, used);
  if (at) memcpy(at, header, used);
}

void etr_pieces_message(etr_pieces *pieces, const ProtobufCMessage *message) {
  uint8_t *at = grow(pieces, protobuf_c_message_get_packed_size(message));
  if (at) (void)protobuf_c_message_pack(message, at);
}

void etr_pieces_submessage(etr_pieces *pieces, uint32_t field, const ProtobufCMessage *message, etr_slice more) {
  size_t size = protobuf_c_message_get_packed_size(message);
  etr_pieces_field(pieces, field, size + more.size);
  uint8_t *at = grow(pieces, size + more.size);
  if (!at) return;
  (void)protobuf_c_message_pack(message, at);
  if (more.size) memcpy(at + size, more.data, more.size);
}

void etr_pieces_bytes(etr_pieces *pieces, etr_slice bytes) {
  uint8_t *at = grow(pieces, bytes.size);
  if (at && bytes.size) memcpy(at, bytes.data, bytes.size);
}

uint8_t *etr_pieces_put_int(uint8_t *to, uint32_t field, int64_t value) {
  to += put_varint(to, (uint64_t)field << 3);
  return to + put_varint(to, (uint64_t)value);
}

static size_t varint_size(uint64_t value) {
  size_t size = 1;
  for (; value > 0x7f; value >>= 7) size++;
  return size;
}

/* Bytes of a length-delimited field, header and all. */
static size_t field_size(uint32_t field, size_t size) { return varint_size((uint64_t)field << 3) + varint_size(size) + size; }

static uint8_t *put_header(uint8_t *to, uint32_t field, size_t size) {
  to += put_varint(to, (uint64_t)field << 3 | LENGTH_DELIMITED);
  return to + put_varint(to, size);
}

static uint8_t *put_bytes(uint8_t *to, uint32_t field, etr_slice bytes) {
  to = put_header(to, field, bytes.size);
  if (bytes.size) memcpy(to, bytes.data, bytes.size);
  return to + bytes.size;
}

uint8_t *etr_pieces_put_entry(uint8_t *to, uint32_t map_field, uint32_t value_field, etr_slice key, etr_slice text) {
  enum { KEY = 1, VALUE = 2 }; /* of any map entry */
  size_t value_size = field_size(value_field, text.size);
  to = put_header(to, map_field, field_size(KEY, key.size) + field_size(VALUE, value_size));
  to = put_bytes(to, KEY, key);
  to = put_header(to, VALUE, value_size);
  return put_bytes(to, value_field, text);
}

void etr_pieces_append(etr_pieces *pieces, const etr_pieces *more) {
  for (size_t i = 0; i < more->list.count; i++) {
    etr_slice *piece = etr_vec_push(pieces->arena, &pieces->list);
    if (!piece) return;
    *piece = more->list.data[i];
  }
  pieces->size += more->size;
  pieces->room = 0; /* what follows the last piece is not ours */
}

etr_slice etr_pieces_join(const etr_pieces *pieces) {
  if (pieces->list.count == 1) return pieces->list.data[0];
  char *bytes = etr_arena_alloc(pieces->arena, pieces->size);
  etr_slice whole = {bytes, 0};
  for (size_t i = 0; bytes && i < pieces->list.count; i++) {
    memcpy(bytes + whole.size, pieces->list.data[i].data, pieces->list.data[i].size);
    whole.size += pieces->list.data[i].size;
  }
  return whole;
}
