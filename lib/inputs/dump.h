/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump.h - an ETDump as it is in the file: runs and their events, nothing joined. Layer 2.
 * Schema: executorch/devtools/etdump/etdump_schema_flatcc.fbs.
 */
#ifndef ETR_DUMP_H
#define ETR_DUMP_H

#include "base/arena.h"
#include "base/budget.h"
#include "base/warnings.h"

typedef struct etr_dump_event {
  const char *name;        /* as in the file; "" if absent; interned: equal names are the same pointer */
  const char *delegate_id; /* text of the delegate debug identifier, interned; NULL if this is no delegate's event */
  bool delegate_id_is_int;
  bool is_debug;   /* a DebugEvent: an intermediate value was logged, nothing timed. Outputs of the run are only in the
                      dump's values */
  bool is_untimed; /* its times cannot be: what it took is not known */
  int32_t chain_index;
  int32_t instruction_id; /* -1: none. Events with chain_index -1 carry 0 without meaning it: here they have -1 */
  uint64_t start_ticks;
  uint64_t
      duration_ticks; /* end - start; a 32-bit counter that wrapped in between is corrected by 2^32. 0 if untimed */
  etr_slice metadata; /* a delegate's; in the arena of `names`. Mostly empty */
} etr_dump_event;

typedef struct etr_dump_run {
  const char *name;
  int32_t bundled_input_index;
  const etr_dump_event *events; /* profile and debug events in the file's order: by their end */
  size_t event_count;
  size_t debug_events, allocation_events;
  const etr_allocations *allocations; /* as the public header has them; in the arena of `names` */
  size_t allocation_count;
} etr_dump_run;

typedef struct etr_dump {
  const etr_dump_run *runs;
  size_t run_count;
  uint64_t ticks; /* of all events together */
  etr_debug_value
      *values; /* of all runs; run counts within this dump, and what the join and the debug buffer tell is not filled */
  size_t value_count;
} etr_dump;

/**
 * Most ticks that all events of a dump take together: 104 days of nanoseconds. Whatever is added up of them is exact in
 * a double, and so in JSON.
 */
#define ETR_DUMP_MOST_TICKS ((uint64_t)1 << 53)

/** True if a file that begins so is an ETDump: the identifier ED00 stands behind a size prefix, or without one. */
bool etr_dump_is(etr_slice head);

/** True if it begins with a size prefix: the size of what follows, in 4 bytes. */
bool etr_dump_prefix(etr_slice head);

/** Sink for what is odd but not fatal: called with an offset and a text that lives until it returns. May be NULL. */
typedef void (*etr_dump_warn)(void *context, uint64_t offset, const char *message);

/** What the reading of ETDumps shares. */
typedef struct etr_dump_shared {
  etr_arena *arena;   /* of runs and their events */
  etr_map *names;     /* interns texts, so that those of several dumps can be compared as pointers */
  etr_budget *budget; /* of events; may be NULL */
  etr_dump_warn warn;
  void *context;
} etr_dump_shared;

/**
 * Reads an ETDump. Texts and values live in the arena of `names`; the file's bytes may be freed afterwards. A missing
 * or wrong size prefix and trailing bytes are tolerated (the wrong prefix with a warning). An event that ends before it
 * starts, where no 32-bit counter that wrapped explains it, and one for which ETR_DUMP_MOST_TICKS leave no room are
 * untimed: one warning for all of either. Errors: ETR_ERROR_FORMAT with the offset (no identifier ED00, an offset that
 * points outside, more visits than the file can need), or without it where the budget is used up; ETR_ERROR_MEMORY.
 */
etr_status etr_dump_read(etr_dump *out, const etr_dump_shared *shared, etr_slice bytes, const char *path,
                         etr_error *error);

/* ---- The ETDumps of a profile, from their files and from the logs that hold them ---- */

typedef struct etr_dump_files {
  /* Set by the caller. */
  etr_arena *arena, *runs; /* of the profile; of runs and events */
  etr_map *names;          /* of events, over all dumps */
  etr_budget *budget;
  uint64_t max_file_bytes;
  etr_warnings *warnings;
  /* Filled. */
  etr_vec(etr_dump) dumps;
  etr_vec(const char *) paths; /* of each dump: LOG#2 is the second of a log that holds several */
  etr_slice debug_buffer;      /* of the first dump with tensors that a log has one for, in the arena; empty: none */
  const char *debug_buffer_path;
  uint64_t ticks; /* of all dumps */
} etr_dump_files;

/**
 * Reads the ETDumps of each path: an ETDump, "-", a log with ETDumps in it as base64, or one of these, LOG#NUMBER.
 * Errors: those of etr_file_read() and etr_dump_read(); ETR_ERROR_FORMAT where a log holds no whole ETDump, or too many
 * ticks to count.
 */
etr_status etr_dump_files_read(etr_dump_files *files, const char *const *paths, size_t count, etr_error *error);

#endif
