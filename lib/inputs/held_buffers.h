/* SPDX-License-Identifier: BSD-3-Clause
 *
 * held_buffers.h - makes the buffers of etr_inputs readable by paths, for as long as somebody needs
 * them: inputs that were found, an opened record, a profile. Layer 2.
 */
#ifndef ETR_HELD_BUFFERS_H
#define ETR_HELD_BUFFERS_H

#include "base/base.h"

/** Holds the buffers of `inputs`. *out is NULL if there are none. Release it with
 * etr_held_buffers_release(). Errors: ETR_ERROR_OPTION (a buffer has no name), ETR_ERROR_MEMORY. */
etr_status etr_held_buffers_hold(etr_held_buffers **out, const etr_inputs *inputs,
                                 etr_error *error);

/** Holds what `held` holds once more; *out is NULL if that is NULL. Errors: ETR_ERROR_MEMORY. */
etr_status etr_held_buffers_share(etr_held_buffers **out, const etr_held_buffers *held,
                                  etr_error *error);

/** Ends the use of the buffers. NULL is ignored. */
void etr_held_buffers_release(etr_held_buffers *held);

/** Returns the path by which the buffer with this index is opened like a file. */
const char *etr_held_buffer_path(const etr_held_buffers *held, size_t index);

/** Returns the path of the first buffer of `inputs` with this name, or else the name itself, which
 * may be NULL. */
const char *etr_held_buffer_named(const etr_held_buffers *held, const etr_inputs *inputs,
                                  const char *name);

#endif
