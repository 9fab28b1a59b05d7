/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_save.c - a zip with a pickle and the bytes of tensors, as torch/serialization.py writes it,
 * without its random number; or a pickle with these bytes inside it.
 */
#include "records/torch_save.h"

#include "formats/archive_writer.h"
#include "inputs/pickle.h"

#include <stdio.h>
#include <string.h>

/* ---- The pickle ---- */

/* Appends bytes to the pickle. */
static void put_bytes(etr_pickler *out, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char *slot = etr_vec_push(out->arena, &out->bytes);
    if (slot)
      *slot = bytes[i];
  }
}

/* Appends an operation code of pickle, or another byte. */
static void put_byte(etr_pickler *out, char code) {
  put_bytes(out, &code, 1);
}

/* Appends the `width` low bytes of a number, the lowest first. */
static void put_little_endian(etr_pickler *out, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++)
    put_byte(out, (char)(value >> (8 * i)));
}

/* Puts a function or class of Python, named by the lines "module\nname\n". */
static void put_global(etr_pickler *out, const char *lines) {
  put_byte(out, 'c');
  put_bytes(out, lines, strlen(lines));
}

/* Puts the start of a pickle: the number of the protocol. */
static void put_protocol(etr_pickler *out, char protocol) {
  put_byte(out, '\x80');
  put_byte(out, protocol);
}

void etr_pickler_begin(etr_pickler *out, etr_arena *arena, bool is_inline) {
  *out = (etr_pickler){.arena = arena, .is_inline = is_inline};
  put_protocol(out, is_inline ? 3 : 2);
}

/* As BINUNICODE: the size in four bytes, then the text. */
void etr_pickler_put_text(etr_pickler *out, etr_slice text) {
  put_byte(out, 'X');
  put_little_endian(out, text.size, 4);
  put_bytes(out, text.data, text.size);
}

/* Python writes 32 bits (BININT) if these are enough. A larger number is a LONG1, here always of
 * eight bytes. */
void etr_pickler_put_int(etr_pickler *out, int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) {
    put_byte(out, 'J');
    put_little_endian(out, (uint64_t)value, 4);
  } else {
    put_bytes(out, "\x8a\x08", 2);
    put_little_endian(out, (uint64_t)value, 8);
  }
}

void etr_pickler_put_bool(etr_pickler *out, bool value) {
  put_byte(out, value ? '\x88' : '\x89');
}

/* Numbers with a fraction (BINFLOAT) are big-endian in pickles, all others little-endian. */
void etr_pickler_put_double(etr_pickler *out, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_byte(out, 'G');
  for (int shift = 56; shift >= 0; shift -= 8)
    put_byte(out, (char)(bits >> shift));
}

void etr_pickler_put_list(etr_pickler *out) {
  put_byte(out, ']');
}

void etr_pickler_add_item(etr_pickler *out) {
  put_byte(out, 'a');
}

void etr_pickler_put_dict(etr_pickler *out) {
  put_byte(out, '}');
}

void etr_pickler_add_member(etr_pickler *out) {
  put_byte(out, 's');
}

/* Puts a tuple of integers, such as a shape: "(" marks its start, "t" makes the tuple. */
static void put_tuple(etr_pickler *out, const int64_t *values, size_t count) {
  put_byte(out, '(');
  for (size_t i = 0; i < count; i++)
    etr_pickler_put_int(out, values[i]);
  put_byte(out, 't');
}

static size_t count_elements(const etr_pickler_tensor *tensor) {
  return tensor->bytes.size / tensor->element->size;
}

/* Puts the persistent id of a tensor's bytes, ('storage', class, key, 'cpu', elements), for which
 * torch.load substitutes the bytes. `end_code` ends it: "tQ" (t ends the tuple, Q makes it a
 * persistent id), or "NtQ." in the old format, in which None is a further member and the pickle
 * ends. */
static void put_storage_id(etr_pickler *out, const etr_pickler_tensor *tensor, const char *key,
                           const char *end_code) {
  char name[64];
  (void)snprintf(name, sizeof name, "torch\n%s\n", tensor->element->storage);
  put_byte(out, '(');
  etr_pickler_put_text(out, ETR_SLICE("storage"));
  put_global(out, name);
  etr_pickler_put_text(out, etr_slice_of(key));
  etr_pickler_put_text(out, ETR_SLICE("cpu"));
  etr_pickler_put_int(out, (int64_t)count_elements(tensor));
  put_bytes(out, end_code, strlen(end_code));
}

/* Puts what precedes the bytes of a storage inside a pickle, in the old format of torch.save: magic
 * number, protocol and byte order, the persistent id, the list of keys (pickles of their own) and
 * the number of elements. read_saved_storage() in inputs/pickle.c reads it. */
static void put_saved_storage(etr_pickler *out, const etr_pickler_tensor *tensor) {
  static const char key[] = "0";
  put_bytes(out, ETR_SAVED_STORAGE, sizeof ETR_SAVED_STORAGE - 1);
  put_protocol(out, 2);
  etr_pickler_put_dict(out);
  etr_pickler_put_text(out, ETR_SLICE("little_endian"));
  etr_pickler_put_bool(out, true);
  etr_pickler_add_member(out);
  put_byte(out, '.');
  put_protocol(out, 2);
  put_storage_id(out, tensor, key, "NtQ.");
  put_protocol(out, 2);
  etr_pickler_put_list(out);
  etr_pickler_put_text(out, ETR_SLICE(key));
  etr_pickler_add_item(out);
  put_byte(out, '.');
  put_little_endian(out, count_elements(tensor), 8);
}

