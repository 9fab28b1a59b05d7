/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bundled.h - what a BundledProgram (.bpte) was tested with, as ExecuTorch puts it into a record. Layer 3. Schema:
 * executorch/devtools/bundled_program/schema/bundled_program_schema.fbs.
 */
#ifndef ETR_BUNDLED_H
#define ETR_BUNDLED_H

#include "base/arena.h"
#include "records/torch_save.h"

/** Inputs and outputs; without a pickle where there are none. Zeroed: none at all. */
typedef struct etr_bundled {
  etr_arena arena;
  etr_file file;
  const char *path;         /* for messages */
  const char *problem;      /* why something in it cannot be taken; NULL: everything was */
  bool is_inline;           /* inputs and outputs are as pickle.dumps writes them, not torch.save */
  etr_torch_object inputs;  /* of the first test of `forward`: a list */
  etr_torch_object outputs; /* by method, of each test: lists */
} etr_bundled;

/** Reads a file, or bytes that outlive it; is_inline as in the struct. Free with etr_bundled_clear(), also on failure.
 * Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT, ETR_ERROR_MEMORY. */
etr_status etr_bundled_read(etr_bundled *out, const etr_part *part, bool is_inline, etr_error *error);

void etr_bundled_clear(etr_bundled *bundled);

#endif
