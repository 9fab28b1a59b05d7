/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_tensor_data.c - lib/inputs/tensor_data.c: tensors in memory and in files, in any order, and
 * tensors that cannot be read.
 */
#include "inputs/tensor_data.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HUGE_SIZE INT64_C(0x4000000000000000)

/** Makes a file without a name that contains these bytes. The caller closes *writable, if
 * requested. */
static etr_seekable file_of(const void *bytes, size_t size, int *writable) {
  char path[] = "/tmp/test_tensor_data.XXXXXX";
  etr_seekable file;
  int descriptor = mkstemp(path);
  cr_assert(descriptor >= 0 && write(descriptor, bytes, size) == (ssize_t)size);
  cr_assert_eq(etr_seekable_open(&file, path, NULL), ETR_OK);
  unlink(path);
  if (writable)
    *writable = descriptor;
  else
    close(descriptor);
  return file;
}

/** float32 0, 1, 2, ... */
static etr_seekable counting_file(size_t count) {
  float *values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count; i++)
    values[i] = (float)i;
  etr_seekable file = file_of(values, count * sizeof *values, NULL);
  free(values);
  return file;
}

Test(tensor_data, only_dense_tensors_are_read) {
  enum { MANY = 33 };
  static const int64_t ones[MANY] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  static const struct {
    int32_t rank;
    int64_t sizes[3], strides[3];
    uint64_t offset;
    bool readable;
  } rows[] = {
      {2, {3, 4}, {4, 1}, 0, true},
      {2, {3, 4}, {1, 3}, 0, true},          /* the other dimension order */
      {3, {1, 12, 1}, {77, 1, 99}, 0, true}, /* strides of a size of 1 do not matter */
      {0, {0}, {0}, 44, true},
      {0, {0}, {0}, 45, false},
      {1, {12}, {1}, 0, true},
      {1, {13}, {1}, 0, false},
      {1, {12}, {1}, 1, false},
      {1, {0}, {1}, UINT64_MAX, true}, /* how ExecuTorch logs an empty tensor */
      {2, {0, HUGE_SIZE}, {1, 1}, 0, true},
      {1, {1}, {1}, UINT64_MAX, false},
      {1, {-1}, {1}, 0, false},
      {2, {HUGE_SIZE, HUGE_SIZE}, {1, 1}, 0, false},
      {1, {HUGE_SIZE}, {0}, 0, false}, /* expanded: would take forever */
      {1, {4}, {0}, 0, false},
      {1, {4}, {2}, 0, false}, /* gaps */
      {1, {4}, {-1}, 16, false},
      {2, {2, 2}, {INT64_MAX, INT64_MAX}, 0, false},
      {2, {2, 2}, {HUGE_SIZE, 1}, 0, false},
  };
  etr_seekable file = counting_file(12);
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_tensor_view view = {etr_element_of_dtype("float32"),
                            rows[i].sizes,
                            rows[i].strides,
                            rows[i].rank,
                            rows[i].offset,
                            &file,
                            {0}};
    const char *fault = etr_tensor_fault(&view);
    cr_expect((fault == NULL) == rows[i].readable, "row %zu: %s", i, fault ? fault : "readable");
  }
  etr_tensor_view many = {etr_element_of_dtype("float32"), ones, ones, MANY, 0, &file, {0}};
  cr_expect_not_null(etr_tensor_fault(&many));
  etr_seekable_close(&file);
}

Test(tensor_data, statistics_cover_all_elements) {
  const float values[] = {1, NAN, -3, INFINITY, 0, -0.0F, -INFINITY, 5};
  const int64_t size = 8, one = 1, none = 0;
  int descriptor;
  etr_tensor_stats stats;
  etr_seekable file = file_of(values, sizeof values, &descriptor);
  etr_tensor_view view = {etr_element_of_dtype("float32"), &size, &one, 1, 0, &file, {0}};
  cr_assert(etr_tensor_measure(&stats, &view));
  cr_expect(stats.element_count == 8 && stats.nan_count == 1 && stats.inf_count == 2 &&
            stats.zero_count == 2);
  cr_expect(stats.min == -3 && stats.max == 5 && stats.mean == 0.6);
  view.sizes = &none;
  cr_assert(etr_tensor_measure(&stats, &view));
  cr_expect(stats.element_count == 0 && isnan(stats.min) && isnan(stats.max) && isnan(stats.mean));
  view.sizes = &one;
  view.offset = 4;
  cr_assert(etr_tensor_measure(&stats, &view));
  cr_expect(stats.nan_count == 1 && isnan(stats.min) && isnan(stats.mean));
  view.sizes = &size;
  view.offset = 0;
  cr_assert_eq(ftruncate(descriptor, 16), 0); /* while it is open */
  cr_expect_not(etr_tensor_measure(&stats, &view));
  etr_seekable_close(&file);
  close(descriptor);
}

