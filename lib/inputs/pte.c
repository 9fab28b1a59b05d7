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
  uint64_t left;            /* bytes that may still be read of the file */
  uint64_t segment_base;    /* 0: there are no segments */
  etr_fb_at inline_data, segments;
  uint32_t inline_count, segment_count;
  etr_map extents; /* location of a payload -> its index in the list */
  etr_vec(etr_slice) list;
  uint64_t total; /* bytes of all of them */
} pte_payloads;

/* The location of a delegate's processed bytes. */
typedef struct pte_payload_extent {
  uint64_t at, size; /* in the file; size 0 if there are none */
  uint32_t segment;  /* ETR_NONE: inside the program */
} pte_payload_extent;

/* The error if more would be read than `left` allows; it is compared as a pointer. */
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

/* Returns where the bytes of a payload are in the file; nothing if the reference leads outside of
 * it. */
static payload_extent payload_extent_of(pte_payloads *p, etr_fb_at reference) {
  if (reference == 0)
    return (payload_extent){0};
  uint32_t index = etr_fb_u32(p->fb, reference, REFERENCE_INDEX, 0);
  switch (etr_fb_u8(p->fb, reference, REFERENCE_LOCATION, LOCATION_INLINE)) {
  case LOCATION_INLINE: {
    if (index >= p->inline_count)
      return (payload_extent){0};
    etr_slice bytes = etr_fb_bytes(p->fb, etr_fb_table_at(p->fb, p->inline_data, index),
                                   INLINE_DATA);
    return bytes.size ? (payload_extent){(uint64_t)(bytes.data - p->bytes.data), bytes.size}
                      : (payload_extent){0};
  }
  case LOCATION_SEGMENT: {
    uint64_t file_size = size_of_file(p);
    if (index >= p->segment_count || p->segment_base == 0 || p->segment_base > file_size)
      return (payload_extent){0};
    etr_fb_at segment = etr_fb_table_at(p->fb, p->segments, index);
    uint64_t offset = etr_fb_u64(p->fb, segment, SEGMENT_OFFSET, 0),
             size = etr_fb_u64(p->fb, segment, SEGMENT_SIZE, 0);
    uint64_t room = file_size - p->segment_base;
    if (offset > room || size > room - offset)
      return (payload_extent){0};
    return (payload_extent){p->segment_base + offset, size};
  }
  default:
    return (payload_extent){0};
  }
}

/* Reads from the file as much of a payload as is of use; nothing if that cannot be read. More
 * than the limit is an error of the reader. */
static etr_slice load_payload(pte_payloads *p, payload_extent extent) {
  char head[ETR_PAYLOAD_HEAD_BYTES];
  size_t head_size = (size_t)ETR_MIN(extent.size, (uint64_t)sizeof head);
  if (!etr_seekable_read(p->file, extent.at, head, head_size))
    return (etr_slice){0};
  uint64_t needed = etr_backend_payload_needed((etr_slice){head, head_size}, extent.size);
  if (needed == 0)
    needed = ETR_MIN(ETR_MIN(extent.size, (uint64_t)ETR_PAYLOAD_FORMAT_BYTES), p->left);
  if (needed > p->left)
    etr_fb_fail(p->fb, ETR_NO_OFFSET, beyond_limit);
  char *payload = needed && !etr_fb_failed(p->fb) ? etr_arena_alloc_raw(p->arena, (size_t)needed)
                                                  : NULL;
  if (!payload || !etr_seekable_read(p->file, extent.at, payload, (size_t)needed))
    return (etr_slice){0};
  p->left -= needed;
  return (etr_slice){payload, (size_t)needed};
}

/* Returns the processed bytes of a BackendDelegate; from a file, only as many of the first bytes as
 * its backend needs for the graph. Returns an empty slice if it refers to no bytes, or to bytes
 * outside the file. Delegates may share a payload, which is read once; payloads that overlap
 * otherwise are an error. */
