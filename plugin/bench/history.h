/* SPDX-License-Identifier: BSD-3-Clause
 *
 * history.h - LOGDIR/NAME: a folder for each bench of a name, and history.jsonl, in which every bench has a line for
 * each of its measures (schema/history.schema.json). Layer 6.
 *
 * One bench at a time has it to itself: a lock on the folder, which ends with the process. The file is only ever
 * replaced as a whole.
 */
#ifndef ETR_HISTORY_H
#define ETR_HISTORY_H

#include "command/settings.h"

#include <limits.h>

enum { BENCH_NAME_ROOM = 256, BENCH_RUN_ROOM = 32 };

typedef struct bench_history {
  char name[BENCH_NAME_ROOM];
  char folder[PATH_MAX];    /* LOGDIR/NAME */
  char run[BENCH_RUN_ROOM]; /* this bench's folder in it, named by its start: 2026-11-22_13-40-05 */
  int lock;                 /* -1: not open */
  bool made_logdir, made_folder, keeps;
  char **files; /* of this bench, removed if it comes to nothing */
  size_t file_count;
  size_t first_dump; /* index of the new side's first dump; the base's follow, and the one of warm-ups */
  size_t dump_count; /* of each side */
  char *text;        /* of history.jsonl, NUL-terminated */
  size_t size;       /* of it */
} bench_history;

/** Takes the folder of a name, which is made where it is not there, and a new folder in it, for so many dumps;
 * has_base: and a folder in that, `base`, for as many. Errors: another bench of that name is running; a folder cannot
 * be made, or the history cannot be read. */
exit_status history_open(bench_history *history, const char *logdir, const char *name, size_t dump_count,
                         bool has_base);

/** Where a dump goes that counts: of the new side, and of the base if there is one. */
const char *history_dump(const bench_history *history, size_t index);
const char *history_base_dump(const bench_history *history, size_t index);

/** Where a dump goes that does not count. */
const char *history_spare(const bench_history *history);

/** The path of a file in this bench's folder, or in the bench's that was called `run`. */
void history_path(const bench_history *history, const char *run, const char *file, char path[PATH_MAX]);

/** Warns of lines of history.jsonl that are none of a history: they stay, and count for nothing. */
void history_warn(const bench_history *history);

/** The next line at *at that is one of a history, NULL behind the last; begin with history->text. */
const char *history_line(const char **at);

/** From now on this bench's files stay, whatever comes. */
void history_keep(bench_history *history);

/** Writes the history with these lines behind it. */
exit_status history_append(bench_history *history, const char *lines);

/** Lets go; files and folders of a bench that are not to be kept are removed. */
void history_close(bench_history *history);

#endif
