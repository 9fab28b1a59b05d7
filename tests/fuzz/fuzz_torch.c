/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_torch.c - lib/inputs/torch_archive.c and lib/inputs/pickle.c on any bytes: as an archive of
 * torch.save, and as the pickle in one. It ends soon, and the tensors that come out lie in their
 * bytes.
 */
#include "inputs/torch_archive.h"

#include <stdlib.h>

enum { MOST_VISITS = 1000 };

static void check_tensor(etr_torch_archive *archive, const etr_pickle_value *tensor) {
  etr_tensor_view view;
  etr_tensor_reader reader;
  static double piece[ETR_PIECE_ELEMENTS];
  if (!tensor->element || !tensor->storage || tensor->rank > ETR_MOST_RANK)
    abort();
  if (!archive || etr_torch_view(&view, archive, tensor, NULL) != ETR_OK)
    return;
  const char *problem;
  if (etr_tensor_reader_open(&reader, &view, &problem) == ETR_OK && !problem)
    (void)etr_tensor_reader_next(&reader, piece);
  etr_tensor_reader_close(&reader);
}

/* The values may be a cyclic graph: only so many are visited. */
static void walk(etr_torch_archive *archive, const etr_pickle_value *value, int *visits) {
  if (++*visits > MOST_VISITS)
    return;
  if (value->kind == ETR_PICKLE_TENSOR)
    check_tensor(archive, value);
  for (size_t i = 0; i < value->items.count && *visits <= MOST_VISITS; i++)
    walk(archive, value->items.data[i], visits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_slice bytes = {(const char *)data, size};
  etr_torch_archive archive;
  etr_arena arena = {0};
  const etr_pickle_value *root;
  uint64_t offset;
  int visits = 0;
  const char *message = etr_pickle_read(&root, &arena, bytes, &offset);
  if ((message == NULL) != (root != NULL) || offset > size)
    abort();
  if (root)
    walk(NULL, root, &visits);
  etr_arena_clear(&arena);
  visits = 0;
  if (etr_torch_open(&archive, bytes, "fuzz", "entry", NULL) != ETR_OK)
    return 0;
  walk(&archive, archive.root, &visits);
  etr_torch_close(&archive);
  return 0;
}
