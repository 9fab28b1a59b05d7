/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runner.h - runs a program within a time limit and keeps what it prints: `bench` runs runners and
 * adb, `dot` Graphviz. Layer 6.
 *
 * The program gets a process group of its own, which is killed as a whole when the time is up or
 * when a signal ends the command.
 */
#ifndef ETR_RUNNER_H
#define ETR_RUNNER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/** Bytes that are kept of what a program prints, from the end, where a runner prints its figures.
 */
enum { RUNNER_MOST_OUTPUT = 4 << 20 };

/** How a program ended. Free with runner_clear(). */
typedef struct runner_outcome {
  int start_error; /* errno of starting the program; 0: it ran */
  bool is_late;    /* the program was killed because its time was up */
  int exit_status; /* -1: a signal ended the program */
  int signal_number;
  double seconds; /* duration of the process */
  char *output; /* the last RUNNER_MOST_OUTPUT bytes that the program printed, NUL-terminated; never
                   NULL */
  bool is_cut;  /* the program printed more */
} runner_outcome;

/** A program to be run. */
typedef struct runner_program {
  const char *const *arguments; /* ended by NULL. The first is a path if it has a slash; otherwise
                                   it is looked up in the folders of PATH, but not in empty or
                                   relative ones */
  double seconds;               /* seconds after which it is killed */
  FILE *input;                  /* its standard input; NULL: empty */
  FILE *output; /* its standard output; NULL: it is kept in runner_outcome.output, with standard
                   error */
  bool shows_errors;     /* its standard error is that of this process; otherwise it is kept, too */
  double silent_seconds; /* seconds after which the warning is printed */
  const char *warning;   /* NULL: none */
} runner_program;

/** Starts a program that runs beside this one and ends when its input ends, not by a signal to this
 * one. `ours` is a descriptor that it does not inherit. Returns errno of starting it; 0: it runs.
 */
int runner_start(pid_t *out, const runner_program *program, int ours);

/** Runs a program and waits until it ends, or is killed when its time is up. *out says how it
 * ended, also if it could not be started, and has what it printed. */
void runner_run(runner_outcome *out, const runner_program *program);

/** Returns true if the program ran to its end with exit status 0. */
bool runner_succeeded(const runner_outcome *outcome);

enum { RUNNER_REASON_ROOM = 160 };

/** Describes how the program failed: "exit status 3", "killed by signal 11", "not finished within 5
 * s". */
void runner_reason(const runner_outcome *outcome, double seconds, char room[RUNNER_REASON_ROOM]);

void runner_clear(runner_outcome *outcome);

#endif
