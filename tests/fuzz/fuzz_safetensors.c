/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_safetensors.c - lib/inputs/safetensors.c on any bytes: the tensors of a table lie in the
 * file, share no bytes and can be read in pieces.
 */
#include "inputs/safetensors.h"

#include <stdlib.h>

static void check_tensor(const etr_safetensor *tensor, const etr_seekable *file) {
  static double piece[ETR_PIECE_ELEMENTS];
  etr_tensor_reader reader;
  const char *problem;
  if (tensor->offset > file->size || tensor->byte_size > file->size - tensor->offset)
    abort();
  const etr_tensor_view view = {.element = tensor->element,
                                .sizes = tensor->sizes,
                                .strides = tensor->strides,
                                .rank = tensor->rank,
                                .offset = tensor->offset,
                                .file = file};
  if (!tensor->element)
    return;
  if (etr_tensor_fault(&view))
    abort();
  if (etr_tensor_reader_open(&reader, &view, &problem) == ETR_OK && !problem)
    while (etr_tensor_reader_next(&reader, piece))
      continue;
  if (reader.at != reader.count)
    abort();
  etr_tensor_reader_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_seekable file = etr_seekable_of((etr_slice){(const char *)data, size});
  etr_arena arena = {0};
  etr_safetensors table;
  if (etr_safetensors_read(&table, &arena, &file, "fuzz", NULL) == ETR_OK)
    for (size_t i = 0; i < table.tensors.count; i++)
      check_tensor(&table.tensors.data[i], &file);
  etr_arena_clear(&arena);
  return 0;
}
