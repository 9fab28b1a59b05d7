/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base.h - compares a bench with its base: the program of --against, recorded in turns with it, or
 * else an earlier bench. Layer 6.
 *
 * If the programs took turns, the recording is the unit of the comparison. An earlier bench is
 * another session, so the session is the unit, and the history shows how much sessions differ.
 */
#ifndef ETR_BASE_H
#define ETR_BASE_H

#include "bench/job.h"

/* ---- The earlier benches in a history: the one that a new bench is compared with, and the medians
 * of all ---- */

/* Benches are alike if they have the same name, host, device and command. Only differences between
 * benches that are alike show how much a machine changes from one session to the next. */

/** Earlier benches. Zeroed: none. */
typedef struct earlier_benches {
  char run[BENCH_RUN_ROOM]; /* folder of the base: the last bench that is alike, or else the last
                               one on the same host and device; "" if there is neither */
  bool is_alike;            /* the base ran the same command */
  size_t alike, others;     /* number of benches that are alike, and of others */
  etr_bench_history *histories; /* medians of each method in ms, the oldest first, if the base is
                                   alike and has it */
  size_t history_count;
  double **medians; /* memory of the histories */
  size_t fewest;    /* smallest number of medians in a history; 0: there is no history */
} earlier_benches;

/**
 * Reads a history's text, from before the new bench. name and facts are those of the new bench;
 * methods are the names of its methods, which are borrowed. Lines of other methods, lines without a
 * median above 0 and damaged lines are ignored. Returns false when out of memory.
 */
bool earlier_find(earlier_benches *out, const char *history, const char *name,
                  const bench_facts *facts, const char *const *methods, size_t method_count);

void earlier_clear(earlier_benches *earlier);

/* ---- The text of a file in memory: profile.json, which each bench leaves for the comparison with
 * the next one ---- */

/** The text of a file. Zeroed: empty. */
typedef struct bench_document {
  char *text; /* not ended by NUL */
  size_t size;
} bench_document;

/** The function of a sink that appends to a document. context: a bench_document. Returns false when
 * out of memory. */
bool bench_document_add(void *context, const void *data, size_t size);

/** Writes a file as a whole or not at all. Errors: those of etr_write_file(). */
etr_status bench_document_write(const bench_document *document, const char *path, etr_error *error);

void bench_document_clear(bench_document *document);

/* ---- The comparison ---- */

/** The bench to compare. */
typedef struct bench_newer {
  const cli_settings *settings;
  const cli_settings *text; /* settings for text on standard output */
  const bench_job *job;
  const etr_profile *profile;
  const bench_document *document; /* the dashboard's document of the profile */
  bool prints;                    /* standard output takes text */
} bench_newer;

/** Opens the base's ETDumps, if the bench has a base, and prints warnings. *out is NULL on failure,
 * and if there is no base. */
exit_status base_open(etr_profile **out, const cli_settings *settings, const bench_job *job);

/**
 * Compares a bench with `base` from base_open(), or with the last bench that is alike if it is
 * NULL. Prints what became slower or faster, as `diff` does. Returns the exit status by
 * --fail-above, which is EXIT_CANNOT_TELL, with a message, also if there is nothing to compare
 * with.
 */
exit_status base_compare(const bench_newer *newer, const etr_profile *base);

#endif
