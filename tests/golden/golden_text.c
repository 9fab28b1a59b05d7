/* SPDX-License-Identifier: BSD-3-Clause
 *
 * golden_text.c - what the emitters write for a record, as text that can be compared and read:
 * golden_text RECORD events|dot.
 *
 * Event files become one line for each event, node and timing, fields by their names in the .proto,
 * nothing left out; DOT is text already.
 */
#include "base/writer.h"
#include "tensorboard.pb-c.h"
#include "tensorboard/tfrecord.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Any message as text ---- */

/* Repeated messages that start a line of their own. */
static bool has_own_line(const char *field) {
  static const char *const names[] = {"node", "dev_stats", "node_stats", "value"};
  for (size_t i = 0; i < ETR_COUNT(names); i++)
    if (strcmp(field, names[i]) == 0)
      return true;
  return false;
}

static void put_message(etr_writer *out, const ProtobufCMessage *message, int depth);

/* A whole document: that it is the same is all that can be read. */
enum { LONG_TEXT = 2048 };

static void put_bytes(etr_writer *out, const uint8_t *data, size_t size) {
  if (size > LONG_TEXT) {
    etr_putf(out, "<%zu bytes, crc32c %08x>", size, (unsigned)etr_crc32c(0, data, size));
    return;
  }
  etr_puts(out, "\"");
  for (size_t i = 0; i < size; i++)
    if (data[i] == '"' || data[i] == '\\')
      etr_putf(out, "\\%c", data[i]);
    else if (data[i] == '\n')
      etr_puts(out, "\\n");
    else if (data[i] < 0x20 || data[i] == 0x7F)
      etr_putf(out, "\\x%02x", data[i]);
    else
      etr_put(out, (etr_slice){(const char *)data + i, 1});
  etr_puts(out, "\"");
}

/* Bytes that are a message of their own. */
static bool put_packed(etr_writer *out, const char *field, const ProtobufCBinaryData *bytes,
                       int depth) {
  const ProtobufCMessageDescriptor *type =
      strcmp(field, "graph_def") == 0      ? &tensorboard__graph_def__descriptor
      : strcmp(field, "run_metadata") == 0 ? &tensorboard__run_metadata__descriptor
      : strcmp(field, "content") == 0      ? &tensorboard__hparams_plugin_data__descriptor
      : strcmp(field, "string_val") == 0 && bytes->len && bytes->data[0] == 0x12
          ? &tensorboard__layout__descriptor /* it begins with a category */
      : strcmp(field, "string_val") == 0 && bytes->len &&
              (bytes->data[0] == 0x0A || bytes->data[0] == 0x22)
          ? &tensorboard__run_metadata__descriptor /* it begins with statistics or a graph */
          : NULL;
  ProtobufCMessage *message = type ? protobuf_c_message_unpack(type, NULL, bytes->len, bytes->data)
                                   : NULL;
  if (!message)
    return false;
  put_message(out, message, depth);
  protobuf_c_message_free_unpacked(message, NULL);
  return true;
}

static void put_value(etr_writer *out, const ProtobufCFieldDescriptor *field, const void *at,
                      int depth) {
  const ProtobufCBinaryData *bytes = at;
  switch (field->type) {
  case PROTOBUF_C_TYPE_INT32:
    etr_putf(out, "%d", *(const int32_t *)at);
    break;
  case PROTOBUF_C_TYPE_UINT32:
    etr_putf(out, "%u", *(const uint32_t *)at);
    break;
  case PROTOBUF_C_TYPE_INT64:
    etr_putf(out, "%lld", (long long)*(const int64_t *)at);
    break;
  case PROTOBUF_C_TYPE_UINT64:
    etr_putf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
    break;
  case PROTOBUF_C_TYPE_ENUM:
    etr_putf(out, "%d", *(const int *)at);
    break;
  case PROTOBUF_C_TYPE_BOOL:
    etr_puts(out, *(const protobuf_c_boolean *)at ? "true" : "false");
    break;
  case PROTOBUF_C_TYPE_FLOAT:
    etr_put_double(out, (double)*(const float *)at);
    break;
  case PROTOBUF_C_TYPE_DOUBLE:
    etr_put_double(out, *(const double *)at);
    break;
  case PROTOBUF_C_TYPE_STRING:
    put_bytes(out, *(const uint8_t *const *)at, strlen(*(const char *const *)at));
    break;
  case PROTOBUF_C_TYPE_BYTES:
    if (!put_packed(out, field->name, bytes, depth))
      put_bytes(out, bytes->data, bytes->len);
    break;
  case PROTOBUF_C_TYPE_MESSAGE:
    put_message(out, *(const ProtobufCMessage *const *)at, depth);
    break;
  default:
    etr_puts(out, "a type that this program does not know");
  }
}

