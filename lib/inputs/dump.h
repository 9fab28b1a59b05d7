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
#include "formats/flatbuf.h"

#include <stdio.h>

typedef struct etr_dump_event {
  const char *name; /* as in the file; "" if absent; interned: equal names are the same pointer */
  const char *delegate_id; /* text of the delegate debug identifier, interned; NULL if it is not an
                              event of a delegate */
  bool delegate_id_is_int;
  bool is_debug;   /* a DebugEvent: an intermediate value was logged, and nothing was timed. Outputs
                      of the run are in   the dump's values only */
  bool is_untimed; /* its times are invalid, so that its duration is not known */
  int32_t chain_index;
  int32_t instruction_id; /* -1: none. Files write 0 for events with chain_index -1, which has no
                             meaning; here they have -1 */
  uint64_t start_ticks;
  uint64_t duration_ticks; /* end - start, in ticks; if a 32-bit counter wrapped in between, 2^32 is
                              added. 0 if untimed */
  etr_slice metadata; /* metadata that a delegate wrote, in the arena of `names`. Usually empty */
} etr_dump_event;

typedef struct etr_dump_run {
  const char *name;
  int32_t bundled_input_index;
  const etr_dump_event
      *events; /* profile and debug events in the file's order, which is by their end */
  size_t event_count;
  size_t debug_events, allocation_events;
  const etr_allocations *allocations; /* as in etr_run; in the arena of `names` */
  size_t allocation_count;
} etr_dump_run;

typedef struct etr_dump {
  const etr_dump_run *runs;
  size_t run_count;
  uint64_t ticks;          /* duration of all events together */
  etr_debug_value *values; /* values of all runs. `run` is the index within this dump; members that
                              the join or the debug buffer supply are not filled */
  size_t value_count;
} etr_dump;

/** Returns true if a value of the dump is a tensor, whose data are in a debug buffer. */
static inline bool etr_dump_has_tensors(const etr_dump *dump) {
  for (size_t i = 0; i < dump->value_count; i++)
    if (dump->values[i].kind == ETR_DEBUG_TENSOR)
      return true;
  return false;
}

/**
 * The most ticks that all events of a dump may take together: 104 days of nanoseconds. All sums of
 * them are then exact in a double, and therefore in JSON.
 */
#define ETR_DUMP_MOST_TICKS ((uint64_t)1 << 53)

/** Returns true if a file that starts with these bytes is an ETDump: it has the identifier ED00,
 * with or without a size prefix in front. */
bool etr_dump_is(etr_slice head);

/** Returns true if the ETDump starts with a size prefix, which is the size of the rest in 4 bytes.
 */
bool etr_dump_prefix(etr_slice head);

/** Receives a warning with its byte offset. The text lives until the call returns. May be NULL. */
typedef void (*etr_dump_warn)(void *context, uint64_t offset, const char *message);

/** What all ETDumps of a profile share while they are read. */
typedef struct etr_dump_shared {
  etr_arena *arena; /* owns the runs and their events */
  etr_map *names;   /* interns texts, so that texts of several dumps can be compared as pointers */
  etr_budget *budget; /* limits the events; may be NULL */
  etr_dump_warn warn;
  void *context;
} etr_dump_shared;

/** Counts the events of an ETDump from its vectors alone, until they are more than `enough`,
 * without reading the rest of the file. Returns 0 for what is no ETDump, or is damaged: reading
 * says why.
 */
uint64_t etr_dump_count_events(FILE *file, uint64_t enough);

/**
 * Reads an ETDump. Texts and values live in the arena of `names`; the file's bytes may be freed
 * afterwards. A missing size prefix and trailing bytes are accepted; a wrong size prefix gives a
 * warning. An event is untimed if it ends before it starts and no 32-bit counter that wrapped
 * explains that, or if it would exceed ETR_DUMP_MOST_TICKS. Each of these two cases gives one
 * warning for all its events. Errors: ETR_ERROR_FORMAT with the offset (no identifier ED00, an
 * offset that points outside, more visits than the file can need), or without it where the budget
 * is used up; ETR_ERROR_MEMORY.
 */
etr_status etr_dump_read(etr_dump *out, const etr_dump_shared *shared, etr_slice bytes,
                         const char *path, etr_error *error);

/* ---- The ETDumps of a profile, from their files and from the logs that hold them ---- */

typedef struct etr_dump_files {
  /* Set by the caller. */
  etr_arena *arena, *runs; /* arena of the profile; arena of runs and events */
  etr_map *names;          /* interns the names of events of all dumps */
  etr_budget *budget;
  uint64_t max_file_bytes;
  etr_warnings *warnings;
  const etr_decoded_logs *logs; /* logs that were read before; NULL: none was */
  /* Filled. */
  etr_vec(etr_dump) dumps;
  etr_vec(
      const char *) paths; /* path of each dump; LOG#2 is the second dump of a log with several */
  etr_slice debug_buffer;  /* debug buffer of the first dump that logged tensors and has a debug
                              buffer in its log;  in the arena. Empty: none */
  const char *debug_buffer_path;
  uint64_t ticks; /* of all dumps */
} etr_dump_files;

/**
 * Reads the ETDumps of each path: an ETDump, also compressed with gzip, "-" for standard input, a
 * log that contains ETDumps as base64, or LOG#NUMBER for one ETDump of a log. An ETDump with the
 * same content as one before it is left out with a warning, because it is the same recording.
 * Errors: those of etr_file_read(), etr_gunzip() and etr_dump_read(); ETR_ERROR_FORMAT if a log
 * contains no complete ETDump, or if the events take too many ticks to count.
 */
etr_status etr_dump_files_read(etr_dump_files *files, const char *const *paths, size_t count,
                               etr_error *error);

/* ---- The values that events logged ---- */

/** Collects the values of a dump. */
typedef struct etr_value_reader {
  etr_fb *fb;
  etr_arena *arena;
  etr_arena scratch; /* cleared for each run */
  etr_map
      counts; /* number of values of the run with the same instruction, delegate id and is_output */
  uint32_t run;
  etr_vec(etr_debug_value) values;
} etr_value_reader;

/** Prepares for reading the values that events logged. *reader is zeroed, or was initialized
 * before, and then its scratch memory is freed. Failures show on fb or on the arena. The reader
 * owns nothing until a run is started, and then scratch memory until etr_values_end(). */
void etr_values_init(etr_value_reader *reader, etr_fb *fb, etr_arena *arena);

/** Starts a run: the values that are read from now on belong to it, and their indices count from 0
 * again. */
void etr_values_start_run(etr_value_reader *reader, uint32_t run);

/** Reads the Value table of a DebugEvent. `origin` has the event's name and ids. Returns true if
 * the file marks the value as an output of the method. */
bool etr_values_read(etr_value_reader *reader, etr_debug_value origin, etr_fb_at value);

/** Returns all values that were read, in the arena, and frees everything else. */
etr_debug_value *etr_values_end(etr_value_reader *reader, size_t *count);

#endif
