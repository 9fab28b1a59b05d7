/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_archive.h - reads data with tensors that torch.save or pickle.dumps wrote. Layer 2.
 *
 * torch.save writes a zip: PREFIX/data.pkl, PREFIX/data/KEY for each storage, PREFIX/byteorder.
 * Format: torch/serialization.py, _save. ExecuTorch used pickle.dumps up to version 1.2, which
 * writes a pickle with the storages inside it.
 */
#ifndef ETR_TORCH_ARCHIVE_H
#define ETR_TORCH_ARCHIVE_H

#include "formats/archive.h"
#include "inputs/pickle.h"
#include "inputs/tensor_data.h"

enum { ETR_MOST_TORCH_BYTES = 256 << 20 };

/** An open archive or pickle. Zeroed: none. */
typedef struct etr_torch_archive {
  etr_arena arena;
  const char *path, *entry; /* for errors; borrowed */
  etr_archive *zip;         /* NULL: the bytes are a pickle */
  const char *prefix;       /* with its '/' */
  etr_file pickle;
  const etr_pickle_value *root;
  etr_map storages; /* key -> loaded */
  etr_vec(etr_file) loaded;
  uint64_t loaded_bytes;
} etr_torch_archive;

/**
 * Opens an archive or a pickle in memory, which is borrowed until etr_torch_close(), and runs the
 * pickle. `path` and `entry` name its origin in errors. Errors: ETR_ERROR_FORMAT (damaged, not from
 * torch.save or pickle.dumps, big-endian, too large, or contains more than data and tensors),
 * ETR_ERROR_MEMORY. After an error there is nothing to close.
 */
etr_status etr_torch_open(etr_torch_archive *out, etr_slice bytes, const char *path,
                          const char *entry, etr_error *error);
/** Frees the archive, and the bytes of tensors into which views point. */
void etr_torch_close(etr_torch_archive *archive);

/** Sets *out to the numbers of a tensor of the archive, which live until it is closed; out->offset
 * is in bytes. Errors: those of etr_torch_open(), and ETR_ERROR_FORMAT also if the storage is
 * missing or too small. */
etr_status etr_torch_view(etr_tensor_view *out, etr_torch_archive *archive,
                          const etr_pickle_value *tensor, etr_error *error);

#endif
