/* SPDX-License-Identifier: BSD-3-Clause
 *
 * folder_watch.h - tells of files that come into a folder, each when it is complete: closed by its writer, or moved in.
 * Layer 6.
 *
 * Where the system tells nothing (inotify), it looks again and again, and takes a file for complete that has not
 * changed between two looks.
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
  FOLDER_MISSED, /* files came faster than they were asked for: some will not be told */
  FOLDER_GONE,   /* the folder was removed or moved away */
  FOLDER_ENDED,  /* SIGINT */
} folder_event;

/** A file as it was at the last look. */
typedef struct looked_at {
  char name[NAME_MAX + 1];
  struct timespec changed;
  off_t size;
  bool is_told, is_there;
} looked_at;

/** Large: keep it on the heap. */
typedef struct folder_watch {
  const char *path; /* borrowed */
  int inotify;      /* -1: it looks by itself */
  double interval;  /* seconds between two looks */
  sigset_t waiting; /* signals that wait while somebody works with a file */
  size_t used, at;  /* of the events */
  _Alignas(8) char events[8192];
  looked_at *files;
  size_t file_count;
} folder_watch;

/** Begins: files that are there already are not told. From now on SIGINT ends the watch instead of the process.
 * use_inotify: if there is one. False: the folder cannot be watched, see errno. */
bool folder_watch_begin(folder_watch *watch, const char *path, bool use_inotify, double interval);

/** Waits for what comes next. The name is that of a regular file that is not hidden. */
folder_event folder_watch_next(folder_watch *watch, char name[NAME_MAX + 1]);

void folder_watch_end(folder_watch *watch);

#endif
