/* SPDX-License-Identifier: BSD-3-Clause
 *
 * part.h - the parts of a record that is packed: their names, and whether they are what these say. Layer 3.
 */
#ifndef ETR_PART_H
#define ETR_PART_H

#include "base/arena.h"
#include "etrecord_file.h"
#include "formats/archive.h"
#include "records/torch_save.h"

/* ---- The parts of a record that is packed: their names, and whether they are what these say ---- */

/** An entry to be written, from wherever it comes. */
typedef struct etr_planned {
  const char *name;
  etr_archive *archive; /* entry `index` of an archive; NULL: of none */
  size_t index;
  const char *path; /* a file; NULL: bytes */
  etr_slice bytes;
} etr_planned;

/** An emitter of its bytes; the context is an etr_planned. Errors: ETR_ERROR_IO; those of reading the archive. */
etr_status etr_planned_emit(void *planned, const etr_sink *sink, etr_error *error);

/**
 * The name of an entry by that of a part: "edge/forward" is "edge_dialect_exported_program/forward". In the arena; NULL
 * when out of memory. Errors: ETR_ERROR_CHOICE (reserved, or empty).
 */
etr_status etr_part_entry(const char **out, etr_arena *arena, const char *name, etr_error *error);

/**
 * The version of the schema that a program was serialized with; 0.0 if it says none or cannot be read as JSON. Errors:
 * those of reading the file or the entry.
 */
etr_status etr_planned_schema(int64_t version[2], const etr_planned *planned, etr_error *error);

/** Checks that an entry begins as its name promises: a program, a map, an archive of torch.save, a pickle.
 * Errors:
 * ETR_ERROR_FORMAT, ETR_ERROR_MEMORY, and those of reading it. */
etr_status etr_planned_check(const etr_planned *planned, etr_error *error);

/* ---- What a BundledProgram (.bpte) was tested with, as ExecuTorch puts it into a record. Layer 3. Schema:
 * executorch/devtools/bundled_program/schema/bundled_program_schema.fbs ---- */

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
