/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing_order.h - pairs that keep the order of both sides. Layer 3.
 */
#ifndef ETR_PAIRING_ORDER_H
#define ETR_PAIRING_ORDER_H

#include <stddef.h>
#include <stdint.h>

/** Keeps the longest part of `partner` that increases, and sets the others to ETR_NONE, in O(n log n). Both scratch
 * arrays have room for count numbers. */
void etr_keep_increasing(uint32_t *partner, size_t count, uint32_t *const scratch[2]);

#endif
