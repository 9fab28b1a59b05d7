/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte.c - the methods of a .pte. A program is a FlatBuffer, with an extended header between its
 * identifier and its root where segments follow.
 */
#include "inputs/pte.h"

#include "backends/backends.h"
#include "base/arena.h"
#include "base/file.h"
#include "formats/archive.h"
#include "formats/element.h"
#include "formats/flatbuf.h"
#include "inputs/bundle.h"
#include "inputs/dump.h"

#include <inttypes.h>

/* ---- The processed bytes of a .pte's delegates: inside the program, or in segments after it ----
 */

/* The payloads of one program while it is read. Zeroed but for what the caller sets. */
typedef struct pte_payloads {
  etr_fb *fb; /* of the program; failures show there */
  etr_arena *arena;
  etr_slice bytes;          /* the file, or its part without segments */
  const etr_seekable *file; /* holds the segments; NULL: they are in `bytes` */
  uint64_t bytes_left;      /* how much of the file may still be read */
  uint64_t segment_base;    /* 0: there are no segments */
  etr_fb_at inline_data, segments;
  uint32_t inline_data_count, segment_count;
  etr_map index_at; /* location of a payload (payload_extent) -> its index in `distinct` */
  etr_vec(etr_slice) distinct; /* payloads at different locations */
  uint64_t distinct_bytes;     /* their sizes together */
} pte_payloads;

/* The location of a delegate's processed bytes. */
typedef struct pte_payload_extent {
  uint64_t at, size; /* in the file; size 0 if there are none */
  uint32_t segment;  /* ETR_NONE: inside the program */
} pte_payload_extent;

/* The error if more would be read than `bytes_left` allows; it is compared as a pointer. */
static const char beyond_limit[] =
    "the delegates' payloads exceed the bytes left to read; raise this limit with --max-bytes";

/* Fields, in the order of the schema. */
enum {
  PROGRAM_CONSTANT_BUFFERS = 2,
  PROGRAM_INLINE_DATA,
  PROGRAM_SEGMENTS,
  PROGRAM_CONSTANT_SEGMENT,
  PROGRAM_MUTABLE_SEGMENTS,
  PROGRAM_NAMED_DATA,
};
enum { DELEGATE_PROCESSED = 1, DELEGATE_SPECS };
enum { SPEC_KEY, SPEC_VALUE };
enum { REFERENCE_LOCATION, REFERENCE_INDEX };
enum { INLINE_DATA };
enum { SEGMENT_OFFSET, SEGMENT_SIZE };
enum { BUFFER_STORAGE };

enum { LOCATION_INLINE, LOCATION_SEGMENT };

/* The location of a payload in the file; size 0 if there is none. */
typedef struct payload_extent {
  uint64_t at, size;
} payload_extent;
ETR_NO_PADDING(payload_extent, 2 * sizeof(uint64_t));

static uint64_t size_of_file(const pte_payloads *p) {
  return p->file ? p->file->size : p->bytes.size;
}

/* Returns where the payload that a BackendDelegateDataReference names is in the file, in bytes. The
 * size is 0 if there is no reference (0), no such data, or if it would be outside the file. */
static payload_extent payload_extent_of(pte_payloads *p, etr_fb_at reference) {
  if (reference == 0)
    return (payload_extent){0};
  uint32_t index = etr_fb_u32(p->fb, reference, REFERENCE_INDEX, 0);
  switch (etr_fb_u8(p->fb, reference, REFERENCE_LOCATION, LOCATION_INLINE)) {
  case LOCATION_INLINE: {
    if (index >= p->inline_data_count)
      return (payload_extent){0};
    etr_slice bytes = etr_fb_bytes(p->fb, etr_fb_table_at(p->fb, p->inline_data, index),
                                   INLINE_DATA);
    if (bytes.size == 0)
      return (payload_extent){0};
    uint64_t offset = (uint64_t)(bytes.data - p->bytes.data);
    return (payload_extent){offset, bytes.size};
  }
  case LOCATION_SEGMENT: {
    uint64_t file_size = size_of_file(p);
    if (index >= p->segment_count || p->segment_base == 0 || p->segment_base > file_size)
      return (payload_extent){0};
    etr_fb_at segment = etr_fb_table_at(p->fb, p->segments, index);
    uint64_t offset = etr_fb_u64(p->fb, segment, SEGMENT_OFFSET, 0);
    uint64_t size = etr_fb_u64(p->fb, segment, SEGMENT_SIZE, 0);
    uint64_t most_bytes = file_size - p->segment_base;
    if (offset > most_bytes || size > most_bytes - offset)
      return (payload_extent){0};
    return (payload_extent){p->segment_base + offset, size};
  }
  default:
    return (payload_extent){0};
  }
}

/* Reads the first bytes of a payload from the file: as many as its backend needs to read its graph
 * or, where no backend reads a graph in it, as many as tell its format. The bytes are in the arena,
 * and are taken from p->bytes_left. Returns an empty slice if they cannot be read. If a graph needs
 * more than p->bytes_left, p->fb has failed. */
static etr_slice load_payload(pte_payloads *p, payload_extent extent) {
  char head[ETR_PAYLOAD_HEAD_BYTES];
  size_t head_size = (size_t)ETR_MIN(extent.size, (uint64_t)sizeof head);
  if (!etr_seekable_read(p->file, extent.at, head, head_size))
    return (etr_slice){0};
  uint64_t needed = etr_backend_payload_needed((etr_slice){head, head_size}, extent.size);
  if (needed == 0) { /* no backend reads a graph in it */
    uint64_t for_format = ETR_MIN(extent.size, (uint64_t)ETR_PAYLOAD_FORMAT_BYTES);
    needed = ETR_MIN(for_format, p->bytes_left);
  }
  if (needed > p->bytes_left)
    etr_fb_fail(p->fb, ETR_NO_OFFSET, beyond_limit);
  bool is_readable = needed > 0 && !etr_fb_failed(p->fb);
  char *payload = is_readable ? etr_arena_alloc_raw(p->arena, (size_t)needed) : NULL;
  if (!payload || !etr_seekable_read(p->file, extent.at, payload, (size_t)needed))
    return (etr_slice){0};
  p->bytes_left -= needed;
  return (etr_slice){payload, (size_t)needed};
}

/* Returns the processed bytes of a BackendDelegate; from a file, only as many of the first bytes as
 * its backend needs for the graph. Returns an empty slice if it refers to no bytes, or to bytes
 * outside the file, or when out of memory (the arena has failed). Delegates may share a payload,
 * which is read once. Different payloads must not overlap: p->fb fails if together they are larger
 * than the file. */
