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

/** Adds the number of tensors and blobs that the table of a .ptd lists, and the bytes of its
 * segments, to tensor_count, blob_count and byte_count of *out, which start at 0; out->file_size
 * must be set. `path` is for errors. Errors: ETR_ERROR_FORMAT (damaged, or segments larger than the
 * file). */
etr_status etr_flat_tensor_count(etr_weights *out, etr_slice table, const char *path,
                                 etr_error *error);

/** Sets *out to what a .ptd holds: the number of its tensors and of its blobs, and the bytes of all
 * its segments. Reads the table of the file, but never its data. out->path is `path` itself, not a
 * copy, so that it must outlive *out. Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT (the identifier FT01
 * is missing, the table is damaged or larger than max_bytes), ETR_ERROR_MEMORY. */
etr_status etr_flat_tensor_read(etr_weights *out, const char *path, uint64_t max_bytes,
                                etr_error *error);

#endif
