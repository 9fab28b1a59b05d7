/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_search.h - searches for an order of a method's instructions that needs less memory. Layer 4.
 */
#ifndef ETR_ORDER_SEARCH_H
#define ETR_ORDER_SEARCH_H

#include "order/order_problem.h"

/**
 * Returns the order with the lowest peak that is found within a number of steps that depends on the size of the method.
 * A better order may exist; even in small methods one that is lower by a thousandth may be missed. *peak is the peak of
 * the order, in bytes. The order is in the problem's arena. Returns NULL if no order needs less than the plan's own, or
 * when out of memory; the arena has failed then.
 */
const uint32_t *etr_order_find(const etr_order_problem *problem, uint64_t *peak);

#endif
