/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_help.c - `etrecord-tb help`: what --help prints, asked for as git's is.
 */
#include "command.h"
#include "help.h"
#include "option_table.h"

exit_status command_help(const cli_settings *settings) {
  const cli_command *asked = settings->record ? option_table_command(settings->record) : NULL;
  if (settings->record && !asked) return option_table_no_command(settings->record);
  help_print(stdout, asked);
  return message_written(ETR_OK, NULL);
}
