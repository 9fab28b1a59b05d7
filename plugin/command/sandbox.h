/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sandbox.h - gives up rights that a command does not need, before it reads any input. Layer 6.
 */
#ifndef ETR_SANDBOX_H
#define ETR_SANDBOX_H

#include "command/command.h"

/**
 * Permanently limits this process to what the settings require. It may read the inputs (`source`
 * may read any file, because the record names the model's files) and write into the folder of
 * --logdir. The files of --output and --problems are open already (output_file.h). It cannot start
 * programs (except Graphviz, for a picture) or make connections. The programs of `bench` have
 * already run. Creates the folder of --logdir, because only an existing folder can be allowed.
 * Limits less, without a warning, if the kernel or the build does not support it.
 *
 * Returns EXIT_BAD_INPUT, with a message, if the folder cannot be made, or if the system lacks what
 * it takes to allow an input.
 */
exit_status sandbox_enter(const cli_settings *settings);

/**
 * Limits this process, and the program that writes rows, which is started next, to what that
 * program needs: it may read and run files, write to what is open, and make no connections. It
 * gives up the rest itself once it is loaded. sandbox_enter() then limits this process further.
 * Errors: those of sandbox_enter().
 */
exit_status sandbox_enter_with_writer(void);

/** Removes the folders that sandbox_enter() created, where they are empty, unless another process
 * uses the logdir. Async-signal-safe. */
void sandbox_leave(void);

#endif
