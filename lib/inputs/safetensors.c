/* SPDX-License-Identifier: BSD-3-Clause
 *
 * safetensors.c - 8 bytes with the length of a JSON object, the object, and the bytes of the
 * tensors.
 */
#include "inputs/safetensors.h"

#include "formats/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LENGTH_BYTES = 8, MOST_DEPTH = 8 };

/* The header, as a source of JSON. */
typedef struct header_source {
  const etr_seekable *file;
  uint64_t position, end; /* offsets in the file */
} header_source;

/* Reads up to `size` bytes of the header for the JSON reader, and returns their number, 0 at its
 * end; -1 if the file cannot be read. */
static int64_t read_header(void *context, char *into, size_t size) {
  header_source *source = context;
  size_t piece = (size_t)ETR_MIN(source->end - source->position, (uint64_t)size);
  if (!etr_seekable_read(source->file, source->position, into, piece))
    return -1;
  source->position += piece;
  return (int64_t)piece;
}

typedef struct table_reader {
  etr_safetensors *out;
  etr_arena *arena;
  etr_json *json;
  uint64_t data_start, file_size; /* offset of the first tensor's bytes; size of the file */
} table_reader;

/* ---- One tensor ---- */

/* Returns the number type that safetensors calls by this name, such as "F32"; NULL if it is
 * unknown. */
static const etr_element *element_of_name(etr_slice name) {
  static const struct {
    const char *name, *dtype;
  } types[] = {{"F32", "float32"},
               {"F64", "float64"},
               {"F16", "float16"},
               {"BF16", "bfloat16"},
               {"I64", "int64"},
               {"I32", "int32"},
               {"I16", "int16"},
               {"I8", "int8"},
               {"U8", "uint8"},
               {"U16", "uint16"},
               {"U32", "uint32"},
               {"U64", "uint64"},
               {"BOOL", "bool"},
               {"F8_E5M2", "float8_e5m2"},
               {"F8_E4M3", "float8_e4m3fn"}};
  for (size_t i = 0; i < ETR_COUNT(types); i++)
    if (etr_slice_equal(name, etr_slice_of(types[i].name)))
      return etr_element_of_dtype(types[i].dtype);
  return NULL;
}

/* Reads the sizes of a tensor, and computes its strides in elements, which are contiguous in this
 * format. More than ETR_MOST_RANK sizes, or a negative one, fail the JSON reader. */
static void read_shape(table_reader *r, etr_safetensor *tensor) {
  int64_t sizes[ETR_MOST_RANK];
  int32_t rank = 0;
  for (etr_json_array(r->json); etr_json_element(r->json);) {
    int64_t size = etr_json_int(r->json);
    if (rank == ETR_MOST_RANK || size < 0)
      etr_json_fail(r->json, "the shape of a tensor is not a list of at most 32 sizes");
    if (!etr_json_failed(r->json))
      sizes[rank++] = size;
  }
  int64_t *copy = etr_arena_alloc_array(r->arena, 2 * (size_t)rank, sizeof *copy);
  if (!copy)
    return;
  uint64_t stride = 1;
  for (int32_t i = rank; i-- > 0;) {
    copy[i] = sizes[i];
    copy[rank + i] = (int64_t)(stride & INT64_MAX);
    stride *= (uint64_t)sizes[i];
  }
  tensor->sizes = copy;
  tensor->strides = copy + rank;
  tensor->rank = rank;
}

/* Reads data_offsets, [start, end] of a tensor's bytes relative to the first tensor's, and sets
 * offset in the file and size. The JSON reader fails if they are invalid or outside the file. */
static void read_offsets(table_reader *r, etr_safetensor *tensor) {
  int64_t start_and_end[2] = {-1, -1};
  size_t count = 0;
  for (etr_json_array(r->json); etr_json_element(r->json); count++) {
    int64_t end = etr_json_int(r->json);
    if (count < 2)
      start_and_end[count] = end;
  }
  if (etr_json_failed(r->json))
    return;
  if (count != 2 || start_and_end[0] < 0 || start_and_end[1] < start_and_end[0])
    etr_json_fail(r->json, "data_offsets of a tensor are not a start and an end");
  else if ((uint64_t)start_and_end[1] > r->file_size - r->data_start)
    etr_json_fail(r->json, "a tensor extends past the end of the file: was it copied completely?");
  else {
    tensor->offset = r->data_start + (uint64_t)start_and_end[0];
    tensor->byte_size = (uint64_t)(start_and_end[1] - start_and_end[0]);
  }
}

