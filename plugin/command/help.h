/* SPDX-License-Identifier: BSD-3-Clause
 *
 * help.h - what --help prints. Layer 6.
 */
#ifndef ETR_HELP_H
#define ETR_HELP_H

#include "option.h"

#include <stdio.h>

/** Prints the help of one command, or of the program (NULL), in at most 80 columns. */
void help_print(FILE *out, const cli_command *command);

/** What the program is, a line break between paragraphs; --help and the manual begin with it. Static. */
const char *help_introduction(void);

#endif
