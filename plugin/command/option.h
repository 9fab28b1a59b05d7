/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option.h - parses the command line. Layer 6.
 */
#ifndef ETR_OPTION_H
#define ETR_OPTION_H

#include "command/settings.h"

/**
 * Parses the arguments. The command is the first argument that is not an option, or `write` if that names no command.
 * Cuts argv's texts of --hparam in two. Returns EXIT_DONE, or prints what is wrong and returns EXIT_USAGE.
 */
exit_status option_parse(cli_settings *out, int argc, char **argv);

#endif
