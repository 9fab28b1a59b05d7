/* SPDX-License-Identifier: BSD-3-Clause
 *
 * random.h - what nobody can guess.
 */
#ifndef ETR_WINDOWS_SYS_RANDOM_H
#define ETR_WINDOWS_SYS_RANDOM_H

#include "../posix_name.h"

#include <stddef.h>

int getentropy(void *to, size_t size) ETR_POSIX_NAME(getentropy);

#endif
