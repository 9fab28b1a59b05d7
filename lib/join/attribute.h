/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attribute.h - computes the balance: where the time of a method went. Layer 3.
 *
 * Every tick of Method::execute belongs to one part (etr_time_part). The sums are exact to the
 * tick, over all runs.
 */
#ifndef ETR_ATTRIBUTE_H
#define ETR_ATTRIBUTE_H

#include "backends/decoder.h"
#include "join/placement.h"
#include "runs/typical.h"

/* ---- The balance: where the time of a method went ---- */

/** The graphs to which times are attributed. Any may be NULL. */
typedef struct etr_method_graphs {
  etr_graph *edge, *aten;
  etr_graph *program; /* made here from the placement's .pte method, unless the placement has made
                         it already */
} etr_method_graphs;

/**
 * Fills the events of the method's blocks (join/delegates.h), the method's totals and time slices,
 * and the times of its graphs. `out` must have its name and blocks, and the placement its nodes
 * (etr_place_method()). All that is filled lives in the arena of `warnings`; inconsistent times
 * cause warnings. Returns false when out of memory, or if the budget of the profile is spent.
 */
bool etr_attribute(etr_method *out, const etr_method_graphs *graphs, const etr_placement *placement,
                   uint32_t method, const etr_blocks *blocks, etr_warnings *warnings);

/* ---- The time slices of a method: the time of one event in one run ---- */

/* If the time slices of a delegate add up to more than its call, or those of a run to more than its
 * Method::execute, they are scaled to shares of it, exactly, so that sums are exact to the tick. */

/** A time slice while it is computed; see etr_time_slice. */
typedef struct etr_time_slice_of {
  uint64_t ticks;
  const etr_event *event;
  uint32_t node; /* ETR_NONE unless ETR_TIME_OPERATORS */
  uint32_t run;  /* index among the method's included runs */
  etr_time_part part;
  etr_phase phase; /* set for the time of a delegate on no node */
  etr_compute_unit compute_unit;
  uint32_t operators; /* for the time of a delegate call outside its events: number of these events
                         in the run */
} etr_time_slice_of;

/** The time of one method. The caller sets the members up to `warnings` and zeroes the rest. */
typedef struct etr_time {
  const etr_placement *placement;
  const etr_blocks *blocks;
  uint32_t method;
  etr_arena *arena;   /* arena of the profile */
  etr_arena *scratch; /* arena of the time slices */
  etr_warnings *warnings;
  const uint32_t *block_indices; /* the method's blocks */
  size_t block_count, run_count;
  uint64_t *execute_ticks;         /* per run of the method; in `arena` */
  uint32_t *recordings;            /* per run: its ETDump; in `scratch` */
  etr_typical_choice typical;      /* the runs of the typical run */
  etr_vec(etr_part_time) parts;    /* in `arena` */
  etr_map counted_calls;           /* calls that are counted: part and instruction */
  etr_vec(etr_delegate) delegates; /* by instruction; in `arena` */
  etr_vec(etr_time_slice_of) time_slices;
  /* private members */
  /* per run of a call, by depth: the time of its wrappers, and of the events inside each; depth 0
     is the call itself */
  uint64_t *wrapper_ticks[ETR_MOST_WRAPPERS + 1], *inside_ticks[ETR_MOST_WRAPPERS + 1];
  /* per run of one wrapper: its own cycles, and those of the events inside it */
  uint64_t *wrapper_cycles, *inside_cycles;
  /* per run: working memory for the current sum, over a delegate call or over all */
  uint64_t *call_ticks, *sum_ticks, *so_far;
  etr_time_slice_of *spare; /* as long as time_slices, for sorting */
  bool warned_shares, warned_wrappers;
} etr_time;

/* ---- Finding the node into which a delegate fused another, and whose time includes it ---- */

/**
 * Sets carried_by of each node that a delegate fused into another: to the nearest timed node of the
 * same delegate from which its first input comes (batch norm, activation, quantize), or else to the
 * first that uses its result (dequantize). It does so only if there is evidence of the fusion: the
 * delegate's payload has no operator for the node; or, without a payload, no event of the delegate
 * is left as which the node could have run. Returns false when out of memory.
 */
bool etr_find_carriers(const etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                       etr_node_time *times, etr_arena *scratch);

#endif
