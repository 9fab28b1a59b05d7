/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ioctl.h - the size of the terminal.
 */
#ifndef ETR_WINDOWS_SYS_IOCTL_H
#define ETR_WINDOWS_SYS_IOCTL_H

#include "../posix_name.h"

enum { TIOCGWINSZ = 1 };

struct winsize {
  unsigned short ws_row, ws_col;
};

int ioctl(int file, int request, struct winsize *out) ETR_POSIX_NAME(ioctl);

#endif
