/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bundled.c - from tables of tests to lists of tensors.
 */
#include "formats/element.h"
#include "inputs/bundle.h"
#include "inputs/pickle.h"
#include "inputs/tensor_data.h"
#include "records/part.h"
#include "records/torch_save.h"

#include <stdio.h>

/* ---- Writes pickles of lists, dicts, numbers, texts and tensors, as torch.save or pickle.dumps
 * makes them. Layer 3. The other way round: inputs/pickle.h ---- */

/* A pickle while it is written, value by value; items are written before the list that contains
 * them. */
typedef struct pickle_out {
  etr_arena *arena;
  bool is_inline; /* the storages are inside the pickle, as pickle.dumps writes them */
  etr_vec(char) bytes;
  etr_vec(etr_slice) storages;
  etr_vec(size_t) offsets; /* where the bytes of each storage are inserted into the pickle */
} pickle_out;

/* A dense tensor. Everything is borrowed; the bytes for as long as the object lives. */
typedef struct pickle_tensor {
  const etr_element *element;
  const int64_t *sizes, *strides;
  size_t rank;
  etr_slice bytes;
} pickle_tensor;

static void put_bytes(pickle_out *out, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char *at = etr_vec_push(out->arena, &out->bytes);
    if (at)
      *at = bytes[i];
  }
}

static void put_code(pickle_out *out, char code) {
  put_bytes(out, &code, 1);
}

static void put_le(pickle_out *out, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++)
    put_code(out, (char)(value >> (8 * i)));
}

/* Puts a name of Python: "module\nname\n". */
static void put_name(pickle_out *out, const char *lines) {
  put_code(out, 'c');
  put_bytes(out, lines, strlen(lines));
}

static void put_protocol(pickle_out *out, char protocol) {
  put_code(out, '\x80');
  put_code(out, protocol);
}

/* Starts a pickle whose storages are beside it, like torch.save writes them, or inside it. */
static void pickle_begin(pickle_out *out, etr_arena *arena, bool is_inline) {
  *out = (pickle_out){.arena = arena, .is_inline = is_inline};
  put_protocol(out, is_inline ? 3 : 2);
}

static void pickle_put_text(pickle_out *out, etr_slice text) {
  put_code(out, 'X');
  put_le(out, text.size, 4);
  put_bytes(out, text.data, text.size);
}

static void pickle_put_int(pickle_out *out, int64_t value) {
  if (value >= INT32_MIN && value <= INT32_MAX) {
    put_code(out, 'J');
    put_le(out, (uint64_t)value, 4);
  } else {
    put_bytes(out, "\x8a\x08", 2);
    put_le(out, (uint64_t)value, 8);
  }
}

static void pickle_put_bool(pickle_out *out, bool value) {
  put_code(out, value ? '\x88' : '\x89');
}

static void pickle_put_double(pickle_out *out, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_code(out, 'G');
  for (int shift = 56; shift >= 0; shift -= 8)
    put_code(out, (char)(bits >> shift));
}

/* Puts an empty list. Values put after it are added one by one. */
static void pickle_put_list(pickle_out *out) {
  put_code(out, ']');
}

static void pickle_add_item(pickle_out *out) {
  put_code(out, 'a');
}

/* Puts an empty dict. A key and a value put after it are added. */
static void pickle_put_dict(pickle_out *out) {
  put_code(out, '}');
}

static void pickle_add_member(pickle_out *out) {
  put_code(out, 's');
}

/* ---- Tensors ---- */

static void put_tuple(pickle_out *out, const int64_t *values, size_t count) {
  put_code(out, '(');
  for (size_t i = 0; i < count; i++)
    pickle_put_int(out, values[i]);
  put_code(out, 't');
}

static size_t count_elements(const pickle_tensor *tensor) {
  return tensor->bytes.size / tensor->element->size;
}

/* Puts ('storage', class, key, 'cpu', elements) and, inside a pickle, None, which torch.load
 * replaces by the bytes. */
static void put_storage_id(pickle_out *out, const pickle_tensor *tensor, const char *key,
                           const char *end) {
  char name[64];
  (void)snprintf(name, sizeof name, "torch\n%s\n", tensor->element->storage);
  put_code(out, '(');
  pickle_put_text(out, ETR_SLICE("storage"));
  put_name(out, name);
  pickle_put_text(out, etr_slice_of(key));
  pickle_put_text(out, ETR_SLICE("cpu"));
  pickle_put_int(out, (int64_t)count_elements(tensor));
  put_bytes(out, end, strlen(end));
}

/* Puts what torch.save once wrote before the bytes of a storage: see read_saved_storage() in
 * inputs/pickle.c. */
