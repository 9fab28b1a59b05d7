/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_save.h - writes files like torch.save or pickle.dumps. Layer 3. inputs/torch_archive.h
 * reads them.
 */
#ifndef ETR_TORCH_SAVE_H
#define ETR_TORCH_SAVE_H

#include "formats/archive_writer.h"

/** A pickle, and the bytes of the storages with the keys "0", "1", ... */
typedef struct etr_torch_object {
  etr_slice pickle;
  const etr_slice *storages;
  size_t storage_count;
  bool is_inline;        /* the storages are inside the pickle, like pickle.dumps writes them */
  const size_t *offsets; /* if is_inline: offsets in the pickle at which the bytes of each storage
                           must be inserted, ascending */
} etr_torch_object;

/** The pickles of torch.save({}) and torch.save(((), {})), for programs without weights and without
 * example inputs. */
extern const etr_torch_object etr_torch_empty_dict, etr_torch_no_inputs;

/** An emitter whose context is an etr_torch_object: writes a zip, or a pickle if is_inline. Errors:
 * ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_torch_save(void *object, const etr_sink *sink, etr_error *error);

#endif
