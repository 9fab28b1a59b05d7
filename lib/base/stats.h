/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stats.h - the Inspector's statistics. Layer 0.
 */
#ifndef ETR_STATS_H
#define ETR_STATS_H

#include "base/base.h"

/**
 * Statistics over samples, which are sorted in place. Percentiles as numpy.percentile's default: linear interpolation
 * at rank p/100 * (count - 1).
 */
etr_stats etr_stats_of(uint64_t *samples, size_t count);

/** a * b / c without overflow, rounded down; c > 0 and the result fits. */
uint64_t etr_scale(uint64_t a, uint64_t b, uint64_t c);

#endif