static etr_slice read_payload(pte_payloads *p, etr_fb_at delegate) {
  payload_extent extent = payload_extent_of(p, etr_fb_table(p->fb, delegate, DELEGATE_PROCESSED));
  if (extent.size == 0)
    return (etr_slice){0};
  etr_map_slot *slot = etr_map_at(&p->extents, ETR_BYTES(extent));
  if (!slot || slot->value != ETR_NONE)
    return slot ? p->list.data[slot->value] : (etr_slice){0};
  bool is_loaded = !p->file || extent.at + extent.size <= p->bytes.size;
  etr_slice payload = is_loaded ? (etr_slice){p->bytes.data + extent.at, (size_t)extent.size}
                                : load_payload(p, extent);
  etr_slice *added = etr_vec_push(p->arena, &p->list);
  if (!added)
    return (etr_slice){0};
  slot->value = (uint32_t)(p->list.count - 1);
  p->total += payload.size;
  if (p->total > size_of_file(p))
    etr_fb_fail(p->fb, delegate, "the delegates' payloads overlap");
  *added = payload;
  return *added;
}

/* Returns the location of a delegate's payload. */
static pte_payload_extent find_payload_extent(pte_payloads *p, etr_fb_at delegate) {
  etr_fb_at reference = etr_fb_table(p->fb, delegate, DELEGATE_PROCESSED);
  payload_extent extent = payload_extent_of(p, reference);
  bool in_segment = reference && etr_fb_u8(p->fb, reference, REFERENCE_LOCATION, LOCATION_INLINE) ==
                                     LOCATION_SEGMENT;
  uint32_t segment = in_segment && extent.size ? etr_fb_u32(p->fb, reference, REFERENCE_INDEX, 0)
                                               : ETR_NONE;
  return (pte_payload_extent){extent.at, extent.size, segment};
}

/* A payload whose bytes are read where they are. */
typedef struct payload_reader {
  const pte_payloads *payloads;
  uint64_t at; /* offset of the payload in the file */
} payload_reader;

/* Reads bytes of a payload, from memory if they are there. Returns false if the file has not got
 * them. */
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

static int32_t valid_index(int32_t index, size_t count) {
  return index >= 0 && (size_t)index < count ? index : -1;
}

/* Reads EValues. Texts are interned in `names`; what does not fit in memory, or in the file, shows
 * on arena and fb. */
typedef struct value_source {
  etr_fb *fb;
  etr_arena *arena;
  etr_map *names;
} value_source;

/* Returns a copy of a vector of 32-bit integers; *count is 0 when out of memory. */
static int32_t *read_numbers(const value_source *v, etr_fb_at table, unsigned field,
                             size_t *count) {
  uint32_t elements;
  etr_fb_at vector = etr_fb_vector(v->fb, table, field, sizeof(int32_t), &elements);
  int32_t *numbers = etr_arena_alloc_array(v->arena, elements, sizeof *numbers);
  *count = numbers ? elements : 0;
  for (uint32_t i = 0; i < *count; i++)
    numbers[i] = etr_fb_i32_at(v->fb, vector, i);
  return numbers;
}

/* Returns the indices of values in a vector of 32-bit numbers; -1 for invalid ones. */
static int32_t *indices_of_values(const value_source *v, etr_fb_at table, unsigned field,
                                  size_t value_count, size_t *count) {
  int32_t *indices = read_numbers(v, table, field, count);
  for (size_t i = 0; i < *count; i++)
    indices[i] = valid_index(indices[i], value_count);
  return indices;
}

/* ---- Tensors ---- */

/* Arenas are numbered from 1. */
static uint64_t read_storage(etr_fb *fb, etr_fb_at allocation) {
  uint64_t memory = etr_fb_u32(fb, allocation, ALLOCATION_MEMORY, 0);
  uint64_t high = etr_fb_u32(fb, allocation, ALLOCATION_OFFSET_HIGH, 0) & 0xffff;
  return memory << 48 | high << 32 | etr_fb_u32(fb, allocation, ALLOCATION_OFFSET_LOW, 0);
}

