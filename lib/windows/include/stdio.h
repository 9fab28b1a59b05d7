/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stdio.h - streams of bytes, whose paths are UTF-8.
 */
#ifndef ETR_WINDOWS_STDIO_H
#define ETR_WINDOWS_STDIO_H

#include_next <stdio.h>

FILE *etr_win_fopen(const char *path, const char *mode);
FILE *etr_win_tmpfile(void);
int etr_win_rename(const char *from, const char *to);
int renameat(int from_folder, const char *from, int to_folder,
             const char *to) __asm__("etr_win_renameat");
/** One at a time; complete once it is closed. */
FILE *open_memstream(char **text, size_t *size) __asm__("etr_win_open_memstream");
int etr_win_fclose(FILE *stream);
ssize_t getline(char **line, size_t *room, FILE *stream) __asm__("etr_win_getline");

#define fopen etr_win_fopen
#define tmpfile etr_win_tmpfile
#define rename etr_win_rename
#define fclose etr_win_fclose

#endif