/* Puts a storage (the bytes of a tensor) inside the pickle: the call
 * torch.storage._load_from_bytes(bytes), where "(B" starts the arguments and the bytes, and "tR"
 * calls. The tensor's own bytes are not copied: out->offsets records where write_inline_pickle()
 * inserts them. */
static void put_inline_storage(etr_pickler *out, const etr_pickler_tensor *tensor) {
  etr_pickler heading = {.arena = out->arena};
  put_saved_storage(&heading, tensor);
  put_global(out, "torch.storage\n_load_from_bytes\n");
  put_bytes(out, "(B", 2);
  put_little_endian(out, heading.bytes.count + tensor->bytes.size, 4);
  put_bytes(out, heading.bytes.data, heading.bytes.count);
  size_t *offset = etr_vec_push(out->arena, &out->offsets);
  if (offset)
    *offset = out->bytes.count;
  put_bytes(out, "tR", 2);
}

/* Puts the call torch._utils._rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad,
 * hooks), with the bytes inside the pickle or in an entry of their own, whose key is the number of
 * storages before. The hooks are an empty OrderedDict, made by ")R", and "tR" calls the function.
 * tensor->bytes are not copied, and must live until the object is written. */
void etr_pickler_put_tensor(etr_pickler *out, const etr_pickler_tensor *tensor) {
  put_global(out, "torch._utils\n_rebuild_tensor_v2\n");
  put_byte(out, '(');
  char key[24];
  (void)snprintf(key, sizeof key, "%zu", out->storages.count);
  if (out->is_inline)
    put_inline_storage(out, tensor);
  else
    put_storage_id(out, tensor, key, "tQ");
  etr_slice *slot = etr_vec_push(out->arena, &out->storages);
  if (slot)
    *slot = tensor->bytes;
  etr_pickler_put_int(out, 0);
  put_tuple(out, tensor->sizes, tensor->rank);
  put_tuple(out, tensor->strides, tensor->rank);
  etr_pickler_put_bool(out, false); /* no gradient */
  put_global(out, "collections\nOrderedDict\n");
  put_bytes(out, ")RtR", 4);
}

etr_torch_object etr_pickler_end(etr_pickler *out) {
  put_byte(out, '.');
  return (etr_torch_object){.pickle = {out->bytes.data, out->bytes.count},
                            .storages = out->storages.data,
                            .storage_count = out->storages.count,
                            .is_inline = out->is_inline,
                            .offsets = out->offsets.data};
}

/* ---- The file ---- */

const etr_torch_object etr_torch_empty_dict = {.pickle = {"\x80\x02}q\x00.", 6}},
                       etr_torch_no_inputs = {.pickle = {"\x80\x02)}q\x00\x86q\x01.", 10}};

/* Writes the entries of an object into a zip, in the order in which torch.save writes them: the
 * pickle, the byte order, each storage and the format's version, which is 3. Fails if the sink
 * does. */
static etr_status write_zip_entries(etr_archive_writer *writer, const etr_torch_object *object,
                                    etr_error *error) {
  ETR_TRY(etr_archive_writer_add_bytes(writer, "archive/data.pkl", object->pickle, error));
  ETR_TRY(etr_archive_writer_add_bytes(writer, "archive/byteorder", ETR_SLICE("little"), error));
  for (size_t i = 0; i < object->storage_count; i++) {
    char name[48];
    (void)snprintf(name, sizeof name, "archive/data/%zu", i);
    ETR_TRY(etr_archive_writer_add_bytes(writer, name, object->storages[i], error));
  }

  ETR_TRY(etr_archive_writer_add_bytes(writer, "archive/version", ETR_SLICE("3\n"), error));
  return etr_archive_writer_finish(writer, error);
}

/* Writes a pickle with the bytes of its storages inserted: pieces of the pickle, with a storage
 * after each piece but the last. Fails if the sink does. */
static etr_status write_inline_pickle(const etr_torch_object *object, const etr_sink *sink,
                                      etr_error *error) {
  size_t piece_start = 0;
  bool is_written = true;
  for (size_t i = 0; i <= object->storage_count && is_written; i++) {
    size_t end = i < object->storage_count ? object->offsets[i] : object->pickle.size;
    is_written = sink->write(sink->context, object->pickle.data + piece_start, end - piece_start);
    if (is_written && i < object->storage_count && object->storages[i].size)
      is_written = sink->write(sink->context, object->storages[i].data, object->storages[i].size);
    piece_start = end;
  }
  return is_written ? ETR_OK : etr_fail_sink(error);
}

etr_status etr_torch_save(void *context, const etr_sink *sink, etr_error *error) {
  const etr_torch_object *object = context;
  if (object->is_inline)
    return write_inline_pickle(object, sink, error);
  etr_archive_writer *writer = etr_archive_writer_new(sink);
  etr_status status = writer ? write_zip_entries(writer, object, error) : etr_fail_memory(error);
  etr_archive_writer_close(writer);
  return status;
}
