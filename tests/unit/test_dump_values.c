/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_dump_values.c - values of each kind in the schema, and of unknown kinds.
 */

#include "tiny_flatbuf.h"

#include "inputs/dump.h"

#include <criterion/criterion.h>

/* Indices of the fields of a Value in the schema; each but the first is a table with one field. */
enum {
  TYPE = 4,
  TENSOR = 8,
  TENSOR_LIST = 12,
  INT = 16,
  FLOAT = 20,
  DOUBLE = 24,
  BOOL = 28,
  OUTPUT = 32,
  VALUE_BYTES = 36,
  FIELDS = 8
};
enum { OF_NULL, OF_INT, OF_BOOL, OF_FLOAT, OF_DOUBLE, OF_TENSOR, OF_TENSOR_LIST };

typedef struct built {
  uint8_t bytes[1024];
  tiny_fb fb;
  uint32_t value;
} built;

static void start(built *b, unsigned type) {
  *b = (built){.fb = {.capacity = sizeof b->bytes}};
  b->fb.bytes = b->bytes;
  tiny_start(&b->fb, "ED00");
  b->value = tiny_table(&b->fb, (uint16_t[FIELDS]){TYPE}, FIELDS, VALUE_BYTES);
  tiny_set(&b->fb, b->value + TYPE, 1, type);
}

/* Sets a field that is absent until then. */
static void point(built *b, uint32_t field, uint32_t target) {
  tiny_set(&b->fb, b->value - 2 * FIELDS + 2 * (field - TYPE) / 4, 2, field);
  tiny_point(&b->fb, b->value + field, target);
}

/* A table with one number, in a field of the value. */
static void add_number(built *b, uint32_t field, unsigned width, uint64_t number) {
  uint32_t table = tiny_table(&b->fb, (uint16_t[]){8}, 1, 16);
  tiny_set(&b->fb, table + 8, width, number);
  point(b, field, table);
}

static uint32_t add_numbers(built *b, const int64_t *numbers, uint32_t count) {
  uint32_t vector = tiny_vector(&b->fb, count, 8);
  for (uint32_t i = 0; i < count; i++)
    tiny_set(&b->fb, vector + 4 + 8 * i, 8, (uint64_t)numbers[i]);
  return vector;
}

static uint32_t add_tensor(built *b, unsigned scalar_type, const int64_t *sizes, uint32_t rank,
                           uint32_t stride_count, uint64_t offset) {
  static const int64_t strides[] = {3, 1, 1};
  uint32_t tensor = tiny_table(&b->fb, (uint16_t[]){4, 8, 12, 16}, 4, 24);
  tiny_set(&b->fb, tensor + 4, 1, scalar_type);
  tiny_set(&b->fb, tensor + 16, 8, offset);
  tiny_point(&b->fb, tensor + 8, add_numbers(b, sizes, rank));
  tiny_point(&b->fb, tensor + 12, add_numbers(b, strides, stride_count));
  return tensor;
}

/* Reads the values. Sets *marked to what etr_values_read() returns. */
static const etr_debug_value *read_value(built *b, etr_arena *arena, const etr_debug_value *event,
                                         size_t *count, bool *marked) {
  etr_fb fb;
  etr_value_reader reader = {0};
  etr_fb_init(&fb, (const char *)b->bytes, b->fb.size);
  etr_values_init(&reader, &fb, arena);
  etr_values_start_run(&reader, 3);
  *marked = etr_values_read(&reader, *event, b->value);
  const etr_debug_value *values = etr_values_end(&reader, count);
  for (size_t i = 0; i < *count; i++)
    cr_expect(values[i].method == ETR_NONE && values[i].node == ETR_NONE,
              "the join decides of which node it is");
  cr_expect(!etr_fb_failed(&fb) && !etr_arena_failed(arena), "%s", fb.message);
  return values;
}

Test(dump_values, logged_scalars_are_read) {
  static const struct {
    unsigned type;
    uint32_t field;
    unsigned width;
    uint64_t number;
    etr_debug_kind kind;
    int64_t int_value;
    double double_value;
  } cases[] = {
      {OF_INT, INT, 8, (uint64_t)-7, ETR_DEBUG_INT, -7, 0},
      {OF_BOOL, BOOL, 1, 1, ETR_DEBUG_BOOL, 1, 0},
      {OF_BOOL, BOOL, 1, 0, ETR_DEBUG_BOOL, 0, 0},
      {OF_FLOAT, FLOAT, 4, 0x3FC00000, ETR_DEBUG_DOUBLE, 0, 1.5},
      {OF_DOUBLE, DOUBLE, 8, 0x4004000000000000, ETR_DEBUG_DOUBLE, 0, 2.5},
      {OF_NULL, INT, 8, 5, ETR_DEBUG_NONE, 0, 0},
      {OF_TENSOR_LIST + 1, INT, 8, 5, ETR_DEBUG_NONE, 0, 0}, /* a type of a later schema */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_debug_value event = {.name = "op", .instruction_id = 4};
    etr_arena arena = {0};
    built b;
    size_t count;
    bool marked;
    start(&b, cases[i].type);
    add_number(&b, cases[i].field, cases[i].width, cases[i].number);
    const etr_debug_value *got = read_value(&b, &arena, &event, &count, &marked);
    cr_assert_eq(count, 1, "case %zu", i);
    cr_expect(got->kind == cases[i].kind && got->int_value == cases[i].int_value &&
                  got->double_value == cases[i].double_value,
              "case %zu", i);
    cr_expect(got->run == 3 && got->instruction_id == 4 && got->index == 0 && !got->is_output &&
                  !marked,
              "case %zu", i);
    etr_arena_clear(&arena);
  }
}

