/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ending.c - handles the signals that end the command. The exit status stays that of the
 * signal.
 */
#include "command/ending.h"

#include "command/output_file.h"
#include "command/sandbox.h"
#include "etrecord_tb.h"

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU},
                 ignored[] = {SIGPIPE, SIGXFSZ};

static volatile sig_atomic_t child_process;
static void (*volatile cleanup_function)(void);
static volatile sig_atomic_t defers, deferred_signal;

/* Handles a signal that ends the command: ends its child, removes unfinished files, and raises the
 * signal again, which with SA_RESETHAND then has its default effect. A signal that is deferred is
 * only noted; a second one then ends the command. */
static void end_by_signal(int number) {
  if (defers) {
    defers = 0;
    deferred_signal = number;
    return;
  }
  if (child_process != 0)
    (void)kill((pid_t)child_process, SIGKILL);
  etr_remove_unfinished();
  if (cleanup_function != NULL)
    cleanup_function();
  output_discard();
  sandbox_leave();
  (void)raise(number);
}

void ending_prepare(void) {
  struct sigaction action = {.sa_handler = end_by_signal, .sa_flags = (int)SA_RESETHAND}, before;
  (void)sigfillset(&action.sa_mask);
  for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
    if (sigaction(ending[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      (void)sigaction(ending[i], &action, NULL);
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    (void)signal(ignored[i], SIG_IGN);
}

void ending_hold(sigset_t *before) {
  sigset_t all;
  (void)sigfillset(&all);
  (void)sigprocmask(SIG_SETMASK, &all, before);
}

void ending_set_child(pid_t child) {
  child_process = (sig_atomic_t)child;
}

void ending_set_cleanup(void (*cleanup)(void)) {
  cleanup_function = cleanup;
}

void ending_defer(void) {
  defers = 1;
}

int ending_signal(void) {
  return deferred_signal;
}

void ending_raise(void) {
  defers = 0;
  if (deferred_signal)
    (void)raise(deferred_signal);
}

void ending_ignored_signals(sigset_t *out) {
  (void)sigemptyset(out);
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
    (void)sigaddset(out, ignored[i]);
}
