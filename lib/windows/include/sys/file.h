/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file.h - locks of files and folders, for processes of this machine.
 */
#ifndef ETR_WINDOWS_SYS_FILE_H
#define ETR_WINDOWS_SYS_FILE_H

#include "../posix_name.h"

enum { LOCK_SH = 1 /* is exclusive, too */, LOCK_EX = 2, LOCK_NB = 4 };

int flock(int file, int operation) ETR_POSIX_NAME(flock);

#endif
