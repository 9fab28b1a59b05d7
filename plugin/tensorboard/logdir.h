/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logdir.h - files, run folders and event files, from which a log directory is made. Layer 5.
 */
#ifndef ETR_LOGDIR_H
#define ETR_LOGDIR_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "output/unfinished.h"
#include "views/scope.h"

/* ---- Writing an emitter's output into a file; errors contain the operating system's reason ----
 */

/** A file that is being written. It is large: keep it on the heap. */
typedef struct etr_out_file {
  int descriptor;
  int reason;  /* errno of the first failure; 0: none */
  bool is_new; /* false: a terminal, a pipe or another file that existed before */
  size_t used;
  char buffer[32768];
} etr_out_file;

/** Creates a file that must not exist yet, in an open folder. Returns false on failure and sets
 * errno. */
bool etr_out_file_make(etr_out_file *file, int folder, const char *name);

/**
 * Writes the output of `emit` and closes the file in any case. A new file is flushed to disk.
 * `shown` is the path in messages. Errors: ETR_ERROR_IO if the file cannot be written, and errors
 * of the emitter.
 */
etr_status etr_out_file_fill(etr_out_file *file, const char *shown, etr_emitter emit, void *context,
                             etr_error *error);

/* ---- LOGDIR/NAME, locked by one writer, and its manifest ---- */

/* LOGDIR and the folders above it may be symbolic links; parts of NAME ("a/b") and anything below
 * may not. The lock is on the folder itself, so that it ends with the process. On a file system
 * without locks, several writers may work at once.
 *
 * The manifest lists the files in the folder that this library wrote. Nothing else is ever replaced
 * or removed. It is a hidden file in the folder, with a path on each line. New files are listed
 * before they are put in place, so that a killed writer leaves no unknown files; a listed file need
 * not exist. */

typedef struct etr_run_folder {
  etr_arena *arena;
  etr_unfinished *made; /* list to which the folders and files that are made are added */
  const char *logdir, *name;
  const char *path; /* LOGDIR/NAME; NULL: not open */
  int descriptor;   /* -1: not open */
  bool is_locked;
  bool has_manifest, is_changed; /* there is a manifest; it changed since it was read or written */
  etr_map known;                 /* path -> 1: in the manifest; 0: removed from it */
  etr_vec(const char *) paths;   /* paths of the manifest, in the order in which they were added */
} etr_run_folder;

/**
 * Makes the folder if it does not exist, waits until no other writer has it, removes temporary
 * files of killed writers, and reads the manifest. Arena, `made`, logdir and name are borrowed.
 * Close with etr_run_folder_close(), also on failure. Errors: ETR_ERROR_IO (also if another writer
 * does not end), ETR_ERROR_FORMAT (the file is not a manifest), ETR_ERROR_MEMORY.
 */
etr_status etr_run_folder_open(etr_run_folder *out, const char *logdir, const char *name,
                               etr_arena *arena, etr_unfinished *made, etr_error *error);

/** Makes the folders that a file of this path below the run folder is in. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY. */
etr_status etr_run_folder_make_parents(const etr_run_folder *folder, const char *path,
                                       etr_error *error);

/** Removes the folders that a file of this path was in, as far as they are empty. */
void etr_run_folder_remove_empty_parents(const etr_run_folder *folder, const char *path);

/** Returns true if the manifest lists a path. */
bool etr_run_folder_has_listed(const etr_run_folder *folder, const char *path);

/** Adds a path, which is borrowed, to the manifest. Returns false when out of memory. */
bool etr_run_folder_add_to_manifest(etr_run_folder *folder, const char *path);

/** Removes a path from the manifest. */
void etr_run_folder_remove_from_manifest(etr_run_folder *folder, const char *path);

/** Writes the manifest, if it has changed. `file` is only lent, since it is large. Errors: those of
 * etr_out_file_fill(). */
etr_status etr_run_folder_write_manifest(etr_run_folder *folder, etr_out_file *file,
                                         etr_error *error);

/** Closes the folder, which ends its lock. */
void etr_run_folder_close(etr_run_folder *folder);

/* ---- The event file of one entry point, for callers that already have the scopes of its graph
 * ---- */

/** What an event file is about. */
typedef struct etr_tb_entry {
  size_t graph;             /* in etr_profile.graphs; ETR_NONE: there is no graph, as with an ETDump
                               alone, and the file has only the data about the record */
  const etr_scopes *scopes; /* of all graphs of the profile that are written, by their index */
  const size_t *others;     /* graphs that are values of the run, beside `graph` */
  size_t other_count;
  bool has_record;           /* include the data about the whole record, which belongs into one of
                                its files */
  bool is_build;             /* the record is a build, which has no curves over inferences */
  bool has_points_only;      /* of a build: only its points on the curves over builds */
  int64_t step;              /* of a build */
  const etr_profile *before; /* as in etr_tb_build_points_make() */
} etr_tb_entry;

/** Writes the event file of an entry point, as etr_emit_events() describes it. Errors: ETR_ERROR_IO
 * (the sink refused), ETR_ERROR_MEMORY. Without a graph (ETR_NONE) it has only the data about the
 * record, and with has_points_only the points of a build. */
etr_status etr_tb_events_write(const etr_profile *profile, const etr_tb_entry *entry,
                               const etr_events_options *options, const etr_sink *sink,
                               etr_error *error);

#endif
