/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.h - what the arguments of a runner say: its model, where it leaves its ETDump, whether adb runs it. Layer 6.
 */
#ifndef ETR_PROGRAM_H
#define ETR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/** What --model_path names among the arguments, the .pte; NULL: nothing. */
const char *program_model_path(const char *const *arguments);

/** True if both run the same model as far as is known: the same path, or files with the same bytes. */
bool program_has_same_model(const char *const *arguments, const char *const *others);

/** What --etdump_path and the like name among the arguments; NULL: nothing. */
const char *program_dump_path(const char *const *arguments);

/** The arguments without that option, NULL-terminated; NULL when they have none, or out of memory. Free it. */
const char **program_without_dump(const char *const *arguments);

/** True if the program is adb. */
bool program_is_adb(const char *const *arguments);

enum { MOST_ADB_ARGUMENTS = 16 };

/**
 * The arguments of another call of adb for the same device, NULL-terminated: those in front of `shell`, then `more`,
 * which ends with NULL.
 */
void program_adb(const char *out[MOST_ADB_ARGUMENTS + 1], const char *const *arguments, const char *const *more);

#endif
