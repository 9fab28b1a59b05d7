/* SPDX-License-Identifier: BSD-3-Clause
 *
 * folder_watch.h - reports each file that arrives in a folder when it is complete: closed by its
 * writer, or moved in. Layer 6.
 *
 * On systems without inotify, it lists the folder repeatedly, and a file counts as complete if it
 * did not change between two listings.
 */
#ifndef ETR_FOLDER_WATCH_H
#define ETR_FOLDER_WATCH_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

typedef enum folder_event {
  FOLDER_FILE,   /* a file is complete */
  FOLDER_MISSED, /* files arrived faster than they were read: some will not be reported */
  FOLDER_GONE,   /* the folder was removed or moved away */
  FOLDER_ENDED,  /* SIGINT */
} folder_event;

/** A file as it was in the last listing. */
typedef struct watched_file {
  char name[NAME_MAX + 1];
  struct timespec changed;
  off_t size;
  bool is_reported, is_there;
} watched_file;

/** Large: keep it on the heap. */
typedef struct folder_watch {
  const char *path; /* borrowed */
  int inotify;      /* descriptor; -1: the folder is listed repeatedly */
  double interval;  /* seconds between two listings */
  sigset_t waiting; /* signal mask while waiting; SIGINT is blocked at all other times */
  size_t used, at;  /* bytes of events that were read, and the position of the next event */
  _Alignas(8) char events[8192];
  watched_file *files; /* by name */
  size_t file_count,
      next_file; /* next_file: the first that was not looked at since the last listing */
} folder_watch;

/** Begins to watch. Files that already exist are not reported. From now on SIGINT ends the watch
 * instead of the process. use_inotify: whether inotify is used if the system has it; interval:
 * seconds between listings otherwise. The path is borrowed until the end of the watch. Returns
 * false and sets errno if the folder cannot be watched. */
bool folder_watch_begin(folder_watch *watch, const char *path, bool use_inotify, double interval);

/** Waits for the next event. For FOLDER_FILE, `name` is the name of a regular file that is not
 * hidden. */
folder_event folder_watch_next(folder_watch *watch, char name[NAME_MAX + 1]);

/** Ends the watch, also one that could not begin, frees what it holds, and unblocks SIGINT. */
void folder_watch_end(folder_watch *watch);

#endif