static size_t size_of(ProtobufCType type) {
  switch (type) {
  case PROTOBUF_C_TYPE_INT32:
  case PROTOBUF_C_TYPE_UINT32:
  case PROTOBUF_C_TYPE_FLOAT:
    return 4;
  case PROTOBUF_C_TYPE_INT64:
  case PROTOBUF_C_TYPE_UINT64:
  case PROTOBUF_C_TYPE_DOUBLE:
    return 8;
  case PROTOBUF_C_TYPE_BOOL:
    return sizeof(protobuf_c_boolean);
  case PROTOBUF_C_TYPE_ENUM:
    return sizeof(int);
  case PROTOBUF_C_TYPE_BYTES:
    return sizeof(ProtobufCBinaryData);
  default:
    return sizeof(void *);
  }
}

static bool is_default(const ProtobufCFieldDescriptor *field, const void *at) {
  static const char zeros[sizeof(ProtobufCBinaryData)];
  if (field->type == PROTOBUF_C_TYPE_STRING)
    return *(const char *const *)at == NULL || **(const char *const *)at == '\0';
  if (field->type == PROTOBUF_C_TYPE_BYTES)
    return ((const ProtobufCBinaryData *)at)->len == 0;
  return memcmp(at, zeros, size_of(field->type)) == 0;
}

static void put_field(etr_writer *out, const ProtobufCMessage *message,
                      const ProtobufCFieldDescriptor *field, int depth) {
  const char *base = (const char *)message, *at = base + field->offset;
  bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED,
       one_of = field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;
  size_t count = repeated ? *(const size_t *)(const void *)(base + field->quantifier_offset) : 1;
  if (one_of && *(const uint32_t *)(const void *)(base + field->quantifier_offset) != field->id)
    return;
  if (!repeated && !one_of && is_default(field, at))
    return;
  if (repeated && count)
    at = *(const char *const *)(const void *)at;
  bool own_line = repeated && has_own_line(field->name);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(field->name, "attr") == 0)
      etr_puts(out, " ");
    else
      etr_putf(out, own_line ? "\n%*s%s: " : "%*s%s: ", own_line ? 2 * depth : 1, "", field->name);
    put_value(out, field, at + i * size_of(field->type), depth + own_line);
  }
}

/* [2,8]; [?] of an unknown rank. */
static void put_shape(etr_writer *out, const Tensorboard__TensorShapeProto *shape) {
  etr_puts(out, "[");
  for (size_t i = 0; i < shape->n_dim; i++)
    etr_putf(out, "%s%lld", i ? "," : "", (long long)shape->dim[i]->size);
  etr_puts(out, shape->unknown_rank ? "?]" : "]");
}

/* KEY=VALUE of a text, what else there is as a message. */
static void put_attribute(etr_writer *out, const Tensorboard__NodeDef__AttrEntry *entry,
                          int depth) {
  etr_puts(out, entry->key);
  etr_puts(out, "=");
  if (entry->value->value_case == TENSORBOARD__ATTR_VALUE__VALUE_S)
    put_bytes(out, entry->value->s.data, entry->value->s.len);
  else
    put_message(out, &entry->value->base, depth);
}

