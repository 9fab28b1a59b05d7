/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bundled.c - a BundledProgram's tables of tests, as lists of tensors.
 */
#include "formats/element.h"
#include "inputs/bundle.h"
#include "inputs/tensor_data.h"
#include "records/part.h"
#include "records/torch_save.h"

/* Fields, in the order of the schema. */
enum { CASE_INPUTS, CASE_OUTPUTS };
enum { VALUE_TYPE, VALUE_TABLE };
enum { TENSOR_SCALAR_TYPE, TENSOR_SIZES, TENSOR_DATA, TENSOR_DIM_ORDER };
enum { ONLY_FIELD = 0 }; /* of Int, Bool, Double */
enum { TYPE_TENSOR = 1, TYPE_INT, TYPE_BOOL, TYPE_DOUBLE };

#define MOST_FILE_BYTES ((uint64_t)1 << 30)

/* A BundledProgram while its tests are pickled. */
typedef struct bundle_reader {
  etr_bundled *bundled;
  etr_bundle bundle;
} bundle_reader;

/* ---- Values ---- */

/* Computes the strides, in elements, of a contiguous tensor whose dimensions have this order in
 * memory, the outermost first; an empty order is the usual one. Returns false if the order is not a
 * permutation. */
static bool find_strides(int64_t *strides, const int64_t *sizes, size_t rank, etr_slice dim_order) {
  uint64_t stride = 1;
  uint64_t seen = 0;
  for (size_t i = rank; i-- > 0;) {
    size_t dim = dim_order.size ? (uint8_t)dim_order.data[i] : i;
    if (dim >= rank || seen >> dim & 1)
      return false;
    seen |= (uint64_t)1 << dim;
    strides[dim] = (int64_t)stride;
    stride *= (uint64_t)ETR_MAX(sizes[dim], 1);
  }
  return true;
}

/* Appends a tensor of a test to the pickle; its bytes are borrowed from the BundledProgram. Returns
 * NULL on success, or the reason why it cannot be pickled, for the user; then the pickle is of no
 * use. */
static const char *pickle_tensor(etr_pickler *out, bundle_reader *r, etr_fb_at table) {
  int64_t sizes[ETR_MOST_RANK], strides[ETR_MOST_RANK];
  uint32_t rank;
  uint64_t count;
  const char *dtype = etr_scalar_type_name(etr_fb_u8(&r->bundle.fb, table, TENSOR_SCALAR_TYPE, 0));
  const etr_element *element = dtype ? etr_element_of_dtype(dtype) : NULL;
  etr_fb_at vector = etr_fb_vector(&r->bundle.fb, table, TENSOR_SIZES, sizeof(int32_t), &rank);
  etr_slice data = etr_fb_bytes(&r->bundle.fb, table, TENSOR_DATA),
            dim_order = etr_fb_bytes(&r->bundle.fb, table, TENSOR_DIM_ORDER);
  if (!element || !element->storage)
    return "left out: a tensor has a number type that torch.save writes otherwise";
  if (rank > ETR_MOST_RANK || (dim_order.size && dim_order.size != rank))
    return "left out: a tensor has a senseless shape";
  for (uint32_t i = 0; i < rank; i++)
    sizes[i] = etr_fb_i32_at(&r->bundle.fb, vector, i);
  if (!etr_tensor_count(sizes, (int32_t)rank, element->size, &count) ||
      count * element->size != data.size || !find_strides(strides, sizes, rank, dim_order))
    return "left out: a tensor has another size than its shape says";
  etr_pickler_put_tensor(out, &(etr_pickler_tensor){element, sizes, strides, rank, data});
  return NULL;
}

/* Pickles a value of a test: a tensor or a number. Returns NULL on success, or the reason why it
 * cannot be pickled, for the user. */
static const char *pickle_value(etr_pickler *out, bundle_reader *r, etr_fb_at value) {
  etr_fb_at table = etr_fb_table(&r->bundle.fb, value, VALUE_TABLE);
  switch (etr_fb_u8(&r->bundle.fb, value, VALUE_TYPE, 0)) {
  case TYPE_TENSOR:
    return pickle_tensor(out, r, table);
  case TYPE_INT:
    etr_pickler_put_int(out, etr_fb_i64(&r->bundle.fb, table, ONLY_FIELD, 0));
    return NULL;
  case TYPE_BOOL:
    etr_pickler_put_bool(out, etr_fb_u8(&r->bundle.fb, table, ONLY_FIELD, 0) != 0);
    return NULL;
  case TYPE_DOUBLE:
    etr_pickler_put_double(out,
                           etr_double_of_bits(etr_fb_u64(&r->bundle.fb, table, ONLY_FIELD, 0)));
    return NULL;
  default:
    return "left out: a value is of an unknown kind";
  }
}

