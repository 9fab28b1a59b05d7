/* SPDX-License-Identifier: BSD-3-Clause
 *
 * manual.h - manual pages and shell completions, made from the command's tables at build time. Layer 6.
 */
#ifndef ETR_MANUAL_H
#define ETR_MANUAL_H

#include "command/option_table.h"

/** Writes the page of a command, or etrecord-tb(1) with NULL, into which it copies `topics`. date: YYYY-MM-DD. */
void man_page_write(FILE *out, const cli_command *command, FILE *topics, const char *version, const char *date);

/** Copies a script of completion/ and fills in its @NAME@s from the tables. False: it has an unknown name. */
bool completion_fill(FILE *out, FILE *script);

#endif
