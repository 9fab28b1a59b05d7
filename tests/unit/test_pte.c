/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_pte.c - lib/inputs/pte.c on all real programs, and on some built by hand with senseless
 * numbers.
 */
#define _GNU_SOURCE /* memmem */
#include "backends/xnnpack.h"
#include "base/file.h"
#include "inputs/pte.h"

#include "tiny_flatbuf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 26 };

typedef struct reading {
  etr_file file;
  etr_arena arena;
  etr_pte pte;
  etr_error error;
  etr_status status;
} reading;

static void read_bytes(reading *out, etr_slice bytes) {
  etr_error_clear(&out->error);
  etr_pte_source source = {.path = "pte", .bytes = bytes};
  out->status = etr_pte_read(&out->pte, &out->arena, &source, &(etr_pte_limits){0}, &out->error);
}

static void load(reading *out, const char *path) {
  char full[256];
  *out = (reading){0};
  snprintf(full, sizeof full, FIXTURES "/%s", path);
  cr_assert_eq(etr_file_read(&out->file, full, MAX_BYTES, NULL), ETR_OK, "%s", full);
}

static void read_fixture(reading *out, const char *path) {
  load(out, path);
  read_bytes(out, (etr_slice){(const char *)out->file.data, out->file.size});
}

static void clear(reading *it) {
  etr_arena_clear(&it->arena);
  etr_file_clear(&it->file);
}