static etr_slice read_payload(pte_payloads *p, etr_fb_at delegate) {
  payload_extent extent = payload_extent_of(p, etr_fb_table(p->fb, delegate, DELEGATE_PROCESSED));
  if (extent.size == 0)
    return (etr_slice){0};
  etr_map_slot *slot = etr_map_at(&p->index_at, ETR_BYTES(extent));
  if (!slot)
    return (etr_slice){0};
  if (slot->value != ETR_NONE)
    return p->distinct.data[slot->value];
  bool is_loaded = !p->file || extent.at + extent.size <= p->bytes.size;
  etr_slice payload = is_loaded ? (etr_slice){p->bytes.data + extent.at, (size_t)extent.size}
                                : load_payload(p, extent);
  etr_slice *added = etr_vec_push(p->arena, &p->distinct);
  if (!added)
    return (etr_slice){0};
  slot->value = (uint32_t)(p->distinct.count - 1);
  p->distinct_bytes += payload.size;
  if (p->distinct_bytes > size_of_file(p))
    etr_fb_fail(p->fb, delegate, "the delegates' payloads overlap");
  *added = payload;
  return *added;
}

/* Returns the location of a delegate's payload in the file, and the index of its segment. The size
 * is 0 and the segment ETR_NONE if it has none, or if it would be outside the file. */
static pte_payload_extent find_payload_extent(pte_payloads *p, etr_fb_at delegate) {
  etr_fb_at reference = etr_fb_table(p->fb, delegate, DELEGATE_PROCESSED);
  payload_extent extent = payload_extent_of(p, reference);
  uint8_t location = LOCATION_INLINE;
  if (reference)
    location = etr_fb_u8(p->fb, reference, REFERENCE_LOCATION, LOCATION_INLINE);
  uint32_t segment = ETR_NONE;
  if (location == LOCATION_SEGMENT && extent.size)
    segment = etr_fb_u32(p->fb, reference, REFERENCE_INDEX, 0);
  return (pte_payload_extent){extent.at, extent.size, segment};
}

/* A payload whose bytes are read where they are. */
typedef struct payload_reader {
  const pte_payloads *payloads;
  uint64_t at; /* offset of the payload in the file */
} payload_reader;

/* Reads `size` bytes of a payload, `offset` bytes after its start, from memory if they are loaded,
 * else from the file. Returns false if they cannot be read. This is the function of an
 * etr_payload_source, whose context is a payload_reader. */
static bool read_payload_bytes(void *context, uint64_t offset, char *into, size_t size) {
  const payload_reader *reader = context;
  const pte_payloads *p = reader->payloads;
  uint64_t position = reader->at + offset;
  if (position + size <= p->bytes.size) {
    memcpy(into, p->bytes.data + position, size);
    return true;
  }
  return p->file && etr_seekable_read(p->file, position, into, size);
}

/* ---- EValues ---- */

enum { UNION_TYPE, UNION_VALUE }; /* of Instruction and of EValue */
enum {
  TENSOR_SCALAR_TYPE,
  TENSOR_SIZES = 2,
  TENSOR_BUFFER = 5,
  TENSOR_ALLOCATION,
  TENSOR_DYNAMISM = 8,
  TENSOR_EXTRA
};
enum { EXTRA_MUTABLE_TABLE, EXTRA_NAME, EXTRA_LOCATION };
enum { ALLOCATION_MEMORY, ALLOCATION_OFFSET_LOW, ALLOCATION_OFFSET_HIGH };
enum { LIST_ITEMS };
enum { SCALAR };

enum { DYNAMIC_UNBOUND = 2 };   /* TensorShapeDynamism */
enum { LOCATION_EXTERNAL = 1 }; /* TensorDataLocation */

/* Types of a value. */
enum {
  TYPE_INT = 2,
  TYPE_BOOL,
  TYPE_DOUBLE,
  TYPE_TENSOR,
  TYPE_STRING,
  TYPE_INT_LIST,
  TYPE_DOUBLE_LIST,
  TYPE_BOOL_LIST,
  TYPE_TENSOR_LIST,
  TYPE_OPTIONAL_TENSOR_LIST
};

static int32_t index_or_minus_one(int32_t index, size_t count) {
  return index >= 0 && (size_t)index < count ? index : -1;
}

/* Reads EValues. Texts are interned in `names`; what does not fit in memory, or in the file, shows
 * on arena and fb. */
typedef struct value_source {
  etr_fb *fb;
  etr_arena *arena;
  etr_map *names;
} value_source;

/* Returns a table's vector of 32-bit integers, copied into the arena of `v`, and sets *count to the
 * number of elements. Returns NULL, with *count 0, when out of memory; then the arena has failed.
 */
static int32_t *copy_int32_vector(const value_source *v, etr_fb_at table, unsigned field,
                                  size_t *count) {
  uint32_t elements;
  etr_fb_at vector = etr_fb_vector(v->fb, table, field, sizeof(int32_t), &elements);
  int32_t *numbers = etr_arena_alloc_array(v->arena, elements, sizeof *numbers);
  *count = numbers ? elements : 0;
  for (uint32_t i = 0; i < *count; i++)
    numbers[i] = etr_fb_i32_at(v->fb, vector, i);
  return numbers;
}

/* Returns a table's vector of indices into a method's values, of which there are value_count, and
 * sets *count to its length. The array is in the arena of `v`. An index outside of the values
 * becomes -1. When out of memory, *count is 0 as for an empty vector, but the arena has failed. */
static int32_t *read_value_indices(const value_source *v, etr_fb_at table, unsigned field,
                                   size_t value_count, size_t *count) {
  int32_t *indices = copy_int32_vector(v, table, field, count);
  for (size_t i = 0; i < *count; i++)
    indices[i] = index_or_minus_one(indices[i], value_count);
  return indices;
}

/* ---- Tensors ---- */

/* Returns one number for the location of planned memory: the planned buffer, which ExecuTorch
 * numbers from 1, and the offset in it in bytes, of which 48 bits suffice. It is never 0. */
static uint64_t storage_number_of(etr_fb *fb, etr_fb_at allocation) {
  uint64_t buffer = etr_fb_u32(fb, allocation, ALLOCATION_MEMORY, 0);
  uint64_t high = etr_fb_u32(fb, allocation, ALLOCATION_OFFSET_HIGH, 0) & 0xffff;
  uint64_t low = etr_fb_u32(fb, allocation, ALLOCATION_OFFSET_LOW, 0);
  return buffer << 48 | high << 32 | low;
}

enum { MOST_DIMS = 64 }; /* that PyTorch has */

/* Reads a Tensor of the schema into *out, whose kind the caller sets. Only a tensor with planned
 * memory gets storage, buffer and offset (in bytes). `data` is the index of its data in the file
 * (0: none): among the constants or, for a mutable tensor, in the list of initial values with the
 * number mutable_table. A tensor with data in the file or in a .ptd is a constant unless memory is
 * planned for it: that data is then the initial value of a mutable tensor. Returns false if it has
 * more dimensions than any tensor has. */
