/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_search.h - an order of a method's instructions that needs less memory. Layer 4.
 */
#ifndef ETR_ORDER_SEARCH_H
#define ETR_ORDER_SEARCH_H

#include "order/order_problem.h"

/**
 * The order with the lowest peak that is found within a fixed number of steps, which grows as the method does. There
 * may be a lower one, by a thousandth even in small methods. *peak is what it needs. In the problem's arena; NULL if
 * none needs less than the plan's own, or when out of memory, which shows there.
 */
const uint32_t *etr_order_find(const etr_order_problem *problem, uint64_t *peak);

#endif
