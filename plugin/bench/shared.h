/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared.h - what `bench` and `watch` share. Layer 6.
 */
#ifndef ETR_SHARED_H
#define ETR_SHARED_H

#include "bench/job.h"
#include "command/command.h"

/** --name, or what the folder of the record is called. */
void bench_default_name(const cli_settings *settings, char name[BENCH_NAME_ROOM]);

/** Opens the record that the settings name, with these ETDumps instead of its own; prints warnings. On failure *out is
 * NULL. */
exit_status bench_open(etr_profile **out, const cli_settings *settings, const char *const *dumps, size_t count);

/** Opens the record that the settings name, with the dumps of a side. Otherwise as bench_open(). */
exit_status bench_open_side(etr_profile **out, const cli_settings *settings, const bench_side *side);

/** Fills what is the same for all run folders: time, host, process, limits. host has 256 bytes. */
void bench_logdir_options(etr_logdir_options *out, const cli_settings *settings, char *host);

#endif
