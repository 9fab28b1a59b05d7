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

/** Finds and opens what the settings name and prints the profile's warnings. On failure says why; *out is NULL and the exit status is returned. */
exit_status command_open(etr_profile **out, const cli_settings *settings);

/** EXIT_DONE if the method is NULL or one of the profile's; otherwise says which there are and gives EXIT_BAD_INPUT. */
exit_status command_check_method(const etr_profile *profile, const char *method);

/** The options of a table: format, unit, order, rows, and the terminal's width (100 columns where there is none). */
etr_table_options command_table_options(const cli_settings *settings);

#endif
