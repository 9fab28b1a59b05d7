/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tensor_data.h - the numbers of a tensor that lies in a file or in memory, read in pieces. Layer 2.
 *
 * Debug buffers take gigabytes, so nothing is held but a piece. The exception are tensors in a file whose memory order
 * is not that of their dimensions (channels last): to be read in the order of their dimensions they are loaded, up to
 * ETR_MOST_LOADED_BYTES.
 */
#ifndef ETR_TENSOR_DATA_H
#define ETR_TENSOR_DATA_H

#include "base/file.h"
#include "formats/element.h"

enum { ETR_MOST_RANK = 32, ETR_MOST_LOADED_BYTES = 256 << 20, ETR_PIECE_ELEMENTS = 4096 };

/** Where the elements of a tensor are. Everything is borrowed. */
typedef struct etr_tensor_view {
  const etr_element *element;
  const int64_t *sizes, *strides; /* strides count elements */
  int32_t rank;
  uint64_t offset;          /* of the first element, in bytes */
  const etr_seekable *file; /* NULL: in memory */
  etr_slice memory;
} etr_tensor_view;

/** The product of the sizes. False if one is negative or the product times `element_size` does not fit into 63 bits. */
bool etr_tensor_count(const int64_t *sizes, int32_t rank, uint64_t element_size, uint64_t *count);

/**
 * What keeps a tensor from being read, as a static text, or NULL: sizes that overflow, strides that leave the file or
 * memory, or, of one in a file, strides that are no permutation of its dimensions (ExecuTorch logs only dense tensors).
 * A tensor without elements may lie anywhere.
 */
const char *etr_tensor_fault(const etr_tensor_view *view);

/** Statistics over all elements, in one pass over the bytes, of a tensor without a fault. False: it could not be read
 * to its end. */
bool etr_tensor_measure(etr_tensor_stats *out, const etr_tensor_view *view);

/** Reads the elements of a tensor without a fault in the order of its dimensions, the last one fastest. */
typedef struct etr_tensor_reader {
  etr_tensor_view view;
  uint8_t *loaded;    /* owned; NULL if the file is read in pieces */
  bool in_order;      /* memory order is the order of the dimensions */
  uint64_t count, at; /* elements: in all, read */
  int64_t index[ETR_MOST_RANK];
  uint64_t place; /* element that `index` is, from the first */
} etr_tensor_reader;

/** *problem is NULL, or a static text: it is too large, or unreadable. Close with etr_tensor_reader_close() in any
 * case. Errors: ETR_ERROR_MEMORY. */
etr_status etr_tensor_reader_open(etr_tensor_reader *reader, const etr_tensor_view *view, const char **problem);

/** Reads up to ETR_PIECE_ELEMENTS more; how many there were. 0: at the end, or unreadable (reader.at < reader.count).
 */
size_t etr_tensor_reader_next(etr_tensor_reader *reader, double into[ETR_PIECE_ELEMENTS]);

void etr_tensor_reader_close(etr_tensor_reader *reader);

#endif
