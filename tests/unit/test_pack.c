/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Our packing compared with that of protobuf-c, for every message of the .proto, filled in by its
 * descriptor.
 */
#include "tensorboard/pack.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* The source of numbers for messages; it gives the same numbers in every run. */
typedef struct filler {
  etr_arena arena;
  uint32_t state;
} filler;

static uint32_t pick(filler *f, uint32_t count) {
  f->state = f->state * 1664525u + 1013904223u;
  return (f->state >> 16) % count;
}

static ProtobufCMessage *make(filler *f, const ProtobufCMessageDescriptor *type);

static char *make_text(filler *f, size_t *size) {
  static const size_t sizes[] = {0, 1, 5, 127, 128, 20000};
  *size = sizes[pick(f, ETR_COUNT(sizes))];
  char *text = etr_arena_alloc(&f->arena, *size + 1);
  memset(text, 'a' + (int)pick(f, 26), *size);
  return text;
}

static void fill_value(filler *f, const ProtobufCFieldDescriptor *field, void *at) {
  static const int64_t numbers[] = {0,         1,         127, 128,       300,
                                    INT32_MAX, INT32_MIN, -1,  INT64_MAX, INT64_MIN};
  static const double reals[] = {0, -0.0, 1.5, -1e300, 3e-5};
  ProtobufCBinaryData *bytes = at;
  size_t size;
  switch (field->type) {
  case PROTOBUF_C_TYPE_MESSAGE:
    *(ProtobufCMessage **)at = make(f, field->descriptor);
    break;
  case PROTOBUF_C_TYPE_STRING:
    *(char **)at = make_text(f, &size);
    break;
  case PROTOBUF_C_TYPE_BYTES:
    bytes->data = (uint8_t *)make_text(f, &bytes->len);
    break;
  case PROTOBUF_C_TYPE_FLOAT:
    *(float *)at = (float)reals[pick(f, ETR_COUNT(reals))];
    break;
  case PROTOBUF_C_TYPE_DOUBLE:
    *(double *)at = reals[pick(f, ETR_COUNT(reals))];
    break;
  case PROTOBUF_C_TYPE_INT64:
    *(int64_t *)at = numbers[pick(f, ETR_COUNT(numbers))];
    break;
  case PROTOBUF_C_TYPE_INT32:
  case PROTOBUF_C_TYPE_ENUM:
    *(int32_t *)at = (int32_t)numbers[pick(f, 8)];
    break;
  case PROTOBUF_C_TYPE_BOOL:
    *(protobuf_c_boolean *)at = (protobuf_c_boolean)pick(f, 2);
    break;
  default:
    cr_assert_fail("%s has a type that etr_pack() does not know", field->name);
  }
}

static void fill_field(filler *f, ProtobufCMessage *message,
                       const ProtobufCFieldDescriptor *field) {
  char *at = (char *)message + field->offset,
       *quantifier = (char *)message + field->quantifier_offset;
  if (field->label == PROTOBUF_C_LABEL_REPEATED) {
    enum { LARGEST = sizeof(ProtobufCBinaryData) };
    bool is_number = field->type == PROTOBUF_C_TYPE_FLOAT || field->type == PROTOBUF_C_TYPE_INT32;
    size_t count = pick(f, 4), each = is_number ? sizeof(int32_t) : sizeof(int64_t);
    if (field->type == PROTOBUF_C_TYPE_BYTES)
      each = LARGEST;
    char *list = etr_arena_alloc(&f->arena, (count + 1) * LARGEST);
    for (size_t i = 0; i < count; i++)
      fill_value(f, field, list + i * each);
    memcpy(quantifier, &count, sizeof count);
    memcpy(at, &list, sizeof list);
    return;
  }
  if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
    if (pick(f, 2))
      return;
    memcpy(quantifier, &field->id, sizeof field->id);
  }
  if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF || pick(f, 4))
    fill_value(f, field, at);
}

