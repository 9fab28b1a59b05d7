/* SPDX-License-Identifier: BSD-3-Clause
 *
 * debug_data.h - the values that runs logged: which node each is of, and what its numbers are. Layer 3.
 */
#ifndef ETR_DEBUG_DATA_H
#define ETR_DEBUG_DATA_H

#include "inputs/dump.h"
#include "inputs/tensor_data.h"
#include "place/placement.h"

/** The logged values of all dumps. */
typedef struct etr_debug_data {
  etr_debug_value *values; /* run counts over all dumps */
  size_t count;
  size_t dumps_with_tensors; /* their offsets do not tell whose buffer it is where there are several */
} etr_debug_data;

/** Puts the values of the dumps behind each other. False: out of memory. */
bool etr_debug_collect(etr_debug_data *out, etr_arena *arena, const etr_dump *dumps, size_t dump_count);

/** Fills method, node, output and is_argument: a value's node is the one that its instruction's event has. False: out
 * of memory. */
bool etr_debug_join(etr_debug_data *data, const etr_blocks *blocks, const etr_placement *placements,
                    size_t method_count);

/**
 * Fills the statistics of all tensors from the debug buffer. A tensor that cannot be read has none, and a warning says
 * why, once for each reason. Tensors that share bytes are read again only as long as no more than four times the buffer
 * is read in all: real ones share none. The profile is one with a debug buffer. Errors: ETR_ERROR_IO (the file cannot
 * be opened), ETR_ERROR_MEMORY.
 */
etr_status etr_debug_measure(etr_debug_data *data, etr_arena *arena, const etr_profile *profile, etr_warnings *warnings,
                             etr_error *error);

/** Opens a profile's debug buffer, which it must have: its file, or what it holds itself of one. Errors: ETR_ERROR_IO.
 */
etr_status etr_debug_open(etr_seekable *out, const etr_profile *profile, etr_error *error);

/** Warns of the first tensor with NaN and of the first with infinities, by node where it has one. */
void etr_debug_warn_of_nan(const etr_debug_data *data, const etr_profile *profile, etr_warnings *warnings);

/** How to read a logged tensor. `strides` takes its strides where the file has none. False: its dtype is unknown, or it
 * has too many dimensions. */
bool etr_debug_view(etr_tensor_view *out, const etr_debug_value *value, const etr_seekable *file,
                    int64_t strides[ETR_MOST_RANK]);

#endif
