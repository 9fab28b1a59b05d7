/* SPDX-License-Identifier: BSD-3-Clause
 *
 * posix_name.h - a function by the name that POSIX has for it, under another for the linker:
 * libraries that are linked in call those of Windows, which take other arguments.
 */
#ifndef ETR_WINDOWS_POSIX_NAME_H
#define ETR_WINDOWS_POSIX_NAME_H

#define ETR_POSIX_NAME(name) __asm__("etr_win_" #name)

#endif
