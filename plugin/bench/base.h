/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base.h - what a bench is compared with: the program of --against, recorded in turns with it, or else an earlier
 * bench. Layer 6.
 *
 * In turns, the recording is the unit of the comparison. An earlier bench is another session: the session is the unit
 * then, and the history says what sessions differ by.
 */
#ifndef ETR_BASE_H
#define ETR_BASE_H

#include "bench/job.h"

/* ---- The earlier benches in a history: which one a new bench is compared with, and how its medians came about ---- */

/* Benches are alike if they have the same name, host, device and command. Only steps between benches that are alike say
 * what a machine differs by from one session to the next. */

/** Zeroed: none. */
typedef struct earlier_benches {
  char run[BENCH_RUN_ROOM]; /* folder of the base: of the last bench that is alike, or else of the last on the same host
                               and device; "" if there is neither */
  bool is_alike;            /* it ran the same command, too */
  size_t alike, others;     /* benches */
  etr_bench_history *histories; /* of the methods, if the base is alike and has them: medians in ms, the oldest first */
  size_t history_count;
  double **medians; /* of the histories */
  size_t fewest;    /* medians of one of these; 0: there are none */
} earlier_benches;

/**
 * Reads a history's text, from before the new bench. name, facts: of the new bench. methods: its methods' names,
 * borrowed; lines of no such method, without a median above 0, or damaged, count for nothing. False when out of memory.
 */
bool earlier_find(earlier_benches *out, const char *history, const char *name, const bench_facts *facts,
                  const char *const *methods, size_t method_count);

void earlier_clear(earlier_benches *earlier);

/* ---- A file's text in memory: profile.json, which each bench leaves for the next one to compare with ---- */

/** Zeroed: empty. */
typedef struct bench_document {
  char *text; /* not ended by NUL */
  size_t size;
} bench_document;

/** A sink's function; context: the document. False when out of memory. */
bool bench_document_add(void *context, const void *data, size_t size);

/** Reads a file. False, with errno: it cannot be read, or memory is out. */
bool bench_document_read(bench_document *out, const char *path);

/** Writes a file, which appears as a whole or not at all. Errors: those of etr_write_file(). */
etr_status bench_document_write(const bench_document *document, const char *path, etr_error *error);

void bench_document_clear(bench_document *document);

/* ---- What a bench is compared with: the program of --against, recorded in turns with it, or else an earlier bench
 * ---- */

/** A bench that is to be compared. */
typedef struct bench_newer {
  const cli_settings *settings;
  const cli_settings *text; /* the same, to print on standard output */
  const bench_job *job;
  const etr_profile *profile;
  const bench_document *document; /* of the profile */
  bool prints;                    /* text on standard output */
} bench_newer;

/** Opens the base's dumps, if the bench has a base; prints warnings. On failure *out is NULL. Without a base it is
 * NULL, too. */
exit_status base_open(etr_profile **out, const cli_settings *settings, const bench_job *job);

/**
 * Compares a bench with its base. base: of base_open(); NULL: with the last bench that is alike. Prints what became
 * slower or faster, as `diff` does. Returns what --fail-above makes of it: EXIT_CANNOT_TELL, with a message, also where
 * there is nothing to compare with.
 */
exit_status base_compare(const bench_newer *newer, const etr_profile *base);

#endif