static void put_saved_storage(pickle_out *out, const pickle_tensor *tensor) {
  static const char key[] = "0";
  put_bytes(out, ETR_SAVED_STORAGE, sizeof ETR_SAVED_STORAGE - 1);
  put_protocol(out, 2);
  pickle_put_dict(out);
  pickle_put_text(out, ETR_SLICE("little_endian"));
  pickle_put_bool(out, true);
  pickle_add_member(out);
  put_code(out, '.');
  put_protocol(out, 2);
  put_storage_id(out, tensor, key, "NtQ.");
  put_protocol(out, 2);
  pickle_put_list(out);
  pickle_put_text(out, ETR_SLICE(key));
  pickle_add_item(out);
  put_code(out, '.');
  put_le(out, count_elements(tensor), 8);
}

static void pickle_put_tensor(pickle_out *out, const pickle_tensor *tensor) {
  put_name(out, "torch._utils\n_rebuild_tensor_v2\n");
  put_code(out, '(');
  char key[24];
  (void)snprintf(key, sizeof key, "%zu", out->storages.count);
  if (out->is_inline) {
    /* The storage inside the pickle: torch.storage._load_from_bytes(bytes). */
    pickle_out heading = {.arena = out->arena};
    put_saved_storage(&heading, tensor);
    put_name(out, "torch.storage\n_load_from_bytes\n");
    put_bytes(out, "(B", 2);
    put_le(out, heading.bytes.count + tensor->bytes.size, 4);
    put_bytes(out, heading.bytes.data, heading.bytes.count);
    size_t *offset = etr_vec_push(out->arena, &out->offsets);
    if (offset)
      *offset = out->bytes.count;
    put_bytes(out, "tR", 2);
  } else
    put_storage_id(out, tensor, key, "tQ");
  etr_slice *slot = etr_vec_push(out->arena, &out->storages);
  if (slot)
    *slot = tensor->bytes;
  pickle_put_int(out, 0);
  put_tuple(out, tensor->sizes, tensor->rank);
  put_tuple(out, tensor->strides, tensor->rank);
  pickle_put_bool(out, false); /* no gradient */
  put_name(out, "collections\nOrderedDict\n");
  put_bytes(out, ")RtR", 4);
}

/* Ends the pickle. The object lives as long as the arena, which has failed when out of memory. */
static etr_torch_object pickle_end(pickle_out *out) {
  put_code(out, '.');
  return (etr_torch_object){.pickle = {out->bytes.data, out->bytes.count},
                            .storages = out->storages.data,
                            .storage_count = out->storages.count,
                            .is_inline = out->is_inline,
                            .offsets = out->offsets.data};
}

/* ---- From tables of tests to lists of tensors ---- */

/* Fields, in the order of the schema. */
enum { CASE_INPUTS, CASE_OUTPUTS };
enum { VALUE_TYPE, VALUE_TABLE };
enum { TENSOR_SCALAR_TYPE, TENSOR_SIZES, TENSOR_DATA, TENSOR_DIM_ORDER };
enum { ONLY_FIELD = 0 }; /* of Int, Bool, Double */
enum { TYPE_TENSOR = 1, TYPE_INT, TYPE_BOOL, TYPE_DOUBLE };

#define MOST_FILE_BYTES ((uint64_t)1 << 30)

typedef struct reader {
  etr_bundled *bundled;
  etr_bundle bundle;
} reader;

/* ---- Values ---- */

/* Computes the strides of contiguous elements whose dimensions have this order. Returns false if
 * the order is not a permutation. */
static bool find_strides(int64_t *strides, const int64_t *sizes, size_t rank, etr_slice order) {
  uint64_t stride = 1;
  uint64_t seen = 0;
  for (size_t i = rank; i-- > 0;) {
    size_t dim = order.size ? (uint8_t)order.data[i] : i;
    if (dim >= rank || seen >> dim & 1)
      return false;
    seen |= (uint64_t)1 << dim;
    strides[dim] = (int64_t)stride;
    stride *= (uint64_t)ETR_MAX(sizes[dim], 1);
  }
  return true;
}

