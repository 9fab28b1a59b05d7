/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace_place.h - places the events of a run on a common time line, each inside the event that it
 * is part of. Layer 5.
 *
 * Kernels, calls and the framework's events are placed where they were measured, and so are events
 * of a delegate if they are inside the delegate's call. Otherwise the delegate has another clock:
 * its events are placed one after the other from the start of the call, and scaled if they take
 * more time than the call. Starts of XNNPACK are never measured: it knows only durations, in whole
 * microseconds, and places events one after the other itself. Events in cycles get shares of the
 * time of the wrapper around them, which is placed in the call in the same way.
 */
#ifndef ETR_TRACE_PLACE_H
#define ETR_TRACE_PLACE_H

#include "base/arena.h"
#include "etrecord.h"

enum {
  ETR_TRACE_LANES = 16 /* lanes of a track, for events that overlap without being nested */
};

/** An event of a run. */
typedef struct etr_span {
  uint32_t event;  /* index of the event in the run's block */
  uint64_t ticks;  /* duration as recorded, or the share of its wrapper's time that corresponds to
                      its cycles */
  uint64_t cycles; /* cycles as recorded, if `ticks` is a share; else 0 */
  uint64_t start, end; /* nanoseconds since the dump's first run began */
  bool in_delegate;    /* the event is inside a delegate */
  bool is_synthetic;   /* the start was not measured */
  double scale;   /* length divided by the recorded duration; 1 unless it was made to fit into its
                     call */
  uint32_t lane;  /* lane of its track; ETR_NONE: it overlaps more events than there are lanes */
  uint32_t track; /* track, set by etr_place_levels() */
  uint32_t
      level; /* number of spans that have not ended when it begins, set by etr_place_levels() */
  uint64_t recorded_start; /* start as recorded, in ticks; used while placing */
  uint32_t call;           /* index of the delegate's call, or ETR_NONE; used while placing */
  uint32_t
      enclosing; /* index of the call or wrapper that it is in, or ETR_NONE; used while placing */
} etr_span;

/** Events that are drawn together: those of all delegates of a backend, or those outside delegates.
 */
typedef struct etr_track {
  bool in_delegate;
  const char *backend;    /* backend of the delegates; NULL if it has no name */
  uint32_t levels;        /* number of levels that its events take */
  etr_vec(uint64_t) ends; /* ends of spans that have not ended; used while placing */
} etr_track;

typedef etr_vec(etr_track) etr_tracks;

/** Places one run after the other. A trace uses one placer. The runs of a dump and method must come
 * in order; some may be skipped. */
typedef struct etr_placer {
  const etr_profile *profile;
  etr_arena *arena;
  etr_arena scratch;      /* memory of one run */
  bool failed;            /* scratch is out of memory */
  size_t event_count;     /* number of events of all blocks */
  size_t process_count;   /* number of processes: see etr_placer_process() */
  size_t *first_event;    /* per block: number of its first event among the events of all blocks */
  size_t *next_sample;    /* per event of all blocks: index of its next sample */
  uint64_t *next_free_ns; /* per dump and method (the last one: no method): end of its last run, in
                          nanoseconds */
  etr_vec(etr_span) spans;
  bool *has_begun;         /* per dump */
  uint64_t *first_start;   /* per dump: start of its first run, in ticks */
  uint64_t *wrapped_ticks; /* per dump: ticks that its 32-bit counter has lost so far */
  uint64_t *last_start;    /* per dump: start of the run before as recorded, in ticks */
} etr_placer;

/** Returns true for an event that is placed, because it takes time: its own, or a share by its
 * cycles. A time whose recorded start means nothing is placed only if it is part of its delegate's
 * time or encloses other events. */
bool etr_is_placed(const etr_event *event);

/** Initializes a placer, for runs of one profile in ascending order, with room for what is kept
 * from run to run: per event, ETDump and process. When out of memory, the arena fails; later calls
 * may also set `failed`. */
void etr_placer_init(etr_placer *placer, etr_arena *arena, const etr_profile *profile);

/** Returns the number of the process that a run is drawn in: each method of an ETDump is one, and
 * so is what belongs to no method. */
size_t etr_placer_process(const etr_placer *placer, uint32_t run);

/** Fills placer->spans with the events of a run, sorted by start, outer events before inner ones.
 * Returns true if the run is where it was measured, and false if it was moved behind the run before
 * of its process, because its clock went back. When out of memory, the arena has failed or
 * placer->failed is set, and the spans are of no use. */
bool etr_place_run(etr_placer *placer, uint32_t run);

/** Gives each span of the run that was placed last a track and a level (0: outermost), for a
 * picture in which no event covers another, and lists the tracks, those outside delegates first, in
 * *tracks, with as many levels as each needs. Returns false when out of memory. */
bool etr_place_levels(etr_placer *placer, uint32_t run, etr_tracks *tracks, etr_arena *arena);

#endif
