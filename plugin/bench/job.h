/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.h - a bench from its start to its end: what is known of it, its recordings, what they measured. Layer 6.
 *
 * A recording is one process of a program that left an ETDump. All of them are made before the command gives up its
 * rights (sandbox.h) and so before any dump is read; the job hands over what they left.
 */
#ifndef ETR_JOB_H
#define ETR_JOB_H

#include <limits.h>

#include "command/command.h"

/* ---- LOGDIR/NAME: a folder for each bench of a name, and history.jsonl, in which every bench has a line for each of
 * its measures (schema/history.schema.json) ---- */

/* One bench at a time has it to itself: a lock on the folder, which ends with the process. The file is only ever
 * replaced as a whole. */

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

/* ---- A bench from its start to its end: what is known of it, and its recordings ---- */

/** A recording that counts. */
typedef struct bench_recording {
  double seconds;   /* that the process took, start and load included */
  char *output;     /* as in runner_outcome */
  const char *dump; /* path of its ETDump */
} bench_recording;

/** A program that is recorded. */
typedef struct bench_side {
  const char *label;            /* of its recordings, in messages: "base ", or "new " where there is a base, or "" */
  const char *const *arguments; /* the program with its arguments, ended by NULL; NULL: there is no such side */
  bench_recording *recordings;  /* those that count, of bench_facts.repeat */
  size_t count;
  size_t failed; /* recordings that were to count, but failed, left no dump, or one that cannot be read */
} bench_side;

enum { FACT_ROOM = 128 };

/** What is known of a bench besides its times. */
typedef struct bench_facts {
  char host[FACT_ROOM], device[FACT_ROOM], os[FACT_ROOM];
  char commit[FACT_ROOM];   /* "" where the working directory is in no repository */
  char *command;            /* the program with its arguments, for people */
  char *against;            /* of --against, as split and joined again; NULL: it was not given */
  size_t repeat, warmup;    /* of each side */
  double untraced_seconds;  /* of the process without the dump's option; NaN: there was none */
  const char *untraced_why; /* why there was none */
} bench_facts;

typedef struct bench_job {
  bench_history history;
  bench_facts facts;
  bench_side newer; /* the program behind "--" */
  bench_side base;  /* the program of --against, recorded in turns with the other */
  const char **base_words;
} bench_job;

/** Frees a job, which bench_collect() puts into the settings, and lets go of its history; folders that it made and left
 * empty are removed. NULL is allowed. */
void bench_job_end(bench_job *job);

/* ---- What a bench measured: the runs of each method, and what an LLM runner printed of itself. History, trend and the
 * outputs for other systems all read these ---- */

typedef enum measure_kind {
  MEASURE_METHOD, /* Method::execute, one value for each run (inference) that counts */
  MEASURE_RUNNER, /* a figure of the runner's own, one value for each recording */
  MEASURE_WALL,   /* how long the runner's process took, start and load included */
} measure_kind;

/** "method", "runner", "wall". Static. */
const char *bench_kind_name(measure_kind kind);

/** What a measure of a method is called: the method's name, or "unknown method" if that is "". */
const char *bench_method_name(const char *method);

/** Values with their statistics. */
typedef struct bench_measure {
  measure_kind kind;
  const char *name; /* of a method as the profile has it, or "load", "prefill", ... Borrowed */
  const char *unit; /* "ms", "tokens/s", "s" */
  double *values;
  size_t count;
  double p50, avg, min, max;
} bench_measure;

/** Zeroed: none. */
typedef struct bench_measures {
  bench_measure *list;
  size_t count;
} bench_measures;

/** Adds the methods of a profile that ran, in ms, with the profile's own statistics. False when out of memory. */
bool bench_measures_add_methods(bench_measures *measures, const etr_profile *profile);

/** Adds values, if there are any; what is not a number counts for none. False when out of memory. */
bool bench_measures_add(bench_measures *measures, measure_kind kind, const char *name, const char *unit,
                        const double *values, size_t count);

void bench_measures_clear(bench_measures *measures);

/* ---- Names, records and run folders, as `bench` and `watch` have them ---- */

/** --name, or what the folder of the record is called. */
void bench_default_name(const cli_settings *settings, char name[BENCH_NAME_ROOM]);

/** Opens the record that the settings name, with these ETDumps instead of its own; prints warnings. On failure *out is
 * NULL. */
exit_status bench_open(etr_profile **out, const cli_settings *settings, const char *const *dumps, size_t count);

/** Opens the record that the settings name, with the dumps of a side. Otherwise as bench_open(). */
exit_status bench_open_side(etr_profile **out, const cli_settings *settings, const bench_side *side);

/** Fills what is the same for all run folders: time, host, process, limits. host has 256 bytes. */
void bench_logdir_options(etr_logdir_options *out, const cli_settings *settings, char *host);

#endif