static bool read_tensor(const value_source *v, etr_pte_value *out, etr_fb_at tensor) {
  etr_fb *fb = v->fb;
  size_t rank;
  out->dtype = etr_scalar_type_name(etr_fb_u8(fb, tensor, TENSOR_SCALAR_TYPE, 0));
  out->sizes = copy_int32_vector(v, tensor, TENSOR_SIZES, &rank);
  out->rank = (int32_t)rank; /* a buffer of 2 GiB holds fewer */
  out->dynamic = etr_fb_u8(fb, tensor, TENSOR_DYNAMISM, 0) != 0;
  etr_fb_at allocation = etr_fb_table(fb, tensor, TENSOR_ALLOCATION);
  out->data = etr_fb_u32(fb, tensor, TENSOR_BUFFER, 0);
  out->unbound = etr_fb_u8(fb, tensor, TENSOR_DYNAMISM, 0) == DYNAMIC_UNBOUND;
  if (allocation) {
    uint64_t high = etr_fb_u32(fb, allocation, ALLOCATION_OFFSET_HIGH, 0);
    out->storage = storage_number_of(fb, allocation);
    out->buffer = etr_fb_u32(fb, allocation, ALLOCATION_MEMORY, 0);
    out->offset = high << 32 | etr_fb_u32(fb, allocation, ALLOCATION_OFFSET_LOW, 0);
  }
  etr_fb_at extra = etr_fb_table(fb, tensor, TENSOR_EXTRA);
  etr_slice name = etr_fb_string(v->fb, extra, EXTRA_NAME);
  out->mutable_table = etr_fb_u64(v->fb, extra, EXTRA_MUTABLE_TABLE, 0);
  out->weight = name.size ? etr_intern(v->names, name) : NULL;
  out->external = etr_fb_u8(v->fb, extra, EXTRA_LOCATION, 0) == LOCATION_EXTERNAL;
  out->constant = (out->data > 0 || out->external) && !allocation;
  return rank <= MOST_DIMS;
}

/* ---- All ---- */

/* Reads the only field of a Double table; 0 if it is absent. */
static double read_double(etr_fb *fb, etr_fb_at table) {
  double value;
  uint64_t bits = etr_fb_u64(fb, table, SCALAR, 0);
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Reads the elements of a list of doubles or bools (out->kind) as doubles into out->numbers.
 * FlatBuffers store a bool in one byte. When out of memory, the list is empty and the arena has
 * failed. */
static void read_number_list(const value_source *v, etr_pte_value *out, etr_fb_at table) {
  bool is_double = out->kind == ETR_PTE_VALUE_DOUBLE_LIST;
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(v->fb, table, LIST_ITEMS, is_double ? sizeof(double) : 1,
                                   &count);
  etr_slice bytes = etr_fb_bytes(v->fb, table, LIST_ITEMS);
  double *numbers = etr_arena_alloc_array(v->arena, vector ? count : 0, sizeof *numbers);
  for (uint32_t i = 0; numbers && vector && i < count; i++) {
    if (is_double)
      numbers[i] = etr_double_of_bits((uint64_t)etr_fb_i64_at(v->fb, vector, i));
    else
      numbers[i] = i < bytes.size && bytes.data[i] != 0;
  }
  out->numbers = numbers;
  out->number_count = numbers && vector ? count : 0;
}

/* Reads an EValue, one of the value_count values of a method. One of a type that is not known, or
 * that is damaged, becomes ETR_PTE_VALUE_OTHER. */
static void read_value(const value_source *v, etr_pte_value *out, etr_fb_at entry,
                       uint32_t value_count) {
  etr_fb *fb = v->fb;
  uint8_t type = etr_fb_u8(fb, entry, UNION_TYPE, 0);
  static const etr_pte_value_kind kinds[] = {
      [TYPE_INT] = ETR_PTE_VALUE_INT,
      [TYPE_BOOL] = ETR_PTE_VALUE_BOOL,
      [TYPE_DOUBLE] = ETR_PTE_VALUE_DOUBLE,
      [TYPE_TENSOR] = ETR_PTE_VALUE_TENSOR,
      [TYPE_STRING] = ETR_PTE_VALUE_STRING,
      [TYPE_INT_LIST] = ETR_PTE_VALUE_INT_LIST,
      [TYPE_DOUBLE_LIST] = ETR_PTE_VALUE_DOUBLE_LIST,
      [TYPE_BOOL_LIST] = ETR_PTE_VALUE_BOOL_LIST,
      [TYPE_TENSOR_LIST] = ETR_PTE_VALUE_TENSOR_LIST,
      [TYPE_OPTIONAL_TENSOR_LIST] = ETR_PTE_VALUE_TENSOR_LIST,
  };
  out->kind = type < ETR_COUNT(kinds) ? kinds[type] : ETR_PTE_VALUE_OTHER;
  etr_fb_at table = out->kind == ETR_PTE_VALUE_OTHER ? 0 : etr_fb_table(fb, entry, UNION_VALUE);
  if (table == 0)
    out->kind = ETR_PTE_VALUE_OTHER;
  switch (out->kind) {
  case ETR_PTE_VALUE_TENSOR:
    if (!read_tensor(v, out, table))
      *out = (etr_pte_value){.kind = ETR_PTE_VALUE_OTHER};
    break;
  case ETR_PTE_VALUE_TENSOR_LIST:
    out->has_optional = type == TYPE_OPTIONAL_TENSOR_LIST;
    out->items = read_value_indices(v, table, LIST_ITEMS, value_count, &out->item_count);
    break;
  case ETR_PTE_VALUE_INT_LIST: {
    /* Lists of integers store indices of values in 64 bits. */
    uint32_t elements;
    etr_fb_at vector = etr_fb_vector(v->fb, table, LIST_ITEMS, sizeof(int64_t), &elements);
    int32_t *indices = etr_arena_alloc_array(v->arena, elements, sizeof *indices);
    out->item_count = indices ? elements : 0;
    for (uint32_t i = 0; i < out->item_count; i++) {
      int64_t index = etr_fb_i64_at(v->fb, vector, i);
      indices[i] = index >= 0 && index < (int64_t)value_count ? (int32_t)index : -1;
    }
    out->items = indices;
  } break;
  case ETR_PTE_VALUE_DOUBLE_LIST:
  case ETR_PTE_VALUE_BOOL_LIST:
    read_number_list(v, out, table);
    break;
  case ETR_PTE_VALUE_INT:
    out->scalar.integer = etr_fb_i64(fb, table, SCALAR, 0);
    break;
  case ETR_PTE_VALUE_BOOL:
    out->scalar.integer = etr_fb_u8(fb, table, SCALAR, 0) != 0;
    break;
  case ETR_PTE_VALUE_DOUBLE:
    out->scalar.real = read_double(fb, table);
    break;
  case ETR_PTE_VALUE_STRING:
    out->scalar.text = etr_intern(v->names, etr_fb_string(fb, table, SCALAR));
    break;
  case ETR_PTE_VALUE_OTHER:
    break;
  }
}

/* ---- Bytes ---- */

/* Multiplies *bytes by the size of a dimension. Returns false, and leaves it, if the size is
 * negative or the product exceeds 64 bits. */
static bool multiply_by_size(uint64_t *bytes, int64_t size) {
  if (size < 0 || (size > 0 && *bytes > UINT64_MAX / (uint64_t)size))
    return false;
  *bytes *= (uint64_t)size;
  return true;
}

/* Computes the bytes of a tensor. Returns false, and 0 bytes, if its type is unknown or they are
 * too many to count. */
bool etr_pte_value_bytes(const etr_pte_value *value, uint64_t *bytes) {
  uint64_t product = etr_dtype_bytes(value->dtype);
  bool is_known = product > 0;
  for (int32_t i = 0; is_known && i < value->rank; i++)
    is_known = multiply_by_size(&product, value->sizes[i]);
  *bytes = is_known ? product : 0;
  return is_known;
}

/* Computes the bytes of a value; a symbolic size counts by its hint. Returns false if the type or
 * a size is unknown, or if they are too many to count. */
bool etr_value_bytes(const etr_value *value, uint64_t *bytes) {
  uint64_t product = etr_dtype_bytes(value->dtype);
  if (product == 0 || value->rank < 0)
    return false;
  for (int32_t i = 0; i < value->rank; i++) {
    const etr_dim *dim = &value->dims[i];
    if (!multiply_by_size(&product, dim->size == ETR_DIM_SYMBOLIC ? dim->hint : dim->size))
      return false;
  }
  *bytes = product;
  return true;
}

/* ---- Planned buffers and segments ---- */

enum { PLAN_BUFFER_SIZES = 8, PLAN_BUFFER_DEVICES };
enum { DEVICE_BUFFER, DEVICE_TYPE, DEVICE_INDEX };
enum { SUBSEGMENT_INDEX, SUBSEGMENT_OFFSETS };
enum { NAMED_KEY, NAMED_SEGMENT };

/* Reads the sizes of a method's planned buffers in bytes, and the devices that they are on. *out is
 * empty when out of memory. */
static void read_buffers(etr_pte_buffers *out, etr_fb *fb, etr_arena *arena, etr_fb_at plan) {
  uint32_t count, device_count;
  etr_fb_at sizes = etr_fb_vector(fb, plan, PLAN_BUFFER_SIZES, sizeof(int64_t), &count);
  etr_fb_at devices = etr_fb_vector(fb, plan, PLAN_BUFFER_DEVICES, 4, &device_count);
  int64_t *list = etr_arena_alloc_array(arena, count, sizeof *list);
  etr_pte_device *device_list = etr_arena_alloc_array(arena, device_count, sizeof *device_list);
  *out = (etr_pte_buffers){0};
  if (etr_arena_failed(arena))
    return;
  for (uint32_t i = 0; i < count; i++)
    list[i] = etr_fb_i64_at(fb, sizes, i);
  for (uint32_t i = 0; i < device_count; i++) {
    etr_fb_at device = etr_fb_table_at(fb, devices, i);
    device_list[i] = (etr_pte_device){etr_fb_i32(fb, device, DEVICE_BUFFER, 0),
                                      etr_fb_u8(fb, device, DEVICE_TYPE, 0),
                                      etr_fb_u8(fb, device, DEVICE_INDEX, 0)};
  }
  *out = (etr_pte_buffers){list, count, device_list, device_count};
}

/* Reads the offset, relative to the segment base, and the size of each segment of the file. */
static void read_segments(etr_pte_data *out, etr_fb *fb, etr_arena *arena, etr_fb_at program) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, program, PROGRAM_SEGMENTS, 4, &count);
  out->segments = etr_arena_alloc_array(arena, count, sizeof *out->segments);
  for (uint32_t i = 0; out->segments && i < count; i++) {
    etr_fb_at segment = etr_fb_table_at(fb, vector, i);
    out->segments[i] = (etr_segment){.offset_bytes = etr_fb_u64(fb, segment, SEGMENT_OFFSET, 0),
                                     .size_bytes = etr_fb_u64(fb, segment, SEGMENT_SIZE, 0)};
  }
  out->segment_count = out->segments ? count : 0;
}

