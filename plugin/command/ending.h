/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ending.h - handles signals that end the command, and cleans up first. Layer 6.
 */
#ifndef ETR_ENDING_H
#define ETR_ENDING_H

#include <signal.h>
#include <sys/types.h>

/**
 * Sets the signal handlers: SIGHUP, SIGINT, SIGQUIT, SIGTERM and SIGXCPU remove unfinished output
 * before they end the command, unless they are ignored. SIGPIPE and SIGXFSZ are ignored, so that
 * write() reports the error.
 */
void ending_prepare(void);

/** Blocks all signals; restore the mask `before` to let them through. */
void ending_hold(sigset_t *before);

/** Sets the process that is killed if a signal ends the command. 0: none; negative: a process
 * group. */
void ending_set_child(pid_t child);

/** Sets a function that is called if a signal ends the command. It must be async-signal-safe. NULL:
 * none. */
void ending_set_cleanup(void (*cleanup)(void));

/** From now on the first of these signals does not end the command: ending_signal() returns it, so
 * that the command can stop between two answers and end with ending_raise(). A second one ends the
 * command as before. */
void ending_defer(void);

/** Returns the signal that was deferred; 0: none. */
int ending_signal(void);

/** Ends the command by the signal that was deferred, if there was one. */
void ending_raise(void);

/** Gives the signals that ending_prepare() ignores, and that a started program should not ignore.
 */
void ending_ignored_signals(sigset_t *out);

#endif