static void put_message(etr_writer *out, const ProtobufCMessage *message, int depth) {
  if (message->descriptor == &tensorboard__tensor_shape_proto__descriptor) {
    put_shape(out, (const Tensorboard__TensorShapeProto *)message);
    return;
  }
  if (message->descriptor == &tensorboard__node_def__attr_entry__descriptor) {
    put_attribute(out, (const Tensorboard__NodeDef__AttrEntry *)message, depth);
    return;
  }
  etr_puts(out, "{");
  for (unsigned i = 0; i < message->descriptor->n_fields; i++)
    put_field(out, message, &message->descriptor->fields[i], depth);
  etr_puts(out, " }");
}

/* ---- Event files ---- */

static uint64_t number_at(const uint8_t *at, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = width; i > 0; i--)
    value = value << 8 | at[i - 1];
  return value;
}

/* False: the framing is wrong. */
static bool put_events(etr_writer *out, const uint8_t *at, size_t size) {
  while (size > 0) {
    uint64_t length = size >= 16 ? number_at(at, 8) : UINT64_MAX;
    if (size < 16 || length > size - 16)
      return false;
    if (number_at(at + 8, 4) != etr_crc32c_masked(etr_crc32c(0, at, 8)) ||
        number_at(at + 12 + length, 4) != etr_crc32c_masked(etr_crc32c(0, at + 12, (size_t)length)))
      return false;
    ProtobufCMessage *event = protobuf_c_message_unpack(&tensorboard__event__descriptor, NULL,
                                                        (size_t)length, at + 12);
    if (!event)
      return false;
    put_message(out, event, 1);
    etr_puts(out, "\n");
    protobuf_c_message_free_unpacked(event, NULL);
    at += 16 + length;
    size -= 16 + (size_t)length;
  }
  return true;
}

/* ---- The record ---- */

static bool write_stdout(void *context, const void *data, size_t size) {
  (void)context;
  return fwrite(data, 1, size, stdout) == size;
}

/* Puts what an emitter wrote: the event file of the whole record, or the DOT of a graph. */
static bool put_written(etr_writer *out, const etr_profile *profile, size_t graph) {
  etr_arena arena = {0};
  etr_text text;
  etr_writer into;
  bool events = graph == ETR_WHOLE_RECORD;
  etr_text_begin(&text, &arena, &into);
  if (!events)
    etr_putf(out, "==== %s/%s\n", profile->graphs[graph].module, profile->graphs[graph].method);
  bool good = (events ? etr_emit_events(profile, graph, NULL, &into.sink, NULL)
                      : etr_emit_dot(profile, graph, NULL, &into.sink, NULL)) == ETR_OK;
  if (good && events)
    good = put_events(out, (const uint8_t *)text.data, text.size);
  if (good && !events)
    etr_put(out, (etr_slice){text.data, text.size});
  etr_arena_clear(&arena);
  return good;
}

int main(int argc, char **argv) {
  etr_inputs inputs;
  etr_profile *profile;
  etr_error error;
  etr_writer out;
  etr_writer_init(&out, &(etr_sink){write_stdout, NULL});
  if (argc != 3)
    return 2;
  if (etr_inputs_find(&inputs, argv[1], NULL, &error) != ETR_OK ||
      etr_profile_open(&profile, &inputs, NULL, &error) != ETR_OK) {
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
    return 1;
  }
  bool is_events = strcmp(argv[2], "events") == 0;
  bool good = !is_events || put_written(&out, profile, ETR_WHOLE_RECORD);
  for (size_t i = 0; i < profile->graph_count && good && !is_events; i++)
    good = put_written(&out, profile, i);
  if (!good)
    fprintf(stderr, "%s: a wrong event file, or no memory\n", argv[1]);
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
  return good && etr_writer_finish(&out, NULL) == ETR_OK ? 0 : 1;
}
