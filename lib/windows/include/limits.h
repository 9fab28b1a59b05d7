/* SPDX-License-Identifier: BSD-3-Clause
 *
 * limits.h - long paths.
 */
#ifndef ETR_WINDOWS_LIMITS_H
#define ETR_WINDOWS_LIMITS_H

#include_next <limits.h>

#undef PATH_MAX
#undef NAME_MAX
#define PATH_MAX 4096 /* bytes, the last a NUL */
#define NAME_MAX 765  /* 255 characters in UTF-8 */

#endif