/* Sets what the segment with this index contains. Returns the index, or ETR_NONE if there is no
 * such segment. */
static uint32_t set_segment_kind(etr_pte_data *out, uint32_t index, etr_segment_kind kind) {
  if (index >= out->segment_count)
    return ETR_NONE;
  out->segments[index].kind = kind;
  return index;
}

/* Reads where the tensors of a segment begin in the file, from a SubsegmentOffsets table, which
 * does not say their sizes. Where an offset is outside the segment, or the segment ETR_NONE, the
 * location is ETR_UNKNOWN. */
static etr_pte_ranges read_tensor_offsets(const etr_pte_data *data, etr_fb *fb, etr_arena *arena,
                                          etr_fb_at table, uint32_t segment) {
  uint32_t count;
  etr_fb_at offsets = etr_fb_vector(fb, table, SUBSEGMENT_OFFSETS, sizeof(uint64_t), &count);
  etr_pte_range *list = etr_arena_alloc_array(arena, count, sizeof *list);
  for (uint32_t i = 0; list && i < count; i++) {
    uint64_t offset = (uint64_t)etr_fb_i64_at(fb, offsets, i);
    list[i].at = ETR_UNKNOWN;
    if (segment == ETR_NONE || offset >= data->segments[segment].size_bytes)
      continue;
    uint64_t from_base = etr_add_up_to_most(data->segments[segment].offset_bytes, offset);
    list[i].at = etr_add_up_to_most(data->segment_base, from_base);
  }
  return (etr_pte_ranges){list, list ? count : 0};
}

/* Reads offset and size, in bytes, of the constants that are inside the program instead of in a
 * segment. The offset of an empty one is ETR_UNKNOWN. */
static etr_pte_ranges read_inline_constants(etr_fb *fb, etr_arena *arena, etr_fb_at program) {
  uint32_t count;
  etr_fb_at buffers = etr_fb_vector(fb, program, PROGRAM_CONSTANT_BUFFERS, 4, &count);
  etr_pte_range *list = etr_arena_alloc_array(arena, count, sizeof *list);
  for (uint32_t i = 0; list && i < count; i++) {
    etr_slice bytes = etr_fb_bytes(fb, etr_fb_table_at(fb, buffers, i), BUFFER_STORAGE);
    list[i] = (etr_pte_range){.at = ETR_UNKNOWN};
    if (bytes.size == 0)
      continue;
    uint64_t offset = (uint64_t)(bytes.data - (const char *)fb->data);
    list[i] = (etr_pte_range){offset, bytes.size};
  }
  return (etr_pte_ranges){list, list ? count : 0};
}

/* Reads which segments hold initial values of mutable tensors, and where in the file each value
 * begins: out->mutable_segments and out->mutables, with one entry for each of mutable_count
 * segments. */
static void read_mutable_segments(etr_pte_data *out, etr_fb *fb, etr_arena *arena,
                                  etr_fb_at program) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, program, PROGRAM_MUTABLE_SEGMENTS, 4, &count);
  uint32_t *segments = etr_arena_alloc_array(arena, count, sizeof *segments);
  etr_pte_ranges *lists = etr_arena_alloc_array(arena, count, sizeof *lists);
  for (uint32_t i = 0; segments && lists && i < count; i++) {
    etr_fb_at table = etr_fb_table_at(fb, vector, i);
    segments[i] = set_segment_kind(out, etr_fb_u32(fb, table, SUBSEGMENT_INDEX, 0),
                                   ETR_SEGMENT_MUTABLE);
    lists[i] = read_tensor_offsets(out, fb, arena, table, segments[i]);
  }
  out->mutable_segments = segments;
  out->mutables = lists;
  out->mutable_count = segments && lists ? count : 0;
}

