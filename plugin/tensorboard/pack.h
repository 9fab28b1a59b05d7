/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pack.h - packs the messages of proto/tensorboard.proto. Layer 5.
 *
 * protobuf_c_message_pack() needs the size beforehand, which is a second walk over the message, and moves every nested
 * message once its length is known. This one walks once, from the last field to the first: when a header is due, the
 * length is known. Field numbers and types are those of the generated descriptors; the bytes are protobuf-c's.
 */
#ifndef ETR_PACK_H
#define ETR_PACK_H

#include "base/arena.h"
#include "tensorboard.pb-c.h"

/** Packed messages at the end of memory that grows. Zeroed but for the arena: empty. */
typedef struct etr_packer {
  etr_arena *arena;
  char *memory, *start, *end; /* what is packed is between start and end */
} etr_packer;

/**
 * Packs a message in front of what is packed already: to list messages one behind the other, start with the last.
 * Knows proto3's int32, int64, bool, enum, float, double, string, bytes and message, repeated and in a oneof. A failed
 * allocation is the arena's.
 */
void etr_pack(etr_packer *packer, const ProtobufCMessage *message);

/** Drops what is packed; the memory is used again. */
static inline void etr_packer_reset(etr_packer *packer) { packer->start = packer->end; }

/** Bytes packed so far. */
static inline size_t etr_packed_size(const etr_packer *packer) { return (size_t)(packer->end - packer->start); }

/** What is packed, borrowed until the next call; empty when out of memory. */
static inline etr_slice etr_packed(const etr_packer *packer) {
  if (packer->start == packer->end || etr_arena_failed(packer->arena)) return (etr_slice){0};
  return (etr_slice){packer->start, etr_packed_size(packer)};
}

/* For messages of which there are too many to fill a struct for each, and for large ones: field by field, each in front
 * of what is packed. */

/** A field of a message of the .proto, by its name: looks it up each time. */
#define etr_pack_field(message, name) protobuf_c_message_descriptor_get_field_by_name(&message##__descriptor, (name))

/** Packs a text or bytes, also an empty one. */
void etr_pack_bytes(etr_packer *packer, const ProtobufCFieldDescriptor *field, etr_slice bytes);

/** Packs an int32, int64, bool or enum, but not a 0. */
void etr_pack_int(etr_packer *packer, const ProtobufCFieldDescriptor *field, int64_t value);

/** Puts what was packed before in front, as it is. */
void etr_pack_again(etr_packer *packer, etr_slice packed);

/** Makes a nested message, or bytes, of all but the last `behind` bytes: the etr_packed_size() before it. */
void etr_pack_nested(etr_packer *packer, const ProtobufCFieldDescriptor *field, size_t behind);

/** Makes an entry of a map from texts to messages, likewise of its packed value. */
void etr_pack_entry(etr_packer *packer, const ProtobufCFieldDescriptor *map, etr_slice key, size_t behind);

/** The same of a value that has only this field, a text or bytes. */
void etr_pack_text_entry(etr_packer *packer, const ProtobufCFieldDescriptor *map, etr_slice key,
                         const ProtobufCFieldDescriptor *field, etr_slice text);

#endif
