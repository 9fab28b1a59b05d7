/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stdlib.h - paths and the environment as UTF-8.
 */
#ifndef ETR_WINDOWS_STDLIB_H
#define ETR_WINDOWS_STDLIB_H

#include_next <stdlib.h>

/** room: NULL. The parts of what it gives are told apart by '/'. */
char *realpath(const char *path, char *room) __asm__("etr_win_realpath");
/** HOME is the profile's folder where it is not set. */
char *etr_win_getenv(const char *name);

#define getenv etr_win_getenv
#undef environ
#define environ etr_win_environ

#endif
