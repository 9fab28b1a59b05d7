/* SPDX-License-Identifier: BSD-3-Clause
 *
 * signals.c - Ctrl-C, Ctrl-Break and the closing of the console as signals. The system reports them
 * in a new thread, whatever the other threads are doing; that thread waits here while signals are
 * blocked.
 */
#include "windows/handle.h"

#include <stdatomic.h>

enum { A_MOMENT = 10 /* ms */ };

static _Atomic(uint32_t) held, arrived; /* arrived: how many had an effect */
static void (*_Atomic interrupt_handler)(int number);
static void (*_Atomic end_handler)(int number);

/* Calls the handler of the signal that a console event stands for, once it is not held back: SIGINT
 * for Ctrl-C, and SIGTERM for all others, which end the process in any case. Windows calls this in
 * a thread of its own. Returns FALSE if there is no handler, so that Windows does what it does by
 * default. */
static BOOL WINAPI handle_console_event(DWORD event) {
  int number = event == CTRL_C_EVENT ? SIGINT : SIGTERM;
  void (*handler)(int) = number == SIGINT ? atomic_load(&interrupt_handler)
                                          : atomic_load(&end_handler);
  if (handler == NULL)
    return FALSE;
  while (atomic_load(&held) & (uint32_t)1 << number)
    Sleep(A_MOMENT);
  /* The handler may have changed meanwhile. */
  handler = number == SIGINT ? atomic_load(&interrupt_handler) : atomic_load(&end_handler);
  if (handler != NULL && handler != SIG_IGN)
    handler(number);
  (void)atomic_fetch_add(&arrived, 1);
  return TRUE;
}

/* Sets or returns the handler of a signal as POSIX's function does. Signals that never come, all
 * but SIGINT and SIGTERM, count as ignored, whoever handles them. */
int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  static atomic_bool is_known;
  void (*_Atomic * handler)(int) = number == SIGINT ? &interrupt_handler : &end_handler;
  bool comes = number == SIGINT || number == SIGTERM;
  if (before != NULL)
    *before = (struct sigaction){.sa_handler = comes ? atomic_load(handler) : SIG_IGN};
  if (action == NULL || !comes)
    return 0;
  if (!atomic_exchange(&is_known, true) && !SetConsoleCtrlHandler(handle_console_event, TRUE))
    return etr_win_fail_last();
  atomic_store(handler, action->sa_handler);
  return 0;
}

void (*signal(int number, void (*handler)(int number)))(int number) {
  const struct sigaction action = {.sa_handler = handler};
  struct sigaction before;
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

/* Changes which signals are held back until they are allowed again, as POSIX's function does; it
 * counts for all threads. */
int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
  uint32_t was = atomic_load(&held);
  if (before != NULL)
    *before = was;
  if (set == NULL)
    return 0;
  if (how == SIG_SETMASK)
    atomic_store(&held, *set);
  if (how == SIG_BLOCK)
    (void)atomic_fetch_or(&held, *set);
  if (how == SIG_UNBLOCK)
    (void)atomic_fetch_and(&held, ~*set);
  return 0;
}

/* Ends this process at once, as if by Ctrl-C, whatever the signal: without a core dump or a stop in
 * a debugger. */
int raise(int number) {
  static const UINT ended_by_control_c = 0xC000013A;
  (void)number;
  (void)TerminateProcess(GetCurrentProcess(), ended_by_control_c);
  return 0;
}

/* Waits for a signal, at most for the given time; nothing else is waited for. Looks every A_MOMENT
 * (ms), because handlers of signals run in other threads here; meanwhile `mask` says which signals
 * are held back. Returns 0 if none came, else -1 with EINTR. */
int pselect(int count, fd_set *ready, void *writes, void *errors, const struct timespec *most,
            const sigset_t *mask) {
  uint32_t was = atomic_load(&arrived), before = atomic_load(&held);
  int64_t left = most != NULL ? most->tv_sec * 1000 + most->tv_nsec / 1000000 : INT64_MAX;
  (void)count;
  (void)ready;
  (void)writes;
  (void)errors;
  if (mask != NULL)
    atomic_store(&held, *mask);
  for (; left > 0 && atomic_load(&arrived) == was; left -= A_MOMENT)
    Sleep(A_MOMENT);
  atomic_store(&held, before);
  if (atomic_load(&arrived) == was)
    return 0;
  errno = EINTR;
  return -1;
}