static bool same_numbers(const int32_t *a, const int32_t *b, size_t count) {
  return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

/* ---- Real programs ---- */

Test(pte, fixtures_have_their_methods) {
  static const struct {
    const char *path;
    size_t method_count, method;
    const char *name;
    size_t kinds[ETR_INSTRUCTION_FREE + 1]; /* unknown, kernel, delegate, move, jump, free */
    size_t values, inputs, outputs;
  } rows[] = {
      {"add_mul/model.pte", 1, 0, "forward", {0, 33, 0, 0, 0, 0}, 101, 2, 2},
      {"add_mul_debug/model.pte", 1, 0, "forward", {0, 33, 0, 0, 0, 0}, 101, 2, 2},
      {"bundled_update/model.pte", 1, 0, "forward", {0, 2, 2, 0, 0, 0}, 25, 2, 2},
      {"control_flow/model.pte", 1, 0, "forward", {0, 11, 0, 4, 4, 0}, 35, 2, 1},
      {"control_flow_map/model.pte", 1, 0, "forward", {0, 9, 0, 0, 1, 0}, 14, 2, 1},
      {"coreml/model.pte", 1, 0, "forward", {0, 0, 1, 0, 0, 0}, 2, 1, 1},
      {"demo_delegate_int/model.pte", 1, 0, "forward", {0, 2, 2, 0, 0, 0}, 9, 1, 2},
      {"dynamic_xnnpack/model.pte", 1, 0, "forward", {0, 2, 1, 0, 0, 0}, 7, 2, 2},
      {"extra_modules/model.pte", 1, 0, "forward", {0, 33, 0, 0, 0, 0}, 101, 2, 2},
      {"from_executorch/pte/add.pte", 1, 0, "forward", {0, 1, 0, 0, 0, 0}, 4, 2, 1},
      {"from_executorch/pte/keyword_spotting.pte", 1, 0, "forward", {0, 16, 0, 0, 0, 0}, 289, 1, 1},
      {"llama_xnnpack/model.pte", 1, 0, "forward", {0, 130, 82, 0, 0, 0}, 1141, 1, 1},
      {"lowered_in_record/model.pte", 1, 0, "forward", {0, 2, 2, 0, 0, 0}, 25, 2, 2},
      {"masked_attention/model.pte", 1, 0, "forward", {0, 47, 0, 0, 0, 0}, 176, 1, 2},
      {"multi_method/model.pte", 3, 0, "decode", {0, 6, 0, 0, 0, 0}, 27, 1, 1},
      {"multi_method/model.pte", 3, 1, "encode", {0, 0, 1, 0, 0, 0}, 2, 1, 1},
      {"multi_method/model.pte", 3, 2, "get_dim", {0, 0, 0, 0, 0, 0}, 1, 0, 1},
      {"mv2_portable/model.pte", 1, 0, "forward", {0, 153, 0, 0, 0, 0}, 1600, 1, 1},
      {"mv2_xnnpack/model.pte", 1, 0, "forward", {0, 0, 1, 0, 0, 0}, 54, 1, 1},
      {"old_0_6_add_mul/model.pte", 1, 0, "forward", {0, 33, 0, 0, 0, 0}, 101, 2, 2},
      {"old_1_0_1_add_mul/model.pte", 1, 0, "forward", {0, 33, 0, 0, 0, 0}, 101, 2, 2},
      {"quantized_xnnpack/model.pte", 1, 0, "forward", {0, 3, 4, 0, 0, 0}, 16, 1, 1},
      {"vit_xnnpack/model.pte", 1, 0, "forward", {0, 231, 86, 0, 0, 0}, 1043, 1, 1},
      {"vulkan/model.pte", 1, 0, "forward", {0, 1, 2, 0, 0, 0}, 9, 1, 1},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    reading it;
    size_t kinds[ETR_INSTRUCTION_FREE + 1] = {0};
    read_fixture(&it, rows[i].path);
    cr_assert(it.status == ETR_OK && it.pte.method_count == rows[i].method_count, "%s: %s",
              rows[i].path, it.error.message);
    const etr_pte_method *method = &it.pte.methods[rows[i].method];
    for (size_t j = 0; j < method->instruction_count; j++)
      kinds[method->instructions[j].kind]++;
    cr_expect_str_eq(method->name, rows[i].name);
    cr_expect_arr_eq(kinds, rows[i].kinds, sizeof kinds, "%s/%s", rows[i].path, method->name);
    cr_expect(method->value_count == rows[i].values && method->input_count == rows[i].inputs &&
                  method->output_count == rows[i].outputs,
              "%s/%s", rows[i].path, method->name);
    cr_expect_eq(method->delegate_count, kinds[ETR_INSTRUCTION_DELEGATE], "%s/%s", rows[i].path,
                 method->name);
    clear(&it);
  }
}

Test(pte, instructions_as_flatc_shows_them) {
  const struct {
    const char *path;
    size_t index;
    etr_instruction want;
  } rows[] = {
      {"dynamic_xnnpack/model.pte",
       0,
       {ETR_INSTRUCTION_KERNEL, "aten::sym_size", "int", -1, -1, (int32_t[]){0, 2, 3}, 3}},
      {"dynamic_xnnpack/model.pte",
       2,
       {ETR_INSTRUCTION_DELEGATE, NULL, NULL, 0, -1, (int32_t[]){0, 1, 6}, 3}},
      {"vulkan/model.pte", 2, {ETR_INSTRUCTION_DELEGATE, NULL, NULL, 1, -1, (int32_t[]){2, 8}, 2}},
      {"control_flow/model.pte",
       0,
       {ETR_INSTRUCTION_KERNEL, "aten::permute_copy", "out", -1, -1, (int32_t[]){0, 10, 7, 7}, 4}},
      {"control_flow/model.pte",
       2,
       {ETR_INSTRUCTION_JUMP_FALSE, NULL, NULL, -1, 13, (int32_t[]){5}, 1}},
      {"control_flow/model.pte",
       6,
       {ETR_INSTRUCTION_MOVE, NULL, NULL, -1, -1, (int32_t[]){17, 16}, 2}},
      {"control_flow/model.pte",
       16,
       {ETR_INSTRUCTION_MOVE, NULL, NULL, -1, -1, (int32_t[]){27, 14}, 2}},
      {"control_flow/model.pte",
       17,
       {ETR_INSTRUCTION_KERNEL, "dim_order_ops::_to_dim_order_copy", "out", -1, -1,
        (int32_t[]){4, 32, 33, 31, 31}, 5}},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    reading it;
    read_fixture(&it, rows[i].path);
    cr_assert(it.pte.method_count && rows[i].index < it.pte.methods[0].instruction_count, "row %zu",
              i);
    const etr_instruction *got = &it.pte.methods[0].instructions[rows[i].index],
                          *want = &rows[i].want;
    cr_expect(got->kind == want->kind && same_text(got->op, want->op) &&
                  same_text(got->overload, want->overload),
              "row %zu: %s", i, got->op);
    cr_expect(got->delegate == want->delegate && got->jump_target == want->jump_target, "row %zu",
              i);
    cr_expect(got->arg_count == want->arg_count &&
                  same_numbers(got->args, want->args, want->arg_count),
              "row %zu", i);
    clear(&it);
  }
}

Test(pte, values_as_flatc_shows_them) {
  const struct {
    const char *path;
    size_t index;
    etr_pte_value want;
  } rows[] = {
      {"dynamic_xnnpack/model.pte",
       0,
       {.kind = ETR_PTE_VALUE_TENSOR,
        .dtype = "float32",
        .sizes = (int32_t[]){16, 6},
        .rank = 2,
        .dynamic = true}},
      {"dynamic_xnnpack/model.pte", 2, {.kind = ETR_PTE_VALUE_INT}},
      {"control_flow/model.pte",
       0,
       {.kind = ETR_PTE_VALUE_TENSOR,
        .dtype = "float32",
        .sizes = (int32_t[]){4, 4},
        .rank = 2,
        .constant = true}},
      {"control_flow/model.pte",
       4,
       {.kind = ETR_PTE_VALUE_TENSOR, .dtype = "int64", .constant = true}},
      {"control_flow/model.pte", 5, {.kind = ETR_PTE_VALUE_TENSOR, .dtype = "bool"}},
      {"control_flow/model.pte", 8, {.kind = ETR_PTE_VALUE_INT, .scalar.integer = 1}},
      {"control_flow/model.pte",
       10,
       {.kind = ETR_PTE_VALUE_INT_LIST, .items = (int32_t[]){8, 9}, .item_count = 2}},
      {"mv2_portable/model.pte", 326, {.kind = ETR_PTE_VALUE_BOOL}},
      {"mv2_portable/model.pte", 334, {.kind = ETR_PTE_VALUE_DOUBLE, .scalar.real = 0.1}},
      {"add_mul/model.pte",
       62,
       {.kind = ETR_PTE_VALUE_TENSOR_LIST, .items = (int32_t[]){56, 57}, .item_count = 2}},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    reading it;
    read_fixture(&it, rows[i].path);
    cr_assert(it.pte.method_count && rows[i].index < it.pte.methods[0].value_count, "row %zu", i);
    const etr_pte_value *got = &it.pte.methods[0].values[rows[i].index], *want = &rows[i].want;
    cr_expect(got->kind == want->kind && same_text(got->dtype, want->dtype) &&
                  got->dynamic == want->dynamic && got->constant == want->constant,
              "row %zu", i);
    cr_expect(got->rank == want->rank && same_numbers(got->sizes, want->sizes, (size_t)want->rank),
              "row %zu", i);
    cr_expect(got->item_count == want->item_count &&
                  same_numbers(got->items, want->items, want->item_count),
              "row %zu", i);
    cr_expect_eq(memcmp(&got->scalar, &want->scalar, sizeof got->scalar), 0, "row %zu", i);
    clear(&it);
  }
}

Test(pte, payloads_lie_in_segments) {
  static const struct {
    const char *path;
    size_t method, delegate;
    const char *backend;
    size_t size;
    uint32_t magic_at;
    const char *magic;
  } rows[] = {
      {"dynamic_xnnpack/model.pte", 0, 0, "XnnpackBackend", 1552, 4, "XH00"},
      {"multi_method/model.pte", 1, 0, "XnnpackBackend", 1280, 4, "XH00"},
      {"vulkan/model.pte", 0, 0, "VulkanBackend", 1712, 4, "VH00"},
      {"vulkan/model.pte", 0, 1, "VulkanBackend", 704, 4, "VH00"},
      {"demo_delegate_int/model.pte", 0, 0, "BackendWithDelegateMappingDemo", 83, 0, ""},
      {"demo_delegate_int/model.pte", 0, 1, "BackendWithDelegateMappingDemo", 83, 0,
       ""}, /* both have the same segment */
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    reading it;
    read_fixture(&it, rows[i].path);
    cr_assert(it.pte.method_count > rows[i].method &&
                  it.pte.methods[rows[i].method].delegate_count > rows[i].delegate,
              "row %zu", i);
    const etr_pte_delegate *got = &it.pte.methods[rows[i].method].delegates[rows[i].delegate];
    cr_expect_str_eq(got->backend, rows[i].backend);
    cr_assert_eq(got->payload.size, rows[i].size, "row %zu: %zu", i, got->payload.size);
    cr_expect(memcmp(got->payload.data + rows[i].magic_at, rows[i].magic, strlen(rows[i].magic)) ==
                  0,
              "row %zu", i);
    clear(&it);
  }
}

Test(pte, a_segment_outside_the_file_is_missing) {
  /* Positions in vulkan/model.pte, which has 8744 bytes: in its extended header, and in the segment
   * of the second delegate, 704 bytes at 1792. */
  enum { BASE = 24, SIZE = 840, OFFSET = 848, ROOM = 8744 - 2304 };
  static const struct {
    size_t at;
    uint64_t value;
    size_t payload;
  } cases[] = {
      {BASE, 2304, 704},
      {BASE, 0, 0},
      {BASE, 8744, 0},
      {BASE, 8745, 0},
      {BASE, UINT64_MAX, 0},
      {BASE, UINT64_MAX - 1792, 0},
      {SIZE, ROOM - 1792, ROOM - 1792},
      {SIZE, ROOM - 1791, 0},
      {SIZE, UINT64_MAX, 0},
      {OFFSET, ROOM - 704, 704},
      {OFFSET, ROOM - 703, 0},
      {OFFSET, ROOM + 1, 0},
      {OFFSET, UINT64_MAX - 703, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading it;
    load(&it, "vulkan/model.pte");
    cr_assert_eq(it.file.size, 8744);
    for (int j = 0; j < 8; j++)
      it.file.data[cases[i].at + j] = (uint8_t)(cases[i].value >> (8 * j));
    read_bytes(&it, (etr_slice){(const char *)it.file.data, it.file.size});
    if (cases[i].value > 0 && cases[i].payload == 0) {
      cr_expect(it.status == ETR_ERROR_FORMAT &&
                    strstr(it.error.message, "has 8744 bytes and needs"),
                "case %zu: %s", i, it.error.message);
      clear(&it);
      continue;
    }
    cr_assert(it.status == ETR_OK && it.pte.methods[0].delegate_count == 2, "case %zu: %s", i,
              it.error.message);
    cr_expect_eq(it.pte.methods[0].delegates[1].payload.size, cases[i].payload, "case %zu", i);
    clear(&it);
  }
}

/* ---- Files that are no program, or damaged
 * --------------------------------------------------------------------------------
 */

Test(pte, other_files_are_refused) {
  static const struct {
    const char *path, *message;
  } cases[] = {
      {"dynamic_xnnpack/etdump.etdp", "an ETDump, not a .pte"},
      {"hostile/not_zip.etrecord", "identifier ET12"},
      {"hostile/trunc_prefix_only.etdp", "identifier ET12"},
      {"hostile/empty_file.etdp", "empty"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading it;
    read_fixture(&it, cases[i].path);
    cr_expect(it.status == ETR_ERROR_FORMAT && it.pte.method_count == 0 &&
                  strstr(it.error.message, cases[i].message),
              "%s: %s", cases[i].path, it.error.message);
    clear(&it);
  }
}

/* A BundledProgram reads like its program alone. */
Test(pte, a_bundled_program_reads_like_its_program) {
  static const struct {
    const char *path;
    size_t tests, instructions;
  } rows[] = {
      {"from_executorch/pte/bundled_program.bpte", 10, 3},
      {"bundled/model.bpte", 3, 7},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char full[256];
    reading bytes, file = {0};
    read_fixture(&bytes, rows[i].path);
    snprintf(full, sizeof full, FIXTURES "/%s", rows[i].path);
    file.status = etr_pte_read_file(&file.pte, &file.arena, full,
                                    &(etr_pte_limits){.max_bytes = MAX_BYTES}, &file.error);
    file.file = file.pte.file;
    for (const reading *it = &bytes; it; it = it == &bytes ? &file : NULL) {
      cr_assert(it->status == ETR_OK && it->pte.is_bundled && it->pte.method_count == 1, "%s",
                it->error.message);
      cr_assert_eq(it->pte.test_set_count, 1);
      cr_expect_str_eq(it->pte.test_sets[0].method, "forward");
      cr_expect_eq(it->pte.test_sets[0].count, rows[i].tests, "%zu", it->pte.test_sets[0].count);
      cr_expect_eq(it->pte.methods[0].instruction_count, rows[i].instructions, "%zu",
                   it->pte.methods[0].instruction_count);
    }
    clear(&bytes);
    clear(&file);
  }
}

/* The offset of damage refers to the file. */
Test(pte, damage_is_reported_at_its_offset_in_the_file) {
  static const struct {
    size_t at;
    uint8_t byte;
    const char *message;
  } rows[] = {
      {4 * 12 + 0, 0xff, "damaged BundledProgram: "}, /* where the tests are */
      {0, 0xff, "damaged BundledProgram: "},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    reading it;
    load(&it, "bundled/model.bpte");
    it.file.data[rows[i].at + 3] = rows[i].byte;
    read_bytes(&it, (etr_slice){(const char *)it.file.data, it.file.size});
    cr_expect(it.status == ETR_ERROR_FORMAT &&
                  etr_slice_starts(etr_slice_of(it.error.message), etr_slice_of(rows[i].message)),
              "row %zu: %s", i, it.error.message);
    cr_expect_eq(it.pte.test_set_count, 0);
    clear(&it);
  }
  reading it;
  load(&it, "bundled/model.bpte");
  uint8_t *program = memmem(it.file.data, it.file.size, "ET12", 4);
  cr_assert_not_null(program);
  program[0] = 'X';
  read_bytes(&it, (etr_slice){(const char *)it.file.data, it.file.size});
  cr_expect_str_eq(it.error.message, "not a .pte: the identifier ET12 is missing");
  cr_expect_eq(it.error.offset, (uint64_t)(program - it.file.data));
  clear(&it);
}

/* Constants in a .ptd count as constants. */
Test(pte, constants_in_a_ptd_are_constants) {
  size_t constants = 0;
  reading it;
  read_fixture(&it, "external_weights/model.pte");
  cr_assert_eq(it.status, ETR_OK);
  for (size_t i = 0; i < it.pte.methods[0].value_count; i++)
    constants += it.pte.methods[0].values[i].constant;
  cr_expect_eq(constants, 5, "%zu", constants);
  clear(&it);
}

Test(pte, every_truncation_fails) {
  reading whole;
  read_fixture(&whole, "dynamic_xnnpack/model.pte");
  for (size_t size = 0; size < whole.file.size; size++) {
    char *exact = malloc(
        ETR_MAX(size, (size_t)1)); /* on the heap, so that a sanitizer sees the end */
    reading it = {0};
    memcpy(exact, whole.file.data, size);
    read_bytes(&it, (etr_slice){exact, size});
    cr_expect(it.status == ETR_ERROR_FORMAT && it.pte.method_count == 0, "%zu bytes", size);
    cr_expect(it.error.offset == ETR_NO_OFFSET || it.error.offset <= ETR_MAX(size, 4u),
              "%zu bytes: @%llu", size, (unsigned long long)it.error.offset);
    clear(&it);
    free(exact);
  }
  clear(&whole);
}

/* ---- Programs built by hand
 * --------------------------------------------------------------------------------
 */

typedef struct hand_instruction {
  uint8_t type;
  int32_t first,
      second; /* index, with items as arguments; from and to; condition and destination; value */
} hand_instruction;

static uint32_t indices(tiny_fb *fb, const int32_t items[2]) {
  uint32_t vector = tiny_vector(fb, 2, 4);
  for (uint32_t i = 0; i < 2; i++)
    tiny_set(fb, vector + 4 + 4 * i, 4, (uint32_t)items[i]);
  return vector;
}

/* Stores a vector of one table in a slot. Returns the table. */
static uint32_t one_table(tiny_fb *fb, uint32_t slot, const uint16_t *places, uint16_t count,
                          uint16_t table_size) {
  uint32_t vector = tiny_vector(fb, 1, 4), table = tiny_table(fb, places, count, table_size);
  tiny_point(fb, slot, vector);
  tiny_point(fb, vector + 4, table);
  return table;
}

static void build_instructions(tiny_fb *fb, uint32_t slot, const hand_instruction *instructions,
                               uint32_t count, const int32_t items[2]) {
  uint32_t vector = tiny_vector(fb, count, 4);
  tiny_point(fb, slot, vector);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t instruction = tiny_table(fb, (uint16_t[]){4, 5}, 2, 9),
             call = tiny_table(fb, (uint16_t[]){4, 8}, 2, 12);
    tiny_point(fb, vector + 4 + 4 * i, instruction);
    tiny_set(fb, instruction + 4, 1, instructions[i].type);
    tiny_point(fb, instruction + 5, call);
    tiny_set(fb, call + 4, 4, (uint32_t)instructions[i].first);
    if (instructions[i].type > ETR_INSTRUCTION_DELEGATE)
      tiny_set(fb, call + 8, 4, (uint32_t)instructions[i].second);
    else
      tiny_point(fb, call + 8, indices(fb, items));
  }
}

/* A program of one method "m" with three values (a list of items, a tensor with data and planned
 * memory, nothing), an operator "op" without overload, a delegate whose inline payload has the
 * given index (0 is "data"), and the given instructions, whose calls have the list's items as
 * arguments. */
static void build(tiny_fb *fb, const hand_instruction *instructions, uint32_t count,
                  const int32_t items[2], uint32_t payload_index) {
  tiny_start(fb, "ET12");
  uint32_t program = tiny_table(fb, (uint16_t[]){0, 4, 0, 8}, 4, 12);
  tiny_point(fb, 0, program);
  uint32_t plan = one_table(fb, program + 4, (uint16_t[]){4, 0, 8, 0, 0, 12, 16, 20}, 8, 24);
  tiny_point(fb, plan + 4, tiny_string(fb, "m"));

  uint32_t values = tiny_vector(fb, 3, 4), list = tiny_table(fb, (uint16_t[]){4, 5}, 2, 9);
  uint32_t tensor = tiny_table(fb, (uint16_t[]){4, 5}, 2, 9), nothing = tiny_table(fb, NULL, 0, 4);
  tiny_point(fb, plan + 8, values);
  tiny_point(fb, values + 4, list);
  tiny_point(fb, values + 8, tensor);
  tiny_point(fb, values + 12, nothing);
  tiny_set(fb, list + 4, 1, 10); /* TensorList */
  uint32_t content = tiny_table(fb, (uint16_t[]){4}, 1, 8);
  tiny_point(fb, list + 5, content);
  tiny_point(fb, content + 4, indices(fb, items));
  tiny_set(fb, tensor + 4, 1, 5); /* Tensor */
  content = tiny_table(fb, (uint16_t[]){0, 0, 0, 0, 0, 4, 8}, 7, 12);
  tiny_point(fb, tensor + 5, content);
  tiny_set(fb, content + 4, 4, 1);
  tiny_point(fb, content + 8, tiny_table(fb, NULL, 0, 4));

  uint32_t op = one_table(fb, plan + 16, (uint16_t[]){4}, 1, 8);
  tiny_point(fb, op + 4, tiny_string(fb, "op"));
  uint32_t delegate = one_table(fb, plan + 20, (uint16_t[]){0, 4}, 2, 8),
           reference = tiny_table(fb, (uint16_t[]){0, 4}, 2, 8);
  tiny_point(fb, delegate + 4, reference);
  tiny_set(fb, reference + 4, 4, payload_index);
  uint32_t data = one_table(fb, program + 8, (uint16_t[]){4}, 1, 8);
  tiny_point(fb, data + 4, tiny_string(fb, "data"));

  uint32_t chain = one_table(fb, plan + 12, (uint16_t[]){0, 0, 4}, 3, 8);
  build_instructions(fb, chain + 4, instructions, count, items);
}

Test(pte, invalid_indices_become_none) {
  const struct {
    hand_instruction given;
    etr_instruction want;
  } rows[] = {
      {{1, 0, 0}, {ETR_INSTRUCTION_KERNEL, "op", "", -1, -1, (int32_t[]){1, -1}, 2}},
      {{1, 1, 0}, {ETR_INSTRUCTION_KERNEL, "", "", -1, -1, (int32_t[]){1, -1}, 2}},
      {{1, -1, 0}, {ETR_INSTRUCTION_KERNEL, "", "", -1, -1, (int32_t[]){1, -1}, 2}},
      {{2, 0, 0}, {ETR_INSTRUCTION_DELEGATE, NULL, NULL, 0, -1, (int32_t[]){1, -1}, 2}},
      {{2, 1, 0}, {ETR_INSTRUCTION_DELEGATE, NULL, NULL, -1, -1, (int32_t[]){1, -1}, 2}},
      {{3, 2, 3}, {ETR_INSTRUCTION_MOVE, NULL, NULL, -1, -1, (int32_t[]){2, -1}, 2}},
      {{4, 0, 12}, {ETR_INSTRUCTION_JUMP_FALSE, NULL, NULL, -1, 12, (int32_t[]){0}, 1}},
      {{4, 3, 13}, {ETR_INSTRUCTION_JUMP_FALSE, NULL, NULL, -1, -1, (int32_t[]){-1}, 1}},
      {{5, 2, 0}, {ETR_INSTRUCTION_FREE, NULL, NULL, -1, -1, (int32_t[]){2}, 1}},
      {{5, INT32_MIN, 0}, {ETR_INSTRUCTION_FREE, NULL, NULL, -1, -1, (int32_t[]){-1}, 1}},
      {{0, 0, 0}, {ETR_INSTRUCTION_UNKNOWN, NULL, NULL, -1, -1, NULL, 0}},
      {{6, 0, 0}, {ETR_INSTRUCTION_UNKNOWN, NULL, NULL, -1, -1, NULL, 0}},
  };
  hand_instruction given[ETR_COUNT(rows)];
  uint8_t bytes[2048] = {0};
  tiny_fb fb = {bytes, sizeof bytes, 0};
  reading it = {0};
  for (size_t i = 0; i < ETR_COUNT(rows); i++)
    given[i] = rows[i].given;
  build(&fb, given, ETR_COUNT(rows), (int32_t[]){1, 3}, 0);
  read_bytes(&it, (etr_slice){(const char *)bytes, fb.size});
  cr_assert(it.status == ETR_OK && it.pte.method_count == 1, "%s at %d", it.error.message,
            (int)it.error.offset);
  const etr_pte_method *method = &it.pte.methods[0];
  cr_expect_str_eq(method->name, "m");
  cr_assert(method->value_count == 3 && method->values[0].kind == ETR_PTE_VALUE_TENSOR_LIST &&
            method->values[0].item_count == 2);
  cr_expect(method->values[0].items[0] == 1 && method->values[0].items[1] == -1);
  cr_expect(method->values[1].kind == ETR_PTE_VALUE_TENSOR && !method->values[1].constant &&
            method->values[1].rank == 0);
  cr_expect(method->delegate_count == 1 && etr_slice_is(method->delegates[0].payload, "data") &&
            !*method->delegates[0].backend);
  cr_assert_eq(method->instruction_count, ETR_COUNT(rows));
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    const etr_instruction *got = &method->instructions[i], *want = &rows[i].want;
    cr_expect(got->kind == want->kind && same_text(got->op, want->op) &&
                  same_text(got->overload, want->overload),
              "row %zu", i);
    cr_expect(got->delegate == want->delegate && got->jump_target == want->jump_target, "row %zu",
              i);
    cr_expect(got->arg_count == want->arg_count &&
                  same_numbers(got->args, want->args, want->arg_count),
              "row %zu", i);
  }
  clear(&it);
}

Test(pte, a_missing_inline_payload_is_empty) {
  uint8_t bytes[1024] = {0};
  tiny_fb fb = {bytes, sizeof bytes, 0};
  reading it = {0};
  build(&fb, NULL, 0, (int32_t[]){0, 0}, 1);
  read_bytes(&it, (etr_slice){(const char *)bytes, fb.size});
  cr_assert(it.status == ETR_OK && it.pte.method_count == 1 &&
            it.pte.methods[0].delegate_count == 1);
  cr_expect_eq(it.pte.methods[0].delegates[0].payload.size, 0);
  clear(&it);
}

/* ---- From files ---- */

static void expect_same_operators(const etr_pte_delegate *whole, const etr_pte_delegate *part,
                                  const char *path) {
  etr_arena arena = {0};
  etr_payload a, b;
  bool read_a = etr_xnn_payload_read(&a, &arena, whole->payload),
       read_b = etr_xnn_payload_read(&b, &arena, part->payload);
  bool same = read_a == read_b && a.count == b.count;
  for (size_t i = 0; same && i < a.count; i++)
    same = a.operators[i].class_ == b.operators[i].class_ &&
           a.operators[i].handle == b.operators[i].handle;
  cr_expect(same, "%s", path);
  etr_arena_clear(&arena);
}

/* Reading a file without its weights gives the same result as reading all of it. */
Test(pte, a_file_reads_the_same_without_its_weights) {
  static const char *const paths[] = {"add_mul/model.pte", "mv2_xnnpack/model.pte",
                                      "vit_xnnpack/model.pte", "quantized_xnnpack/model.pte",
                                      "vulkan/model.pte"};
  for (size_t i = 0; i < ETR_COUNT(paths); i++) {
    char full[256];
    reading whole, part = {0};
    read_fixture(&whole, paths[i]);
    snprintf(full, sizeof full, FIXTURES "/%s", paths[i]);
    part.status = etr_pte_read_file(&part.pte, &part.arena, full,
                                    &(etr_pte_limits){.max_bytes = MAX_BYTES}, &part.error);
    part.file = part.pte.file;
    cr_assert(part.status == ETR_OK && part.pte.method_count == whole.pte.method_count, "%s",
              paths[i]);
    for (size_t m = 0; m < whole.pte.method_count; m++) {
      cr_assert(whole.pte.methods[m].delegate_count == part.pte.methods[m].delegate_count, "%s",
                paths[i]);
      for (size_t d = 0; d < whole.pte.methods[m].delegate_count; d++)
        expect_same_operators(&whole.pte.methods[m].delegates[d], &part.pte.methods[m].delegates[d],
                              paths[i]);
    }
    clear(&whole);
    clear(&part);
  }
}

/* A segment of gigabytes is neither read nor refused. */
Test(pte, gigabytes_of_weights_are_neither_read_nor_refused) {
  char path[] = "/tmp/test_pte-XXXXXX";
  reading small, large = {0};
  load(&small, "mv2_xnnpack/model.pte");
  int descriptor = mkstemp(path);
  cr_assert(descriptor >= 0 &&
            write(descriptor, small.file.data, small.file.size) == (ssize_t)small.file.size);
  if (ftruncate(descriptor, (off_t)8 << 30) != 0)
    cr_skip("the file system has no sparse files of 8 GiB");
  close(descriptor);
  large.status = etr_pte_read_file(&large.pte, &large.arena, path,
                                   &(etr_pte_limits){.max_bytes = MAX_BYTES}, &large.error);
  large.file = large.pte.file;
  cr_expect(large.status == ETR_OK && large.file.size < small.file.size, "%s", large.error.message);
  unlink(path);
  clear(&small);
  clear(&large);
}

Test(pte, invalid_files_are_refused) {
  static const struct {
    const char *path, *message;
    uint64_t limit;
  } rows[] = {
      {FIXTURES "/add_mul/etdump.etdp",
       "an ETDump, not a .pte: name it without --pte, or with --etdump", MAX_BYTES},
      {FIXTURES "/hostile/not_zip.etrecord", "not a .pte: the identifier ET12 is missing",
       MAX_BYTES},
      {FIXTURES "/hostile/empty_file.etdp", "the file is empty", MAX_BYTES},
      {FIXTURES "/add_mul/model.pte",
       "the program is more than the 100 bytes left to read; raise this limit with --max-bytes",
       100},
      {FIXTURES, "cannot read: Is a directory", MAX_BYTES},
      {FIXTURES "/no_such_file", "cannot open: No such file or directory", MAX_BYTES},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    reading it = {0};
    it.status = etr_pte_read_file(&it.pte, &it.arena, rows[i].path,
                                  &(etr_pte_limits){.max_bytes = rows[i].limit}, &it.error);
    it.file = it.pte.file;
    cr_expect(it.status != ETR_OK && strcmp(it.error.message, rows[i].message) == 0 &&
                  it.pte.method_count == 0,
              "%s: %s", rows[i].path, it.error.message);
    clear(&it);
  }
}
