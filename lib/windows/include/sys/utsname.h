/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utsname.h - the machine.
 */
#ifndef ETR_WINDOWS_SYS_UTSNAME_H
#define ETR_WINDOWS_SYS_UTSNAME_H

#include "../posix_name.h"

struct utsname {
  char sysname[16], machine[16];
};

int uname(struct utsname *out) ETR_POSIX_NAME(uname);

#endif
