/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pickle_out.c - opcodes of CPython's Lib/pickletools.py, protocol 2, or 3 where there are bytes, without a memo.
 */
#include "records/pickle_out.h"

#include "inputs/pickle.h"

#include <stdio.h>

static void put(etr_pickle_out *out, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char *at = etr_vec_push(out->arena, &out->bytes);
    if (at) *at = bytes[i];
  }
}

static void put_code(etr_pickle_out *out, char code) { put(out, &code, 1); }

static void put_le(etr_pickle_out *out, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++) put_code(out, (char)(value >> (8 * i)));
}

/* A name of Python: "module\nname\n". */
static void put_name(etr_pickle_out *out, const char *lines) {
  put_code(out, 'c');
  put(out, lines, strlen(lines));
}

static void put_protocol(etr_pickle_out *out, char protocol) {
  put_code(out, '\x80');
  put_code(out, protocol);
}

void etr_pickle_begin(etr_pickle_out *out, etr_arena *arena, bool is_inline) {
  *out = (etr_pickle_out){.arena = arena, .is_inline = is_inline};
  put_protocol(out, is_inline ? 3 : 2);
}

void etr_pickle_put_text(etr_pickle_out *out, etr_slice text) {
  put_code(out, 'X');
  put_le(out, text.size, 4);
  put(out, text.data, text.size);
}

void etr_pickle_put_int(etr_pickle_out *out, int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) {
    put_code(out, 'J');
    put_le(out, (uint64_t)value, 4);
  } else {
    put(out, "\x8a\x08", 2);
    put_le(out, (uint64_t)value, 8);
  }
}

void etr_pickle_put_bool(etr_pickle_out *out, bool value) { put_code(out, value ? '\x88' : '\x89'); }

void etr_pickle_put_double(etr_pickle_out *out, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_code(out, 'G');
  for (int shift = 56; shift >= 0; shift -= 8) put_code(out, (char)(bits >> shift));
}

void etr_pickle_put_list(etr_pickle_out *out) { put_code(out, ']'); }

void etr_pickle_add_item(etr_pickle_out *out) { put_code(out, 'a'); }

void etr_pickle_put_dict(etr_pickle_out *out) { put_code(out, '}'); }

void etr_pickle_add_member(etr_pickle_out *out) { put_code(out, 's'); }

/* ---- Tensors ---- */

static void put_tuple(etr_pickle_out *out, const int64_t *values, size_t count) {
  put_code(out, '(');
  for (size_t i = 0; i < count; i++) etr_pickle_put_int(out, values[i]);
  put_code(out, 't');
}

static size_t count_elements(const etr_pickle_tensor *tensor) { return tensor->bytes.size / tensor->element->size; }

/* ('storage', class, key, 'cpu', elements), and inside a pickle None, which torch.load turns into the bytes. */
static void put_storage_id(etr_pickle_out *out, const etr_pickle_tensor *tensor, const char *key, const char *end) {
  char name[64];
  (void)snprintf(name, sizeof name, "torch\n%s\n", tensor->element->storage);
  put_code(out, '(');
  etr_pickle_put_text(out, ETR_SLICE("storage"));
  put_name(out, name);
  etr_pickle_put_text(out, etr_slice_of(key));
  etr_pickle_put_text(out, ETR_SLICE("cpu"));
  etr_pickle_put_int(out, (int64_t)count_elements(tensor));
  put(out, end, strlen(end));
}

/* What torch.save once put in front of the bytes of one storage: see read_saved_storage() of inputs/pickle.c. */
static void put_saved_storage(etr_pickle_out *out, const etr_pickle_tensor *tensor) {
  static const char key[] = "0";
  put(out, ETR_SAVED_STORAGE, sizeof ETR_SAVED_STORAGE - 1);
  put_protocol(out, 2);
  etr_pickle_put_dict(out);
  etr_pickle_put_text(out, ETR_SLICE("little_endian"));
  etr_pickle_put_bool(out, true);
  etr_pickle_add_member(out);
  put_code(out, '.');
  put_protocol(out, 2);
  put_storage_id(out, tensor, key, "NtQ.");
  put_protocol(out, 2);
  etr_pickle_put_list(out);
  etr_pickle_put_text(out, ETR_SLICE(key));
  etr_pickle_add_item(out);
  put_code(out, '.');
  put_le(out, count_elements(tensor), 8);
}

/* The storage inside the pickle: torch.storage._load_from_bytes(bytes). */
static void put_inline_storage(etr_pickle_out *out, const etr_pickle_tensor *tensor) {
  etr_pickle_out heading = {.arena = out->arena};
  put_saved_storage(&heading, tensor);
  put_name(out, "torch.storage\n_load_from_bytes\n");
  put(out, "(B", 2);
  put_le(out, heading.bytes.count + tensor->bytes.size, 4);
  put(out, heading.bytes.data, heading.bytes.count);
  size_t *place = etr_vec_push(out->arena, &out->places);
  if (place) *place = out->bytes.count;
  put(out, "tR", 2);
}

static void put_storage(etr_pickle_out *out, const etr_pickle_tensor *tensor) {
  char key[24];
  (void)snprintf(key, sizeof key, "%zu", out->storages.count);
  if (out->is_inline)
    put_inline_storage(out, tensor);
  else
    put_storage_id(out, tensor, key, "tQ");
  etr_slice *slot = etr_vec_push(out->arena, &out->storages);
  if (slot) *slot = tensor->bytes;
}

void etr_pickle_put_tensor(etr_pickle_out *out, const etr_pickle_tensor *tensor) {
  put_name(out, "torch._utils\n_rebuild_tensor_v2\n");
  put_code(out, '(');
  put_storage(out, tensor);
  etr_pickle_put_int(out, 0);
  put_tuple(out, tensor->sizes, tensor->rank);
  put_tuple(out, tensor->strides, tensor->rank);
  etr_pickle_put_bool(out, false); /* no gradient */
  put_name(out, "collections\nOrderedDict\n");
  put(out, ")RtR", 4);
}

etr_torch_object etr_pickle_end(etr_pickle_out *out) {
  put_code(out, '.');
  return (etr_torch_object){.pickle = {out->bytes.data, out->bytes.count},
                            .storages = out->storages.data,
                            .storage_count = out->storages.count,
                            .is_inline = out->is_inline,
                            .places = out->places.data};
}