Test(tensor_data, a_mean_keeps_small_numbers) {
  static const struct {
    double values[4], mean;
  } rows[] = {
      {{1e30, 1, -1e30, 3}, 1},
      {{0.1, 0.1, 0.1, 0.1}, 0.1},
      {{1e308, 1e308, -1e308, 0}, NAN}, /* an intermediate sum exceeds a double */
  };
  const int64_t size = 4, one = 1;
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_tensor_stats stats;
    etr_seekable file = file_of(rows[i].values, sizeof rows[i].values, NULL);
    etr_tensor_view view = {etr_element_of_dtype("float64"), &size, &one, 1, 0, &file, {0}};
    cr_assert(etr_tensor_measure(&stats, &view));
    cr_expect(isnan(rows[i].mean) ? isnan(stats.mean) : stats.mean == rows[i].mean, "row %zu: %g",
              i, stats.mean);
    etr_seekable_close(&file);
  }
}

/* Reads all of a tensor and compares it. */
static void expect_elements(const etr_tensor_view *view, const double *expected, size_t count) {
  etr_tensor_reader reader;
  const char *problem;
  static double piece[ETR_PIECE_ELEMENTS];
  size_t seen = 0;
  cr_assert_null(etr_tensor_fault(view));
  cr_assert(etr_tensor_reader_open(&reader, view, &problem) == ETR_OK && !problem);
  for (size_t got; (got = etr_tensor_reader_next(&reader, piece)) > 0;)
    for (size_t i = 0; i < got; i++, seen++)
      cr_expect(seen < count && piece[i] == expected[seen], "element %zu: %g", seen, piece[i]);
  cr_expect_eq(seen, count);
  etr_tensor_reader_close(&reader);
}

Test(tensor_data, elements_are_read_in_dimension_order) {
  etr_seekable file = counting_file(12);
  const int64_t sizes[] = {2, 3, 2}, contiguous[] = {6, 2, 1}, last[] = {6, 1, 3},
                expanded[] = {1, 0, 2};
  const float memory[] = {9, 0, 1, 2, 3};
  etr_tensor_view view = {etr_element_of_dtype("float32"), sizes, contiguous, 3, 0, &file, {0}};
  expect_elements(&view, (const double[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 12);
  view.strides = last; /* channels last */
  expect_elements(&view, (const double[]){0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}, 12);
  view.file = NULL; /* in memory, elements may be shared, as torch.save writes them */
  view.memory = (etr_slice){(const char *)memory, sizeof memory};
  view.offset = 4;
  view.strides = expanded;
  expect_elements(&view, (const double[]){0, 2, 0, 2, 0, 2, 1, 3, 1, 3, 1, 3}, 12);
  view.rank = 0;
  expect_elements(&view, (const double[]){0}, 1);
  etr_seekable_close(&file);
}

Test(tensor_data, tensors_larger_than_a_piece_are_read) {
  enum { COUNT = ETR_PIECE_ELEMENTS * 2 + 5 };
  etr_seekable file = counting_file(COUNT);
  const int64_t sizes[] = {COUNT}, strides[] = {1};
  double *expected = malloc(COUNT * sizeof *expected);
  for (int i = 0; i < COUNT; i++)
    expected[i] = i;
  etr_tensor_view view = {etr_element_of_dtype("float32"), sizes, strides, 1, 0, &file, {0}};
  expect_elements(&view, expected, COUNT);
  free(expected);
  etr_seekable_close(&file);
}

Test(tensor_data, only_regular_files_are_read) {
  etr_seekable file;
  etr_error error;
  cr_expect_eq(etr_seekable_open(&file, "/", &error), ETR_ERROR_IO);
  cr_expect_eq(etr_seekable_open(&file, "/dev/null", &error), ETR_ERROR_IO);
  cr_expect_eq(etr_seekable_open(&file, "/nowhere", &error), ETR_ERROR_IO);
  cr_expect_str_eq(error.file, "/nowhere");
}
