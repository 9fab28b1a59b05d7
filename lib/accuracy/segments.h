/* SPDX-License-Identifier: BSD-3-Clause
 *
 * segments.h - which operators lie between values that were compared. Layer 3.
 */
#ifndef ETR_SEGMENTS_H
#define ETR_SEGMENTS_H

#include "base/arena.h"

/** The operators between a value and the nearest compared values that it depends on. */
typedef struct etr_value_segment {
  const uint32_t *nodes; /* in order of execution; the last one computes the value */
  size_t node_count;
  const uint32_t *sources; /* nodes of the nearest compared values; none: the value depends on inputs and weights only */
  size_t source_count;
} etr_value_segment;

/**
 * Finds the segments of the nodes of a graph that are marked in is_compared, in the arena; *out has one entry per node,
 * empty for others. Returns false if the work exceeded its limit: later segments are then empty. Lack of memory shows on
 * the arena.
 */
bool etr_segments_find(etr_value_segment **out, const etr_graph *graph, const uint8_t *is_compared, etr_arena *arena);

#endif