Test(dump_values, logged_tensors_are_read) {
  static const struct {
    unsigned scalar_type;
    int64_t sizes[3];
    uint32_t rank, stride_count;
    const char *dtype;
    bool has_strides;
    uint64_t byte_size;
  } cases[] = {
      {6, {2, 3}, 2, 2, "float32", true, 24},  {4, {2, 3, 1}, 3, 3, "int64", true, 48},
      {6, {2, 3}, 2, 1, "float32", false, 24}, {6, {0}, 0, 0, "float32", true, 4},
      {6, {2, -1}, 2, 2, "float32", true, 0},  {6, {INT64_MAX, 3}, 2, 2, "float32", true, 0},
      {200, {2, 3}, 2, 2, NULL, true, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_debug_value event = {.name = "op", .instruction_id = 4, .delegate_id = "d"};
    etr_arena arena = {0};
    built b;
    size_t count;
    bool marked;
    start(&b, OF_TENSOR);
    point(&b, TENSOR,
          add_tensor(&b, cases[i].scalar_type, cases[i].sizes, cases[i].rank, cases[i].stride_count,
                     64));
    const etr_debug_value *got = read_value(&b, &arena, &event, &count, &marked);
    cr_assert(count == 1 && got->kind == ETR_DEBUG_TENSOR, "case %zu", i);
    cr_expect(cases[i].dtype ? got->dtype && strcmp(got->dtype, cases[i].dtype) == 0 : !got->dtype,
              "case %zu: %s", i, got->dtype);
    cr_expect(got->rank == (int32_t)cases[i].rank && got->offset == 64 &&
                  got->byte_size == cases[i].byte_size,
              "case %zu", i);
    cr_expect_eq(got->strides != NULL, cases[i].has_strides, "case %zu", i);
    etr_arena_clear(&arena);
  }
}

Test(dump_values, tensors_of_a_list_are_separate_values) {
  static const int64_t sizes[] = {2};
  const etr_debug_value event = {.name = "op", .instruction_id = 4};
  etr_arena arena = {0};
  built b;
  size_t count;
  bool marked;
  start(&b, OF_TENSOR_LIST);
  uint32_t list = tiny_table(&b.fb, (uint16_t[]){4}, 1, 8), vector = tiny_vector(&b.fb, 2, 4);
  point(&b, TENSOR_LIST, list);
  tiny_point(&b.fb, list + 4, vector);
  for (uint32_t i = 0; i < 2; i++)
    tiny_point(&b.fb, vector + 4 + 4 * i, add_tensor(&b, 6, sizes, 1, 1, i));
  const etr_debug_value *got = read_value(&b, &arena, &event, &count, &marked);
  cr_assert_eq(count, 2);
  for (uint32_t i = 0; i < 2; i++)
    cr_expect(got[i].index == i && got[i].offset == i && got[i].byte_size == 8);
  etr_arena_clear(&arena);
}

/* Outputs are the values that the runtime marks, and those logged outside of any instruction,
 * except None. */
Test(dump_values, outputs_of_the_method_are_marked) {
  static const struct {
    unsigned type, mark;
    int32_t instruction;
    const char *delegate_id;
    bool is_output, marked;
  } cases[] = {
      {OF_INT, 0, 2, NULL, false, false}, {OF_INT, 1, 2, NULL, true, true},
      {OF_INT, 0, -1, NULL, true, false}, {OF_INT, 0, -1, "d", false, false},
      {OF_INT, 1, -1, "d", true, true},   {OF_NULL, 0, -1, NULL, false, false},
      {OF_NULL, 1, -1, NULL, true, true},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_debug_value event = {
        .name = "", .instruction_id = cases[i].instruction, .delegate_id = cases[i].delegate_id};
    etr_arena arena = {0};
    built b;
    size_t count;
    bool marked;
    start(&b, cases[i].type);
    add_number(&b, INT, 8, 1);
    add_number(&b, OUTPUT, 1, cases[i].mark);
    const etr_debug_value *got = read_value(&b, &arena, &event, &count, &marked);
    cr_expect(count == 1 && got->is_output == cases[i].is_output && marked == cases[i].marked,
              "case %zu", i);
    etr_arena_clear(&arena);
  }
}
