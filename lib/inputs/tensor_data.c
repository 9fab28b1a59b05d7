/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tensor_data.c - reading tensors in pieces.
 */
#include "inputs/tensor_data.h"

#include <math.h>
#include <stdlib.h>

/* ---- Shapes ---- */

/* Counts the elements. Returns false if a size is negative, or if all elements together have more
 * than INT64_MAX bytes. */
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
  uint64_t product = 1, limit = (uint64_t)INT64_MAX / ETR_MAX(element_size, 1);
  for (int32_t i = 0; i < rank; i++) {
    if (product > limit / (uint64_t)sizes[i])
      return false;
    product *= (uint64_t)sizes[i];
  }
  *count = product;
  return true;
}

typedef struct step {
  int64_t size, stride;
} step;

static int by_stride(const void *a, const void *b) {
  const step *x = a, *y = b;
  return (x->stride > y->stride) - (x->stride < y->stride);
}

/* Returns true if the tensor's elements fill their span without gaps or overlaps. The stride of a
 * dimension of one element means nothing. */
static bool is_dense(const etr_tensor_view *view) {
  step steps[ETR_MOST_RANK];
  size_t count = 0;
  int64_t expected = 1;
  for (int32_t i = 0; i < view->rank; i++)
    if (view->sizes[i] != 1)
      steps[count++] = (step){view->sizes[i], view->strides[i]};
  etr_sort(steps, count, sizeof *steps, by_stride);
  for (size_t i = 0; i < count; i++) {
    if (steps[i].stride != expected)
      return false;
    expected *= steps[i].size;
  }
  return true;
}

/* Returns true if the elements are contiguous in the order of the dimensions. */
static bool is_in_order(const etr_tensor_view *view) {
  int64_t expected = 1;
  for (int32_t i = view->rank - 1; i >= 0; i--) {
    if (view->sizes[i] != 1 && view->strides[i] != expected)
      return false;
    expected *= view->sizes[i];
  }
  return true;
}

static uint64_t bytes_there(const etr_tensor_view *view) {
  return view->file ? view->file->size : view->memory.size;
}

/* Returns why a tensor cannot be read, as a sentence for a message; NULL if it can. */
const char *etr_tensor_fault(const etr_tensor_view *view) {
  uint64_t count, span, there = bytes_there(view);
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
    uint64_t steps = (uint64_t)view->sizes[i] - 1, stride = (uint64_t)view->strides[i];
    if (stride && steps > (uint64_t)INT64_MAX / stride)
      return "its strides are invalid";
    furthest += steps * stride;
    if (furthest >= (uint64_t)INT64_MAX)
      return "its strides are invalid";
  }
  span = furthest + 1;

  if (view->offset > there || span > (there - view->offset) / view->element->size)
    return "it extends past the end of the file";
  if (view->file && !is_dense(view))
    return "its strides do not fit its sizes";
  return NULL;
}

/* ---- Statistics ---- */

/* The sum is compensated (Neumaier), so that the mean of a large tensor does not drift. */
typedef struct summing {
  double sum, compensation;
} summing;

static void add_value(summing *s, double value) {
  double sum = s->sum + value;
  s->compensation += fabs(s->sum) >= fabs(value) ? (s->sum - sum) + value : (value - sum) + s->sum;
  s->sum = sum;
}

/* Reads the tensor piece by piece; NaN and infinite elements are counted and left out of minimum,
 * maximum and mean. Returns false if it cannot be read. */
bool etr_tensor_measure(etr_tensor_stats *out, const etr_tensor_view *view) {
  uint8_t bytes[ETR_PIECE_ELEMENTS * sizeof(uint64_t)];
  double values[ETR_PIECE_ELEMENTS];
  uint64_t count = 0;
  summing sum = {0, 0};
  *out = (etr_tensor_stats){.min = INFINITY, .max = -INFINITY, .mean = NAN};
  etr_tensor_count(view->sizes, view->rank, view->element->size, &count);
  for (uint64_t measured = 0; measured < count;) {
    size_t piece = (size_t)ETR_MIN(count - measured, (uint64_t)ETR_PIECE_ELEMENTS),
           size = piece * view->element->size;
    if (!etr_seekable_read(view->file, view->offset + measured * view->element->size, bytes, size))
      return false;
    etr_element_decode(view->element, bytes, piece, values);
    for (size_t i = 0; i < piece; i++) {
      double value = values[i];
      if (isnan(value))
        out->nan_count++;
      else if (isinf(value))
        out->inf_count++;
      else {
        out->zero_count += value == 0;
        if (value < out->min)
          out->min = value;
        if (value > out->max)
          out->max = value;
        add_value(&sum, value);
      }
    }
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

/* Loads a whole tensor into memory, because its elements are not in order. *problem says why it
 * cannot be done; NULL if it is. Fails only when out of memory. */
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

/* Starts reading at the first element. Fails only when out of memory; *problem says why a tensor
 * cannot be read. */
etr_status etr_tensor_reader_open(etr_tensor_reader *reader, const etr_tensor_view *view,
                                  const char **problem) {
  *problem = NULL;
  *reader = (etr_tensor_reader){.view = *view};
  etr_tensor_count(view->sizes, view->rank, view->element->size, &reader->count);
  reader->in_order = reader->count == 0 || is_in_order(view);
  return view->file && !reader->in_order ? load_tensor(reader, problem) : ETR_OK;
}

static const uint8_t *memory_at(const etr_tensor_reader *reader, uint64_t element) {
  return (const uint8_t *)reader->view.memory.data + reader->view.offset +
         element * reader->view.element->size;
}

/* Moves to the next element: the last dimension advances first. */
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

/* Decodes the next piece and returns its number of elements; 0 at the end, and if the file cannot
 * be read. */
size_t etr_tensor_reader_next(etr_tensor_reader *reader, double into[ETR_PIECE_ELEMENTS]) {
  uint8_t bytes[ETR_PIECE_ELEMENTS * sizeof(uint64_t)];
  const etr_tensor_view *view = &reader->view;
  size_t piece = (size_t)ETR_MIN(reader->count - reader->at, (uint64_t)ETR_PIECE_ELEMENTS),
         size = piece * view->element->size;
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
