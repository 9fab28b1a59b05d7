/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.h - what the commands share. Layer 6.
 */
#ifndef ETR_COMMAND_H
#define ETR_COMMAND_H

#include "option.h"

exit_status command_write(const cli_settings *settings);
exit_status command_info(const cli_settings *settings);
exit_status command_nodes(const cli_settings *settings);
exit_status command_events(const cli_settings *settings);
exit_status command_summary(const cli_settings *settings);
exit_status command_source(const cli_settings *settings);
exit_status command_delegation(const cli_settings *settings);
exit_status command_dot(const cli_settings *settings);
exit_status command_report(const cli_settings *settings);
exit_status command_diff(const cli_settings *settings);
exit_status command_trace(const cli_settings *settings);
exit_status command_export(const cli_settings *settings);
exit_status command_help(const cli_settings *settings);

/** Finds the files that the settings name. Borrows from them; free with etr_inputs_clear() if settings->record is set. On failure says why. */
exit_status command_find(etr_inputs *out, const cli_settings *settings);

/** How to read, as the settings say. */
etr_options command_reading_options(const cli_settings *settings);

/** Finds and opens what the settings name and prints the profile's warnings. On failure says why; *out is NULL and the exit status is returned. */
exit_status command_open(etr_profile **out, const cli_settings *settings);

/** Prints an answer about a profile to standard output, or writes it with command_put(). */
typedef etr_status (*command_answer)(const etr_profile *profile, const cli_settings *settings, etr_error *error);

/** Checks that --method and --graph name what there is; if not, says what there is. */
exit_status command_check_names(const etr_profile *profile, const cli_settings *settings);

/** Warns where nothing is called as --op, --module or --backend say, with names that contain it. */
void command_hint(const etr_profile *profile, const cli_settings *settings);

/** What the reading commands do: opens the inputs, checks names, says what is missing, prints the answer. */
exit_status command_run(const cli_settings *settings, command_answer answer);

/** The entry point that --entry and --method name; where they name none, the first. Errors: ETR_ERROR_CHOICE, the message lists what there is. */
etr_status command_entry(size_t *graph, const etr_profile *profile, const cli_settings *settings, etr_error *error);

/** True if --output names a file: "-" is standard output. */
bool command_has_file(const cli_settings *settings);

/** True if what is written would run over a terminal. */
bool command_fills_terminal(const cli_settings *settings);

/** Writes what `emit` gives where --output says. */
etr_status command_put(const cli_settings *settings, etr_emitter emit, void *context, etr_error *error);

/** Which nodes the settings ask for. */
etr_node_filter command_filter(const cli_settings *settings);

/**
 * The options of a table: format, unit, order, rows (without --top 30 of text and all of other formats), the terminal's width (100 columns where
 * there is none), and what it can show.
 */
etr_table_options command_table_options(const cli_settings *settings);

#endif