/* Reads a tensor's entry in the header, {dtype, shape, data_offsets}. The JSON reader fails if a
 * member is missing, or if its bytes do not fit its shape. */
static void read_tensor(table_reader *r, etr_safetensor *tensor) {
  etr_slice key;
  unsigned members_read = 0;
  enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4 };
  for (etr_json_object(r->json); etr_json_key(r->json, &key);) {
    if (etr_slice_is(key, "dtype")) {
      tensor->element = element_of_name(etr_json_string(r->json));
      members_read |= DTYPE;
    } else if (etr_slice_is(key, "shape")) {
      read_shape(r, tensor);
      members_read |= SHAPE;
    } else if (etr_slice_is(key, "data_offsets")) {
      read_offsets(r, tensor);
      members_read |= OFFSETS;
    } else
      etr_json_skip(r->json);
  }
  if (etr_json_failed(r->json) || etr_arena_failed(r->arena))
    return;
  uint64_t count, size = tensor->element ? tensor->element->size : 1;
  if (members_read != (DTYPE | SHAPE | OFFSETS))
    etr_json_fail(r->json, "a tensor has no dtype, shape or data_offsets");
  else if (!etr_tensor_count(tensor->sizes, tensor->rank, size, &count) ||
           (tensor->element && count * size != tensor->byte_size))
    etr_json_fail(r->json, "the bytes of a tensor do not fit its shape");
}

/* ---- The table ---- */

/* Reads __metadata__, an object of texts, into out->texts; out->metadata gives the index of a key's
 * text there. When out of memory, the arena has failed. */
static void read_metadata(table_reader *r) {
  etr_slice key;
  for (etr_json_object(r->json); etr_json_key(r->json, &key);) {
    etr_map_slot *slot = etr_map_at(&r->out->metadata, key);
    etr_slice value = etr_json_string(r->json);
    etr_slice *text = slot ? etr_vec_push(r->arena, &r->out->texts) : NULL;
    char *copy = text ? etr_arena_copy(r->arena, value) : NULL;
    if (!copy)
      return;
    *text = (etr_slice){copy, value.size};
    slot->value = (uint32_t)(r->out->texts.count - 1);
  }
}

/* Reads the header, {__metadata__: ..., NAME: tensor, ...}. The JSON reader fails if two tensors
 * have one name. */
static void read_table(table_reader *r) {
  etr_slice key;
  for (etr_json_object(r->json); etr_json_key(r->json, &key) && !etr_arena_failed(r->arena);) {
    if (etr_slice_is(key, "__metadata__")) {
      read_metadata(r);
      continue;
    }
    etr_map_slot *slot = etr_map_at(&r->out->by_name, key);
    if (slot && slot->value != ETR_NONE)
      etr_json_fail(r->json, "two tensors have the same name");
    etr_safetensor *tensor = slot ? etr_vec_push(r->arena, &r->out->tensors) : NULL;
    if (!tensor)
      return;
    slot->value = (uint32_t)(r->out->tensors.count - 1);
    tensor->name = slot->key;
    read_tensor(r, tensor);
  }
  etr_json_end(r->json);
}

/* Orders tensors by where their bytes are, then by size. */
static int compare_offsets(const void *a, const void *b) {
  const etr_safetensor *x = *(const etr_safetensor *const *)a;
  const etr_safetensor *y = *(const etr_safetensor *const *)b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return (x->byte_size > y->byte_size) - (x->byte_size < y->byte_size);
}

/* Fails if tensors share bytes, because a small file could otherwise ask for the reading of any
 * number of bytes. Tensors without bytes share none. */