/* Reads the keys of named data, such as weights that delegates share, into out->named. Several keys
 * may be in one segment, which is named by the first. A key whose segment does not exist is left
 * out. */
static void read_named_data(etr_pte_data *out, etr_fb *fb, etr_map *names, etr_fb_at program) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, program, PROGRAM_NAMED_DATA, 4, &count);
  etr_pte_named *named = etr_arena_alloc_array(names->arena, count, sizeof *named);
  for (uint32_t i = 0; named && i < count && !etr_fb_failed(fb); i++) {
    etr_fb_at table = etr_fb_table_at(fb, vector, i);
    uint32_t segment = set_segment_kind(out, etr_fb_u32(fb, table, NAMED_SEGMENT, 0),
                                        ETR_SEGMENT_NAMED);
    const char *key = etr_intern(names, etr_fb_string(fb, table, NAMED_KEY));
    if (segment == ETR_NONE || !key)
      continue;
    named[out->named_count++] = (etr_pte_named){key, segment};
    if (!out->segments[segment].name)
      out->segments[segment].name = key;
  }
  out->named = named;
}

/* Reads where all data outside the methods are: segments, constants, mutable tensors and named
 * data. */
static void read_data_locations(etr_pte_data *out, etr_fb *fb, etr_map *names, etr_arena *arena,
                                etr_fb_at program) {
  out->program_bytes = fb->size;
  read_segments(out, fb, arena, program);
  /* Constants are in a segment if the segment lists offsets for any. */
  uint32_t count;
  etr_fb_at table = etr_fb_table(fb, program, PROGRAM_CONSTANT_SEGMENT);
  (void)etr_fb_vector(fb, table, SUBSEGMENT_OFFSETS, sizeof(uint64_t), &count);
  out->constant_segment = ETR_NONE;
  if (count != 0)
    out->constant_segment = set_segment_kind(out, etr_fb_u32(fb, table, SUBSEGMENT_INDEX, 0),
                                             ETR_SEGMENT_CONSTANTS);
  out->constants = count != 0 ? read_tensor_offsets(out, fb, arena, table, out->constant_segment)
                              : read_inline_constants(fb, arena, program);
  read_mutable_segments(out, fb, arena, program);
  read_named_data(out, fb, names, program);
}

/* ---- The methods of a .pte. A program is a FlatBuffer, with an extended header between its
 * identifier and its root where segments follow ---- */

/* Fields, in the order of the schema; a union takes two: type, then value. */
enum { PROGRAM_PLANS = 1 };
enum {
  PLAN_NAME,
  PLAN_VALUES = 2,
  PLAN_INPUTS,
  PLAN_OUTPUTS,
  PLAN_CHAINS,
  PLAN_OPERATORS,
  PLAN_DELEGATES
};
enum { CHAIN_INSTRUCTIONS = 2 };
enum { CALL_INDEX, CALL_ARGS }; /* of KernelCall and of DelegateCall */
enum { MOVE_FROM, MOVE_TO };
enum { JUMP_CONDITION, JUMP_DESTINATION };
enum { FREE_VALUE };
enum { OPERATOR_NAME, OPERATOR_OVERLOAD };
enum { DELEGATE_ID };

/* Real models have dozens of delegates, because each should do much work for one call. */
enum { DEFAULT_MAX_DELEGATES = 8192 };

/* The extended header follows the root offset and the identifier: magic, length, then the sizes as
 * u64. */
enum {
  HEADER_AT = 8,
  HEADER_LENGTH = 4,
  HEADER_PROGRAM_SIZE = 8,
  HEADER_SEGMENT_BASE = 16,
  HEADER_SEGMENT_SIZE = 24, /* newer files have it: the header then has 8 bytes more */
  HEADER_BYTES = 24
};

typedef struct pte_operator {
  const char *name, *overload;
} pte_operator;

typedef struct pte_reader {
  etr_fb fb;
  etr_arena *arena;
  etr_map names;
  uint32_t max_delegates; /* of one method */
  pte_payloads payloads;
  etr_vec(pte_operator) operators; /* of the method being read */
} pte_reader;

static bool has_failed(const pte_reader *reader) {
  return etr_fb_failed(&reader->fb) || etr_arena_failed(reader->arena);
}

/* Reads a text; "" if it is absent. */
static const char *read_text(pte_reader *reader, etr_fb_at table, unsigned field) {
  etr_slice text = etr_fb_string(&reader->fb, table, field);
  return text.size ? etr_intern(&reader->names, text) : "";
}

/* Returns a table's vector of indices into a method's values, in the reader's arena, and sets
 * *count to its length. Invalid indices become -1. When out of memory, *count is 0 and the arena
 * has failed. */
static const int32_t *read_value_index_field(pte_reader *reader, etr_fb_at table, unsigned field,
                                             size_t value_count, size_t *count) {
  const value_source values = {&reader->fb, reader->arena, &reader->names};
  return read_value_indices(&values, table, field, value_count, count);
}

/* ---- Values ---- */

/* Reads the values of a method, up to the first failure of the reader. */
static void read_values(pte_reader *reader, etr_pte_method *out, etr_fb_at plan) {
  const value_source source = {&reader->fb, reader->arena, &reader->names};
  etr_vec(etr_pte_value) values = {0};
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(&reader->fb, plan, PLAN_VALUES, 4, &count);
  etr_vec_expect(reader->arena, &values, count);
  for (uint32_t i = 0; i < count && !has_failed(reader); i++) {
    etr_pte_value *value = etr_vec_push(reader->arena, &values);
    if (value)
      read_value(&source, value, etr_fb_table_at(&reader->fb, vector, i), count);
  }
  out->values = values.data;
  out->value_count = values.count;
}

/* ---- Delegates ---- */

static const char too_many_delegates[] =
    "a method has too many delegates; raise this limit with --max-delegates";

/* Returns the text that says of which format, version and target a delegate's payload is, from the
 * payload and the first 32 compile specs; NULL if they do not say it. `table` is the
 * BackendDelegate. */
static const char *read_payload_format(pte_reader *reader, const etr_pte_delegate *delegate,
                                       etr_fb_at table) {
  enum { MOST_SPECS = 32 };
  etr_compile_spec specs[MOST_SPECS];
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(&reader->fb, table, DELEGATE_SPECS, 4, &count);
  count = ETR_MIN(count, (uint32_t)MOST_SPECS);
  for (uint32_t i = 0; i < count; i++) {
    etr_fb_at spec = etr_fb_table_at(&reader->fb, vector, i);
    specs[i] = (etr_compile_spec){.key = etr_fb_string(&reader->fb, spec, SPEC_KEY),
                                  .value = etr_fb_bytes(&reader->fb, spec, SPEC_VALUE)};
  }
  payload_reader bytes = {&reader->payloads, delegate->payload_at};
  etr_payload_source source = {read_payload_bytes, &bytes, delegate->payload_bytes};
  return etr_payload_format(reader->arena, delegate->backend, delegate->payload, &source, specs,
                            count);
}

