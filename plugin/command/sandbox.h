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
 * --logdir or --output. It cannot start programs (except Graphviz, for a picture) or make
 * connections. The programs of `bench` have already run. Creates the folder of
 * --logdir, because only an existing folder can be allowed. Limits less, without a warning, if the
 * kernel or the build does not support it.
 */
void sandbox_enter(const cli_settings *settings);

/** Removes the folders that sandbox_enter() created, unless they are in use or about to be.
 * Async-signal-safe. */
void sandbox_leave(void);

#endif
