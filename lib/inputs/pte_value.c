/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_value.c - EValues.
 */
#include "formats/element.h"
#include "inputs/pte.h"

enum { UNION_TYPE, UNION_VALUE };
enum { TENSOR_SCALAR_TYPE, TENSOR_SIZES = 2, TENSOR_BUFFER = 5, TENSOR_ALLOCATION, TENSOR_DYNAMISM = 8, TENSOR_EXTRA };
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
  TYPE_TENSOR_LIST = 10,
  TYPE_OPTIONAL_TENSOR_LIST
};

static int32_t valid_index(int32_t index, size_t count) { return index >= 0 && (size_t)index < count ? index : -1; }

/* A copy of a vector of numbers. */
static int32_t *read_numbers(const etr_pte_values *v, etr_fb_at table, unsigned field, size_t *count) {
  uint32_t elements;
  etr_fb_at vector = etr_fb_vector(v->fb, table, field, sizeof(int32_t), &elements);
  int32_t *numbers = etr_arena_alloc_array(v->arena, elements, sizeof *numbers);
  *count = numbers ? elements : 0;
  for (uint32_t i = 0; i < *count; i++) numbers[i] = etr_fb_i32_at(v->fb, vector, i);
  return numbers;
}

int32_t *etr_pte_indices(const etr_pte_values *v, etr_fb_at table, unsigned field, size_t value_count, size_t *count) {
  int32_t *indices = read_numbers(v, table, field, count);
  for (size_t i = 0; i < *count; i++) indices[i] = valid_index(indices[i], value_count);
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

/* False: of more dimensions than there are tensors of. */
static bool read_tensor(const etr_pte_values *v, etr_pte_value *out, etr_fb_at tensor) {
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

static etr_pte_value_kind value_kind(uint8_t type) {
  static const etr_pte_value_kind kinds[] = {
      [TYPE_INT] = ETR_PTE_VALUE_INT,
      [TYPE_BOOL] = ETR_PTE_VALUE_BOOL,
      [TYPE_DOUBLE] = ETR_PTE_VALUE_DOUBLE,
      [TYPE_TENSOR] = ETR_PTE_VALUE_TENSOR,
      [TYPE_STRING] = ETR_PTE_VALUE_STRING,
      [TYPE_INT_LIST] = ETR_PTE_VALUE_INT_LIST,
      [TYPE_TENSOR_LIST] = ETR_PTE_VALUE_TENSOR_LIST,
      [TYPE_OPTIONAL_TENSOR_LIST] = ETR_PTE_VALUE_TENSOR_LIST,
  };
  return type < ETR_COUNT(kinds) ? kinds[type] : ETR_PTE_VALUE_OTHER;
}

void etr_pte_value_read(const etr_pte_values *v, etr_pte_value *out, etr_fb_at entry, uint32_t value_count) {
  etr_fb *fb = v->fb;
  out->kind = value_kind(etr_fb_u8(fb, entry, UNION_TYPE, 0));
  etr_fb_at table = out->kind == ETR_PTE_VALUE_OTHER ? 0 : etr_fb_table(fb, entry, UNION_VALUE);
  if (table == 0) out->kind = ETR_PTE_VALUE_OTHER;
  switch (out->kind) {
  case ETR_PTE_VALUE_TENSOR:
    if (!read_tensor(v, out, table)) *out = (etr_pte_value){.kind = ETR_PTE_VALUE_OTHER};
    break;
  case ETR_PTE_VALUE_TENSOR_LIST:
    out->items = etr_pte_indices(v, table, LIST_ITEMS, value_count, &out->item_count);
    break;
  case ETR_PTE_VALUE_INT_LIST: {
    /* Likewise of 64 bits, in which lists of integers have theirs. */
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
  case ETR_PTE_VALUE_INT: out->scalar.integer = etr_fb_i64(fb, table, SCALAR, 0); break;
  case ETR_PTE_VALUE_BOOL: out->scalar.integer = etr_fb_u8(fb, table, SCALAR, 0) != 0; break;
  case ETR_PTE_VALUE_DOUBLE: out->scalar.real = read_double(fb, table); break;
  case ETR_PTE_VALUE_STRING: out->scalar.text = etr_intern(v->names, etr_fb_string(fb, table, SCALAR)); break;
  case ETR_PTE_VALUE_OTHER: break;
  }
}

/* ---- Bytes ---- */

/* Multiplies *bytes by the size of a dimension, unless that is beyond 64 bits. */
static bool scale(uint64_t *bytes, int64_t size) {
  if (size < 0 || (size > 0 && *bytes > UINT64_MAX / (uint64_t)size)) return false;
  *bytes *= (uint64_t)size;
  return true;
}

bool etr_pte_value_bytes(const etr_pte_value *value, uint64_t *bytes) {
  uint64_t product = etr_dtype_bytes(value->dtype);
  bool good = product > 0;
  for (int32_t i = 0; good && i < value->rank; i++) good = scale(&product, value->sizes[i]);
  *bytes = good ? product : 0;
  return good;
}

bool etr_value_bytes(const etr_value *value, uint64_t *bytes) {
  uint64_t product = etr_dtype_bytes(value->dtype);
  if (product == 0 || value->rank < 0) return false;
  for (int32_t i = 0; i < value->rank; i++) {
    const etr_dim *dim = &value->dims[i];
    if (!scale(&product, dim->size == ETR_DIM_SYMBOLIC ? dim->hint : dim->size)) return false;
  }
  *bytes = product;
  return true;
}
