/* SPDX-License-Identifier: BSD-3-Clause
 *
 * man_page.h - the manual pages, of the command's own tables. Layer 6, at build time only.
 */
#ifndef ETR_MAN_PAGE_H
#define ETR_MAN_PAGE_H

#include "option_table.h"

#include <stdio.h>

/** Writes etrecord-tb(1), or the page of one command. date: YYYY-MM-DD. */
void man_page_write(FILE *out, const cli_command *command, const char *version, const char *date);

#endif