static etr_status fail_if_overlapping(const etr_safetensors *table, const char *path,
                                      etr_error *error) {
  size_t count = 0;
  const etr_safetensor **sorted = calloc(table->tensors.count + 1, sizeof *sorted);
  etr_status status = ETR_OK;
  if (!sorted)
    return etr_fail_memory_of(error, path, NULL);
  for (size_t i = 0; i < table->tensors.count; i++)
    if (table->tensors.data[i].byte_size > 0)
      sorted[count++] = &table->tensors.data[i];
  etr_sort(sorted, count, sizeof *sorted, compare_offsets);
  for (size_t i = 1; i < count && status == ETR_OK; i++)
    if (sorted[i]->offset < sorted[i - 1]->offset + sorted[i - 1]->byte_size)
      status = etr_fail(error, ETR_ERROR_FORMAT, path, NULL, sorted[i]->offset,
                        "damaged safetensors file: the tensors %.*s and %.*s share bytes",
                        ETR_HEAD(sorted[i - 1]->name, 80), ETR_HEAD(sorted[i]->name, 80));
  free(sorted);
  return status;
}

/* Checks a header that was read: fails if it is damaged, if tensors overlap, or when out of memory.
 */
static etr_status check_table(const table_reader *r, const char *path, etr_error *error) {
  if (etr_arena_failed(r->arena) || etr_json_out_of_memory(r->json))
    return etr_fail_memory_of(error, path, NULL);
  if (etr_json_failed(r->json))
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, LENGTH_BYTES + etr_json_offset(r->json),
                    "damaged safetensors file: %s", etr_json_message(r->json));
  return fail_if_overlapping(r->out, path, error);
}

/* Reads the length of the header in bytes. Fails if the file is no safetensors file, if the header
 * is longer than any real one, or if the file is shorter than the header. */
static etr_status read_header_length(uint64_t *length, const etr_seekable *file, const char *path,
                                     etr_error *error) {
  uint8_t bytes[LENGTH_BYTES + 1];
  if (file->size < sizeof bytes || !etr_seekable_read(file, 0, bytes, sizeof bytes) ||
      bytes[LENGTH_BYTES] != '{')
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                    "not a safetensors file: `etrecord-tb reference` writes one");
  *length = etr_load_le(bytes, LENGTH_BYTES);
  if (*length > ETR_MOST_SAFETENSORS_HEADER)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0,
                    "damaged safetensors file: its header has %" PRIu64
                    " bytes, and at most %d are read",
                    *length, ETR_MOST_SAFETENSORS_HEADER);
  if (*length > file->size - LENGTH_BYTES)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0,
                    "damaged safetensors file: its header extends past the end of the file: was it "
                    "copied completely?");
  return ETR_OK;
}

etr_status etr_safetensors_read(etr_safetensors *out, etr_arena *arena, const etr_seekable *file,
                                const char *path, etr_error *error) {
  static const etr_json_limits limits = {.max_depth = MOST_DEPTH,
                                         .max_string_bytes = ETR_MOST_SAFETENSORS_HEADER};
  uint64_t length = 0;
  *out = (etr_safetensors){0};
  etr_map_init(&out->by_name, arena);
  etr_map_init(&out->metadata, arena);
  ETR_TRY(read_header_length(&length, file, path, error));
  header_source source = {file, LENGTH_BYTES, LENGTH_BYTES + length};
  table_reader r = {
      .out = out,
      .arena = arena,
      .data_start = LENGTH_BYTES + length,
      .file_size = file->size,
  };
  r.json = etr_json_open(read_header, &source, &limits);
  if (!r.json)
    return etr_fail_memory_of(error, path, NULL);
  read_table(&r);
  etr_status status = check_table(&r, path, error);
  etr_json_close(r.json);
  return status;
}

const etr_safetensor *etr_safetensors_find(const etr_safetensors *table, etr_slice name) {
  uint32_t index = etr_map_get(&table->by_name, name);
  return index == ETR_NONE ? NULL : &table->tensors.data[index];
}

etr_slice etr_safetensors_metadata(const etr_safetensors *table, const char *key) {
  uint32_t index = etr_map_get(&table->metadata, etr_slice_of(key));
  return index == ETR_NONE ? (etr_slice){0} : table->texts.data[index];
}
