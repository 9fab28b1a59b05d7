/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace_place.h - where the events of a run stand on a common time line, so that each lies inside what it is part of.
 * Layer 5.
 *
 * Kernels, calls and the framework's events stand where they were measured. A delegate's events do, too, if that is
 * inside the delegate's call. Otherwise their clock is another one: they are laid end to end from the start of the call
 * on, and are scaled if they take more time than it did. Starts from XNNPACK are never measured: it knows durations
 * only, in whole microseconds, and lays them end to end itself.
 */
#ifndef ETR_TRACE_PLACE_H
#define ETR_TRACE_PLACE_H

#include "base/arena.h"

enum {
  ETR_TRACE_LANES = 16 /* of a track: events that overlap without lying inside each other stand beside each other */
};

/** An event of a run. */
typedef struct etr_span {
  uint32_t event;      /* of the run's block */
  uint64_t ticks;      /* its duration, as recorded */
  uint64_t start, end; /* nanoseconds since the dump's first run began */
  bool in_delegate;    /* an operator inside a delegate */
  bool is_synthetic;   /* its start was not measured */
  double scale;        /* of its length, against the recorded one; 1 unless it was made to fit into its call */
  uint32_t lane;       /* of its track; ETR_NONE: overlaps with more than there are lanes */
  uint32_t track;      /* etr_place_levels(): its track */
  uint32_t level;      /* likewise: how many lie around it, or are not over yet when it begins */
  uint64_t raw;        /* start as recorded; for the placing itself */
  uint32_t call;       /* likewise: place of the span that it is inside of; ETR_NONE */
} etr_span;

/** What is drawn as one: the events of all delegates of a backend, or those of none. */
typedef struct etr_track {
  bool in_delegate;
  const char *backend;    /* of a delegate; NULL if it has no name */
  uint32_t levels;        /* that its events take */
  etr_vec(uint64_t) ends; /* of what is not over yet; for the placing itself */
} etr_track;

typedef etr_vec(etr_track) etr_tracks;

/** Places run by run. One for a whole trace; the runs of a dump and method have to come in order, and some may be left
 * out. */
typedef struct etr_placer {
  const etr_profile *profile;
  etr_arena *arena;
  etr_arena scratch;    /* of one run */
  bool failed;          /* out of memory in it */
  size_t event_count;   /* of all blocks */
  size_t process_count; /* see etr_placer_process() */
  size_t *first_event;  /* per block: number of its first event among all blocks' */
  size_t *next_sample;  /* per event of all blocks */
  uint64_t *free_from;  /* per dump and method (the last stands for none): where its last run ended */
  etr_vec(etr_span) spans;
  bool *has_begun;      /* per dump */
  uint64_t *base;       /* per dump: ticks of its first run's start */
  uint64_t *wrapped;    /* per dump: ticks that its 32-bit counter has lost so far */
  uint64_t *last_start; /* per dump: of the run before, as recorded */
} etr_placer;

/** Out of memory shows on the arena, later on `failed`, too. */
void etr_placer_init(etr_placer *placer, etr_arena *arena, const etr_profile *profile);

/** Number of a track's owner: of a dump, a method or none. */
size_t etr_placer_process(const etr_placer *placer, uint32_t run);

/**
 * Fills placer->spans with the events of a run, by start, those that lie around others first. Gives true if the run
 * stands where it was measured; false if it was moved behind what came before, because its clock went back.
 */
bool etr_place_run(etr_placer *placer, uint32_t run);

/**
 * For a picture of the run placed last in which no event lies upon another: gives each span a track and a level. Events
 * of no delegate come first. False when out of memory.
 */
bool etr_place_levels(etr_placer *placer, uint32_t run, etr_tracks *tracks, etr_arena *arena);

#endif
