/* SPDX-License-Identifier: BSD-3-Clause
 *
 * help.h - the text of --help. Layer 6.
 */
#ifndef ETR_HELP_H
#define ETR_HELP_H

#include "command/command.h"

#include <stdio.h>

/** Prints the help of one command, or of the program (NULL), in at most 80 columns. */
void help_print(FILE *out, const cli_command *command);

/** What the program does, the first paragraph of --help and of the manual. Static. */
const char *help_introduction(void);

enum { HELP_ROOM = 4096 };

/** What a command does, a line break between paragraphs; the last one lists the columns of its table, if --columns
 * chooses among them. In `room`, or static. */
const char *help_text(const cli_command *command, char room[HELP_ROOM]);

#endif
