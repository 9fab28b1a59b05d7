/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.h - a bench from its start to its end: what is known of it, and the passes of its runner. Layer 6.
 *
 * A pass is one run of the runner: warm-up, untraced, or one that counts. All passes come before the command gives up
 * its rights (sandbox.h) and so before any dump is read; the job hands over what they left.
 */
#ifndef ETR_JOB_H
#define ETR_JOB_H

#include "bench/history.h"
#include "command/settings.h"

/** A pass that counts and left a dump. */
typedef struct bench_pass {
  double seconds;
  char *output;     /* as in runner_outcome */
  const char *dump; /* path of its ETDump */
} bench_pass;

enum { FACT_ROOM = 128 };

/** What is known of a bench besides its times. */
typedef struct bench_facts {
  char host[FACT_ROOM], device[FACT_ROOM], os[FACT_ROOM];
  char commit[FACT_ROOM]; /* "" where the working directory is in no repository */
  char *command;          /* the runner with its arguments, for people */
  size_t repeat, warmup;
  size_t failed;            /* passes that count and failed, left no dump, or one that cannot be read */
  double untraced_seconds;  /* of the pass without the dump's option; NaN: there was none */
  const char *untraced_why; /* why there was none */
} bench_facts;

typedef struct bench_job {
  bench_history history;
  bench_facts facts;
  bench_pass *passes; /* facts.repeat entries, of which those that count are filled */
  size_t pass_count;
} bench_job;

/** Frees a job, which bench_collect() puts into the settings, and lets go of its history; folders that it made and left
 * empty are removed. NULL is allowed. */
void bench_job_end(bench_job *job);

#endif
