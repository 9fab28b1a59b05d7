/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.h - a bench from its start to its end: its folder, facts, recordings and figures. Layer 6.
 *
 * A recording is one process of a program that left an ETDump. All recordings are made before the
 * command gives up its rights (sandbox.h), and so before any ETDump is read; the job passes on
 * their files.
 */
#ifndef ETR_JOB_H
#define ETR_JOB_H

#include <limits.h>

#include "command/command.h"

/* ---- LOGDIR/NAME/TIME: the folder of a bench, with its ETDumps, and those of its base in `base`
 * ---- */

enum { BENCH_NAME_ROOM = 256, BENCH_RUN_ROOM = 32 };

typedef struct bench_folder {
  char path[PATH_MAX];      /* LOGDIR/NAME */
  char run[BENCH_RUN_ROOM]; /* name of the bench's folder in `path`, by its start:
                               2026-11-22_13-40-05 */
  bool made_logdir, made_path, keeps;
  char **files; /* files and folders of this bench, which are removed if it is not kept */
  size_t file_count;
  size_t first_dump; /* index of the new side's first ETDump; the ETDumps of the base and that of
                        warm-ups follow */
  size_t dump_count; /* number of ETDumps of each side */
} bench_folder;

/** Makes a new folder in LOGDIR/NAME for dump_count ETDumps, with a record.json of the processor's
 * instructions, "" if they are not known. With has_base, also makes the folder `base` in it for as
 * many. Fails, with a message, if a folder cannot be made. */
exit_status bench_folder_open(bench_folder *folder, const char *logdir, const char *name,
                              const char *instructions, size_t dump_count, bool has_base);

/** Return the path of an ETDump that counts, of the new side and of the base. */
const char *bench_folder_dump(const bench_folder *folder, size_t index);
const char *bench_folder_base_dump(const bench_folder *folder, size_t index);

/** Returns the path for an ETDump that does not count, such as that of a warm-up; it is written
 * again each time. */
const char *bench_folder_spare_dump(const bench_folder *folder);

/** Keeps the files of this bench from now on, whatever happens: neither a signal nor
 * bench_folder_close() removes them any more. */
void bench_folder_keep(bench_folder *folder);

/** Frees the folder. Removes the files and folders of a bench that bench_folder_keep() was not
 * called for. */
void bench_folder_close(bench_folder *folder);

/* ---- The facts and the recordings of a bench ---- */

/** What a line begins with in which ExecuTorch's LLM runner prints its figures. */
#define BENCH_OBSERVER "PyTorchObserver "

/** A recording that counts. */
typedef struct bench_recording {
  double seconds; /* duration of the process, with its start and the load */
  char *report; /* the last line "PyTorchObserver {...}" that it printed, from '{' on; NULL: none */
  const char *dump; /* path of its ETDump */
} bench_recording;

/** A program that is recorded. */
typedef struct bench_side {
  const char *label; /* name in messages: "base ", or "new " if there is a base, or "" */
  const char *const
      *arguments; /* the program with its arguments, ended by NULL; NULL: there is no such side */
  bench_recording *recordings; /* recordings that count, at most bench_facts.repeat */
  size_t count;
  size_t failed; /* recordings that failed, left no ETDump, or left one that cannot be read; without
                    warm-up */
} bench_side;

enum { FACT_ROOM = 128 };

/** Facts about a bench besides its times. */
typedef struct bench_facts {
  char host[FACT_ROOM], device[FACT_ROOM];
  char commit[FACT_ROOM];   /* "" if the working directory is not in a repository */
  char *command;            /* the program with its arguments, for people */
  char *against;            /* the base's command line, for people; NULL: there is no --against */
  size_t repeat, warmup;    /* number of recordings of each side */
  double untraced_seconds;  /* duration of the process without an ETDump; NaN: there was none */
  const char *untraced_why; /* why that failed; NULL: it did not, or nobody tried */
} bench_facts;

typedef struct bench_job {
  bench_folder folder;
  bench_facts facts;
  bench_side newer; /* the program after "--" */
  bench_side base;  /* the program of --against, recorded in turns with `newer` */
  const char **base_words;
} bench_job;

/** Frees a job, which bench_collect() puts into the settings, and closes its folder. Folders that
 * it made and left empty are removed. NULL is allowed. */
void bench_job_end(bench_job *job);

/* ---- Names, records and run folders of `bench` and `watch` ---- */

/** Writes the name of the folder in the logdir: the value of --name, or the name of the record's
 * folder. */
void bench_default_name(const cli_settings *settings, char name[BENCH_NAME_ROOM]);

/** Finds the files of the record that the settings name. Its own ETDumps are replaced by `dump`.
 * Set out->etdumps before you use it, as bench_open_record() does, since it may point into this
 * call. Free with bench_clear_record(). */
exit_status bench_find_record(etr_inputs *out, const cli_settings *settings, const char *dump);

/** Opens the files that bench_find_record() found, with these ETDumps, and prints warnings. On
 * failure *out is NULL, and there was a message. */
exit_status bench_open_record(etr_profile **out, const cli_settings *settings,
                              const etr_inputs *found, const char *const *dumps, size_t count);

/** Frees what bench_find_record() found with the same settings; without settings->record all paths
 * are the settings' own, and nothing is freed. */
void bench_clear_record(etr_inputs *found, const cli_settings *settings);

/** Opens the record that the settings name, with the ETDumps of all recordings of a side, and
 * prints warnings. On failure *out is NULL, and there was a message. */
exit_status bench_open_side(etr_profile **out, const cli_settings *settings,
                            const bench_side *side);

/** Fills the options that all run folders share: time, host, process, limits. `host` has 256 bytes,
 * keeps its text if the name of the machine is unknown, and must live as long as *out. */
void bench_logdir_options(etr_logdir_options *out, const cli_settings *settings, char *host);

#endif
