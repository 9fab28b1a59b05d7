/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file_name.h - names of files and folders from names in a record, which may be anything. Layer 4.
 */
#ifndef ETR_FILE_NAME_H
#define ETR_FILE_NAME_H

#include "arena.h"

/**
 * One path component from any text: percent-encoded are '/', '%', control characters, what Windows refuses (\ : * ? " < > |), a '.' or ' ' at
 * the end, and a '.' at the start; an empty text becomes "%". So it never names a parent folder and never hides. Longer than 180 bytes, it is cut
 * and ends in a hash of the whole. NULL when out of memory.
 */
char *etr_file_name(etr_arena *arena, const char *text);

#endif
