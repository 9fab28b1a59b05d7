/* SPDX-License-Identifier: BSD-3-Clause
 *
 * part.h - the parts of which `pack` makes a record: their names, and checks that they are what
 * their names say. Layer 3.
 */
#ifndef ETR_PART_H
#define ETR_PART_H

#include "base/arena.h"
#include "etrecord_file.h"
#include "formats/archive.h"
#include "records/torch_save.h"

/* ---- The parts of which `pack` makes a record ---- */

/** An entry to write, and where its bytes come from. */
typedef struct etr_planned {
  const char *name;
  etr_archive *archive; /* archive whose entry `index` it is; NULL: it is not in an archive */
  size_t index;
  const char *path; /* a file; NULL: it is `bytes` */
  etr_slice bytes;
} etr_planned;

/** An emitter of the bytes of an entry; the context is an etr_planned. Errors: ETR_ERROR_IO, and
 * those of reading the archive. */
etr_status etr_planned_emit(void *planned, const etr_sink *sink, etr_error *error);

/**
 * Makes the name of an entry from the name of a part: "edge/forward" becomes
 * "edge_dialect_exported_program/forward". *out lives in the arena; it is NULL when out of memory.
 * Errors: ETR_ERROR_CHOICE (reserved, or empty).
 */
etr_status etr_part_entry(const char **out, etr_arena *arena, const char *name, etr_error *error);

/**
 * Reads the schema version with which a program was serialized; 0.0 if it has none or is not valid
 * JSON. Errors: those of reading the file or the entry.
 */
etr_status etr_planned_schema(int64_t version[2], const etr_planned *planned, etr_error *error);

/** Checks that the start of an entry is what its name says: a program, a map, an archive of
 * torch.save, a pickle. Errors: ETR_ERROR_FORMAT, ETR_ERROR_MEMORY, and those of reading it. */
etr_status etr_planned_check(const etr_planned *planned, etr_error *error);

/* ---- The tests of a BundledProgram (.bpte), in the form that ExecuTorch stores in a record.
 * Schema: executorch/devtools/bundled_program/schema/bundled_program_schema.fbs ---- */

/** The inputs and outputs of the tests; a pickle is empty if there are none. Zeroed: none at all.
 */
typedef struct etr_bundled {
  etr_arena arena;
  etr_file file;
  const char *path;    /* for messages */
  const char *problem; /* why something in it cannot be used; NULL: everything is used */
  bool is_inline; /* inputs and outputs are written like pickle.dumps does, not like torch.save */
  etr_torch_object inputs;  /* inputs of the first test of `forward`: a list */
  etr_torch_object outputs; /* outputs of each test, by method: lists */
} etr_bundled;

/** Reads a BundledProgram, a file or bytes that outlive the result, and pickles its tests.
 * is_inline: as pickle.dumps writes them, not torch.save. What cannot be pickled is left out, and
 * out->problem says why. Free the result with etr_bundled_clear(), also after a failure. Errors:
 * ETR_ERROR_IO, ETR_ERROR_FORMAT, ETR_ERROR_MEMORY. */
etr_status etr_bundled_read(etr_bundled *out, const etr_part *part, bool is_inline,
                            etr_error *error);

void etr_bundled_clear(etr_bundled *bundled);

#endif
