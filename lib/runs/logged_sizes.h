/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logged_sizes.h - compares the sizes of logged values with those that a method has. Layer 3.
 */
#ifndef ETR_LOGGED_SIZES_H
#define ETR_LOGGED_SIZES_H

#include "inputs/method.h"

/** How a logged value agrees with a method. */
typedef enum etr_size_vote {
  ETR_SIZE_UNKNOWN, /* the files do not say which sizes the method has there */
  ETR_SIZE_AGREES,
  ETR_SIZE_CONTRADICTS,
} etr_size_vote;

/** Compares a logged value with the tensors of its instruction, or with what the method returns. */
etr_size_vote etr_logged_size_vote(const etr_method_inputs *method, const etr_debug_value *value);

#endif
