/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logdir_names.h - what run folders and the files in them are called. Layer 5.
 */
#ifndef ETR_LOGDIR_NAMES_H
#define ETR_LOGDIR_NAMES_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** A file to be written: where below the run folder. */
typedef struct etr_logdir_file {
  const char *path;        /* "1_edge/forward/events.out.tfevents..." */
  const char *temporary;   /* in the run folder itself */
  const char *entry_point; /* "edge/forward" */
  size_t graph;            /* of its profile */
  bool is_events;
  bool tells_record; /* of an event file: what is told of the record is in it */
} etr_logdir_file;

typedef struct etr_logdir_names {
  etr_arena *arena;
  const etr_logdir_options *options;
  int64_t seconds;                /* in the names of event files */
  bool is_next_first;             /* the next graph is its profile's first */
  etr_map modules, paths;         /* module -> number of its folder; the folders and files that are taken */
  etr_vec(etr_logdir_file) files; /* of each graph its event file, then its DOT file */
} etr_logdir_names;

void etr_logdir_names_init(etr_logdir_names *names, etr_arena *arena, const etr_logdir_options *options);

/** NAME: a path below LOGDIR, whose parts are clean. profile: the first that is written. NULL when out of memory. */
const char *etr_logdir_name(etr_arena *arena, const etr_logdir_options *options, const etr_profile *profile);

/** True if the options choose a graph. */
bool etr_logdir_takes(const etr_logdir_options *options, const etr_graph *graph);

/** Adds the files of those of a profile's graphs that are chosen. dump: as etr_logdir_add(). False when out of memory.
 */
bool etr_logdir_names_add(etr_logdir_names *names, const etr_profile *profile, const char *dump);

/** The part of a path up to its last slash. */
etr_slice etr_logdir_folder(const char *path);

/** True if a path ends in the name of an event file; *seconds is the time in it. */
bool etr_logdir_is_events(const char *path, int64_t *seconds);

#endif
