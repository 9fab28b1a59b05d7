/* SPDX-License-Identifier: BSD-3-Clause
 *
 * argument_names.h - what ATen calls the arguments of its operators: a .pte has no names. Layer 2.
 */
#ifndef ETR_ARGUMENT_NAMES_H
#define ETR_ARGUMENT_NAMES_H

#include "base/base.h"

/** The name of the argument at a place, counted from 0 with tensors, of an operator as operator.h spells them:
 * "convolution". NULL if it is not known. Static. */
const char *etr_argument_name(etr_slice op, size_t place);

#endif
