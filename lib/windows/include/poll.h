/* SPDX-License-Identifier: BSD-3-Clause
 *
 * poll.h - waiting for a pipe: one at a time.
 */
#ifndef ETR_WINDOWS_POLL_H
#define ETR_WINDOWS_POLL_H

#include "posix_name.h"

enum { POLLIN = 1, POLLERR = 8 };

struct pollfd {
  int fd;
  short events, revents;
};

int poll(struct pollfd *files, unsigned count, int milliseconds) ETR_POSIX_NAME(poll);

#endif
