/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logdir.h - what a log directory is written with. Layer 5.
 */
#ifndef ETR_LOGDIR_H
#define ETR_LOGDIR_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "output/unfinished.h"
#include "views/scope.h"

/* ---- Writes an emitter's output into a file; errors carry the operating system's reason ---- */

/** A file being written. Large: keep it on the heap. */
typedef struct etr_out_file {
  int descriptor;
  int reason;  /* errno of the first failure; 0: none */
  bool is_new; /* false: a terminal, pipe or other file that was there before */
  size_t used;
  char buffer[32768];
} etr_out_file;

/** Creates a file that must not exist yet, in an open folder. False on failure: see errno. */
bool etr_out_file_make(etr_out_file *file, int folder, const char *name);

/**
 * Writes what `emit` produces and closes the file in any case; a new file is flushed to disk. `shown` is the path to
 * name in messages. Errors: ETR_ERROR_IO if the file cannot be written; the emitter's.
 */
etr_status etr_out_file_fill(etr_out_file *file, const char *shown, etr_emitter emit, void *context, etr_error *error);

/* ---- LOGDIR/NAME while one writer has it to itself, and its manifest ---- */

/* LOGDIR and what is above it may be symbolic links; no part of NAME ("a/b") and nothing below it may. The lock is on
 * the folder itself, so that it ends with the process. Where the file system has no locks, writers are not kept
 * apart.
 *
 * The manifest tells which files of the folder are ours: nothing else in it is ever replaced or removed. It is a
 * hidden file in the folder, with a path on each line. It names new files before they are put in place, so that a
 * writer that is killed leaves nothing unknown; what it names need not be there. */

typedef struct etr_run_folder {
  etr_arena *arena;
  etr_unfinished *made; /* gets the folders and files that are made */
  const char *logdir, *name;
  const char *path; /* LOGDIR/NAME; NULL: not open */
  int descriptor;   /* -1: not open */
  bool is_locked;
  bool has_manifest, is_changed; /* there is one; it is no longer as it was read or written */
  etr_map known;                 /* path -> 1: in the manifest; 0: no longer */
  etr_vec(const char *) paths;   /* of the manifest, in the order in which they were added */
} etr_run_folder;

/**
 * Makes the folder where it is not there, waits until no other writer has it, removes what killed writers left, and
 * reads the manifest. Arena, `made`, logdir and name are borrowed. Close with etr_run_folder_close(), also on failure.
 * Errors: ETR_ERROR_IO (also for another writer that does not end), ETR_ERROR_FORMAT (a manifest that is none),
 * ETR_ERROR_MEMORY.
 */
etr_status etr_run_folder_open(etr_run_folder *out, const char *logdir, const char *name, etr_arena *arena,
                               etr_unfinished *made, etr_error *error);

/** Makes the folders above a path below it. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_run_folder_make(const etr_run_folder *folder, const char *path, etr_error *error);

/** Removes the folders above a path below it, as far as they are empty. */
void etr_run_folder_prune(const etr_run_folder *folder, const char *path);

/** Asks the manifest for a path; adds one, which is borrowed (false when out of memory); drops one. */
bool etr_run_folder_lists(const etr_run_folder *folder, const char *path);
bool etr_run_folder_list(etr_run_folder *folder, const char *path);
void etr_run_folder_unlist(etr_run_folder *folder, const char *path);

/** Replaces the manifest, if it has changed. Errors: as etr_out_file_fill(). */
etr_status etr_run_folder_note(etr_run_folder *folder, etr_out_file *file, etr_error *error);

void etr_run_folder_close(etr_run_folder *folder);

/* ---- The event file of one entry point, for who has its graph's scopes already ---- */

/** The entry point that an event file is about. */
typedef struct etr_tb_entry {
  size_t graph;             /* in etr_profile.graphs */
  const etr_scopes *scopes; /* of the graph */
  bool tells_record;        /* with what is told of the whole record, which belongs into one of its files */
} etr_tb_entry;

/** As etr_emit_events(). */
etr_status etr_tb_events_write(const etr_profile *profile, const etr_tb_entry *entry, const etr_events_options *options,
                               const etr_sink *sink, etr_error *error);

#endif
