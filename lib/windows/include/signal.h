/* SPDX-License-Identifier: BSD-3-Clause
 *
 * signal.h - what ends the command. It comes in a thread of its own, and waits there while it is
 * held.
 */
#ifndef ETR_WINDOWS_SIGNAL_H
#define ETR_WINDOWS_SIGNAL_H

#include "posix_name.h"

#include <pthread.h>
#include_next <signal.h>
#include <stdint.h>
#include <time.h>

enum {
  SIGHUP = 1,
  SIGQUIT = 3,
  SIGKILL = 9,
  SIGPIPE = 13,
  SIGCHLD = 17,
  SIGXCPU = 24,
  SIGXFSZ = 25
};
enum { SA_RESETHAND = 1 };
#undef SIG_BLOCK
#undef SIG_UNBLOCK
#undef SIG_SETMASK
enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };

typedef uint32_t etr_win_sigset;
#define sigset_t etr_win_sigset

struct sigaction {
  void (*sa_handler)(int number);
  sigset_t sa_mask; /* all, in any case */
  int sa_flags;
};

int sigaction(int number, const struct sigaction *action, struct sigaction *before)
    ETR_POSIX_NAME(sigaction);
int sigprocmask(int how, const sigset_t *set, sigset_t *before) ETR_POSIX_NAME(sigprocmask);
void (*etr_win_signal(int number, void (*handler)(int number)))(int number);
/** Ends the process. */
int etr_win_raise(int number);
/** Of its whole group in any case. */
int kill(pid_t process, int number) ETR_POSIX_NAME(kill);

static inline int etr_win_sigchange(sigset_t *set, sigset_t clear, sigset_t add) {
  *set = (*set & ~clear) | add;
  return 0;
}

#define sigemptyset(set) etr_win_sigchange(set, UINT32_MAX, 0)
#define sigfillset(set) etr_win_sigchange(set, 0, UINT32_MAX)
#define sigaddset(set, number) etr_win_sigchange(set, 0, (sigset_t)1 << (number))
#define sigdelset(set, number) etr_win_sigchange(set, (sigset_t)1 << (number), 0)
#undef pthread_sigmask
#define pthread_sigmask sigprocmask
#define signal etr_win_signal
#define raise etr_win_raise

#endif
