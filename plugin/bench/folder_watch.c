/* SPDX-License-Identifier: BSD-3-Clause
 *
 * folder_watch.c - watches a folder by inotify, or by listing it repeatedly.
 */
#include "bench/folder_watch.h"

#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#if defined __linux__
#include <sys/inotify.h>
#define HAS_INOTIFY
#endif

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number) {
  (void)number;
  is_interrupted = 1;
}

/* Sets *about and returns true if the folder has a regular file of this name that is not hidden. */
static bool is_shown_file(const folder_watch *watch, const char *name, struct stat *about) {
  char path[PATH_MAX];
  int size = snprintf(path, sizeof path, "%s/%s", watch->path, name);
  return name[0] != '.' && size > 0 && (size_t)size < sizeof path && stat(path, about) == 0 &&
         S_ISREG(about->st_mode);
}

/* Waits for an inotify event, if inotify is used, or for the end of the timeout (NULL: none).
 * SIGINT is unblocked only while it waits, so that none is lost between checks. Returns false if
 * SIGINT arrived. */
static bool wait_for_event(folder_watch *watch, const struct timespec *timeout) {
  fd_set ready;
  FD_ZERO(&ready);
  if (watch->inotify >= 0)
    FD_SET(watch->inotify, &ready);
  if (!is_interrupted)
    (void)pselect(watch->inotify + 1, &ready, NULL, NULL, timeout, &watch->waiting);
  return !is_interrupted;
}

/* ---- inotify ---- */

/* Begins to watch a folder with inotify, for files that were written or moved into it and for its
 * own end. Returns the descriptor; -1 if that is impossible. */
#ifdef HAS_INOTIFY
static int begin_inotify(const char *path) {
  int inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (inotify >= 0 && inotify_add_watch(inotify, path,
                                        IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF |
                                            IN_MOVE_SELF | IN_ONLYDIR) >= 0)
    return inotify;
  if (inotify >= 0)
    (void)close(inotify);
  return -1;
}

/* Reads the next event from the buffer of inotify: sets *kind to FOLDER_GONE (the folder was
 * removed or moved), FOLDER_MISSED (the queue was full) or FOLDER_FILE, with the file's name.
 * Returns false if the event is to be ignored, because it is about no regular file or a hidden one.
 */
static bool read_event(folder_watch *watch, folder_event *kind, char name[NAME_MAX + 1]) {
  struct inotify_event event;
  struct stat about;
  memcpy(&event, watch->events + watch->at, sizeof event);
  const char *file = watch->events + watch->at + sizeof event;
  watch->at += sizeof event + event.len;
  *kind = FOLDER_GONE;
  if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT))
    return true;
  *kind = FOLDER_MISSED;
  if (event.mask & IN_Q_OVERFLOW)
    return true;
  *kind = FOLDER_FILE;
  if (event.len == 0 || strlen(file) > NAME_MAX || !is_shown_file(watch, file, &about))
    return false;
  memcpy(name, file, strlen(file) + 1);
  return true;
}

/* Waits for the next event that inotify reports, and returns it. Returns FOLDER_ENDED after SIGINT.
 * */
static folder_event next_by_inotify(folder_watch *watch, char name[NAME_MAX + 1]) {
  folder_event kind;
  for (;;) {
    while (watch->at < watch->used)
      if (read_event(watch, &kind, name))
        return kind;
    ssize_t read_size = read(watch->inotify, watch->events, sizeof watch->events);
    watch->at = 0;
    watch->used = read_size > 0 ? (size_t)read_size : 0;
    if (read_size <= 0 && !wait_for_event(watch, NULL))
      return FOLDER_ENDED;
  }
}
#else
static int begin_inotify(const char *path) {
  (void)path;
  return -1;
}

/* Is never called: without inotify the folder is listed. */
static folder_event next_by_inotify(folder_watch *watch, char name[NAME_MAX + 1]) {
  (void)watch;
  (void)name;
  return FOLDER_GONE;
}
#endif

/* ---- Listing ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(((const watched_file *)a)->name, ((const watched_file *)b)->name);
}

/* Compares a file with its entry in the last listing (watch->files, sorted by name). Sets is_there
 * if the file is unchanged since then, in size and time, so that its writer seems to be done. Sets
 * is_reported for files of the first listing (is_first), which are not new, and for those that were
 * reported and are unchanged. */
