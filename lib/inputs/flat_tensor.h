/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flat_tensor.h - a .ptd file: constants that a program keeps in a separate file. Layer 2. Schema:
 * executorch/extension/flat_tensor/serialize/flat_tensor.fbs; the extended header FH01 is described
 * in serialize.py beside it.
 */
#ifndef ETR_FLAT_TENSOR_H
#define ETR_FLAT_TENSOR_H

#include "base/arena.h"

/** Returns true if a file that starts with these bytes is a .ptd. */
bool etr_flat_tensor_is(etr_slice head);

/** Counts the tensors and blobs in the table of a .ptd; out->file_size must be set. Errors:
 * ETR_ERROR_FORMAT. */
etr_status etr_flat_tensor_count(etr_weights *out, etr_slice table, const char *path,
                                 etr_error *error);

/**
 * Counts the contents of a .ptd: reads its table, but never its data. `path` is kept. Errors:
 * ETR_ERROR_IO, ETR_ERROR_FORMAT (no identifier FT01; damaged; a table larger than max_bytes),
 * ETR_ERROR_MEMORY.
 */
etr_status etr_flat_tensor_read(etr_weights *out, const char *path, uint64_t max_bytes,
                                etr_error *error);

#endif