enum { MOST_DIMS = 64 }; /* that PyTorch has */

/* Reads a tensor. Returns false if it has more dimensions than any tensor has. */
static bool read_tensor(const value_source *v, etr_pte_value *out, etr_fb_at tensor) {
  etr_fb *fb = v->fb;
  size_t rank;
  out->dtype = etr_scalar_type_name(etr_fb_u8(fb, tensor, TENSOR_SCALAR_TYPE, 0));
  out->sizes = read_numbers(v, tensor, TENSOR_SIZES, &rank);
  out->rank = (int32_t)rank; /* a buffer of 2 GiB holds fewer */
  out->dynamic = etr_fb_u8(fb, tensor, TENSOR_DYNAMISM, 0) != 0;
  etr_fb_at allocation = etr_fb_table(fb, tensor, TENSOR_ALLOCATION);
  out->data = etr_fb_u32(fb, tensor, TENSOR_BUFFER, 0);
  out->unbound = etr_fb_u8(fb, tensor, TENSOR_DYNAMISM, 0) == DYNAMIC_UNBOUND;
  if (allocation) {
    uint64_t high = etr_fb_u32(fb, allocation, ALLOCATION_OFFSET_HIGH, 0);
    out->storage = read_storage(fb, allocation);
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

static double read_double(etr_fb *fb, etr_fb_at table) {
  double value;
  uint64_t bits = etr_fb_u64(fb, table, SCALAR, 0);
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Reads a list of doubles or, of one byte each, of bools. */
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

/* Reads a value of a method; what is unknown or damaged is ETR_PTE_VALUE_OTHER. */
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
    out->items = indices_of_values(v, table, LIST_ITEMS, value_count, &out->item_count);
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

/* Multiplies *bytes by the size of a dimension, unless the product exceeds 64 bits. */
static bool scale(uint64_t *bytes, int64_t size) {
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
    is_known = scale(&product, value->sizes[i]);
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
    if (!scale(&product, dim->size == ETR_DIM_SYMBOLIC ? dim->hint : dim->size))
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

/* Reads the sizes of the planned buffers and the devices that they are on. */
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

/* Reads where the segments of the file are. */
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

/* Notes what a segment contains. Returns its index; ETR_NONE if there is no such segment. */
static uint32_t note_segment(etr_pte_data *out, uint32_t index, etr_segment_kind kind) {
  if (index >= out->segment_count)
    return ETR_NONE;
  out->segments[index].kind = kind;
  return index;
}

/* Reads where the tensors of a segment begin in the file: SubsegmentOffsets. An offset outside
 * the segment is unknown. */
static etr_pte_ranges read_tensor_offsets(const etr_pte_data *data, etr_fb *fb, etr_arena *arena,
                                          etr_fb_at table, uint32_t segment) {
  uint32_t count;
  etr_fb_at offsets = etr_fb_vector(fb, table, SUBSEGMENT_OFFSETS, sizeof(uint64_t), &count);
  etr_pte_range *list = etr_arena_alloc_array(arena, count, sizeof *list);
  for (uint32_t i = 0; list && i < count; i++) {
    uint64_t offset = (uint64_t)etr_fb_i64_at(fb, offsets, i);
    list[i].at = ETR_UNKNOWN;
    if (segment != ETR_NONE && offset < data->segments[segment].size_bytes)
      list[i].at = etr_add_up_to_most(
          data->segment_base, etr_add_up_to_most(data->segments[segment].offset_bytes, offset));
  }
  return (etr_pte_ranges){list, list ? count : 0};
}

/* Reads where the constants inside the program are: offset and size, unknown for an empty one. */
static etr_pte_ranges read_inline_constants(etr_fb *fb, etr_arena *arena, etr_fb_at program) {
  uint32_t count;
  etr_fb_at buffers = etr_fb_vector(fb, program, PROGRAM_CONSTANT_BUFFERS, 4, &count);
  etr_pte_range *list = etr_arena_alloc_array(arena, count, sizeof *list);
  for (uint32_t i = 0; list && i < count; i++) {
    etr_slice bytes = etr_fb_bytes(fb, etr_fb_table_at(fb, buffers, i), BUFFER_STORAGE);
    list[i] = bytes.size
                  ? (etr_pte_range){(uint64_t)(bytes.data - (const char *)fb->data), bytes.size}
                  : (etr_pte_range){.at = ETR_UNKNOWN};
  }
  return (etr_pte_ranges){list, list ? count : 0};
}

/* Reads the segments with the initial values of mutable tensors. */
static void read_mutable_segments(etr_pte_data *out, etr_fb *fb, etr_arena *arena,
                                  etr_fb_at program) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, program, PROGRAM_MUTABLE_SEGMENTS, 4, &count);
  uint32_t *segments = etr_arena_alloc_array(arena, count, sizeof *segments);
  etr_pte_ranges *lists = etr_arena_alloc_array(arena, count, sizeof *lists);
  for (uint32_t i = 0; segments && lists && i < count; i++) {
    etr_fb_at table = etr_fb_table_at(fb, vector, i);
    segments[i] = note_segment(out, etr_fb_u32(fb, table, SUBSEGMENT_INDEX, 0),
                               ETR_SEGMENT_MUTABLE);
    lists[i] = read_tensor_offsets(out, fb, arena, table, segments[i]);
  }
  out->mutable_segments = segments;
  out->mutables = lists;
  out->mutable_count = segments && lists ? count : 0;
}

/* Reads the keys of named data and names their segments by the first key. */
static void read_named_data(etr_pte_data *out, etr_fb *fb, etr_map *names, etr_fb_at program) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, program, PROGRAM_NAMED_DATA, 4, &count);
  etr_pte_named *named = etr_arena_alloc_array(names->arena, count, sizeof *named);
  for (uint32_t i = 0; named && i < count && !etr_fb_failed(fb); i++) {
    etr_fb_at table = etr_fb_table_at(fb, vector, i);
    uint32_t segment = note_segment(out, etr_fb_u32(fb, table, NAMED_SEGMENT, 0),
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
    out->constant_segment = note_segment(out, etr_fb_u32(fb, table, SUBSEGMENT_INDEX, 0),
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

/* A delegate is worth its call where it does much: models have dozens. */
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

static bool stopped(const pte_reader *reader) {
  return etr_fb_failed(&reader->fb) || etr_arena_failed(reader->arena);
}

/* Reads a text; "" if it is absent. */
static const char *read_text(pte_reader *reader, etr_fb_at table, unsigned field) {
  etr_slice text = etr_fb_string(&reader->fb, table, field);
  return text.size ? etr_intern(&reader->names, text) : "";
}

static const int32_t *read_indices(pte_reader *reader, etr_fb_at table, unsigned field,
                                   size_t value_count, size_t *count) {
  const value_source values = {&reader->fb, reader->arena, &reader->names};
  return indices_of_values(&values, table, field, value_count, count);
}

/* ---- Values ---- */

/* Reads the values of a method. */
static void read_values(pte_reader *reader, etr_pte_method *out, etr_fb_at plan) {
  const value_source reading = {&reader->fb, reader->arena, &reader->names};
  etr_vec(etr_pte_value) values = {0};
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(&reader->fb, plan, PLAN_VALUES, 4, &count);
  etr_vec_expect(reader->arena, &values, count);
  for (uint32_t i = 0; i < count && !stopped(reader); i++) {
    etr_pte_value *value = etr_vec_push(reader->arena, &values);
    if (value)
      read_value(&reading, value, etr_fb_table_at(&reader->fb, vector, i), count);
  }
  out->values = values.data;
  out->value_count = values.count;
}

/* ---- Delegates ---- */

static const char too_many_delegates[] =
    "a method has too many delegates; raise this limit with --max-delegates";

/* Returns what is written about the format of a delegate's payload; NULL if nothing. */
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

/* Reads the delegates of a method: backend, payload and format. */
static void read_delegates(pte_reader *reader, etr_pte_method *out, etr_fb_at plan) {
  etr_vec(etr_pte_delegate) delegates = {0};
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(&reader->fb, plan, PLAN_DELEGATES, 4, &count);
  if (count > reader->max_delegates)
    etr_fb_fail(&reader->fb, vector, too_many_delegates);
  for (uint32_t i = 0; i < count && !stopped(reader); i++) {
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
  for (uint32_t i = 0; i < count && !stopped(reader); i++) {
    pte_operator *entry = etr_vec_push(reader->arena, &reader->operators);
    if (!entry)
      break;
    etr_fb_at table = etr_fb_table_at(&reader->fb, vector, i);
    *entry = (pte_operator){read_text(reader, table, OPERATOR_NAME),
                            read_text(reader, table, OPERATOR_OVERLOAD)};
  }
}

static void read_kernel_call(pte_reader *reader, etr_instruction *out, etr_fb_at call) {
  int32_t index = valid_index(etr_fb_i32(&reader->fb, call, CALL_INDEX, 0),
                              reader->operators.count);
  out->op = index < 0 ? "" : reader->operators.data[index].name;
  out->overload = index < 0 ? "" : reader->operators.data[index].overload;
}

/* Reads the first `count` fields of a table, which are indices of values, as arguments. */
static void read_value_fields(pte_reader *reader, etr_instruction *out, etr_fb_at table,
                              size_t count, size_t value_count) {
  int32_t *args = etr_arena_alloc_array(reader->arena, count, sizeof *args);
  out->arg_count = args ? count : 0;
  for (size_t i = 0; i < out->arg_count; i++)
    args[i] = valid_index(etr_fb_i32(&reader->fb, table, (unsigned)i, 0), value_count);
  out->args = args;
}

/* Reads the instructions of a method's first chain, which is all that the runtime runs. */
static void read_instructions(pte_reader *reader, etr_pte_method *out, etr_fb_at plan) {
  etr_fb *fb = &reader->fb;
  etr_vec(etr_instruction) instructions = {0};
  uint32_t chain_count, count;
  etr_fb_at chains = etr_fb_vector(fb, plan, PLAN_CHAINS, 4, &chain_count);
  etr_fb_at vector = etr_fb_vector(fb, chain_count ? etr_fb_table_at(fb, chains, 0) : 0,
                                   CHAIN_INSTRUCTIONS, 4, &count);
  etr_vec_expect(reader->arena, &instructions, count);
  for (uint32_t i = 0; i < count && !stopped(reader); i++) {
    etr_instruction *instruction = etr_vec_push(reader->arena, &instructions);
    if (instruction) {
      etr_fb_at table = etr_fb_table_at(fb, vector, i);
      uint8_t type = etr_fb_u8(fb, table, UNION_TYPE, 0);
      etr_fb_at call = etr_fb_table(fb, table, UNION_VALUE);
      *instruction = (etr_instruction){.delegate = -1, .jump_target = -1};
      if (call && type <= ETR_INSTRUCTION_FREE)
        instruction->kind = (etr_instruction_kind)type;
      switch (instruction->kind) {
      case ETR_INSTRUCTION_KERNEL:
        read_kernel_call(reader, instruction, call);
        instruction->args = read_indices(reader, call, CALL_ARGS, out->value_count,
                                         &instruction->arg_count);
        break;
      case ETR_INSTRUCTION_DELEGATE:
        instruction->delegate = valid_index(etr_fb_i32(fb, call, CALL_INDEX, 0),
                                            out->delegate_count);
        instruction->args = read_indices(reader, call, CALL_ARGS, out->value_count,
                                         &instruction->arg_count);
        break;
      case ETR_INSTRUCTION_MOVE:
        read_value_fields(reader, instruction, call, MOVE_TO + 1, out->value_count);
        break;
      case ETR_INSTRUCTION_JUMP_FALSE:
        read_value_fields(reader, instruction, call, JUMP_CONDITION + 1, out->value_count);
        instruction->jump_target = valid_index(etr_fb_i32(fb, call, JUMP_DESTINATION, 0),
                                               (size_t)count + 1);
        break;
      case ETR_INSTRUCTION_FREE:
        read_value_fields(reader, instruction, call, FREE_VALUE + 1, out->value_count);
        break;
      case ETR_INSTRUCTION_UNKNOWN:
        break;
      }
    }
  }
  out->instructions = instructions.data;
  out->instruction_count = instructions.count;
}

/* ---- Program ---- */

/* Reads all methods and where the data of the program are. */
static void read_methods(pte_reader *reader, etr_pte *out) {
  etr_fb *fb = &reader->fb;
  etr_vec(etr_pte_method) methods = {0};
  uint32_t count;
  etr_fb_at program = etr_fb_root(fb), plans = etr_fb_vector(fb, program, PROGRAM_PLANS, 4, &count);
  /* Finds the program's inline data and segments. `fb`, `arena`, `bytes`, `file`, `left` and
   * `segment_base` are set. */
  etr_map_init(&reader->payloads.extents, reader->payloads.arena);
  reader->payloads.inline_data = etr_fb_vector(reader->payloads.fb, program, PROGRAM_INLINE_DATA, 4,
                                               &reader->payloads.inline_count);
  reader->payloads.segments = etr_fb_vector(reader->payloads.fb, program, PROGRAM_SEGMENTS, 4,
                                            &reader->payloads.segment_count);
  for (uint32_t i = 0; i < count && !stopped(reader); i++) {
    etr_pte_method *method = etr_vec_push(reader->arena, &methods);
    if (!method)
      break;
    etr_fb_at plan = etr_fb_table_at(fb, plans, i);
    method->name = read_text(reader, plan, PLAN_NAME);
    read_values(reader, method, plan);
    method->inputs = read_indices(reader, plan, PLAN_INPUTS, method->value_count,
                                  &method->input_count);
    method->outputs = read_indices(reader, plan, PLAN_OUTPUTS, method->value_count,
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
      (void)note_segment(&out->data, methods.data[i].delegates[k].payload_segment,
                         ETR_SEGMENT_DELEGATE);
}

/* What the extended header says; all 0 without one. */
typedef struct pte_header {
  bool is_there;
  uint64_t program_bytes, segment_base;
  uint64_t segment_bytes; /* of all segments; 0: an older header does not say it */
} pte_header;

/* Reads the header behind the identifier that says where segments begin; older files have none. */
static pte_header read_extended_header(etr_slice head) {
  if (head.size < HEADER_AT + HEADER_BYTES || memcmp(head.data + HEADER_AT, "eh00", 4) != 0)
    return (pte_header){0};
  const char *fields = head.data + HEADER_AT;
  uint64_t length = etr_load_le(fields + HEADER_LENGTH, 4);
  if (length < HEADER_BYTES)
    return (pte_header){0};
  pte_header header = {.is_there = true,
                       .program_bytes = etr_load_le(fields + HEADER_PROGRAM_SIZE, 8),
                       .segment_base = etr_load_le(fields + HEADER_SEGMENT_BASE, 8)};
  if (length >= HEADER_BYTES + 8 && head.size >= HEADER_AT + HEADER_BYTES + 8)
    header.segment_bytes = etr_load_le(fields + HEADER_SEGMENT_SIZE, 8);
  return header;
}

/* Returns the size of the program without segments. Without a header, that is the whole file. */
static uint64_t size_of_program(const pte_header *header, uint64_t file_size) {
  return header->is_there ? ETR_MIN(file_size, header->program_bytes) : file_size;
}

/* Returns the size that a file needs by its header; 0 if that does not say it. */
static uint64_t size_by_header(const pte_header *header) {
  uint64_t end = header->segment_base
                     ? etr_add_up_to_most(header->segment_base, header->segment_bytes)
                     : 0;
  return ETR_MAX(header->program_bytes, end);
}

/* Returns where the last segment of a program ends; 0 if there is none. */
static uint64_t end_of_segments(const etr_pte_data *data) {
  uint64_t end = 0;
  for (size_t i = 0; data->segment_base > 0 && i < data->segment_count; i++) {
    const etr_segment *segment = &data->segments[i];
    uint64_t segment_end = etr_add_up_to_most(segment->offset_bytes, segment->size_bytes);
    end = ETR_MAX(end, etr_add_up_to_most(data->segment_base, segment_end));
  }
  return end;
}

/* Fails if a file has fewer bytes than its program needs. */
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

/* Reads a program and checks that the file is as long as it says. Fails if it is damaged or
 * beyond a limit, or when out of memory; *out is then empty. */
static etr_status read_program(etr_pte *out, etr_arena *arena, const etr_pte_source *source,
                               const etr_pte_limits *limits, etr_error *error) {
  etr_slice bytes = source->bytes;
  const char *path = source->path;
  ETR_TRY(check_identifier(bytes, path, error));
  pte_reader reader = {
      .arena = arena,
      .max_delegates = limits->max_delegates ? limits->max_delegates : DEFAULT_MAX_DELEGATES,
      .payloads = {
          .arena = arena, .bytes = bytes, .file = source->file, .left = limits->max_bytes}};
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
  if (!stopped(&reader))
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
  bool has_place = failure.offset != ETR_NO_OFFSET;
  uint64_t start = (uint64_t)(bundle.program.data - source->bytes.data);
  return etr_fail(error, status, path, NULL, has_place ? start + failure.offset : ETR_NO_OFFSET,
                  "%s", failure.message);
}

/* Reads a program, or the one in a bundle; *out is empty if that fails. */
etr_status etr_pte_read(etr_pte *out, etr_arena *arena, const etr_pte_source *source,
                        const etr_pte_limits *limits, etr_error *error) {
  *out = (etr_pte){0};
  etr_status status = (etr_bundle_is(source->bytes) ? read_bundle : read_program)(
      out, arena, source, limits, error);
  if (status != ETR_OK)
    *out = (etr_pte){0};
  return status;
}

/* ---- In a file ---- */

/* Loads the program, but not the segments; of a BundledProgram, which is all one FlatBuffer,
 * everything. Fails if it is no .pte, is larger than max_bytes or cannot be read. */
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
  etr_pte_limits left = *limits;
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
    left.max_bytes -= program.size;
  if (status == ETR_OK)
    status = etr_pte_read(out, arena, &source, &left, error);
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

/* Returns for each instruction whether a jump over it, forwards or backwards, can leave it out or
 * repeat it; NULL when out of memory. */
bool *etr_pte_find_bodies(const etr_pte_method *program, etr_arena *arena) {
  size_t count = program->instruction_count;
  bool *is_in_body = etr_arena_alloc_array(arena, count, sizeof *is_in_body);
  int32_t *change = etr_arena_alloc_array(arena, count + 1,
                                          sizeof *change); /* of the number of jumps around */
  for (size_t i = 0; change && i < count; i++) {
    size_t target = (size_t)program->instructions[i].jump_target;
    if (program->instructions[i].jump_target < 0)
      continue;
    change[ETR_MIN(i + 1, target)]++;
    change[ETR_MAX(i + 1, target)]--;
  }
  int32_t jumps_around = 0;
  for (size_t i = 0; change && is_in_body && i < count; i++) {
    jumps_around += change[i];
    is_in_body[i] = jumps_around > 0;
  }
  return change ? is_in_body : NULL;
}
