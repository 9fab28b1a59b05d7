/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sandbox.h - gives up rights that the command does not need, before it reads any input. Layer 6.
 */
#ifndef ETR_SANDBOX_H
#define ETR_SANDBOX_H

#include "command/command.h"

/**
 * Permanently limits this process to what the settings require: it may read the inputs (`source`: any file, because the
 * record names the model's), write into the folder of --logdir or --output, start no program (except Graphviz, for a
 * picture) and make no connection. What `bench` runs has run before. Creates the folder of --logdir, since only an
 * existing folder can be allowed. Does less, without a warning, if the kernel or the build lacks the means.
 */
void sandbox_enter(const cli_settings *settings);

/** Removes the folders that sandbox_enter() created, unless they are in use or about to be. Async-signal-safe. */
void sandbox_leave(void);

#endif
