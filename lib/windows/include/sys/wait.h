/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wait.h - how a program ended. A status is a signal's number, or the exit status above 8 bits.
 */
#ifndef ETR_WINDOWS_SYS_WAIT_H
#define ETR_WINDOWS_SYS_WAIT_H

#include "../posix_name.h"

#include <sys/types.h>

enum { WNOHANG = 1 };

#define WIFEXITED(status) (((status) & 255) == 0)
#define WEXITSTATUS(status) ((status) >> 8)
#define WIFSIGNALED(status) (((status) & 255) != 0)
#define WTERMSIG(status) ((status) & 255)

pid_t waitpid(pid_t process, int *status, int flags) ETR_POSIX_NAME(waitpid);

#endif
