/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - the command etrecord-tb.
 */
#include "heap.h"
#include "help.h"
#include "option_table.h"

#include <signal.h>

int main(int argc, char **argv) {
  cli_settings settings;
  heap_prepare();
  signal(SIGPIPE, SIG_IGN); /* a closed pipe shows as an error of write */
  exit_status status = option_parse(&settings, argc, argv);
  if (status != EXIT_DONE) return status;
  if (settings.version) {
    printf("etrecord-tb %s\nLicence: BSD-3-Clause. There is no warranty.\n", etr_version());
    return message_written(ETR_OK, NULL);
  }
  if (settings.help) {
    help_print(stdout, settings.command);
    return message_written(ETR_OK, NULL);
  }
  return settings.command->run(&settings);
}