/* Reads the delegates of a method: backend, payload with its location, format, and number of
 * compile specs. The reader fails if there are more than allowed. */
static void read_delegates(pte_reader *reader, etr_pte_method *out, etr_fb_at plan) {
  etr_vec(etr_pte_delegate) delegates = {0};
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(&reader->fb, plan, PLAN_DELEGATES, 4, &count);
  if (count > reader->max_delegates)
    etr_fb_fail(&reader->fb, vector, too_many_delegates);
  for (uint32_t i = 0; i < count && !has_failed(reader); i++) {
    etr_pte_delegate *delegate = etr_vec_push(reader->arena, &delegates);
    if (!delegate)
      break;
    etr_fb_at table = etr_fb_table_at(&reader->fb, vector, i);
    delegate->backend = read_text(reader, table, DELEGATE_ID);
    delegate->payload = read_payload(&reader->payloads, table);
    pte_payload_extent extent = find_payload_extent(&reader->payloads, table);
    delegate->payload_at = extent.at;
    delegate->payload_bytes = extent.size;
    delegate->payload_segment = extent.segment;
    delegate->format = read_payload_format(reader, delegate, table);
    uint32_t specs;
    (void)etr_fb_vector(&reader->fb, table, DELEGATE_SPECS, 4, &specs);
    delegate->spec_count = specs;
  }
  out->delegates = delegates.data;
  out->delegate_count = delegates.count;
}

/* ---- Instructions ---- */

/* Reads the names of the operators to which kernel calls refer by index. */
static void read_operators(pte_reader *reader, etr_fb_at plan) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(&reader->fb, plan, PLAN_OPERATORS, 4, &count);
  reader->operators.count = 0;
  for (uint32_t i = 0; i < count && !has_failed(reader); i++) {
    pte_operator *entry = etr_vec_push(reader->arena, &reader->operators);
    if (!entry)
      break;
    etr_fb_at table = etr_fb_table_at(&reader->fb, vector, i);
    *entry = (pte_operator){read_text(reader, table, OPERATOR_NAME),
                            read_text(reader, table, OPERATOR_OVERLOAD)};
  }
}

/* Reads the operator and overload of a KernelCall; both are "" if its index is invalid. */
static void read_kernel_call(pte_reader *reader, etr_instruction *out, etr_fb_at call) {
  int32_t index = index_or_minus_one(etr_fb_i32(&reader->fb, call, CALL_INDEX, 0),
                                     reader->operators.count);
  out->op = index < 0 ? "" : reader->operators.data[index].name;
  out->overload = index < 0 ? "" : reader->operators.data[index].overload;
}

/* Reads the first `count` fields of a table, which are indices into the method's values, as the
 * arguments of an instruction. Invalid indices become -1. */
static void read_value_fields(pte_reader *reader, etr_instruction *out, etr_fb_at table,
                              size_t count, size_t value_count) {
  int32_t *args = etr_arena_alloc_array(reader->arena, count, sizeof *args);
  out->arg_count = args ? count : 0;
  for (size_t i = 0; i < out->arg_count; i++)
    args[i] = index_or_minus_one(etr_fb_i32(&reader->fb, table, (unsigned)i, 0), value_count);
  out->args = args;
}

/* Reads one of the `count` instructions of a method, whose values and delegates are read already. A
 * move, a jump and a free have their values in their first fields; a jump may also go to the end of
 * the method (`count`). An index of a value, delegate or jump target that does not exist becomes
 * -1. */
static void read_instruction(pte_reader *reader, etr_instruction *out, const etr_pte_method *method,
                             etr_fb_at table, uint32_t count) {
  etr_fb *fb = &reader->fb;
  size_t value_count = method->value_count;
  uint8_t type = etr_fb_u8(fb, table, UNION_TYPE, 0);
  etr_fb_at call = etr_fb_table(fb, table, UNION_VALUE);
  *out = (etr_instruction){.delegate = -1, .jump_target = -1};
  if (call && type <= ETR_INSTRUCTION_FREE)
    out->kind = (etr_instruction_kind)type;
  switch (out->kind) {
  case ETR_INSTRUCTION_KERNEL:
    read_kernel_call(reader, out, call);
    out->args = read_value_index_field(reader, call, CALL_ARGS, value_count, &out->arg_count);
    break;
  case ETR_INSTRUCTION_DELEGATE:
    out->delegate = index_or_minus_one(etr_fb_i32(fb, call, CALL_INDEX, 0), method->delegate_count);
    out->args = read_value_index_field(reader, call, CALL_ARGS, value_count, &out->arg_count);
    break;
  case ETR_INSTRUCTION_MOVE:
    read_value_fields(reader, out, call, MOVE_TO + 1, value_count);
    break;
  case ETR_INSTRUCTION_JUMP_FALSE: {
    int32_t target = etr_fb_i32(fb, call, JUMP_DESTINATION, 0);
    read_value_fields(reader, out, call, JUMP_CONDITION + 1, value_count);
    out->jump_target = index_or_minus_one(target, (size_t)count + 1); /* also to the end */
  } break;
  case ETR_INSTRUCTION_FREE:
    read_value_fields(reader, out, call, FREE_VALUE + 1, value_count);
    break;
  case ETR_INSTRUCTION_UNKNOWN:
    break;
  }
}

/* Reads the instructions of a method's first chain, which is the only one that the runtime runs. An
 * instruction that is damaged or of a later version is ETR_INSTRUCTION_UNKNOWN. */
static void read_instructions(pte_reader *reader, etr_pte_method *out, etr_fb_at plan) {
  etr_fb *fb = &reader->fb;
  etr_vec(etr_instruction) instructions = {0};
  uint32_t chain_count, count;
  etr_fb_at chains = etr_fb_vector(fb, plan, PLAN_CHAINS, 4, &chain_count);
  etr_fb_at vector = etr_fb_vector(fb, chain_count ? etr_fb_table_at(fb, chains, 0) : 0,
                                   CHAIN_INSTRUCTIONS, 4, &count);
  etr_vec_expect(reader->arena, &instructions, count);
  for (uint32_t i = 0; i < count && !has_failed(reader); i++) {
    etr_instruction *instruction = etr_vec_push(reader->arena, &instructions);
    if (instruction)
      read_instruction(reader, instruction, out, etr_fb_table_at(fb, vector, i), count);
  }
  out->instructions = instructions.data;
  out->instruction_count = instructions.count;
}

/* ---- Program ---- */

/* Reads all methods of the program, and where its constants, named data and segments are. At the
 * end it marks the segments that contain payloads of delegates; payloads inside the program have no
 * segment to mark. */
