/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ending.h - cleans up when a signal ends the command. Layer 6.
 */
#ifndef ETR_ENDING_H
#define ETR_ENDING_H

#include <signal.h>
#include <sys/types.h>

/**
 * From now on SIGHUP, SIGINT, SIGQUIT, SIGTERM and SIGXCPU remove unfinished output before they end the command, unless
 * they are ignored. Ignores SIGPIPE and SIGXFSZ, so that write() reports the error.
 */
void ending_prepare(void);

/** Blocks all signals; restore the mask `before` to let them through. */
void ending_hold(sigset_t *before);

/** Sets a program that is to be killed with the command; 0: none, negative: a process group. */
void ending_set_child(pid_t child);

/** Sets what else is to be removed then, an async-signal-safe function; NULL: nothing. */
void ending_set_cleanup(void (*cleanup)(void));

/** The signals that ending_prepare() ignores, and that a started program should not ignore. */
void ending_ignored_signals(sigset_t *out);

#endif