static const char *put_value(pickle_out *out, reader *r, etr_fb_at value) {
  etr_fb_at table = etr_fb_table(&r->bundle.fb, value, VALUE_TABLE);
  switch (etr_fb_u8(&r->bundle.fb, value, VALUE_TYPE, 0)) {
  case TYPE_TENSOR: {
    /* Checks whether the tensor can be put. */
    int64_t sizes[ETR_MOST_RANK], strides[ETR_MOST_RANK];
    uint32_t rank;
    uint64_t count;
    const char *dtype = etr_scalar_type_name(
        etr_fb_u8(&r->bundle.fb, table, TENSOR_SCALAR_TYPE, 0));
    const etr_element *element = dtype ? etr_element_of_dtype(dtype) : NULL;
    etr_fb_at vector = etr_fb_vector(&r->bundle.fb, table, TENSOR_SIZES, sizeof(int32_t), &rank);
    etr_slice data = etr_fb_bytes(&r->bundle.fb, table, TENSOR_DATA),
              order = etr_fb_bytes(&r->bundle.fb, table, TENSOR_DIM_ORDER);
    if (!element || !element->storage)
      return "left out: a tensor has a number type that torch.save writes otherwise";
    if (rank > ETR_MOST_RANK || (order.size && order.size != rank))
      return "left out: a tensor has a senseless shape";
    for (uint32_t i = 0; i < rank; i++)
      sizes[i] = etr_fb_i32_at(&r->bundle.fb, vector, i);
    if (!etr_tensor_count(sizes, (int32_t)rank, element->size, &count) ||
        count * element->size != data.size || !find_strides(strides, sizes, rank, order))
      return "left out: a tensor has another size than its shape says";
    pickle_put_tensor(out, &(pickle_tensor){element, sizes, strides, rank, data});
    return NULL;
  }
  case TYPE_INT:
    pickle_put_int(out, etr_fb_i64(&r->bundle.fb, table, ONLY_FIELD, 0));
    return NULL;
  case TYPE_BOOL:
    pickle_put_bool(out, etr_fb_u8(&r->bundle.fb, table, ONLY_FIELD, 0) != 0);
    return NULL;
  case TYPE_DOUBLE:
    pickle_put_double(out, etr_double_of_bits(etr_fb_u64(&r->bundle.fb, table, ONLY_FIELD, 0)));
    return NULL;
  default:
    return "left out: a value is of an unknown kind";
  }
}

static const char *put_values(pickle_out *out, reader *r, etr_fb_at test, unsigned field) {
  uint32_t count;
  etr_fb_at values = etr_fb_vector(&r->bundle.fb, test, field, 4, &count);
  pickle_put_list(out);
  for (uint32_t i = 0; i < count; i++) {
    const char *problem = put_value(out, r, etr_fb_table_at(&r->bundle.fb, values, i));
    if (problem)
      return problem;
    pickle_add_item(out);
  }
  return field == CASE_OUTPUTS && count == 0
             ? "no reference outputs: a test has no expected outputs"
             : NULL;
}

/* ---- Tests ---- */

static const char *put_suite(pickle_out *out, reader *r, uint32_t index) {
  const etr_bundle_suite suite = etr_bundle_suite_at(&r->bundle, index);
  pickle_put_text(out, suite.method);
  pickle_put_list(out);
  for (uint32_t i = 0; i < suite.case_count; i++) {
    const char *problem = put_values(out, r, etr_fb_table_at(&r->bundle.fb, suite.cases, i),
                                     CASE_OUTPUTS);
    if (problem)
      return problem;
    pickle_add_item(out);
  }
  pickle_add_member(out);
  return NULL;
}

/* Takes the inputs of the tests of `forward`, as ExecuTorch does. */
static void take_inputs(reader *r) {
  for (uint32_t i = 0; i < r->bundle.suite_count; i++) {
    pickle_out out;
    const etr_bundle_suite suite = etr_bundle_suite_at(&r->bundle, i);
    if (!etr_slice_is(suite.method, "forward") || suite.case_count == 0)
      continue;
    pickle_begin(&out, &r->bundled->arena, r->bundled->is_inline);
    const char *problem = put_values(&out, r, etr_fb_table_at(&r->bundle.fb, suite.cases, 0),
                                     CASE_INPUTS);
    if (problem)
      r->bundled->problem = problem;
    else
      r->bundled->inputs = pickle_end(&out);
    return;
  }
}

/* ---- The file ---- */

static etr_status read_suites(reader *r, etr_slice bytes, etr_error *error) {
  ETR_TRY(etr_bundle_open(&r->bundle, bytes, r->bundled->path, error));
  pickle_out out;
  const char *problem = NULL;
  pickle_begin(&out, &r->bundled->arena, r->bundled->is_inline);
  pickle_put_dict(&out);
  for (uint32_t i = 0; !problem && i < r->bundle.suite_count; i++)
    problem = put_suite(&out, r, i);
  if (problem)
    r->bundled->problem = problem;
  else
    r->bundled->outputs = pickle_end(&out);
  take_inputs(r);
  return etr_arena_failed(&r->bundled->arena)
             ? etr_fail_memory(error)
             : etr_bundle_check(&r->bundle, r->bundled->path, error);
}

etr_status etr_bundled_read(etr_bundled *out, const etr_part *part, bool is_inline,
                            etr_error *error) {
  reader r = {.bundled = out};
  etr_slice bytes = {part->bytes, part->size};
  etr_bundled_clear(out);
  out->path = part->path ? part->path : "BundledProgram";
  out->is_inline = is_inline;
  if (part->path)
    ETR_TRY(etr_file_read(&out->file, part->path, MOST_FILE_BYTES, error));
  return read_suites(&r, part->path ? etr_file_bytes(&out->file) : bytes, error);
}

void etr_bundled_clear(etr_bundled *bundled) {
  etr_file_clear(&bundled->file);
  etr_arena_clear(&bundled->arena);
  *bundled = (etr_bundled){0};
}
