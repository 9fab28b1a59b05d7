/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.h - a bench from its start to its end: its history, facts, recordings and measures. Layer 6.
 *
 * A recording is one process of a program that left an ETDump. All recordings are made before the
 * command gives up its rights (sandbox.h), and so before any ETDump is read; the job passes on
 * their files.
 */
#ifndef ETR_JOB_H
#define ETR_JOB_H

#include <limits.h>

#include "command/command.h"

/* ---- LOGDIR/NAME: a folder for each bench of a name, and history.jsonl, which has a line for each
 * measure of each bench (schema/history.schema.json) ---- */

/* Only one bench at a time uses the folder. It holds a lock, which ends with the process. `write`
 * may use the folder meanwhile. The file is only replaced as a whole. */

enum { BENCH_NAME_ROOM = 256, BENCH_RUN_ROOM = 32 };

typedef struct bench_history {
  char name[BENCH_NAME_ROOM];
  char folder[PATH_MAX];    /* LOGDIR/NAME */
  char run[BENCH_RUN_ROOM]; /* name of this bench's folder in `folder`, by its start:
                               2026-11-22_13-40-05 */
  int lock;                 /* descriptor of the locked file; -1: not open */
  bool made_logdir, made_folder, keeps;
  char **files; /* files of this bench, which are removed if it is not kept */
  size_t file_count;
  size_t first_dump; /* index of the new side's first ETDump; the ETDumps of the base and that of
                        warm-ups follow */
  size_t dump_count; /* number of ETDumps of each side */
  char *bytes;       /* contents of history.jsonl */
  size_t size;       /* number of bytes */
  char *text;        /* the same as a text, in which lines that contain NULs are damaged */
} bench_history;

/** Locks the folder of a name, which is made if it does not exist, and makes a new folder in it for
 * dump_count ETDumps. With has_base, also makes the folder `base` in the new one for as many.
 * Fails, with a message, if another bench of that name is running, a folder cannot be made, or the
 * history cannot be read. */
exit_status history_open(bench_history *history, const char *logdir, const char *name,
                         size_t dump_count, bool has_base);

/** Return the path of an ETDump that counts, of the new side and of the base. */
const char *history_dump(const bench_history *history, size_t index);
const char *history_base_dump(const bench_history *history, size_t index);

/** Returns the path for an ETDump that does not count. */
const char *history_spare(const bench_history *history);

/** Writes the path of a file in the folder of the bench `run`. */
void history_path(const bench_history *history, const char *run, const char *file,
                  char path[PATH_MAX]);

/** Warns of damaged lines in history.jsonl. They remain in the file and are ignored. */
void history_warn(const bench_history *history);

/** Returns the next undamaged line from *at on and moves *at behind it; NULL after the last line.
 * Begin with history->text. */
const char *history_line(const char **at);

/** Keeps the files of this bench from now on, whatever happens. */
void history_keep(bench_history *history);

/** Writes the history with these lines appended. */
exit_status history_append(bench_history *history, const char *lines);

/** Unlocks the folder and frees the history. Files and folders of a bench that is not kept are
 * removed. */
void history_close(bench_history *history);

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
  char host[FACT_ROOM], device[FACT_ROOM], os[FACT_ROOM];
  char commit[FACT_ROOM];   /* "" if the working directory is not in a repository */
  char *command;            /* the program with its arguments, for people */
  char *against;            /* the base's command line, for people; NULL: there is no --against */
  size_t repeat, warmup;    /* number of recordings of each side */
  double untraced_seconds;  /* duration of the process without an ETDump; NaN: there was none */
  const char *untraced_why; /* reason why there was none */
} bench_facts;

typedef struct bench_job {
  bench_history history;
  bench_facts facts;
  bench_side newer; /* the program after "--" */
  bench_side base;  /* the program of --against, recorded in turns with `newer` */
  const char **base_words;
} bench_job;

/** Frees a job, which bench_collect() puts into the settings, and closes its history. Folders that
 * it made and left empty are removed. NULL is allowed. */
void bench_job_end(bench_job *job);

/* ---- The measures of a bench: the runs of each method, and the figures that an LLM runner
 * printed. History, trend and the outputs for other systems read them ---- */

typedef enum measure_kind {
  MEASURE_METHOD, /* Method::execute, one value for each run (inference) that counts */
  MEASURE_RUNNER, /* a figure that the runner printed, one value for each recording */
  MEASURE_WALL,   /* duration of the runner's process, with its start and the load */
} measure_kind;

/** Returns "method", "runner" or "wall". Static. */
const char *bench_kind_name(measure_kind kind);

/** Returns the name of a method's measure: the method's name, or "unknown method" if that is "". */
const char *bench_method_name(const char *method);

/** Values with their statistics. */
typedef struct bench_measure {
  measure_kind kind;
  const char *name; /* name of a method in the profile, or "load", "prefill", ...; borrowed */
  const char *unit; /* "ms", "tokens/s", "s" */
  double *values;
  size_t count;
  double p50, avg, min, max;
} bench_measure;

/** A list of measures. Zeroed: empty. */
typedef struct bench_measures {
  bench_measure *list;
  size_t count;
} bench_measures;

/** Adds the methods of a profile that ran, in ms, with the profile's statistics. Returns false when
 * out of memory. */
bool bench_measures_add_methods(bench_measures *measures, const etr_profile *profile);

/** Adds a measure with its values, if there are any. Values that are not finite are ignored.
 * Returns false when out of memory. */
bool bench_measures_add(bench_measures *measures, measure_kind kind, const char *name,
                        const char *unit, const double *values, size_t count);

void bench_measures_clear(bench_measures *measures);

/* ---- The curves over the benches of a name, for TensorBoard: LOGDIR/NAME/0_benches ---- */

/** Adds the members that the curves of a method are made from to its line in the history. Returns
 * false when out of memory. */
bool bench_curves_put(FILE *out, const etr_profile *profile, const bench_measure *measure);

/** Writes the curves of the measures over all benches of the history and over the new one, whose
 * lines are given. Writes nothing if it is the first. */
exit_status bench_curves_write(const bench_job *job, const cli_settings *settings,
                               const bench_measures *measures, const char *lines);

/* ---- Names, records and run folders of `bench` and `watch` ---- */

/** Writes the value of --name, or the name of the record's folder. */
void bench_default_name(const cli_settings *settings, char name[BENCH_NAME_ROOM]);

/** Opens the record that the settings name, with these ETDumps instead of the record's, and prints
 * warnings. On failure *out is NULL. */
exit_status bench_open(etr_profile **out, const cli_settings *settings, const char *const *dumps,
                       size_t count);

/** Finds the files of the record that the settings name. Its own ETDumps are replaced by `dump`,
 * which is borrowed. Free with bench_forget(). */
exit_status bench_find(etr_inputs *out, const cli_settings *settings, const char *dump);

/** Opens the files that bench_find() found, with these ETDumps, like bench_open(). */
exit_status bench_open_found(etr_profile **out, const cli_settings *settings,
                             const etr_inputs *found, const char *const *dumps, size_t count);

void bench_forget(etr_inputs *found, const cli_settings *settings);

/** Opens the record that the settings name, with the ETDumps of a side, like bench_open(). */
exit_status bench_open_side(etr_profile **out, const cli_settings *settings,
                            const bench_side *side);

/** Fills the options that all run folders share: time, host, process, limits. host has 256 bytes.
 */
void bench_logdir_options(etr_logdir_options *out, const cli_settings *settings, char *host);

#endif
