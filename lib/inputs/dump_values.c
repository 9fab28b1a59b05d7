/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_values.c - from Value tables to values.
 */
#include "inputs/dump_values.h"

#include "formats/element.h"
#include "inputs/tensor_data.h"

/* Fields, in the order of the schema. */
enum {
  VALUE_TYPE,
  VALUE_TENSOR,
  VALUE_TENSOR_LIST,
  VALUE_INT,
  VALUE_FLOAT,
  VALUE_DOUBLE,
  VALUE_BOOL,
  VALUE_OUTPUT
};
enum { TENSOR_SCALAR_TYPE, TENSOR_SIZES, TENSOR_STRIDES, TENSOR_OFFSET };
enum { ONLY_FIELD = 0 }; /* of Int, Bool, Float, Double, TensorList */
enum { TYPE_NULL, TYPE_INT, TYPE_BOOL, TYPE_FLOAT, TYPE_DOUBLE, TYPE_TENSOR, TYPE_TENSOR_LIST };

void etr_values_init(etr_value_reader *reader, etr_fb *fb, etr_arena *arena) {
  etr_arena_clear(&reader->scratch);
  *reader = (etr_value_reader){.fb = fb, .arena = arena};
  etr_map_init(&reader->counts, &reader->scratch);
}

void etr_values_start_run(etr_value_reader *reader, uint32_t run) {
  etr_arena_clear(&reader->scratch);
  etr_map_init(&reader->counts, &reader->scratch);
  reader->run = run;
}

etr_debug_value *etr_values_end(etr_value_reader *reader, size_t *count) {
  if (etr_arena_failed(&reader->scratch))
    etr_arena_fail(reader->arena);
  etr_arena_clear(&reader->scratch);
  *count = reader->values.count;
  return reader->values.data;
}

static etr_debug_value *add_value(etr_value_reader *reader, const etr_debug_value *origin) {
  etr_debug_value *added = etr_vec_push(reader->arena, &reader->values);
  if (!added)
    return NULL;
  *added = *origin;
  /* Returns the next index among the values with the same origin. */
  struct {
    const char *delegate_id;
    int32_t instruction_id, is_output;
  } key = {origin->delegate_id, origin->instruction_id, origin->is_output};
  ETR_NO_PADDING(key, sizeof(char *) + 2 * sizeof(int32_t));
  added->index = etr_map_count(&reader->counts, ETR_BYTES(key));
  return added;
}

static const int64_t *read_numbers(etr_value_reader *reader, etr_fb_at table, unsigned field,
                                   uint32_t *count) {
  etr_fb_at vector = etr_fb_vector(reader->fb, table, field, sizeof(int64_t), count);
  int64_t *numbers = etr_arena_alloc_array(reader->arena, *count, sizeof *numbers);
  if (!numbers)
    *count = 0;
  for (uint32_t i = 0; i < *count; i++)
    numbers[i] = etr_fb_i64_at(reader->fb, vector, i);
  return numbers;
}

static void read_tensor(etr_value_reader *reader, const etr_debug_value *origin, etr_fb_at tensor) {
  uint32_t rank, stride_count;
  uint64_t count = 0;
  etr_debug_value *value = add_value(reader, origin);
  if (!value)
    return;
  value->kind = ETR_DEBUG_TENSOR;
  value->dtype = etr_scalar_type_name(etr_fb_u8(reader->fb, tensor, TENSOR_SCALAR_TYPE, 0));
  value->sizes = read_numbers(reader, tensor, TENSOR_SIZES, &rank);
  value->strides = read_numbers(reader, tensor, TENSOR_STRIDES, &stride_count);
  value->rank = (int32_t)rank;
  if (stride_count != rank)
    value->strides = NULL;
  value->offset = etr_fb_u64(reader->fb, tensor, TENSOR_OFFSET, 0);
  const etr_element *element = etr_element_of_dtype(value->dtype);
  if (element && etr_tensor_count(value->sizes, value->rank, element->size, &count))
    value->byte_size = count * element->size;
}

static void read_scalar(etr_value_reader *reader, const etr_debug_value *origin, etr_fb_at table,
                        uint8_t type) {
  etr_fb *fb = reader->fb;
  etr_debug_value *value = add_value(reader, origin);
  if (!value)
    return;
  switch (type) {
  case TYPE_INT:
    value->kind = ETR_DEBUG_INT;
    value->int_value = etr_fb_i64(fb, etr_fb_table(fb, table, VALUE_INT), ONLY_FIELD, 0);
    break;
  case TYPE_BOOL:
    value->kind = ETR_DEBUG_BOOL;
    value->int_value = etr_fb_u8(fb, etr_fb_table(fb, table, VALUE_BOOL), ONLY_FIELD, 0) != 0;
    break;
  case TYPE_FLOAT:
    value->kind = ETR_DEBUG_DOUBLE;
    value->double_value = (double)etr_fb_f32(fb, etr_fb_table(fb, table, VALUE_FLOAT), ONLY_FIELD,
                                             0);
    break;
  case TYPE_DOUBLE:
    value->kind = ETR_DEBUG_DOUBLE;
    value->double_value = etr_double_of_bits(
        etr_fb_u64(fb, etr_fb_table(fb, table, VALUE_DOUBLE), ONLY_FIELD, 0));
    break;
  default:
    break;
  }
}

bool etr_values_read(etr_value_reader *reader, etr_debug_value origin, etr_fb_at value) {
  etr_fb *fb = reader->fb;
  uint8_t type = etr_fb_u8(fb, value, VALUE_TYPE, TYPE_NULL);
  bool marked = etr_fb_u8(fb, etr_fb_table(fb, value, VALUE_OUTPUT), ONLY_FIELD, 0) != 0;
  bool outside = origin.instruction_id < 0 && !origin.delegate_id;
  origin.run = reader->run;
  origin.is_output = marked || (outside && type != TYPE_NULL);
  origin.method = origin.node = ETR_NONE;
  if (type == TYPE_TENSOR)
    read_tensor(reader, &origin, etr_fb_table(fb, value, VALUE_TENSOR));
  else if (type == TYPE_TENSOR_LIST) {
    etr_fb_at list = etr_fb_table(fb, value, VALUE_TENSOR_LIST);
    uint32_t count;
    etr_fb_at vector = etr_fb_vector(reader->fb, list, ONLY_FIELD, 4, &count);
    for (uint32_t i = 0;
         i < count && !etr_fb_failed(reader->fb) && !etr_arena_failed(reader->arena); i++)
      read_tensor(reader, &origin, etr_fb_table_at(reader->fb, vector, i));
  } else
    read_scalar(reader, &origin, value, type);
  return marked;
}