static ProtobufCMessage *make(filler *f, const ProtobufCMessageDescriptor *type) {
  ProtobufCMessage *message = etr_arena_alloc(&f->arena, type->sizeof_message);
  protobuf_c_message_init(type, message);
  for (unsigned i = 0; i < type->n_fields; i++)
    fill_field(f, message, &type->fields[i]);
  return message;
}

static void expect_same(const ProtobufCMessage *message) {
  etr_arena arena = {0};
  etr_packer packer = {.arena = &arena};
  size_t size = protobuf_c_message_get_packed_size(message);
  uint8_t *expected = malloc(size + 1);
  cr_assert_eq(protobuf_c_message_pack(message, expected), size);
  etr_pack(&packer, message);
  etr_slice packed = etr_packed(&packer);
  cr_expect(packed.size == size && (size == 0 || memcmp(packed.data, expected, size) == 0),
            "%s of %zu bytes", message->descriptor->name, size);
  free(expected);
  etr_arena_clear(&arena);
}

/* The messages that are in no other message; they contain all others. */
static const ProtobufCMessageDescriptor *const roots[] = {
    &tensorboard__event__descriptor, &tensorboard__graph_def__descriptor,
    &tensorboard__run_metadata__descriptor, &tensorboard__hparams_plugin_data__descriptor,
    &tensorboard__layout__descriptor};

Test(pack, messages_are_packed_as_protobuf_c_does) {
  for (size_t i = 0; i < ETR_COUNT(roots); i++)
    for (uint32_t seed = 0; seed < 300; seed++) {
      filler f = {.state = seed * 7919u};
      expect_same(make(&f, roots[i]));
      etr_arena_clear(&f.arena);
    }
}

/* A graph of two nodes, the second with an attribute, gives the same bytes written field by field
 * or as a struct. */
Test(pack, a_graph_packed_by_field_is_the_same) {
  Tensorboard__AttrValue value = TENSORBOARD__ATTR_VALUE__INIT;
  Tensorboard__NodeDef__AttrEntry entry = TENSORBOARD__NODE_DEF__ATTR_ENTRY__INIT,
                                  *entries = &entry;
  Tensorboard__NodeDef first = TENSORBOARD__NODE_DEF__INIT, second = TENSORBOARD__NODE_DEF__INIT;
  Tensorboard__NodeDef *nodes[] = {&first, &second};
  Tensorboard__GraphDef graph = TENSORBOARD__GRAPH_DEF__INIT;
  uint8_t expected[64];
  first.name = (char[]){"first"};
  second.name = (char[]){"second"};
  value.value_case = TENSORBOARD__ATTR_VALUE__VALUE_S;
  value.s = (ProtobufCBinaryData){3, (uint8_t[]){'a', 'd', 'd'}};
  entry.key = (char[]){"target"};
  entry.value = &value;
  graph.n_node = 2;
  graph.node = nodes;
  second.n_attr = 1;
  second.attr = &entries;
  size_t size = tensorboard__graph_def__pack(&graph, expected);

  etr_arena arena = {0};
  etr_packer packer = {.arena = &arena};
  second.n_attr = 0;
  etr_pack_bytes(&packer, etr_pack_field(tensorboard__attr_value, "s"), ETR_SLICE("add"));
  etr_pack_entry(&packer, etr_pack_field(tensorboard__node_def, "attr"), ETR_SLICE("target"), 0);
  etr_pack(&packer, &second.base);
  etr_pack_nested(&packer, etr_pack_field(tensorboard__graph_def, "node"), 0);
  size_t behind = etr_packed_size(&packer);
  etr_pack(&packer, &first.base);
  etr_pack_nested(&packer, etr_pack_field(tensorboard__graph_def, "node"), behind);
  cr_expect_eq(etr_packed_size(&packer), size);
  cr_expect_arr_eq(etr_packed(&packer).data, expected, size);
  etr_arena_clear(&arena);
}
