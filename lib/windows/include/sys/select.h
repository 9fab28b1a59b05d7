/* SPDX-License-Identifier: BSD-3-Clause
 *
 * select.h - waiting for a signal, or for time.
 */
#ifndef ETR_WINDOWS_SYS_SELECT_H
#define ETR_WINDOWS_SYS_SELECT_H

#include "../posix_name.h"

#include <signal.h>

typedef struct etr_win_fd_set {
  int unused; /* no file is waited for */
} fd_set;

#define FD_ZERO(set) ((void)((set)->unused = 0))
#define FD_SET(file, set) ((void)(file), (void)(set))

int pselect(int count, fd_set *ready, void *writes, void *errors, const struct timespec *most,
            const sigset_t *mask) ETR_POSIX_NAME(pselect);

#endif
