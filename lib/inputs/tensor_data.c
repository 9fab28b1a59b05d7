/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tensor_data.c - reading tensors in pieces.
 */
#include "inputs/tensor_data.h"

#include <math.h>
#include <stdlib.h>

/* ---- Shapes ---- */

/* A size of 0 makes the product 0, however large the others are. */
bool etr_tensor_count(const int64_t *sizes, int32_t rank, uint64_t element_size, uint64_t *count) {
  bool empty = false;
  *count = 0;
  for (int32_t i = 0; i < rank; i++) {
    if (sizes[i] < 0)
      return false;
    empty |= sizes[i] == 0;
  }
  if (empty)
    return true;
  uint64_t product = 1;
  uint64_t limit = (uint64_t)INT64_MAX / ETR_MAX(element_size, 1);
  for (int32_t i = 0; i < rank; i++) {
    if (product > limit / (uint64_t)sizes[i])
      return false;
    product *= (uint64_t)sizes[i];
  }
  *count = product;
  return true;
}

typedef struct dimension_step {
  int64_t size, stride;
} dimension_step;

static int compare_strides(const void *a, const void *b) {
  const dimension_step *x = a, *y = b;
  return (x->stride > y->stride) - (x->stride < y->stride);
}

/* Returns true if the elements fill their bytes without gaps or overlaps, whatever the order of
 * their dimensions: sorted by stride, each stride is the product of the sizes before it. The stride
 * of a dimension of one element does not matter. */
static bool is_dense(const etr_tensor_view *view) {
  dimension_step steps[ETR_MOST_RANK];
  size_t count = 0;
  int64_t expected = 1;
  for (int32_t i = 0; i < view->rank; i++)
    if (view->sizes[i] != 1)
      steps[count++] = (dimension_step){view->sizes[i], view->strides[i]};
  etr_sort(steps, count, sizeof *steps, compare_strides);
  for (size_t i = 0; i < count; i++) {
    if (steps[i].stride != expected)
      return false;
    expected *= steps[i].size;
  }
  return true;
}

/* Returns true if the elements are contiguous in the order of the dimensions. */
static bool is_contiguous(const etr_tensor_view *view) {
  int64_t expected = 1;
  for (int32_t i = view->rank - 1; i >= 0; i--) {
    if (view->sizes[i] != 1 && view->strides[i] != expected)
      return false;
    expected *= view->sizes[i];
  }
  return true;
}

/* Returns the size in bytes of the file or memory that contains the tensor. */
static uint64_t available_bytes(const etr_tensor_view *view) {
  return view->file ? view->file->size : view->memory.size;
}

const char *etr_tensor_fault(const etr_tensor_view *view) {
  uint64_t count, span, available = available_bytes(view);
  if (view->rank > ETR_MOST_RANK)
    return "it has more dimensions than a tensor can have";
  if (!etr_tensor_count(view->sizes, view->rank, view->element->size, &count))
    return "its sizes are invalid";
  if (count == 0)
    return NULL;
  /* One past the furthest element, counted from the first. */
  uint64_t furthest = 0;
  for (int32_t i = 0; i < view->rank; i++) {
    if (view->strides[i] < 0)
      return "its strides are invalid";
    uint64_t steps = (uint64_t)view->sizes[i] - 1;
    uint64_t stride = (uint64_t)view->strides[i];
    if (stride && steps > (uint64_t)INT64_MAX / stride)
      return "its strides are invalid";
    furthest += steps * stride;
    if (furthest >= (uint64_t)INT64_MAX)
      return "its strides are invalid";
  }
  span = furthest + 1;

  if (view->offset > available || span > (available - view->offset) / view->element->size)
    return "it extends past the end of the file";
  if (view->file && !is_dense(view))
    return "its strides do not fit its sizes";
  return NULL;
}

/* ---- Statistics ---- */

/* A sum and its rounding error (Neumaier's summation), so that the mean of a large tensor is exact.
 */
typedef struct compensated_sum {
  double sum, compensation;
} compensated_sum;

/* Adds a value to the sum, and what rounding lost of it to the compensation. */
static void add_to_sum(compensated_sum *s, double value) {
  double sum = s->sum + value;
  if (fabs(s->sum) >= fabs(value))
    s->compensation += (s->sum - sum) + value;
  else
    s->compensation += (value - sum) + s->sum;
  s->sum = sum;
}

/* Counts an element in nan_count, inf_count or zero_count. Only finite elements are part of the
 * sum, minimum and maximum. */
static void count_value(etr_tensor_stats *stats, compensated_sum *sum, double value) {
  if (isnan(value)) {
    stats->nan_count++;
    return;
  }
  if (isinf(value)) {
    stats->inf_count++;
    return;
  }
  stats->zero_count += value == 0;
  if (value < stats->min)
    stats->min = value;
  if (value > stats->max)
    stats->max = value;
  add_to_sum(sum, value);
}

/* NaN and infinite elements are counted, and left out of minimum, maximum and mean, which are NaN
 * if no element is finite. The mean is NaN also if the sum is too large for a double. */
