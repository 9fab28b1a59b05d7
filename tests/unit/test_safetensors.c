/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of a safetensors file: what it says, and what is refused.
 */
#include "inputs/safetensors.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MOST_BYTES = 4096 };

/* A file in memory: the length of the header, the header, and `data` bytes of zeros. */
typedef struct built {
  char bytes[MOST_BYTES];
  etr_seekable file;
} built;

static void build(built *out, uint64_t length, const char *header, size_t data) {
  size_t size = strlen(header);
  memset(out->bytes, 0, sizeof out->bytes);
  for (size_t i = 0; i < 8; i++)
    out->bytes[i] = (char)(length >> (8 * i));
  memcpy(out->bytes + 8, header, size);
  out->file = etr_seekable_of((etr_slice){out->bytes, 8 + size + data});
}

static etr_status read_built(etr_safetensors *out, etr_arena *arena, const built *from,
                             etr_error *error) {
  *error = (etr_error){.message = ""};
  return etr_safetensors_read(out, arena, &from->file, "ref", error);
}

Test(safetensors, names_types_shapes_and_texts_are_read) {
  static const char header[] =
      "{\"__metadata__\":{\"record\":\"a\\nb\"},\"0/edge/x\":{\"dtype\":\"F32\",\"shape\":[2,3],"
      "\"data_offsets\":[0,24]},\"0/edge/y\":{\"dtype\":\"F4\",\"shape\":[],\"data_offsets\":[24,"
      "25]},\"0/edge/none\":{\"dtype\":\"I64\",\"shape\":[0,7],\"data_offsets\":[3,3]}}";
  built from;
  etr_arena arena = {0};
  etr_safetensors table;
  etr_error error;
  build(&from, sizeof header - 1, header, 25);
  cr_assert_eq(read_built(&table, &arena, &from, &error), ETR_OK, "%s", error.message);
  cr_assert_eq(table.tensors.count, 3);
  const etr_safetensor *x = etr_safetensors_find(&table, ETR_SLICE("0/edge/x"));
  cr_assert(x && x->element && x->rank == 2 && x->sizes[1] == 3 && x->strides[0] == 3 &&
            x->strides[1] == 1);
  cr_expect_eq(x->offset, 8 + sizeof header - 1);
  const etr_safetensor *y = etr_safetensors_find(&table, ETR_SLICE("0/edge/y"));
  cr_expect(y && !y->element && y->rank == 0 && y->byte_size == 1);
  cr_expect_null(etr_safetensors_find(&table, ETR_SLICE("0/edge/z")));
  cr_expect(etr_slice_is(etr_safetensors_metadata(&table, "record"), "a\nb"));
  cr_expect_null(etr_safetensors_metadata(&table, "inputs").data);
  etr_arena_clear(&arena);
}

#define TENSOR(name, dtype, shape, offsets)                                                        \
  "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

Test(safetensors, damage_is_refused_with_a_reason) {
  static const struct {
    const char *header, *message;
    uint64_t length; /* 0: that of the header */
  } rows[] = {
      {"{}x", "damaged safetensors file: unexpected text after the document", 3},
      {"[]", "not a safetensors file: `etrecord-tb reference` writes one", 0},
      {"{}",
       "damaged safetensors file: its header has 1000000000 bytes, and at most 100000000 are read",
       1000000000},
      {"{}",
       "damaged safetensors file: its header has 18446744073709551615 bytes, and at most 100000000 "
       "are read",
       UINT64_MAX},
      {"{}",
       "damaged safetensors file: its header extends past the end of the file: was it copied "
       "completely?",
       5000},
      {"{" TENSOR("a", "F32", "[2]", "[0,8]") "," TENSOR("b", "F32", "[2]", "[4,12]") "}",
       "damaged safetensors file: the tensors a and b share bytes", 0},
      {"{" TENSOR("a", "F32", "[2]", "[0,8]") "," TENSOR("a", "F32", "[2]", "[8,16]") "}",
       "damaged safetensors file: two tensors have the same name", 0},
      {"{" TENSOR("a", "F32", "[2]", "[0,80]") "}",
       "damaged safetensors file: a tensor extends past the end of the file: was it copied "
       "completely?",
       0},
      {"{" TENSOR("a", "F32", "[3]", "[0,8]") "}",
       "damaged safetensors file: the bytes of a tensor do not fit its shape", 0},
      {"{" TENSOR("a", "F32", "[4611686018427387904,4]", "[0,8]") "}",
       "damaged safetensors file: the bytes of a tensor do not fit its shape", 0},
      {"{" TENSOR("a", "F32", "[2]", "[8,0]") "}",
       "damaged safetensors file: data_offsets of a tensor are not a start and an end", 0},
      {"{" TENSOR("a", "F32", "[-2]", "[0,8]") "}",
       "damaged safetensors file: the shape of a tensor is not a list of at most 32 sizes", 0},
      {"{\"a\":{\"dtype\":\"F32\"}}",
       "damaged safetensors file: a tensor has no dtype, shape or data_offsets", 0},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    built from;
    etr_arena arena = {0};
    etr_safetensors table;
    etr_error error;
    build(&from, rows[i].length ? rows[i].length : strlen(rows[i].header), rows[i].header, 16);
    cr_expect_eq(read_built(&table, &arena, &from, &error), ETR_ERROR_FORMAT, "row %zu", i);
    cr_expect_str_eq(error.message, rows[i].message, "row %zu: %s", i, error.message);
    etr_arena_clear(&arena);
  }
}

/* Whichever byte is changed or cut off, reading ends, and every tensor lies in the file. */
Test(safetensors, any_changed_byte_is_refused_or_read) {
  static const char header[] = "{" TENSOR("a", "F32", "[2]", "[0,8]") "," TENSOR("b", "I8", "[2,4]",
                                                                                 "[8,16]") "}";
  built from;
  for (size_t i = 0; i < 8 + sizeof header - 1; i++)
    for (int change = 1; change < 256; change <<= 1) {
      etr_arena arena = {0};
      etr_safetensors table;
      etr_error error;
      build(&from, sizeof header - 1, header, 16);
      from.bytes[i] = (char)(from.bytes[i] ^ change);
      if (read_built(&table, &arena, &from, &error) == ETR_OK)
        for (size_t k = 0; k < table.tensors.count; k++)
          cr_expect(table.tensors.data[k].offset + table.tensors.data[k].byte_size <=
                    from.file.size);
      from.file.size = i;
      cr_expect_neq(read_built(&table, &arena, &from, &error), ETR_OK);
      etr_arena_clear(&arena);
    }
}
