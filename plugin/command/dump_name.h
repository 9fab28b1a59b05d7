/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_name.h - short names that tell ETDumps apart. Layer 6.
 */
#ifndef ETR_DUMP_NAME_H
#define ETR_DUMP_NAME_H

#include <stddef.h>

enum { DUMP_NAME_ROOM = 256 };

typedef struct dump_name {
  const char *path; /* borrowed */
  size_t left;      /* of the path: what all have behind that tells nothing */
  char text[DUMP_NAME_ROOM];
} dump_name;

/**
 * Fills the texts from the paths; the same whenever the paths are. It is the file's name without its ending, "pixel8" of "out/pixel8.etdp"; where all
 * files are called alike, their folders', "pixel8" of "pixel8/etdump.etdp"; those that are not alone then get "~2", "~3", ... behind them.
 */
void dump_names_fill(dump_name *names, size_t count);

#endif
