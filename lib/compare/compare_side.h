/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_side.h - one side of a comparison: the operators of a method with their times, from its graph or from its events. Layer 3.
 */
#ifndef ETR_COMPARE_SIDE_H
#define ETR_COMPARE_SIDE_H

#include "noise.h"
#include "pairing.h"

/** An operator, or an event. */
typedef struct etr_side_item {
  uint32_t node; /* ETR_NONE of an event */
  const char *name, *op, *module;
  const char *backend;           /* NULL: a kernel, or unknown */
  const etr_run_ticks *each_run; /* in which it ran */
  size_t runs;                   /* 0: it was not timed */
  uint64_t total;                /* ticks */
  double step;                   /* of the clock, in ticks */
} etr_side_item;

typedef struct etr_side {
  const etr_side_item *items; /* in order of execution */
  const etr_pairing_item *keys;
  size_t count, run_count;
} etr_side;

/** True if the method has a graph with times, or a graph and no times at all: then its nodes are compared, otherwise its events. */
bool etr_side_has_graph(const etr_profile *profile, uint32_t method);

/** Lists a method's operators; method may be ETR_NONE: nothing. `numbers` gives the same text the same number on both sides. False: out of memory. */
bool etr_side_make(etr_side *out, const etr_profile *profile, uint32_t method, bool by_events, etr_map *numbers, etr_arena *arena);

#endif
