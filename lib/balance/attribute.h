/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attribute.h - the balance: where the time of a method went. Layer 3.
 *
 * Every tick of Method::execute goes to a node, a delegate, the framework, or is said to be unexplained. The sums hold
 * to the tick, over all runs.
 */
#ifndef ETR_ATTRIBUTE_H
#define ETR_ATTRIBUTE_H

#include "backends/decoder.h"
#include "place/placement.h"

/* ---- The balance: where the time of a method went ---- */

/** The graphs that get times; any may be NULL. */
typedef struct etr_method_graphs {
  etr_graph *edge, *aten;
  etr_graph *program; /* made here from the join's .pte method, unless the join has made it */
} etr_method_graphs;

/**
 * Fills the events of the method's blocks (event_nodes.h), the method's totals and time slices, and the times of its
 * graphs (node_times.h). `out` has its name and blocks already; the placements have their nodes (place.h). What is
 * filled lives in the arena; what is odd becomes a warning. False: out of memory, or the join's budget is used up.
 */
bool etr_attribute(etr_method *out, const etr_method_graphs *graphs, const etr_placement *placement, uint32_t method,
                   const etr_blocks *blocks, etr_warnings *warnings);

/* ---- A method's time, cut into time slices: what one event took in one run ---- */

/* Time slices of a delegate that add up to more than its call, or of a run that add up to more than its
 * Method::execute, are scaled to shares of it, exactly, so that sums hold to the tick. */

/** A time slice while it is worked on; see etr_time_slice. */
typedef struct etr_time_slice_of {
  uint64_t ticks;
  const etr_event *event;
  uint32_t node; /* ETR_NONE unless ETR_TIME_SLICE_NODE */
  uint32_t run;  /* place among the method's runs */
  etr_time_slice_kind kind;
  etr_phase phase; /* of ETR_TIME_SLICE_DELEGATE */
  etr_compute_unit compute_unit;
  uint32_t operators; /* of what a delegate's call took beyond its events: how many of these it had in the run */
} etr_time_slice_of;

/** The time of one method. Zeroed but for the first members, which the caller sets. */
typedef struct etr_time {
  const etr_placement *placement;
  const etr_blocks *blocks;
  uint32_t method;
  etr_arena *arena;   /* of the profile */
  etr_arena *scratch; /* of the time slices */
  etr_warnings *warnings;
  const uint32_t *mine; /* the method's blocks */
  size_t block_count, run_count;
  uint64_t *execute;               /* per run of the method, ticks; in `arena` */
  etr_vec(etr_delegate) delegates; /* by instruction; in `arena` */
  etr_vec(etr_time_slice_of) time_slices;
  /* its own */
  uint64_t *wrappers[ETR_MOST_WRAPPERS + 1],
      *insides[ETR_MOST_WRAPPERS + 1]; /* per run, of a call: what its wrappers took, and
                                    what lies in each; 0 is the call itself */
  uint64_t *cycles, *inside_cycles;    /* likewise, of one wrapper: its own cycles, and those of what lies in it */
  uint64_t *call, *sum, *so_far;       /* per run: of what is looked at just now, a delegate's call or all */
  etr_time_slice_of *spare;            /* as long as time slices, for sorting */
  bool warned_shares, warned_wrappers;
} etr_time;

#endif
