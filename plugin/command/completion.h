/* SPDX-License-Identifier: BSD-3-Clause
 *
 * completion.h - what shells complete, of the command's own tables. Layer 6, at build time only.
 */
#ifndef ETR_COMPLETION_H
#define ETR_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

/** Copies a script of completion/, with what the tables say put where it has @NAME@. False: it has a name that is not known. */
bool completion_fill(FILE *out, FILE *script);

#endif
