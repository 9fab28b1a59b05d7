/* SPDX-License-Identifier: BSD-3-Clause
 *
 * debug_data.h - joins the values that runs logged to nodes, and measures them. Layer 3.
 */
#ifndef ETR_DEBUG_DATA_H
#define ETR_DEBUG_DATA_H

#include "inputs/dump.h"
#include "inputs/tensor_data.h"
#include "join/placement.h"

/** The logged values of all dumps. */
typedef struct etr_debug_data {
  etr_debug_value *values; /* `run` of each is an index over the runs of all dumps */
  size_t count;
  size_t dumps_with_tensors; /* number of dumps with tensors; if there are several, offsets do not
                                identify the dump of the debug buffer */
} etr_debug_data;

/** Concatenates the logged values of the dumps, in the arena; those of a single dump stay the
 * dump's own. Returns false when out of memory. */
bool etr_debug_collect(etr_debug_data *out, etr_arena *arena, const etr_dump *dumps,
                       size_t dump_count);

/** Fills method, node, output and is_argument. The node of a value is that of its instruction's
 * event. Returns false when out of memory. */
bool etr_debug_join(etr_debug_data *data, const etr_blocks *blocks, const etr_placement *placements,
                    size_t method_count);

/**
 * Fills the statistics of all tensors from the debug buffer, which the profile must have. A tensor
 * that cannot be read has no statistics, and a warning says why, once for each reason. At most four
 * times the size of the buffer is read, which limits the reading of tensors that share bytes; real
 * ones share none. Errors: ETR_ERROR_IO (the file cannot be opened), ETR_ERROR_MEMORY.
 */
etr_status etr_debug_measure(etr_debug_data *data, etr_arena *arena, const etr_profile *profile,
                             etr_warnings *warnings, etr_error *error);

/** Opens the debug buffer of a profile, which must have one: a file, or bytes that the profile
 * contains. Errors: ETR_ERROR_IO.
 */
etr_status etr_debug_open(etr_seekable *out, const etr_profile *profile, etr_error *error);

/** Gives one warning if logged tensors have NaN and another if they have infinities: how many
 * tensors, and the node of the first if it has one. */
void etr_debug_warn_of_nan(const etr_debug_data *data, const etr_profile *profile,
                           etr_warnings *warnings);

/** Fills *out with how to read a logged tensor. `strides` is memory for its strides if the file has
 * none. Returns false if its dtype is unknown, or it has too many dimensions. */
bool etr_debug_view(etr_tensor_view *out, const etr_debug_value *value, const etr_seekable *file,
                    int64_t strides[ETR_MOST_RANK]);

#endif