bool etr_tensor_measure(etr_tensor_stats *out, const etr_tensor_view *view) {
  uint8_t bytes[ETR_PIECE_ELEMENTS * sizeof(uint64_t)];
  double values[ETR_PIECE_ELEMENTS];
  uint64_t count = 0;
  compensated_sum sum = {0, 0};
  *out = (etr_tensor_stats){
      .min = INFINITY,
      .max = -INFINITY,
      .mean = NAN,
  };
  etr_tensor_count(view->sizes, view->rank, view->element->size, &count);
  for (uint64_t measured = 0; measured < count;) {
    size_t piece = (size_t)ETR_MIN(count - measured, (uint64_t)ETR_PIECE_ELEMENTS);
    size_t size = piece * view->element->size;
    if (!etr_seekable_read(view->file, view->offset + measured * view->element->size, bytes, size))
      return false;
    etr_element_decode(view->element, bytes, piece, values);
    for (size_t i = 0; i < piece; i++)
      count_value(out, &sum, values[i]);
    measured += piece;
  }
  uint64_t finite = count - out->nan_count - out->inf_count;
  double mean = (sum.sum + sum.compensation) / (double)finite;
  out->element_count = count;
  if (finite == 0)
    out->min = out->max = NAN;
  if (finite > 0 && isfinite(mean))
    out->mean = mean;
  return true;
}

/* ---- In the order of the dimensions ---- */

/* Loads a whole tensor from its file into reader->loaded, and makes that the memory of
 * reader->view, because the order of its elements is not that of its dimensions. Sets *problem to
 * why it cannot be done, or NULL. Fails only when out of memory. */
static etr_status load_tensor(etr_tensor_reader *reader, const char **problem) {
  uint64_t size = reader->count * reader->view.element->size;
  *problem = "it is too large to be read in the order of its dimensions";
  if (size > ETR_MOST_LOADED_BYTES)
    return ETR_OK;
  reader->loaded = malloc((size_t)size);
  if (!reader->loaded)
    return ETR_ERROR_MEMORY;
  *problem = "it cannot be read";
  if (!etr_seekable_read(reader->view.file, reader->view.offset, reader->loaded, (size_t)size))
    return ETR_OK;
  *problem = NULL;
  reader->view.file = NULL;
  reader->view.memory = (etr_slice){(const char *)reader->loaded, (size_t)size};
  reader->view.offset = 0;
  return ETR_OK;
}

/* A tensor of a file is read piece by piece if its elements are stored in the order of its
 * dimensions, and else loaded as a whole, because the next element may be anywhere. */
etr_status etr_tensor_reader_open(etr_tensor_reader *reader, const etr_tensor_view *view,
                                  const char **problem) {
  *problem = NULL;
  *reader = (etr_tensor_reader){.view = *view};
  etr_tensor_count(view->sizes, view->rank, view->element->size, &reader->count);
  reader->in_order = reader->count == 0 || is_contiguous(view);
  return view->file && !reader->in_order ? load_tensor(reader, problem) : ETR_OK;
}

/* Returns the address of an element in memory, which is `element` elements after the first. */
static const uint8_t *memory_at(const etr_tensor_reader *reader, uint64_t element) {
  return (const uint8_t *)reader->view.memory.data + reader->view.offset +
         element * reader->view.element->size;
}

/* Moves `index`, and `distance` from the first element, in elements, to the next element in the
 * order of the dimensions: the last one advances first, and carries into the one before it at its
 * end. */
static void move_to_next(etr_tensor_reader *reader) {
  const etr_tensor_view *view = &reader->view;
  for (int32_t i = view->rank - 1; i >= 0; i--) {
    reader->distance += (uint64_t)view->strides[i];
    if (++reader->index[i] < view->sizes[i])
      return;
    reader->distance -= (uint64_t)view->strides[i] * (uint64_t)view->sizes[i];
    reader->index[i] = 0;
  }
}

size_t etr_tensor_reader_next(etr_tensor_reader *reader, double into[ETR_PIECE_ELEMENTS]) {
  uint8_t bytes[ETR_PIECE_ELEMENTS * sizeof(uint64_t)];
  const etr_tensor_view *view = &reader->view;
  size_t piece = (size_t)ETR_MIN(reader->count - reader->at, (uint64_t)ETR_PIECE_ELEMENTS);
  size_t size = piece * view->element->size;
  if (piece == 0)
    return 0;
  if (!reader->in_order)
    for (size_t i = 0; i < piece; i++, move_to_next(reader))
      etr_element_decode(view->element, memory_at(reader, reader->distance), 1, &into[i]);
  else if (!view->file)
    etr_element_decode(view->element, memory_at(reader, reader->at), piece, into);
  else if (etr_seekable_read(view->file, view->offset + reader->at * view->element->size, bytes,
                             size))
    etr_element_decode(view->element, bytes, piece, into);
  else
    return 0;
  reader->at += piece;
  return piece;
}

void etr_tensor_reader_close(etr_tensor_reader *reader) {
  free(reader->loaded);
  reader->loaded = NULL;
}