static void compare_file(watched_file *file, const folder_watch *watch, bool is_first) {
  const watched_file *old = watch->file_count > 0 ? bsearch(file, watch->files, watch->file_count,
                                                            sizeof *file, by_name)
                                                  : NULL;
  file->is_there = old != NULL && old->size == file->size &&
                   old->changed.tv_sec == file->changed.tv_sec &&
                   old->changed.tv_nsec == file->changed.tv_nsec;
  file->is_reported = is_first || (file->is_there && old->is_reported);
}

/* Lists the files of the folder anew, compares each with the last listing, of which this takes the
 * place, and begins to report files from the first one. is_first: this is the first listing, whose
 * files are not new. Returns false if the folder cannot be opened any more. When out of memory,
 * files are left out. */
static bool list_folder(folder_watch *watch, bool is_first) {
  DIR *directory = opendir(watch->path);
  watched_file *files = NULL;
  size_t count = 0, room = 0;
  struct stat about;
  if (directory == NULL)
    return false;
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (!is_shown_file(watch, entry->d_name, &about))
      continue;
    watched_file *grown = count < room ? files
                                       : realloc(files, (room = 2 * room + 16) * sizeof *grown);
    if (grown == NULL)
      break;
    files = grown;
    files[count] = (watched_file){.size = about.st_size, .changed = etr_changed_at(&about)};
    (void)snprintf(files[count++].name, sizeof files->name, "%s", entry->d_name);
  }
  (void)closedir(directory);
  for (size_t i = 0; i < count; i++)
    compare_file(&files[i], watch, is_first);
  if (count > 0)
    qsort(files, count, sizeof *files, by_name);
  free(watch->files);
  watch->files = files;
  watch->file_count = count;
  watch->next_file = 0;
  return true;
}

/* Waits for the next file that is new or changed, and unchanged since the listing before, by
 * listing the folder after each interval, where inotify does not work; `name` is the file's.
 * Returns FOLDER_FILE, FOLDER_ENDED after SIGINT, or FOLDER_GONE if the folder cannot be listed. */
static folder_event next_by_listing(folder_watch *watch, char name[NAME_MAX + 1]) {
  time_t seconds = (time_t)watch->interval;
  const struct timespec pause = {seconds, (long)((watch->interval - (double)seconds) * 1e9)};
  for (;;) {
    while (watch->next_file < watch->file_count) {
      watched_file *file = &watch->files[watch->next_file++];
      if (!file->is_there || file->is_reported)
        continue;
      file->is_reported = true;
      memcpy(name, file->name, sizeof file->name);
      return FOLDER_FILE;
    }
    if (!wait_for_event(watch, &pause))
      return FOLDER_ENDED;
    if (!list_folder(watch, false))
      return FOLDER_GONE;
  }
}

/* ---- Both ---- */

bool folder_watch_begin(folder_watch *watch, const char *path, bool use_inotify, double interval) {
  sigset_t interrupts;
  const struct sigaction action = {.sa_handler = interrupt};
  struct sigaction before;
  *watch = (folder_watch){.path = path, .inotify = -1, .interval = interval};
  is_interrupted = 0;
  (void)sigemptyset(&interrupts);
  (void)sigaddset(&interrupts, SIGINT);
  (void)sigprocmask(SIG_BLOCK, &interrupts, &watch->waiting);
  (void)sigdelset(&watch->waiting, SIGINT);
  if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    (void)sigaction(SIGINT, &action, NULL);
  if (use_inotify)
    watch->inotify = begin_inotify(path);
  return watch->inotify >= 0 || list_folder(watch, true);
}

folder_event folder_watch_next(folder_watch *watch, char name[NAME_MAX + 1]) {
  return watch->inotify >= 0 ? next_by_inotify(watch, name) : next_by_listing(watch, name);
}

void folder_watch_end(folder_watch *watch) {
  if (watch->inotify >= 0)
    (void)close(watch->inotify);
  free(watch->files);
  (void)sigprocmask(SIG_SETMASK, &watch->waiting, NULL);
}
