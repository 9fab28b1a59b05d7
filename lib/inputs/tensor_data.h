/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tensor_data.h - reads the numbers of a tensor in a file or in memory, in pieces. Layer 2.
 *
 * Debug buffers may have gigabytes, so only one piece is in memory at a time. The exception are
 * tensors in a file whose memory order differs from the order of their dimensions (channels last):
 * they are loaded completely to be read in the order of their dimensions, up to
 * ETR_MOST_LOADED_BYTES.
 */
#ifndef ETR_TENSOR_DATA_H
#define ETR_TENSOR_DATA_H

#include "base/file.h"
#include "formats/element.h"

enum { ETR_MOST_RANK = 32, ETR_MOST_LOADED_BYTES = 256 << 20, ETR_PIECE_ELEMENTS = 4096 };

/** The location and layout of a tensor's elements. Everything is borrowed. */
typedef struct etr_tensor_view {
  const etr_element *element;
  const int64_t *sizes, *strides; /* strides count elements */
  int32_t rank;
  uint64_t offset;          /* offset of the first element, in bytes */
  const etr_seekable *file; /* NULL: the elements are in `memory` */
  etr_slice memory;
} etr_tensor_view;

/** Computes the product of the sizes. Returns false if a size is negative, or if the product times
 * `element_size` does not fit into 63 bits. */
bool etr_tensor_count(const int64_t *sizes, int32_t rank, uint64_t element_size, uint64_t *count);

/**
 * Returns why a tensor cannot be read, as a static text, or NULL if it can: its sizes overflow, its
 * strides leave the file or the memory, or, for a tensor in a file, its strides are not a
 * permutation of its dimensions (ExecuTorch logs only dense tensors). A tensor without elements may
 * be anywhere.
 */
const char *etr_tensor_fault(const etr_tensor_view *view);

/** Computes statistics over all elements of a tensor in a file without a fault (it is dense, so its
 * strides do not matter), in one pass over the bytes. Returns false if it could not be read
 * completely. */
bool etr_tensor_measure(etr_tensor_stats *out, const etr_tensor_view *view);

/** Reads the elements of a tensor without a fault in the order of its dimensions, the last one
 * fastest. */
typedef struct etr_tensor_reader {
  etr_tensor_view view;
  uint8_t *loaded;    /* the complete tensor, owned; NULL if the file is read in pieces */
  bool in_order;      /* the memory order is the order of the dimensions */
  uint64_t count, at; /* number of elements in all, and number read so far */
  int64_t index[ETR_MOST_RANK];
  uint64_t distance; /* distance of the element `index` from the first element, in elements */
} etr_tensor_reader;

/** Starts reading. *problem becomes NULL, or a static text that says that the tensor is too large
 * or unreadable. Always close the reader with etr_tensor_reader_close(). Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_tensor_reader_open(etr_tensor_reader *reader, const etr_tensor_view *view,
                                  const char **problem);

/** Reads up to ETR_PIECE_ELEMENTS more elements and returns their number. 0 at the end, or if the
 * tensor is unreadable; reader.at is then less than reader.count.
 */
size_t etr_tensor_reader_next(etr_tensor_reader *reader, double into[ETR_PIECE_ELEMENTS]);

void etr_tensor_reader_close(etr_tensor_reader *reader);

#endif