static void read_methods(pte_reader *reader, etr_pte *out) {
  etr_fb *fb = &reader->fb;
  etr_vec(etr_pte_method) methods = {0};
  uint32_t count;
  etr_fb_at program = etr_fb_root(fb);
  etr_fb_at plans = etr_fb_vector(fb, program, PROGRAM_PLANS, 4, &count);
  etr_map_init(&reader->payloads.index_at, reader->payloads.arena);
  reader->payloads.inline_data = etr_fb_vector(reader->payloads.fb, program, PROGRAM_INLINE_DATA, 4,
                                               &reader->payloads.inline_data_count);
  reader->payloads.segments = etr_fb_vector(reader->payloads.fb, program, PROGRAM_SEGMENTS, 4,
                                            &reader->payloads.segment_count);
  for (uint32_t i = 0; i < count && !has_failed(reader); i++) {
    etr_pte_method *method = etr_vec_push(reader->arena, &methods);
    if (!method)
      break;
    etr_fb_at plan = etr_fb_table_at(fb, plans, i);
    method->name = read_text(reader, plan, PLAN_NAME);
    read_values(reader, method, plan);
    method->inputs = read_value_index_field(reader, plan, PLAN_INPUTS, method->value_count,
                                            &method->input_count);
    method->outputs = read_value_index_field(reader, plan, PLAN_OUTPUTS, method->value_count,
                                             &method->output_count);
    read_delegates(reader, method, plan);
    read_buffers(&method->buffers, &reader->fb, reader->arena, plan);
    read_operators(reader, plan);
    read_instructions(reader, method, plan);
  }
  *out = (etr_pte){.methods = methods.data, .method_count = methods.count};
  out->data = (etr_pte_data){.file_bytes = size_of_file(&reader->payloads),
                             .segment_base = reader->payloads.segment_base};
  read_data_locations(&out->data, fb, &reader->names, reader->arena, program);
  for (size_t i = 0; i < methods.count; i++)
    for (size_t k = 0; k < methods.data[i].delegate_count; k++)
      (void)set_segment_kind(&out->data, methods.data[i].delegates[k].payload_segment,
                             ETR_SEGMENT_DELEGATE);
}

/* What the extended header says; all 0 without one. */
typedef struct pte_header {
  bool is_there;
  uint64_t program_bytes, segment_base;
  uint64_t segment_bytes; /* of all segments; 0: an older header does not say it */
} pte_header;

/* Reads the extended header from the first bytes of a file. It says how long the program is and
 * where the segments begin. Returns zeros if there is none, as in older files, or if it is cut off.
 */
static pte_header read_extended_header(etr_slice head) {
  if (head.size < HEADER_AT + HEADER_BYTES || memcmp(head.data + HEADER_AT, "eh00", 4) != 0)
    return (pte_header){0};
  const char *fields = head.data + HEADER_AT;
  uint64_t length = etr_load_le(fields + HEADER_LENGTH, 4);
  if (length < HEADER_BYTES)
    return (pte_header){0};
  pte_header header = {
      .is_there = true,
      .program_bytes = etr_load_le(fields + HEADER_PROGRAM_SIZE, 8),
      .segment_base = etr_load_le(fields + HEADER_SEGMENT_BASE, 8),
  };
  if (length >= HEADER_BYTES + 8 && head.size >= HEADER_AT + HEADER_BYTES + 8)
    header.segment_bytes = etr_load_le(fields + HEADER_SEGMENT_SIZE, 8);
  return header;
}

/* Returns the bytes of the program without the segments after it. Without an extended header that
 * is the whole file. */
static uint64_t size_of_program(const pte_header *header, uint64_t file_size) {
  return header->is_there ? ETR_MIN(file_size, header->program_bytes) : file_size;
}

/* Returns the bytes that a file must have by its extended header; 0 without one. Headers of older
 * files do not say the size of the segments, which then counts as 0. */
static uint64_t size_by_header(const pte_header *header) {
  uint64_t end = header->segment_base
                     ? etr_add_up_to_most(header->segment_base, header->segment_bytes)
                     : 0;
  return ETR_MAX(header->program_bytes, end);
}

/* Returns the offset in bytes at which the last segment of a program ends; 0 if there is none. */
static uint64_t end_of_segments(const etr_pte_data *data) {
  uint64_t end = 0;
  for (size_t i = 0; data->segment_base > 0 && i < data->segment_count; i++) {
    const etr_segment *segment = &data->segments[i];
    uint64_t segment_end = etr_add_up_to_most(segment->offset_bytes, segment->size_bytes);
    end = ETR_MAX(end, etr_add_up_to_most(data->segment_base, segment_end));
  }
  return end;
}

/* Fails if a file has `size` bytes and its program needs more. */
static etr_status fail_if_cut_short(uint64_t size, uint64_t needed, const char *path,
                                    etr_error *error) {
  if (size >= needed)
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                  "the .pte is cut short: it has %" PRIu64 " bytes and needs %" PRIu64
                  "; was it copied completely?",
                  size, needed);
}

/* Fails if bytes do not begin as a .pte, and says what they are instead if that is known. */
static etr_status check_identifier(etr_slice bytes, const char *path, etr_error *error) {
  etr_slice identifier = bytes.size >= 8 ? (etr_slice){bytes.data + 4, 4} : (etr_slice){0};
  if (etr_slice_is(identifier, "ET12"))
    return ETR_OK;
  if (bytes.size == 0)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0, "the file is empty");
  if (etr_dump_is(bytes))
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 4,
                    "an ETDump, not a .pte: name it without --pte, or with --etdump");
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 4,
                  "not a .pte: the identifier ET12 is missing");
}

/* Reads a program and checks that the file is as long as its extended header says and as its last
 * segment needs; else it is cut short. Fails if it is damaged, beyond a limit (which the message
 * does not call damage), or when out of memory; *out is then empty. */
static etr_status read_program(etr_pte *out, etr_arena *arena, const etr_pte_source *source,
                               const etr_pte_limits *limits, etr_error *error) {
  etr_slice bytes = source->bytes;
  const char *path = source->path;
  ETR_TRY(check_identifier(bytes, path, error));
  pte_reader reader = {
      .arena = arena,
      .max_delegates = limits->max_delegates ? limits->max_delegates : DEFAULT_MAX_DELEGATES,
      .payloads =
          {
              .arena = arena,
              .bytes = bytes,
              .file = source->file,
              .bytes_left = limits->max_bytes,
          },
  };
  uint64_t file_size = source->file ? source->file->size : bytes.size;
  pte_header header = read_extended_header(bytes);
  ETR_TRY(fail_if_cut_short(file_size, size_by_header(&header), path, error));
  uint64_t size = size_of_program(&header, file_size);
  reader.payloads.segment_base = header.segment_base;
  etr_fb_init(&reader.fb, bytes.data, (size_t)ETR_MIN(size, (uint64_t)bytes.size));
  etr_map_init(&reader.names, arena);
  reader.payloads.fb = &reader.fb;
  read_methods(&reader, out);
  out->cut = reader.names.cut;
  if (!has_failed(&reader))
    return fail_if_cut_short(file_size, end_of_segments(&out->data), path, error);
  *out = (etr_pte){0};
  if (etr_arena_failed(arena))
    return etr_fail_memory_of(error, path, NULL);
  const char *message = reader.fb.message;
  bool is_limit = message == beyond_limit || message == too_many_delegates;
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, reader.fb.offset, "%s%s%s",
                  is_limit ? "" : "damaged .pte: ", message,
                  !is_limit && etr_slice_is_text_copy(bytes) ? ETR_TEXT_COPY_ADVICE : "");
}

