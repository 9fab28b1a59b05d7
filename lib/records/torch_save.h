/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_save.h - writes what torch.save writes, or pickle.dumps. Layer 3. The other way round: inputs/torch_archive.h.
 */
#ifndef ETR_TORCH_SAVE_H
#define ETR_TORCH_SAVE_H

#include "formats/archive_writer.h"

/** A pickle, and the bytes of the storages that it calls "0", "1", ... */
typedef struct etr_torch_object {
  etr_slice pickle;
  const etr_slice *storages;
  size_t storage_count;
  bool is_inline;       /* the storages are inside the pickle, as pickle.dumps writes them */
  const size_t *places; /* then: where in the pickle the bytes of each storage are missing, in ascending order */
} etr_torch_object;

/** What torch.save({}) and torch.save(((), {})) pickle: programs without weights and without example inputs. */
extern const etr_torch_object etr_torch_empty_dict, etr_torch_no_inputs;

/** An emitter whose context is an etr_torch_object: writes a zip, or a pickle if is_inline. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY. */
etr_status etr_torch_save(void *object, const etr_sink *sink, etr_error *error);

#endif
