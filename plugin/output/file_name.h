/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file_name.h - safe names of files and folders from any text in a record. Layer 4.
 */
#ifndef ETR_FILE_NAME_H
#define ETR_FILE_NAME_H

#include "base/arena.h"

/**
 * Turns any text into one path component. Percent-encodes '/', '%', control characters, the
 * characters that Windows refuses (\ : * ? " < > |), a '.' or ' ' at the end and a '.' at the
 * start. An empty text becomes "%". The result never names a parent folder and is never hidden.
 * Names longer than 180 bytes are cut and end in a hash of the whole text. Returns NULL when out of
 * memory.
 */
char *etr_file_name(etr_arena *arena, const char *text);

#endif