/* ---- In a BundledProgram ---- */

/* Reads the program in a BundledProgram and its test sets; offsets in errors count from the start
 * of the bundle. Fails if it has no program or is damaged. */
static etr_status read_bundle(etr_pte *out, etr_arena *arena, const etr_pte_source *source,
                              const etr_pte_limits *limits, etr_error *error) {
  const char *path = source->path;
  etr_bundle bundle;
  etr_error failure = {.offset = ETR_NO_OFFSET};
  ETR_TRY(etr_bundle_open(&bundle, source->bytes, path, error));
  if (bundle.program.size == 0)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                    "this BundledProgram holds no program");
  etr_pte_source program = {.path = path, .bytes = bundle.program};
  etr_status status = read_program(out, arena, &program, limits, &failure);
  out->is_bundled = true;
  out->data.file_bytes = source->bytes.size;
  out->data.program_at = (uint64_t)(bundle.program.data - source->bytes.data);
  if (status == ETR_OK)
    return etr_bundle_test_sets(&bundle, arena, path, &out->test_sets, &out->test_set_count, error);
  uint64_t offset = failure.offset;
  if (offset != ETR_NO_OFFSET)
    offset += out->data.program_at;
  return etr_fail(error, status, path, NULL, offset, "%s", failure.message);
}

/* Reads a program, or the one in a bundle; *out is empty if that fails. */
etr_status etr_pte_read(etr_pte *out, etr_arena *arena, const etr_pte_source *source,
                        const etr_pte_limits *limits, etr_error *error) {
  *out = (etr_pte){0};
  bool is_bundle = etr_bundle_is(source->bytes);
  etr_status status = is_bundle ? read_bundle(out, arena, source, limits, error)
                                : read_program(out, arena, source, limits, error);
  if (status != ETR_OK)
    *out = (etr_pte){0};
  return status;
}

/* ---- In a file ---- */

/* Loads the program without the segments after it. A BundledProgram is one FlatBuffer, and is
 * loaded completely. Fails if it is no .pte, is larger than max_bytes or cannot be read. */
static etr_status load_program(etr_file *program, const etr_seekable *file, const char *path,
                               uint64_t max_bytes, etr_error *error) {
  char head[HEADER_AT + HEADER_BYTES];
  size_t head_size = (size_t)ETR_MIN(file->size, (uint64_t)sizeof head);
  if (!etr_seekable_read(file, 0, head, head_size))
    return etr_fail(error, ETR_ERROR_IO, path, NULL, 0, "cannot read the start of the file");
  if (etr_bundle_is((etr_slice){head, head_size}))
    return etr_file_read(program, path, max_bytes, error);
  ETR_TRY(check_identifier((etr_slice){head, head_size}, path, error));
  pte_header header = read_extended_header((etr_slice){head, head_size});
  uint64_t size = size_of_program(&header, file->size);
  if (size > max_bytes)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                    "the program is more than the %" PRIu64
                    " bytes left to read; raise this limit with --max-bytes",
                    max_bytes);
  return etr_seekable_load(program, file, 0, (size_t)size, path, error);
}

/* Reads a regular file without its segments, of which only the needed bytes are loaded; a pipe is
 * read whole. Fails if it cannot be read or is damaged. */
etr_status etr_pte_read_file(etr_pte *out, etr_arena *arena, const char *path,
                             const etr_pte_limits *limits, etr_error *error) {
  etr_file program = {0};
  etr_seekable file;
  etr_pte_source source = {.path = path};
  etr_pte_limits remaining = *limits;
  bool is_regular = etr_file_is_regular(path);
  *out = (etr_pte){0};
  if (is_regular)
    ETR_TRY(etr_seekable_open(&file, path, error));
  etr_status status = is_regular ? load_program(&program, &file, path, limits->max_bytes, error)
                                 : etr_file_read(&program, path, limits->max_bytes, error);
  source.bytes = etr_file_bytes(&program);
  if (is_regular)
    source.file = &file;
  if (is_regular)
    remaining.max_bytes -= program.size; /* what segments may still take */
  if (status == ETR_OK)
    status = etr_pte_read(out, arena, &source, &remaining, error);
  if (is_regular)
    etr_seekable_close(&file);
  out->file = program;
  return status;
}

/* ---- A program that an ETRecord holds ---- */

/* Reads the program that is an entry of an ETRecord; errors name the record and the entry. */
etr_status etr_pte_read_entry(etr_pte *out, etr_arena *arena, const char *record, const char *entry,
                              const etr_pte_limits *limits, etr_error *error) {
  etr_archive *archive;
  etr_file program = {0};
  *out = (etr_pte){0};
  ETR_TRY(etr_archive_open(&archive, record, error));
  size_t index = etr_archive_find(archive, entry);
  etr_status status = index == SIZE_MAX
                          ? etr_fail(error, ETR_ERROR_IO, record, entry, ETR_NO_OFFSET,
                                     "the entry is gone")
                          : etr_archive_read(&program, archive, index, limits->max_bytes, error);
  etr_archive_close(archive);
  ETR_TRY(status);
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_pte_source source = {.path = record, .bytes = etr_file_bytes(&program)};
  status = etr_pte_read(out, arena, &source, limits, &failure);
  out->file = program;
  if (status == ETR_OK)
    return ETR_OK;
  return etr_fail(error, status, record, entry, failure.offset, "%s", failure.message);
}

/* ---- Bodies ---- */

/* An instruction is in a body if a jump over it, forwards or backwards, can leave it out or repeat
 * it. Counts for each instruction the jumps over it: each jump adds 1 where its range starts and
 * subtracts 1 where it ends, and the running sum is the number. */
bool *etr_pte_find_bodies(const etr_pte_method *program, etr_arena *arena) {
  size_t count = program->instruction_count;
  bool *is_in_body = etr_arena_alloc_array(arena, count, sizeof *is_in_body);
  int32_t *change = etr_arena_alloc_array(arena, count + 1, sizeof *change);
  for (size_t i = 0; change && i < count; i++) {
    size_t target = (size_t)program->instructions[i].jump_target;
    if (program->instructions[i].jump_target < 0)
      continue;
    change[ETR_MIN(i + 1, target)]++;
    change[ETR_MAX(i + 1, target)]--;
  }
  int32_t jumps_over = 0;
  for (size_t i = 0; change && is_in_body && i < count; i++) {
    jumps_over += change[i];
    is_in_body[i] = jumps_over > 0;
  }
  return change ? is_in_body : NULL;
}
