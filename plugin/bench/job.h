/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.h - a bench from its start to its end: what is known of it, and its recordings. Layer 6.
 *
 * A recording is one process of a program that left an ETDump. All of them are made before the command gives up its
 * rights (sandbox.h) and so before any dump is read; the job hands over what they left.
 */
#ifndef ETR_JOB_H
#define ETR_JOB_H

#include "bench/history.h"
#include "command/settings.h"

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

#endif
