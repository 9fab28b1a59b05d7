/* SPDX-License-Identifier: BSD-3-Clause
 *
 * softmax_check.h - softmaxes with a check for rows that a mask hides whole. Layer 4.
 */
#ifndef ETR_SOFTMAX_CHECK_H
#define ETR_SOFTMAX_CHECK_H

#include "views/finder.h"

/** The part of a check's time that the products and the scaling take which replace it: 0.46 of 3.2
 * ms were measured. */
#define ETR_SOFTMAX_CHECK_REPLACED 0.2

/** Marks the kernels with which a softmax looks for rows that a mask hides whole, and those that
 * scale the factors of the product before it. marked: a flag for each node of the graph, all false
 * at first. Returns the number of softmaxes. */
size_t etr_mark_softmax_checks(const etr_finder *finder, bool *marked);

#endif
