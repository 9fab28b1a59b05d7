/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_placement.h - predicts the size of the buffers that memory planning makes for an order. Layer 4.
 *
 * Tensors that are never live at once may share memory, but how much is planned depends on where each is put. The
 * function greedy() of exir/memory_planning.py decides that, and this repeats it: the largest tensor first, of tensors
 * with the same size the one that appears last. A tensor goes into the first object none of whose tensors is live with
 * it, else behind those that are, else into an object of its own.
 */
#ifndef ETR_ORDER_PLACEMENT_H
#define ETR_ORDER_PLACEMENT_H

#include "order/order_problem.h"

/** Returns the size of all buffers together, in bytes, if instructions run in this order. ETR_UNKNOWN if the program's
 * own order would not get the buffers that the program has, because another algorithm planned it; if there are too many
 * tensors to try; or when out of memory. */
uint64_t etr_order_planned_bytes(const etr_order_problem *problem, const uint32_t *order);

#endif