/* Pickles the inputs or the expected outputs of a test as a list; `field` is CASE_INPUTS or
 * CASE_OUTPUTS. Returns NULL on success, or the reason why that is impossible, for the user: a
 * value cannot be pickled, or there are no expected outputs. */
static const char *pickle_values_of_test(etr_pickler *out, bundle_reader *r, etr_fb_at test,
                                         unsigned field) {
  uint32_t count;
  etr_fb_at values = etr_fb_vector(&r->bundle.fb, test, field, 4, &count);
  etr_pickler_put_list(out);
  for (uint32_t i = 0; i < count; i++) {
    const char *problem = pickle_value(out, r, etr_fb_table_at(&r->bundle.fb, values, i));
    if (problem)
      return problem;
    etr_pickler_add_item(out);
  }
  return field == CASE_OUTPUTS && count == 0
             ? "no reference outputs: a test has no expected outputs"
             : NULL;
}

/* ---- Tests ---- */

/* Pickles the expected outputs of all tests of a method (a suite), a list of one list per test, as
 * the member METHOD of the dict that was put before. Returns NULL on success, or the reason why
 * that is impossible. */
static const char *pickle_outputs_of_suite(etr_pickler *out, bundle_reader *r, uint32_t index) {
  const etr_bundle_suite suite = etr_bundle_suite_at(&r->bundle, index);
  etr_pickler_put_text(out, suite.method);
  etr_pickler_put_list(out);
  for (uint32_t i = 0; i < suite.case_count; i++) {
    const char *problem = pickle_values_of_test(
        out, r, etr_fb_table_at(&r->bundle.fb, suite.cases, i), CASE_OUTPUTS);
    if (problem)
      return problem;
    etr_pickler_add_item(out);
  }
  etr_pickler_add_member(out);
  return NULL;
}

/* Pickles the inputs of the first test of `forward` into bundled->inputs, which is what ExecuTorch
 * stores in a record; the reason why that is impossible is kept in bundled->problem. Without such a
 * test there are no inputs, and no problem. */
static void pickle_inputs_of_forward(bundle_reader *r) {
  for (uint32_t i = 0; i < r->bundle.suite_count; i++) {
    etr_pickler out;
    const etr_bundle_suite suite = etr_bundle_suite_at(&r->bundle, i);
    if (!etr_slice_is(suite.method, "forward") || suite.case_count == 0)
      continue;
    etr_pickler_begin(&out, &r->bundled->arena, r->bundled->is_inline);
    const char *problem = pickle_values_of_test(
        &out, r, etr_fb_table_at(&r->bundle.fb, suite.cases, 0), CASE_INPUTS);
    if (problem)
      r->bundled->problem = problem;
    else
      r->bundled->inputs = etr_pickler_end(&out);
    return;
  }
}

/* ---- The file ---- */

/* Pickles the tests of a BundledProgram as an ETRecord stores them: expected outputs by method into
 * bundled->outputs, and inputs of `forward` into bundled->inputs. The reason why one of them cannot
 * be pickled is kept in bundled->problem, and that one stays empty.
 * Fails if the BundledProgram is damaged, or when out of memory. */
static etr_status pickle_tests(bundle_reader *r, etr_slice bytes, etr_error *error) {
  ETR_TRY(etr_bundle_open(&r->bundle, bytes, r->bundled->path, error));
  etr_pickler out;
  const char *problem = NULL;
  etr_pickler_begin(&out, &r->bundled->arena, r->bundled->is_inline);
  etr_pickler_put_dict(&out);
  for (uint32_t i = 0; !problem && i < r->bundle.suite_count; i++)
    problem = pickle_outputs_of_suite(&out, r, i);
  if (problem)
    r->bundled->problem = problem;
  else
    r->bundled->outputs = etr_pickler_end(&out);
  pickle_inputs_of_forward(r);
  return etr_arena_failed(&r->bundled->arena)
             ? etr_fail_memory(error)
             : etr_bundle_check(&r->bundle, r->bundled->path, error);
}

etr_status etr_bundled_read(etr_bundled *out, const etr_part *part, bool is_inline,
                            etr_error *error) {
  bundle_reader r = {.bundled = out};
  etr_slice bytes = {part->bytes, part->size};
  etr_bundled_clear(out);
  out->path = part->path ? part->path : "BundledProgram";
  out->is_inline = is_inline;
  if (part->path)
    ETR_TRY(etr_file_read(&out->file, part->path, MOST_FILE_BYTES, error));
  return pickle_tests(&r, part->path ? etr_file_bytes(&out->file) : bytes, error);
}

/* Frees the file and the pickles, and empties *bundled. */
void etr_bundled_clear(etr_bundled *bundled) {
  etr_file_clear(&bundled->file);
  etr_arena_clear(&bundled->arena);
  *bundled = (etr_bundled){0};
}
