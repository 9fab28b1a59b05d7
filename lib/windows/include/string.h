/* SPDX-License-Identifier: BSD-3-Clause
 *
 * string.h - what the C library has not.
 */
#ifndef ETR_WINDOWS_STRING_H
#define ETR_WINDOWS_STRING_H

#include_next <string.h>

void *memmem(const void *text, size_t size, const void *wanted,
             size_t wanted_size) __asm__("etr_win_memmem");
int strerror_r(int reason, char *room, size_t size) __asm__("etr_win_strerror_r");

#endif
