/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_size.h - bytes of tensors, checked. Layer 3.
 */
#ifndef ETR_VALUE_SIZE_H
#define ETR_VALUE_SIZE_H

#include "inputs/pte.h"

/** Bytes of a program's tensor: of its largest sizes where they are bounds. False, *bytes 0: the sizes are negative or
 * too many, or the number type is unknown or has no whole bytes. */
bool etr_pte_value_bytes(const etr_pte_value *value, uint64_t *bytes);

#endif
